"""Fits the gate's weights to real commits, and writes them as a small file (`editahead train gate`).

Needs the extra `train`. The result names the data, the seed and the figures on shards that were set aside.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from editahead_inference.propagation.index import Index
from editahead_inference.propagation.sites import find_sites
from editahead_inference.trees import Trees, probability
from editahead_prompts.syntax import SyntaxTrees

from .moments import moments
from .shards import sample, train_shards

_WEIGHTS = {"file order": 1.0, "shuffled": 0.5, "by line": 0.5}
"""What a moment counts when the hunks were made in the file's order, in a shuffled one, or line by line."""
_TREES = {
    "max_iter": 60,
    "learning_rate": 0.15,
    "max_leaf_nodes": 16,
    "min_samples_leaf": 50,
    "l2_regularization": 5.0,
    "early_stopping": False,
    "random_state": 0,
}

Rows = list[tuple[dict[str, float], float]]
Moment = tuple[bool, Rows]
"""Is it an opportunity, and each candidate's features with what it would have been worth."""


def _moments_of(record: dict[str, Any], *, order: str) -> list[Moment]:
    out: list[Moment] = []
    for moment in moments(record, shuffled=order == "shuffled", by_line=order == "by line"):
        index = Index(moment.state.document)
        found = find_sites(moment.state, index, lambda uri, index=index: index, SyntaxTrees(), _never)  # type: ignore[misc]
        rows: Rows = []
        for site, features in found:
            p = site.proposal
            rows.append((features, moment.worth(p.start, p.end, p.lines)))
        out.append((bool(moment.remaining), rows))
    return out


def _never() -> None:
    pass


def collect(shards: Sequence[Path], files: int, *, seed: int, order: str, jobs: int) -> list[Moment]:
    """The moments of `files` records of each shard, the hunks made in one of the orders of `_WEIGHTS`."""
    records = [record for shard in shards for record in sample(shard, files, seed)]
    with ProcessPoolExecutor(jobs) as pool:
        found = pool.map(partial(_moments_of, order=order), records, chunksize=16)
        return [moment for per_record in found for moment in per_record]


def fit(moments_by_order: Mapping[str, Sequence[Moment]]) -> dict[str, Any]:
    """Boosted trees over the candidates' features, in the format of `editahead_inference.trees`."""
    import numpy as np
    from sklearn.ensemble import HistGradientBoostingClassifier

    rows = [
        (row, _WEIGHTS[order])
        for order, collected in moments_by_order.items()
        for _, per_moment in collected
        for row in per_moment
    ]
    names = sorted({name for (features, _), _ in rows for name in features})
    values = np.array([[features.get(name, 0.0) for name in names] for (features, _), _ in rows])
    worth = np.array([worth for (_, worth), _ in rows])
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
    for (features, _), expected in zip((row for row, _ in rows[:500]), theirs, strict=False):
        if abs(probability(own.log_odds(features)) - expected) > 1e-3:
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
    """What showing the best candidate above the threshold gives: the evaluation's figures, without the hard rules."""
    opportunities = sum(is_opportunity for is_opportunity, _ in moments)
    shown = right = after_the_end = reachable = 0
    for is_opportunity, rows in moments:
        reachable += is_opportunity and any(worth == 1 for _, worth in rows)
        if not rows:
            continue
        scored = (
            (model.log_odds(features), worth)
            for features, worth in rows
            if not features.get("kind:call-site")
        )
        best, worth = max(scored, key=lambda row: row[0], default=(-99.0, 0.0))
        if probability(best) > threshold:
            shown += is_opportunity
            right += is_opportunity and worth == 1
            after_the_end += not is_opportunity
    return {
        "opportunities": opportunities,
        "reachable": round(reachable / max(opportunities, 1), 4),
        "coverage": round(right / max(opportunities, 1), 4),
        "precision": round(right / max(shown, 1), 4),
        "false_end": round(after_the_end / max(len(moments) - opportunities, 1), 4),
    }


def train(edits: Path, out: Path, *, files: int, seed: int, jobs: int, threshold: float) -> dict[str, Any]:
    """Fit on all `train-*` shards in the folder but the last two, measure on those, write the model to `out`.

    Raises FileNotFoundError when there are fewer than three shards.
    """
    shards = train_shards(edits, least=3)
    fitted, aside = shards[:-2], shards[-2:]
    data = fit({order: collect(fitted, files, seed=seed, order=order, jobs=jobs) for order in _WEIGHTS})
    model = Trees(data)
    measured = {
        order: figures(model, collect(aside, files, seed=seed, order=order, jobs=jobs), threshold)
        for order in _WEIGHTS
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
