"""The memory of a process. Only Linux has /proc."""

from __future__ import annotations

from pathlib import Path


def resident_mb(pid: int) -> float:
    """Return the resident memory of the process in megabytes."""
    return _status_mb(pid, "VmRSS")


def peak_mb(pid: int) -> float:
    """Return the most resident memory that the process has had in megabytes."""
    return _status_mb(pid, "VmHWM")


def _status_mb(pid: int, field: str) -> float:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1]) / 1024
    raise AssertionError(f"a process has {field}")
