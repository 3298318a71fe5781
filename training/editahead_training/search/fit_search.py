"""The weights of the features that order search results, fitted to the subjects of commits and the chunks they changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from editahead_evals.data.commit_records import read_commits, workspaces
from editahead_evals.search.indexed_files import indexed_files
from editahead_evals.search.replay import last_commits
from editahead_evals.search.tasks import SUBJECT, tasks_of_commit
from editahead_retrieval.search.features import FEATURES, load_weights

NOT_FITTED = frozenset({"vectors", "newest", "open", "test", "generated"})
"""Features that commits do not show, or that people want otherwise: they keep their weights."""
SHRINKAGE = 0.01
"""What a unit of difference from the weight before costs, squared, beside the mean logarithm of the likelihood."""

Floats = NDArray[np.float64]
Example = tuple[Floats, Floats]
"""The features of the candidates of one question, a row each, and the share of the answer that each of them is."""


def fit_search(commits: Path, per_repository: int) -> dict[str, Any]:
    """Return the weights, as `weights.json` has them, with where they come from.

    Args:
        commits: The file of commits.
        per_repository: The last commits of each repository whose subjects are asked.

    Raises:
        RecordError: The file cannot be read.
    """
    examples = list(_examples(commits, per_repository))
    before = load_weights()
    fitted = fit(examples, np.array([before[name] for name in FEATURES]))
    weights = {name: round(float(value), 3) for name, value in zip(FEATURES, fitted, strict=True)}
    bias = -float(np.median([np.max(features @ fitted) for features, _ in examples]))
    return {
        "fitted": f"the subjects of {len(examples)} commits of {commits.name}",
        "weights": {"bias": round(bias, 3), **weights},
    }


def fit(examples: Sequence[Example], before: Floats) -> Floats:
    """Return the weights with which the answers are the likeliest among the candidates of each question.

    Args:
        examples: The questions.
        before: The weights from which those of features without evidence hardly move.
    """
    free = np.array([name not in NOT_FITTED for name in FEATURES])

    def loss(weights: Floats) -> tuple[float, Floats]:
        total, gradient = 0.0, np.zeros(len(FEATURES))
        for features, shares in examples:
            scores = features @ weights
            scores -= scores.max()
            likely = np.exp(scores)
            likely /= likely.sum()
            total -= float(shares @ np.log(likely + 1e-300))
            gradient -= features.T @ (shares - likely)
        moved = weights - before
        value = total / len(examples) + SHRINKAGE * float(moved @ moved)
        return value, (gradient / len(examples) + 2 * SHRINKAGE * moved) * free

    found: Floats = minimize(loss, before, jac=True, method="L-BFGS-B").x
    return found


def _examples(commits: Path, per_repository: int) -> Iterator[Example]:
    chosen = {commit.id for commit in last_commits(commits, per_repository)}
    with indexed_files() as indexed:
        for workspace in workspaces(read_commits(commits)):
            if workspace.commit.id not in chosen:
                continue
            for task in tasks_of_commit(workspace.commit):
                if task.kind != SUBJECT:
                    continue
                indexed.update(workspace.files)
                found = indexed.search.candidates(task.question)
                right = np.array(
                    [(candidate.place.path, candidate.place.line) in task.chunks for candidate in found],
                    dtype=np.float64,
                )
                if 0 < right.sum() < len(right):
                    rows = [[candidate.values[name] for name in FEATURES] for candidate in found]
                    yield np.array(rows), right / right.sum()
