"""The server's handle of a process that finds what a change lacks, or composes its commit message."""

from __future__ import annotations

import asyncio
import os
import subprocess
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress

from editahead_programs.child_process import ChildLimits, ChildProcess
from editahead_programs.child_python import OWN_FOLDER, make_module_command
from editahead_programs.git_command import KEPT_VARIABLES
from editahead_retrieval.process.index_process import BELOW_NORMAL, child_environment
from editahead_workspace.errors import ChangeError

from .messages import (
    Composed,
    Failure,
    FinishTask,
    Found,
    Message,
    Progress,
    decode_message,
    encode,
)

LIMITS = ChildLimits(memory_mb=2_000, cpu_s=600)
"""What the process may use."""


async def run_finish(
    task: FinishTask,
    on_progress: Callable[[Progress], None] = lambda progress: None,
    environment: Mapping[str, str] = os.environ,
) -> Found:
    """Return what a process finds. A caller that stops waiting ends the process.

    Args:
        task: What is looked for.
        on_progress: Called on the event loop.
        environment: The environment variables of this process.

    Raises:
        ChangeError: The change cannot be read, or there is no index; the message is for a person.
    """
    message = await _answer(task, on_progress, environment)
    assert isinstance(message, Found)
    return message


async def run_compose(task: FinishTask, environment: Mapping[str, str] = os.environ) -> Composed:
    """Return the commit message that a process composes. A caller that stops waiting ends the process.

    Args:
        task: Which change is meant; it composes.
        environment: The environment variables of this process.

    Raises:
        ChangeError: The change cannot be read, or nothing in it has a name; the message is for a person.
    """
    message = await _answer(task, lambda progress: None, environment)
    assert isinstance(message, Composed)
    return message


async def _answer(
    task: FinishTask, on_progress: Callable[[Progress], None], environment: Mapping[str, str]
) -> Message:
    """Return the last message of a process, which is no failure."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Message] = loop.create_future()

    def receive(message: Message) -> None:
        if isinstance(message, Progress):
            on_progress(message)
        elif not done.done():
            done.set_result(message)

    def send(message: Message) -> None:
        with suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(receive, message)

    running = _Running(task, send, environment)
    try:
        message = await done
    finally:
        running.end()
    if isinstance(message, Failure):
        raise ChangeError(message.reason)
    return message


class _Running(threading.Thread):
    """The thread that starts a process, which takes a while, and reads what it tells."""

    def __init__(
        self, task: FinishTask, send: Callable[[Message], None], environment: Mapping[str, str]
    ) -> None:
        super().__init__(name="editahead-finish", daemon=True)
        self._task, self._send = task, send
        self._environment = child_environment(environment)
        self._environment.update({name: environment[name] for name in KEPT_VARIABLES if name in environment})
        self._lock = threading.Lock()
        self._process: ChildProcess[str] | None = None
        self._is_ended = False
        self.start()

    def end(self) -> None:
        """End the process, if it still runs."""
        with self._lock:
            self._is_ended = True
            if self._process is not None:
                self._process.kill()

    def run(self) -> None:
        try:
            process: ChildProcess[str] = ChildProcess(
                make_module_command("editahead_workspace.finish"),
                cwd=OWN_FOLDER,
                env=self._environment,
                limits=LIMITS,
                has_input=True,
                is_text=True,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                creationflags=BELOW_NORMAL,
            )
        except OSError as error:
            self._send(Failure(f"the process does not start: {error.strerror}"))
            return
        with self._lock:
            self._process = process
            if self._is_ended:
                process.kill()
        assert process.stdin is not None and process.stdout is not None
        with suppress(OSError, ValueError), process:  # closing the pipe of a killed process fails, too
            process.stdin.write(encode(self._task))
            process.stdin.flush()
            for line in process.stdout:
                self._send(decode_message(line))
        self._send(Failure("the process ended before it found anything"))
