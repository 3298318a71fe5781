"""Fits the terms for edits in files that are not open (`editahead-lab train closed-files`) to commits of several files.

One file of a commit is open and gets its hunks; all others, and what else is known of the repository, are closed. The best
candidate of each closed file is compared with what the commit does there.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from editahead_evals.data.commit_replay import Hunk, diff
from editahead_inference.candidates import CLOSED
from editahead_inference.gate.closed_files import closed_features, closed_threshold
from editahead_inference.gate.decision_trees import sigmoid
from editahead_inference.gate.gate import Gate
from editahead_inference.pipeline import Pipeline
from editahead_lab.commits.commit_records import FileChange, Workspace, read_commits, workspaces
from editahead_lab.training.data.commit_codebase import CommitCodebase
from editahead_lab.training.data.replay_moments import ROOT, TrainingMoment, cursor_after
from editahead_prompts.history.edit_history import EditHistory
from editahead_prompts.state import EditorState
from editahead_prompts.text.edits import Edit, apply_to_lines
from editahead_prompts.text.snapshot import Snapshot, split_lines

MAX_HUNKS = 25
"""Hunks of one commit that are replayed, so that no large commit dominates."""
KEY_S = 0.2
"""Seconds for a typed character."""
PRECISION = 3.0
"""Of the prior, around 0, of each term over standardized features."""
FOLDS = 5
"""Parts of the repositories; each is judged by terms fitted to the others."""


@dataclass(frozen=True)
class ClosedSample:
    """One candidate in a closed file.

    Attributes:
        repo: The repository.
        moment: The number of the moment that proposed it, counted over all commits.
        commit: The number of the commit.
        features: What `closed_features` tells of it.
        worth: What it was worth, 0..1.
        weight: The weight of the sample: one for a whole commit.
    """

    repo: str
    moment: int
    commit: int
    features: dict[str, float]
    worth: float
    weight: float


def train(commits: Path, out: Path, *, every: int = 1) -> dict[str, Any]:
    """Fit the terms to a file of commits, write them as JSON, and return their provenance.

    Args:
        commits: Commits of several files (`*.jsonl.zst`).
        out: The file to write.
        every: Use each commit whose number can be divided by it.

    Raises:
        OSError: `out` cannot be written.
        RecordError: The commits cannot be read.
        ValueError: There are too few candidates.
    """
    chosen = list(_numbered(workspaces(read_commits(commits)), every))
    samples = [sample for samples in chosen for sample in samples]
    if len({sample.repo for sample in samples if sample.worth}) < 2:
        raise ValueError(f"{commits}: too few edits follow in other files")
    terms = fit(samples)
    provenance = {
        "fitted on": commits.name,
        "commits": len(chosen),
        "candidates": len(samples),
        "figures": figures(samples, len(chosen)),
    }
    out.write_text(json.dumps({"terms": terms, "provenance": provenance}, indent=1) + "\n", "utf-8")
    return provenance


def _numbered(known: Iterator[Workspace], every: int) -> Iterator[list[ClosedSample]]:
    codebase, gate = CommitCodebase(), Gate()
    for number, workspace in enumerate(known):
        if number % every == 0:
            codebase.update(workspace.files)
            yield _samples(workspace, number, codebase, gate)


def _samples(workspace: Workspace, number: int, codebase: CommitCodebase, gate: Gate) -> list[ClosedSample]:
    """Return the candidates in closed files while one file of a commit is edited."""
    code = workspace.commit.modified_code
    if not code:
        return []
    first = random.Random(workspace.commit.id).choice(code)
    remaining = {
        f"{ROOT}/{file.path}": diff(split_lines(file.before or ""), split_lines(file.after or ""))
        for file in workspace.commit.files
        if file.status == "M" and file is not first
    }
    states = list(edited_states(first))
    codebase.open_uri = f"{ROOT}/{first.path}"
    pipeline = Pipeline(gate=gate, codebase=codebase)
    samples = []
    for step, state in enumerate(states):
        prediction = pipeline.predict(state, eagerness=1.0)
        if prediction.is_partial:
            pipeline.search_on(state)
            prediction = pipeline.predict(state, eagerness=1.0)
        for decision in prediction.decisions:
            candidate = decision.candidate
            if CLOSED not in candidate.features or not candidate.edit:
                continue
            if decision.reason not in (None, "below-threshold"):
                continue  # a hard rule keeps it back, however likely it is
            snapshot = prediction.state.snapshot(candidate.uri)
            assert snapshot is not None  # it is one of the closed documents
            hunks: tuple[Hunk, ...] = remaining.get(candidate.uri, ())
            worth = TrainingMoment(EditorState(snapshot, 0), hunks).worth_of(candidate)
            as_open = gate.confidence_if_open(state, candidate)
            features = closed_features(prediction.state, candidate, as_open)
            moment = number * (MAX_HUNKS + 1) + step
            samples.append(
                ClosedSample(workspace.commit.repo, moment, number, features, worth, 1 / len(states))
            )
    return samples


def edited_states(file: FileChange) -> Iterator[EditorState]:
    """Yield the state after each of the file's first hunks, with no other file open."""
    uri = f"{ROOT}/{file.path}"
    document = Snapshot.from_text(file.before or "", uri=uri, language=file.language or "plaintext")
    history = EditHistory()
    history.on_open(document)
    waiting = list(diff(document.lines, split_lines(file.after or "")))
    at = 0.0
    for number in range(1, min(len(waiting), MAX_HUNKS) + 1):
        hunk, *rest = waiting
        starts = (*document.starts, document.length)
        edit = Edit.replace(starts[hunk.start], starts[hunk.end], "".join(hunk.new))
        after = Snapshot(uri, document.language, number, apply_to_lines(document, edit))
        at += KEY_S * sum(map(len, hunk.new))
        history.record_change(document, after, edit, at=at)
        document = after
        waiting = [later.moved(len(hunk.new) - len(hunk.old)) for later in rest]
        yield EditorState(
            document, cursor_after(document, hunk), history.edits, undone=history.undone, index_version=1
        )


def fit(samples: Sequence[ClosedSample]) -> dict[str, float]:
    """Fit the terms by logistic regression, with a normal prior on the terms of standardized features."""
    import numpy as np
    from scipy.optimize import minimize

    names = sorted(samples[0].features)
    values = np.array([[sample.features[name] for name in names] for sample in samples])
    mean, spread = values.mean(0), values.std(0)
    constant = spread < 1e-9
    mean[constant], spread[constant] = 0.0, 1.0
    values = (values - mean) / spread
    worth = np.array([sample.worth for sample in samples])
    weight = np.array([sample.weight for sample in samples])

    def loss(terms: Any) -> tuple[float, Any]:
        log_odds = values @ terms
        off = weight * (1 / (1 + np.exp(-log_odds)) - worth)
        total = np.sum(weight * (np.logaddexp(0, log_odds) - worth * log_odds))
        return float(total + PRECISION * terms @ terms / 2), values.T @ off + PRECISION * terms

    found = minimize(loss, np.zeros(len(names)), jac=True, method="L-BFGS-B").x / spread
    terms = {name: round(float(term), 4) for name, term in zip(names, found, strict=True)}
    terms["one"] = round(terms["one"] - float(found @ (mean * ~constant)), 4)
    return terms


def figures(samples: Sequence[ClosedSample], commits: int) -> dict[str, float]:
    """Return what the best candidate of each moment is worth at the default threshold.

    Each repository is judged by terms that did not see it.
    """
    repositories = sorted({sample.repo for sample in samples})
    shown = right = 0
    met: set[int] = set()
    for fold in range(min(FOLDS, len(repositories))):
        judged = set(repositories[fold::FOLDS])
        terms = fit([sample for sample in samples if sample.repo not in judged])
        best: dict[int, tuple[float, ClosedSample]] = {}
        for sample in samples:
            if sample.repo in judged:
                probability = _probability(terms, sample)
                if sample.moment not in best or best[sample.moment][0] < probability:
                    best[sample.moment] = probability, sample
        for probability, sample in best.values():
            if probability > closed_threshold(0.5):
                shown += 1
                right += sample.worth == 1.0
                met |= {sample.commit} if sample.worth == 1.0 else set()
    return {
        "shown": shown,
        "precision": round(right / max(shown, 1), 3),
        "commits with a right edit": round(len(met) / max(commits, 1), 3),
    }


def _probability(terms: Mapping[str, float], sample: ClosedSample) -> float:
    return sigmoid(sum(terms[name] * value for name, value in sample.features.items()))
