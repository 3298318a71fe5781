"""Looks after one server: starts it, says how far it is, starts it again when it dies, ends it with all its processes."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import sys
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from editahead_inference.errors import BackendError

MAX_FAILED_STARTS = 5
"""So many in a row that lead to nothing, and it is given up; the very first must lead to something."""
FIRST_S, MOST_S = 1.0, 60.0
"""Waited before it is started again: at first, and at most, twice as long each time."""
HEALTHY_AFTER_S = 120.0
"""Who has answered for so long did not die of its start."""
_TRIES, _BETWEEN_S = 50, 0.2
"""So often, at such distances, it is asked when it says that it has started."""
STOP_GRACE_S = 20.0
"""What has not ended by then is killed."""
_TIED = """\
import ctypes, os, sys
ctypes.CDLL(None).prctl(1, 15)
if os.getppid() == int(sys.argv[1]):
    os.execv(sys.argv[2], sys.argv[2:])
"""
"""On Linux: has the system send SIGTERM (15) when its parent dies in whatever way (PR_SET_PDEATHSIG, 1), then becomes the
command; else one that is killed would leave a vLLM behind that has the memory."""
_TAIL = 200
_MAX_LINE = 400
"""Lines that are remembered, and characters of one that is shown."""

_STAGES = (
    (r"(\d+)%.*safetensors|safetensors.*?(\d+)%", "loading the model"),
    (r"Starting to load model|Loading model", "loading the model"),
    (r"Downloading|Fetching \d+ files", "downloading the model"),
    (r"Dynamo bytecode|Compiling a graph", "compiling"),
    (r"[Cc]apturing CUDA graph|Graph capturing", "capturing graphs"),
    (r"KV cache size|KV cache memory|# (GPU|CPU) blocks", "making room for the cache"),
)
"""By what vLLM says, what it is about."""


@dataclass(slots=True)
class RestartBackoff:
    """How long to wait before it is started again, and when to give up. Pure."""

    failures: int = 0
    was_ready: bool = False

    def on_exit(self, *, ready: bool, lived_s: float) -> float | None:
        """It has ended. lived_s: since it was ready. Seconds to wait; None = give up."""
        self.was_ready = self.was_ready or ready
        if ready and lived_s >= HEALTHY_AFTER_S:
            self.failures = 0
        self.failures += 1
        if not self.was_ready or (not ready and self.failures >= MAX_FAILED_STARTS):
            return None
        return min(FIRST_S * 2.0 ** (self.failures - 1), MOST_S)


@dataclass(frozen=True, slots=True)
class ProcessSpec:
    """A server. name: for sentences. ready: what it says when requests may come. ask: what tries one then; `BackendError`.
    environment, fixed: what is set, unless a person has set it and in any case; the latter holds the key."""

    name: str
    command: tuple[str, ...]
    ready: str
    ask: Callable[[], Awaitable[None]] | None = field(default=None, repr=False)
    environment: Mapping[str, str] = field(default_factory=dict)
    fixed: Mapping[str, str] = field(default_factory=dict, repr=False)


class Supervisor:
    """log: for what the server says. tell: takes a sentence for the person. changed: is told when it answers, with the
    seconds that its start took, and with None when it no longer does. environment: to which the program's is added. clock:
    monotonic seconds. sleep: for that many."""

    def __init__(
        self,
        program: ProcessSpec,
        log: Path,
        tell: Callable[[str], None],
        changed: Callable[[float | None], None],
        *,
        environment: Mapping[str, str],
        clock: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._program, self._log = program, log
        self._tell, self._changed = tell, changed
        self._environment = {**program.environment, **environment, **program.fixed}
        self._clock, self._sleep = clock, sleep
        self._stopping = asyncio.Event()
        self._group: int | None = None

    def stop(self) -> None:
        """End it; asked a second time, at once."""
        if self._stopping.is_set() and self._group is not None:
            _signal(self._group, signal.SIGKILL)
        self._stopping.set()

    async def run(self) -> int:
        """Until it is stopped (0), or cannot be started (1)."""
        backoff, name = RestartBackoff(), self._program.name
        while not self._stopping.is_set():
            ready_at, reason = await self._once()
            if self._stopping.is_set():
                break
            lived_s = 0.0 if ready_at is None else self._clock() - ready_at
            wait_s = backoff.on_exit(ready=ready_at is not None, lived_s=lived_s)
            if wait_s is None:
                self._tell(f"{name} does not start: {reason} All that it said is in {self._log}.")
                return 1
            self._tell(f"{name} has ended: {reason} It is started again in {wait_s:.0f} s.")
            await _first(self._sleep(wait_s), self._stopping.wait())
        return 0

    async def _once(self) -> tuple[float | None, str]:
        """One life of it: since when it was ready, if ever, and of what it died, a sentence."""
        began = self._clock()
        # A pipe of our own: asyncio's would have us wait for whoever has inherited it, not for the process.
        reading, writing = os.pipe()
        try:
            process = await asyncio.create_subprocess_exec(
                *(_tied() if sys.platform == "linux" else ()),
                *self._program.command,
                env=self._environment,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=writing,
                stderr=writing,
                start_new_session=True,
            )
        except OSError as error:
            os.close(reading)
            return None, f"{self._program.command[0]} cannot be run ({error.strerror})."
        finally:
            os.close(writing)
        self._group = process.pid
        said: deque[str] = deque(maxlen=_TAIL)
        started = asyncio.Event()
        loop = asyncio.get_running_loop()

        def on_its_way(stage: str) -> None:
            if not started.is_set():
                self._tell(f"{stage} ({self._clock() - began:.0f} s)")

        def follow() -> None:
            self._follow(
                reading,
                said,
                lambda: loop.call_soon_threadsafe(started.set),
                lambda stage: loop.call_soon_threadsafe(on_its_way, stage),
            )

        following = asyncio.ensure_future(asyncio.to_thread(follow))
        ready_at: float | None = None
        problem: str | None = None
        try:
            await _first(process.wait(), started.wait(), self._stopping.wait())
            if started.is_set() and not self._stopping.is_set():
                problem = await self._answers()
                if problem is None:
                    ready_at = self._clock()
                    self._changed(ready_at - began)
                    await _first(process.wait(), self._stopping.wait())
            died_of = process.returncode
        finally:
            self._changed(None)
            await self._end(process)
            await following
        return ready_at, problem or _reason(said, died_of)

    def _follow(
        self, reading: int, said: deque[str], started: Callable[[], object], tell: Callable[[str], object]
    ) -> None:
        """On a thread: keeps what it says, and tells of what is new. reading: a pipe's end, which it closes."""
        told, rest = "", ""
        descriptor = os.open(self._log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb", buffering=0) as log:
            while data := os.read(reading, 65536):
                log.write(data)
                *lines, rest = re.split(r"[\r\n]+", rest + data.decode("utf-8", "replace"))
                for line in filter(str.strip, lines):
                    said.append(line)
                    stage = _stage(line)
                    if self._program.ready in line:
                        started()
                    elif stage not in (None, told):
                        told = str(stage)
                        tell(told)
                rest = rest[-_MAX_LINE:]
        os.close(reading)
        said.append(rest)

    async def _answers(self) -> str | None:
        """None when it does; else what is wrong, a sentence. vLLM says that it has started a moment before it listens, so it
        is asked again while nothing answers."""
        ask, problem = self._program.ask, None
        if ask is None:
            return None
        for _ in range(_TRIES):
            try:
                await ask()
            except BackendError as error:
                problem = error.detail
                if error.failure != "unreachable":
                    break
                await _first(self._sleep(_BETWEEN_S), self._stopping.wait())
            else:
                return None
        return problem

    async def _end(self, process: asyncio.subprocess.Process) -> None:
        """The whole group: a server that was killed leaves the process behind that has the memory."""
        if process.returncode is None:
            _signal(process.pid, signal.SIGTERM)
            with suppress(TimeoutError):
                async with asyncio.timeout(STOP_GRACE_S):
                    await process.wait()
        _signal(process.pid, signal.SIGKILL)
        await process.wait()
        self._group = None


async def _first(*waits: Awaitable[object]) -> None:
    """Return when one of them does; the others are given up."""
    tasks = [asyncio.ensure_future(wait) for wait in waits]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _tied() -> tuple[str, ...]:
    return sys.executable, "-c", _TIED, str(os.getpid())


def _signal(group: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def _stage(line: str) -> str | None:
    for pattern, stage in _STAGES:
        found = re.search(pattern, line)
        if found is not None:
            percent = next((group for group in found.groups() if group and group.isdigit()), None)
            return stage if percent is None else f"{stage}: {percent}%"
    return None


def _reason(said: deque[str], code: int | None) -> str:
    """What it said last that looks like a reason, as a sentence."""
    if code is not None and code < 0:
        with suppress(ValueError):
            return f"{signal.Signals(-code).name}."
    errors = [line for line in said if re.search(r"\w(Error|Exception): .", line)]
    text = (errors or [line for line in said if line.strip()] or ["it says nothing"])[-1].strip()
    text = re.sub(r"^(\(\w+ pid=\d+\)\s*)?((ERROR|INFO)\s[\d: -]+\[[^]]*\]\s*)?", "", text)
    return text[:_MAX_LINE].rstrip(".") + "."
