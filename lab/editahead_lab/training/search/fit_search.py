"""The weights of the features that order search results, fitted to questions whose answers are known.

These are the subjects of commits, which the chunks answer that they changed, and the documentation of functions, which is
taken out of the text first. Subjects alone would count the names of files for more than people's questions bear out, and
the names of definitions for less.

There is a set of them for a search without vectors, and one for a search with them. Code as a question is ordered by BM25
alone: weights that were fitted to the first hunks of commits found fewer of the other files that they changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from editahead_lab.commits.commit_records import read_commits, workspaces
from editahead_lab.search.indexed_files import IndexedFiles, indexed_files
from editahead_lab.search.replay import last_commits
from editahead_lab.search.tasks import DOCUMENTATION, SUBJECT, SearchTask, read_packages, tasks_of_commit
from editahead_retrieval.search.features import FEATURES, ORDERS, Candidate, load_weights
from editahead_retrieval.vectors.encoders import open_encoder

NOT_FITTED = frozenset({"literal", "newest", "open", "test", "generated", "automation"})
"""Features that commits do not show, or that people want otherwise: they keep their weights."""
SEED = 1
"""The seed of the choice of functions."""
SHRINKAGE = 0.01
"""What a unit of difference from the weight before costs, squared, beside the mean logarithm of the likelihood."""

DOCUMENTATION_WEIGHT = 0.25
"""What the documentation of a function counts, beside the subject of a commit."""

Floats = NDArray[np.float64]


class Example(NamedTuple):
    """A question.

    Attributes:
        features: The features of its candidates, a row each.
        shares: The share of the answer that each of them is.
        weight: What the question counts.
    """

    features: Floats
    shares: Floats
    weight: float = 1.0


def fit_search(
    commits: Path, per_repository: int, encoder: str, packages: Path | None = None, functions: int = 25
) -> dict[str, Any]:
    """Return the weights, as `weights.json` has them, with where they come from.

    Args:
        commits: The file of commits.
        per_repository: The last commits of each repository whose subjects are asked.
        encoder: The file of an encoder or the URL of a server, for the weights with vectors; "" leaves those weights as they
            are. It must not be trained on these commits and packages: what it has learnt of them would count too much.
        packages: A folder with packages, whose documented functions are asked for; None for subjects only.
        functions: The functions of each package that are asked for, at most.

    Raises:
        RecordError: The file cannot be read, or the folder has no package with documented functions.
        EncoderError: The encoder cannot be used.
    """
    subjects: dict[str, list[Example]] = {order: [] for order in ORDERS}
    documentation: dict[str, list[Example]] = {order: [] for order in ORDERS}
    for order, example in _subject_examples(commits, per_repository, encoder):
        subjects[order].append(example)
    if packages is not None:
        for order, example in _documentation_examples(packages, functions, encoder):
            documentation[order].append(example._replace(weight=DOCUMENTATION_WEIGHT))
    weights = {order: load_weights(order) for order in ORDERS}
    fitted: dict[str, str] = {}
    for order in ORDERS:
        examples = subjects[order] + documentation[order]
        if examples:
            weights[order] = _fitted(examples, weights[order])
            fitted[order] = f"the subjects of {len(subjects[order])} commits of {commits.name}"
        if documentation[order]:
            fitted[order] += f" and the documentation of {len(documentation[order])} functions"
    return {"fitted": fitted, "weights": weights}


def _fitted(examples: Sequence[Example], before: dict[str, float]) -> dict[str, float]:
    fitted = fit(examples, np.array([before[name] for name in FEATURES]))
    bias = -float(np.median([np.max(example.features @ fitted) for example in examples]))
    weights = {name: round(float(value), 3) for name, value in zip(FEATURES, fitted, strict=True)}
    return {"bias": round(bias, 3), **weights}


def fit(examples: Sequence[Example], before: Floats) -> Floats:
    """Return the weights with which the answers are the likeliest among the candidates of each question.

    Args:
        examples: The questions.
        before: The weights from which those of features without evidence hardly move.
    """
    from scipy.optimize import minimize

    free = np.array([name not in NOT_FITTED for name in FEATURES])
    count = sum(example.weight for example in examples)

    def loss(weights: Floats) -> tuple[float, Floats]:
        total, gradient = 0.0, np.zeros(len(FEATURES))
        for features, shares, weight in examples:
            scores = features @ weights
            scores -= scores.max()
            likely = np.exp(scores)
            likely /= likely.sum()
            total -= weight * float(shares @ np.log(likely + 1e-300))
            gradient -= weight * (features.T @ (shares - likely))
        moved = weights - before
        value = total / count + SHRINKAGE * float(moved @ moved)
        return value, (gradient / count + 2 * SHRINKAGE * moved) * free

    found: Floats = minimize(loss, before, jac=True, method="L-BFGS-B").x
    return found


def _subject_examples(commits: Path, per_repository: int, encoder: str) -> Iterator[tuple[str, Example]]:
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
                yield from _examples_of(tasks, indexed)


def _documentation_examples(packages: Path, functions: int, encoder: str) -> Iterator[tuple[str, Example]]:
    """Yield the set of weights that a question has, and its candidates, package by package."""
    opened = open_encoder(encoder) if encoder else None
    for package in read_packages(packages, functions, SEED):
        with indexed_files(opened) as indexed:
            indexed.update(package.files)
            # What people ask is kept to measure on.
            tasks = [task for task in package.tasks if task.kind == DOCUMENTATION]
            yield from _examples_of(tasks, indexed)


def _examples_of(tasks: Sequence[SearchTask], indexed: IndexedFiles) -> Iterator[tuple[str, Example]]:
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
        yield found[0].order, Example(np.array(rows), right / right.sum())
