"""Child processes: the one way to start them, with limits, in a group of their own that ends with this process.

A small shell comes before each program. It sets the limits, waits until the guard knows its group, and becomes the program.
So there is no moment at which a program runs that the end of this process would leave behind.

Windows has neither groups nor these limits: there, a child has only its time and its output limited, and only the
child itself is ended, not what it started.
"""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, AnyStr

from .errors import ChildError, ChildOutputError, ChildTimeoutError
from .pipes import PipeReader, PipeStream, PipeWriter
from .process_guard import GUARD

MAX_ERROR_BYTES = 10_000
"""Bytes that are kept of what a program writes to stderr."""
_POLL_S = 0.05
"""Seconds between two looks at whether the answer is still wanted."""
_PIPE_END_S = 5.0
"""Seconds in which the pipes of a group that was killed have to end. A process that left the group may hold one."""
_HAS_GROUPS = hasattr(os, "killpg")
_BEGIN = 'read -r _ || exit 1; exec "$@"'
"""Waits for a line on stdin, which comes once the guard knows the group, and becomes the program."""


@dataclass(frozen=True)
class ChildLimits:
    """What each process of a child's group may use. None = no limit.

    Attributes:
        memory_mb: Megabytes of data: what a program allocates, and not the files that it maps. Linux alone enforces it.
        cpu_s: Seconds on a core.
        can_write: Whether files may be written.
    """

    memory_mb: int | None = None
    cpu_s: int | None = None
    can_write: bool = True

    def as_commands(self) -> str:
        """Return the commands of a shell that set the limits. A limit that is lower already stays."""
        wanted = [
            *(["-d", self.memory_mb * 1024] if self.memory_mb else []),
            *(["-t", self.cpu_s] if self.cpu_s else []),
            *([] if self.can_write else ["-f", 0, "-c", 0]),
        ]
        pairs = zip(wanted[::2], wanted[1::2], strict=True)
        return "".join(f"ulimit {option} {value} 2>/dev/null; " for option, value in pairs)


NO_LIMITS = ChildLimits()
"""For programs that the user installed to use the machine, such as an engine, and for our own servers."""


class ChildProcess(subprocess.Popen[AnyStr]):
    """A child process. What it started ends with it.

    Args:
        command: The program, as an absolute path or a name to look for in PATH, and its arguments.
        cwd: The folder that it starts in.
        env: Its environment; None = this process's.
        limits: What it may use.
        has_input: Whether it gets a pipe as stdin. Without one, its stdin is empty.
        is_text: Whether its pipes are of text, in UTF-8.
        options: Options of `Popen` for its output and its priority.

    Raises:
        OSError: The program does not start.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str] | None = None,
        limits: ChildLimits = NO_LIMITS,
        has_input: bool = False,
        is_text: bool = False,
        **options: Any,
    ) -> None:
        if is_text:
            options["encoding"] = "utf-8"
        if _HAS_GROUPS:
            _check_program(command[0])
            command = ["/bin/sh", "-c", limits.as_commands() + _BEGIN, "sh", *command]
            options["start_new_session"] = True
        super().__init__(command, cwd=cwd, env=env, stdin=subprocess.PIPE, **options)
        assert self.stdin is not None
        if _HAS_GROUPS:
            self._begin()
        if not has_input:
            self.stdin.close()
            self.stdin = None

    def _begin(self) -> None:
        assert self.stdin is not None
        try:
            GUARD.add(self.pid)
            with suppress(BrokenPipeError):
                os.write(self.stdin.fileno(), b"\n")
        except OSError:
            self.kill()
            self.wait()
            raise

    def poll(self) -> int | None:
        """Return the exit status; None while the process runs."""
        return self._end_group(super().poll())

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end, and return the exit status."""
        code = self._end_group(super().wait(timeout))
        assert code is not None
        return code

    def kill(self) -> None:
        """Kill the process and what it started."""
        if not _HAS_GROUPS:
            super().kill()
        elif super().poll() is None:
            self.signal_group(signal.SIGKILL)

    def signal_group(self, number: signal.Signals) -> None:
        """Send a signal to the process and to what it started."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, number)

    def _end_group(self, code: int | None) -> int | None:
        """Kill what the process has left behind, once it has ended."""
        if code is not None and _HAS_GROUPS and not self._has_ended:
            self._has_ended = True
            self.signal_group(signal.SIGKILL)
            GUARD.remove(self.pid)
        return code

    _has_ended = False


@dataclass(frozen=True)
class Finished:
    """What a program left.

    Attributes:
        code: The exit status.
        out: Its output; empty where that went elsewhere.
        error: The beginning of its stderr.
    """

    code: int
    out: bytes
    error: bytes

    def last_error(self) -> str:
        """Return the last line of stderr; "" without one."""
        lines = self.error.decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else ""


def run_child(
    command: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str] | None = None,
    limits: ChildLimits = NO_LIMITS,
    timeout_s: float | None,
    max_bytes: int,
    stdin: bytes = b"",
    stdout: IO[Any] | None = None,
    merges_errors: bool = False,
    check: Callable[[], None] = lambda: None,
) -> Finished:
    """Run a program to its end. Whatever ends the wait ends the program, too.

    Args:
        command: The program and its arguments.
        cwd: The folder that it starts in.
        env: Its environment; None = this process's.
        limits: What it may use.
        timeout_s: Seconds after which it is killed; None = no limit.
        max_bytes: Bytes of its output after which it is killed.
        stdin: Its input.
        stdout: Takes the output, instead of the result.
        merges_errors: Whether stderr goes where the output goes.
        check: Raises to cancel; called several times a second.

    Raises:
        OSError: The program does not start.
        ChildTimeoutError: It took too long.
        ChildOutputError: It printed too much.
    """
    process: ChildProcess[bytes] = ChildProcess(
        command,
        cwd=cwd,
        env=env,
        limits=limits,
        has_input=True,
        stdout=subprocess.PIPE if stdout is None else stdout,
        stderr=subprocess.STDOUT if merges_errors else subprocess.PIPE,
    )
    return wait_for_child(process, timeout_s=timeout_s, max_bytes=max_bytes, stdin=stdin, check=check)


def wait_for_child(
    process: ChildProcess[bytes],
    *,
    timeout_s: float | None,
    max_bytes: int,
    stdin: bytes,
    check: Callable[[], None],
) -> Finished:
    """Wait for a program that has started, see `run_child`."""
    deadline = None if timeout_s is None else time.monotonic() + timeout_s
    out = PipeReader(process.stdout, max_bytes, process.kill)
    error = PipeReader(process.stderr, MAX_ERROR_BYTES, lambda: None)
    threads = (error, out, PipeWriter(process.stdin, stdin))
    try:
        while process.poll() is None:
            check()
            if deadline is not None and time.monotonic() > deadline:
                raise ChildTimeoutError
            waited = next((thread for thread in threads[:2] if thread.is_alive()), None)
            if waited is not None:
                waited.join(_POLL_S)
            else:
                with suppress(subprocess.TimeoutExpired):
                    process.wait(_POLL_S)
    finally:
        process.kill()
        process.wait()
        for thread in threads:
            thread.join(_PIPE_END_S)
    if out.is_full:
        raise ChildOutputError
    if out.is_alive():
        raise ChildTimeoutError
    return Finished(process.returncode, out.data, error.data)


def stream_child(
    process: ChildProcess[bytes], *, timeout_s: float, stdin: bytes, check: Callable[[], None]
) -> Iterator[bytes]:
    """Yield the output of a program piece by piece, so that it is never held as a whole. Close it to end the program.

    Args:
        process: The program, with a pipe for each of stdin, stdout and stderr.
        timeout_s: Seconds after which it is killed.
        stdin: Its input.
        check: Raises to cancel; called several times a second.

    Raises:
        ChildTimeoutError: It took too long.
        ChildError: It failed; the message is the first line of its stderr.
    """
    deadline = time.monotonic() + timeout_s
    out, error = PipeStream(process.stdout), PipeReader(process.stderr, MAX_ERROR_BYTES, lambda: None)
    writer = PipeWriter(process.stdin, stdin)
    try:
        while (piece := out.take(_POLL_S)) != b"":
            check()
            if time.monotonic() > deadline:
                raise ChildTimeoutError
            if piece is not None:
                yield piece
        code = process.wait(_PIPE_END_S)
    except subprocess.TimeoutExpired:
        raise ChildTimeoutError from None
    finally:
        process.kill()
        process.wait()
        out.drop()
        for thread in (writer, error):
            thread.join(_PIPE_END_S)
    if code:
        raise ChildError(next(iter(error.data.decode(errors="replace").strip().splitlines()), ""))


def _check_program(program: str) -> None:
    """Raise where a program cannot be run: the shell would only say so on its stderr."""
    if os.sep not in program:
        return  # the shell looks for it in PATH
    if not Path(program).is_file():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), program)
    if not os.access(program, os.X_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), program)
