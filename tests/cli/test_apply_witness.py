"""The choices of a sketch in the order of the rules and a model: `editahead apply --model`, and the tool for agents."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from command_line import CommandLine
from editahead_cli.agent_tools.workspace_tools import WorkspaceTools
from editahead_cli.errors import ToolRefusedError
from editahead_inference.backends.base import Capabilities
from editahead_inference.predictors.model.predictor import ModelPredictor
from editahead_workspace.apply import blocking_model
from editahead_workspace.model_config import ModelConfig
from git_repository import write
from merge_with_readings import READINGS, SECOND, SKETCH, TEXT, merge_with_readings
from scoring_backend import ScoringBackend
from scripted_backend import ScriptedBackend, ScriptedReply
from sketch_fixture import AMBIGUOUS, REPLACED
from sketch_fixture import TEXT as OTHER_TEXT
from tiny_coder import saying_coder, write_onnx

Apply = Callable[..., tuple[int, str, str]]
SECOND_FIRST = "  --choose 2: add after `load()` (a.py:5)\n  --choose 1: replace `load()` (a.py:2)\n"


@pytest.fixture
def folder(work: Path) -> Path:
    write(work, {"a.py": TEXT})
    return work


@pytest.fixture
def apply(editahead: CommandLine, monkeypatch: pytest.MonkeyPatch) -> Apply:
    monkeypatch.setattr("editahead_inference.apply.merge.merge.merge", merge_with_readings(READINGS))
    return lambda *arguments: editahead.run("apply", "a.py", *arguments, stdin=SKETCH)


@pytest.fixture
def backend(monkeypatch: pytest.MonkeyPatch) -> ScoringBackend:
    """The backend of the settings, with a model that thinks the second reading likelier by far."""
    backend = ScoringBackend(lambda text: -0.1 if "more" in text else -3.0)
    monkeypatch.setattr(
        ModelConfig, "create_predictor", lambda config: ModelPredictor(backend, "editahead-coder")
    )
    return backend


def test_the_likelier_choice_is_listed_first_with_its_number(
    folder: Path, apply: Apply, backend: ScoringBackend
) -> None:
    code, _, error = apply("--model")
    assert code == 1
    assert SECOND_FIRST in error
    assert backend.closed
    assert apply("--model", "--choose", "2", "--write") == (0, "changed a.py\n", "")
    assert (folder / "a.py").read_text() == SECOND


def test_scripts_get_choices_in_the_order_of_their_numbers(
    folder: Path, editahead: CommandLine, apply: Apply, backend: ScoringBackend
) -> None:
    (folder / "sketch.md").write_text(SKETCH)
    output = editahead.json("apply", "a.py", "--sketch", "sketch.md", "--model", code=1)
    assert [choice["title"] for choice in output["refusal"]["choices"]] == [title for title, *_ in READINGS]
    assert backend.scored


def test_no_model_is_asked_without_the_option(folder: Path, apply: Apply, backend: ScoringBackend) -> None:
    assert "--choose 1: replace `load()` (a.py:2)\n  --choose 2" in apply()[2]
    assert not backend.scored


@pytest.mark.slow
def test_a_model_in_this_process(
    folder: Path, tmp_path: Path, apply: Apply, monkeypatch: pytest.MonkeyPatch
) -> None:
    coder = saying_coder((" more", "():\n   "), (" pass", "\n\n\n"))
    monkeypatch.setenv("EDITAHEAD_BACKEND", "local")
    monkeypatch.setenv("EDITAHEAD_MODEL", str(write_onnx(coder, tmp_path / "editahead-coder")))
    monkeypatch.setattr(blocking_model, "WITNESS_TIMEOUT_S", 60.0)
    assert SECOND_FIRST in apply("--model")[2]


def agent_asks(root: Path, **arguments: Any) -> Any:
    tool = WorkspaceTools(root).apply_sketch
    return tool(lambda: None, lambda *progress: None, file="a.py", **arguments)


def test_an_agent_gets_the_likelier_choice_first(
    folder: Path, backend: ScoringBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("editahead_cli.agent_tools.workspace_tools", "editahead_workspace.apply.model_plan"):
        monkeypatch.setattr(f"{module}.load_merge", lambda: merge_with_readings(READINGS))
    output = agent_asks(folder, sketch=SKETCH)
    assert [choice["number"] for choice in output["choices"]] == [2, 1]
    asked = len(backend.scored)
    output = agent_asks(folder, sketch=SKETCH, choose=2, write=True)
    assert (output["written"], len(backend.scored)) == (["a.py"], asked)
    assert (folder / "a.py").read_text() == SECOND


def test_an_agent_does_not_write_what_a_model_wrote(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(folder, {"a.py": OTHER_TEXT})
    answer = ("<updated-code>", *REPLACED.splitlines(keepends=True), "</updated-code>")
    backend = ScriptedBackend(
        lambda query, sample: ScriptedReply(answer), capabilities=Capabilities(context=32_768)
    )
    monkeypatch.setattr(ModelConfig, "create_predictor", lambda config: ModelPredictor(backend, "fastapply"))
    ask = partial(agent_asks, folder, sketch=AMBIGUOUS)
    output = ask()
    assert output["refusal"] is None
    assert "+    if c > 7:\n" in output["diff"] and "A model wrote this" in output["diff"]
    with pytest.raises(ToolRefusedError, match="a model wrote this text"):
        ask(write=True)
    assert (folder / "a.py").read_text() == OTHER_TEXT
    backend.capabilities = replace(backend.capabilities, context=64)
    refusal = ask()["refusal"]
    assert refusal["reason"] == "ambiguous" and "does not fit" in refusal["model"]


def test_settings_that_name_no_model_that_can_be_used(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(folder, {"a.py": OTHER_TEXT})
    monkeypatch.setenv("EDITAHEAD_BACKEND", "local")
    monkeypatch.setenv("EDITAHEAD_MODEL", "relative")
    refusal = agent_asks(folder, sketch=AMBIGUOUS)["refusal"]
    assert refusal["reason"] == "ambiguous" and "whole path" in refusal["model"]
