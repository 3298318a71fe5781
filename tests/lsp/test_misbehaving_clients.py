"""Clients that lie, hurry or flood the server: the behaviour case by case."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from editahead_workspace.settings import SETTING_NAMES, Settings, SettingsSource, resolve_settings
from server_harness import ScriptedPipeline, ServerHarness, lsp_range, position_params

A = "file:///tmp/a.py"
NEXT = "editahead/nextEdit"
SURFACES = (NEXT, "textDocument/copilotInlineEdit", "textDocument/inlineCompletion")


async def reason(harness: ServerHarness, version: int | None, uri: str = A) -> str | None:
    silence = (await harness.next_edit(uri, version, 0, 0))["silence"]
    return None if silence is None else silence["reason"]


# Versions


@pytest.mark.parametrize("version", [5, 7, 4, 1, 0, -3, 1_000_000])
async def test_whatever_version_a_change_has_it_is_applied_and_is_the_version_now(
    client: ServerHarness, version: int
) -> None:
    client.open(A, "user\n", version=5)
    before = await client.next_edit(A, 5, 0, 0)
    client.change(A, version, (0, 0, 0, 0, "# above\n"))
    answer = await client.next_edit(A, version, 0, 0)
    (prediction,) = answer["predictions"]
    assert prediction["textDocument"]["version"] == version
    assert prediction["edits"][0]["range"] == lsp_range(1, 0, 1, 4)
    assert len(before["predictions"]) == 1
    assert await reason(client, version + 1) == "unknown-document"
    assert await reason(client, version - 1) is None, "the answer says which version it is for"


@pytest.mark.parametrize("version", ["absent", None])
async def test_a_change_without_a_version_is_one_more(client: ServerHarness, version: str | None) -> None:
    client.open(A, "user\n", version=5)
    document = {"uri": A} if version == "absent" else {"uri": A, "version": None}
    change = {"range": lsp_range(0, 0, 0, 0), "text": "\n"}
    client.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})
    (prediction,) = await client.predictions(A, None, 0, 0)
    assert prediction["textDocument"]["version"] == 6


async def test_the_same_version_for_two_texts_gives_no_answer_for_the_first(
    client: ServerHarness, pipeline: ScriptedPipeline
) -> None:
    """Ghost text carries no version: it is given only for the text that was asked about."""
    client.open(A, "a\nuser\n", version=1)
    pipeline.open.clear()
    ghost = client.send("textDocument/inlineCompletion", position_params(A, 1, 1, 0))
    edit = client.send("textDocument/copilotInlineEdit", position_params(A, 1, 0, 0))
    await asyncio.to_thread(pipeline.started.wait, 10)
    client.change(A, 1, (0, 0, 0, 0, "xx\n"))
    pipeline.open.set()
    assert (await client.reply(ghost))["result"] == {"items": []}
    (found,) = (await client.reply(edit))["result"]["edits"]
    assert found["range"] == lsp_range(2, 0, 2, 4)


async def test_opened_twice_the_later_text_counts(client: ServerHarness) -> None:
    client.open(A, "user\n", version=3)
    client.open(A, "x\nuser\n", version=1)
    (prediction,) = await client.predictions(A, 1, 0, 0)
    assert prediction["edits"][0]["range"] == lsp_range(1, 0, 1, 4)


async def test_changed_and_closed_without_being_open(client: ServerHarness) -> None:
    client.change(A, 2, (0, 0, 0, 0, "user"))
    client.close_document(A)
    assert await reason(client, 2) == "unknown-document"


# Time


async def test_before_initialize_every_request_is_refused_and_notifications_are_not_kept(
    harness: ServerHarness,
) -> None:
    harness.open(A, "user\n")
    for surface in SURFACES:
        reply = await harness.reply(harness.send(surface, position_params(A, 1, 0, 0)))
        assert reply["error"]["code"] == -32002
    await harness.initialize()
    assert await reason(harness, 1) == "unknown-document"


@pytest.mark.parametrize("surface", SURFACES)
async def test_between_initialize_and_initialized_requests_are_answered(
    harness: ServerHarness, pipeline: ScriptedPipeline, surface: str
) -> None:
    pipeline.script = {"user": "users"}
    await harness.request("initialize", {"processId": None, "capabilities": {}})
    harness.open(A, "user\n")
    answer = await harness.request(surface, position_params(A, 1, 0, 0))
    assert len(next(iter(answer.values()))) == 1
    harness.notify("initialized", {})


@pytest.mark.parametrize("surface", SURFACES)
async def test_closed_while_a_request_runs(
    client: ServerHarness, pipeline: ScriptedPipeline, surface: str
) -> None:
    client.open(A, "user\n")
    id = await client.hold_request(surface, position_params(A, 1, 0, 0))
    client.close_document(A)
    pipeline.open.set()
    answer = (await client.reply(id))["result"]
    assert next(iter(answer.values())) == []
    if surface == NEXT:
        assert answer["silence"]["reason"] == "unknown-document"


async def test_closed_and_opened_again_while_a_request_runs(
    client: ServerHarness, pipeline: ScriptedPipeline
) -> None:
    client.open(A, "user\n")
    id = await client.hold_request(NEXT, position_params(A, 1, 0, 0))
    client.close_document(A)
    client.open(A, "something else\n")
    pipeline.open.set()
    answer = (await client.reply(id))["result"]
    assert answer["predictions"] == []
    assert answer["silence"]["reason"] == "unknown-document"


# Size and number


async def test_two_megabytes_are_mirrored_and_left_alone(
    client: ServerHarness, pipeline: ScriptedPipeline
) -> None:
    text = "user = 1\n" * 240_000
    client.open(A, text)
    client.change(A, 2, (120_000, 0, 120_000, 4, "account"))
    assert await reason(client, 2) == "too-large"
    client.change(A, 3, "user\n")
    answer = await client.next_edit(A, 3, 0, 0)
    assert len(answer["predictions"]) == 1, "small again, it is like any other"
    assert pipeline.calls[-1].history == ()


async def test_two_megabytes_on_one_line_that_are_allowed(
    harness: ServerHarness, pipeline: ScriptedPipeline
) -> None:
    pipeline.script = {"user": "users"}
    await harness.initialize({"max_file_bytes": 3_000_000})
    harness.open(A, "x" * 2_000_000 + "user")
    harness.change(A, 2, (0, 1_000_000, 0, 1_000_000, "y"))
    (item,) = await harness.inline_completions(A, 2, 0, 2_000_001)
    assert item["range"] == lsp_range(0, 2_000_005, 0, 2_000_005)


async def test_binary_bytes_are_a_text_like_any_other(client: ServerHarness) -> None:
    """As an editor sends them: control characters, NUL, replacement characters and lone surrogates."""
    binary = "".join(map(chr, range(0x20))) + "\x7f\x80\ufffd\ufeff\ud800\u2028\U0010ffff"
    text = binary * 50 + "\nuser\n"
    client.open(A, text, language="plaintext")
    client.change(A, 2, (0, 0, 0, 1, "\0\udfff"))
    document = client.server.session.documents.get(A)
    assert document is not None
    assert document.snapshot.text == "\0\udfff" + text[1:]
    (prediction,) = await client.predictions(A, 2, 0, 0)
    (edit,) = prediction["edits"]
    assert (edit["newText"], edit["range"]["end"]["character"]) == ("account", 4)
    assert await client.predictions(A, 2, 1, 0)


async def test_bytes_that_are_not_json_are_refused(client: ServerHarness) -> None:
    client.server.receive(b'{"jsonrpc": "2.0", "id": 1, "method": "\xff\xfe\x00"}')
    reply = await client.take(lambda m: "error" in m)
    assert reply["error"]["code"] == -32700
    client.open(A, "user\n")
    assert await reason(client, 1) is None


@pytest.mark.slow
async def test_five_hundred_documents(client: ServerHarness, pipeline: ScriptedPipeline) -> None:
    for number in range(500):
        client.open(f"file:///tmp/{number}.py", f"x = {number}\n")
    client.open(A, "user\n")
    assert await reason(client, 1) is None
    assert len(pipeline.calls[-1].other_documents) == 500
    status = await client.command("status")
    assert status["documents"] == 501
    for number in range(500):
        client.close_document(f"file:///tmp/{number}.py")
    assert await reason(client, 1) is None
    assert pipeline.calls[-1].other_documents == ()


@pytest.mark.slow
async def test_a_flood_of_ten_thousand_changes(harness: ServerHarness, pipeline: ScriptedPipeline) -> None:
    """Every one is applied; of the requests between them all but the last are ended, or answered for a version."""
    await harness.initialize({"debounce_ms": 0})
    harness.open(A, "user\n" + "line\n" * 200)
    ids = []
    for k in range(10_000):
        harness.change(A, 2 + k, (1 + k % 200, 0, 1 + k % 200, 0, "x" if k < 5_000 else "\U0001f600"))
        if k % 1000 == 0:
            ids.append(harness.send(NEXT, position_params(A, 2 + k, 0, 0)))
    ids.append(harness.send(NEXT, position_params(A, 10_001, 0, 0)))
    for id in ids[:-1]:
        answer = (await harness.reply(id))["result"]
        assert answer["predictions"] == [] or answer["predictions"][0]["textDocument"]["version"] == 10_001
    answer = (await harness.reply(ids[-1]))["result"]
    assert answer["predictions"][0]["edits"][0]["range"] == lsp_range(0, 0, 0, 4)
    document = harness.server.session.documents.get(A)
    assert document is not None
    assert document.snapshot.text == "user\n" + ("\U0001f600" * 25 + "x" * 25 + "line\n") * 200
    assert len(pipeline.calls) <= len(ids), "what nobody waits for is not predicted"


@pytest.mark.slow
async def test_ten_thousand_changes_in_one_notification(client: ServerHarness) -> None:
    client.open(A, "user\n")
    client.change(A, 2, *[(0, 0, 0, 0, "x")] * 10_000)
    (prediction,) = await client.predictions(A, 2, 0, 0)
    assert prediction["edits"][0]["range"] == lsp_range(0, 10_000, 0, 10_004)


# Settings

WRONG: dict[str, list[Any]] = {
    "backend": ["gpu", 3, [], {}, True],
    "url": ["http://example.com", "ftp://x", "", " ", 5, "https://", "http://[::1", ["x"]],
    "model": ["", "  ", 0, []],
    "api_key_env": ["", 1],
    "format": ["", 2.5],
    "related_code": ["yes", True, 1, []],
    "eagerness": [-0.1, 1.1, "0.5", True, [], float("nan"), float("inf")],
    "trigger": ["always", True, 1],
    "debounce_ms": [-1, 60_001, "fast", False, float("nan"), {}],
    "languages": [[], "go", {"go": "no"}, {"go": 1}],
    "exclude": ["*.py", {"a": 1}, [1], 7],
    "max_file_bytes": [-1, 1.5, "1000", True],
    "index": ["yes", True, 1, []],
    "index_max_files": [-1, 1.5, "1000", True],
    "index_max_bytes": [-1, 1.5, "1000", True],
    "search_log": ["", "yes", True, 1, []],
    "search_encoder": ["", 1, [], "http://example.org", "https://a:b@example.org"],
    "search_model": ["", 1, []],
    "search_api_key_env": ["", 1, []],
    "team_index": ["", 1, [], "https://index.example.org", "postgresql://ada:salt@localhost/team"],
    "team_index_key_env": ["", 1, []],
    "team_index_password_env": ["", 1, []],
    "hints": ["on", 1, None.__class__.__name__],
    "completion_item": [True, "always"],
    "comments": ["yes", 1, 0],
    "apply_check": ["yes", 1, 0],
    "learning": ["yes", 1, 0],
    "apply_model": ["b", [], {"eagerness": 1}, {"url": "ftp://x"}, {"backend": "gpu"}],
    "compare": ["b", [], {"exclude": []}, {"eagerness": 2}, {"learning": "no"}],
    "telemetry": ["on", True],
    "record": ["local", True, 1, "/tmp"],
    "log_level": ["loud", "DEBUG", 3],
}


def test_every_setting_has_its_wrong_values() -> None:
    assert set(WRONG) == set(SETTING_NAMES)


@pytest.mark.parametrize(("name", "value"), [(name, value) for name in WRONG for value in WRONG[name]])
def test_a_wrong_value_gives_one_message_and_the_rest_counts(name: str, value: Any) -> None:
    good = {"eagerness": 0.25, "learning": False}
    good.pop(name, None)
    resolved = resolve_settings([SettingsSource("client", "the editor's settings", {name: value, **good})])
    (message,) = resolved.messages
    assert f"`{name}`" in message
    assert "allowed: " in message
    assert getattr(resolved.settings, name) == getattr(Settings(), name)
    for other, given in good.items():
        assert getattr(resolved.settings, other) == given


@pytest.mark.parametrize("options", [[], "editahead", 3, True, [{"eagerness": 1}]])
async def test_settings_that_are_no_table(harness: ServerHarness, options: Any) -> None:
    params = {"processId": None, "capabilities": {}, "initializationOptions": {"editahead": options}}
    await harness.request("initialize", params)
    harness.notify("initialized", {})
    message = await harness.take(lambda m: m.get("method") == "window/showMessage")
    assert "must be a table" in message["params"]["message"]
    harness.open(A, "user\n")
    assert await reason(harness, 1) is None


@pytest.mark.parametrize(
    "settings", [None, [], "x", 3, {"editahead": 7}, {"editahead": {"eagerness": []}}, {"x": 1}]
)
async def test_configuration_that_changes_to_nonsense(harness: ServerHarness, settings: Any) -> None:
    await harness.initialize({"eagerness": 0.4})
    harness.notify("workspace/didChangeConfiguration", {"settings": settings})
    if isinstance(settings, dict) and "editahead" in settings:
        assert await harness.take(lambda m: m.get("method") == "window/showMessage")
    harness.open(A, "user\n")
    assert await reason(harness, 1) is None


async def test_a_settings_file_of_binary_bytes(connect: Callable[..., ServerHarness], tmp_path: Path) -> None:
    folder = tmp_path / "config"
    folder.mkdir()
    (folder / "editahead.toml").write_bytes(bytes(range(256)))
    harness = connect(user_folder=folder)
    await harness.initialize()
    message = await harness.take(lambda m: m.get("method") == "window/showMessage")
    assert "cannot be read" in message["params"]["message"]
    assert json.dumps(message)
    harness.open(A, "user\n")
    assert await reason(harness, 1) is None


@pytest.mark.parametrize("number", ["9" * 31, "-" + "9" * 3_000, "9" * 5_000, "1e999", "NaN", "9" * 100_000])
@pytest.mark.parametrize("name", ["eagerness", "debounce_ms", "max_file_bytes"])
async def test_initialize_answers_with_a_huge_number_in_the_settings(
    harness: ServerHarness, name: str, number: str
) -> None:
    options = f'{{"editahead": {{"{name}": {number}}}}}'
    params = f'{{"processId": null, "capabilities": {{}}, "initializationOptions": {options}}}'
    harness.server.receive(
        f'{{"jsonrpc": "2.0", "id": "i", "method": "initialize", "params": {params}}}'.encode()
    )
    assert "result" in await harness.take(lambda m: m.get("id") == "i")
    harness.notify("initialized", {})
    message = await harness.take(lambda m: m.get("method") == "window/showMessage")
    assert f"`{name}` cannot be " in message["params"]["message"]
    assert len(message["params"]["message"]) < 400


async def test_a_huge_position_is_answered(client: ServerHarness) -> None:
    client.open(A, "user\n")
    position = f'{{"line": {"9" * 5_000}, "character": 0}}'
    params = f'{{"textDocument": {{"uri": "{A}", "version": 1}}, "position": {position}}}'
    client.server.receive(
        f'{{"jsonrpc": "2.0", "id": "p", "method": "textDocument/inlineCompletion", "params": {params}}}'.encode()
    )
    assert "error" in await client.take(lambda m: m.get("id") == "p")


@pytest.mark.parametrize("name", ["editahead.toml", ".gitignore"])
@pytest.mark.parametrize("kind", ["pipe", "device"])
async def test_a_workspace_with_a_trap(
    connect: Callable[..., ServerHarness], tmp_path: Path, name: str, kind: str
) -> None:
    """A read that waits for the pipe, or for the end of the device, hangs this test."""
    folder = tmp_path / "work"
    folder.mkdir()
    if kind == "pipe":
        os.mkfifo(folder / name)
    else:
        (folder / name).symlink_to("/dev/zero")
    harness = connect()
    await harness.initialize(root=folder)
    uri = (folder / "a.py").as_uri()
    harness.open(uri, "user\n")
    silence = await reason(harness, 1, uri)
    if name == ".gitignore":
        assert silence == "excluded"
    else:
        message = await harness.take(lambda m: m.get("method") == "window/showMessage")
        assert "cannot be read" in message["params"]["message"]
        assert silence is None
