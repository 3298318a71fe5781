"""Fits the gate's weights to real commits, and writes them as a small file (`editahead-lab train gate`).

Needs the extra `train`. The result names the data, the seed and the figures on shards that were set aside.

1. Commits are replayed by people who answer nothing, file by file in three orders and whole with all files open, and trees
   are fitted to the candidates.
2. With these, commits are replayed by people who accept what is right and refuse what is wrong, and terms are fitted to how
   each rule fared before. The trees have not seen the shard in question: of what they have seen they would be too sure.
3. In the same way, whole commits tell how likely the best candidate of a moment is: made hunk by hunk, and typed in small
   steps in the order that `ordered_steps` draws. The trees are too sure of it: the best of many was often only lucky. The
   small steps also tell how often follow-ups that state a probability are right.
4. Hunks are typed, and what completions stated is compared with what was typed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from editahead_evals.metrics.confidence_curve import Answer, ConfidenceCurve
from editahead_inference.gate.decision_trees import DecisionTrees, sigmoid
from editahead_lab.training.data.shards import train_shards

from .fit_calibration import fit_curves
from .fit_terms import TermSample, fit_terms
from .fit_trees import WHOLE, fit_trees
from .replayed_candidates import (
    ORDERS,
    Moment,
    Stated,
    answered_rows,
    commit_rows,
    completions,
    eager_answers,
    eager_ordered_answers,
    map_commits,
    map_records,
    ordered_rows,
    rows,
)

FOLDS = 2
MIN_SHOWN_PROBABILITY = 0.1
"""The probability of a best candidate from which it counts for the calibration: less likely ones are never shown."""
EAGER = 1.0
ORDERED = "ordered steps"
UNKNOWN = {
    "propagation:missing-import-defined": "too rare to be measured",
    "propagation:await-calls": "too rare to be measured",
    "completion:next-tokens": "the weights of the completion hold its curve",
    "diagnostic:suggested": "commits hold no diagnostics",
    "diagnostic:renamed": "commits hold no diagnostics",
    "diagnostic:imported": "commits hold no diagnostics",
    "diagnostic:unused": "commits hold no diagnostics",
    "diagnostic:misspelt": "commits hold no diagnostics",
    "model": "commits hold no answers of models",
}
"""Predictors that are taken at their word, and why."""


def figures(answers: Sequence[Sequence[Answer]], threshold: float) -> dict[str, float]:
    """Return the evaluation's metrics of the first prediction shown, by record."""
    curve = ConfidenceCurve(answers)
    (level,) = curve.levels([threshold])
    error = curve.calibration_error([1] * len(answers))
    return {
        "opportunities": sum(answer.opportunity for those in answers for answer in those),
        "coverage": round(level.coverage, 4),
        "precision": round(level.precision or 0.0, 4),
        "false_end": round(level.false_end, 4),
        "calibration_error": round(error or 0.0, 4),
    }


class GateTraining:
    """A fit to the shards of a folder except the last two, with `files` records of each.

    Raises:
        FileNotFoundError: there are fewer than four shards.
    """

    def __init__(self, edits: Path, *, files: int, seed: int, jobs: int) -> None:
        """Find the shards.

        Raises:
            FileNotFoundError: there are fewer than four.
        """
        shards = train_shards(edits, min_count=4)
        self.fitted, self.aside = shards[:-2], shards[-2:]
        self.folds = [self.fitted[n::FOLDS] for n in range(FOLDS)]
        self._replay = partial(map_records, files=files, seed=seed, jobs=jobs)
        self._replay_commits = partial(map_commits, commits=files, seed=seed, jobs=jobs)

    def run(self, kept: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Return the fitted weights, without provenance; the trees come from `kept` if it is given."""
        whole = [self.commit_rows(fold) for fold in self.folds]
        if kept is None:
            replayed = [
                {order: self.rows(order, fold) for order in ORDERS} | {WHOLE: known}
                for fold, known in zip(self.folds, whole, strict=True)
            ]
            without = [fit_trees(_together(replayed[:n] + replayed[n + 1 :])) for n in range(FOLDS)]
            data = fit_trees(_together(replayed))
        else:
            data = {name: kept[name] for name in ("features", "bias", "trees")}
            without = [data] * FOLDS
        folds = list(zip(self.folds, without, strict=True))
        terms = fit_terms([one for fold, trees in folds for one in self.circumstances(fold, trees)])
        ordered = [self.ordered_rows(fold) for fold in self.folds]
        stated = chain(
            chain.from_iterable(self._replay(completions, self.fitted)),
            *(best_of_moments(known, trees) for known, trees in zip(whole, without, strict=True)),
            *(best_of_moments(known, trees) for known, trees in zip(ordered, without, strict=True)),
            *(moment.stated for known in ordered for moment in known),
        )
        unknown = {name: {"knots": [], "of": 0, "why": why} for name, why in UNKNOWN.items()}
        return data | {"terms": terms, "calibration": unknown | fit_curves(stated)}

    def rows(self, order: str, shards: Sequence[Path]) -> list[Moment]:
        return list(chain.from_iterable(self._replay(partial(rows, order=order), shards)))

    def commit_rows(self, shards: Sequence[Path]) -> list[Moment]:
        return list(chain.from_iterable(self._replay_commits(commit_rows, shards)))

    def ordered_rows(self, shards: Sequence[Path]) -> list[Moment]:
        return list(chain.from_iterable(self._replay_commits(ordered_rows, shards)))

    def circumstances(self, shards: Sequence[Path], trees: Mapping[str, Any]) -> list[TermSample]:
        """Return samples of users who answer the predictions shown by these trees alone."""
        known = DecisionTrees(trees)
        work = partial(answered_rows, weights=trees)
        return [
            # A record counts as two moments, however many moments a long walk gives.
            TermSample(row.around, known.log_odds(row.features), row.worth, 2 / max(len(moments), 2))
            for moments in self._replay(work, shards)
            for moment in moments
            for row in moment.rows
        ]

    def measured(self, weights: Mapping[str, Any], threshold: float) -> dict[str, dict[str, float]]:
        """Return the metrics on the held-out shards: of ordered steps, and by the order of a file's hunks."""
        typed = partial(eager_ordered_answers, weights=weights, eagerness=EAGER)
        out = {ORDERED: figures(list(self._replay_commits(typed, self.aside)), threshold)}
        for order in ORDERS:
            work = partial(eager_answers, order=order, weights=weights, eagerness=EAGER)
            out[order] = figures(list(self._replay(work, self.aside)), threshold)
        return out


def best_of_moments(moments: Sequence[Moment], weights: Mapping[str, Any]) -> Iterator[Stated]:
    """Yield what trees state of the best candidate of each moment, if it is likely at all."""
    trees = DecisionTrees(weights)
    for moment in moments:
        stated = [(sigmoid(trees.log_odds(row.features)), row.worth) for row in moment.rows]
        probability, worth = max(stated, default=(0.0, 0.0))
        if probability > MIN_SHOWN_PROBABILITY:
            yield "propagation", probability, worth == 1


def _together(replayed: Sequence[Mapping[str, Sequence[Moment]]]) -> dict[str, list[Moment]]:
    kinds = (*ORDERS, WHOLE)
    return {kind: list(chain.from_iterable([known[kind] for known in replayed])) for kind in kinds}


def train(
    edits: Path, out: Path, *, files: int, seed: int, jobs: int, threshold: float, kept: Path | None = None
) -> dict[str, Any]:
    """Fit on all `train-*` shards except the last two, measure on these, and write the weights to `out`.

    With `kept`, its trees are taken over, and only terms and calibration are fitted.

    Raises:
        FileNotFoundError: there are fewer than four shards.
        ValueError: `kept` holds no trees.
    """
    former = None if kept is None else json.loads(kept.read_text("utf-8"))
    if former is not None:
        DecisionTrees(former)
    training = GateTraining(edits, files=files, seed=seed, jobs=jobs)
    data = training.run(former)
    provenance: dict[str, Any] = {
        "made by": f"editahead-lab train gate files={files} seed={seed}",
        "fitted on": [shard.name for shard in training.fitted],
        "measured on": [shard.name for shard in training.aside],
        "threshold": threshold,
        "figures": training.measured(data, threshold),
    }
    if former is not None:
        provenance["made by"] += " keep_trees=FILE"
        provenance["trees"] = former["provenance"].get("trees", former["provenance"])
    parts = {
        "provenance": json.dumps(provenance, indent=1),
        "terms": json.dumps(data["terms"], indent=1),
        "calibration": _by_line(data["calibration"]),
        "features": json.dumps(data["features"], indent=1),
        "bias": json.dumps(data["bias"]),
        "trees": "[\n"
        + ",\n".join(json.dumps(tree, separators=(",", ":")) for tree in data["trees"])
        + "\n]",
    }
    out.write_text("{\n" + ",\n".join(f'"{name}": {part}' for name, part in parts.items()) + "\n}\n", "utf-8")
    return provenance


def _by_line(table: Mapping[str, Any]) -> str:
    return (
        "{\n" + ",\n".join(f" {json.dumps(name)}: {json.dumps(row)}" for name, row in table.items()) + "\n}"
    )
