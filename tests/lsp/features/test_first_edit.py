"""What a person types before the document is opened is learnt from the file."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

from editahead_inference.pipeline import Pipeline
from editahead_lsp.protocol.custom_messages import Position
from editahead_workspace.file_exclusion import FileExclusion
from server_harness import ServerHarness

BEFORE = "def load(user):\n    return user\n\n\nload(1)\nload(2)\n"
AFTER = BEFORE.replace("def load", "def fetch")


async def opened(folder: Path, uri: str, text: str) -> ServerHarness:
    harness = ServerHarness(Pipeline(), user_folder=folder / "none")
    await harness.initialize(root=folder)
    harness.open(uri, text)
    return harness


async def settled(harness: ServerHarness, uri: str) -> None:
    async with asyncio.timeout(10):
        while harness.server.session.history.is_waiting(uri):  # noqa: ASYNC110 - nothing announces it
            await asyncio.sleep(0)


async def predictions(harness: ServerHarness, uri: str, version: int) -> list[Any]:
    result = await harness.next_edit(uri, version, 0, 9)
    return list(result["predictions"])


async def test_a_rename_before_the_opening_is_propagated(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text(BEFORE)
    harness = await opened(tmp_path, file.as_uri(), AFTER)
    await settled(harness, file.as_uri())
    [first, *_] = await predictions(harness, file.as_uri(), 1)
    assert first["edits"][0]["newText"].startswith("fetch")
    harness.finish()


async def test_what_is_typed_on_joins_the_edit(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text(BEFORE)
    harness = await opened(tmp_path, file.as_uri(), BEFORE.replace("def load", "def fet"))
    harness.change(file.as_uri(), 2, (0, 7, 0, 7, "ch"))
    await settled(harness, file.as_uri())
    [edit] = harness.server.session.history.edits
    assert (edit.old, edit.new) == (("def load(user):\n",), ("def fetch(user):\n",))
    assert await predictions(harness, file.as_uri(), 2)
    harness.finish()


@pytest.mark.parametrize(
    "text",
    [
        BEFORE,
        BEFORE.replace("\n", "\r\n"),
        BEFORE.replace("    ", "\t"),
        BEFORE.rstrip("\n"),
        "".join(f"line_{number} = 1\n" for number in range(60)),
    ],
)
async def test_no_edit_is_made_up(tmp_path: Path, text: str) -> None:
    file = tmp_path / "a.py"
    file.write_text(BEFORE)
    harness = await opened(tmp_path, file.as_uri(), text)
    await settled(harness, file.as_uri())
    assert harness.server.session.history.edits == ()
    harness.finish()


@pytest.mark.parametrize("kind", ["ignored", "outside", "link", "pipe", "large", "latin"])
async def test_other_files_are_not_looked_at(tmp_path: Path, kind: str) -> None:
    root = tmp_path / "root"
    root.mkdir()
    file = root / "a.py"
    if kind == "outside":
        file = tmp_path / "a.py"
    elif kind == "link":
        (tmp_path / "real.py").write_text(BEFORE)
        file.symlink_to(tmp_path / "real.py")
    elif kind == "pipe":
        os.mkfifo(file)
    elif kind == "ignored":
        (root / ".gitignore").write_text("a.py\n")
    if kind == "large":
        file.write_text(BEFORE + "#" * 300_000)
    elif kind == "latin":
        file.write_bytes(BEFORE.replace("user", "us\xe9r").encode("latin-1"))
    elif kind not in ("pipe", "link"):
        file.write_text(BEFORE)
    text = AFTER + "#" * 300_000 if kind == "large" else AFTER
    harness = await opened(root, file.as_uri(), text)
    await settled(harness, file.as_uri())
    assert harness.server.session.history.edits == ()
    harness.finish()


async def test_a_request_waits_for_the_comparison(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text(BEFORE)
    harness = await opened(tmp_path, file.as_uri(), AFTER)
    [first, *_] = await predictions(harness, file.as_uri(), 1)
    assert first["edits"][0]["newText"].startswith("fetch")
    harness.finish()


async def test_a_comparison_that_ends_before_the_request_is_answered_counts(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text(BEFORE)
    harness = await opened(tmp_path, file.as_uri(), AFTER)
    coordinator = harness.server.coordinator
    request = coordinator.start("nextEdit", file.as_uri(), 1, Position(0, 9), immediate=True)
    assert harness.server.session.history.is_waiting(file.as_uri())
    await settled(harness, file.as_uri())
    document = harness.server.session.documents.get(file.as_uri())
    assert document is not None and harness.server.openings.pending(document.key) is None
    assert (await coordinator.answer(request)).suggestions
    harness.finish()


async def test_a_request_waits_for_an_exclusion_that_is_late(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    late = True
    monkeypatch.setattr(FileExclusion, "exclusion_reason", lambda self, uri: "late" if late else None)
    monkeypatch.setattr(FileExclusion, "is_late", lambda self, uri: late)
    file = tmp_path / "a.py"
    file.write_text(BEFORE)
    harness = await opened(tmp_path, file.as_uri(), AFTER)
    history, learnt = harness.server.session.history, harness.server.openings._learn
    looked = asyncio.Event()
    monkeypatch.setattr(
        harness.server.openings, "_learn", lambda *arguments: (learnt(*arguments), looked.set())
    )
    await looked.wait()
    assert history.is_waiting(file.as_uri()) and history.edits == ()
    late = False
    await settled(harness, file.as_uri())
    assert len(history.edits) == 1
    harness.finish()
