"""Fits the joint gate of rules and a model (`editahead-lab train model-gate`) to commits that neither has seen.

Commits are typed hunk by hunk. In the pause after some of the hunks, the rules answer and the model is asked, as the server
does it. Terms are fitted to all candidates with a probability of both; the figures are those of repositories that were left
out of the fit.

Needs the extra `train`, and what the model needs.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from editahead_inference.backends.local.backend import LocalBackend
from editahead_inference.backends.local.small_model import NAME
from editahead_inference.candidates import SAID
from editahead_inference.gate.thresholds import model_threshold, threshold
from editahead_inference.pipeline import Pipeline, proposed_edits
from editahead_inference.predictors.model.model_gate import gate_features, joint_probability
from editahead_inference.predictors.model.predictor import ModelPredictor
from editahead_lab.process_pool import process_pool
from editahead_lab.training.data.replay_moments import ROOT
from editahead_lab.training.data.shards import sample, train_shards
from editahead_prompts.formats.base import PromptPaths

from .whole_commits import CommitMoment, commit_moments

A_RECORD = 3
"""Moments of a record, at most."""
SHARDS = 2
"""Last shards, which the rules' gate has not seen."""
FOLDS = 8
"""Parts of the repositories; each is judged by terms fitted to the others."""
PRECISION = 0.1
"""Of the prior, around 0, of each term but the constant."""
RESAMPLES = 1000


@dataclass(frozen=True, slots=True)
class JointCandidate:
    """An edit of the document: its probability by the rules' gate, the model's log-probability, and whether it is right."""

    rules: float | None
    said: float | None
    right: bool


@dataclass(frozen=True, slots=True)
class JointMoment:
    """A moment with its repository, whether anything is left to edit, and its candidates."""

    repo: str
    opportunity: bool
    candidates: tuple[JointCandidate, ...]


class _Predictors:
    """The rules and the model of one process."""

    def __init__(self, folder: Path) -> None:
        os.environ["OMP_NUM_THREADS"] = "1"  # there are others beside it
        self._runner = asyncio.Runner()
        self._model = ModelPredictor(
            LocalBackend(folder), NAME, "local", paths=PromptPaths((ROOT,)), key="training"
        )
        self._pipeline = Pipeline()

    def __call__(self, record: dict[str, Any]) -> list[JointMoment]:
        found = list(commit_moments([record]))
        rng = random.Random(record["id"])
        chosen = sorted(rng.sample(range(len(found)), min(A_RECORD, len(found))))
        return [self._runner.run(self._asked(record["repo"], found[number])) for number in chosen]

    async def _asked(self, repo: str, moment: CommitMoment) -> JointMoment:
        await self._model.predict(moment.state)  # the window is cut while the hunk is typed
        state = moment.state.after_pause()
        rules = self._pipeline.predict(state, eagerness=1.0)
        response = await self._model.predict(replace(state, proposed=proposed_edits(rules)))
        if response.problem is not None:
            raise RuntimeError(response.problem)
        found = tuple(
            JointCandidate(sure, candidate.features.get(SAID), moment.worth_of(candidate) == 1)
            for candidate, sure in self._pipeline.merge_candidates(rules, response)
            if candidate.edit and candidate.uri == state.document.uri and not candidate.is_next_tokens
        )
        return JointMoment(repo, moment.opportunity, found)


_predictors: _Predictors | None = None


def _start_worker(folder: Path) -> None:
    global _predictors
    _predictors = _Predictors(folder)


def _ask_about(record: dict[str, Any]) -> list[JointMoment]:
    assert _predictors is not None
    return _predictors(record)


def collect(
    records: Sequence[dict[str, Any]], folder: Path, jobs: int, kept: Path | None = None
) -> Iterator[JointMoment]:
    """Yield the candidates of the rules and of the model in `folder` at moments of the records.

    kept: A file that keeps what was asked, a line for each record, so that a later run goes on behind it.
    """
    known = kept.read_text("utf-8").splitlines() if kept is not None and kept.is_file() else []
    for line in known[: len(records)]:
        yield from map(_read, json.loads(line))
    with process_pool(jobs, initializer=partial(_start_worker, folder)) as pool:
        for asked in pool.map(_ask_about, records[len(known) :]):
            if kept is not None:
                with kept.open("a", encoding="utf-8") as file:
                    file.write(json.dumps([asdict(moment) for moment in asked]) + "\n")
            yield from asked


def _read(stored: Mapping[str, Any]) -> JointMoment:
    candidates = tuple(JointCandidate(**one) for one in stored["candidates"])
    return JointMoment(stored["repo"], stored["opportunity"], candidates)


def fit(moments: Sequence[JointMoment]) -> dict[str, float]:
    """Fit the terms by logistic regression to all candidates with a probability of the model's."""
    import numpy as np
    from scipy.optimize import minimize

    samples = [
        (gate_features(one.rules, one.said), one.right)
        for moment in moments
        for one in moment.candidates
        if one.said is not None
    ]
    names = list(samples[0][0])
    values = np.array([[features[name] for name in names] for features, _ in samples])
    right = np.array([float(is_right) for _, is_right in samples])
    prior = np.array([0.0 if name == "one" else PRECISION for name in names])

    def loss(terms: Any) -> tuple[float, Any]:
        log_odds = values @ terms
        total = np.sum(np.logaddexp(0, log_odds) - right * log_odds) + terms @ (prior * terms) / 2
        return float(total), values.T @ (1 / (1 + np.exp(-log_odds)) - right) + prior * terms

    found = minimize(loss, np.zeros(len(names)), jac=True, method="L-BFGS-B").x
    return {name: round(float(term), 3) for name, term in zip(names, found, strict=True)}


@dataclass(frozen=True, slots=True)
class Shown:
    """What is shown first at a moment, and whether it is right; nothing where `right` is None."""

    repo: str
    opportunity: bool
    right: bool | None


def shown(moments: Sequence[JointMoment], terms: Mapping[str, float] | None) -> list[Shown]:
    """Return what is shown first at the default eagerness: with the model where there are terms, else by the rules alone."""
    out = []
    for moment in moments:
        best: tuple[float, bool] | None = None
        for one in moment.candidates:
            needed = threshold(0.5) if one.rules is not None else model_threshold(0.5)
            if terms is not None and one.said is not None:
                sure = joint_probability(one.rules, one.said, terms)
            elif one.rules is None:
                continue
            else:
                sure = one.rules
            if sure > needed and (best is None or sure > best[0]):
                best = sure, one.right
        out.append(Shown(moment.repo, moment.opportunity, None if best is None else best[1]))
    return out


def left_out(moments: Sequence[JointMoment]) -> list[Shown]:
    """Return what is shown first, by terms that were fitted to other repositories."""
    repositories = sorted({moment.repo for moment in moments})
    out = []
    for fold in range(min(FOLDS, len(repositories))):
        judged = set(repositories[fold::FOLDS])
        terms = fit([moment for moment in moments if moment.repo not in judged])
        out += shown([moment for moment in moments if moment.repo in judged], terms)
    return out


def figures(found: Sequence[Shown]) -> dict[str, float]:
    """Return coverage and precision where anything is left to edit, and the rate shown after the end."""
    opportunities = [one for one in found if one.opportunity]
    ends = [one for one in found if not one.opportunity]
    right = sum(one.right is True for one in opportunities)
    count = sum(one.right is not None for one in opportunities)
    return {
        "opportunities": len(opportunities),
        "coverage": round(right / max(len(opportunities), 1), 4),
        "precision": round(right / max(count, 1), 4),
        "false_end": round(sum(one.right is not None for one in ends) / max(len(ends), 1), 4),
    }


def interval(found: Sequence[Shown], name: str, seed: int) -> tuple[float, float]:
    """Return the middle 95% of a figure over resamplings by repository."""
    by_repo: dict[str, list[Shown]] = {}
    for one in found:
        by_repo.setdefault(one.repo, []).append(one)
    rng = random.Random(seed)
    values = sorted(
        figures([one for part in rng.choices([*by_repo.values()], k=len(by_repo)) for one in part])[name]
        for _ in range(RESAMPLES)
    )
    return values[int(0.025 * RESAMPLES)], values[int(0.975 * RESAMPLES)]


def measured(moments: Sequence[JointMoment], seed: int) -> dict[str, Any]:
    """Return the figures with and without the model, with intervals."""
    table: dict[str, Any] = {}
    for name, found in (("rules alone", shown(moments, None)), ("with the model", left_out(moments))):
        intervals = {f"{what} 95%": interval(found, what, seed) for what in ("coverage", "precision")}
        table[name] = {**figures(found), **intervals}
    return table


def train(
    edits: Path, folder: Path, out: Path, *, files: int, seed: int, jobs: int, kept: Path | None = None
) -> dict[str, Any]:
    """Fit the terms to the last shards, write them to `out`, and return their provenance.

    Raises:
        FileNotFoundError: There are fewer than two shards.
        ValueError: No repository has a candidate of which the model says how likely it is.
    """
    shards = train_shards(edits, min_count=SHARDS)[-SHARDS:]
    records = [record for shard in shards for record in sample(shard, files, seed)]
    random.Random(seed).shuffle(records)
    moments = list(collect(records, folder, jobs, kept))
    if len({moment.repo for moment in moments if any(one.said is not None for one in moment.candidates)}) < 2:
        raise ValueError(f"{edits}: the model says too little of these commits")
    provenance = {
        "made by": f"editahead-lab train model-gate files={files} seed={seed}",
        "fitted on": [shard.name for shard in shards],
        "moments": len(moments),
        "figures": measured(moments, seed),
    }
    out.write_text(json.dumps({"terms": fit(moments), "provenance": provenance}, indent=1) + "\n", "utf-8")
    return provenance
