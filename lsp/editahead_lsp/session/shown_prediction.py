"""The life of one shown prediction, from the first answer that has it to its outcome.

TRANSITIONS draws that life. A pair that the table does not have is ignored.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import Literal

from editahead_inference.candidates import Candidate
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot
from editahead_workspace import outcome_log

from .outcome_tracker import PredictionContext

Decision = Literal["accepted", "rejected"]
Requester = tuple[str, str]
"""The key of the document that a request is for, and the surface that sent the request."""


class ShownState(Enum):
    """A state in the life of a shown prediction."""

    OPEN = auto()
    PART_TYPED = auto()
    TYPED = auto()
    """Accepted by typing, as far as is known: the client may still report that the rest was accepted."""
    ACCEPTED = auto()
    REJECTED = auto()
    IGNORED = auto()
    """Only inferred: a decision of the person that the client reports late overrules it."""


class ShownEvent(Enum):
    """An event in the life of a shown prediction. The first four are changes of its document."""

    PART_MADE = auto()
    """A change made part of what is left of the edit."""
    EDIT_MADE = auto()
    """A change did exactly what is left of the edit."""
    ALL_TYPED = auto()
    """A change did what is left of the edit, and something else."""
    OVERTAKEN = auto()
    """A change touched the place of the edit, and did something else there."""
    ACCEPT = auto()
    PARTLY_ACCEPT = auto()
    REJECT = auto()
    IGNORE = auto()
    """The client reports it, no answer shows the prediction any longer, or its document or the client is gone."""


TRANSITIONS: dict[tuple[ShownState, ShownEvent], ShownState] = {
    (ShownState.OPEN, ShownEvent.PART_MADE): ShownState.PART_TYPED,
    (ShownState.OPEN, ShownEvent.EDIT_MADE): ShownState.ACCEPTED,
    (ShownState.OPEN, ShownEvent.ALL_TYPED): ShownState.TYPED,
    (ShownState.OPEN, ShownEvent.OVERTAKEN): ShownState.IGNORED,
    (ShownState.OPEN, ShownEvent.ACCEPT): ShownState.ACCEPTED,
    (ShownState.OPEN, ShownEvent.PARTLY_ACCEPT): ShownState.OPEN,
    (ShownState.OPEN, ShownEvent.REJECT): ShownState.REJECTED,
    (ShownState.OPEN, ShownEvent.IGNORE): ShownState.IGNORED,
    (ShownState.PART_TYPED, ShownEvent.PART_MADE): ShownState.PART_TYPED,
    (ShownState.PART_TYPED, ShownEvent.EDIT_MADE): ShownState.TYPED,
    (ShownState.PART_TYPED, ShownEvent.ALL_TYPED): ShownState.TYPED,
    (ShownState.PART_TYPED, ShownEvent.OVERTAKEN): ShownState.IGNORED,
    (ShownState.PART_TYPED, ShownEvent.ACCEPT): ShownState.ACCEPTED,
    (ShownState.PART_TYPED, ShownEvent.PARTLY_ACCEPT): ShownState.PART_TYPED,
    (ShownState.PART_TYPED, ShownEvent.REJECT): ShownState.REJECTED,
    (ShownState.PART_TYPED, ShownEvent.IGNORE): ShownState.IGNORED,
    (ShownState.TYPED, ShownEvent.ACCEPT): ShownState.ACCEPTED,
    (ShownState.ACCEPTED, ShownEvent.EDIT_MADE): ShownState.ACCEPTED,
    (ShownState.IGNORED, ShownEvent.ACCEPT): ShownState.ACCEPTED,
    (ShownState.IGNORED, ShownEvent.REJECT): ShownState.REJECTED,
}
"""The next state. Entering TYPED, ACCEPTED, REJECTED or IGNORED from another state writes the outcome to the log."""

_OPEN = frozenset([ShownState.OPEN, ShownState.PART_TYPED])
DECISIONS: dict[ShownState, Decision] = {
    ShownState.TYPED: "accepted",
    ShownState.ACCEPTED: "accepted",
    ShownState.REJECTED: "rejected",
}
"""The states that a decision of the person leads to."""


@dataclass
class ShownPrediction:
    """A prediction that a client was given, and its life so far.

    Attributes:
        number: The number in the id.
        key: The key of the document that the prediction is in.
        edit: What is left of the edit, over the document's present text. Empty for a mere place, None once the edit no
            longer applies.
        full_edit: The edit as it was first shown, over the present text. None once its place was changed.
        cursor_after: An offset in the text after what is left.
        requesters: The requesters whose latest answers show the prediction.
        typed_snapshot: The snapshot after the last keystroke that was part of the edit.
        first_at: The session's time in seconds at which the prediction first was the best of an answer.
        shown_ms: The milliseconds for which it was visible, as the client reports.
        share: The fraction of the new text that was accepted, as the client reports.
        ignored: The edits elsewhere that the person began while the prediction was shown, under whatever id.
        last_rank: The number of the last answer with the prediction, and minus its rank there.
    """

    id: str
    number: int
    key: str
    candidate: Candidate
    edit: Edit | None
    full_edit: Edit | None
    cursor_after: int
    confidence: float
    requesters: set[Requester]
    context: PredictionContext
    state: ShownState = ShownState.OPEN
    typed_snapshot: Snapshot | None = None
    first_at: float | None = None
    shown_ms: float | None = None
    share: float | None = None
    ignored: int = 0
    last_rank: tuple[int, int] = (0, 0)

    @property
    def is_open(self) -> bool:
        """Return whether no outcome is known yet."""
        return self.state in _OPEN

    def logged_event(self) -> tuple[outcome_log.LoggedEvent, float | None]:
        """Return the outcome for the log, and the fraction that was accepted of an ignored prediction."""
        if self.state is ShownState.IGNORED:
            return ("partial", self.share) if self.share else ("ignored", None)
        return ("typed" if self.state is ShownState.TYPED else DECISIONS[self.state]), None

    def visible_ms(self, now: float) -> float | None:
        """Return the milliseconds for which it could be read; None when it was never the best of an answer.

        Args:
            now: The session's time in seconds.
        """
        if self.shown_ms is None and self.first_at is not None:
            return 1000 * (now - self.first_at)
        return self.shown_ms
