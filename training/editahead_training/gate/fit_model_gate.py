"""Fits the gate that lies beside a model of ours, to what it says (`editahead train gate --model FOLDER`).

Commits are replayed, the rules answer, and the model is asked as the server asks it. The next to last shard is fitted to,
the last one is measured on: what the rules' gate was fitted to would look better than it is.

Needs the extra `train`, torch and transformers.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import math
import os
import random
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from editahead_inference.backends.local.backend import LocalBackend
from editahead_inference.gate.decision_trees import DecisionTrees
from editahead_inference.pipeline import Pipeline, proposed_edits
from editahead_inference.predictors.model.model_gate import confidence, gate_features
from editahead_inference.predictors.model.predictor import ModelPredictor
from editahead_prompts.formats.base import PromptPaths
from editahead_prompts.formats.registry import select_format
from editahead_training.data.replay_moments import ROOT, TrainingMoment, moments
from editahead_training.data.shards import sample, train_shards

from .fit_trees import fit_trees
from .replayed_candidates import Moment, Row

A_RECORD = 4
"""Moments of a record, at most."""
_TREES = {"max_iter": 40, "learning_rate": 0.1, "max_leaf_nodes": 8, "min_samples_leaf": 40}
_RESAMPLES = 1000


@dataclass(frozen=True, slots=True)
class ScoredCandidate:
    """A candidate with the gate's score (None where no rule proposes it), the model's score, and its worth."""

    rules: float | None
    features: Mapping[str, float]
    worth: float


@dataclass(frozen=True, slots=True)
class ScoredMoment:
    """A moment with its record's id and its candidates, all of them edits of the document."""

    record: str
    opportunity: bool
    candidates: tuple[ScoredCandidate, ...]


def format_of(folder: Path) -> str:
    """Return the prompt format that a model was trained in: by its `training.json`, else by the folder's name.

    Raises:
        UnknownFormatError: Neither tells.
    """
    try:
        told = json.loads((folder / "training.json").read_text("utf-8"))["data"]["format"]
    except (OSError, ValueError, LookupError, TypeError):
        return select_format(folder.name).name
    return select_format("", str(told)).name


class _Asking:
    """The model of one process."""

    def __init__(self, folder: Path) -> None:
        os.environ["OMP_NUM_THREADS"] = "1"  # there are others beside it
        self._runner = asyncio.Runner()
        backend = LocalBackend(folder)
        self._model = ModelPredictor(
            backend, format_of(folder), "local", paths=PromptPaths((ROOT,)), key="training", scores=True
        )
        self._pipeline = Pipeline()

    def __call__(self, record: dict[str, Any]) -> list[ScoredMoment]:
        rng = random.Random(record["id"])
        found = list(moments(record, by_line=rng.random() < 0.3))
        chosen = sorted(rng.sample(range(len(found)), min(A_RECORD, len(found))))
        return [self._asked(record["id"], found[number]) for number in chosen]

    def _asked(self, record: str, moment: TrainingMoment) -> ScoredMoment:
        rules = self._pipeline.predict(moment.state, eagerness=1.0)
        state = replace(moment.state, proposed=proposed_edits(rules))
        response = self._runner.run(self._model.predict(state))
        if response.problem is not None:
            raise RuntimeError(response.problem)
        found = [
            ScoredCandidate(sure, gate_features(None, candidate.features), moment.worth_of(candidate))
            for candidate, sure in self._pipeline.merge_candidates(rules, response)
            if candidate.edit and candidate.uri == state.document.uri
        ]
        return ScoredMoment(record, bool(moment.remaining), tuple(found))


_asking: _Asking | None = None


def _start_worker(folder: Path) -> None:
    global _asking
    _asking = _Asking(folder)


def _score_record(record: dict[str, Any]) -> list[ScoredMoment]:
    assert _asking is not None
    return _asking(record)


def collect(records: Sequence[dict[str, Any]], folder: Path, jobs: int) -> Iterator[ScoredMoment]:
    """Yield the candidates of the rules and of the model in `folder`, with scores, at moments of the records."""
    with ProcessPoolExecutor(jobs, initializer=partial(_start_worker, folder)) as pool:
        for asked in pool.map(_score_record, records, chunksize=4):
            yield from asked


def fit(asked: Sequence[ScoredMoment]) -> dict[str, Any]:
    """Fit weights for candidates with a model's score, in the format of `editahead_inference.gate.decision_trees`."""
    rows = [
        Moment(
            one.opportunity,
            [Row(gate_features(c.rules, c.features), {}, c.worth) for c in one.candidates if c.features],
        )
        for one in asked
    ]
    return fit_trees({"file order": rows}, **_TREES)


@dataclass(frozen=True, slots=True)
class Shown:
    """The first prediction shown at a moment, with its probability `sure`; 0 where there is none."""

    record: str
    opportunity: bool
    sure: float = 0.0
    right: bool = False


def shown(asked: Sequence[ScoredMoment], weights: DecisionTrees | None) -> list[Shown]:
    """Return the first prediction: with the model where there are weights, else of the rules alone."""
    out = []
    for one in asked:
        best = Shown(one.record, one.opportunity)
        for c in one.candidates:
            if weights is not None and c.features:
                sure = confidence(weights, c.rules, c.features)
            elif c.rules is None:
                continue
            else:
                sure = c.rules
            if sure > best.sure:
                best = Shown(one.record, one.opportunity, sure, c.worth == 1)
        out.append(best)
    return out


def figures(found: Sequence[Shown], threshold: float) -> dict[str, float]:
    """Return coverage and precision of what is shown above the threshold, and the rate shown after the end."""
    opportunities = [one for one in found if one.opportunity]
    ends = [one for one in found if not one.opportunity]
    above = [one for one in opportunities if one.sure > threshold]
    return {
        "opportunities": len(opportunities),
        "coverage": round(sum(one.right for one in above) / max(len(opportunities), 1), 4),
        "precision": round(sum(one.right for one in above) / max(len(above), 1), 4),
        "false_end": round(sum(one.sure > threshold for one in ends) / max(len(ends), 1), 4),
    }


def threshold_for_precision(found: Sequence[Shown], precision: float) -> float:
    """Return the lowest threshold with at least this precision; 1 when there is none."""
    ordered = sorted((one for one in found if one.opportunity and one.sure > 0), key=lambda one: -one.sure)
    best, right = 1.0, 0
    for count, (one, following) in enumerate(itertools.zip_longest(ordered, ordered[1:]), 1):
        right += one.right
        if right / count >= precision and (following is None or following.sure < one.sure):
            best = math.nextafter(one.sure, 0)
    return best


def coverage_gain(
    without: Sequence[Shown], those_with: Sequence[Shown], threshold: float, seed: int
) -> dict[str, Any]:
    """Return the gain of coverage by the model, and its middle 95% over resamplings by record.

    Both thresholds are the lowest at which precision is that of the rules at their usual threshold.
    """
    records = sorted({one.record for one in without})
    by_record: dict[str, list[int]] = {record: [] for record in records}
    for number, one in enumerate(without):
        by_record[one.record].append(number)
    wanted = figures(without, threshold)["precision"]
    at, alone = threshold_for_precision(those_with, wanted), threshold_for_precision(without, wanted)
    rng = random.Random(seed)
    gains = []
    for _ in range(_RESAMPLES):
        numbers = [n for record in rng.choices(records, k=len(records)) for n in by_record[record]]
        before = figures([without[n] for n in numbers], alone)["coverage"]
        gains.append(figures([those_with[n] for n in numbers], at)["coverage"] - before)
    gains.sort()
    return {
        "precision": wanted,
        "threshold": round(at, 4),
        "gain": round(figures(those_with, at)["coverage"] - figures(without, alone)["coverage"], 4),
        "low": round(gains[int(0.025 * _RESAMPLES)], 4),
        "high": round(gains[int(0.975 * _RESAMPLES)], 4),
    }


def measured(
    asked: Sequence[ScoredMoment], weights: DecisionTrees, threshold: float, seed: int
) -> dict[str, Any]:
    """Return the table of metrics with and without the model."""
    without, those_with = shown(asked, None), shown(asked, weights)
    return {
        "rules alone": figures(without, threshold),
        "with the model": figures(those_with, threshold),
        "coverage at equal precision": coverage_gain(without, those_with, threshold, seed),
    }


def train(
    edits: Path, folder: Path, out: Path, *, files: int, seed: int, jobs: int, threshold: float
) -> dict[str, Any]:
    """Fit on the next to last shard, measure on the last, and write the weights to `out`.

    The server reads the weights from gate.json in the model's folder.

    Raises:
        FileNotFoundError: There are fewer than two shards.
        UnknownFormatError: Nothing tells the model's prompt format.
    """
    format_of(folder)  # before minutes of work
    *_, fitted, aside = train_shards(edits, least=2)
    data = fit(list(collect(list(sample(fitted, files, seed)), folder, jobs)))
    found = list(collect(list(sample(aside, files, seed)), folder, jobs))
    provenance = {
        "made by": f"editahead train gate --model FOLDER --files {files} --seed {seed}",
        "fitted on": [fitted.name],
        "measured on": [aside.name],
        "threshold": threshold,
        "figures": measured(found, DecisionTrees(data), threshold, seed),
    }
    out.write_text(json.dumps({"provenance": provenance, **data}, indent=1) + "\n", "utf-8")
    return provenance
