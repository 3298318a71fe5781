"""JSON-RPC: order, errors, unusual messages, changes of settings."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from server_harness import ScriptedPipeline, ServerHarness, position_params
from server_with_model import until

A = "file:///tmp/a.py"
SURFACES = ["editahead/nextEdit", "textDocument/copilotInlineEdit", "textDocument/inlineCompletion"]


async def test_what_the_server_says_of_itself(harness: ServerHarness) -> None:
    result = await harness.initialize()
    assert result["serverInfo"] == {"name": "editahead", "version": "0.1.0"}
    capabilities = result["capabilities"]
    assert capabilities["positionEncoding"] == "utf-16"
    assert capabilities["textDocumentSync"] == {"openClose": True, "change": 2, "save": {}}
    assert capabilities["inlineCompletionProvider"] is True
    assert capabilities["executeCommandProvider"]["commands"] == [
        "editahead.accept",
        "editahead.acceptAll",
        "editahead.reject",
        "editahead.restore",
        "editahead.nextEdit",
        "editahead.apply",
        "editahead.applyProblems",
        "editahead.finish",
        "editahead.commitMessage",
        "editahead.search",
        "editahead.why",
        "editahead.report",
        "editahead.status",
        "editahead.resetLearning",
    ]


@pytest.mark.parametrize("params", [None, [], {}, 3, {"textDocument": 1}, {"textDocument": {"uri": A}}])
@pytest.mark.parametrize("surface", SURFACES)
async def test_malformed_params_are_refused(client: ServerHarness, surface: str, params: Any) -> None:
    assert (await client.reply(client.send(surface, params)))["error"]["code"] == -32602


@pytest.mark.parametrize(
    "params", [None, [], {"command": "editahead.apply"}, {"command": "editahead.accept"}]
)
async def test_malformed_commands_are_refused(client: ServerHarness, params: Any) -> None:
    assert (await client.reply(client.send("workspace/executeCommand", params)))["error"]["code"] == -32602


async def test_initialize_comes_once(client: ServerHarness) -> None:
    assert (await client.reply(client.send("initialize", {"capabilities": {}})))["error"]["code"] == -32600


async def test_the_trace_is_set_and_malformed_params_change_nothing(
    client: ServerHarness, caplog: pytest.LogCaptureFixture
) -> None:
    for params in ({"value": "verbose"}, {"value": 3}, {}, None):
        client.notify("$/setTrace", params)
    assert client.server.protocol.trace == "verbose"
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


async def test_malformed_notifications_are_ignored(client: ServerHarness) -> None:
    client.open(A, "user\n")
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
            client.notify(method, params)
    for method in (
        "textDocument/didFocus",
        "textDocument/didShowInlineEdit",
        "textDocument/didShowCompletion",
    ):
        for params in (None, {}, {"item": {"command": {"arguments": [None]}}}, {"item": 1}):
            client.notify(method, params)
    client.notify("$/cancelRequest", {"id": 77})
    client.notify("$/cancelRequest", {"id": [1]})
    client.notify("$/cancelRequest")
    client.notify("workspace/executeCommand", {"command": "nothing.such"})
    client.notify("nobody/knowsThis", {"a": 1})
    client.notify("textDocument/didPartiallyAcceptCompletion", {"item": {}, "acceptedLength": "x"})
    assert await client.predictions(A, 1, 0, 0)


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
    client: ServerHarness, body: bytes, code: int
) -> None:
    client.server.receive(body)
    reply = await client.take(lambda m: "error" in m)
    assert (reply["id"], reply["error"]["code"]) == (None, code)


async def test_responses_to_nothing_are_ignored(client: ServerHarness) -> None:
    client.server.receive(json.dumps({"jsonrpc": "2.0", "id": 99, "result": None}).encode())
    client.server.receive(json.dumps({"jsonrpc": "2.0", "id": "x", "error": {"code": 1}}).encode())
    assert (await client.reply(client.send("nobody/knowsThis")))["error"]["code"] == -32601


async def test_before_initialize_and_after_shutdown(harness: ServerHarness) -> None:
    assert (await harness.reply(harness.send("editahead/nextEdit", position_params(A, 1, 0, 0))))["error"][
        "code"
    ] == -32002
    harness.open(A, "too early")
    await harness.initialize()
    status = await harness.command("status")
    assert status["documents"] == 0
    assert await harness.request("shutdown") is None
    assert (await harness.reply(harness.send("shutdown")))["error"]["code"] == -32600


async def test_lone_surrogates_survive(client: ServerHarness) -> None:
    client.open(A, "\ud800 user\n")
    (prediction,) = await client.predictions(A, 1, 0, 0)
    assert prediction["edits"][0]["range"]["start"] == {"line": 0, "character": 2}


async def warning(harness: ServerHarness) -> str:
    message = await harness.take(lambda m: m.get("method") == "window/showMessage")
    assert message["params"]["type"] == 2
    text: str = message["params"]["message"]
    return text


async def test_problems_with_settings_are_shown_once(harness: ServerHarness) -> None:
    await harness.initialize({"eagerness": "much"})
    assert "`eagerness`" in await warning(harness)
    harness.configure(debounce_ms=5)
    assert harness.server.session.settings.debounce_ms == 5
    harness.configure(eagerness=1)
    assert harness.server.session.settings.eagerness == 1
    harness.notify("workspace/didChangeConfiguration", {"settings": {}})
    harness.notify("workspace/didChangeConfiguration", None)


async def test_settings_are_pulled_after_a_bare_notification(harness: ServerHarness) -> None:
    await harness.initialize(workspace={"configuration": True})
    harness.notify("workspace/didChangeConfiguration", {"settings": None})
    asked = await harness.serves("workspace/configuration", [{"eagerness": 0.9}])
    assert asked == {"items": [{"section": "editahead"}]}
    await until(lambda: harness.server.session.settings.eagerness == 0.9)


async def test_several_workspace_folders(
    connect: Callable[..., ServerHarness], pipeline: ScriptedPipeline, tmp_path: Path
) -> None:
    for name, settings in (("one", "learning = false"), ("two", 'exclude = ["x.py"]')):
        (tmp_path / name).mkdir()
        (tmp_path / name / "editahead.toml").write_text(settings, "utf-8")
    one, two = ({"uri": (tmp_path / name).as_uri(), "name": name} for name in ("one", "two"))
    harness = connect()
    await harness.request("initialize", {"capabilities": {}, "workspaceFolders": [one]})
    assert harness.server.session.settings.learning is False
    harness.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": [two], "removed": [one]}})
    assert harness.server.session.settings.learning is True
    harness.open(two["uri"] + "/x.py", "user\n")
    result = await harness.next_edit(two["uri"] + "/x.py", 1, 0, 0)
    assert result["silence"]["reason"] == "excluded"


@pytest.mark.parametrize(
    "said",
    [
        {"clientInfo": {"name": "My Copilot client"}},
        {"initializationOptions": {"editorPluginInfo": {"name": "copilot.el", "version": "0.9"}}},
    ],
)
async def test_only_copilot_clients_get_a_status(harness: ServerHarness, said: dict[str, Any]) -> None:
    await harness.request("initialize", {"capabilities": {}, **said})
    harness.notify("initialized", {})
    message = await harness.take(lambda m: m.get("method") == "didChangeStatus")
    assert message["params"] == {"busy": False, "message": "", "kind": "Normal"}
    message = await harness.take(lambda m: m.get("method") == "didChangeStatus/v2")
    assert [each["category"] for each in message["params"]["statuses"]] == ["auth", "completion", "cls"]


async def test_predictors_that_cannot_be_loaded(tmp_path: Path) -> None:
    harness = ServerHarness(None, user_folder=tmp_path)
    await harness.initialize()
    harness.open(A, "user\n")
    result = await harness.next_edit(A, 1, 0, 0)
    assert result["silence"]["reason"] == "engine-unavailable"
    harness.finish()
