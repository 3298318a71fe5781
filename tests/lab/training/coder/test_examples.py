"""Examples of the format `editahead-coder`: the same from the same commits, and answers that make the person's edit."""

from __future__ import annotations

import json
import random
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("safetensors", reason="training needs the extra `train`")
pytest.importorskip("gguf", reason="training needs the extra `train`")

import zstandard

import tiny_coder
from editahead_cli.main import main
from editahead_lab.errors import DatasetError
from editahead_lab.training.coder.closing_marks import closing_marks, find_closing_mark
from editahead_lab.training.coder.examples import MAX_ANSWER_TOKENS, Example, examples_of_commit
from editahead_lab.training.coder.file_replay import Continuation, FileReplay, line_starts
from editahead_lab.training.coder.packed_examples import PackedExamples, fill_rows, read
from editahead_prompts.composition.hf_tokenizer import HfTokenizer
from synthetic_records import made_records

END = "<|endoftext|>"


@pytest.fixture(scope="module")
def vocabulary() -> HfTokenizer:
    return tiny_coder.coder_tokenizer()


@pytest.fixture
def edits(tmp_path: Path) -> Path:
    folder = tmp_path / "edits"
    folder.mkdir()
    for shard in range(3):
        lines = [json.dumps(asdict(record)) + "\n" for record in made_records(8, shard)]
        (folder / f"train-{shard:02}.jsonl.zst").write_bytes(zstandard.compress("".join(lines).encode()))
    return folder


def made(vocabulary: HfTokenizer, seeds: range) -> list[Example]:
    records = [asdict(record) for record in made_records(8, 1)]
    return [one for seed in seeds for one in examples_of_commit(records, seed, vocabulary)]


@pytest.mark.slow
def test_a_commit_gives_the_same_examples_again(vocabulary: HfTokenizer) -> None:
    assert made(vocabulary, range(3)) == made(vocabulary, range(3))


@pytest.mark.slow
def test_answers_are_hunks_silence_or_text(vocabulary: HfTokenizer) -> None:
    examples = made(vocabulary, range(6))
    assert {one.kind for one in examples} == {"continuation", "edit", "silence"}
    for one in examples:
        said, prompt = vocabulary.decode(one.answer), vocabulary.decode(one.prompt)
        assert len(one.answer) <= MAX_ANSWER_TOKENS
        assert prompt.startswith("<|file_sep|>") and "<|fim_suffix|>" in prompt
        assert prompt.endswith("<|fim_middle|>") == (one.kind != "continuation")
        if one.kind == "silence":
            assert said == END
        elif one.kind == "edit":
            assert said.endswith(END) and set("".join(line[0] for line in said.split("\n")[:-1])) <= set(
                " -+"
            )


@pytest.mark.slow
@given(st.integers(0, 10_000))
def test_what_a_person_types_is_the_text_after_the_commit(seed: int) -> None:
    before = "a = 1\nb = 2\n" + "".join(f"x{n} = f({n})\n" for n in range(20))
    after = before.replace("b = 2\n", "b = [2, g(3)]\nc = (b, 'd')\n").replace("f(7)", "f(7, 8)")
    replay = FileReplay.of_texts(before, after, [], random.Random(seed))
    assert replay is not None
    for moment in replay.moments():
        text = "\n".join(moment.lines)
        assert 0 <= moment.cursor <= len(text)
        if isinstance(moment.question, Continuation):
            assert "\r" not in moment.question.text  # it may be empty, and is no example then
            line = text[: moment.cursor].rpartition("\n")[2] + moment.question.text.partition("\n")[0]
            assert line in after
        else:
            for target in moment.question.targets:
                assert 0 <= target.first <= target.end <= len(moment.lines)
                # A line that has just been typed to its end is still said, as in the run that ships.
                is_typed = moment.open is not None and len(moment.question.targets) == 1
                assert is_typed or list(moment.lines[target.first : target.end]) != list(target.new)


@given(st.lists(st.text("ab", max_size=4), min_size=1))
def test_starts_of_lines(lines: list[str]) -> None:
    text = "\n".join(lines) + "\n"
    starts = line_starts(lines)
    assert [text[a:b] for a, b in pairwise(starts)] == [f"{line}\n" for line in lines]


@given(st.text("([{}])'\"ab", max_size=12))
def test_what_an_editor_closes_leaves_nothing_open(typed: str) -> None:
    marks = closing_marks(typed)
    assert closing_marks(typed + marks) == ""


@pytest.mark.parametrize(
    ("text", "place", "found"),
    [
        ("f(a, b) + c", 3, 6),
        ("f(g(a), b)", 2, 9),
        ("f('x y')", 4, 6),
        ("f(a\nb)", 3, None),
        ("f(a] b)", 3, None),
        ("a + b)", 2, None),
    ],
)
def test_where_the_innermost_mark_is_closed(text: str, place: int, found: int | None) -> None:
    assert find_closing_mark(text, place) == found


@pytest.mark.parametrize("text", ["same\n", "<|fim_middle|>\n"])
def test_files_without_examples(text: str, vocabulary: HfTokenizer) -> None:
    record = {"id": "a@1:a.py", "path": "a.py", "before": text, "after": text}
    assert examples_of_commit([record], 1, vocabulary) == []
    assert examples_of_commit([record] * 21, 1, vocabulary) == []


@pytest.mark.slow
def test_one_command_makes_the_same_files_again(edits: Path, tmp_path: Path) -> None:
    base = tiny_coder.write_base(tmp_path / "base.gguf")
    for name in ("one", "two"):
        command = ["train", "coder-examples", f"edits={edits}", f"base={base}"]
        assert main([*command, f"out={tmp_path / name}", "jobs=1"]) == 0
    vocabulary = HfTokenizer(__import__("tokenizers").Tokenizer.from_str(_tokenizer(base)))
    one, two = (read(tmp_path / name / "train.examples", vocabulary) for name in ("one", "two"))
    assert one.tokens.tolist() == two.tokens.tolist() and one.provenance["seed"] == 1
    assert sum(len(part) for number in range(len(one)) for part in one.example(number)) == len(one.tokens)
    check_rows(one)
    with pytest.raises(DatasetError, match="another vocabulary"):
        read(tmp_path / "one" / "held.examples", tiny_coder.coder_tokenizer())


def _tokenizer(base: Path) -> str:
    from editahead_inference.backends.local.small_model import open_base

    return str(open_base(base, 2048).tokenizer().to_str())


def check_rows(packed: PackedExamples) -> None:
    rows = list(fill_rows(range(len(packed)), packed.lengths, 2048))
    assert [number for row in rows for number in row] == list(range(len(packed)))
    assert all(sum(packed.lengths[number] for number in row) <= 2048 for row in rows)


def test_sources_have_to_be_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["train", "coder-examples", f"base={tmp_path / 'none'}", f"out={tmp_path}"]
    assert main(command) == 2 and "name edits, repo, or both" in capsys.readouterr().err
    assert main([*command, f"repo={tmp_path}"]) == 1
