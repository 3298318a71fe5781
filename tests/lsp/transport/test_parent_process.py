"""The watch on the client's process."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys

import pytest

from editahead_lsp.transport import parent_process


@pytest.mark.parametrize("polling", [False, True])
async def test_the_end_of_a_process_is_noticed(polling: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if polling:
        monkeypatch.delattr(os, "pidfd_open", raising=False)
    command = [sys.executable, "-c", "input()"]
    child = await asyncio.to_thread(subprocess.Popen, command, stdin=subprocess.PIPE)
    looked = asyncio.Event()

    async def sleep(seconds: float) -> None:
        looked.set()
        await asyncio.sleep(0)

    watch = asyncio.ensure_future(parent_process.wait_for_exit(child.pid, sleep))
    if polling:
        await looked.wait()
    assert not watch.done()
    await asyncio.to_thread(child.communicate, b"\n")
    async with asyncio.timeout(10):
        await watch
        await parent_process.wait_for_exit(child.pid, sleep)
