"""What this machine has to run models with. No library is loaded for it."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

_ASKING_S = 10.0
_PROBED, _THREADS, _PROBES = 1 << 26, 8, 4
"""Bytes, more than caches have, the most threads that move as many, and how often; the quickest counts."""


@dataclass(frozen=True, slots=True)
class Gpu:
    """Bytes of memory."""

    name: str
    memory: int


@dataclass(frozen=True, slots=True)
class Hardware:
    """cores: that this process may use. memory, free: bytes; 0 where the system does not tell. gpus: of NVIDIA."""

    cores: int
    memory: int
    free: int
    gpus: tuple[Gpu, ...] = ()


def detect_hardware(run: Callable[[list[str]], str] | None = None) -> Hardware:
    """run: a command's output; OSError or subprocess.SubprocessError when there is none. By default it is run."""
    memory, free = _memory()
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return Hardware(cores, memory, free, _gpus(run or _run))


def physical_cores() -> tuple[int, ...]:
    """Of each core that this process may use, the number of one of its logical processors."""
    if not hasattr(os, "sched_getaffinity"):
        return tuple(range(os.cpu_count() or 1))
    found: dict[str, int] = {}
    for number in sorted(os.sched_getaffinity(0)):
        try:
            core = Path(f"/sys/devices/system/cpu/cpu{number}/topology/thread_siblings_list").read_text()
        except OSError:
            core = str(number)
        found.setdefault(core, number)
    return tuple(found.values())


def free_disk_bytes(folder: Path) -> int:
    """Bytes. folder: it may not exist yet."""
    there = next(parent for parent in (folder, *folder.parents) if parent.exists())
    return shutil.disk_usage(there).free


def _memory() -> tuple[int, int]:
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        told = {name: int(rest.split()[0]) << 10 for name, _, rest in (line.partition(":") for line in lines)}
        return told["MemTotal"], told.get("MemAvailable", told["MemFree"])
    except (OSError, ValueError, KeyError, IndexError):
        pass
    try:
        whole = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 0, 0
    return whole, whole


def _gpus(run: Callable[[list[str]], str]) -> tuple[Gpu, ...]:
    try:
        said = run(["nvidia-smi", "--query-gpu=name,memory.total", "--format=csv,noheader,nounits"])
        rows = [line.rsplit(",", 1) for line in said.splitlines() if "," in line]
        return tuple(Gpu(name.strip(), int(memory) << 20) for name, memory in rows)
    except (OSError, subprocess.SubprocessError, ValueError):
        return ()


def _run(command: list[str]) -> str:
    return subprocess.run(
        command, capture_output=True, text=True, timeout=_ASKING_S, check=True, stdin=subprocess.DEVNULL
    ).stdout


def measure_memory_bandwidth(clock: Callable[[], float]) -> float:
    """Bytes that the cores together move a second, as busy as they are now. A token takes about as long as reading the
    weights that compute it, so that this says how many tokens a second there can be. clock: seconds."""
    import ctypes
    from concurrent.futures import ThreadPoolExecutor

    threads = min(_THREADS, os.cpu_count() or 1)
    pairs = [
        (ctypes.create_string_buffer(_PROBED), ctypes.create_string_buffer(_PROBED)) for _ in range(threads)
    ]
    for source, target in pairs:  # so that there is memory behind them
        ctypes.memset(source, 1, _PROBED)
        ctypes.memset(target, 2, _PROBED)

    def move(pair: tuple[ctypes.Array[ctypes.c_char], ctypes.Array[ctypes.c_char]]) -> None:
        ctypes.memmove(pair[1], pair[0], _PROBED)  # other threads go on meanwhile

    best = 0.0
    with ThreadPoolExecutor(threads) as pool:
        for _ in range(_PROBES):
            began = clock()
            list(pool.map(move, pairs))
            taken = clock() - began
            best = max(best, 2 * _PROBED * threads / taken if taken > 0 else 0.0)  # each is read and written
    return best
