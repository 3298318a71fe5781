"""Processes of tests that end with their test."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def killed_on_failure(process: subprocess.Popen[Any]) -> Iterator[None]:
    """Wait for a process at the end, and kill it where the test has failed: `with process` would wait for ever."""
    with process:
        try:
            yield
        except BaseException:
            process.kill()
            raise
