"""An engine as a whole: one vLLM, or several replicas and the router before them, looked after and told of in one notice."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from editahead_inference.backends.engine_runfile import FILE_NAME, EngineRunfile
from editahead_inference.backends.openai.backend import OpenAIBackend
from editahead_inference.backends.openai.http_transport import BACKGROUND_TIMEOUTS

from . import nginx_router as routing
from .launch_plan import LaunchPlan
from .nginx_router import NginxRouter
from .supervisor import ProcessSpec, Supervisor

READY = "Application startup complete"
"""What vLLM's web server says when requests may come."""
_ROUTER = "router"


class ReplicaSet:
    """plans: of the replicas. router: None where there is but one. folder: for the notice and the logs. tell: takes a
    sentence for the person. environment: to which the plans' is added. clock: monotonic seconds. sleep: for that many."""

    def __init__(
        self,
        plans: Sequence[LaunchPlan],
        router: NginxRouter | None,
        folder: Path,
        tell: Callable[[str], None],
        *,
        environment: Mapping[str, str],
        clock: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._plan, self._router = plans[0], router
        self._url = self._plan.url if router is None else router.url
        self._file = folder / FILE_NAME
        self._tell = tell
        self._answering: set[str] = set()
        self._runs = 0
        self._ready = self._given_up = False
        if router is None:
            programs = {"": _vllm(self._plan)}
        else:
            programs = {f"replica {number}": _vllm(plan) for number, plan in enumerate(plans, 1)}
            programs[_ROUTER] = ProcessSpec("nginx", router.command, routing.READY)
        self._supervisors = {
            name: Supervisor(
                program,
                folder / ("-".join(["engine", *name.split()]) + ".log"),
                partial(self._say, name),
                partial(self._changed, name),
                environment=environment,
                clock=clock,
                sleep=sleep,
            )
            for name, program in programs.items()
        }

    def stop(self) -> None:
        """End it; asked a second time, at once."""
        for supervisor in self._supervisors.values():
            supervisor.stop()

    async def run(self) -> int:
        """Until it is stopped (0), or the router or the last replica is given up (1). OSError where files cannot be used."""
        if self._router is not None:
            self._router.write()
        self._write_notice()
        tasks = [asyncio.ensure_future(self._look_after(name)) for name in self._supervisors]
        try:
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self._file.unlink(missing_ok=True)
        if self._given_up:
            return 1
        self._tell("Ended.")
        return 0

    async def _look_after(self, name: str) -> None:
        if await self._supervisors[name].run() == 0:
            return
        del self._supervisors[name]
        if name == _ROUTER or not self._supervisors.keys() - {_ROUTER}:
            self._given_up = True
            self.stop()

    def _changed(self, name: str, after_s: float | None) -> None:
        """It answers, so many seconds after it was started; None: no longer."""
        if after_s is None:
            self._answering.discard(name)
        else:
            self._answering.add(name)
            if name:
                self._say(name, f"ready after {after_s:.0f} s")
        replicas = self._answering - {_ROUTER}
        ready = bool(replicas) and (self._router is None or _ROUTER in self._answering)
        if ready == self._ready:
            return  # who asks does not notice which of them do
        self._ready = ready
        self._runs += ready
        self._write_notice()
        if after_s is not None:
            self._tell(f"Ready after {after_s:.0f} s: {self._plan.served} at {self._url}")

    def _say(self, name: str, text: str) -> None:
        self._tell(f"{name}: {text}" if name else text)

    def _write_notice(self) -> None:
        plan = self._plan
        folder = None if plan.folder is None else str(plan.folder)
        notice = EngineRunfile(
            self._url, plan.key, plan.served, self._ready, plan.headroom, folder, self._runs
        )
        notice.write(self._file)


def _vllm(plan: LaunchPlan) -> ProcessSpec:
    async def ask() -> None:
        """With the key, what it serves."""
        backend = OpenAIBackend(plan.url, model=plan.served, key=plan.key, waiting=BACKGROUND_TIMEOUTS)
        try:
            await backend.prepare()
        finally:
            await backend.close()

    return ProcessSpec("vLLM", plan.command, READY, ask, plan.environment, plan.fixed)
