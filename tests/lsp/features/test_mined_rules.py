"""The rules of a repository in the server: what the history expects is a next edit, in an open document or a closed file."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from editahead_inference.pipeline import Pipeline
from editahead_workspace import uris
from editahead_workspace.mined_rules.mined_history import mine_repository, read_commits
from git_repository import commit, make_repository, write
from server_harness import ServerHarness

pytestmark = pytest.mark.slow


NAMES = ("fetch_all", "list_rooms", "move_guest", "push_bill", "zip_files")


@pytest_asyncio.fixture
async def harness(tmp_path: Path) -> AsyncIterator[ServerHarness]:
    root, state = tmp_path / "work", tmp_path / "state"
    make_repository(root, {"main.py": "x = 1\n", "names.py": "ALL = [\n]\n"})
    main, names = "x = 1\n", "ALL = [\n"
    for name in NAMES:
        main, names = f"{main}register({name})\n", f'{names}    "{name}",\n'
        write(root, {"main.py": main, "names.py": f"{names}]\n"})
        commit(root)
    mine_repository(root, state, read_commits(root, []))
    harness = ServerHarness(
        Pipeline(), user_folder=tmp_path / "config", state_folder=state, cache_folder=tmp_path / "cache"
    )
    await harness.initialize({"index": "off", "debounce_ms": 0}, root=root)
    yield harness
    harness.finish()


async def all_files_read(harness: ServerHarness) -> None:
    """Wait until the server has read the files that it was to read before."""
    done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    harness.server.files.read(lambda: None, done.set_result)
    await done


async def test_a_line_that_the_history_expects_is_the_next_edit(
    harness: ServerHarness, tmp_path: Path
) -> None:
    main, names = (tmp_path / "work" / name for name in ("main.py", "names.py"))
    uri = uris.path_to_uri(main)
    harness.open(uris.path_to_uri(names), names.read_text())
    harness.open(uri, main.read_text())
    await all_files_read(harness)
    last = len(NAMES) + 1
    harness.change(uri, 2, (last, 0, last, 0, "register(hold_room)\n"))
    found: dict[str, Any] = await harness.next_edit(uri, 2, 0, 0, trigger="manual")
    first = found["predictions"][0]
    assert first["textDocument"]["uri"] == uris.path_to_uri(names)
    assert [edit["newText"] for edit in first["edits"]] == ['    "hold_room",\n']
    assert first["label"].startswith("rule ")
