"""The state: all that a prediction is made from, as one frozen, serialisable value.

Stored with a prediction, a state can be replayed, scored, or turned into training data.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from .text.edits import Edit
from .text.snapshot import Snapshot

Origin = Literal["typed", "accepted"]


@dataclass(frozen=True, slots=True)
class PastEdit:
    """One coalesced edit that a person made (or took over by accepting a prediction).

    It covers whole lines: `old` lines became `new` lines (each with its line end, as in `Snapshot.lines`; either may be
    empty: an insertion or a deletion of lines). A line is never in both at the same end: common first and last lines are
    trimmed off. `line` is where `new` begins (for a deletion: where the lines were) in the document's text *now*, 0-based:
    the history moves it along when later edits shift it. `at` is when it last grew, in the clock's seconds. `open` is
    true for the edit that the next keystroke may still join (at most one, always the last).
    """

    uri: str
    line: int
    old: tuple[str, ...]
    new: tuple[str, ...]
    at: float = 0.0
    origin: Origin = "typed"
    open: bool = False


@dataclass(frozen=True, slots=True)
class RuleOutcomes:
    """How often predictions of one rule were accepted and explicitly rejected in this session."""

    accepted: int = 0
    rejected: int = 0


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """What a language server or a linter says of the text between two offsets of the document.

    code: as its source writes it (`reportUndefinedVariable`, `F401`, `2304`); "" when it gives none.
    """

    start: int
    end: int
    message: str
    code: str = ""


@dataclass(frozen=True, slots=True)
class UserPreferences:
    """A person's preferences: `editahead_inference.gate.personalization` learns them and corrects the gate by them.

    weights: log-odds by the name of a feature, sorted by name. trust: the weight of the corrected probability beside the
    shipped one, 0..1. recent: how the last predictions of this session fared, from -1 (refused) to 1 (accepted).
    """

    weights: tuple[tuple[str, float], ...] = ()
    trust: float = 0.0
    recent: float = 0.0


@dataclass(frozen=True)
class EditorState:
    """What is known when a prediction is asked for.

    document, cursor: the snapshot in front of the person, and the offset of the cursor in it (code points).
    history: what the person did, oldest first, over all documents.
    others: the other open documents, most recently used first.
    refused: by uri, edits that were shown and rejected, rebased to that document's present text.
    undone: what the person took back (undo), newest last; it is not to be proposed again.
    outcomes: by `Candidate.rule`, how its predictions fared in this session.
    taste: what is known of the person from before; None when nothing is to be learned.
    diagnostics: what others say of the document, as far as the client told; those that the typing overtook are left out.
    proposed: edits of the document that rules propose, likeliest first; for prompts that show them, once the rules have
    answered. They follow from the rest, so that they are not in the key.
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

    def snapshot(self, uri: str) -> Snapshot | None:
        """The open document with this uri, if there is one."""
        if uri == self.document.uri:
            return self.document
        return next((other for other in self.other_documents if other.uri == uri), None)

    @cached_property
    def cache_key(self) -> Hashable:
        """Equal for states that lead to the same prediction: versions and times are left out, and of the cursor all but
        its `standpoint`."""
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
        )

    @property
    def cursor_context(self) -> tuple[str, int]:
        """As much of the cursor as predictors look at: its line; its exact place where typing may go on, on the lines
        of the edit that is still open."""
        line = self.document.line_at(self.cursor)
        last = self.history[-1] if self.history else None
        if last is None or not last.open or last.uri != self.document.uri:
            return "line", line
        open_here = last.line <= line < last.line + max(len(last.new), 1)
        return ("offset", self.cursor) if open_here else ("line", line)


def _content(edits: Iterable[PastEdit]) -> Hashable:
    """Without the times."""
    return tuple((e.uri, e.line, e.old, e.new, e.origin, e.open) for e in edits)
