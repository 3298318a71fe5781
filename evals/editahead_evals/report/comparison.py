"""Two versions measured on the same files: the difference of each figure, drawn pair by pair."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Protocol, TypeVar

from editahead_evals.metrics.bootstrap import Bootstrap, Interval, Statistic
from editahead_evals.metrics.confidence_curve import ConfidenceCurve
from editahead_evals.metrics.metrics import FileResult

from .report import in_order, statistics

LESS_IS_BETTER = {
    "wrong/100",
    "flickered/100",
    "false end",
    "reversal",
    "typing: wrong/100",
    "typing: fresh/100",
    "typing: reversal",
    "calibration error",
}
EQUAL = "coverage at equal precision"
"""With thresholds at which both are as precise as theirs is with the default one: who only shows more, or less, gains
nothing by that."""
THRESHOLD = 0.3
"""The default one."""
NEUTRAL = {"typing: shown/100", "shown/100"}


class HasId(Protocol):
    """The result of one item of an evaluation."""

    @property
    def id(self) -> str: ...


Measured = TypeVar("Measured", bound=HasId)


@dataclass(frozen=True, slots=True)
class Difference:
    """The values of one metric, ours and theirs, and their difference."""

    figure: str
    ours: Interval
    theirs: Interval
    difference: Interval

    @property
    def is_significant(self) -> bool:
        """Return whether 0 lies outside of the 95% interval of the difference."""
        low, high = self.difference.low, self.difference.high
        return low is not None and high is not None and (low > 0 or high < 0)

    @property
    def is_better(self) -> bool:
        """Return whether ours is significantly better."""
        return self._has_sign(-1 if self._is_in(LESS_IS_BETTER) else 1)

    @property
    def is_worse(self) -> bool:
        """Return whether ours is significantly worse."""
        return self._has_sign(1 if self._is_in(LESS_IS_BETTER) else -1)

    def _is_in(self, figures: set[str]) -> bool:
        """Return whether the figure is one of these, or one of these of a surface."""
        return self.figure in figures or self.figure.partition(": ")[2] in figures

    def _has_sign(self, sign: int) -> bool:
        value = self.difference.value
        known = value is not None and self.is_significant and not self._is_in(NEUTRAL)
        return known and sign * (value or 0) > 0


@dataclass(frozen=True)
class Comparison:
    """A comparison with another run; `against` is its commit or its name."""

    against: str
    files: int
    differences: Sequence[Difference]


def compare_files(
    ours: Sequence[FileResult], theirs: Sequence[FileResult], against: str, seed: int
) -> Comparison:
    """Compare two runs over the files that both have."""
    common = {result.id for result in ours} & {result.id for result in theirs}
    ours, theirs = (
        in_order(result for result in results if result.id in common) for results in (ours, theirs)
    )
    mine, other = dict(statistics(ours)), dict(statistics(theirs))
    mine[EQUAL], other[EQUAL] = _equally_precise(ours, theirs)
    return Comparison(against, len(ours), _differences(mine, other, Bootstrap(len(ours), seed)))


def compare_statistics(
    ours: Sequence[Measured],
    theirs: Sequence[Measured],
    statistics_of: Callable[[Sequence[Measured]], dict[str, Statistic]],
    against: str,
    seed: int,
) -> Comparison:
    """Compare two runs over the items that both have, by the statistics of each run."""
    common = {result.id for result in ours} & {result.id for result in theirs}
    mine, other = (
        sorted((result for result in results if result.id in common), key=lambda result: result.id)
        for results in (ours, theirs)
    )
    bootstrap = Bootstrap(len(mine), seed)
    return Comparison(against, len(mine), _differences(statistics_of(mine), statistics_of(other), bootstrap))


def _differences(
    mine: Mapping[str, Statistic], other: Mapping[str, Statistic], bootstrap: Bootstrap
) -> list[Difference]:
    return [
        Difference(
            figure,
            bootstrap.interval(mine[figure]),
            bootstrap.interval(other[figure]),
            bootstrap.difference(mine[figure], other[figure]),
        )
        for figure in mine
    ]


def _equally_precise(ours: Sequence[FileResult], theirs: Sequence[FileResult]) -> tuple[Statistic, Statistic]:
    """Return the coverage of both at the lowest thresholds with the precision of theirs at `THRESHOLD`."""
    mine, other = (ConfidenceCurve([result.answers for result in results]) for results in (ours, theirs))
    (level,) = other.levels([THRESHOLD])
    wanted = level.precision or 1.0
    return mine.coverage_above(mine.threshold_for_precision(wanted)), other.coverage_above(
        other.threshold_for_precision(wanted)
    )


def as_json(comparison: Comparison) -> dict[str, Any]:
    return {
        "commit": comparison.against,
        "files": comparison.files,
        "figures": {
            each.figure: {
                "ours": asdict(each.ours),
                "theirs": asdict(each.theirs),
                "difference": asdict(each.difference),
                "significant": each.is_significant,
            }
            for each in comparison.differences
        },
    }
