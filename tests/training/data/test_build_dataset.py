"""The dataset: records become two files of packed examples."""

from __future__ import annotations

import json
import subprocess
from dataclasses import asdict
from pathlib import Path

import pytest

pytest.importorskip("safetensors", reason="training needs the extra `train`")

import zstandard

from editahead_cli.main import main
from editahead_prompts.composition.hf_tokenizer import bundled_tokenizer
from editahead_training.data.build_dataset import MAX_EXAMPLE_TOKENS, examples_of
from editahead_training.data.example import TASKS, Example
from editahead_training.data.packed_dataset import pack_batches, read, write
from editahead_training.errors import DatasetError
from synthetic_records import made_records


@pytest.fixture
def edits(tmp_path: Path) -> Path:
    folder = tmp_path / "edits"
    folder.mkdir()
    for shard in range(3):
        lines = [json.dumps(asdict(record)) + "\n" for record in made_records(6, shard)]
        (folder / f"train-{shard:02}.jsonl.zst").write_bytes(zstandard.compress("".join(lines).encode()))
    return folder


def test_one_command_makes_the_same_files_again(edits: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        command = ["train", "data", "--edits", str(edits), "--out", str(tmp_path / name), "--files", "9"]
        assert main([*command, "--jobs", "1"]) == 0
    one, two = (read(tmp_path / name / "train.tokens") for name in ("one", "two"))
    assert (one.tokens.tolist(), one.weights.tolist()) == (two.tokens.tolist(), two.weights.tolist())
    held = read(tmp_path / "one" / "held.tokens")
    assert one.provenance["edits"] == ["train-00.jsonl.zst"]
    assert held.provenance["edits"] == ["train-01.jsonl.zst", "train-02.jsonl.zst"]
    found = {TASKS[number] for number in one.tasks}
    assert {"next edit", "silence", "code", "middle"} <= found
    assert max(end - start for start, end in map(one.span, range(len(one)))) <= MAX_EXAMPLE_TOKENS


def test_a_repository_of_ones_own_is_read(tmp_path: Path) -> None:
    repository = tmp_path / "mine"
    repository.mkdir()

    def git(*arguments: str) -> None:
        settings = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *settings, *arguments], cwd=repository, check=True, capture_output=True)

    git("init", "-q")
    record = made_records(1)[0]
    file = repository / "a.py"
    for text in (record.before, record.after, record.before):
        file.write_text(text, "utf-8")
        git("add", ".")
        git("commit", "-q", "-m", "change")
    out = tmp_path / "out"
    (repository / "b.py").write_text("x = 1\n", "utf-8")
    assert (
        main(["train", "data", "--repo", str(repository), "--out", str(out), "--jobs", "1"]) == 1
    )  # none held out
    for number in range(10):
        file.write_text(record.after if number % 2 else record.before + f"# {number}\n", "utf-8")
        git("add", ".")
        git("commit", "-q", "-m", "change")
    assert main(["train", "data", "--repo", str(repository), "--out", str(out), "--jobs", "1"]) == 0
    assert read(out / "held.tokens").provenance["repository"] is True


def test_without_anything_to_learn_from_it_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["train", "data", "--out", str(tmp_path / "out")]) == 1
    assert "--edits" in capsys.readouterr().err
    assert main(["train", "data", "--edits", str(tmp_path), "--out", str(tmp_path / "out")]) == 1


def test_what_is_written_is_read(tmp_path: Path) -> None:
    record = asdict(made_records(1)[0])
    examples = examples_of(record, 0)
    packed = write(tmp_path / "a.tokens", examples, {"made by": "a test"})
    again = read(tmp_path / "a.tokens")
    assert len(packed) == len(again) == len(examples)
    for number, example in enumerate(examples):
        start, end = again.span(number)
        assert tuple(again.tokens[start:end].tolist()) == example.prompt + example.answer
        assert tuple(again.weights[start:end].tolist()) == (0,) * len(example.prompt) + example.weights
        assert TASKS[again.tasks[number]] == example.task
    assert max(map(int, again.tokens)) < bundled_tokenizer().encoder.get_vocab_size()


def test_what_is_no_file_of_examples_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DatasetError):
        read(tmp_path / "none.tokens")
    (tmp_path / "a.tokens").write_bytes(b"\x08\0\0\0\0\0\0\0{}      ")
    with pytest.raises(DatasetError):
        read(tmp_path / "a.tokens")
    with pytest.raises(ValueError, match="answer"):
        Example("code", (1,), (), ())


def test_rows_hold_whole_examples() -> None:
    rows = list(pack_batches(enumerate([5, 5, 3, 20, 7, 1]), 10))
    assert rows == [[0, 1], [2, 4], [5]]  # what is longer than a row is left out
