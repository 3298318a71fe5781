"""Replicas behind a router, with stubs of vLLM and nginx. tests/engine has the real ones."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from editahead_inference.backends.base import CompletionRequest, TextChunk
from editahead_inference.backends.engine import EngineBackend
from editahead_inference.backends.engine_runfile import EngineRunfile
from editahead_lsp.transport import parent_process
from editahead_serving.resource_share import ResourceShare
from stub_vllm import SAYS
from supervised_engine import EngineHarness, running_engine

pytestmark = pytest.mark.slow


QUERY = CompletionRequest("x", (), 5)
READY = "Ready after"


async def answer(backend: EngineBackend) -> str:
    return "".join([piece.text async for piece in backend.stream(QUERY) if isinstance(piece, TextChunk)])


async def test_one_is_killed_while_the_others_go_on(tmp_path: Path) -> None:
    watched = EngineHarness(tmp_path, ResourceShare(), ResourceShare())
    backend = EngineBackend(watched.file)
    async with running_engine(watched) as running:
        for number in (1, 2):
            await watched.hears(f"replica {number}: ready after")
        await watched.hears(READY)
        assert watched.router is not None
        notice = watched.file.read_bytes()
        assert EngineRunfile.read(watched.file).url == watched.router.url
        assert await answer(backend) == SAYS

        for number, (pid, child) in enumerate(watched.pids(), 1):
            os.kill(pid, signal.SIGKILL)
            await parent_process.wait_for_exit(child)
            assert await answer(backend) == SAYS
            await watched.hears("starts again in 1 s.", number)
            await watched.hears(": ready after", 3 + number)
        assert watched.file.read_bytes() == notice, "language servers are not disturbed"
        assert sum(READY in said for said in watched.said) == 1

        watched.fleet.stop()
        assert await running == 0
    await watched.wait_for_end()
    assert (
        watched.said.count("The engine has stopped.") == 1 and watched.said[-1] == "The engine has stopped."
    )
    assert not watched.file.exists()
    await backend.close()


async def test_language_servers_hear_when_no_engine_or_router_is_left(tmp_path: Path) -> None:
    watched = EngineHarness(tmp_path, ResourceShare(), ResourceShare())
    async with running_engine(watched):
        await watched.hears(": ready after", 3)
        told = [EngineRunfile.read(watched.file)]
        watched.pause = lambda: told.append(EngineRunfile.read(watched.file))
        (first, _), (second, _) = watched.pids()
        for pid in (first, second):
            os.kill(pid, signal.SIGSTOP)  # so that neither is back before the other is gone
        for pid in (first, second):
            os.kill(pid, signal.SIGKILL)
        await watched.hears(READY, 2)
        assert (told[0].ready, told[0].run) == (True, 1)
        assert not told[-1].ready
        found = EngineRunfile.read(watched.file)
        assert (found.ready, found.run) == (True, 2)


async def test_one_that_cannot_start_leaves_the_others_to_go_on(tmp_path: Path) -> None:
    watched = EngineHarness(
        tmp_path, ResourceShare({"STUB_ENDS": "ValueError: No room for the cache."}), ResourceShare()
    )
    async with running_engine(watched) as running:
        await watched.hears(READY)
        await watched.hears("replica 1: vLLM does not start: ValueError: No room for the cache.")
        assert EngineRunfile.read(watched.file).ready
        watched.fleet.stop()
        assert await running == 0


async def test_none_that_can_start(tmp_path: Path) -> None:
    watched = EngineHarness(
        tmp_path, ResourceShare(), ResourceShare(), STUB_ENDS="ValueError: No room for the cache."
    )
    async with running_engine(watched) as running:
        assert await running == 1
    assert sum("No room for the cache" in said for said in watched.said) == 2
    assert "The engine has stopped." not in watched.said and not watched.file.exists()


async def test_without_a_router_nothing_goes_on(tmp_path: Path) -> None:
    """Such as when somebody else has taken its port meanwhile."""
    watched = EngineHarness(
        tmp_path, ResourceShare(), ResourceShare(), STUB_NGINX_ENDS="nginx: [emerg] bind() failed"
    )
    async with running_engine(watched) as running:
        assert await running == 1
    assert any("router: nginx does not start: nginx: [emerg] bind() failed." in said for said in watched.said)
    assert not any(READY in said for said in watched.said)
    if (tmp_path / "pids").exists():
        await watched.wait_for_end()
