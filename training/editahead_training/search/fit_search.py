"""The weights of the features that order search results, fitted to the subjects of commits and the chunks they changed.

There is a set of them for a search without vectors, and one for a search with them. Code as a question is ordered by BM25
alone: weights that were fitted to the first hunks of commits found fewer of the other files that they changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from editahead_evals.data.commit_records import read_commits, workspaces
from editahead_evals.search.indexed_files import indexed_files
from editahead_evals.search.replay import last_commits
from editahead_evals.search.tasks import SUBJECT, SearchTask, tasks_of_commit
from editahead_retrieval.search.features import FEATURES, ORDERS, Candidate, load_weights
from editahead_retrieval.vectors.encoders import open_encoder

NOT_FITTED = frozenset({"literal", "newest", "open", "test", "generated"})
"""Features that commits do not show, or that people want otherwise: they keep their weights."""
SHRINKAGE = 0.01
"""What a unit of difference from the weight before costs, squared, beside the mean logarithm of the likelihood."""

Floats = NDArray[np.float64]
Example = tuple[Floats, Floats]
"""The features of the candidates of one question, a row each, and the share of the answer that each of them is."""


def fit_search(commits: Path, per_repository: int, encoder: str) -> dict[str, Any]:
    """Return the weights, as `weights.json` has them, with where they come from.

    Args:
        commits: The file of commits.
        per_repository: The last commits of each repository whose subjects are asked.
        encoder: The file of an encoder or the URL of a server, for the weights with vectors; "" leaves those weights as they
            are. It must not be trained on these commits: what it has learnt of them would count too much.

    Raises:
        RecordError: The file cannot be read.
        EncoderError: The encoder cannot be used.
    """
    by_order: dict[str, list[Example]] = {order: [] for order in ORDERS}
    for order, example in _examples(commits, per_repository, encoder):
        by_order[order].append(example)
    weights = {order: load_weights(order) for order in ORDERS}
    for order, examples in by_order.items():
        if examples:
            weights[order] = _fitted(examples, weights[order])
    return {
        "fitted": {
            order: f"the subjects of {len(found)} commits of {commits.name}"
            for order, found in by_order.items()
            if found
        },
        "weights": weights,
    }


def _fitted(examples: Sequence[Example], before: dict[str, float]) -> dict[str, float]:
    fitted = fit(examples, np.array([before[name] for name in FEATURES]))
    bias = -float(np.median([np.max(features @ fitted) for features, _ in examples]))
    weights = {name: round(float(value), 3) for name, value in zip(FEATURES, fitted, strict=True)}
    return {"bias": round(bias, 3), **weights}


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


def _examples(commits: Path, per_repository: int, encoder: str) -> Iterator[tuple[str, Example]]:
    """Yield the set of weights that a question has, and its candidates."""
    chosen = {commit.id for commit in last_commits(commits, per_repository)}
    opened = open_encoder(encoder) if encoder else None
    for _, group in groupby(workspaces(read_commits(commits)), lambda workspace: workspace.commit.repo):
        with indexed_files(opened) as indexed:
            for workspace in group:
                asked = tasks_of_commit(workspace.commit) if workspace.commit.id in chosen else ()
                tasks = [task for task in asked if task.kind == SUBJECT]
                if tasks:
                    indexed.update(workspace.files)
                for task in tasks:
                    for search in (indexed.search, indexed.search_with_vectors):
                        found = [] if search is None else search.candidates(task.question)
                        yield from _example(task, found)


def _example(task: SearchTask, found: Sequence[Candidate]) -> Iterator[tuple[str, Example]]:
    right = np.array(
        [(candidate.place.path, candidate.place.line) in task.chunks for candidate in found], dtype=np.float64
    )
    if 0 < right.sum() < len(right):
        rows = [[candidate.values[name] for name in FEATURES] for candidate in found]
        yield found[0].order, (np.array(rows), right / right.sum())
