"""The parent's handle of the process that keeps an index up to date. No method waits for the process."""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress

from editahead_programs.child_process import ChildLimits, ChildProcess
from editahead_programs.child_python import OWN_FOLDER, make_module_command
from editahead_retrieval.files.git_configuration import keep_variables

from .messages import IndexReport, IndexRequest, IndexTask, decode_report, encode

END_S = 5.0
"""Seconds in which the process has to end after its stdin is closed. Then it is killed."""
LIMITS = ChildLimits(memory_mb=3_000)
"""What the process may use. It lives as long as the server, so its seconds have no limit."""
_KEPT = frozenset(
    {
        "PATH",
        "HOME",
        "USERPROFILE",
        "SYSTEMROOT",
        "TEMP",
        "TMP",
        "TMPDIR",
        "LANG",
        "VIRTUAL_ENV",
        "PYTHONPATH",
    }
    | {"PYTHONHOME", "PYTHONUSERBASE", "COVERAGE_PROCESS_START", "PGPASSFILE"}
)
"""Environment variables that the process gets, beside those that say what git ignores. Keys and other secrets are none of
them but those that its task names."""
BELOW_NORMAL = 0x4000 if sys.platform == "win32" else 0
"""The flag for a process of low priority, which only Windows has."""


def child_environment(environment: Mapping[str, str], task: IndexTask | None = None) -> dict[str, str]:
    """Return the environment variables that a child process gets, of those of this process.

    Args:
        environment: The environment variables of this process.
        task: The task of the process, which names the variables with its keys; None for a process without one.
    """
    keys = set() if task is None else {task.encoder_key_env, task.team_key_env, task.team_password_env}
    return keep_variables(environment) | {
        name: value
        for name, value in environment.items()
        if name.upper() in _KEPT or name.startswith("LC_") or name in keys
    }


class IndexProcess:
    """A process that keeps one index up to date until it is stopped, or this process ends.

    Args:
        task: The workspace and its index.
        on_report: Called on a thread of its own with each report; last with `ended`.
        environment: The environment variables of this process.
    """

    def __init__(
        self,
        task: IndexTask,
        on_report: Callable[[IndexReport], None],
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        self._on_report = on_report
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._lines.put(encode(task))
        self._environment = child_environment(environment, task)
        self._stopped = False
        threading.Thread(target=self._run, name="editahead-index", daemon=True).start()

    def send(self, request: IndexRequest) -> None:
        """Send a request."""
        self._lines.put(encode(request))

    def stop(self) -> None:
        """Let the process end."""
        self._stopped = True
        self._lines.put(None)

    def _run(self) -> None:
        """Start the process, which takes a while, and read its reports."""
        try:
            process: ChildProcess[str] = ChildProcess(
                make_module_command("editahead_retrieval.process"),
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
            self._on_report(IndexReport("failed", detail=f"the process does not start: {error.strerror}"))
            self._on_report(IndexReport("ended"))
            return
        threading.Thread(target=self._write, args=(process,), name="editahead-index-in", daemon=True).start()
        assert process.stdout is not None
        with process.stdout, suppress(ValueError, OSError):
            for line in process.stdout:
                self._on_report(decode_report(line))
        self._lines.put(None)
        _end(process)
        self._on_report(IndexReport("ended"))

    def _write(self, process: ChildProcess[str]) -> None:
        assert process.stdin is not None
        with suppress(OSError, ValueError), process.stdin as stdin:
            while (line := self._lines.get()) is not None:
                stdin.write(line)
                stdin.flush()
        if self._stopped:
            _end(process)


def _end(process: ChildProcess[str]) -> None:
    """Wait for the end of a process, and kill it if that takes too long."""
    try:
        process.wait(END_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
