"""Values that flow from the predictors through the gate to the server."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

from editahead_prompts.state import EditorState
from editahead_prompts.text.edits import Edit

CandidateSource = Literal["propagation", "completion", "local", "engine", "diagnostic"]

SilenceReason = Literal[
    "no-history",
    "no-candidate",
    "below-threshold",
    "would-revert",
    "no-change",
    "breaks-syntax",
    "refused-before",
    "debounced",
    "stale",
    "unknown-document",
    "excluded",
    "too-large",
    "language-off",
    "engine-unavailable",
    "cancelled",
]
"""Why nothing was shown. The list is closed: it is part of the wire contract."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """An edit somebody might make next.

    uri: of the document it is made in (any open one). edit: over that document's text in the state; empty = only a place.
    place: the offset to go to (the first change). cursor_after: where the cursor belongs after the edit, as an offset in
    the edited text. label: a short phrase for a person ("rename user -> account"). rule: an opaque key of what proposed
    it, stable while the person works, under which outcomes are counted. features: by name, what the gate weighs.
    confidence: the probability that its predictor states, 0..1; None = the gate computes one from the features.
    """

    uri: str
    edit: Edit
    target_offset: int
    cursor_after: int
    source: CandidateSource
    label: str
    rule: str
    features: Mapping[str, float] = field(default_factory=dict)
    confidence: float | None = None

    @property
    def kind(self) -> str:
        """Of what proposed it, such as "rename"; of several that agree, the first. A rule holds code; this is ours."""
        kinds = (name.removeprefix("kind:") for name in self.features if name.startswith("kind:"))
        return next(kinds, self.source)


@dataclass(frozen=True, slots=True)
class GateDecision:
    """What the gate made of a candidate: its probability of being accepted, and why it is not shown (None = shown).

    shipped: the probability before this person's taste was added; None when that is the same.
    """

    candidate: Candidate
    confidence: float
    reason: SilenceReason | None
    shipped: float | None = None


@dataclass(frozen=True, slots=True)
class Silence:
    reason: SilenceReason
    detail: str
    """One sentence for a person."""


@dataclass(frozen=True, slots=True)
class Timings:
    """Milliseconds."""

    predict: float = 0.0
    gate: float = 0.0


@dataclass(frozen=True, slots=True)
class Prediction:
    """The answer to one state: what to show, best first (at most 5), or why nothing is shown."""

    state: EditorState
    shown: tuple[GateDecision, ...]
    silence: Silence | None
    verdicts: tuple[GateDecision, ...] = ()
    timings: Timings = Timings()


class Predictor(Protocol):
    """Proposes candidates for a state. Pure: the same state gives the same candidates, and so do states with equal
    `State.key`: of the cursor it looks at `State.standpoint` only, and at no times or versions.

    `check` is to be called between units of work; it raises `Cancelled` when the work is no longer wanted.
    """

    source: CandidateSource

    def propose(self, state: EditorState, check: Callable[[], None]) -> list[Candidate]: ...
