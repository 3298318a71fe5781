"""Fits the weights of the completion at the cursor to typed commits (`editahead-lab train completion`).

Needs the extra `train`. The trees give the probability that the next piece of a completion is what the person types, given
that the pieces before are. They are fitted to half of the shards, and the curve for whole completions to the other half:
of what they have seen, the trees would be too sure, and so is a maximum over several lengths. The figures are measured on
the last two shards, which neither has seen. For the same reason, a commit never meets the language's counts (`languages/`)
of its own repository: what is shipped counts all repositories, and what is fitted and measured here counts the other half.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

from editahead_inference.predictors.completion.language_ngrams import FAMILIES, LanguageNgrams
from editahead_inference.predictors.completion.open_texts import OpenTexts
from editahead_inference.predictors.completion.place import place_at
from editahead_inference.predictors.completion.predictor import (
    MIN_PROBABILITY,
    CompletionText,
    CompletionWeights,
    is_typing,
)
from editahead_inference.predictors.completion.steps import find_steps
from editahead_lab.process_pool import process_pool
from editahead_lab.training.data.shards import sample, sample_commits, train_shards
from editahead_lab.training.gate.fit_calibration import fit_curve
from editahead_lab.training.gate.fit_trees import export_trees

from .language_counts import common_counts, count_repositories
from .typed_keys import Commit, typed_keys

COUNTED = 2000
"""Records of each shard in which the languages are counted."""
FITTED_SHARE = 0.5
"""The share of the keys whose steps the trees are fitted to: neighbouring keys tell nearly the same."""
_TREES = {
    "max_iter": 70,
    "learning_rate": 0.12,
    "max_leaf_nodes": 16,
    "min_samples_leaf": 60,
    "l2_regularization": 5.0,
    "early_stopping": False,
    "random_state": 0,
}

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class StepRow:
    """The features of one step, and whether the person typed it."""

    features: dict[str, float]
    right: bool


@dataclass(frozen=True, slots=True)
class Shown:
    """A completion when it is first shown.

    Attributes:
        stated: The product of its steps' probabilities.
        right: Whether the person typed just that.
        half_right: Whether the person typed half of it, at least.
        at_end: Whether all of the span was typed.
        saved: Keys that its accept saves; 0 if an earlier one saves them.
    """

    stated: float
    right: bool
    half_right: bool
    at_end: bool
    saved: int


@dataclass(frozen=True, slots=True)
class TypingSession:
    """What is shown while one commit is typed."""

    keys: int
    shown: tuple[Shown, ...]


@dataclass(frozen=True, slots=True)
class Figures:
    """What completions are worth, per 100 keys, and how far their probability is from the truth on average."""

    keys: int
    shown: float
    right: float
    wrong: float
    saved: float
    precision: float
    calibration_error: float


class LanguageHalves:
    """The counts of the languages without a repository: those of the half that it is not in.

    Args:
        shards: The shards that are counted.
        files: Records of each shard.
        seed: The seed of their choice.
    """

    def __init__(self, shards: Sequence[Path], files: int, seed: int) -> None:
        counted = count_repositories(
            chain.from_iterable(sample(shard, files, seed) for shard in shards), seed
        )
        self.shipped: dict[str, dict[str, Any]] = {}
        self._half: dict[tuple[str, str], int] = {}
        self._of_half: dict[tuple[str, int], LanguageNgrams] = {}
        for family in sorted({family for family, _ in counted}):
            names = [name for each, name in counted if each == family]
            self.shipped[family] = common_counts([counted[family, name] for name in names])
            self._half |= {(family, name): at % 2 for at, name in enumerate(names)}
            for half in (0, 1):
                kept = [counted[family, name] for name in names[half::2]]
                self._of_half[family, half] = LanguageNgrams(common_counts(kept))

    def without(self, repo: str, language: str) -> LanguageNgrams | None:
        """Return the counts for an LSP language id that hold nothing of a repository."""
        family = FAMILIES.get(language, "")
        return self._of_half.get((family, 1 - self._half.get((family, repo), 0)))


_halves = LanguageHalves((), 0, 0)
"""The counts in a worker process."""


def _begin(halves: LanguageHalves) -> None:
    global _halves
    _halves = halves


def _open_texts(commit: Commit) -> OpenTexts:
    return OpenTexts(partial(_halves.without, commit[0]["repo"]))


def step_rows(commit: Commit) -> list[StepRow]:
    """Return the steps of completions at some of the keys of a commit, up to the first wrong one at each."""
    texts, rng = _open_texts(commit), random.Random(commit[0]["id"])
    out: list[StepRow] = []
    for key in typed_keys(commit):
        if not is_typing(key.state) or (key.rest and rng.random() > FITTED_SHARE):
            continue
        at = 0
        for step in find_steps(texts.model_at(key.state, _never), place_at(key.state)):
            right = key.rest.startswith(step.text, at)
            out.append(StepRow(step.features, right))
            at += len(step.text)
            if not right:
                break
    return out


def typing_session(commit: Commit, *, weights: dict[str, Any], min_probability: float) -> TypingSession:
    """Return what is shown while a commit is typed. A completion stays while the person types along it.

    Args:
        weights: The content of weights.json.
        min_probability: The probability, after calibration, from which a completion is shown.
    """
    judge, texts = CompletionWeights(weights), _open_texts(commit)
    shown: list[Shown] = []
    keys = 0
    span, visible_to, free_from = -1, 0, 0
    for key in typed_keys(commit):
        keys += 1
        left = len(key.rest)
        if key.span != span:
            span, visible_to, free_from = key.span, left + 1, left
        if left >= visible_to or not is_typing(key.state):
            continue
        found = judge.best_text(find_steps(texts.model_at(key.state, _never), place_at(key.state)))
        if found is None or judge.calibrated(found) < min_probability:
            continue
        same = _common_length(found.text, key.rest)
        right = same == len(found.text)
        saves = right and left <= free_from
        shown.append(_shown(found, right, same, left, saves))
        free_from = left - same if saves else free_from
        visible_to = left - min(same, len(found.text) - 2)  # the last character is not shown
    return TypingSession(keys, tuple(shown))


def _shown(found: CompletionText, right: bool, same: int, left: int, saves: bool) -> Shown:
    length = len(found.text)
    return Shown(found.stated, right, 2 * same >= length, not left, length - 1 if saves else 0)


def _common_length(one: str, other: str) -> int:
    return next(
        (n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )


def fit_step_trees(rows: Sequence[StepRow]) -> dict[str, Any]:
    """Fit boosted trees to steps, in the format of `editahead_inference.gate.decision_trees`."""
    import numpy as np
    from sklearn.ensemble import HistGradientBoostingClassifier

    names = sorted({name for row in rows for name in row.features})
    values = np.array([[row.features.get(name, 0.0) for name in names] for row in rows])
    model = HistGradientBoostingClassifier(**_TREES).fit(values, [row.right for row in rows])
    return export_trees(model, names, [row.features for row in rows[:500]])


def figures(sessions: Iterable[TypingSession], weights: dict[str, Any]) -> Figures:
    """Return the figures of some sessions."""
    judge, keys = CompletionWeights(weights), 0
    shown: list[Shown] = []
    for session in sessions:
        keys += session.keys
        shown += session.shown
    of_100 = 100 / max(keys, 1)
    right = sum(one.right for one in shown)
    bins: dict[int, list[float]] = {}
    for one in shown:
        probability = judge.calibrated(CompletionText("", one.stated))
        bins.setdefault(int(10 * probability), []).append(one.right - probability)
    error = sum(abs(sum(differences)) for differences in bins.values()) / max(len(shown), 1)
    return Figures(
        keys=keys,
        shown=round(of_100 * len(shown), 2),
        right=round(of_100 * right, 2),
        wrong=round(of_100 * sum(not one.half_right for one in shown), 2),
        saved=round(of_100 * sum(one.saved for one in shown), 2),
        precision=round(right / max(len(shown), 1), 4),
        calibration_error=round(error, 4),
    )


def train(
    edits: Path, out: Path, *, commits: int, seed: int, jobs: int, min_probability: float
) -> dict[str, Any]:
    """Fit on all `train-*` shards except the last two, measure on these, write the weights, return their provenance.

    Args:
        edits: The folder of the shards.
        out: The file to write.
        commits: Commits of each shard.
        seed: The seed of their choice.
        jobs: Processes.
        min_probability: The probability from which the figures count a completion as shown.

    Raises:
        FileNotFoundError: There are fewer than four shards.
    """
    shards = train_shards(edits, min_count=4)
    fitted, aside = shards[:-2], shards[-2:]
    halves = LanguageHalves(fitted, COUNTED, seed)

    def run(work: Callable[[Commit], T], shards: Sequence[Path]) -> list[T]:
        chosen = [commit for shard in shards for commit in sample_commits(shard, commits, seed)]
        with process_pool(jobs, initializer=_begin, initargs=(halves,)) as pool:
            return list(pool.map(work, chosen, chunksize=4))

    weights = fit_step_trees(list(chain.from_iterable(run(step_rows, fitted[::2]))))
    sessions = run(partial(typing_session, weights=weights, min_probability=MIN_PROBABILITY), fitted[1::2])
    pairs = [(one.stated, one.right) for session in sessions for one in session.shown]
    weights["calibration"] = fit_curve(pairs)
    measured = figures(
        run(partial(typing_session, weights=weights, min_probability=min_probability), aside), weights
    )
    provenance = {
        "made by": f"editahead-lab train completion commits={commits} seed={seed}",
        "fitted on": [shard.name for shard in fitted],
        "measured on": [shard.name for shard in aside],
        "threshold": min_probability,
        "figures": asdict(measured),
    }
    parts = {name: json.dumps(weights[name]) for name in ("calibration", "features", "bias")}
    parts["trees"] = (
        "[\n" + ",\n".join(json.dumps(t, separators=(",", ":")) for t in weights["trees"]) + "\n]"
    )
    parts = {"provenance": json.dumps(provenance, indent=1), **parts}
    (out.parent / "languages").mkdir(exist_ok=True)
    for family, counts in halves.shipped.items():
        _write_counts(out.parent / "languages" / f"{family}.json", counts)
    out.write_text("{\n" + ",\n".join(f'"{name}": {part}' for name, part in parts.items()) + "\n}\n", "utf-8")
    return provenance


def _write_counts(file: Path, counts: dict[str, dict[str, Any]]) -> None:
    parts = [
        f"{json.dumps(name)}: {{\n"
        + ",\n".join(
            f"{json.dumps(key)}:{json.dumps(value, separators=(',', ':'))}" for key, value in part.items()
        )
        + "\n}"
        for name, part in counts.items()
    ]
    file.write_text("{\n" + ",\n".join(parts) + "\n}\n", "utf-8")


def _never() -> None:
    pass
