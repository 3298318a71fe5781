"""The weights of Apply are fitted to sketches of a few made-up commits, written, and read back."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from installed import needs

pytest.importorskip("numpy", reason="fitting needs the extra `train`")

import zstandard

from editahead_inference.apply.alignment.weights import Weights, fitted_weights
from editahead_inference.apply.merge.certainty import read_forest
from editahead_inference.apply.merge.evidence import NONE, PATH, softmax
from editahead_lab.training.apply import fit_alignment
from editahead_lab.training.apply.fit_alignment import AlignmentTrainer, FitSettings, right_alignment
from editahead_lab.training.apply.prepared_sketches import prepared_sketches
from synthetic_records import made_records

RECORDS = made_records(12)
CASE = """=== a line more
file: a.py
-- before --
def load(path):
    data = read(path)
    return data
-- sketch --
def load(path):
    data = read(path)
    check(data)
    return data
-- after --
def load(path):
    data = read(path)
    check(data)
    return data
"""


def write(path: Path, seed: int) -> Path:
    text = "".join(json.dumps(asdict(record)) + "\n" for record in made_records(24, seed))
    path.write_bytes(zstandard.ZstdCompressor().compress(text.encode()))
    return path


@pytest.mark.slow
def test_the_alignment_learns_from_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fit_alignment, "fitted_weights", lambda: Weights({}))
    edits, judged, out = (
        write(tmp_path / "a.jsonl.zst", 0),
        write(tmp_path / "b.jsonl.zst", 1),
        tmp_path / "w.json",
    )
    found = fit_alignment.train([edits], judged, out, FitSettings(sketches=200, epochs=2))
    weights = json.loads(out.read_text())
    assert found["fitted on"] == ["a.jsonl.zst"]
    assert weights["match.unique"] > 0
    assert all(weight <= 0 for name, weight in weights.items() if name.startswith("hide."))
    sketches = list(prepared_sketches(made_records(12, 1), 20, 5))
    assert fit_alignment.judge(sketches, Weights({}))["first"] < found["figures"]["first"]


@pytest.mark.slow
def test_the_shipped_weights_align_made_up_commits() -> None:
    sketches = list(prepared_sketches(RECORDS, 24, 7))
    figures = fit_alignment.judge(sketches, fitted_weights())
    assert len(sketches) > 10
    assert figures["first"] >= 0.8
    assert figures["first"] <= figures["three"] <= figures["any"]


def test_the_right_alignment_is_found_among_those_that_keep_what_the_commit_keeps() -> None:
    sketches = list(prepared_sketches(RECORDS, 16, 7))
    found = [right_alignment(sketch, fitted_weights()) for sketch in sketches]
    assert sum(features is not None for features in found) >= 0.8 * len(found)
    assert all("forbidden" not in features for features in found if features is not None)


def test_what_is_right_already_moves_no_weight() -> None:
    trainer = AlignmentTrainer({"a": 9.0}, rate=0.1)
    trainer._step([({"a": 1.0}, True), ({"b": 1.0}, False)], Weights({"a": 9.0}))
    assert trainer.averaged() == {"a": 9.0}


@pytest.mark.slow
@needs("scipy")
def test_evidence_for_right_readings_weighs_more() -> None:
    from editahead_lab.training.apply.fit_evidence import JudgedReadings, fit, judge

    clear = JudgedReadings(({"good": 1.0, "noise": 1.0}, {"bad": 1.0, "noise": 1.0}), (True, False))
    none = JudgedReadings(({"bad": 1.0},), (False,))
    weights = fit([clear, none] * 20)
    assert weights["good"] > 0 > weights["bad"]
    assert abs(weights.get("noise", 0.0)) < weights["good"]
    figures = judge([clear, none], weights)
    assert figures["first"] == figures["any"] == 0.5
    assert figures["from a likelihood of"]["0.5"] == {"readings": 1, "wrong": 0}
    assert sum(softmax([weights["good"], weights["bad"]], weights[NONE])) < 1


@pytest.mark.slow
@needs("sklearn")
def test_the_evidence_is_fitted_to_readings_of_sketches(tmp_path: Path) -> None:
    from editahead_lab.training.apply import fit_evidence
    from editahead_lab.training.apply.fit_evidence import EvidenceSettings

    edits, judged, out = (
        write(tmp_path / "a.jsonl.zst", 0),
        write(tmp_path / "b.jsonl.zst", 1),
        tmp_path / "e.json",
    )
    cases = tmp_path / "cases"
    cases.mkdir()
    (cases / "a.txt").write_text(CASE)
    found = fit_evidence.train([edits], judged, out, EvidenceSettings(60, 5, cases))
    weights = json.loads(out.read_text())
    assert NONE in weights
    assert weights["alignment"] > 0
    assert not any(name.startswith(PATH) for name in weights)
    assert found["written cases"] == 1
    assert found["figures"]["first"] >= 0.8
    forest = read_forest((tmp_path / "certainty.json.z").read_bytes())
    assert 0 <= forest.log_odds({}) <= 1
