"""States of typing sessions: made, stored, and rendered again."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("tokenizers", reason="real tokenizers need an extra that brings models")

import zstandard

from editahead_evals.data.edit_records import Record
from editahead_lab.errors import StatesError, TooFewPromptsError, WorkerError
from editahead_lab.prompt_costs.comparison import compare
from editahead_lab.prompt_costs.costs import Costs, FirstDifference, Omission, Prefill
from editahead_lab.prompt_costs.rendered_prompts import Rendered, render_all
from editahead_lab.prompt_costs.revision_worker import rendered_by
from editahead_lab.prompt_costs.state_files import read_states, write_states
from editahead_lab.prompt_costs.typing_sessions import Session, sessions, typing_states
from editahead_lab.revisions import Revision
from editahead_prompts.composition.hf_tokenizer import bundled_tokenizer
from editahead_prompts.formats.next_edit.editahead_2611 import EDITAHEAD
from editahead_prompts.formats.next_edit.zeta2 import ZETA_2
from editahead_prompts.state import EditorState
from editahead_prompts.text.snapshot import Snapshot
from eval_command import run_lab_eval
from schemas import validate
from secret_corpus import placed_secrets

BEFORE = "".join(f"value_{n} = load({n})\n" for n in range(600))
AFTER = BEFORE.replace("value_3 = load(3)", "total_3 = load(3)").replace("load(90)", "fetch(90, 1)")
RECORDS = [
    Record("r@1:a.py", "r", "1", "Rename", "a.py", "python", BEFORE, AFTER.replace("load(300)", "load(3)")),
    Record("r@1:b.py", "r", "1", "Rename", "b.py", "python", "b = 1\n", "b = 2\n"),
    Record("r@2:c.py", "r", "2", "Nothing", "c.py", "python", "c\n", "c\n"),
]


@pytest.fixture
def states(tmp_path: Path) -> Path:
    path = tmp_path / "states.jsonl.zst"
    write_states(path, typing_states(sessions(RECORDS[:1]), hunks=2, max_states=4))
    return path


def test_a_session_is_typed_two_characters_at_a_time() -> None:
    first, second, third = sessions(RECORDS)
    assert [document.uri for document in first.others] == ["file:///workspace/b.py"]
    assert (first.hunks, second.hunks, third.hunks) == (3, 1, 0)
    found = list(Session(RECORDS[1]).states())
    assert [state.document.text for state in found] == ["b = \n", "b = 2\n"]
    assert [state.cursor for state in found] == [4, 5]
    typed_in_first = list(first.states(hunks=1))
    assert [state.document.lines[3] for state in typed_in_first] == [
        f"{start}_3 = load(3)\n" for start in ("", "to", "tota", "total")
    ]
    assert all(state.history[-1].open for state in typed_in_first)
    assert list(third.states()) == []


def test_states_are_stored_and_read(states: Path) -> None:
    assert list(read_states(states)) == list(typing_states(sessions(RECORDS[:1]), hunks=2, max_states=4))


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"no zstd", "not a zstd file"),
        (zstandard.compress(b"{}\n"), "line 1: not a state"),
        (zstandard.compress(b'{"session": "a", "state": {"stateVersion": 9}}\n'), "a state of version 9"),
        (None, "No such file"),
    ],
)
def test_what_cannot_be_read(tmp_path: Path, content: bytes | None, reason: str) -> None:
    path = tmp_path / "states.jsonl.zst"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(StatesError, match=reason):
        list(read_states(path))
    assert run_lab_eval("prompts", f"states={path}") == 1


def test_figures_leave_out_each_sessions_first_prompt() -> None:
    one = Rendered("a", "text", 100, {16: 100, 128: 100})
    later = Rendered("a", "text", 100, {16: 20, 128: 50}, "region", 10, {"file": 7})
    found = Costs.from_rendered([one, later, one, later]).prefill
    assert found == {16: Prefill(46.7, 100), 128: Prefill(66.7, 100)}
    costs = Costs.from_rendered([one, later, later, Rendered("b", refusal="no room")])
    assert (costs.prompts, costs.refused, costs.shared) == (2, 1, 0.9)
    assert costs.prefill == {16: Prefill(20, 20), 128: Prefill(50, 50)}
    assert costs.differs == {"region": FirstDifference(2, 20)}
    assert costs.left_out == {"file": Omission(2, 7)}
    with pytest.raises(TooFewPromptsError):
        Costs.from_rendered([one])
    assert Rendered.of_json(json.loads(json.dumps(later.as_json()))) == later


def test_very_different_prompts_of_two_formats(states: Path) -> None:
    ours, theirs = (
        list(render_all(format, read_states(states), bundled_tokenizer())) for format in (EDITAHEAD, ZETA_2)
    )
    same = compare(ours, ours, ("a", "b"), 3)
    assert (same.equal, same.largest) == (4, [])
    found = compare(ours, theirs, ("ours", "theirs"), 3)
    assert found.equal == 0
    (pair,) = found.largest
    assert pair.diff[:2] == ("--- theirs", "+++ ours")
    assert pair.changed_lines > 20


@pytest.mark.slow
def test_another_process_renders_the_same(states: Path) -> None:
    here = list(render_all(EDITAHEAD, read_states(states), bundled_tokenizer(), 500))
    assert list(rendered_by(Revision("here", {}), states, "editahead", 500)) == here
    with pytest.raises(WorkerError, match="there cannot render them: there is no prompt format 'x'"):
        list(rendered_by(Revision("there", {}), states, "x", None))


@pytest.mark.slow
def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    edits, states = tmp_path / "edits.jsonl.zst", str(tmp_path / "states.jsonl.zst")
    edits.write_bytes(zstandard.compress("".join(json.dumps(asdict(r)) + "\n" for r in RECORDS).encode()))
    assert run_lab_eval("states", f"edits={edits}", f"out={states}") == 0
    assert "12 states of 1 sessions" in capsys.readouterr().out
    assert run_lab_eval("prompts", f"states={states}", "with_format=zeta-2", "diffs=1", "budget=900") == 0
    out = capsys.readouterr().out
    assert "0 of 12 prompts are equal" in out
    assert "+<|region|>" in out
    assert run_lab_eval("prompts", f"states={states}", "with_format=zeta-2", "--json") == 0
    found: Any = json.loads(capsys.readouterr().out)
    validate("output.eval-prompts", "output", found)
    assert found["costs"]["prefill"]["16"]["mean"] < found["other"]["costs"]["prefill"]["16"]["mean"]
    assert "value_" not in json.dumps(found)


@pytest.mark.parametrize(
    "arguments",
    [
        ["prompts", "states=f", "format=zeta-9"],
        ["prompts", "states=f", "with_format=zeta-1", "against=HEAD"],
        ["states", "out=f"],
        ["states", "out=f", "repo=.", "edits=f"],
    ],
)
def test_what_does_not_go_together(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run_lab_eval(*arguments) == 2
    assert capsys.readouterr().err


def test_a_repository_without_large_changes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    edits = tmp_path / "edits.jsonl.zst"
    edits.write_bytes(zstandard.compress((json.dumps(asdict(RECORDS[1])) + "\n").encode()))
    assert run_lab_eval("states", f"edits={edits}", f"out={tmp_path / 's'}") == 1
    assert "no file of 8000 characters" in capsys.readouterr().err


def test_stored_states_hold_no_secrets(tmp_path: Path) -> None:
    corpus = list(placed_secrets(seed=5))
    texts = tuple(Snapshot.from_text(each.text, uri=f"untitled:{n}") for n, each in enumerate(corpus))
    path = tmp_path / "states.jsonl.zst"
    assert write_states(path, [("all", EditorState(texts[0], 0, other_documents=texts[1:]))]) == 1
    ((_, state),) = read_states(path)
    for each, document in zip(corpus, (state.document, *state.other_documents), strict=True):
        assert len(document.text) == len(each.text)
        assert not any(secret in document.text for secret in each.secrets), each.place
