"""The weights of the completion at the cursor are fitted to a handful of made-up commits, written, and read back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from installed import needs

pytest.importorskip("numpy", reason="fitting needs the extra `train`")

import zstandard

from editahead_cli.main import main
from editahead_inference.predictors.completion.predictor import CompletionWeights
from editahead_lab.training.completion import fit_completion
from editahead_lab.training.completion.fit_completion import Shown, TypingSession, figures, typing_session
from editahead_lab.training.completion.typed_keys import typed_keys
from editahead_lab.training.data.shards import sample_commits

pytestmark = needs("sklearn")

SURE: dict[str, Any] = {"features": [], "bias": 5.0, "trees": []}


def record(commit: str, path: str, before: str, after: str) -> dict[str, str]:
    about = {"id": f"o/r@{commit}:{path}", "repo": "o/r", "path": path, "language": "python"}
    return {**about, "before": before, "after": after}


def commits(number: int) -> list[dict[str, str]]:
    """A commit of two files, each with one more line."""
    before = f"inventory{number}.add(apple)\ninventory{number}.add(pear)\n"
    return [
        record(str(number), "a.py", before, before + f"inventory{number}.add(plum)\n"),
        record(str(number), "b.py", "x = 1\n", f"x = 1\ny = inventory{number}\n"),
    ]


@pytest.fixture
def edits(tmp_path: Path) -> Path:
    folder = tmp_path / "edits"
    folder.mkdir()
    for shard in range(4):
        text = "".join(json.dumps(one) + "\n" for n in range(6) for one in commits(100 * shard + n))
        (folder / f"train-{shard:02}.jsonl.zst").write_bytes(zstandard.compress(text.encode()))
    return folder


@pytest.mark.slow
def test_the_command_writes_weights_with_their_provenance(
    edits: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(fit_completion._TREES, "max_iter", 3)
    out = edits / "weights.json"
    command = ["train", "completion", f"edits={edits}", f"out={out}", "commits=4", "jobs=1"]
    assert main(command) == 0
    data = json.loads(out.read_text("utf-8"))
    CompletionWeights(data)
    assert data["provenance"]["measured on"] == ["train-02.jsonl.zst", "train-03.jsonl.zst"]
    assert data["provenance"]["figures"]["keys"] > 0


def test_commits_are_sampled_whole(edits: Path) -> None:
    sampled = list(sample_commits(edits / "train-00.jsonl.zst", 3, 0))
    assert len(sampled) == 3
    for commit in sampled:
        assert [one["path"] for one in commit] == ["a.py", "b.py"]
        assert len({one["id"].split(":")[0] for one in commit}) == 1


def test_one_file_is_typed_beside_the_others_and_one_alone() -> None:
    keys = list(typed_keys(commits(7)))
    assert sorted({key.span for key in keys}) == [0, 1]
    assert [len(key.state.other_documents) for key in keys if not key.rest] == [1, 0]
    ends = {key.state.document.uri: key.state.document.text for key in keys}
    assert ends == {f"file:///{one['path']}": one["after"] for one in commits(7)}


def test_the_rest_is_what_is_typed_without_moving_the_cursor() -> None:
    keys = list(typed_keys([record("1", "a.py", "alpha = 1\nx\nbeta = 1\n", "alpha = 27\nx\nbeta = 3\n")]))
    assert [(key.rest, key.span) for key in keys] == [("7", 0), ("", 0), ("", 1)]


def test_a_completion_stays_while_it_is_typed_and_counts_once() -> None:
    before = "inventory.add(apple)\nx = 1\n"
    after = before + "inventory.add(apple)\n"
    session = typing_session([record("1", "a.py", before, after)], weights=SURE, min_probability=0.5)
    assert session.keys == len("\ninventory.add(apple)")
    (right,) = (one for one in session.shown if one.right)
    assert len("inventory.add(apple)") - 4 <= right.saved < len("inventory.add(apple)")
    assert not right.at_end


def test_figures_by_hand() -> None:
    shown = (
        Shown(stated=0.9, right=True, half_right=True, at_end=False, saved=9),
        Shown(stated=0.9, right=False, half_right=True, at_end=False, saved=0),
        Shown(stated=0.9, right=False, half_right=False, at_end=True, saved=0),
    )
    found = figures([TypingSession(40, shown), TypingSession(60, ())], SURE)
    assert (found.keys, found.shown, found.right, found.wrong, found.saved) == (100, 3.0, 1.0, 1.0, 9.0)
    assert found.precision == pytest.approx(1 / 3, abs=1e-4)
    assert found.calibration_error == pytest.approx(0.9 - 1 / 3, abs=1e-4)
