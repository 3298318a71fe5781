"""The values that flow from the predictors through the gate to the server."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol, runtime_checkable

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
    "on-demand",
]
"""Why nothing was shown. The list is closed: it is part of the wire contract."""

NEXT_TOKENS = "next-tokens"
"""The kind of a candidate that goes on with what is being typed."""
CLOSED = "closed"
"""The feature of a candidate whose document is a file that is not open."""
WITNESSED, UNWITNESSED = "witnessed", "unwitnessed"
"""The features of a candidate at a place that another language server names, and at one that it should name and does not."""
SAID = "said"
"""The feature of a next edit that a model was asked about: the log-probability of the whole answer that makes it."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """An edit that the user may make next.

    Attributes:
        uri: The document of the edit: an open one, or a closed file of the state.
        edit: The edit of that document's text in the state; empty = only a place to go to.
        target_offset: The offset to go to: the first change.
        cursor_after: The offset of the cursor after the edit, in the edited text.
        source: The predictor.
        label: A short phrase for the user, such as "rename user -> account".
        rule: A key of the proposing rule, stable during a session. Outcomes are counted by it.
        features: The values that the gate weighs, by name.
        confidence: The probability that the predictor states, 0..1; None = the gate computes one from the features.
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
        """The kind of the rule, such as "rename"; of several rules, the first. Unlike `rule`, it never holds code."""
        kinds = (name.removeprefix("kind:") for name in self.features if name.startswith("kind:"))
        return next(kinds, self.source)

    @property
    def is_next_tokens(self) -> bool:
        """Whether this completes the token under the cursor; otherwise it is a next edit."""
        return self.kind == NEXT_TOKENS


@dataclass(frozen=True, slots=True)
class GateDecision:
    """The gate's decision on a candidate.

    Attributes:
        candidate: The candidate.
        confidence: The probability that the user accepts it.
        reason: Why it is not shown; None = it is shown.
        shipped: The probability before the user's preferences; None = the same.
        threshold: The confidence above which it is shown.
    """

    candidate: Candidate
    confidence: float
    reason: SilenceReason | None
    shipped: float | None = None
    threshold: float = 0.0


@dataclass(frozen=True, slots=True)
class Silence:
    reason: SilenceReason
    detail: str
    """One sentence for the user."""


@dataclass(frozen=True, slots=True)
class Timings:
    """The time that each stage took, in milliseconds."""

    predict: float = 0.0
    gate: float = 0.0


@dataclass(frozen=True, slots=True)
class Prediction:
    """The answer to a state: what to show, best first (at most 5), or why nothing is shown.

    Attributes:
        is_partial: Whether some closed files were left for a pause.
    """

    state: EditorState
    shown: tuple[GateDecision, ...]
    silence: Silence | None
    decisions: tuple[GateDecision, ...] = ()
    timings: Timings = Timings()
    is_partial: bool = False


class Predictor(Protocol):
    """A source of candidates.

    It is pure: states with equal `EditorState.key` give the same candidates. So it uses `EditorState.cursor_context`
    instead of the cursor, and neither times nor versions. It calls `check` between units of work; `check` raises
    `Cancelled` if the result is no longer wanted.
    """

    source: CandidateSource

    def propose(self, state: EditorState, check: Callable[[], None]) -> list[Candidate]: ...


@runtime_checkable
class DocumentCache(Protocol):
    """What caches something of each document."""

    def forget(self, uri: str) -> None:
        """Drop what is cached of a closed document."""
