"""A file that is moved or renamed: the client or its file watcher tells, and the importers are next edits."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from editahead_inference.pipeline import Pipeline
from memory_codebase import MemoryCodebase
from server_harness import ServerHarness

OLD, NEW, BILL = (f"file:///tmp/shop/{name}.py" for name in ("tax", "duty", "bill"))
SHOWS = {"showDocument": {"support": True}}


@pytest.fixture
def harness() -> Iterator[ServerHarness]:
    harness = ServerHarness(Pipeline(codebase=MemoryCodebase({BILL: "from shop.tax import rate\n"})))
    harness.server.session.index_version = 1
    yield harness
    harness.finish()


async def next_edits(harness: ServerHarness) -> list[dict[str, Any]]:
    answer = await harness.next_edit(NEW, 1, 0, 0, trigger="manual")
    found: list[dict[str, Any]] = answer["predictions"]
    return found


async def test_the_server_asks_for_moved_files(harness: ServerHarness) -> None:
    answer = await harness.initialize({"debounce_ms": 0}, window=SHOWS)
    operations = answer["capabilities"]["workspace"]["fileOperations"]
    assert operations["didRename"]["filters"][0]["pattern"]["glob"] == "**/*"


async def test_the_importer_of_a_renamed_file_is_the_next_edit(harness: ServerHarness) -> None:
    await harness.initialize({"debounce_ms": 0}, window=SHOWS)
    harness.open(NEW, "rate = 1\n")
    assert await next_edits(harness) == []
    harness.notify("workspace/didRenameFiles", {"files": [{"oldUri": OLD, "newUri": NEW}]})
    (first,) = await next_edits(harness)
    assert first["textDocument"]["uri"] == BILL
    assert first["preview"]["new"] == "from shop.duty import rate"


async def test_a_file_that_is_moved_back_was_not_moved(harness: ServerHarness) -> None:
    await harness.initialize({"debounce_ms": 0}, window=SHOWS)
    harness.open(NEW, "rate = 1\n")
    harness.notify("workspace/didRenameFiles", {"files": [{"oldUri": OLD, "newUri": NEW}]})
    harness.notify("workspace/didRenameFiles", {"files": [{"oldUri": NEW, "newUri": OLD}]})
    assert await next_edits(harness) == []


async def test_a_secret_that_is_moved_is_not_followed(harness: ServerHarness) -> None:
    await harness.initialize({"debounce_ms": 0}, window=SHOWS)
    harness.notify(
        "workspace/didRenameFiles",
        {"files": [{"oldUri": "file:///tmp/shop/id_rsa", "newUri": "file:///tmp/shop/id_rsa_old"}]},
    )
    assert harness.server.session.moved_files == ()


async def test_only_the_last_moves_are_kept(harness: ServerHarness, tmp_path: Path) -> None:
    await harness.initialize({"debounce_ms": 0}, window=SHOWS)
    files = [{"oldUri": f"file:///tmp/a{n}.py", "newUri": f"file:///tmp/b{n}.py"} for n in range(30)]
    harness.notify("workspace/didRenameFiles", {"files": files})
    assert len(harness.server.session.moved_files) == 8
