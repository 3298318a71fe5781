"""Fits the weights of the evidence about readings (`editahead-lab train evidence`) to sketches of commits.

A conditional logit: the weights make the readings that are the commit's text likely among all readings of a sketch, where
none of them may be right. A forest then tells how certain the likeliest one is. The share of wrong ones among readings
above a certainty is counted on sketches of other repositories than those fitted to.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy
from scipy.optimize import minimize

from editahead_evals.data.edit_records import read_records
from editahead_inference.apply.merge.attempts import end_last_line
from editahead_inference.apply.merge.evidence import NONE, PATH
from editahead_inference.apply.merge.merge import collect_readings, plausible_readings
from editahead_inference.apply.merge.prepared_part import try_all
from editahead_inference.apply.merge.readings import PlausibleReading
from editahead_prompts.sketches.sketch import Snippet

from .fit_certainty import fit_certainty, judge_certainty, ordered, write_forest
from .prepared_sketches import PreparedSketch, prepared_sketches, written_sketches

_PRECISION = 1.0
"""Of the prior, around 0, of each weight of a standardised row."""
_STEPS = 500
_SMALLEST = 0.01
_LEVELS = (0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995)
"""Likelihoods from which readings are counted."""

Array = numpy.ndarray[Any, numpy.dtype[numpy.float64]]


@dataclass(frozen=True)
class JudgedReadings:
    """The readings of one sketch.

    Attributes:
        rows: The evidence about each.
        right: Whether each is a right text, but for blank lines.
        exact: Whether each is exactly a right text.
        is_settled: A rule is certain of one of them.
    """

    rows: tuple[Mapping[str, float], ...]
    right: tuple[bool, ...]
    exact: tuple[bool, ...] = ()
    is_settled: bool = False


@dataclass(frozen=True)
class EvidenceSettings:
    """What is fitted to.

    Attributes:
        sketches: Sketches made of each file of edits.
        seed: The seed of their choice.
        cases: The folder of written cases; None without them.
        case_weight: What a written case counts beside a sketch of a commit in the forest.
    """

    sketches: int = 2000
    seed: int = 5
    cases: Path | None = None
    case_weight: float = 8.0


def train(edits: Sequence[Path], judged: Path, out: Path, settings: EvidenceSettings) -> dict[str, Any]:
    """Fit the weights and the forest, write them to files, and return the figures on edits that nothing was fitted to.

    Args:
        edits: Files of edits.
        judged: Another file of edits.
        out: The file of the weights; that of the forest is `certainty.json.z` beside it.
        settings: What is fitted to.
    """
    found = [each for path in edits for each in judged_readings(path, settings.sketches, settings.seed)]
    written = [] if settings.cases is None else list(map(_judge_readings, written_sketches(settings.cases)))
    weights = fit(found)
    out.write_text(json.dumps(weights, indent=1) + "\n", encoding="utf-8")
    forest = fit_certainty(found, written, fit, settings.case_weight)
    write_forest(forest, out.with_name("certainty.json.z"))
    held_out = list(judged_readings(judged, settings.sketches // 2, settings.seed))
    return {
        "fitted on": [path.name for path in edits],
        "sketches": len(found),
        "written cases": len(written),
        "figures": {**judge(held_out, weights), **judge_certainty(held_out, forest, weights)},
    }


def judged_readings(path: Path, sketches: int, seed: int) -> Iterator[JudgedReadings]:
    """Yield the readings of sketches of commits."""
    for sketch in prepared_sketches(list(read_records(path)), sketches, seed, with_refusals=True):
        yield _judge_readings(sketch)


def _judge_readings(sketch: PreparedSketch) -> JudgedReadings:
    attempts = try_all(sketch.prepared, sketch.target, None)
    placed = list(plausible_readings(attempts, sketch.target))
    part = attempts[-1].part
    assert isinstance(part.content, Snippet)
    readings, evidence = collect_readings(placed, part, part.content, sketch.target)
    return JudgedReadings(
        tuple(evidence.rows(each.splices, each.source) for each in readings),
        tuple(sketch.accepts(each.splices) for each in readings),
        tuple(_is_exact(each, sketch) for each in readings),
        any(each.result.refusal is None for each in attempts),
    )


def _is_exact(reading: PlausibleReading, sketch: PreparedSketch) -> bool:
    _, text = end_last_line(sketch.prepared.shown, sketch.target, reading.edit, reading.guess)
    return text in sketch.accepted


def fit(found: Sequence[JudgedReadings]) -> dict[str, float]:
    """Return the weights by name, with that of none of the readings being right."""
    groups = [each for each in found if each.rows]
    names = sorted(
        {name for each in groups for rows in each.rows for name in rows if not name.startswith(PATH)}
    )
    table = numpy.array([[rows.get(name, 0.0) for name in names] for each in groups for rows in each.rows])
    right = numpy.array([right for each in groups for right in each.right], dtype=float)
    starts = numpy.cumsum([0, *(len(each.rows) for each in groups)])[:-1]
    spread = table.std(axis=0)
    spread[spread < 1e-6] = 1.0
    loss = _Loss(table / spread, right, starts)
    best = minimize(
        loss, numpy.zeros(len(names) + 1), jac=True, method="L-BFGS-B", options={"maxiter": _STEPS}
    ).x
    weights = {name: round(float(weight), 4) for name, weight in zip(names, best[:-1] / spread, strict=True)}
    return {
        NONE: round(float(best[-1]), 4),
        **{name: weight for name, weight in weights.items() if abs(weight) >= _SMALLEST},
    }


class _Loss:
    """The negative logarithm of the likelihood of the right readings, and its gradient.

    Args:
        table: Rows of all readings, those of one sketch in a row.
        right: 1 for right readings.
        starts: The first reading of each sketch.
    """

    def __init__(self, table: Array, right: Array, starts: Any) -> None:
        self._table, self._right, self._starts = table, right, starts
        self._sizes = numpy.diff([*starts, len(right)])
        self._has_right = numpy.add.reduceat(right, starts) > 0

    def __call__(self, weights: Array) -> tuple[float, Array]:
        scores, none = self._table @ weights[:-1], weights[-1]
        best = numpy.maximum(numpy.maximum.reduceat(scores, self._starts), none)
        odds = numpy.exp(scores - numpy.repeat(best, self._sizes))
        nothing = numpy.exp(none - best)
        total = numpy.add.reduceat(odds, self._starts) + nothing
        meant = numpy.add.reduceat(odds * self._right, self._starts)
        meant = numpy.maximum(numpy.where(self._has_right, meant, nothing), 1e-300)
        shares = odds / numpy.repeat(total, self._sizes)
        shares -= odds * self._right / numpy.repeat(numpy.where(self._has_right, meant, 1.0), self._sizes)
        slope = numpy.append(
            self._table.T @ shares + 2 * _PRECISION * weights[:-1],
            (nothing / total - numpy.where(self._has_right, 0.0, 1.0)).sum(),
        )
        penalty = _PRECISION * float(weights[:-1] @ weights[:-1])
        return float(-numpy.log(meant / total).sum()) + penalty, slope


def judge(found: Sequence[JudgedReadings], weights: Mapping[str, float]) -> dict[str, Any]:
    """Return how often the first and one of the first three readings is right, and how many are, above some likelihoods."""
    ranked = [_ranked(each, weights) for each in found]
    count = max(len(ranked), 1)
    firsts = [each[0] for each in ranked if each]
    levels = {
        str(level): {
            "readings": sum(likelihood >= level for likelihood, _ in firsts),
            "wrong": sum(likelihood >= level and not right for likelihood, right in firsts),
        }
        for level in _LEVELS
    }
    return {
        "first": round(sum(right for _, right in firsts) / count, 4),
        "three": round(sum(any(right for _, right in each[:3]) for each in ranked) / count, 4),
        "any": round(sum(any(right for _, right in each) for each in ranked) / count, 4),
        "from a likelihood of": levels,
    }


def _ranked(each: JudgedReadings, weights: Mapping[str, float]) -> list[tuple[float, bool]]:
    order, likelihoods = ordered(each.rows, weights) if each.rows else ([], [])
    return [(likelihood, each.right[number]) for number, likelihood in zip(order, likelihoods, strict=True)]
