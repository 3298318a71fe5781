"""The memory of a process."""

from __future__ import annotations

from pathlib import Path


def resident_mb(pid: int) -> float:
    """Return the resident memory of the process in megabytes. Only Linux has /proc."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise AssertionError("a process has a resident set")
