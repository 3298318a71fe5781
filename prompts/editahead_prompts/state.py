"""The editor state: the complete input of a prediction, as one frozen, serialisable value.

Stored with a prediction, a state can be replayed, scored, or turned into training data.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

from .symbol_evidence import SymbolEvidence
from .text.edits import Edit
from .text.snapshot import Snapshot

Origin = Literal["typed", "accepted"]
RelatedKind = Literal["definition", "similar", "copied"]


@dataclass(frozen=True, slots=True)
class PastEdit:
    """A coalesced edit of whole lines, typed or made by accepting a prediction.

    Attributes:
        uri: The document's URI.
        line: The 0-based line of the present text at which `new` begins, or at which lines were deleted. The history
            updates the number when later edits shift the line.
        old: The lines before the edit, with their line ends; empty for an insertion of lines. First and last lines
            that `old` and `new` have in common are trimmed off.
        new: The lines after the edit, with their line ends; empty for a deletion of lines.
        at: The time of the last change of this edit, in seconds of the caller's clock.
        origin: How the edit was made.
        open: Whether the next keystroke may still join the edit. True for the last one at most, and with several cursors for
            those that the same keys changed, at the end of the history.
        erases: Whether its last change took one character away, as who corrects a word key by key does.
    """

    uri: str
    line: int
    old: tuple[str, ...]
    new: tuple[str, ...]
    at: float = 0.0
    origin: Origin = "typed"
    open: bool = False
    erases: bool = False


@dataclass(frozen=True, slots=True)
class MovedFile:
    """A file or folder that got another path, as two URIs."""

    old: str
    new: str


@dataclass(frozen=True, slots=True)
class RuleOutcomes:
    """The counts of accepted and explicitly rejected predictions of one rule in this session."""

    accepted: int = 0
    rejected: int = 0


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A message of a language server or a linter about the text between two offsets of the document.

    Attributes:
        code: The code as its source writes it (`reportUndefinedVariable`, `F401`, `2304`); "" without one.
    """

    start: int
    end: int
    message: str
    code: str = ""


@dataclass(frozen=True, slots=True)
class UserPreferences:
    """The learned preferences of a user, by which `editahead_inference.gate.personalization` corrects the gate.

    Attributes:
        weights: Log-odds by the name of a feature, sorted by name.
        trust: The weight of the corrected probability against the shipped one, 0..1.
        recent: The outcomes of the last predictions of this session, from -1 (rejected) to 1 (accepted).
    """

    weights: tuple[tuple[str, float], ...] = ()
    trust: float = 0.0
    recent: float = 0.0


@dataclass(frozen=True, slots=True)
class RelatedCode:
    """A piece of a file that tells a model something about the code at the cursor.

    Attributes:
        uri: The file.
        line: The 0-based first line.
        text: The lines, with their line ends.
        kind: The definition of a name near the cursor, code that is similar to the code there, or lines that were copied.
        score: How much the piece tells, from 0 to 1.
    """

    uri: str
    line: int
    text: str
    kind: RelatedKind
    score: float


@dataclass(frozen=True)
class EditorState:
    """The input of a prediction.

    Attributes:
        document: The snapshot of the document that is being edited.
        cursor: The offset of the cursor in the document, in code points.
        history: Past edits of all documents, oldest first.
        other_documents: The other open documents, most recently used first.
        rejected: Edits that were shown and rejected, by URI, rebased to that document's present text.
        undone: Edits that the user undid, newest last. Predictors do not propose them again.
        outcomes: Accepted and rejected predictions in this session, by `Candidate.rule`.
        taste: Preferences learned in earlier sessions; None when learning is off.
        diagnostics: Diagnostics of the document that the client sent, without those made outdated by typing.
        proposed: Edits of the document proposed by rules, likeliest first, for prompts that show them. They follow
            from the other fields, so they are not part of `cache_key`.
        closed_documents: Files that are not open, as they are on disk, in which the last edits may go on. They follow from
            the history and the index, so `index_version` represents them in `cache_key`.
        import_sources: Files that are not open, and that define or import names that the last edits lack.
        index_version: A number that changes with the index of the workspace; 0 without one.
        moved_files: Files and folders that got another path, the oldest first.
        related_code: Pieces of files, for prompts: what the user has copied, the newest first, and behind it pieces of files
            that are not open, the most telling first. Those follow from the other fields and the index.
        evidence: What other language servers say of symbols that were edited since.
    """

    document: Snapshot
    cursor: int
    history: tuple[PastEdit, ...] = ()
    other_documents: tuple[Snapshot, ...] = ()
    rejected: Mapping[str, tuple[Edit, ...]] = field(default_factory=dict)
    undone: tuple[PastEdit, ...] = ()
    outcomes: Mapping[str, RuleOutcomes] = field(default_factory=dict)
    taste: UserPreferences | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    proposed: tuple[Edit, ...] = ()
    closed_documents: tuple[Snapshot, ...] = ()
    import_sources: tuple[Snapshot, ...] = ()
    index_version: int = 0
    moved_files: tuple[MovedFile, ...] = ()
    related_code: tuple[RelatedCode, ...] = ()
    evidence: tuple[SymbolEvidence, ...] = ()

    def snapshot(self, uri: str) -> Snapshot | None:
        """Return the document with this URI that an edit can be for, open or closed; None without one."""
        documents = (self.document, *self.other_documents, *self.closed_documents)
        return next((document for document in documents if document.uri == uri), None)

    def is_open(self, uri: str) -> bool:
        """Return whether the document with this URI is open."""
        return any(document.uri == uri for document in (self.document, *self.other_documents))

    def after_pause(self) -> EditorState:
        """Return the state once the user has paused: the last edit is finished, as after the cursor has left it."""
        return replace(self, history=tuple(replace(e, open=False) if e.open else e for e in self.history))

    @cached_property
    def cache_key(self) -> Hashable:
        """A key that is equal for states with the same prediction.

        The key has no versions and times, and only the `cursor_context` of the cursor.
        """
        return (
            self.document.fingerprint,
            self.cursor_context,
            _content(self.history),
            _content(self.undone),
            tuple(other.fingerprint for other in self.other_documents),
            frozenset((uri, edits) for uri, edits in self.rejected.items() if edits),
            frozenset(self.outcomes.items()),
            self.taste,
            self.diagnostics,
            self.index_version,
            self.moved_files,
            self.evidence,
        )

    @property
    def cursor_context(self) -> tuple[str, int]:
        """The part of the cursor that predictors use: its offset on lines of the open edit, else only its line."""
        line = self.document.line_at(self.cursor)
        last = self.history[-1] if self.history else None
        if last is None or not last.open or last.uri != self.document.uri:
            return "line", line
        open_here = last.line <= line < last.line + max(len(last.new), 1)
        return ("offset", self.cursor) if open_here else ("line", line)


def with_edit_at_cursor_last(history: tuple[PastEdit, ...], uri: str, line: int) -> tuple[PastEdit, ...]:
    """Return the history so that of the edits of several cursors the one at the line of a document's cursor is the last."""
    here = [
        edit for edit in history if edit.open and edit.uri == uri and 0 <= line - edit.line < len(edit.new)
    ]
    if not here or here[-1] is history[-1]:
        return history
    return (*(edit for edit in history if edit is not here[-1]), here[-1])


def without_other_cursors(state: EditorState) -> EditorState:
    """Return the state without what the same keys typed at other cursors: the same half of a word, which says nothing."""
    document = state.document
    others = [e for e in state.history[:-1] if e.open and e.uri == document.uri and len(e.old) == len(e.new)]
    if not others:
        return state
    lines = list(document.lines)
    for edit in others:
        lines[edit.line : edit.line + len(edit.new)] = edit.old
    before = Snapshot(document.uri, document.language, document.version, tuple(lines))
    line = document.line_at(state.cursor)
    cursor = before.starts[line] + state.cursor - document.starts[line]
    history = tuple(edit for edit in state.history if edit not in others)
    return replace(state, document=before, cursor=cursor, history=history)


def _content(edits: Iterable[PastEdit]) -> Hashable:
    """Return a hashable value of the edits without their times."""
    return tuple((e.uri, e.line, e.old, e.new, e.origin, e.open, e.erases) for e in edits)
