from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
import zstandard

from editahead_evals.data.edit_records import Record, read_records, sample
from editahead_evals.errors import RecordError

FIELDS = {
    "id": "o/n@1:a.py",
    "repo": "o/n",
    "commit": "1",
    "subject": "Say why",
    "path": "a.py",
    "language": "python",
    "before": "a\n",
    "after": "b\n",
}


def packed(path: Path, *lines: Any) -> Path:
    text = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines)
    path.write_bytes(zstandard.compress(text.encode()))
    return path


def test_records_are_read_and_unknown_fields_ignored(tmp_path: Path) -> None:
    path = packed(
        tmp_path / "e.jsonl.zst", FIELDS | {"hunks": 1}, FIELDS | {"id": "2", "before": "a\x0cb\u2028\n"}
    )
    assert [record.id for record in read_records(path)] == ["o/n@1:a.py", "2"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "line 2: not a record"),
        ("[]", "not a JSON object"),
        ({"id": "x"}, "no field 'repo'"),
        (FIELDS | {"after": 3}, "field 'after' is not a string"),
        (FIELDS | {"after": "b\r\n"}, "line ends other than LF"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: Any, message: str) -> None:
    path = packed(tmp_path / "e.jsonl.zst", FIELDS, line)
    with pytest.raises(RecordError, match=message):
        list(read_records(path))


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="No such file"):
        list(read_records(tmp_path / "missing.jsonl.zst"))
    plain = tmp_path / "plain.jsonl.zst"
    plain.write_text(json.dumps(FIELDS))
    with pytest.raises(RecordError, match="not a zstd file"):
        list(read_records(plain))
    latin = tmp_path / "latin.jsonl.zst"
    latin.write_bytes(zstandard.compress(b'{"id": "\xe9"}\n'))
    with pytest.raises(RecordError, match="not UTF-8"):
        list(read_records(latin))


def test_a_sample_is_the_shuffled_short_records() -> None:
    def record(name: str, length: int) -> Record:
        return Record(**FIELDS | {"id": name, "before": "x" * length})

    short = [record(str(n), 39_999) for n in range(20)]
    records = [record("long", 40_000), *short]
    expected = list(short)
    random.Random(3).shuffle(expected)
    assert sample(records, 5, seed=3) == expected[:5]
    assert sample(records, None, seed=3) == expected
