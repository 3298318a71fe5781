"""The gate's weights are fitted to a handful of made-up commits, written, read back, and say what scikit-learn says."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from installed import needs

pytest.importorskip("numpy", reason="fitting needs the extra `train`")

import zstandard

from editahead_evals.metrics.confidence_curve import Answer
from editahead_inference.gate.decision_trees import DecisionTrees, sigmoid
from editahead_inference.gate.gate import Gate, Weights
from editahead_lab.training.gate import fit_gate, fit_trees
from editahead_lab.training.gate.fit_calibration import fit_curves
from editahead_lab.training.gate.fit_terms import TermSample, fit_terms

pytestmark = needs("sklearn")


def commit(number: int) -> dict[str, str]:
    """Return a commit with a rename in three places; in every other commit a fourth place keeps the name."""
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


@pytest.fixture(scope="module")
def edits(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("edits")
    for shard in range(4):
        text = "".join(json.dumps(commit(shard * 100 + n)) + "\n" for n in range(20))
        path = folder / f"train-{shard:02}.jsonl.zst"
        path.write_bytes(zstandard.ZstdCompressor().compress(text.encode()))
    return folder


@pytest.fixture(autouse=True, scope="module")
def few_trees() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(fit_trees._TREES, "max_iter", 4)
        yield


FIT = {"files": 10, "seed": 5, "jobs": 1, "threshold": 0.3}


@pytest.fixture(scope="module")
def fitted(edits: Path, few_trees: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the weights of a fit with `FIT`, which several tests compare."""
    path = tmp_path_factory.mktemp("fitted") / "gate.json"
    fit_gate.train(edits, path, **FIT)
    return path


@pytest.mark.slow
def test_the_fit_is_written_and_can_be_shown_by(edits: Path, tmp_path: Path) -> None:
    out = tmp_path / "gate.json"
    provenance = fit_gate.train(edits, out, files=15, seed=3, jobs=1, threshold=0.3)
    data = json.loads(out.read_text("utf-8"))
    assert data["provenance"] == provenance
    assert provenance["fitted on"] == ["train-00.jsonl.zst", "train-01.jsonl.zst"]
    assert provenance["measured on"] == ["train-02.jsonl.zst", "train-03.jsonl.zst"]
    for figures in provenance["figures"].values():
        assert figures["opportunities"] > 0
        assert all(0 <= figures[name] <= 1 for name in ("coverage", "precision", "false_end"))
    Gate(Weights(data))


@pytest.mark.slow
def test_the_same_seed_gives_the_same_weights(edits: Path, fitted: Path, tmp_path: Path) -> None:
    fit_gate.train(edits, tmp_path / "again.json", **FIT)
    assert (tmp_path / "again.json").read_text("utf-8") == fitted.read_text("utf-8")


def test_too_few_shards(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="at least 4"):
        fit_gate.train(tmp_path, tmp_path / "gate.json", files=1, seed=1, jobs=1, threshold=0.3)


def test_exported_trees_give_scikit_learn_s_probabilities() -> None:
    import numpy as np
    from sklearn.ensemble import HistGradientBoostingClassifier

    rng = np.random.default_rng(7)
    values = rng.normal(size=(200, 3)).round(2)
    right = values[:, 0] * values[:, 1] + 0.3 * values[:, 2] > 0
    model = HistGradientBoostingClassifier(max_iter=5, random_state=0).fit(values, right)
    names = ["a", "b", "c"]
    trees = DecisionTrees(
        {
            "features": names,
            "bias": float(model._baseline_prediction[0, 0]),
            "trees": fit_trees._exported(model, names),
        }
    )
    ours = [sigmoid(trees.log_odds(dict(zip(names, row, strict=True)))) for row in values]
    assert np.abs(np.array(ours) - model.predict_proba(values)[:, 1]).max() < 1e-3


@pytest.mark.slow
def test_kept_trees_are_taken_over_and_what_is_about_them_too(
    edits: Path, fitted: Path, tmp_path: Path
) -> None:
    second = tmp_path / "second.json"
    provenance = fit_gate.train(edits, second, **FIT, kept=fitted)
    one, two = (json.loads(path.read_text("utf-8")) for path in (fitted, second))
    assert one["trees"] == two["trees"]
    assert provenance["trees"] == one["provenance"]


@pytest.mark.slow
def test_what_has_no_data_says_so(fitted: Path) -> None:
    calibration = json.loads(fitted.read_text("utf-8"))["calibration"]
    assert calibration["diagnostic:suggested"] == {"knots": [], "of": 0, "why": "commits hold no diagnostics"}


def test_terms_say_what_an_outcome_changes_and_in_which_direction_only() -> None:
    def seen(name: str, right: float) -> list[TermSample]:
        return [TermSample({name: 1.0} if name else {}, 0.0, float(n < right * 100), 1.0) for n in range(100)]

    terms = fit_terms(
        [*seen("", 0.5), *seen("accepted:1", 0.9), *seen("refused:1", 0.1), *seen("refused:2", 0.8)]
    )
    assert terms["accepted:1"] > 0.5 and terms["refused:1"] < -0.5
    assert terms["refused:2"] == 0, "a refusal never speaks for a rule"
    assert fit_terms(seen("", 0.5)) == {}


def test_follow_ups_get_a_curve_when_there_are_outcomes_enough() -> None:
    stated = [("propagation:sure", 0.7, n % 10 == 0) for n in range(50)] + [("propagation:rare", 0.7, False)]
    curves = fit_curves(stated)
    assert curves.keys() == {"propagation:sure"}
    ((_, measured),) = curves["propagation:sure"]["knots"]
    assert measured == pytest.approx(0.2, abs=0.01)


def test_figures_by_hand() -> None:
    shown, silent = partial(Answer, confidence=0.9, source="propagation"), Answer
    found = fit_gate.figures(
        [
            [shown(True, True), shown(True), silent(True), silent(True), shown(False)],
            [silent(False)],
        ],
        0.5,
    )
    assert found == {
        "opportunities": 4,
        "coverage": 0.25,
        "precision": 0.5,
        "false_end": 0.5,
        "calibration_error": pytest.approx(0.63, abs=0.02),
    }
