"""The gate's weights are fitted to a handful of made-up commits, written, read back, and say what scikit-learn says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("numpy", reason="fitting needs the extra `train`")
pytest.importorskip("sklearn", reason="fitting needs the extra `train`")

import zstandard

from editahead_inference.gate import Gate
from editahead_inference.trees import Trees, probability
from editahead_training import gate


def commit(number: int) -> dict[str, str]:
    """A rename in three places; in every other commit a fourth place keeps the name."""
    name = f"value{number}"
    lines = [
        f"{name} = load({number})",
        "",
        f"print({name})",
        "",
        "other = 1",
        "",
        f"store({name}, {number})",
    ]
    kept = f"\n\nlog('{name}')\n" if number % 2 else "\n"
    before = "\n".join(lines) + kept
    after = "\n".join(line.replace(name, f"total{number}") for line in lines) + kept
    about = {"id": str(number), "repo": "r", "path": f"{number}.py", "language": "python"}
    return {**about, "before": before, "after": after}


@pytest.fixture
def edits(tmp_path: Path) -> Path:
    folder = tmp_path / "edits"
    folder.mkdir()
    for shard in range(4):
        text = "".join(json.dumps(commit(shard * 100 + n)) + "\n" for n in range(20))
        path = folder / f"train-{shard:02}.jsonl.zst"
        path.write_bytes(zstandard.ZstdCompressor().compress(text.encode()))
    return folder


@pytest.fixture(autouse=True)
def few_trees(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(gate._TREES, "max_iter", 4)


def test_the_fit_is_written_and_can_be_shown_by(edits: Path, tmp_path: Path) -> None:
    out = tmp_path / "gate.json"
    provenance = gate.train(edits, out, files=15, seed=3, jobs=1, threshold=0.3)
    data = json.loads(out.read_text("utf-8"))
    assert data["provenance"] == provenance
    assert provenance["fitted on"] == ["train-00.jsonl.zst", "train-01.jsonl.zst"]
    assert provenance["measured on"] == ["train-02.jsonl.zst", "train-03.jsonl.zst"]
    for figures in provenance["figures"].values():
        assert figures["opportunities"] > 0
        assert all(0 <= figures[name] <= 1 for name in ("coverage", "precision", "reachable", "false_end"))
    Gate(Trees(data))


def test_the_same_seed_gives_the_same_weights(edits: Path, tmp_path: Path) -> None:
    texts = []
    for name in ("one.json", "two.json"):
        gate.train(edits, tmp_path / name, files=10, seed=5, jobs=1, threshold=0.3)
        texts.append((tmp_path / name).read_text("utf-8"))
    assert texts[0] == texts[1]


def test_too_few_shards(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="at least 3"):
        gate.train(tmp_path, tmp_path / "gate.json", files=1, seed=1, jobs=1, threshold=0.3)


def test_exported_trees_give_scikit_learn_s_probabilities() -> None:
    import numpy as np
    from sklearn.ensemble import HistGradientBoostingClassifier

    rng = np.random.default_rng(7)
    values = rng.normal(size=(200, 3)).round(2)
    right = values[:, 0] * values[:, 1] + 0.3 * values[:, 2] > 0
    model = HistGradientBoostingClassifier(max_iter=5, random_state=0).fit(values, right)
    names = ["a", "b", "c"]
    trees = Trees(
        {
            "features": names,
            "bias": float(model._baseline_prediction[0, 0]),
            "trees": gate._exported(model, names),
        }
    )
    ours = [probability(trees.log_odds(dict(zip(names, row, strict=True)))) for row in values]
    assert np.abs(np.array(ours) - model.predict_proba(values)[:, 1]).max() < 1e-3


def test_figures_of_a_model_by_hand() -> None:
    model = Trees({"features": ["x"], "bias": 0.0, "trees": [["x", 0.5, -3.0, 3.0]]})
    high, low = {"x": 1.0}, {"x": 0.0}
    figures = gate.figures(
        model,
        [
            (True, [(high, True), (low, False)]),  # shown, right
            (True, [(high, False), (low, True)]),  # shown, wrong, though it could be reached
            (True, [(low, True)]),  # not shown
            (True, []),
            (False, [(high, False)]),  # shown after the end
            (False, []),
        ],
        0.5,
    )
    assert figures == {
        "opportunities": 4,
        "reachable": 0.75,
        "coverage": 0.25,
        "precision": 0.5,
        "false_end": 0.5,
    }
