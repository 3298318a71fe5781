"""Two versions measured on the same files: the difference of each figure, drawn pair by pair."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from editahead_evals.metrics.bootstrap import Bootstrap, Interval, Statistic

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
NEUTRAL = {"typing: shown/100", "shown/100"}


class HasId(Protocol):
    """The result of one item of an evaluation."""

    @property
    def id(self) -> str: ...


Item = TypeVar("Item", bound=HasId)


@dataclass(frozen=True, slots=True)
class Difference:
    """The values of one metric, ours and theirs, and their difference.

    Attributes:
        significant: Whether 0 lies outside of the 95% interval of the difference.
    """

    figure: str = field(metadata={"json": False})
    ours: Interval
    theirs: Interval
    difference: Interval
    significant: bool

    @classmethod
    def of(cls, figure: str, ours: Statistic, theirs: Statistic, bootstrap: Bootstrap) -> Difference:
        difference = bootstrap.difference(ours, theirs)
        low, high = difference.low, difference.high
        significant = low is not None and high is not None and (low > 0 or high < 0)
        return cls(figure, bootstrap.interval(ours), bootstrap.interval(theirs), difference, significant)

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
        known = value is not None and self.significant and not self._is_in(NEUTRAL)
        return known and sign * (value or 0) > 0


@dataclass(frozen=True)
class Comparison:
    """A comparison with another run; `commit` is its commit or its name, `files` how many items both have."""

    commit: str
    files: int
    figures: Mapping[str, Difference]


def compare_results(
    ours: Sequence[Item],
    theirs: Sequence[Item],
    statistics_of: Callable[[Sequence[Item]], dict[str, Statistic]],
    against: str,
    seed: int,
    of_both: Callable[[Sequence[Item], Sequence[Item]], dict[str, tuple[Statistic, Statistic]]] | None = None,
) -> Comparison:
    """Compare two runs over the items that both have.

    Args:
        ours: The results of one run.
        theirs: Those of the other.
        statistics_of: Returns the statistics of a run.
        against: The commit or the name of the other.
        seed: The seed of the bootstrap.
        of_both: Returns further statistics, of which each needs both runs.
    """
    common = {result.id for result in ours} & {result.id for result in theirs}
    mine, other = (
        in_order(result for result in results if result.id in common) for results in (ours, theirs)
    )
    bootstrap = Bootstrap(len(mine), seed)
    known, others = statistics_of(mine), statistics_of(other)
    pairs = {figure: (known[figure], others[figure]) for figure in known}
    pairs |= of_both(mine, other) if of_both is not None else {}
    figures = {figure: Difference.of(figure, *pair, bootstrap) for figure, pair in pairs.items()}
    return Comparison(against, len(mine), figures)


def in_order(results: Iterable[Item]) -> list[Item]:
    return sorted(results, key=lambda result: result.id)
