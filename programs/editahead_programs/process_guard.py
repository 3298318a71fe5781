"""A guard that ends the groups of our child processes when this process is gone, also after `kill -9`.

The guard is a small shell in a session of its own. It reads the groups from a pipe whose other end only this process holds.
The system closes that end when this process dies in any way; then the guard kills all groups that it knows.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import threading
from contextlib import suppress

_PROGRAM = """\
groups=
while read -r group ended; do
  kept=
  for one in $groups; do [ "$one" = "$group" ] || kept="$kept $one"; done
  if [ "$ended" ]; then groups=$kept; else groups="$kept $group"; fi
done
[ -z "$groups" ] || kill -s KILL -- $groups
"""
"""Reads lines `-GROUP` for a new group, and `-GROUP ended` for one that has ended."""


class ProcessGuard:
    """The guard of this process. The first child process starts it. Any thread may call the methods."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._groups: set[int] = set()
        self._process: subprocess.Popen[bytes] | None = None

    def add(self, group: int) -> None:
        """Let a process group end with this process.

        Raises:
            OSError: The guard does not start.
        """
        with self._lock:
            self._groups.add(group)
            self._send(f"-{group}\n")

    def remove(self, group: int) -> None:
        """Forget a process group that has ended."""
        with self._lock, suppress(OSError):
            self._groups.discard(group)
            self._send(f"-{group} ended\n")

    def close(self) -> None:
        """End all groups that are left, and the guard."""
        with self._lock:
            process, self._process = self._process, None
            if process is not None:
                assert process.stdin is not None
                with suppress(SystemExit):  # of a signal to a process that is ending anyway
                    process.stdin.close()
                    process.wait()

    def leave(self) -> None:
        """Forget the guard in a process that was forked: it is the parent's, whose end it waits for."""
        process, groups = self._process, set[int]()
        self._lock, self._groups, self._process = threading.Lock(), groups, None
        if process is not None:
            assert process.stdin is not None
            process.stdin.close()
            process.returncode = 0  # another's child is not waited for

    def _send(self, line: str) -> None:
        """Write a line to the guard; start a guard, or another one, if there is none that reads."""
        if self._process is not None:
            assert self._process.stdin is not None
            try:
                self._process.stdin.write(line.encode())
            except BrokenPipeError:
                self._process.stdin.close()
                self._process.wait()
            else:
                return
        self._process = subprocess.Popen(
            ["/bin/sh", "-c", _PROGRAM],
            bufsize=0,
            cwd="/",
            env={},
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        assert self._process.stdin is not None
        self._process.stdin.write("".join(f"-{group}\n" for group in self._groups).encode())


GUARD = ProcessGuard()
atexit.register(GUARD.close)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=GUARD.leave)
