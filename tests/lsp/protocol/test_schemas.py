"""Real messages, validated by the schemas."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from editahead_cli.main import main
from schemas import validate
from server_harness import ScriptedPipeline, ServerHarness, lsp_range, position_params

A, B = "file:///tmp/a.py", "file:///tmp/b.py"
LAZY = {
    "codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}},
    "dataSupport": True,
    "resolveSupport": {"properties": ["edit"]},
}
DOCUMENT = {"textDocument": {"uri": A}}
SELECTED = DOCUMENT | {"range": lsp_range(0, 0, 0, 0), "context": {"diagnostics": []}}


async def validated(harness: ServerHarness, method: str, params: Any) -> Any:
    name = f"method.{method.replace('/', '.')}"
    validate(name, "params", params)
    result = await harness.request(method, params)
    validate(name, "result", result)
    return result


@pytest.mark.parametrize("text", ["x\nuser\n", "user\n", "here\n", "nothing\n"])
@pytest.mark.parametrize("versioned", [False, True])
async def test_answers(
    harness: ServerHarness, pipeline: ScriptedPipeline, text: str, versioned: bool
) -> None:
    pipeline.script |= {"here": "here"}
    await harness.initialize(
        {"hints": "inlay", "completion_item": "on", "crossFile": True},
        textDocument={"codeAction": LAZY},
        workspace={"workspaceEdit": {"documentChanges": versioned}},
        window={"showDocument": {"support": True}},
    )
    harness.open(B, "user here\n")
    harness.open(A, text)
    at = position_params(A, 1, 0, 0)
    await validated(harness, "textDocument/completion", at)
    for action in await validated(harness, "textDocument/codeAction", SELECTED):
        if "data" in action:
            await validated(harness, "codeAction/resolve", action)
    for method in ("editahead/nextEdit", "textDocument/copilotInlineEdit", "textDocument/inlineCompletion"):
        await validated(harness, method, at)
    await validated(harness, "textDocument/inlayHint", SELECTED)
    for method in ("checkStatus", "signIn"):
        await validated(harness, method, {"options": {}})
    for command in ("why", "status", "resetLearning"):
        result = await harness.command(command)
        validate(f"command.editahead.{command}", "result", result)


async def test_going(client: ServerHarness) -> None:
    client.open(A, "user\n")
    result = await client.command("nextEdit")
    validate("command.editahead.nextEdit", "result", result)


async def test_accepting_all(client: ServerHarness) -> None:
    client.open(A, "user\n")
    await client.predictions(A, 1, 0, 0)
    result = await client.command("acceptAll", {"dryRun": True})
    validate("command.editahead.acceptAll", "result", result)


async def test_why_before_anything_was_predicted(client: ServerHarness) -> None:
    result = await client.command("why")
    validate("command.editahead.why", "result", result)


@pytest.mark.parametrize(
    "command", [["--version"], ["config"], ["predict", "a.py", "--line=1", "--column=1"]]
)
def test_outputs(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.py").write_text("x = 1\n", "utf-8")
    (tmp_path / "editahead.toml").write_text("eagerness = 0.3\nbackend = 'engine'\n", "utf-8")
    assert main([*command, "--json"]) == 0
    validate(f"output.{command[0].lstrip('-')}", "output", json.loads(capsys.readouterr().out))


def test_the_output_of_the_doctor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("editahead_cli.commands.doctor._check_server", list)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)
    main(["doctor", "--json"])
    validate("output.doctor", "output", json.loads(capsys.readouterr().out))
