"""A supervised engine with stubs of vLLM and nginx: real processes, whose ends are awaited."""

from __future__ import annotations

import asyncio
import itertools
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import stub_nginx
import stub_vllm
from editahead_lsp.transport import parent_process
from editahead_serving.kv_cache_shape import KvCacheShape
from editahead_serving.launch_plan import ListenAddress, make_launch_plan
from editahead_serving.nginx_router import make_nginx_router
from editahead_serving.replica_set import ReplicaSet
from editahead_serving.resource_share import WHOLE_MACHINE, ResourceShare
from editahead_serving.vllm_probe import VllmInstallation
from server_process import free_port


class EngineHarness:
    """An engine whose messages can be awaited, and whose pauses take as long as `pause`.

    Attributes:
        shares: The numbers of the replicas, where there are several.
        slept: The pauses that the supervisor wanted.
    """

    def __init__(self, folder: Path, *shares: ResourceShare, **environment: str) -> None:
        program = stub_vllm.install(folder / "engine")
        installed = VllmInstallation(program.with_name("python"), "0.33.0", False, True, True, True, True)
        places = [ListenAddress("127.0.0.1", free_port()) for _ in (WHOLE_MACHINE, *shares)]
        plans = [
            make_launch_plan(
                installed,
                KvCacheShape.from_config(stub_vllm.CONFIG),
                model="a/coder",
                served="coder",
                address=place,
                key="secret-key",
                free_bytes=0,
                share=share,
            )
            for place, share in zip(places[len(shares) > 0 :], shares or [WHOLE_MACHINE], strict=True)
        ]
        self.router = None
        if shares:
            nginx = stub_nginx.install(folder / "nginx")
            self.router = make_nginx_router(nginx, places[0], places[1:], folder / "state" / "router")
        self.folder, self.file = folder, folder / "state" / "engine.json"
        self.log = self.file.with_name("engine.log")
        self.said: list[str] = []
        self.slept: list[float] = []
        self.pause: Callable[[], None] = lambda: None
        self._more = asyncio.Event()
        clock = itertools.count().__next__
        self.fleet = ReplicaSet(
            plans,
            self.router,
            self.file.parent,
            self._log,
            environment={**os.environ, "STUB_FOLDER": str(folder), **environment},
            clock=lambda: float(clock()),
            sleep=self._sleep,
        )

    def _log(self, text: str) -> None:
        self.said.append(text)
        self._more.set()

    async def _sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        await asyncio.to_thread(self.pause)

    async def hears(self, text: str, times: int = 1) -> None:
        while sum(text in said for said in self.said) < times:
            self._more.clear()
            await self._more.wait()

    def pids(self) -> list[tuple[int, int]]:
        """Return for each run the process ids of the stub and its child."""
        lines = (self.folder / "pids").read_text().splitlines()
        return [(int(own), int(child)) for own, child in map(str.split, lines)]

    async def wait_for_end(self) -> None:
        for pid in itertools.chain(*self.pids()):
            await parent_process.wait_for_exit(pid)


@asynccontextmanager
async def running_engine(watched: EngineHarness) -> AsyncIterator[asyncio.Task[int]]:
    async with asyncio.timeout(60):
        running = asyncio.ensure_future(watched.fleet.run())
        try:
            yield running
        finally:
            watched.fleet.stop()
            await running
