"""Commits in EditFlow's form: the texts of their hunks along the labelled order, and damaged files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from editahead_evals.errors import RecordError
from editahead_lab.ordered.flow_commits import read_flow_commits
from editahead_lab.ordered.ordered_edits import OrderedStep


def hunk(idx: int, before: list[str], after: list[str]) -> dict[str, Any]:
    return {"type": "replace", "idx": idx, "before": before, "after": after, "control_flow": []}


def order(first: int, second: int, label: str) -> dict[str, Any]:
    return {"edit_hunk_pair": [first, second], "edit_order": label, "reason": "def and use"}


SNAPSHOTS = {
    "a.py": [hunk(0, [], ["import stay\n"]), ["\n"], hunk(1, ["bill(a)\n"], ["bill(a, b)\n"]), ["end\n"]],
    "b.py": [hunk(2, ["def bill(a):\n"], ["def bill(a, b):\n"]), ["    return a\n"]],
    "c.md": [["nothing here\n"]],
}
ORDERS = [order(2, 1, "0 before 1"), order(0, 1, "bi-directional"), order(0, 2, "no relation")]


def write(folder: Path, name: str = "house-abc", **values: Any) -> Path:
    value = {"language": "python", "commit_snapshots": SNAPSHOTS, "partial_orders": ORDERS} | values
    (folder / f"{name}.json").write_text(json.dumps(value), "utf-8")
    return folder


def test_hunks_follow_along_the_edges(tmp_path: Path) -> None:
    """The one to which no other leads comes first, then its neighbour, then the neighbour of that."""
    (commit,) = read_flow_commits(write(tmp_path))
    assert (commit.id, [file.path for file in commit.files]) == ("house-abc", ["a.py", "b.py"])
    assert commit.steps == [
        OrderedStep("b.py", "def bill(a):\n    return a\n", "def bill(a, b):\n    return a\n"),
        OrderedStep("a.py", "\nbill(a)\nend\n", "\nbill(a, b)\nend\n"),
        OrderedStep("a.py", "\nbill(a, b)\nend\n", "import stay\n\nbill(a, b)\nend\n"),
    ]
    assert [[step.path for step in commit.may_follow(made)] for made in (1, 2, 3)] == [["a.py"], ["a.py"], []]


def test_what_may_follow_is_a_neighbour_of_anything_made(tmp_path: Path) -> None:
    far = [order(2, 1, "1 before 0"), order(1, 0, "no relation")]
    (commit,) = read_flow_commits(write(tmp_path, partial_orders=far))
    assert [step.path for step in commit.steps] == ["a.py", "a.py", "b.py"]
    assert [len(commit.may_follow(made)) for made in (1, 2)] == [0, 1], "the first leads nowhere"


def test_without_labels_nothing_is_known_to_follow(tmp_path: Path) -> None:
    (commit,) = read_flow_commits(write(tmp_path, partial_orders=[]))
    assert [step.path for step in commit.steps] == ["a.py", "a.py", "b.py"]
    assert commit.may_follow(1) == []


@pytest.mark.parametrize(
    "values",
    [
        {"partial_orders": [order(0, 9, "bi-directional")]},
        {"partial_orders": None},
        {"commit_snapshots": {"a.py": [{"idx": 0}]}},
        {"commit_snapshots": {"a.py": [["x\r\n"], hunk(0, [], ["y\r\n"])]}},
        {"commit_snapshots": {"a.py": [[1]]}},
    ],
)
def test_a_damaged_commit(tmp_path: Path, values: dict[str, Any]) -> None:
    with pytest.raises(RecordError, match=r"house-abc\.json: not a commit of EditFlow"):
        read_flow_commits(write(tmp_path, **values))


def test_a_folder_without_commits(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="no commits"):
        read_flow_commits(tmp_path)
