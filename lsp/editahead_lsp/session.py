"""What the server remembers of one client: documents, history, shown predictions and how they fared.

Plain synchronous code, touched only from the handlers on the event loop. Whatever runs later gets frozen values.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from editahead_inference.candidates import Silence
from editahead_prompts.edits import Edit, advance, edited_lines, rebase
from editahead_prompts.history import History
from editahead_prompts.snapshot import Snapshot
from editahead_prompts.state import RuleOutcomes, State

from .diagnostics import Diagnostics, still_valid
from .documents import Change, Changed, Document, Documents, Place
from .exclusion import Exclusion
from .faces import Offer
from .outcomes import Made, Outcomes
from .positions import Encoding, offset_at
from .protocol import Event, Range, ToldDiagnostic
from .refusals import Refusals
from .settings import Settings
from .shown import LONGEST_MS, Shown, share_of
from .timing import Timing

_REMEMBERED = 200
"""Shown predictions that an outcome can still name."""
_OUT_OF_SIGHT = frozenset(["codeAction"])
"""Faces whose answers nobody may ever see: many editors ask for actions wherever the cursor goes."""


@dataclass
class Counts:
    shown: int = 0
    accepted: int = 0
    rejected: int = 0


@dataclass
class Session:
    """clock: monotonic seconds. encoding: agreed with the client when it connected."""

    clock: Callable[[], float]
    outcomes: Outcomes
    settings: Settings = field(default_factory=Settings)
    exclusion: Exclusion = field(default_factory=Exclusion)
    encoding: Encoding = "utf-16"
    documents: Documents = field(default_factory=Documents)
    history: History = field(default_factory=History)
    counts: Counts = field(default_factory=Counts)
    focused: str | None = None
    state: State | None = None
    generation: int = 0
    """Grows with everything that can change a prediction."""
    refusals: Refusals = field(default_factory=Refusals)
    diagnostics: Diagnostics = field(default_factory=Diagnostics)

    def __post_init__(self) -> None:
        self.timing = Timing(self.clock)
        self._cursors: dict[str, int] = {}
        self._shown: OrderedDict[str, Shown] = OrderedDict()
        self._by_rule: dict[str, RuleOutcomes] = {}
        self._off: dict[str, tuple[Snapshot, Silence | None]] = {}
        self._number = self._answers = 0

    def configure(self, settings: Settings, exclusion: Exclusion) -> None:
        self.settings, self.exclusion = settings, exclusion
        self.outcomes.configure(learning=settings.learning, logging=settings.telemetry == "local")
        self._off.clear()
        self.generation += 1

    # Documents

    def open(self, uri: str, language: str, version: int, text: str) -> Document:
        self.close(uri)
        self.exclusion.forget()  # an ignore file may have changed; opening is rare enough to look again
        document = Document(uri, language, version, text, self.encoding)
        self.documents.open(document)
        if self.off(document) is None:
            self.history.opened(document.snapshot)
        self.refusals.opened(document.key, document.snapshot)
        self.focused = document.key
        self.generation += 1
        return document

    def change(self, uri: str, version: int | None, changes: Sequence[Change]) -> Document | None:
        """Apply one didChange and learn from it. None when the document is not open."""
        document = self.documents.get(uri)
        if document is None:
            return None
        cursor = self.cursor(document)
        self._catch_up()
        made = document.change(document.snapshot.version + 1 if version is None else version, changes)
        self.documents.touch(document)
        self.focused = document.key
        self.generation += 1
        self.timing.changed()
        # Where the person most likely is now; a request will say it exactly.
        after = made.edit.changed_span[1] + made.edit.growth if made.edit else min(cursor, made.after.length)
        self._cursors[document.key] = after
        if made.edit and self.off(document) is None:
            self.history.changed(made.before, made.after, made.edit, at=self.clock(), cursor=cursor)
        self._follow(document, made)
        self.state = self.state_at(document, after)
        return document

    def close(self, uri: str) -> None:
        self._catch_up()
        document = self.documents.close(uri)
        if document is None:
            return
        self.generation += 1
        self.history.closed(document.uri)
        self._off.pop(document.key, None)
        self._cursors.pop(document.key, None)
        self.refusals.closed(document.key, document.snapshot)
        self.diagnostics.closed(document.key)
        if self.focused == document.key:
            self.focused = None
        for shown in self._open_in(document.key):
            shown.edit = None
            self._settle(shown, "ignored")
        self.outcomes.closed(document.key)

    def end(self) -> None:
        """The client has gone, or been told to."""
        self._catch_up()
        for shown in self._shown.values():
            if shown.event is None:
                self._settle(shown, "ignored")
        self.outcomes.stop()

    def focus(self, uri: str | None) -> None:
        """The person looks at this document now, or at none."""
        document = self.documents.get(uri) if uri is not None else None
        self.focused = None if document is None else document.key
        if document is not None:
            self.documents.touch(document)

    @property
    def focused_document(self) -> Document | None:
        return None if self.focused is None else self.documents.with_key(self.focused)

    def cursor(self, document: Document) -> int:
        """The last known offset of the cursor."""
        return self._cursors.get(document.key, 0)

    def places(self, document: Document) -> tuple[int, ...]:
        """Offsets between which the person is: the last known one, or, before there is any, both ends."""
        known = self._cursors.get(document.key)
        return (0, document.snapshot.length) if known is None else (known,)

    def place_cursor(self, document: Document, place: Place) -> int:
        """The client says where the cursor is."""
        self.focused = document.key
        self.documents.touch(document)
        cursor = offset_at(document.snapshot, place.line, place.character, self.encoding)
        self._cursors[document.key] = cursor
        return cursor

    def tell(
        self, uri: str, version: int | None, told: Sequence[ToldDiagnostic], within: Range | None = None
    ) -> None:
        """A client says what it shows of a document, or of a range of it; of another version it says nothing."""
        document = self.documents.get(uri)
        if (
            document is not None
            and version in (None, document.snapshot.version)
            and self.off(document) is None
        ):
            news = self.diagnostics.tell(document.key, document.snapshot, told, self.encoding, within=within)
            self.generation += news

    def off(self, document: Document) -> Silence | None:
        """Why this document is left alone, if it is. Such a document is mirrored, and enters nothing else."""
        known = self._off.get(document.key)
        if known is None or known[0] is not document.snapshot:
            known = self._off[document.key] = document.snapshot, self._why_off(document.snapshot)
        return known[1]

    def _why_off(self, snapshot: Snapshot) -> Silence | None:
        if self.settings.languages.get(snapshot.language) is False:
            return Silence("language-off", f"The setting `languages` has {snapshot.language} off.")
        why = self.exclusion.why(snapshot.uri)
        if why is not None:
            return Silence("excluded", why)
        limit = self.settings.max_file_bytes
        if _larger(snapshot, limit):
            return Silence("too-large", f"It is larger than {limit} bytes (`max_file_bytes`).")
        return None

    def state_at(self, document: Document, cursor: int) -> State:
        """All that a prediction is made from."""
        others = self._others(document)
        refused = {d.uri: self.refusals.of(d.key) for d in (document, *others)}
        return State(
            document=document.snapshot,
            cursor=cursor,
            history=self.history.past,
            others=tuple(d.snapshot for d in others),
            refused={uri: edits for uri, edits in refused.items() if edits},
            undone=self.history.undone,
            outcomes=dict(self._by_rule) if self.settings.learning else {},
            taste=self.outcomes.taste(),
            diagnostics=self.diagnostics.of(document.key),
        )

    def states_after(self, id: str, cursors: Iterable[int]) -> list[State]:
        """The states in which the next prediction will be asked for if this one is accepted as it stands: for each of
        the cursors, offsets in the text after it."""
        shown = self._shown.get(id)
        document = self.documents.with_key(shown.key) if shown is not None else None
        if shown is None or shown.event is not None or not shown.edit or document is None:
            return []
        before, edit = document.snapshot, shown.edit
        after = Snapshot(before.uri, before.language, before.version + 1, edited_lines(before, edit))
        history = self.history
        if not shown.begun:  # what is typed to its end is typed
            history = history.foreseen(before, after, edit, at=self.clock())
        others = self._others(document)
        refused = {d.uri: self.refusals.of(d.key) for d in others}
        refused[document.uri] = self.refusals.foreseen(document.key, before, edit)
        outcomes = {**self._by_rule, shown.candidate.rule: self._outcome(shown, "accepted")}
        return [
            State(
                document=after,
                cursor=cursor,
                history=history.past,
                others=tuple(d.snapshot for d in others),
                refused={uri: edits for uri, edits in refused.items() if edits},
                undone=history.undone,
                outcomes=outcomes if self.settings.learning else {},
                taste=self.outcomes.taste(accepted=True),
                diagnostics=still_valid(self.diagnostics.of(document.key), edit),
            )
            for cursor in dict.fromkeys(min(max(cursor, 0), after.length) for cursor in cursors)
        ]

    def _others(self, document: Document) -> list[Document]:
        """The other documents that a prediction may draw on, the most recently used first."""
        return [d for d in reversed(list(self.documents)) if d is not document and self.off(d) is None]

    # Predictions

    def offer(self, offer: Offer, document: Document, asked: tuple[str, str], made: Made) -> str:
        """The id under which a prediction for a document is given to who asked: the document and the face. One that is
        still open and says the same keeps its id."""
        candidate, edit = offer.candidate, offer.edit
        for shown in self._shown.values():
            same = (shown.key, shown.candidate.rule, shown.edit) == (document.key, candidate.rule, edit)
            if shown.event is None and same and (edit or shown.candidate.place == candidate.place):
                shown.asked.add(asked)
                return shown.id
        self._number += 1
        shown = Shown(
            f"p-{self._number}",
            self._number,
            document.key,
            candidate,
            edit,
            edit,
            offer.cursor_after,
            offer.confidence,
            {asked},
            made,
        )
        self._shown[shown.id] = shown
        self.counts.shown += 1
        while len(self._shown) > _REMEMBERED:
            self._shown.popitem(last=False)
        return shown.id

    def supersede(self, asked: tuple[str, str], kept: Sequence[str]) -> None:
        """A newer answer stands where `asked`, best first; what it no longer contains (by id) was passed over."""
        first = self._shown.get(kept[0]) if kept and asked[1] not in _OUT_OF_SIGHT else None
        if first is not None and first.first_at is None:
            first.first_at = self.clock()
        self._answers += 1
        for before, id in enumerate(kept):
            if id in self._shown:
                self._shown[id].stood = self._answers, -before
        for shown in self._shown.values():
            if shown.event is None and asked in shown.asked and shown.id not in kept:
                shown.asked.discard(asked)
                if not shown.asked:
                    self._settle(shown, "ignored")

    def shown(self, id: str) -> Shown | None:
        return self._shown.get(id)

    def being_typed(self, document: Document, cursor: int) -> list[Shown]:
        """What was shown and is being typed on the cursor's line, up to the last key; the latest answer's first, and in its
        order."""
        line = document.snapshot.line_at
        found = [
            shown
            for shown in self._shown.values()
            if shown.at is document.snapshot
            and shown.event is None
            and shown.edit
            and line(shown.edit.changed_span[0]) == line(cursor)
        ]
        return sorted(found, key=lambda shown: shown.stood, reverse=True)

    def standing(self, asked: tuple[str, str], document: Document) -> list[Shown]:
        """What stands where it was asked for, still applies to the document, and is an edit of it; the oldest first."""
        return [
            shown
            for shown in self._shown.values()
            if shown.event is None and shown.edit and asked in shown.asked and shown.key == document.key
        ]

    def refuses(self, document: Document, edit: Edit) -> bool:
        """Whether the edit does what one does that was refused, however either is put."""
        text = document.snapshot.text
        return any(same_result(refused, edit, text) for refused in self.refusals.of(document.key))

    def outcome(
        self, id: str, event: Event, *, accepted_units: int | None = None, shown_ms: float | None = None
    ) -> None:
        """The client says, or a command shows, how a prediction fared. The first word counts, except that "ignored" is
        only inferred: what the person decided, which may be told late, overrules it.

        accepted_units: UTF-16 units of the new text, from its start, that were accepted so far. shown_ms: how long it was
        visible.
        """
        shown = self._shown.get(id)
        if shown is None:
            return
        if shown_ms is not None:
            shown.shown_ms = float(min(max(shown_ms, 0), LONGEST_MS))
        if event == "shown" and shown.first_at is None:
            shown.first_at = self.clock()
        if event == "partiallyAccepted" and shown.event is None:
            shown.share = share_of(shown.candidate.edit, accepted_units)
        if event in ("shown", "partiallyAccepted"):
            return
        if event == shown.event == "accepted" and shown.by_typing:
            shown.by_typing = False  # typed in part, and the rest accepted
            self._tell(shown, event)
        if shown.event is None or (shown.event == "ignored" and event != "ignored"):
            document = self.documents.get(shown.candidate.uri)
            if event == "accepted" and shown.edit and document is not None:
                self.history.mark_accepted(document.snapshot, shown.edit)  # the change is still to come
            self._settle(shown, event)

    def reset_learning(self) -> None:
        self._by_rule.clear()
        self.outcomes.reset()
        self.refusals.clear()
        self.timing.forget()
        self.generation += 1

    def _open_in(self, key: str) -> list[Shown]:
        return [shown for shown in self._shown.values() if shown.key == key and shown.event is None]

    def _settle(self, shown: Shown, event: Event) -> None:
        shown.event = event
        self._tell(shown, event)
        if event == "accepted":
            self.counts.accepted += 1
        elif event == "rejected":
            self.counts.rejected += 1
            # As it was made too: that is how it would be proposed again.
            self.refusals.add(shown.key, [edit for edit in (shown.edit, shown.whole) if edit])
        else:
            return
        self._by_rule[shown.candidate.rule] = self._outcome(shown, event)
        self.timing.outcome(event)
        self.generation += 1

    def _tell(self, shown: Shown, event: Event) -> None:
        """Log how it ended."""
        ended, share = shown.ended(event)
        shown_ms = shown.visible_ms(self.clock())
        self.outcomes.settled(shown.id, shown.number, shown.made, ended, share=share, shown_ms=shown_ms)

    def _catch_up(self) -> None:
        """Before a change: what is known of earlier outcomes by now."""
        if self.outcomes.catch_up(self._text):
            self.generation += 1

    def _text(self, key: str) -> str:
        document = self.documents.with_key(key)
        return "" if document is None else document.snapshot.text

    def _outcome(self, shown: Shown, event: Literal["accepted", "rejected"]) -> RuleOutcomes:
        """The outcomes of its rule, with one more."""
        known = self._by_rule.get(shown.candidate.rule, RuleOutcomes())
        if event == "accepted":
            return RuleOutcomes(known.accepted + 1, known.rejected)
        return RuleOutcomes(known.accepted, known.rejected + 1)

    def _follow(self, document: Document, made: Changed) -> None:
        """Move what is remembered about the text along with a change of it."""
        self.refusals.changed(document.key, made)
        self.diagnostics.changed(document.key, made.edit)
        self.outcomes.changed(document.key, made)
        for shown in self._shown.values():
            if shown.key == document.key:
                if shown.whole is not None:
                    shown.whole = rebase(shown.whole, made.edit)
                if shown.edit:
                    self._follow_shown(shown, shown.edit, made)

    def _follow_shown(self, shown: Shown, edit: Edit, made: Changed) -> None:
        """`edit` is what was left of it before the change."""
        if same_result(edit, made.edit, made.before.text):
            if shown.event is None:
                if not shown.begun:
                    self.history.mark_accepted(made.before, edit)
                shown.by_typing = shown.begun
                self._settle(shown, "accepted")
            if shown.event == "accepted":
                self.outcomes.accepted_edit(shown.id, shown.key, made.before, edit)
            shown.edit = shown.whole = None
            return
        left = advance(edit, made.edit, made.before.text)
        if shown.event is None and not left:
            shown.by_typing = left is not None
            self._settle(shown, "ignored" if left is None else "accepted")
        if left and _size(left) < _size(advance(edit, Edit(), made.before.text) or edit):
            shown.begun = True
            # Whatever is typed instead of it begins by deleting, too.
            if _inserts(made.edit) or not _inserts(left):
                shown.at = made.after
        if left:
            shown.cursor_after = moved_cursor(shown.cursor_after, edit, made.edit, left)
        shown.edit = left or None


def moved_cursor(cursor_after: int, edit: Edit, typed: Edit, left: Edit) -> int:
    """Where the cursor belongs after what is `left` of an edit when something was typed. What was part of the edit does
    not move it: it leads to the same text."""
    elsewhere = typed.growth + left.growth - edit.growth
    return cursor_after + elsewhere if typed.changed_span[0] <= edit.changed_span[0] else cursor_after


def same_result(one: Edit, other: Edit, text: str) -> bool:
    """Whether both edits of `text` lead to the same text. Looks only at the stretch that either touches."""
    if not one or not other:
        return False
    low = min(one.changed_span[0], other.changed_span[0])
    high = max(one.changed_span[1], other.changed_span[1])
    if one.growth != other.growth:
        return False
    return _within(one, text, low, high) == _within(other, text, low, high)


def _inserts(edit: Edit) -> bool:
    return any(r.text for r in edit.replacements)


def _size(edit: Edit) -> int:
    """The characters that it removes and inserts."""
    return sum(r.end - r.start + len(r.text) for r in edit.replacements)


def _within(edit: Edit, text: str, low: int, high: int) -> str:
    out: list[str] = []
    for r in edit.replacements:
        out += (text[low : r.start], r.text)
        low = r.end
    return "".join((*out, text[low:high]))


def _larger(snapshot: Snapshot, limit: int) -> bool:
    """Whether the text is more than `limit` bytes in UTF-8. Encodes it only when the length leaves a doubt."""
    text = snapshot.text
    if len(text) > limit or text.isascii() or len(text) * 4 <= limit:
        return len(text) > limit
    return len(text.encode("utf-8", "surrogatepass")) > limit
