"""The choices of `editahead.apply`: in the refusal, by id, by a question to the person, and as code actions."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from editahead_inference.apply.merge.merge import merge
from merge_with_readings import DETAIL, merge_with_readings
from schemas import validate
from server_harness import ServerHarness
from sketch_fixture import applied

TEXT = "def load(a):\n    return a\n\n\ndef save(a):\n    return a\n"
URI = "file:///p/a.py"
SKETCH = "def load(a):\n    return a + 1\n"
READINGS = (
    ("replace `load()`", "    return a\n", "    return a + 1\n", 0.6),
    ("add after `load()`", "def save", "def more():\n    pass\n\n\ndef save", 0.3),
    ("replace `save()`", "def save(a):\n    return a\n", "def save(a):\n    return 2\n", 0.05),
)
FIRST = TEXT.replace("return a\n", "return a + 1\n", 1)
SECOND = TEXT.replace("def save", "def more():\n    pass\n\n\ndef save")
ANNOTATED = {"documentChanges": True, "changeAnnotationSupport": {}}


@pytest.fixture
def harness(connect: Callable[..., ServerHarness]) -> ServerHarness:
    harness = connect()
    harness.server.apply_service.load = lambda: merge_with_readings(READINGS)
    return harness


async def start(harness: ServerHarness, text: str = TEXT, uri: str = URI, **more: Any) -> None:
    workspace = {"applyEdit": True, "workspaceEdit": more.pop("edits", {"documentChanges": True})}
    await harness.initialize(root=Path("/p"), workspace=workspace, **more)
    harness.open(uri, text)


def command(**argument: Any) -> dict[str, Any]:
    whole = {"uri": URI, "sketch": SKETCH, **argument}
    validate("command.editahead.apply", "arguments", [whole])
    return {"command": "editahead.apply", "arguments": [whole]}


async def refused(harness: ServerHarness, **argument: Any) -> Any:
    """Return the error's data."""
    reply = await harness.reply(harness.send("workspace/executeCommand", command(**argument)))
    assert reply["error"]["code"] == -32803
    validate("command.editahead.apply", "refusal", reply["error"]["data"])
    return reply["error"]["data"]


def patched(tmp_path: Path, diff: str) -> str:
    """Return the text after a diff."""
    (tmp_path / "a.py").write_text(TEXT)
    subprocess.run(["git", "apply", "-"], input=diff.encode(), cwd=tmp_path, check=True)
    return (tmp_path / "a.py").read_text()


def text_after(edit: Any) -> str:
    """Return the text of the document after an edit that changes only it."""
    (change,) = edit["documentChanges"]
    return applied(TEXT, change["edits"])


async def test_a_refusal_has_choices(harness: ServerHarness, tmp_path: Path) -> None:
    await start(harness)
    data = await refused(harness)
    choices = data["choices"]
    assert data["reason"] == "ambiguous"
    assert [(c["title"], c["places"], c["likelihood"]) for c in choices] == [
        ("replace `load()`", [{"uri": URI, "line": 1}], 0.6),
        ("add after `load()`", [{"uri": URI, "line": 4}], 0.3),
        ("replace `save()`", [{"uri": URI, "line": 4}], 0.05),
    ]
    assert len({c["id"] for c in choices}) == 3
    assert patched(tmp_path, choices[0]["diff"]) == FIRST
    assert patched(tmp_path, choices[1]["diff"]) == SECOND


async def test_a_refusal_without_choices_has_no_such_field(harness: ServerHarness) -> None:
    harness.server.apply_service.load = lambda: merge_with_readings(READINGS[:1])
    await start(harness)
    assert "choices" not in await refused(harness)


async def test_a_choice_is_applied_by_its_id(harness: ServerHarness) -> None:
    await start(harness)
    choices = (await refused(harness, dryRun=True))["choices"]
    result = await harness.request("workspace/executeCommand", command(choice=choices[1]["id"], dryRun=True))
    validate("command.editahead.apply", "result", result)
    assert text_after(result["edit"]) == SECOND
    assert result["stats"]["firstHunkMs"] is not None
    id = harness.send("workspace/executeCommand", command(choice=choices[0]["id"]))
    request = await harness.take(lambda m: m.get("method") == "workspace/applyEdit")
    assert text_after(request["params"]["edit"]) == FIRST
    reply(harness, request, {"applied": True})
    assert "applied" not in (await harness.reply(id))["result"]


def reply(harness: ServerHarness, request: Any, result: Any) -> None:
    harness.server.receive(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}).encode())


@pytest.mark.parametrize("sure", [False, True])
async def test_a_choice_for_another_text_is_stale(harness: ServerHarness, sure: bool) -> None:
    await start(harness)
    first, *_ = (await refused(harness))["choices"]
    change = {
        "range": {"start": {"line": 4, "character": 0}, "end": {"line": 4, "character": 0}},
        "text": "#\n",
    }
    harness.notify(
        "textDocument/didChange", {"textDocument": {"uri": URI, "version": 2}, "contentChanges": [change]}
    )
    if sure:
        harness.server.apply_service.load = lambda: merge
    assert (await refused(harness, choice=first["id"]))["reason"] == "stale"
    assert (await refused(harness, choice="nothing"))["reason"] == "stale"


async def test_the_server_asks(harness: ServerHarness) -> None:
    await start(harness)
    id = harness.send("workspace/executeCommand", command(ask=True, dryRun=True))
    question = await harness.take(lambda m: m.get("method") == "window/showMessageRequest")
    assert question["params"] == {
        "type": 3,
        "message": f"Editahead: {DETAIL} Which change do you mean?",
        "actions": [
            {"title": "replace `load()` (line 2)"},
            {"title": "add after `load()` (line 5)"},
            {"title": "replace `save()` (line 5)"},
        ],
    }
    reply(harness, question, question["params"]["actions"][1])
    assert text_after((await harness.reply(id))["result"]["edit"]) == SECOND


async def test_equal_titles_get_numbers(harness: ServerHarness) -> None:
    twins = [READINGS[0], (READINGS[0][0], "    return a\n", "    return a - 1\n", 0.3)]
    harness.server.apply_service.load = lambda: merge_with_readings(twins)
    await start(harness)
    id = harness.send("workspace/executeCommand", command(ask=True, dryRun=True))
    question = await harness.take(lambda m: m.get("method") == "window/showMessageRequest")
    titles = [action["title"] for action in question["params"]["actions"]]
    assert titles == ["1: replace `load()` (line 2)", "2: replace `load()` (line 2)"]
    reply(harness, question, {"title": titles[1]})
    assert text_after((await harness.reply(id))["result"]["edit"]) == FIRST.replace("+", "-")


@pytest.mark.parametrize("answer", [None, {"title": "something else"}])
async def test_who_picks_nothing_gets_the_refusal(harness: ServerHarness, answer: Any) -> None:
    await start(harness)
    id = harness.send("workspace/executeCommand", command(ask=True))
    question = await harness.take(lambda m: m.get("method") == "window/showMessageRequest")
    reply(harness, question, answer)
    data = (await harness.reply(id))["error"]["data"]
    assert (data["reason"], len(data["choices"])) == ("ambiguous", 3)


async def test_the_question_can_be_cancelled(harness: ServerHarness) -> None:
    await start(harness)
    id = harness.send("workspace/executeCommand", command(ask=True))
    question = await harness.take(lambda m: m.get("method") == "window/showMessageRequest")
    harness.notify("$/cancelRequest", {"id": id})
    assert (await harness.reply(id))["error"]["code"] == -32800
    reply(harness, question, question["params"]["actions"][0])  # too late


async def test_typing_elsewhere_while_the_person_thinks(harness: ServerHarness) -> None:
    await start(harness)
    id = harness.send("workspace/executeCommand", command(ask=True, dryRun=True))
    question = await harness.take(lambda m: m.get("method") == "window/showMessageRequest")
    change = {
        "range": {"start": {"line": 5, "character": 0}, "end": {"line": 5, "character": 0}},
        "text": "#\n",
    }
    harness.notify(
        "textDocument/didChange", {"textDocument": {"uri": URI, "version": 2}, "contentChanges": [change]}
    )
    reply(harness, question, question["params"]["actions"][0])
    result = (await harness.reply(id))["result"]
    assert [hunk["newText"] for hunk in result["hunks"]]
    assert result["edit"]["documentChanges"][0]["textDocument"]["version"] == 2


# Code actions

EMBEDDED = SKETCH + "\n\n" + TEXT


def actions_params(lines: int = 2) -> dict[str, Any]:
    selected = {"start": {"line": 0, "character": 0}, "end": {"line": lines, "character": 0}}
    context = {"diagnostics": [], "only": ["refactor.rewrite.editahead.apply"]}
    return {"textDocument": {"uri": URI}, "range": selected, "context": context}


def code_actions(*, resolves: bool) -> dict[str, Any]:
    support: dict[str, Any] = {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}}}
    if resolves:
        support |= {"dataSupport": True, "resolveSupport": {"properties": ["edit"]}}
    return {"textDocument": {"codeAction": support}}


@pytest.mark.parametrize("resolves", [False, True])
async def test_each_choice_is_a_code_action(harness: ServerHarness, resolves: bool) -> None:
    await start(harness, EMBEDDED, **code_actions(resolves=resolves))
    actions = await harness.request("textDocument/codeAction", actions_params())
    validate("method.textDocument.codeAction", "result", actions)
    assert [action["title"] for action in actions] == [
        "Apply sketch in selection: replace `load()` (line 6)",
        "Apply sketch in selection: add after `load()` (line 9)",
        "Apply sketch in selection: replace `save()` (line 9)",
    ]
    (change,) = actions[1]["edit"]["documentChanges"]
    assert applied(EMBEDDED, change["edits"]).lstrip("\n") == SECOND


@pytest.mark.parametrize("by", ["answer", "id"])
async def test_a_client_that_resolves_chooses_then(harness: ServerHarness, by: str) -> None:
    await start(harness, EMBEDDED, edits=ANNOTATED, **code_actions(resolves=True))
    (action,) = await harness.request("textDocument/codeAction", actions_params())
    if by == "answer":
        id = harness.send("codeAction/resolve", action)
        question = await harness.take(lambda m: m.get("method") == "window/showMessageRequest")
        assert question["params"]["actions"][0] == {"title": "replace `load()` (line 6)"}
        reply(harness, question, question["params"]["actions"][1])
    else:
        action["data"]["ask"] = False
        refusal = (await harness.reply(harness.send("codeAction/resolve", action)))["error"]["data"]
        action["data"]["choice"] = refusal["choices"][1]["id"]
        id = harness.send("codeAction/resolve", action)
    edit = (await harness.reply(id))["result"]["edit"]
    (change,) = edit["documentChanges"]
    assert applied(EMBEDDED, change["edits"]).lstrip("\n") == SECOND
