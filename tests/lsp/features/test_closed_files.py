"""Edits in files that are not open, over each surface: the place is shown; nothing changes before the file is open."""

from __future__ import annotations

from typing import Any

import pytest

from editahead_inference.closed_documents import MAX_NEW_CHARS
from editahead_inference.pipeline import Pipeline
from editahead_lsp.presentation.next_edit_refresh import MAX_NOTIFICATIONS
from memory_codebase import MemoryCodebase
from server_harness import ServerHarness, lsp_range, position_params

HERE, THERE = "file:///tmp/shop/prices.py", "file:///tmp/shop/orders.py"
PRICES = "def net_total(lines, rate):\n    return sum(lines) * rate\n\n\nclass Price:\n    pass\n"
ORDERS = (
    "from shop.prices import net_total\n\n\ndef show(order):\n    return net_total(order.lines, order.rate)\n"
)
SHOWS = {"showDocument": {"support": True}}


@pytest.fixture
def codebase() -> MemoryCodebase:
    return MemoryCodebase({THERE: ORDERS})


@pytest.fixture
def harness(codebase: MemoryCodebase) -> Any:
    harness = ServerHarness(Pipeline(codebase=codebase))
    harness.server.session.index_version = 1
    yield harness
    harness.finish()


async def rename(harness: ServerHarness, window: Any = SHOWS, **capabilities: Any) -> None:
    """Rename the definition in the open file; the cursor is in another line then."""
    await harness.initialize({"eagerness": 1, "debounce_ms": 0}, window=window, **capabilities)
    harness.open(HERE, PRICES)
    harness.change(HERE, 2, (0, 4, 0, 13, "compute_total"))


async def next_edit(harness: ServerHarness, uri: str = HERE, *at: int, version: int = 2) -> dict[str, Any]:
    line, character = at or (4, 0)
    answer: dict[str, Any] = await harness.next_edit(uri, version, line, character, trigger="manual")
    return answer


async def test_the_place_in_the_closed_file_is_shown(harness: ServerHarness) -> None:
    await rename(harness)
    first, *_ = (await next_edit(harness))["predictions"]
    assert first["textDocument"] == {"uri": THERE, "version": None}
    assert first["jump"] == {"line": 0, "character": 24}
    assert first["preview"] == {
        "old": "from shop.prices import net_total",
        "new": "from shop.prices import compute_total",
    }
    assert first["edits"][0]["newText"] in ("compute_total", "compute")


async def test_a_client_that_cannot_open_files_gets_nothing_new(harness: ServerHarness) -> None:
    await rename(harness, window={})
    answer = await next_edit(harness)
    assert answer["predictions"] == []
    assert answer["silence"] == {
        "reason": "no-candidate",
        "detail": "The next edit is in a file that is not open, and this client opens none.",
    }


async def test_a_client_may_say_that_it_opens_files_itself(harness: ServerHarness) -> None:
    await rename(harness, window={})
    first, *_ = await harness.predictions(HERE, 2, 4, 0, trigger="manual", opensFiles=True)
    assert first["textDocument"] == {"uri": THERE, "version": None}


async def test_an_open_document_has_a_version_and_a_preview(harness: ServerHarness) -> None:
    await rename(harness)
    harness.open(THERE, ORDERS, version=7)
    first, *_ = (await next_edit(harness))["predictions"]
    assert first["textDocument"] == {"uri": THERE, "version": 7}
    assert first["preview"]["new"] == "from shop.prices import compute_total"


async def test_inline_edits_are_for_open_documents_alone(harness: ServerHarness) -> None:
    await harness.initialize({"eagerness": 1, "debounce_ms": 0, "crossFile": True}, window=SHOWS)
    harness.open(HERE, PRICES)
    harness.change(HERE, 2, (0, 4, 0, 13, "compute_total"))
    answer = await harness.request("textDocument/copilotInlineEdit", position_params(HERE, 2, 4, 0))
    assert answer == {"edits": []}


async def test_the_code_action_goes_there_and_does_not_apply(harness: ServerHarness) -> None:
    literals = {"codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}}}}
    await rename(harness, textDocument=literals)
    params = {"textDocument": {"uri": HERE}, "range": lsp_range(4, 0, 4, 0), "context": {"diagnostics": []}}
    found = await harness.request("textDocument/codeAction", params)
    assert [action["title"] for action in found] == ["Go to next edit"]


async def test_the_command_opens_the_file_and_then_applies(harness: ServerHarness) -> None:
    await rename(harness, workspace={"applyEdit": True, "workspaceEdit": {"documentChanges": True}})
    arguments = {
        "command": "editahead.nextEdit",
        "arguments": [{"uri": HERE, "position": {"line": 4, "character": 0}}],
    }
    id = harness.send("workspace/executeCommand", arguments)
    shown = await harness.serves("window/showDocument", {"success": True})
    assert (await harness.reply(id))["result"] == {"did": "jumped", "reason": None}
    assert (shown["uri"], shown["selection"]["start"]) == (THERE, {"line": 0, "character": 24})
    harness.open(THERE, ORDERS)
    id = harness.send(
        "workspace/executeCommand",
        {
            "command": "editahead.nextEdit",
            "arguments": [{"uri": THERE, "position": {"line": 0, "character": 24}}],
        },
    )
    applied = await harness.serves("workspace/applyEdit", {"applied": True})
    assert (await harness.reply(id))["result"]["did"] == "applied"
    (change,) = applied["edit"]["documentChanges"]
    assert change["textDocument"] == {"uri": THERE, "version": 1}


async def test_a_file_that_vanished_is_not_opened(harness: ServerHarness) -> None:
    await rename(harness)
    arguments = {
        "command": "editahead.nextEdit",
        "arguments": [{"uri": HERE, "position": {"line": 4, "character": 0}}],
    }
    id = harness.send("workspace/executeCommand", arguments)
    await harness.serves("window/showDocument", {"success": False})
    result = (await harness.reply(id))["result"]
    assert result == {"did": "nothing", "reason": "The editor did not show the location of the next edit."}


async def test_the_same_prediction_goes_on_when_the_file_opens(harness: ServerHarness) -> None:
    await rename(harness)
    before, *_ = (await next_edit(harness))["predictions"]
    harness.open(THERE, ORDERS)
    after, *_ = (await next_edit(harness, THERE, 0, 24, version=1))["predictions"]
    assert after["id"] == before["id"]
    assert after["textDocument"]["version"] == 1
    assert "preview" not in after


async def test_a_rejected_edit_of_a_closed_file_is_not_shown_again(harness: ServerHarness) -> None:
    await rename(harness)
    first, *_ = (await next_edit(harness))["predictions"]
    await harness.command("reject", first["id"])
    again = (await next_edit(harness))["predictions"]
    assert first["edits"] not in [one["edits"] for one in again]


async def test_an_excluded_file_is_never_shown(harness: ServerHarness, codebase: MemoryCodebase) -> None:
    codebase.files = {"file:///tmp/shop/.env.py": ORDERS, "file:///tmp/shop/id_rsa": ORDERS}
    await rename(harness)
    answer = await next_edit(harness)
    assert all(one["textDocument"]["uri"] == HERE for one in answer["predictions"])


async def test_the_marker_names_the_file_and_shows_its_line(harness: ServerHarness) -> None:
    await rename(harness, textDocument={"publishDiagnostics": {}})
    published = await harness.take(lambda m: m.get("method") == "textDocument/publishDiagnostics")
    (marker,) = published["params"]["diagnostics"]
    assert published["params"]["uri"] == HERE
    assert "in orders.py:1: from shop.prices import compute_total" in marker["message"]


@pytest.mark.slow
async def test_what_was_too_much_for_one_answer_is_searched_in_the_next_pause(
    harness: ServerHarness, codebase: MemoryCodebase
) -> None:
    codebase.files[THERE] += f"{'x' * 97} = 1\n" * (MAX_NEW_CHARS // 45)
    await rename(harness)
    assert all(one["textDocument"]["uri"] == HERE for one in (await next_edit(harness))["predictions"])
    await harness.server.predictions.run_on_worker(lambda: None, idle=True)
    first, *_ = (await next_edit(harness))["predictions"]
    assert first["textDocument"] == {"uri": THERE, "version": None}


@pytest.mark.slow
async def test_a_client_is_notified_of_the_end_of_a_search(
    harness: ServerHarness, codebase: MemoryCodebase
) -> None:
    codebase.files[THERE] += f"{'x' * 97} = 1\n" * (MAX_NEW_CHARS // 45)
    await rename(harness)
    params = position_params(HERE, 2, 4, 0, trigger="cursor", refreshes=True)
    await harness.request("editahead/nextEdit", params)
    told = await harness.take(lambda message: message.get("method") == "editahead/nextEdit/refresh")
    assert told["params"] == {"textDocument": {"uri": HERE, "version": 2}}
    first, *_ = (await harness.request("editahead/nextEdit", params))["predictions"]
    assert first["textDocument"] == {"uri": THERE, "version": None}


async def test_a_client_is_notified_of_one_state_only_a_few_times(harness: ServerHarness) -> None:
    await rename(harness)
    await harness.next_edit(HERE, 2, 4, 0, trigger="cursor", refreshes=True)
    session = harness.server.session
    document = session.documents.get(HERE)
    assert document is not None
    for _ in range(5):
        harness.server.predictions.on_improved(session.build_state(document, 40))
    for _ in range(MAX_NOTIFICATIONS):
        await harness.take(lambda message: message.get("method") == "editahead/nextEdit/refresh")
