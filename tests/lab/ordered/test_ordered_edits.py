"""Ordered edits: the steps of a pull request over its files, and damaged files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import zstandard

from editahead_evals.errors import RecordError
from editahead_lab.ordered.ordered_edits import OrderedStep, read_pull_requests

A = {"id": "pr-1", "path": "a.py", "steps": ["x", "y", "y", "z"], "numbers": [1, 2, 4]}
B = {"id": "pr-1", "path": "b.py", "steps": ["1", "2"], "numbers": [3]}
C = {"id": "pr-0", "path": "c.go", "steps": ["", "c"], "numbers": [1]}


def write(folder: Path, *rows: Any) -> Path:
    path = folder / "ordered.jsonl.zst"
    path.write_bytes(zstandard.compress("".join(json.dumps(row) + "\n" for row in rows).encode()))
    return path


def test_steps_of_all_files_are_in_their_order(tmp_path: Path) -> None:
    first, second = read_pull_requests(write(tmp_path, B, C, A))
    assert (first.id, second.id) == ("pr-0", "pr-1")
    assert [file.language for file in (*first.files, *second.files)] == ["go", "python", "python"]
    assert second.steps == [
        OrderedStep("a.py", "x", "y"),
        OrderedStep("b.py", "1", "2"),
        OrderedStep("a.py", "y", "z"),
    ]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ([], "not a JSON object"),
        ({"id": "x"}, "no field 'path'"),
        (A | {"path": 3}, "not a string"),
        (A | {"steps": ["a\r\n"]}, "LF line ends"),
        (A | {"numbers": [True, 2, 3]}, "whole numbers"),
        (A | {"numbers": [1]}, "4 texts need 3 numbers, not 1"),
    ],
)
def test_a_damaged_file_is_an_error_with_its_line(tmp_path: Path, row: Any, reason: str) -> None:
    with pytest.raises(RecordError, match=rf"ordered\.jsonl\.zst, line 2: .*{reason}"):
        read_pull_requests(write(tmp_path, B, row))


def test_an_empty_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="no ordered edits"):
        read_pull_requests(write(tmp_path))
