"""Figures of two arms on one person's days, and how often chance alone makes such a difference."""

from __future__ import annotations

import itertools
import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from editahead_workspace.day_arms import ARMS, Arm, Comparison, arm_of, block_of, utc_date
from editahead_workspace.outcome_log import Outcome, TypedCharacters

from .arms_output import ArmMeasure, ArmsOutput
from .outcome_statistics import summarize

MIN_BLOCKS = 6
"""Blocks below which no difference can be told from chance: of 2^5 draws, two are at least as extreme as the clearest."""
_MAX_EXACT_BLOCKS = 12
_DRAWS = 4096
"""Draws of the arms where there are more blocks; 2^12, as many as all draws of twelve blocks."""
_ROUNDING = 1e-12
_THOUSAND = 1000


@dataclass
class _Day:
    """What a day has."""

    outcomes: list[Outcome] = field(default_factory=list)
    typed: int = 0
    made: int = 0


_Ratio = Callable[[_Day], tuple[float, float]]
"""Returns numerator and denominator of a day."""


def _accepted(day: _Day) -> tuple[float, float]:
    return sum(one.event in ("accepted", "typed") for one in day.outcomes), sum(
        one.seen for one in day.outcomes
    )


def _kept(day: _Day) -> tuple[float, float]:
    known = [(one.size, one.kept_300) for one in day.outcomes if one.kept_300 is not None]
    return sum(size * share for size, share in known), sum(size for size, _ in known)


def _made(day: _Day) -> tuple[float, float]:
    return day.made, day.typed + day.made


def _unwanted(day: _Day) -> tuple[float, float]:
    shown = sum(one.seen and one.event in ("rejected", "ignored") for one in day.outcomes)
    return _THOUSAND * shown, day.typed


_MEASURES: Mapping[str, _Ratio] = {
    "made": _made,
    "accepted": _accepted,
    "kept": _kept,
    "unwanted": _unwanted,
}
"""The measures by name, as `ArmMeasure` says them."""


def compare_arms(
    file: Path,
    outcomes: Sequence[Outcome],
    counted: Sequence[TypedCharacters],
    present: Comparison | None,
) -> ArmsOutput | None:
    """Return the figures of the comparison that the newest outcome belongs to; None where no outcome belongs to any.

    Args:
        file: The log.
        outcomes: The oldest first.
        counted: The characters that were typed and made, by day and language.
        present: The comparison of the present settings, whose values are named where it is the same.
    """
    name = next((one.arm.partition("/")[0] for one in reversed(outcomes) if one.arm), "")
    days = _days_of(name, outcomes, counted)
    if not days:
        return None
    arms: dict[Arm, list[_Day]] = {
        arm: [one for day, one in days.items() if arm_of(name, day) == arm] for arm in ARMS
    }
    blocks = {block_of(day) for day in days}
    is_present = present is not None and present.name == name
    return ArmsOutput(
        file=str(file),
        settings={setting: list(pair) for setting, pair in present.values.items()}
        if present and is_present
        else None,
        first=min(days).isoformat(),
        last=max(days).isoformat(),
        days={arm: len(arms[arm]) for arm in ARMS},
        outcomes={arm: summarize([one for day in arms[arm] for one in day.outcomes]) for arm in ARMS},
        measures={measure: _compare(name, days, ratio) for measure, ratio in _MEASURES.items()},
        blocks_missing=max(MIN_BLOCKS - len(blocks), 0),
    )


def _days_of(name: str, outcomes: Sequence[Outcome], counted: Sequence[TypedCharacters]) -> dict[date, _Day]:
    """Return the days of a comparison: those from its first outcome to its last on which nothing else was shown."""
    labels: dict[date, set[str]] = defaultdict(set)
    days: dict[date, _Day] = defaultdict(_Day)
    for one in outcomes:
        day = utc_date(one.at)
        labels[day].add(one.arm)
        days[day].outcomes.append(one)
    own = [day for day, found in labels.items() if any(label.startswith(f"{name}/") for label in found)]
    if not name or not own:
        return {}
    for count in counted:
        day = date.fromisoformat(count.day)
        days[day].typed += count.typed
        days[day].made += count.made
    return {
        day: days[day]
        for day in sorted(days)
        if min(own) <= day <= max(own) and labels[day] <= {f"{name}/{arm_of(name, day)}"}
    }


def _compare(name: str, days: Mapping[date, _Day], ratio: _Ratio) -> ArmMeasure:
    """Return a measure of both arms, and the share of draws of the arms with a difference at least so large.

    This is Fisher's randomization test: if the arms did the same, each block could as well have had them the other way
    round. The draws are all of them, or, with many blocks, a fixed random choice.
    """
    sums: dict[int, list[float]] = defaultdict(lambda: [0.0] * 4)
    for day, one in days.items():
        at = 2 * ARMS.index(arm_of(name, day))
        for place, value in enumerate(ratio(one)):
            sums[block_of(day)][at + place] += value
    blocks = list(sums.values())
    first, second = (_quotient(map(sum, zip(*blocks, strict=True)), at) for at in (0, 2))
    if first is None or second is None:
        return ArmMeasure(first, second, None)
    observed = abs(second - first) - _ROUNDING
    drawn = [found for found in map(_difference, _draws(blocks)) if found is not None]
    return ArmMeasure(
        round(first, 4), round(second, 4), round(sum(one >= observed for one in drawn) / len(drawn), 4)
    )


def _draws(blocks: Sequence[Sequence[float]]) -> Iterator[list[Sequence[float]]]:
    """Yield the blocks with their arms in other ways round."""
    turned = [(*block[2:], *block[:2]) for block in blocks]
    if len(blocks) <= _MAX_EXACT_BLOCKS:
        yield from (list(draw) for draw in itertools.product(*zip(blocks, turned, strict=True)))
        return
    dice = random.Random(0)  # no secret: the same log gives the same figures
    yield list(blocks)
    for _ in range(_DRAWS - 1):
        yield [dice.choice(pair) for pair in zip(blocks, turned, strict=True)]


def _difference(blocks: Iterable[Sequence[float]]) -> float | None:
    totals = [sum(values) for values in zip(*blocks, strict=True)]
    first, second = _quotient(totals, 0), _quotient(totals, 2)
    return None if first is None or second is None else abs(second - first)


def _quotient(totals: Iterable[float], at: int) -> float | None:
    numerator, denominator = list(totals)[at : at + 2]
    return numerator / denominator if denominator else None
