"""Clients that lie, hurry or overdo it: what then happens is said here, case by case."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from editahead_lsp.settings import SETTING_NAMES, Settings, SettingsSource, resolve_settings
from server_harness import ScriptedPipeline, ServerHarness, ask, span

A = "file:///tmp/a.py"
NEXT = "editahead/nextEdit"
FACES = (NEXT, "textDocument/copilotInlineEdit", "textDocument/inlineCompletion")


async def reason(wired: ServerHarness, version: int | None, uri: str = A) -> str | None:
    silence = (await wired.request(NEXT, ask(uri, version, 0, 0)))["silence"]
    return None if silence is None else silence["reason"]


# Versions


@pytest.mark.parametrize("version", [5, 7, 4, 1, 0, -3, 1_000_000])
async def test_whatever_version_a_change_has_it_is_applied_and_is_the_version_now(
    wired: ServerHarness, version: int
) -> None:
    await wired.initialize()
    wired.open(A, "user\n", version=5)
    before = await wired.request(NEXT, ask(A, 5, 0, 0))
    wired.change(A, version, (0, 0, 0, 0, "# above\n"))
    answer = await wired.request(NEXT, ask(A, version, 0, 0))
    (prediction,) = answer["predictions"]
    assert prediction["textDocument"]["version"] == version
    assert prediction["edits"][0]["range"] == span(1, 0, 1, 4)
    assert len(before["predictions"]) == 1
    assert await reason(wired, version + 1) == "unknown-document"
    assert await reason(wired, version - 1) is None, "the answer says which version it is for"


@pytest.mark.parametrize("version", ["absent", None])
async def test_a_change_without_a_version_is_one_more(wired: ServerHarness, version: str | None) -> None:
    await wired.initialize()
    wired.open(A, "user\n", version=5)
    document = {"uri": A} if version == "absent" else {"uri": A, "version": None}
    change = {"range": span(0, 0, 0, 0), "text": "\n"}
    wired.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})
    (prediction,) = (await wired.request(NEXT, ask(A, None, 0, 0)))["predictions"]
    assert prediction["textDocument"]["version"] == 6


async def test_the_same_version_for_two_texts_gives_no_answer_for_the_first(
    wired: ServerHarness, pipeline: ScriptedPipeline
) -> None:
    """Ghost text carries no version: it is given only for the text that was asked about."""
    await wired.initialize()
    wired.open(A, "a\nuser\n", version=1)
    pipeline.open.clear()
    ghost = wired.send("textDocument/inlineCompletion", ask(A, 1, 1, 0))
    edit = wired.send("textDocument/copilotInlineEdit", ask(A, 1, 0, 0))
    await asyncio.to_thread(pipeline.started.wait, 10)
    wired.change(A, 1, (0, 0, 0, 0, "xx\n"))
    pipeline.open.set()
    assert (await wired.reply(ghost))["result"] == {"items": []}
    (found,) = (await wired.reply(edit))["result"]["edits"]
    assert found["range"] == span(2, 0, 2, 4)


async def test_opened_twice_the_later_text_counts(wired: ServerHarness) -> None:
    await wired.initialize()
    wired.open(A, "user\n", version=3)
    wired.open(A, "x\nuser\n", version=1)
    (prediction,) = (await wired.request(NEXT, ask(A, 1, 0, 0)))["predictions"]
    assert prediction["edits"][0]["range"] == span(1, 0, 1, 4)


async def test_changed_and_closed_without_being_open(wired: ServerHarness) -> None:
    await wired.initialize()
    wired.change(A, 2, (0, 0, 0, 0, "user"))
    wired.notify("textDocument/didClose", {"textDocument": {"uri": A}})
    assert await reason(wired, 2) == "unknown-document"


# Time


async def test_before_initialize_every_request_is_refused_and_notifications_are_not_kept(
    wired: ServerHarness,
) -> None:
    wired.open(A, "user\n")
    for face in FACES:
        reply = await wired.reply(wired.send(face, ask(A, 1, 0, 0)))
        assert reply["error"]["code"] == -32002
    await wired.initialize()
    assert await reason(wired, 1) == "unknown-document"


@pytest.mark.parametrize("face", FACES)
async def test_between_initialize_and_initialized_requests_are_answered(
    wired: ServerHarness, face: str
) -> None:
    await wired.request("initialize", {"processId": None, "capabilities": {}})
    wired.open(A, "user\n")
    answer = await wired.request(face, ask(A, 1, 0, 0))
    assert len(next(iter(answer.values()))) == 1
    wired.notify("initialized", {})


@pytest.mark.parametrize("face", FACES)
async def test_closed_while_a_request_runs(
    wired: ServerHarness, pipeline: ScriptedPipeline, face: str
) -> None:
    await wired.initialize()
    wired.open(A, "user\n")
    pipeline.open.clear()
    id = wired.send(face, ask(A, 1, 0, 0))
    await asyncio.to_thread(pipeline.started.wait, 10)
    wired.notify("textDocument/didClose", {"textDocument": {"uri": A}})
    pipeline.open.set()
    answer = (await wired.reply(id))["result"]
    assert next(iter(answer.values())) == []
    if face == NEXT:
        assert answer["silence"]["reason"] == "unknown-document"


async def test_closed_and_opened_again_while_a_request_runs(
    wired: ServerHarness, pipeline: ScriptedPipeline
) -> None:
    await wired.initialize()
    wired.open(A, "user\n")
    pipeline.open.clear()
    id = wired.send(NEXT, ask(A, 1, 0, 0))
    await asyncio.to_thread(pipeline.started.wait, 10)
    wired.notify("textDocument/didClose", {"textDocument": {"uri": A}})
    wired.open(A, "something else\n")
    pipeline.open.set()
    answer = (await wired.reply(id))["result"]
    assert answer["predictions"] == []
    assert answer["silence"]["reason"] == "unknown-document"


# Size and number


async def test_two_megabytes_are_mirrored_and_left_alone(
    wired: ServerHarness, pipeline: ScriptedPipeline
) -> None:
    await wired.initialize()
    text = "user = 1\n" * 240_000
    wired.open(A, text)
    wired.change(A, 2, (120_000, 0, 120_000, 4, "account"))
    assert await reason(wired, 2) == "too-large"
    wired.change(A, 3, "user\n")
    answer = await wired.request(NEXT, ask(A, 3, 0, 0))
    assert len(answer["predictions"]) == 1, "small again, it is like any other"
    assert pipeline.calls[-1].history == ()


async def test_two_megabytes_on_one_line_that_are_allowed(wired: ServerHarness) -> None:
    await wired.initialize({"max_file_bytes": 3_000_000})
    wired.open(A, "x" * 2_000_000 + "user")
    wired.change(A, 2, (0, 1_000_000, 0, 1_000_000, "y"))
    (item,) = (await wired.request("textDocument/inlineCompletion", ask(A, 2, 0, 2_000_001)))["items"]
    assert item["range"] == span(0, 2_000_001, 0, 2_000_005)


async def test_binary_bytes_are_a_text_like_any_other(wired: ServerHarness) -> None:
    """As an editor sends them: control characters, NUL, replacement characters and lone surrogates."""
    await wired.initialize()
    binary = "".join(map(chr, range(0x20))) + "\x7f\x80\ufffd\ufeff\ud800\u2028\U0010ffff"
    text = binary * 50 + "\nuser\n"
    wired.open(A, text, language="plaintext")
    wired.change(A, 2, (0, 0, 0, 1, "\0\udfff"))
    document = wired.server.session.documents.get(A)
    assert document is not None
    assert document.snapshot.text == "\0\udfff" + text[1:]
    (prediction,) = (await wired.request(NEXT, ask(A, 2, 0, 0)))["predictions"]
    (edit,) = prediction["edits"]
    assert (edit["newText"], edit["range"]["end"]["character"]) == ("account", 4)
    assert (await wired.request(NEXT, ask(A, 2, 1, 0)))["predictions"]


async def test_bytes_that_are_not_json_are_refused(wired: ServerHarness) -> None:
    await wired.initialize()
    wired.server.receive(b'{"jsonrpc": "2.0", "id": 1, "method": "\xff\xfe\x00"}')
    reply = await wired.take(lambda m: "error" in m)
    assert reply["error"]["code"] == -32700
    wired.open(A, "user\n")
    assert await reason(wired, 1) is None


async def test_five_hundred_documents(wired: ServerHarness, pipeline: ScriptedPipeline) -> None:
    await wired.initialize()
    for number in range(500):
        wired.open(f"file:///tmp/{number}.py", f"x = {number}\n")
    wired.open(A, "user\n")
    assert await reason(wired, 1) is None
    assert len(pipeline.calls[-1].other_documents) == 500
    status = await wired.request("workspace/executeCommand", {"command": "editahead.status"})
    assert status["documents"] == 501
    for number in range(500):
        wired.notify("textDocument/didClose", {"textDocument": {"uri": f"file:///tmp/{number}.py"}})
    assert await reason(wired, 1) is None
    assert pipeline.calls[-1].other_documents == ()


async def test_a_flood_of_ten_thousand_changes(wired: ServerHarness, pipeline: ScriptedPipeline) -> None:
    """Every one is applied; of the requests between them all but the last are ended, or answered for a version."""
    await wired.initialize({"debounce_ms": 0})
    wired.open(A, "user\n" + "line\n" * 200)
    ids = []
    for k in range(10_000):
        wired.change(A, 2 + k, (1 + k % 200, 0, 1 + k % 200, 0, "x" if k < 5_000 else "\U0001f600"))
        if k % 1000 == 0:
            ids.append(wired.send(NEXT, ask(A, 2 + k, 0, 0)))
    ids.append(wired.send(NEXT, ask(A, 10_001, 0, 0)))
    for id in ids[:-1]:
        answer = (await wired.reply(id))["result"]
        assert answer["predictions"] == [] or answer["predictions"][0]["textDocument"]["version"] == 10_001
    answer = (await wired.reply(ids[-1]))["result"]
    assert answer["predictions"][0]["edits"][0]["range"] == span(0, 0, 0, 4)
    document = wired.server.session.documents.get(A)
    assert document is not None
    assert document.snapshot.text == "user\n" + ("\U0001f600" * 25 + "x" * 25 + "line\n") * 200
    assert len(pipeline.calls) <= len(ids), "what nobody waits for is not predicted"


async def test_ten_thousand_changes_in_one_notification(wired: ServerHarness) -> None:
    await wired.initialize()
    wired.open(A, "user\n")
    wired.change(A, 2, *[(0, 0, 0, 0, "x")] * 10_000)
    (prediction,) = (await wired.request(NEXT, ask(A, 2, 0, 0)))["predictions"]
    assert prediction["edits"][0]["range"] == span(0, 10_000, 0, 10_004)


# Settings

WRONG: dict[str, list[Any]] = {
    "backend": ["gpu", 3, [], {}, True],
    "url": ["http://example.com", "ftp://x", "", " ", 5, "https://", "http://[::1", ["x"]],
    "model": ["", "  ", 0, []],
    "api_key_env": ["", 1],
    "format": ["", 2.5],
    "eagerness": [-0.1, 1.1, "0.5", True, [], float("nan"), float("inf")],
    "debounce_ms": [-1, 60_001, "fast", False, float("nan"), {}],
    "languages": [[], "go", {"go": "no"}, {"go": 1}],
    "exclude": ["*.py", {"a": 1}, [1], 7],
    "max_file_bytes": [-1, 1.5, "1000", True],
    "hints": ["on", 1, None.__class__.__name__],
    "completion_item": [True, "always"],
    "learning": ["yes", 1, 0],
    "telemetry": ["on", True],
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
async def test_settings_that_are_no_table(wired: ServerHarness, options: Any) -> None:
    params = {"processId": None, "capabilities": {}, "initializationOptions": {"editahead": options}}
    await wired.request("initialize", params)
    wired.notify("initialized", {})
    message = await wired.take(lambda m: m.get("method") == "window/showMessage")
    assert "must be a table" in message["params"]["message"]
    wired.open(A, "user\n")
    assert await reason(wired, 1) is None


@pytest.mark.parametrize(
    "settings", [None, [], "x", 3, {"editahead": 7}, {"editahead": {"eagerness": []}}, {"x": 1}]
)
async def test_configuration_that_changes_to_nonsense(wired: ServerHarness, settings: Any) -> None:
    await wired.initialize({"eagerness": 0.4})
    wired.notify("workspace/didChangeConfiguration", {"settings": settings})
    if isinstance(settings, dict) and "editahead" in settings:
        assert await wired.take(lambda m: m.get("method") == "window/showMessage")
    wired.open(A, "user\n")
    assert await reason(wired, 1) is None


async def test_a_settings_file_of_binary_bytes(connect: Callable[..., ServerHarness], tmp_path: Path) -> None:
    folder = tmp_path / "config"
    folder.mkdir()
    (folder / "editahead.toml").write_bytes(bytes(range(256)))
    wired = connect(user_folder=folder)
    await wired.initialize()
    message = await wired.take(lambda m: m.get("method") == "window/showMessage")
    assert "cannot be read" in message["params"]["message"]
    assert json.dumps(message)
    wired.open(A, "user\n")
    assert await reason(wired, 1) is None
