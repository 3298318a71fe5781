"""`editahead.search`: places in the workspace, over the open documents as they are."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from editahead_lsp.workspace import uris
from index_workspace import write
from server_harness import ScriptedPipeline, ServerHarness

FILES = {
    "shop/cart.py": "def add_to_cart(item):\n    cart.append(item)\n",
    "shop/mail.py": "def send_receipt(order):\n    '''Mail what was bought.'''\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write(tmp_path / "work", FILES)
    return tmp_path / "work"


@pytest_asyncio.fixture
async def harness(tmp_path: Path) -> AsyncIterator[ServerHarness]:
    harness = ServerHarness(
        ScriptedPipeline({}),
        user_folder=tmp_path / "config",
        state_folder=tmp_path / "state",
        cache_folder=tmp_path / "cache",
    )
    yield harness
    harness.server.places_left.stop()
    harness.server.index.stop()
    harness.finish()


async def start(harness: ServerHarness, root: Path, index: str = "on") -> None:
    params = {
        "processId": None,
        "rootUri": uris.path_to_uri(root),
        "capabilities": {"window": {"workDoneProgress": True}},
        "initializationOptions": {"editahead": {"index": index}},
    }
    await harness.request("initialize", params)
    harness.notify("initialized", {})


async def until_ready(harness: ServerHarness) -> None:
    while (await harness.command("status"))["index"][0]["state"] != "ready":  # noqa: ASYNC110
        await asyncio.sleep(0)  # the reports come between two steps of the loop


async def test_the_places_of_closed_files(harness: ServerHarness, root: Path) -> None:
    await start(harness, root)
    await until_ready(harness)
    result = await harness.command("search", {"query": "where is a receipt mailed"})
    assert result["notice"] == ""
    place = result["places"][0]
    assert (place["uri"], place["path"]) == (uris.path_to_uri(root / "shop/mail.py"), "shop/mail.py")
    assert place["range"] == {"start": {"line": 0, "character": 0}, "end": {"line": 2, "character": 0}}
    assert place["lines"][0] == {"line": 0, "text": "def send_receipt(order):"}
    assert place["why"][0] == "defines send_receipt"


async def test_an_open_document_counts_as_it_is(harness: ServerHarness, root: Path) -> None:
    await start(harness, root)
    await until_ready(harness)
    uri = uris.path_to_uri(root / "shop/cart.py")
    harness.open(uri, "\n\n\n" + FILES["shop/cart.py"], 3)
    (place, *_) = (await harness.command("search", {"query": "add to cart", "limit": 1}))["places"]
    assert (place["uri"], place["lines"][0]["line"]) == (uri, 3)


@pytest.mark.parametrize(
    ("arguments", "index", "reason"),
    [
        ([{"query": "x"}], "off", "No workspace folder has an index"),
        ([{"query": "  "}], "on", "The query is empty"),
        ([], "on", ""),
    ],
)
async def test_requests_that_fail(
    harness: ServerHarness, root: Path, arguments: list[Any], index: str, reason: str
) -> None:
    await start(harness, root, index)
    request = harness.send(
        "workspace/executeCommand", {"command": "editahead.search", "arguments": arguments}
    )
    error = (await harness.reply(request))["error"]
    assert reason in error["message"]
