"""`editahead.search`: places in the workspace, over the open documents as they are."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from editahead_retrieval.errors import SearchLogError
from editahead_retrieval.search.search_log import FILE_NAME, OpenedResult, read_opened
from editahead_workspace import uris
from git_repository import write
from server_harness import ScriptedPipeline, ServerHarness

pytestmark = pytest.mark.slow


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
    harness.server.finish_counter.stop()
    harness.server.index.stop()
    harness.finish()


async def start(harness: ServerHarness, root: Path, index: str = "on") -> None:
    await harness.initialize({"index": index}, root=root, window={"workDoneProgress": True})


async def until_ready(harness: ServerHarness) -> None:
    while (await harness.command("status"))["index"][0]["state"] != "ready":  # noqa: ASYNC110  # nothing announces it
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


SECRET = "AKIA" + "Q3EXAMPLE7ZK4WPL"


async def opened(
    harness: ServerHarness, root: Path, file: str = "shop/mail.py", line: int = 1
) -> list[OpenedResult]:
    """Report a place as opened, and return the log after the search that comes next."""
    uri = uris.path_to_uri((root / file).resolve())
    harness.notify(
        "editahead/didOpenSearchResult", {"query": "where is a receipt mailed", "uri": uri, "line": line}
    )
    await harness.command("search", {"query": "receipt"})
    return read_opened(root.parent / "state" / FILE_NAME)


def switch_on(folder: Path) -> None:
    """Write a settings file by which searches are logged."""
    write(folder, {"editahead.toml": 'search_log = "on"\n'})


async def test_what_is_opened_is_logged_where_the_user_wants_it(harness: ServerHarness, root: Path) -> None:
    switch_on(root.parent / "config")
    write(root, {"shop/mail.py": FILES["shop/mail.py"] + f"KEY = '{SECRET}'\n"})
    await start(harness, root)
    await until_ready(harness)
    [found] = await opened(harness, root)
    assert (found.query, found.folder, found.path) == ("where is a receipt mailed", "work", "shop/mail.py")
    assert found.text.startswith("def send_receipt") and "KEY = '" in found.text and SECRET not in found.text
    if os.name == "posix":
        assert (root.parent / "state" / FILE_NAME).stat().st_mode & 0o077 == 0


async def test_an_open_document_is_logged_as_it_is(harness: ServerHarness, root: Path) -> None:
    switch_on(root.parent / "config")
    await start(harness, root)
    await until_ready(harness)
    harness.open(uris.path_to_uri(root / "shop/mail.py"), "\n" + FILES["shop/mail.py"] + "# new\n", 3)
    [found] = await opened(harness, root)
    assert found.text == "\n" + FILES["shop/mail.py"] + "# new\n"


@pytest.mark.parametrize("where", ["nowhere", "work"])
async def test_nothing_is_logged_unless_the_user_wants_it(
    harness: ServerHarness, root: Path, where: str
) -> None:
    if where == "work":
        switch_on(root)
    await start(harness, root)
    await until_ready(harness)
    if where == "work":
        shown = await harness.take(lambda message: message.get("method") == "window/showMessage")
        assert "search_log" in shown["params"]["message"]
    assert await opened(harness, root) == []
    assert not (root.parent / "state" / FILE_NAME).exists()


async def test_only_lines_of_files_that_are_searched_are_logged(harness: ServerHarness, root: Path) -> None:
    switch_on(root.parent / "config")
    write(root.parent, {"outside.py": "private = 1\n"})
    write(root, {".env": "PRIVATE=1\n"})
    (root / "link.py").symlink_to(root.parent / "outside.py")
    await start(harness, root)
    await until_ready(harness)
    for file in ("../outside.py", ".env", "shop/none.py", "shop"):
        assert await opened(harness, root, file, 0) == [], file
    harness.notify(
        "editahead/didOpenSearchResult",
        {"query": "private", "uri": uris.path_to_uri(root / "link.py"), "line": 0},
    )
    climbing = f"{uris.path_to_uri(root)}/../outside.py"
    harness.open(climbing, "private = 2\n", 1)
    harness.notify("editahead/didOpenSearchResult", {"query": "private", "uri": climbing, "line": 0})
    for line in (-1, 9_999):
        assert await opened(harness, root, line=line) == [], line
    assert len(await opened(harness, root)) == 1


async def test_a_log_that_cannot_be_written_is_reported_once(
    harness: ServerHarness, root: Path, caplog: pytest.LogCaptureFixture
) -> None:
    switch_on(root.parent / "config")
    await start(harness, root)
    await until_ready(harness)
    file = root.parent / "state" / FILE_NAME
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(b"flour" * 999)
    for _ in range(2):
        with pytest.raises(SearchLogError):
            await opened(harness, root)
    assert [record.message for record in caplog.records if "searches are not logged" in record.message] == [
        f"searches are not logged: {file}: file is not a database"
    ]
