"""Fits the weights of `finish` (`editahead-lab train finish`) to commits of which some hunks were left out."""

from __future__ import annotations

import json
import math
import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from editahead_inference.finish.candidates import PlaceFinder, find_candidates
from editahead_inference.finish.finisher import search_change
from editahead_inference.finish.found_places import FinishCandidate
from editahead_inference.finish.use_search import UseSearch
from editahead_inference.finish.weights import CURVE
from editahead_inference.gate.calibration import Calibration
from editahead_inference.gate.decision_trees import DecisionTrees, sigmoid
from editahead_inference.gate.filters import touched_lines
from editahead_lab.commits.commit_records import read_commits, workspaces
from editahead_lab.finish.dropped_hunks import MODES, Mode, Trial, make_trial
from editahead_lab.finish.judge import judge_place
from editahead_lab.training.data.commit_codebase import CommitCodebase
from editahead_lab.training.gate.fit_trees import export_trees
from editahead_prompts.syntax.syntax_trees import SyntaxTrees

DRAWS: Mapping[Mode, int] = {"hunks": 2, "file": 1, "none": 1}
"""Choices of what is left out of a commit."""
FOLDS = 5
"""Parts of the repositories; each is judged by weights fitted to the others."""
PRECISION = 0.7
"""The precision, cross-validated, that each kind of place has from its threshold on."""
FALSE_ALARMS = 0.04
"""The share of whole commits, cross-validated, in which something is likely missing, at most."""
MIN_RIGHT = 5
"""Right places from which a kind has a threshold below 1."""
MAX_WRONG = 60
"""Wrong candidates of a trial to which trees are fitted, chosen at random, so that no large commit dominates."""
_TREES = {
    "max_iter": 80,
    "learning_rate": 0.1,
    "max_leaf_nodes": 12,
    "min_samples_leaf": 20,
    "l2_regularization": 10.0,
    "early_stopping": False,
    "random_state": 0,
}


@dataclass(frozen=True)
class FinishSample:
    """A candidate of a trial.

    Attributes:
        trial: The number of the trial.
        features: What tells how likely it is.
        right: Whether the commit makes it.
        kind: What its file is for.
        place: The file and the lines that it changes.
        made: The dropped hunks that a right one makes.
    """

    trial: int
    features: Mapping[str, float]
    right: bool
    kind: str
    place: tuple[str, int, int]
    made: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class FinishTrial:
    """What is known of a trial: its repository, what was left out, and which of it repeats another hunk."""

    repo: str
    mode: Mode
    repeating: frozenset[tuple[str, int]]


def train(commits: Path, out: Path, *, every: int = 1) -> dict[str, Any]:
    """Fit the weights to a file of commits, write them as JSON, and return their provenance.

    Args:
        commits: Commits of several files (`*.jsonl.zst`).
        out: The file to write.
        every: Use each commit whose number can be divided by it.

    Raises:
        OSError: `out` cannot be written.
        RecordError: The commits cannot be read.
        ValueError: There are too few commits.
    """
    trials, samples = collect(commits, every)
    if len({trials[sample.trial].repo for sample in samples if sample.right}) < 2:
        raise ValueError(f"{commits}: too few edits repeat others")
    data, figures = fit(trials, samples)
    data["provenance"] = {
        "fitted on": commits.name,
        "trials": len(trials),
        "candidates": len(samples),
        "figures": figures,
    }
    out.write_text(json.dumps(data, separators=(",", ":")) + "\n", "utf-8")
    return dict(data["provenance"])


def collect(commits: Path, every: int) -> tuple[list[FinishTrial], list[FinishSample]]:
    """Return the trials of commits, and all their candidates of which the data tells whether they are right."""
    trials: list[FinishTrial] = []
    samples: list[FinishSample] = []
    codebase = CommitCodebase(code_only=False)
    for number, workspace in enumerate(workspaces(read_commits(commits))):
        if number % every:
            continue
        for mode, draw in ((one, draw) for one in MODES for draw in range(DRAWS[one])):
            trial = make_trial(workspace, mode, draw)
            if trial is None:
                continue
            codebase.update(trial.files)
            samples += _samples(trial, codebase, len(trials))
            trials.append(FinishTrial(workspace.commit.repo, mode, trial.repeating))
    return trials, samples


def _samples(trial: Trial, codebase: CommitCodebase, number: int) -> Iterator[FinishSample]:
    trees = SyntaxTrees()
    search = search_change(trial.change, (), codebase)
    uses = UseSearch(trial.change, search, trees, codebase, _never)
    for candidate in find_candidates(search, PlaceFinder(trees), uses, _never, _never):
        judged = judge_place(trial, candidate.snapshot, candidate.edit)
        if judged.is_known:
            made = judged.made
            yield FinishSample(
                number, candidate.features, bool(made), candidate.place, _place(candidate), made
            )


def _never() -> None:
    pass


def _place(candidate: FinishCandidate) -> tuple[str, int, int]:
    return candidate.snapshot.uri, *touched_lines(candidate.snapshot, candidate.edit)


def fit(
    trials: Sequence[FinishTrial], samples: Sequence[FinishSample]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the weights, and the figures of weights that did not see the repository that they judge."""
    judged = _cross_validated(trials, samples)
    knots = _calibration(samples, judged)
    data = _fit_trees(samples)
    data["calibration"] = {CURVE: {"knots": knots}}
    calibration = Calibration(data["calibration"])
    calibrated = [calibration.calibrate(CURVE, stated) for stated in judged]
    thresholds = choose_thresholds(trials, samples, calibrated)
    data["thresholds"] = thresholds
    return data, figures(trials, samples, calibrated, thresholds)


def _cross_validated(trials: Sequence[FinishTrial], samples: Sequence[FinishSample]) -> list[float]:
    """Return the probability of each sample by trees that did not see its repository."""
    repositories = sorted({trial.repo for trial in trials})
    found = [0.0] * len(samples)
    for fold in range(min(FOLDS, len(repositories))):
        judged = set(repositories[fold::FOLDS])
        trees = DecisionTrees(
            _fit_trees([sample for sample in samples if trials[sample.trial].repo not in judged])
        )
        for number, sample in enumerate(samples):
            if trials[sample.trial].repo in judged:
                found[number] = sigmoid(trees.log_odds(sample.features))
    return found


def _fit_trees(samples: Sequence[FinishSample]) -> dict[str, Any]:
    import numpy as np
    from sklearn.ensemble import HistGradientBoostingClassifier

    samples = _fewer_wrong(samples)
    names = sorted({name for sample in samples for name in sample.features})
    values = np.array([[sample.features.get(name, 0.0) for name in names] for sample in samples])
    right = np.array([sample.right for sample in samples])
    model = HistGradientBoostingClassifier(**_TREES).fit(values, right)
    return export_trees(model, names, [sample.features for sample in samples[:500]])


def _fewer_wrong(samples: Sequence[FinishSample]) -> list[FinishSample]:
    wrong: defaultdict[int, list[FinishSample]] = defaultdict(list)
    for sample in samples:
        if not sample.right:
            wrong[sample.trial].append(sample)
    chance = random.Random(0)
    chosen = [sample for sample in samples if sample.right]
    for found in wrong.values():
        chosen += chance.sample(found, min(len(found), MAX_WRONG))
    return chosen


def _calibration(samples: Sequence[FinishSample], judged: Sequence[float]) -> list[list[float]]:
    """Return a rising curve from stated to measured probabilities (isotonic regression)."""
    from sklearn.isotonic import IsotonicRegression

    model = IsotonicRegression(y_min=1e-3, y_max=0.97).fit(
        judged, [float(sample.right) for sample in samples]
    )
    knots: list[list[float]] = []
    for stated, measured in zip(model.X_thresholds_, model.y_thresholds_, strict=True):
        point = [min(max(float(stated), 1e-3), 0.999), float(measured)]
        if not knots or point[0] > knots[-1][0] + 1e-4:
            knots.append([round(value, 5) for value in point])
    return knots


def reported(
    samples: Sequence[FinishSample], probabilities: Sequence[float], thresholds: Mapping[str, float]
) -> list[int]:
    """Return the numbers of the samples in the report: the likeliest of those that overlap, above its threshold."""
    taken: defaultdict[tuple[int, str], list[tuple[int, int]]] = defaultdict(list)
    out = []
    for number in sorted(range(len(samples)), key=lambda number: -probabilities[number]):
        sample = samples[number]
        if probabilities[number] < thresholds.get(sample.kind, 1.0):
            continue
        path, start, end = sample.place
        lines = taken[sample.trial, path]
        if all((start, end) != other and (start >= other[1] or other[0] >= end) for other in lines):
            lines.append((start, end))
            out.append(number)
    return out


def choose_thresholds(
    trials: Sequence[FinishTrial], samples: Sequence[FinishSample], probabilities: Sequence[float]
) -> dict[str, float]:
    """Return for each kind of place the least probability that gives the wanted precision and false alarms."""
    steps = [step / 100 for step in range(30, 96, 2)]
    thresholds: dict[str, float] = {}
    for kind in sorted({sample.kind for sample in samples}):
        for threshold in steps:
            found = [samples[number] for number in reported(samples, probabilities, {kind: threshold})]
            partial = [sample for sample in found if trials[sample.trial].mode != "none"]
            right = sum(sample.right for sample in partial)
            if right >= MIN_RIGHT and right >= PRECISION * len(partial):
                thresholds[kind] = threshold
                break
    while thresholds:
        figure = figures(trials, samples, probabilities, thresholds)
        raised = {kind: threshold + 0.02 for kind, threshold in thresholds.items() if threshold + 0.02 < 1}
        if figure["false alarms"] <= FALSE_ALARMS or not raised:
            break
        thresholds = raised
    return {kind: round(threshold, 2) for kind, threshold in thresholds.items()}


def figures(
    trials: Sequence[FinishTrial],
    samples: Sequence[FinishSample],
    probabilities: Sequence[float],
    thresholds: Mapping[str, float],
) -> dict[str, Any]:
    """Return recall of repeating hunks and precision by what was left out, and false alarms on whole commits."""
    out: dict[str, Any] = {}
    found = [samples[number] for number in reported(samples, probabilities, thresholds)]
    for mode in MODES:
        here = [sample for sample in found if trials[sample.trial].mode == mode]
        if mode == "none":
            whole = sum(trial.mode == mode for trial in trials)
            out["false alarms"] = round(len({sample.trial for sample in here}) / max(whole, 1), 4)
            continue
        wanted = sum(len(trial.repeating) for trial in trials if trial.mode == mode)
        made = {(sample.trial, hunk) for sample in here for hunk in sample.made}
        reached = sum(hunk in trials[number].repeating for number, hunk in made)
        right = sum(sample.right for sample in here)
        out[mode] = {
            "told": len(here),
            "precision": round(right / len(here), 3) if here else math.nan,
            "repeating": wanted,
            "recall": round(reached / max(wanted, 1), 3),
        }
    return out
