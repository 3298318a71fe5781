"""The connection: order, errors, odd messages, settings that change."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from server_harness import ScriptedPipeline, ServerHarness, ask
from server_with_model import until

A = "file:///tmp/a.py"
FACES = ["editahead/nextEdit", "textDocument/copilotInlineEdit", "textDocument/inlineCompletion"]


async def test_what_the_server_says_of_itself(wired: ServerHarness) -> None:
    result = await wired.initialize()
    assert result["serverInfo"] == {"name": "editahead", "version": "0.1.0"}
    capabilities = result["capabilities"]
    assert capabilities["positionEncoding"] == "utf-16"
    assert capabilities["textDocumentSync"] == {"openClose": True, "change": 2}
    assert capabilities["inlineCompletionProvider"] is True
    assert capabilities["executeCommandProvider"]["commands"] == [
        "editahead.accept",
        "editahead.reject",
        "editahead.nextEdit",
        "editahead.apply",
        "editahead.why",
        "editahead.status",
        "editahead.resetLearning",
    ]


@pytest.mark.parametrize("params", [None, [], {}, 3, {"textDocument": 1}, {"textDocument": {"uri": A}}])
@pytest.mark.parametrize("face", FACES)
async def test_malformed_params_are_refused(wired: ServerHarness, face: str, params: Any) -> None:
    await wired.initialize()
    assert (await wired.reply(wired.send(face, params)))["error"]["code"] == -32602


@pytest.mark.parametrize(
    "params", [None, [], {"command": "editahead.apply"}, {"command": "editahead.accept"}]
)
async def test_malformed_commands_are_refused(wired: ServerHarness, params: Any) -> None:
    await wired.initialize()
    assert (await wired.reply(wired.send("workspace/executeCommand", params)))["error"]["code"] == -32602


async def test_initialize_comes_once(wired: ServerHarness) -> None:
    await wired.initialize()
    assert (await wired.reply(wired.send("initialize", {"capabilities": {}})))["error"]["code"] == -32600


async def test_malformed_notifications_are_ignored(wired: ServerHarness) -> None:
    await wired.initialize()
    wired.open(A, "user\n")
    for method in (
        "textDocument/didOpen",
        "textDocument/didChange",
        "textDocument/didClose",
        "editahead/outcome",
    ):
        for params in (
            None,
            [],
            {"textDocument": None},
            {"textDocument": {"uri": {}}},
            {"contentChanges": 1},
        ):
            wired.notify(method, params)
    for method in (
        "textDocument/didFocus",
        "textDocument/didShowInlineEdit",
        "textDocument/didShowCompletion",
    ):
        for params in (None, {}, {"item": {"command": {"arguments": [None]}}}, {"item": 1}):
            wired.notify(method, params)
    wired.notify("$/cancelRequest", {"id": 77})
    wired.notify("$/cancelRequest", {"id": [1]})
    wired.notify("$/cancelRequest")
    wired.notify("workspace/executeCommand", {"command": "nothing.such"})
    wired.notify("nobody/knowsThis", {"a": 1})
    wired.notify("textDocument/didPartiallyAcceptCompletion", {"item": {}, "acceptedLength": "x"})
    assert (await wired.request("editahead/nextEdit", ask(A, 1, 0, 0)))["predictions"]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"{", -32700),
        (b"\xff\xfe", -32700),
        (b"[" * 100_000, -32700),
        (b"[]", -32600),
        (b"1", -32600),
        (b"{}", -32600),
        (b'{"jsonrpc": "2.0", "id": true, "method": "shutdown"}', -32600),
        (b'{"jsonrpc": "2.0", "method": 3}', -32600),
    ],
)
async def test_what_is_no_message_is_refused_without_an_id(
    wired: ServerHarness, body: bytes, code: int
) -> None:
    await wired.initialize()
    wired.server.receive(body)
    reply = await wired.take(lambda m: "error" in m)
    assert (reply["id"], reply["error"]["code"]) == (None, code)


async def test_responses_to_nothing_are_ignored(wired: ServerHarness) -> None:
    await wired.initialize()
    wired.server.receive(json.dumps({"jsonrpc": "2.0", "id": 99, "result": None}).encode())
    wired.server.receive(json.dumps({"jsonrpc": "2.0", "id": "x", "error": {"code": 1}}).encode())
    assert (await wired.reply(wired.send("nobody/knowsThis")))["error"]["code"] == -32601


async def test_before_initialize_and_after_shutdown(wired: ServerHarness) -> None:
    assert (await wired.reply(wired.send("editahead/nextEdit", ask(A, 1, 0, 0))))["error"]["code"] == -32002
    wired.open(A, "too early")
    await wired.initialize()
    status = await wired.request("workspace/executeCommand", {"command": "editahead.status"})
    assert status["documents"] == 0
    assert await wired.request("shutdown") is None
    assert (await wired.reply(wired.send("shutdown")))["error"]["code"] == -32600


async def test_lone_surrogates_come_back_as_they_are(wired: ServerHarness) -> None:
    await wired.initialize()
    wired.open(A, "\ud800 user\n")
    (prediction,) = (await wired.request("editahead/nextEdit", ask(A, 1, 0, 0)))["predictions"]
    assert prediction["edits"][0]["range"]["start"] == {"line": 0, "character": 2}


async def warning(wired: ServerHarness) -> str:
    message = await wired.take(lambda m: m.get("method") == "window/showMessage")
    assert message["params"]["type"] == 2
    text: str = message["params"]["message"]
    return text


async def test_problems_with_settings_are_shown_once(wired: ServerHarness) -> None:
    await wired.initialize({"eagerness": "much"})
    assert "`eagerness`" in await warning(wired)
    wired.notify("workspace/didChangeConfiguration", {"settings": {"editahead": {"debounce_ms": 5}}})
    assert wired.server.session.settings.debounce_ms == 5
    wired.notify("workspace/didChangeConfiguration", {"settings": {"editahead": {"eagerness": 1}}})
    assert wired.server.session.settings.eagerness == 1
    wired.notify("workspace/didChangeConfiguration", {"settings": {}})
    wired.notify("workspace/didChangeConfiguration", None)


async def test_settings_are_pulled_when_only_a_change_is_told(wired: ServerHarness) -> None:
    await wired.initialize(workspace={"configuration": True})
    wired.notify("workspace/didChangeConfiguration", {"settings": None})
    asked = await wired.serves("workspace/configuration", [{"eagerness": 0.9}])
    assert asked == {"items": [{"section": "editahead"}]}
    await until(lambda: wired.server.session.settings.eagerness == 0.9)


async def test_several_workspace_folders(
    connect: Callable[..., ServerHarness], pipeline: ScriptedPipeline, tmp_path: Path
) -> None:
    for name, settings in (("one", "learning = false"), ("two", 'exclude = ["x.py"]')):
        (tmp_path / name).mkdir()
        (tmp_path / name / "editahead.toml").write_text(settings, "utf-8")
    one, two = ({"uri": (tmp_path / name).as_uri(), "name": name} for name in ("one", "two"))
    wired = connect()
    await wired.request("initialize", {"capabilities": {}, "workspaceFolders": [one]})
    assert wired.server.session.settings.learning is False
    wired.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": [two], "removed": [one]}})
    assert wired.server.session.settings.learning is True
    wired.open(two["uri"] + "/x.py", "user\n")
    result = await wired.request("editahead/nextEdit", ask(two["uri"] + "/x.py", 1, 0, 0))
    assert result["silence"]["reason"] == "excluded"


@pytest.mark.parametrize(
    "said",
    [
        {"clientInfo": {"name": "My Copilot client"}},
        {"initializationOptions": {"editorPluginInfo": {"name": "copilot.el", "version": "0.9"}}},
    ],
)
async def test_only_copilots_are_told_a_status(wired: ServerHarness, said: dict[str, Any]) -> None:
    await wired.request("initialize", {"capabilities": {}, **said})
    wired.notify("initialized", {})
    message = await wired.take(lambda m: m.get("method") == "didChangeStatus")
    assert message["params"] == {"busy": False, "message": "", "kind": "Normal"}


async def test_predictors_that_cannot_be_loaded(tmp_path: Path) -> None:
    wired = ServerHarness(None, user_folder=tmp_path)
    await wired.initialize()
    wired.open(A, "user\n")
    result = await wired.request("editahead/nextEdit", ask(A, 1, 0, 0))
    assert result["silence"]["reason"] == "engine-unavailable"
    wired.finish()
