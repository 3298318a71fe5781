"""A prediction that a client was given, and what has become of it so far."""

from __future__ import annotations

from dataclasses import dataclass

from editahead_inference.candidates import Candidate
from editahead_prompts.edits import Edit
from editahead_prompts.snapshot import Snapshot

from . import outcome_log
from .outcomes import Made
from .protocol import Event

LONGEST_MS = 1e9
"""A client that tells more is taken for that."""


@dataclass
class Shown:
    """A prediction that a client was given.

    number: the id's. key: of the document that it is in. asked: of the document it was asked for, and by which faces.
    made: what was known of it then.
    edit: what is left of it in the document's present text; empty for a mere place, None once it no longer applies.
    whole: the edit as it was made, over the present text; None once its place was changed.
    cursor_after: for the text after what is left. begun: whether part of it has been typed; at: the snapshot up to which
    the last change was part of it. event: how it ended, None while it is open. by_typing: whether it was accepted by typing
    it. first_at: when it first stood first, on the session's clock; shown_ms: for how long it was visible, as the client
    told. share: of its new text that the client said was accepted. stood: the last answer that had it, by number, and minus
    how many were before it there.
    """

    id: str
    number: int
    key: str
    candidate: Candidate
    edit: Edit | None
    whole: Edit | None
    cursor_after: int
    confidence: float
    asked: set[tuple[str, str]]
    made: Made
    begun: bool = False
    at: Snapshot | None = None
    event: Event | None = None
    by_typing: bool = False
    first_at: float | None = None
    shown_ms: float | None = None
    share: float | None = None
    stood: tuple[int, int] = (0, 0)

    def ended(self, event: Event) -> tuple[outcome_log.Event, float | None]:
        """How it ended, for the log; and of one that was accepted in part, the share."""
        if event == "accepted":
            return ("typed" if self.by_typing else "accepted"), None
        if event == "ignored":
            return ("partial", self.share) if self.share else ("ignored", None)
        return "rejected", None

    def visible_ms(self, now: float) -> float | None:
        """For how long it could be read; None when it never stood first. now: on the session's clock."""
        if self.shown_ms is None and self.first_at is not None:
            return 1000 * (now - self.first_at)
        return self.shown_ms


def share_of(edit: Edit, units: int | None) -> float:
    """How much of the new text so many UTF-16 units are; 0 when that is not known."""
    whole = sum(len(r.text.encode("utf-16-le", "surrogatepass")) // 2 for r in edit.replacements)
    return min(max(units or 0, 0), whole) / whole if whole else 0.0
