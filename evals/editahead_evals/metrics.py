"""From judged answers to figures. What each figure means is said in `METRICS`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields

from .intervals import Bootstrap, Interval
from .judge import Judgement
from .replay import HUNK_KINDS, HunkKind, Moment

Predictor = str
SERVER: Predictor = "editahead"


@dataclass(slots=True)
class Counts:
    """Sums over moments, of one predictor in one file or in one kind of hunk.

    opportunities: moments with hunks to come. covered: those whose answer made some of them.
    shown, correct, located: edits shown at opportunities, and how many of them were correct, near.
    jumps: opportunities whose first place was near.
    ends: moments after the last hunk. false_ends: edits shown there.
    reversals: edits shown anywhere that undo the person's own.
    """

    opportunities: int = 0
    covered: int = 0
    shown: int = 0
    correct: int = 0
    located: int = 0
    jumps: int = 0
    ends: int = 0
    false_ends: int = 0
    reversals: int = 0

    def add(self, moment: Moment, shown: Judgement | None, jump: bool) -> None:
        """Count one answer; `shown` is None when it was silence."""
        if not moment.is_opportunity:
            self.ends += 1
            self.false_ends += shown is not None
        else:
            self.opportunities += 1
            self.jumps += jump
            if shown is not None:
                self.shown += 1
                self.covered += shown.correct
                self.correct += shown.correct
                self.located += shown.location
        self.reversals += shown is not None and shown.reversal

    @property
    def answers(self) -> int:
        """Edits shown anywhere."""
        return self.shown + self.false_ends


METRICS = {
    "coverage": ("covered", "opportunities"),
    "precision": ("correct", "shown"),
    "location": ("located", "shown"),
    "false end": ("false_ends", "ends"),
    "jump": ("jumps", "opportunities"),
    "reversal": ("reversals", "answers"),
}
"""Each figure as a ratio of two counts."""

KIND_METRICS = {"coverage": METRICS["coverage"], "precision": METRICS["precision"]}


@dataclass(frozen=True, slots=True)
class MomentResult:
    """The server's answer at one moment.

    judgement: None when no edit was shown. silence: the reason that `editahead/nextEdit` gave for showing nothing.
    source, label, confidence: of its first prediction. ms: until the first face had answered.
    """

    opportunity: bool
    judgement: Judgement | None
    jump: bool
    silence: str | None
    source: str | None
    label: str | None
    confidence: float | None
    ms: float


@dataclass(slots=True)
class FileResult:
    """One file's replay: counts by predictor; the server's answers, and its counts by kind of hunk.

    idle_ms, change_ms: of something cheap, asked for before and right after keystrokes taken at intervals.
    accepts, next_hits: of the same file's replay with accepts, see `walk`; nothing is accepted in this one.
    """

    id: str
    language: str
    lines: int
    counts: dict[Predictor, Counts]
    kinds: dict[HunkKind, Counts] = field(default_factory=lambda: {kind: Counts() for kind in HUNK_KINDS})
    moments: list[MomentResult] = field(default_factory=list)
    idle_ms: list[float] = field(default_factory=list)
    change_ms: list[float] = field(default_factory=list)
    accepts: int = 0
    next_hits: int = 0


def count_kinds(kinds: dict[HunkKind, Counts], moment: Moment, shown: Judgement | None) -> None:
    """Count one answer by kind of hunk.

    An opportunity for every kind still to come, covered for every kind made; shown and correct for the kind
    of what was shown.
    """
    made = {moment.remaining[index].kind for index in shown.made} if shown else set()
    for kind in {hunk.kind for hunk in moment.remaining}:
        kinds[kind].opportunities += 1
        kinds[kind].covered += kind in made
    if moment.is_opportunity and shown and shown.kind:
        kinds[shown.kind].shown += 1
        kinds[shown.kind].correct += shown.correct


def figures(
    counts: Sequence[Counts], bootstrap: Bootstrap, metrics: dict[str, tuple[str, str]] = METRICS
) -> dict[str, Interval]:
    """The figures of one predictor, its counts given by file in the order that the bootstrap draws from."""
    return {name: bootstrap.ratio(*_columns(counts, *ratio)) for name, ratio in metrics.items()}


def compare(ours: Sequence[Counts], theirs: Sequence[Counts], bootstrap: Bootstrap) -> dict[str, Interval]:
    """Ours minus theirs, pair by pair: both lists are of the same files in the same order."""
    return {
        name: bootstrap.difference(_columns(ours, *ratio), _columns(theirs, *ratio))
        for name, ratio in METRICS.items()
    }


def total(counts: Iterable[Counts]) -> Counts:
    result = Counts()
    for each in counts:
        for column in fields(Counts):
            setattr(result, column.name, getattr(result, column.name) + getattr(each, column.name))
    return result


def _columns(counts: Sequence[Counts], part: str, whole: str) -> tuple[list[int], list[int]]:
    return [getattr(each, part) for each in counts], [getattr(each, whole) for each in counts]
