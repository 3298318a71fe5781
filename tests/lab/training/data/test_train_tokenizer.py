"""A tokenizer trained on a few synthetic files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("tokenizers", reason="training needs the extra `train`")

import zstandard

from editahead_cli.main import main
from editahead_lab.training.data import train_tokenizer
from editahead_prompts.composition.hf_tokenizer import build_bpe

SECRET = "hunter2hunter2hunter2"


@pytest.fixture
def edits(tmp_path: Path) -> Path:
    """Write edit records of twelve repositories with one file each; one file has a unique word."""
    folder = tmp_path / "edits"
    folder.mkdir()
    for shard in range(2):
        lines = []
        for n in range(6):
            text = f"def function_{n}(value):\n    return value + {n}\n" * 5
            if shard == n == 0:
                text += f"password = '{SECRET}'\n" * 50
            record = {"id": "a", "repo": f"r{shard}{n}", "path": "a.py", "language": "python", "before": ""}
            lines.append(json.dumps({**record, "after": text}) + "\n")
        path = folder / f"train-{shard:02}.jsonl.zst"
        path.write_bytes(zstandard.compress("".join(lines).encode()))
    return folder


def test_it_learns_what_many_repositories_have_in_common(edits: Path, tmp_path: Path) -> None:
    out = tmp_path / "vocabulary.json"
    provenance = train_tokenizer.train(edits, out, files=9, seed=0, commit="abc")
    data = json.loads(out.read_text("utf-8"))
    assert data["provenance"] == provenance
    assert (provenance["records"], provenance["commit"]) == (12, "abc")
    learned = build_bpe(data["special"], data["merges"])
    assert learned.count("return") == learned.count("\n    ") == 1
    assert learned.count(SECRET) == len(SECRET)
    assert all(
        len(token) <= train_tokenizer.MAX_TOKEN_BYTES or token in data["special"]
        for token in learned.encoder.get_vocab()
    )


@pytest.mark.slow
def test_the_same_data_gives_the_same_file(edits: Path, tmp_path: Path) -> None:
    texts = []
    for name in ("one.json", "two.json"):
        command = ["train", "tokenizer", f"edits={edits}", f"out={tmp_path / name}", "seed=3"]
        assert main(command) == 0
        texts.append((tmp_path / name).read_text("utf-8"))
    assert texts[0] == texts[1]


def test_without_data(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = str(tmp_path / "vocabulary.json")
    assert main(["train", "tokenizer", f"edits={tmp_path}", f"out={out}"]) == 1
    assert "at least 1 are needed" in capsys.readouterr().err
