"""A disk that is full: a child process that can make no file longer than a number of bytes."""

from __future__ import annotations

import os
import resource
import signal
from collections.abc import Callable


def run_on_full_disk(max_file_bytes: int, act: Callable[[], object]) -> bool:
    """Run something in a child, and return whether it raised nothing."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (max_file_bytes, resource.RLIM_INFINITY))
            act()
            code = 0
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status) == 0
