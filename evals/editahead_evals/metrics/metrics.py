"""From judged answers to figures. Each figure is a ratio of two counts: see the tables of `Ratio`s."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple, TypeVar

from editahead_evals.data.commit_replay import HUNK_KINDS, Hunk, ReplayMoment

from .bootstrap import Bootstrap, Interval, Statistic, ratio
from .confidence_curve import Answer
from .example_cases import ExampleCase
from .import_metrics import ImportCounts
from .judge import EditJudgement, distance

Predictor = str
SERVER: Predictor = "editahead"

DISTANCES = {"0 to 2 lines": 2, "3 to 10 lines": 10, "11 to 50 lines": 50, "more lines": None}
"""How far from the cursor a change is: groups by name, each with the most lines that belong to it."""


@dataclass(slots=True)
class Counts:
    """The sums over moments of one predictor, in one file or in one kind of hunk.

    Attributes:
        opportunities: moments with remaining hunks.
        covered: opportunities whose answer made some of the hunks.
        shown: edits shown at opportunities.
        correct: correct ones of `shown`.
        located: those of `shown` near a remaining hunk.
        likeness: the likeness of `shown`, summed up.
        kept: kept characters of `shown`.
        changed: changed characters of `shown`.
        jumps: opportunities whose first shown position was near a remaining hunk.
        ends: moments after the last hunk.
        false_ends: edits shown after the last hunk.
        reversals: edits shown anywhere that undo the user's own.
    """

    opportunities: int = 0
    covered: int = 0
    shown: int = 0
    correct: int = 0
    located: int = 0
    likeness: float = 0.0
    kept: int = 0
    changed: int = 0
    jumps: int = 0
    ends: int = 0
    false_ends: int = 0
    reversals: int = 0

    def add(self, moment: ReplayMoment, shown: EditJudgement | None, jump: bool) -> None:
        """Count one answer; `shown` is None for silence."""
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
                self.likeness += shown.likeness
                self.kept += shown.kept
                self.changed += shown.changed
        self.reversals += shown is not None and shown.reversal

    @property
    def answers(self) -> int:
        """The number of edits shown anywhere."""
        return self.shown + self.false_ends


@dataclass(slots=True)
class TypingCounts:
    """The sums over the requests of one predictor in one file while hunks were being typed.

    Attributes:
        keystrokes: all keystrokes of the replay.
        characters: characters typed.
        requests: one at every third keystroke within a hunk.
        shown: edits shown.
        wrong: edits shown that are neither the next typed text nor remaining hunks.
        fresh: wrong edits that were not shown at the request before.
        saved: characters that accepting would have saved.
        begun: edits shown that begin in the cursor's line.
        begun_well: those of `begun` that give the line its final text.
        reversals: wrong edits that undo the user's own.
    """

    keystrokes: int = 0
    characters: int = 0
    requests: int = 0
    shown: int = 0
    wrong: int = 0
    fresh: int = 0
    saved: int = 0
    begun: int = 0
    begun_well: int = 0
    reversals: int = 0


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table: counts, and the figures made of them with their intervals."""

    counts: Any
    figures: dict[str, Interval]


class Ratio(NamedTuple):
    """A metric: one count divided by another, times `per`."""

    part: str
    whole: str
    per: int = 1


METRICS = {
    "coverage": Ratio("covered", "opportunities"),
    "precision": Ratio("correct", "shown"),
    "location": Ratio("located", "shown"),
    "false end": Ratio("false_ends", "ends"),
    "jump": Ratio("jumps", "opportunities"),
    "deltaChrF": Ratio("likeness", "shown"),
    "kept": Ratio("kept", "changed"),
    "reversal": Ratio("reversals", "answers"),
}
GROUP_METRICS = {"coverage": METRICS["coverage"], "precision": METRICS["precision"]}
TYPING_METRICS = {
    "wrong/100": Ratio("wrong", "keystrokes", 100),
    "fresh/100": Ratio("fresh", "keystrokes", 100),
    "shown/100": Ratio("shown", "keystrokes", 100),
    "saved": Ratio("saved", "characters"),
    "first line": Ratio("begun_well", "begun"),
    "reversal": Ratio("reversals", "shown"),
}


@dataclass(frozen=True, slots=True)
class MomentResult:
    """The server's answer at one moment.

    Attributes:
        judgement: None when no edit was shown.
        silence: the reason that `editahead/nextEdit` gave for showing nothing.
        source: of the first prediction.
        label: of the first prediction.
        confidence: of the first prediction.
        ms: time until the first response.
    """

    opportunity: bool
    judgement: EditJudgement | None
    jump: bool
    silence: str | None
    source: str | None
    label: str | None
    confidence: float | None
    ms: float


@dataclass(slots=True)
class FileResult:
    """One file's replays: counts by predictor, and the server's answers and counts by kind of hunk and by distance.

    Attributes:
        idle_ms: latencies of a cheap request before keystrokes taken at intervals.
        change_ms: latencies of a cheap request right after these keystrokes.
        typing: counts of the replay with requests within hunks.
        answers: answers of the replay at eagerness 1, in order.
        candidates: opportunities for which all candidates are known.
        reachable: those of `candidates` with a correct one.
        accepts: accepts in the replay that accepts, see `accepting_replay`.
        next_hits: accepts after which the next answer was in the cache.
        imports: of the shown edits, those that import names.
        cases: the edits shown, as examples, which hold code.
    """

    id: str
    language: str
    lines: int
    counts: dict[Predictor, Counts]
    kinds: dict[str, Counts] = field(default_factory=lambda: {kind: Counts() for kind in HUNK_KINDS})
    distances: dict[str, Counts] = field(default_factory=lambda: {name: Counts() for name in DISTANCES})
    moments: list[MomentResult] = field(default_factory=list)
    idle_ms: list[float] = field(default_factory=list)
    change_ms: list[float] = field(default_factory=list)
    typing: dict[Predictor, TypingCounts] = field(default_factory=dict)
    answers: list[Answer] = field(default_factory=list)
    candidates: int = 0
    reachable: int = 0
    accepts: int = 0
    next_hits: int = 0
    imports: ImportCounts = field(default_factory=ImportCounts)
    cases: list[ExampleCase] = field(default_factory=list, metadata={"json": False})


def count_groups(
    groups: Mapping[str, Counts],
    moment: ReplayMoment,
    shown: EditJudgement | None,
    group_of: Callable[[Hunk], str],
    shown_group: str | None,
) -> None:
    """Count one answer by group of hunk.

    Every remaining group has an opportunity, and every group made is covered. `shown` and `correct` count for
    the group of the shown edit.
    """
    made = {group_of(moment.remaining[index]) for index in shown.made} if shown else set()
    for group in {group_of(hunk) for hunk in moment.remaining}:
        groups[group].opportunities += 1
        groups[group].covered += group in made
    if moment.is_opportunity and shown and shown_group:
        groups[shown_group].shown += 1
        groups[shown_group].correct += shown.correct


def count_kinds(kinds: Mapping[str, Counts], moment: ReplayMoment, shown: EditJudgement | None) -> None:
    count_groups(kinds, moment, shown, lambda hunk: hunk.kind, shown.kind if shown else None)


def count_distances(
    distances: Mapping[str, Counts], moment: ReplayMoment, shown: EditJudgement | None
) -> None:
    here = moment.point[0]
    first = distance_group(shown.distance) if shown and shown.kind else None
    count_groups(distances, moment, shown, lambda hunk: distance_group(distance(hunk, here)), first)


def distance_group(lines: int) -> str:
    return next(name for name, max_lines in DISTANCES.items() if max_lines is None or lines <= max_lines)


def figures(
    counts: Sequence[Any], bootstrap: Bootstrap, metrics: Mapping[str, Ratio] = METRICS
) -> dict[str, Interval]:
    """Return the metrics of one predictor from its counts by file, in the bootstrap's order of files."""
    return {name: bootstrap.interval(statistic(counts, metric)) for name, metric in metrics.items()}


def statistic(counts: Sequence[Any], metric: Ratio) -> Statistic:
    return ratio(
        [getattr(each, metric.part) for each in counts],
        [getattr(each, metric.whole) for each in counts],
        metric.per,
    )


AnyCounts = TypeVar("AnyCounts")
_Result = TypeVar("_Result")


def make_row(
    counts: Sequence[AnyCounts],
    empty: type[AnyCounts],
    bootstrap: Bootstrap,
    metrics: Mapping[str, Ratio] = METRICS,
) -> Row:
    """Return the row of counts by file, in the bootstrap's order of files; `empty` is their dataclass."""
    return Row(total(counts, empty), figures(counts, bootstrap, metrics))


def group_rows(
    results: Sequence[_Result],
    groups: Mapping[str, Callable[[_Result], AnyCounts | None]],
    empty: type[AnyCounts],
    bootstrap: Bootstrap,
    metrics: Mapping[str, Ratio] = METRICS,
) -> dict[str, Row]:
    """Return a row for each group of results, by name.

    Args:
        results: The results in the bootstrap's order.
        groups: A function for each row: it returns the counts of a result, None where it does not belong there.
        empty: The dataclass of the counts.
        bootstrap: The bootstrap over the results.
        metrics: The figures by name.
    """
    return {
        name: make_row([select(each) or empty() for each in results], empty, bootstrap, metrics)
        for name, select in groups.items()
    }


def total(counts: Iterable[AnyCounts], empty: type[AnyCounts]) -> AnyCounts:
    """Return the sum of counts, field by field; `empty` is their dataclass."""
    result = empty()
    for each in counts:
        for column in fields(empty):  # type: ignore[arg-type]  # a dataclass of numbers
            setattr(result, column.name, getattr(result, column.name) + getattr(each, column.name))
    return result
