"""Damaged shards: the error names the fault."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
import zstandard

from editahead_cli.main import main
from editahead_lab.errors import ShardError
from editahead_lab.training.data.shards import FIELDS, sample

RECORD = dict.fromkeys(FIELDS, "a")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"no zstd", "not a zstd file"),
        (zstandard.compress(b"\xff\n"), "not UTF-8"),
        (zstandard.compress(json.dumps(RECORD).encode() + b"\n{"), "line 2: not JSON"),
        (zstandard.compress(b"[]"), "line 1: not a record"),
        (zstandard.compress(b'{"before": ""}'), r"line 1: not a record .'id'"),
        (zstandard.compress(json.dumps({**RECORD, "after": 5}).encode()), r"line 1: .*after is no text"),
    ],
)
def test_what_is_wrong_with_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes, reason: str
) -> None:
    shard = tmp_path / "train-00.jsonl.zst"
    shard.write_bytes(content)
    with pytest.raises(ShardError, match=reason):
        list(sample(shard, 9, 0))
    pytest.importorskip("tokenizers", reason="training needs the extra `train`")
    command = ["train", "tokenizer", f"edits={tmp_path}", f"out={tmp_path / 'out.json'}"]
    assert main(command) == 1
    assert "train-00.jsonl.zst" in capsys.readouterr().err
    assert not (tmp_path / "out.json").exists()


def test_one_that_was_cut_off_is_no_shorter_one(tmp_path: Path) -> None:
    shard = tmp_path / "train-00.jsonl.zst"
    chance = random.Random(1)  # what compresses badly fills several blocks
    records = [{**RECORD, "id": str(number), "after": chance.randbytes(200).hex()} for number in range(2000)]
    whole = zstandard.compress("".join(json.dumps(record) + "\n" for record in records).encode())
    shard.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ShardError, match="not JSON"):
        list(sample(shard, 1, 0))
    shard.write_bytes(zstandard.compress(json.dumps(RECORD).encode()))  # no line end after the last
    assert len(list(sample(shard, 1, 0))) == 1
