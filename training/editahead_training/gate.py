"""Fits the gate's weights to real commits, and writes them as a small file (`editahead train gate`).

Needs the extra `train`. The result names the data, the seed and the figures on shards that were set aside.
"""

from __future__ import annotations

import io
import json
import random
import sys
from array import array
from collections import defaultdict
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple

from editahead_inference.candidates import Predictor
from editahead_inference.pipeline import candidates_of, default_predictors
from editahead_inference.situation import Situation
from editahead_inference.trees import Trees, probability
from editahead_prompts.syntax import SyntaxTrees

from .moments import Order, TrainingMoment, moments, moments_across

MAX_CHARACTERS = 40_000
"""Longer files are left out, as in the evaluation."""
Play = Order | Literal["two files"]
_WEIGHTS: dict[Play, float] = {
    "file order": 1.5,
    "typing": 0.25,
    "shuffled": 0.75,
    "by line": 0.75,
    "two files": 0.5,
}
"""What a moment counts, by the way in which the hunks were made. Names of which half is typed are like new names: the more
moments inside of hunks count, the fewer renames are shown after one example."""
_PART: dict[Play, int] = {"file order": 1, "typing": 2, "shuffled": 3, "by line": 3, "two files": 3}
"""One in so many of the files is played in this way. Inside of hunks there are more moments than after them."""
_TREES = {
    "max_iter": 100,
    "learning_rate": 0.12,
    "max_leaf_nodes": 16,
    "min_samples_leaf": 50,
    "l2_regularization": 5.0,
    "early_stopping": False,
    "random_state": 0,
}


class Row(NamedTuple):
    """A candidate: its features by name, and what it is worth."""

    names: tuple[str, ...]
    values: array[float]
    worth: float

    @property
    def features(self) -> dict[str, float]:
        return dict(zip(self.names, self.values, strict=True))

    @property
    def given(self) -> float | None:
        """The probability that its predictor knows itself; the fit leaves such candidates alone."""
        return self.features["confidence"] if "confidence" in self.names else None


class Moment(NamedTuple):
    is_opportunity: bool
    rows: list[Row]


def _sample(path: Path, files: int, seed: int) -> list[list[dict[str, Any]]]:
    """A fair sample of one shard's records, by reservoir: the shard is read once and never held whole.

    Each record comes with the one before it in the shard when both are of one commit.
    """
    import zstandard

    rng = random.Random(f"{seed}:{path.name}")
    kept: list[tuple[str, str]] = []
    previous = ""
    with path.open("rb") as file:
        reader = zstandard.ZstdDecompressor(max_window_size=2**31).stream_reader(file)
        for number, line in enumerate(io.TextIOWrapper(reader, "utf-8", newline="\n")):
            if number < files:
                kept.append((line, previous))
            elif (place := rng.randrange(number + 1)) < files:
                kept[place] = line, previous
            previous = line
    out = []
    for lines in kept:
        records = [json.loads(line) for line in lines if line]
        same = [r for r in records if r["commit"] == records[0]["commit"] and r["repo"] == records[0]["repo"]]
        if all(len(record["before"]) < MAX_CHARACTERS for record in same):
            out.append(same)
    return out


def _moments_of(records: list[dict[str, Any]], *, play: Play) -> list[Moment]:
    """The moments of the first record; of both when two files are asked for."""
    if play == "two files":
        first, *other = records
        found = moments_across(other[0], first) if other and other[0]["path"] != first["path"] else iter(())
    else:
        found = moments(records[0], play)
    trees = SyntaxTrees()
    predictors = default_predictors(trees)
    return [_rows(moment, predictors, trees) for moment in found]


def _rows(moment: TrainingMoment, predictors: Sequence[Predictor], trees: SyntaxTrees) -> Moment:
    situation = Situation(moment.state, trees)
    rows = []
    for candidate in candidates_of(moment.state, predictors):
        features = situation.of(candidate)
        names = tuple(map(sys.intern, features))
        rows.append(Row(names, array("f", features.values()), moment.worth(candidate)))
    return Moment(moment.is_opportunity, rows)


def collect(shards: Sequence[Path], files: int, *, seed: int, play: Play, jobs: int) -> list[Moment]:
    """The moments of `files` records of each shard, or of a part of them (`_PART`), played in one way."""
    files = max(files // _PART[play], 1)
    samples = [sample for shard in shards for sample in _sample(shard, files, seed)]
    known: dict[tuple[str, ...], tuple[str, ...]] = {}
    out = []
    with ProcessPoolExecutor(jobs) as pool:
        for found in pool.map(partial(_moments_of, play=play), samples, chunksize=16):
            for moment in found:
                rows = [row._replace(names=known.setdefault(row.names, row.names)) for row in moment.rows]
                out.append(Moment(moment.is_opportunity, rows))
    return out


def fit(played: Mapping[Play, Sequence[Moment]]) -> dict[str, Any]:
    """Boosted trees over the candidates' features, in the format of `editahead_inference.trees`."""
    import numpy as np
    from sklearn.ensemble import HistGradientBoostingClassifier

    rows = [
        (row, _WEIGHTS[play])
        for play, moments in played.items()
        for moment in moments
        for row in moment.rows
        if row.given is None
    ]
    names = sorted({name for row, _ in rows for name in row.names})
    column = {name: number for number, name in enumerate(names)}
    values = np.zeros((len(rows), len(names)), np.float32)
    for number, (row, _) in enumerate(rows):
        values[number, [column[name] for name in row.names]] = row.values
    worth = np.array([row.worth for row, _ in rows])
    weights = np.array([weight for _, weight in rows])
    # What is worth a part counts as accepted for that part, and as not accepted for the rest.
    part = (worth > 0) & (worth < 1)
    model = HistGradientBoostingClassifier(**_TREES).fit(
        np.concatenate([values, values[part]]),
        np.concatenate([worth > 0, np.zeros(part.sum(), bool)]),
        sample_weight=np.concatenate([weights * np.where(part, worth, 1.0), (weights * (1 - worth))[part]]),
    )
    data = {
        "features": names,
        "bias": float(model._baseline_prediction[0, 0]),
        "trees": _exported(model, names),
    }
    own, theirs = Trees(data), model.predict_proba(values[:500])[:, 1]
    for (row, _), expected in zip(rows, theirs, strict=False):
        if abs(probability(own.log_odds(row.features)) - expected) > 1e-3:
            raise RuntimeError("the exported trees do not give scikit-learn's probabilities")
    return data


def _exported(model: Any, names: Sequence[str]) -> list[Any]:
    def node(nodes: Any, at: int) -> Any:
        n = nodes[at]
        if n["is_leaf"]:
            return round(float(n["value"]), 4)
        name, threshold = names[n["feature_idx"]], round(float(n["num_threshold"]), 9)
        return [name, threshold, node(nodes, n["left"]), node(nodes, n["right"])]

    return [node(trees[0].nodes, 0) for trees in model._predictors]


def figures(model: Trees, moments: Sequence[Moment], threshold: float) -> dict[str, float]:
    """What showing the best candidate above the threshold gives: the evaluation's figures, without the hard rules.

    calibration_error: how far, on average, the probability of what is shown is from how often it is right, in ten bins.
    """
    opportunities = sum(moment.is_opportunity for moment in moments)
    right = after_the_end = reachable = 0
    shown: list[tuple[float, bool]] = []
    for is_opportunity, rows in moments:
        edits = [row for row in rows if "kind:call-site" not in row.names]
        reachable += is_opportunity and any(row.worth == 1 for row in edits)
        best, worth = max(((_confidence(model, row), row.worth) for row in edits), default=(0.0, 0.0))
        if best > threshold:
            shown.append((best, is_opportunity and worth == 1))
            right += is_opportunity and worth == 1
            after_the_end += not is_opportunity
    return {
        "moments": len(moments),
        "opportunities": opportunities,
        "reachable": round(reachable / max(opportunities, 1), 4),
        "coverage": round(right / max(opportunities, 1), 4),
        "precision": round(right / max(len(shown) - after_the_end, 1), 4),
        "false_end": round(after_the_end / max(len(moments) - opportunities, 1), 4),
        "wrong": round((len(shown) - right) / max(len(moments), 1), 4),
        "calibration_error": round(calibration_error(shown), 4),
    }


def _confidence(model: Trees, row: Row) -> float:
    return probability(model.log_odds(row.features)) if row.given is None else row.given


def calibration_error(predicted: Sequence[tuple[float, bool]]) -> float:
    """The expected calibration error of (probability, was right) in ten equal bins."""
    bins: dict[int, list[tuple[float, bool]]] = defaultdict(list)
    for p, right in predicted:
        bins[min(int(10 * p), 9)].append((p, right))
    gaps = (abs(sum(p for p, _ in bin) - sum(right for _, right in bin)) for bin in bins.values())
    return sum(gaps) / max(len(predicted), 1)


def train(edits: Path, out: Path, *, files: int, seed: int, jobs: int, threshold: float) -> dict[str, Any]:
    """Fit on all `train-*` shards in the folder but the last two, measure on those, write the model to `out`.

    Raises FileNotFoundError when there are fewer than three shards.
    """
    shards = sorted(edits.glob("train-*.jsonl.zst"))
    if len(shards) < 3:
        raise FileNotFoundError(f"{edits} holds {len(shards)} train-*.jsonl.zst files; at least 3 are needed")
    fitted, aside = shards[:-2], shards[-2:]
    data = fit({play: collect(fitted, files, seed=seed, play=play, jobs=jobs) for play in _WEIGHTS})
    model = Trees(data)
    measured = {
        play: figures(model, collect(aside, files, seed=seed, play=play, jobs=jobs), threshold)
        for play in _WEIGHTS
    }
    provenance = {
        "made by": f"editahead train gate --files {files} --seed {seed}",
        "fitted on": [shard.name for shard in fitted],
        "measured on": [shard.name for shard in aside],
        "threshold": threshold,
        "figures": measured,
    }
    lines = ",\n".join(json.dumps(tree, separators=(",", ":")) for tree in data["trees"])
    head = json.dumps(
        {"provenance": provenance, "features": data["features"], "bias": data["bias"]}, indent=1
    )
    out.write_text(f'{head[:-2]},\n "trees": [\n{lines}\n]}}\n', "utf-8")
    return provenance
