"""Supervision of one server: start, progress, restart when it dies, and end with all its processes."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import threading
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from editahead_inference.errors import BackendError
from editahead_programs.child_process import ChildProcess
from editahead_programs.child_python import OWN_FOLDER, SAFE_PATH

MAX_FAILED_STARTS = 5
"""Failed starts in a row after which the server is given up. The very first start must not fail at all."""
MIN_RESTART_DELAY_S, MAX_RESTART_DELAY_S = 1.0, 60.0
"""Least and most seconds before a restart. Each wait is twice as long as the last."""
HEALTHY_AFTER_S = 120.0
"""Seconds of answering after which an exit no longer counts as a failed start."""
_PROBE_ATTEMPTS, _PROBE_INTERVAL_S = 50, 0.2
"""Most probes after the server reports that it has started, and the seconds between two."""
STOP_GRACE_S = 20.0
"""Seconds from SIGTERM to SIGKILL."""
_GROUP_END_S, _GROUP_POLL_S = 5.0, 0.02
"""Most seconds to wait for the end of killed processes, and the seconds between two looks."""
_MAX_LOG_LINES = 200
_MAX_LINE_LENGTH = 400
"""Most lines of output that are searched for the reason of an exit, and most characters that are shown of one."""

_STAGES = (
    (r"(\d+)%.*safetensors|safetensors.*?(\d+)%", "loading the model"),
    (r"Starting to load model|Loading model", "loading the model"),
    (r"Downloading|Fetching \d+ files", "downloading the model"),
    (r"Dynamo bytecode|Compiling a graph", "compiling"),
    (r"[Cc]apturing CUDA graph|Graph capturing", "capturing graphs"),
    (r"KV cache size|KV cache memory|# (GPU|CPU) blocks", "making room for the cache"),
)
"""Patterns of vLLM's output, and the stage of its start that each means."""


@dataclass(slots=True)
class RestartBackoff:
    """The policy of restarts: how long to wait, and when to give up."""

    failures: int = 0
    was_ready: bool = False

    def on_exit(self, *, ready: bool, lived_s: float) -> float | None:
        """Return the seconds to wait after an exit before the restart, or None to give up.

        Args:
            ready: Whether the server had become ready.
            lived_s: Seconds since it became ready.
        """
        self.was_ready = self.was_ready or ready
        if ready and lived_s >= HEALTHY_AFTER_S:
            self.failures = 0
        self.failures += 1
        if not self.was_ready or (not ready and self.failures >= MAX_FAILED_STARTS):
            return None
        return min(MIN_RESTART_DELAY_S * 2.0 ** (self.failures - 1), MAX_RESTART_DELAY_S)


@dataclass(frozen=True, slots=True)
class ProcessSpec:
    """A server to supervise.

    `name` is for sentences. `ready` is the text of the output when the server accepts requests; `probe` then tries one and
    may raise BackendError. A variable of `environment` gives way to one that the user has set. A variable of `fixed` does
    not, and holds the key.
    """

    name: str
    command: tuple[str, ...]
    ready: str
    probe: Callable[[], Awaitable[None]] | None = field(default=None, repr=False)
    environment: Mapping[str, str] = field(default_factory=dict)
    fixed: Mapping[str, str] = field(default_factory=dict, repr=False)


class Supervisor:
    """A supervisor of one server.

    Args:
        log: File for the output of the server.
        report: Shows a sentence to the user.
        on_ready_change: Called with the seconds that the start took when the server answers, and with None when it no
            longer does.
        environment: The environment to which the program's is added.
        clock: Monotonic seconds.
        sleep: Waits for a number of seconds.
    """

    def __init__(
        self,
        program: ProcessSpec,
        log: Path,
        report: Callable[[str], None],
        on_ready_change: Callable[[float | None], None],
        *,
        environment: Mapping[str, str],
        clock: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._program, self._log = program, log
        self._report, self._on_ready_change = report, on_ready_change
        self._environment = {**program.environment, **environment, **program.fixed, **SAFE_PATH}
        self._clock, self._sleep = clock, sleep
        self._stopping = asyncio.Event()
        self._process: ChildProcess[bytes] | None = None

    def stop(self) -> None:
        """End the server. A second call kills it."""
        if self._stopping.is_set() and self._process is not None:
            self._process.kill()
        self._stopping.set()

    async def run(self) -> int:
        """Run until stopped (0), or until the server cannot be started (1)."""
        backoff, name = RestartBackoff(), self._program.name
        while not self._stopping.is_set():
            ready_at, reason = await self._run_once()
            if self._stopping.is_set():
                break
            lived_s = 0.0 if ready_at is None else self._clock() - ready_at
            wait_s = backoff.on_exit(ready=ready_at is not None, lived_s=lived_s)
            if wait_s is None:
                self._report(f"{name} does not start: {reason} Its whole output is in {self._log}.")
                return 1
            self._report(f"{name} has ended: {reason} {name} starts again in {wait_s:.0f} s.")
            await _wait_for_first(self._sleep(wait_s), self._stopping.wait())
        return 0

    async def _run_once(self) -> tuple[float | None, str]:
        """Run the server once. Return when it became ready, if it did, and the reason of its end as a sentence."""
        started_at = self._clock()
        # Not asyncio's pipe: that stays open as long as any process has inherited it, even after the server has ended.
        reading, writing = os.pipe()
        try:
            process: ChildProcess[bytes] = ChildProcess(
                self._program.command, cwd=OWN_FOLDER, env=self._environment, stdout=writing, stderr=writing
            )
        except OSError as error:
            os.close(reading)
            return None, f"{self._program.command[0]} cannot be run ({error.strerror})."
        finally:
            os.close(writing)
        self._process, ended = process, _watch_end(process)
        output: deque[str] = deque(maxlen=_MAX_LOG_LINES)
        started = asyncio.Event()
        loop = asyncio.get_running_loop()

        def report_stage(stage: str) -> None:
            if not started.is_set():
                self._report(f"{stage} ({self._clock() - started_at:.0f} s)")

        def follow() -> None:
            self._read_output(
                reading,
                output,
                lambda: loop.call_soon_threadsafe(started.set),
                lambda stage: loop.call_soon_threadsafe(report_stage, stage),
            )

        reader = asyncio.ensure_future(asyncio.to_thread(follow))
        ready_at: float | None = None
        problem: str | None = None
        try:
            await _wait_for_first(asyncio.shield(ended), started.wait(), self._stopping.wait())
            if started.is_set() and not self._stopping.is_set():
                problem = await self._probe()
                if problem is None:
                    ready_at = self._clock()
                    self._on_ready_change(ready_at - started_at)
                    await _wait_for_first(asyncio.shield(ended), self._stopping.wait())
            died_of = process.returncode
        finally:
            self._on_ready_change(None)
            await self._terminate(process, ended)
            await reader
        return ready_at, problem or _exit_reason(output, died_of)

    def _read_output(
        self, reading: int, output: deque[str], started: Callable[[], object], report: Callable[[str], object]
    ) -> None:
        """Copy the output to the log and report new stages. Runs on a thread.

        Args:
            reading: The read end of a pipe, which is closed in the end.
            output: Receives the last lines.
            started: Called when the server accepts requests.
            report: Called with each new stage.
        """
        reported, rest = "", ""
        descriptor = os.open(self._log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb", buffering=0) as log:
            while data := os.read(reading, 65536):
                log.write(data)
                *lines, rest = re.split(r"[\r\n]+", rest + data.decode("utf-8", "replace"))
                for line in filter(str.strip, lines):
                    output.append(line)
                    stage = _find_stage(line)
                    if self._program.ready in line:
                        started()
                    elif stage not in (None, reported):
                        reported = str(stage)
                        report(reported)
                rest = rest[-_MAX_LINE_LENGTH:]
        os.close(reading)
        output.append(rest)

    async def _probe(self) -> str | None:
        """Try a request. Return None when the server answers, else the problem as a sentence.

        vLLM reports its start a moment before it listens, so an unreachable server is probed again.
        """
        probe, problem = self._program.probe, None
        if probe is None:
            return None
        for _ in range(_PROBE_ATTEMPTS):
            try:
                await probe()
            except BackendError as error:
                problem = error.detail
                if error.failure != "unreachable":
                    break
                await _wait_for_first(self._sleep(_PROBE_INTERVAL_S), self._stopping.wait())
            else:
                return None
        return problem

    async def _terminate(self, process: ChildProcess[bytes], ended: asyncio.Future[int]) -> None:
        """End the whole process group: a killed server would leave the process behind that holds the memory."""
        if not ended.done():
            process.signal_group(signal.SIGTERM)
            with suppress(TimeoutError):
                async with asyncio.timeout(STOP_GRACE_S):
                    await asyncio.shield(ended)
        process.kill()
        await ended
        self._process = None
        # A process that is killed frees its memory a moment later, and the next start needs that memory.
        with suppress(TimeoutError):
            async with asyncio.timeout(_GROUP_END_S):
                while _is_group_alive(process.pid):  # noqa: ASYNC110 - nothing announces it
                    await asyncio.sleep(_GROUP_POLL_S)


def _watch_end(process: ChildProcess[bytes]) -> asyncio.Future[int]:
    """Return the exit status to come. A thread of its own waits: those of the loop are few, and servers live long."""
    loop = asyncio.get_running_loop()
    ended: asyncio.Future[int] = loop.create_future()

    def wait() -> None:
        loop.call_soon_threadsafe(ended.set_result, process.wait())

    threading.Thread(target=wait, name="editahead-supervisor", daemon=True).start()
    return ended


async def _wait_for_first(*waits: Awaitable[object]) -> None:
    """Return when the first of the awaitables does, and cancel the others."""
    tasks = [asyncio.ensure_future(wait) for wait in waits]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _is_group_alive(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _find_stage(line: str) -> str | None:
    for pattern, stage in _STAGES:
        found = re.search(pattern, line)
        if found is not None:
            percent = next((group for group in found.groups() if group and group.isdigit()), None)
            return stage if percent is None else f"{stage}: {percent}%"
    return None


def _exit_reason(output: deque[str], code: int | None) -> str:
    """Return the last line of the output that looks like a reason, as a sentence."""
    if code is not None and code < 0:
        with suppress(ValueError):
            return f"{signal.Signals(-code).name}."
    errors = [line for line in output if re.search(r"\w(Error|Exception): .", line)]
    text = (errors or [line for line in output if line.strip()] or ["there is no output"])[-1].strip()
    text = re.sub(r"^(\(\w+ pid=\d+\)\s*)?((ERROR|INFO)\s[\d: -]+\[[^]]*\]\s*)?", "", text)
    return text[:_MAX_LINE_LENGTH].rstrip(".") + "."
