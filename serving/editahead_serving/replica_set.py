"""A whole engine: one server, or several replicas and their router, supervised and announced in one run file."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from editahead_inference.backends.engine_runfile import FILE_NAME, EngineRunfile
from editahead_inference.backends.openai.backend import OpenAIBackend
from editahead_inference.backends.openai.http_transport import BACKGROUND_TIMEOUTS

from . import nginx_router
from .launch_plan import LaunchPlan
from .nginx_router import NginxRouter
from .supervisor import ProcessSpec, Supervisor

_ROUTER = "router"


class ReplicaSet:
    """The supervised servers of an engine.

    Args:
        plans: The plans of the replicas.
        router: The router, or None with one replica.
        folder: For the run file and the logs.
        report: Shows a sentence to the user.
        environment: The environment to which each plan's is added.
        clock: Monotonic seconds.
        sleep: Waits for a number of seconds.
    """

    def __init__(
        self,
        plans: Sequence[LaunchPlan],
        router: NginxRouter | None,
        folder: Path,
        report: Callable[[str], None],
        *,
        environment: Mapping[str, str],
        clock: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._plan, self._router = plans[0], router
        self._url = self._plan.url if router is None else router.url
        self._runfile = folder / FILE_NAME
        self._report = report
        self._answering: set[str] = set()
        self._runs = 0
        self._ready = self._failed = False
        if router is None:
            programs = {"": _server_process(self._plan)}
        else:
            programs = {f"replica {number}": _server_process(plan) for number, plan in enumerate(plans, 1)}
            programs[_ROUTER] = ProcessSpec("nginx", router.command, nginx_router.READY_MESSAGE)
        self._supervisors = {
            name: Supervisor(
                program,
                folder / ("-".join(["engine", *name.split()]) + ".log"),
                partial(self._report_for, name),
                partial(self._on_ready_change, name),
                environment=environment,
                clock=clock,
                sleep=sleep,
            )
            for name, program in programs.items()
        }

    def stop(self) -> None:
        """End all servers. A second call kills them."""
        for supervisor in self._supervisors.values():
            supervisor.stop()

    async def run(self) -> int:
        """Run until stopped (0), or until the router or the last replica cannot be restarted (1).

        Raises:
            OSError: The files in the folder cannot be written.
        """
        if self._router is not None:
            self._router.write()
        self._write_runfile()
        tasks = [asyncio.ensure_future(self._supervise(name)) for name in self._supervisors]
        try:
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self._runfile.unlink(missing_ok=True)
        if self._failed:
            return 1
        self._report("The engine has stopped.")
        return 0

    async def _supervise(self, name: str) -> None:
        if await self._supervisors[name].run() == 0:
            return
        del self._supervisors[name]
        if name == _ROUTER or not self._supervisors.keys() - {_ROUTER}:
            self._failed = True
            self.stop()

    def _on_ready_change(self, name: str, after_s: float | None) -> None:
        """Note that one server began or ceased to answer.

        Args:
            name: The server, as in the messages.
            after_s: Seconds from start to the first answer, or None when the server no longer answers.
        """
        if after_s is None:
            self._answering.discard(name)
        else:
            self._answering.add(name)
            if name:
                self._report_for(name, f"ready after {after_s:.0f} s")
        replicas = self._answering - {_ROUTER}
        ready = bool(replicas) and (self._router is None or _ROUTER in self._answering)
        if ready == self._ready:
            return  # clients do not notice which of the replicas answer
        self._ready = ready
        self._runs += ready
        self._write_runfile()
        if after_s is not None:
            self._report(f"Ready after {after_s:.0f} s: {self._plan.served} at {self._url}")

    def _report_for(self, name: str, text: str) -> None:
        self._report(f"{name}: {text}" if name else text)

    def _write_runfile(self) -> None:
        plan = self._plan
        folder = None if plan.folder is None else str(plan.folder)
        runfile = EngineRunfile(
            self._url, plan.key, plan.served, self._ready, plan.headroom, folder, self._runs
        )
        runfile.write(self._runfile)


def _server_process(plan: LaunchPlan) -> ProcessSpec:
    async def probe() -> None:
        """Request the list of models, with the key."""
        backend = OpenAIBackend(plan.url, model=plan.served, key=plan.key, waiting=BACKGROUND_TIMEOUTS)
        try:
            await backend.prepare()
        finally:
            await backend.close()

    return ProcessSpec(plan.program, plan.command, plan.ready_message, probe, plan.environment, plan.fixed)
