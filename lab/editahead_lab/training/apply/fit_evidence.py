"""Fits the weights of the evidence about readings (`editahead-lab train evidence`) to sketches of commits.

A conditional logit: the weights make the readings that are the commit's text likely among all readings of a sketch, where
none of them may be right. The share of wrong ones among readings above a likelihood is counted on sketches of other
repositories than those fitted to.
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
from editahead_inference.apply.merge.attempts import all_attempts
from editahead_inference.apply.merge.evidence import NONE, softmax
from editahead_inference.apply.merge.merge import collect_readings, plausible_readings

from .prepared_sketches import PreparedSketch, prepared_sketches

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
        right: Whether each is a right text.
    """

    rows: tuple[Mapping[str, float], ...]
    right: tuple[bool, ...]


def train(edits: Sequence[Path], judged: Path, out: Path, sketches: int, seed: int) -> dict[str, Any]:
    """Fit the weights, write them to a file, and return the figures on edits that nothing was fitted to.

    Args:
        edits: Files of edits.
        judged: Another file of edits.
        out: The file of weights.
        sketches: Sketches made of each file.
        seed: The seed of their choice.
    """
    found = [each for path in edits for each in judged_readings(path, sketches, seed)]
    weights = fit(found)
    out.write_text(json.dumps(weights, indent=1) + "\n", encoding="utf-8")
    held_out = list(judged_readings(judged, sketches // 2, seed))
    return {
        "fitted on": [path.name for path in edits],
        "sketches": len(found),
        "figures": judge(held_out, weights),
    }


def judged_readings(path: Path, sketches: int, seed: int) -> Iterator[JudgedReadings]:
    """Yield the readings of sketches of commits."""
    for sketch in prepared_sketches(list(read_records(path)), sketches, seed):
        yield _judge_readings(sketch)


def _judge_readings(sketch: PreparedSketch) -> JudgedReadings:
    attempts = list(all_attempts(sketch.part, sketch.target, None))
    placed = list(plausible_readings(attempts, sketch.target))
    readings, evidence = collect_readings(placed, sketch.part, sketch.snippet, sketch.target)
    return JudgedReadings(
        tuple(evidence.rows(each.splices, each.source) for each in readings),
        tuple(sketch.accepts(each.splices) for each in readings),
    )


def fit(found: Sequence[JudgedReadings]) -> dict[str, float]:
    """Return the weights by name, with that of none of the readings being right."""
    groups = [each for each in found if each.rows]
    names = sorted({name for each in groups for rows in each.rows for name in rows})
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
    scores = [sum(weights.get(name, 0.0) * value for name, value in rows.items()) for rows in each.rows]
    found = zip(softmax(scores, weights[NONE]), each.right, strict=True)
    return sorted(found, reverse=True)
