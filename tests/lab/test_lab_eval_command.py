"""What `editahead-lab eval` adds to `editahead eval`, on a few small records of our own, through the real server."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from editahead_cli.commands.eval import candidate_texts
from editahead_evals.data.edit_records import Record
from editahead_evals.data.own_checkout import present_commit
from editahead_evals.replay.candidate_recall import candidate_recall
from editahead_lab.experiments.replays import sampled_texts
from eval_command import run_lab_eval, write_records
from fake_openai_server import CannedAnswer, FakeOpenAIServer
from schemas import validate

pytestmark = pytest.mark.slow


@pytest.fixture
def edits(tmp_path: Path) -> Path:
    return write_records(tmp_path)


def test_a_revision_that_is_not_there_is_named(edits: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if present_commit() == "unknown":
        pytest.skip("not in a git checkout")
    assert run_lab_eval("commits", f"edits={edits}", "against=no-such-revision") == 1
    assert "no such revision of Editahead: no-such-revision" in capsys.readouterr().err


def test_another_revision_is_measured_on_the_same_files(
    edits: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if present_commit() == "unknown":
        pytest.skip("not in a git checkout")
    assert run_lab_eval("commits", f"edits={edits}", "files=2", "jobs=1", "against=HEAD", "--json") == 0
    against = json.loads(capsys.readouterr().out)["against"]
    assert against["files"] == 2
    assert against["figures"]["coverage"]["theirs"]["value"] is not None


def test_tasks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    head = "# about\nkind: key\nlanguage: python\nfile: a.py\n-- buffer --\na\n"
    (tmp_path / "silence.txt").write_text(head)
    (tmp_path / "missed.txt").write_text(f"{head}-- follow --\n@ 1\n-a\n+b\n")
    assert run_lab_eval("tasks", f"folder={tmp_path}", "trace=true") == 0
    assert "missed: silent, 0 of 1 places" in capsys.readouterr().out
    assert run_lab_eval("tasks", f"folder={tmp_path}", "--json") == 0
    report = json.loads(capsys.readouterr().out)
    validate("output.eval-tasks", "output", report)
    assert report["fixed"]["done"] == 1


def test_the_ceiling_with_a_model_is_that_of_the_best_of_its_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody could know the second hunk but a model; one of its answers is right, as one change of a rewrite."""
    before = "a = 1\n\n\nb = 2\nx = 0\nc = 3\n"
    now = before.replace("a = 1", "first = 1")
    after = now.replace("b = 2", "second = load()")
    one = Record("r@1:a.py", "r", "1", "Two", "a.py", "python", before, after)
    answers = [
        CannedAnswer(now.replace("b = 2", "b = 4")),
        CannedAnswer(""),
        CannedAnswer(after.replace("c = 3", "c = 9")),
    ]
    with FakeOpenAIServer("zeta-2", lambda prompt: answers) as models:
        monkeypatch.setenv("EDITAHEAD_BACKEND", "openai")
        monkeypatch.setenv("EDITAHEAD_URL", models.url)
        found = []
        for samples in range(4):
            with sampled_texts(samples) if samples else candidate_texts() as propose:
                found.append(candidate_recall(one, propose))
        assert found == [(1, 0), (1, 0), (1, 0), (1, 1)]
        assert len(models.prompts) == 3


def test_samples_need_a_model(edits: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_lab_eval("commits", f"edits={edits}", "samples=4") == 1
    assert "needs a model" in capsys.readouterr().err
