"""The memory, cores and GPUs of this machine, found without loading a library."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from editahead_programs.child_process import run_child
from editahead_programs.child_python import OWN_FOLDER
from editahead_programs.errors import ChildError
from editahead_programs.program_search import find_program

_NVIDIA_SMI_TIMEOUT_S = 10.0
_PROBE_BYTES, _MAX_PROBE_THREADS, _PROBE_COUNT = 1 << 26, 8, 4
"""Limits of the measurement of memory bandwidth.

Bytes that each thread copies (more than the caches hold), the most threads, and the number of runs, of which the fastest
counts.
"""


@dataclass(frozen=True, slots=True)
class Gpu:
    """An NVIDIA GPU. `memory` is in bytes."""

    name: str
    memory: int


@dataclass(frozen=True, slots=True)
class Hardware:
    """The hardware of this machine.

    `cores` are those that this process may use. `memory` and `free` are in bytes, or 0 where the system does not report
    them.
    """

    cores: int
    memory: int
    free: int
    gpus: tuple[Gpu, ...] = ()


def detect_hardware(run: Callable[[list[str]], str] | None = None) -> Hardware:
    """Return the hardware of this machine.

    Args:
        run: Runs a command and returns its output, or raises OSError or ChildError. By default, a
            a child process runs the command.
    """
    memory, free = _memory()
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return Hardware(cores, memory, free, _gpus(run or _run))


def physical_cores() -> tuple[int, ...]:
    """Return the number of one logical processor of each core that this process may use."""
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
    """Return the free bytes of the disk that `folder` is on. The folder may not exist yet."""
    existing = next(parent for parent in (folder, *folder.parents) if parent.exists())
    return shutil.disk_usage(existing).free


def _memory() -> tuple[int, int]:
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        sizes = {
            name: int(rest.split()[0]) << 10 for name, _, rest in (line.partition(":") for line in lines)
        }
        return sizes["MemTotal"], sizes.get("MemAvailable", sizes["MemFree"])
    except (OSError, ValueError, KeyError, IndexError):
        pass
    try:
        whole = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 0, 0
    return whole, whole


def _gpus(run: Callable[[list[str]], str]) -> tuple[Gpu, ...]:
    try:
        output = run(["nvidia-smi", "--query-gpu=name,memory.total", "--format=csv,noheader,nounits"])
        rows = [line.rsplit(",", 1) for line in output.splitlines() if "," in line]
        return tuple(Gpu(name.strip(), int(memory) << 20) for name, memory in rows)
    except (OSError, ChildError, ValueError):
        return ()


def _run(command: list[str]) -> str:
    program = find_program(command[0], [])
    if program is None:
        raise FileNotFoundError(command[0])
    done = run_child(
        [program, *command[1:]], cwd=OWN_FOLDER, timeout_s=_NVIDIA_SMI_TIMEOUT_S, max_bytes=100_000
    )
    if done.code:
        raise ChildError(f"{command[0]} failed")
    return done.out.decode(errors="replace")


def measure_memory_bandwidth(clock: Callable[[], float]) -> float:
    """Return the bytes that all cores together move in a second, under the present load.

    A token takes about as long as the reading of the weights that compute it. The bandwidth therefore limits the tokens
    per second.

    Args:
        clock: Monotonic seconds.
    """
    import ctypes
    from concurrent.futures import ThreadPoolExecutor

    threads = min(_MAX_PROBE_THREADS, os.cpu_count() or 1)
    pairs = [
        (ctypes.create_string_buffer(_PROBE_BYTES), ctypes.create_string_buffer(_PROBE_BYTES))
        for _ in range(threads)
    ]
    for source, target in pairs:  # so that the system really allocates them
        ctypes.memset(source, 1, _PROBE_BYTES)
        ctypes.memset(target, 2, _PROBE_BYTES)

    def move(pair: tuple[ctypes.Array[ctypes.c_char], ctypes.Array[ctypes.c_char]]) -> None:
        ctypes.memmove(pair[1], pair[0], _PROBE_BYTES)  # without the GIL: the threads run in parallel

    best = 0.0
    with ThreadPoolExecutor(threads) as pool:
        for _ in range(_PROBE_COUNT):
            start = clock()
            list(pool.map(move, pairs))
            taken = clock() - start
            best = max(
                best, 2 * _PROBE_BYTES * threads / taken if taken > 0 else 0.0
            )  # each byte is read and written
    return best
