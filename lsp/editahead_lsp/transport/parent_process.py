"""The wait for the end of another process."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable

POLL_INTERVAL_S = 2.0
"""Seconds between two checks, where the system cannot report the end of a process."""


async def wait_for_exit(pid: int, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
    """Return when the process has ended.

    Args:
        pid: The process id.
        sleep: Waits for a number of seconds between two checks.
    """
    if hasattr(os, "pidfd_open"):
        try:
            descriptor = os.pidfd_open(pid)
        except (ProcessLookupError, OverflowError):
            return
        except OSError:  # forbidden, or a kernel without `pidfd_open`: poll instead
            pass
        else:
            await _wait_until_readable(descriptor)
            return
    while _is_alive(pid):
        await sleep(POLL_INTERVAL_S)


async def _wait_until_readable(descriptor: int) -> None:
    """Wait until a process descriptor is readable: it is when its process has ended. Close the descriptor."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[None] = loop.create_future()
    try:
        loop.add_reader(descriptor, done.set_result, None)
        await done
    finally:
        loop.remove_reader(descriptor)
        os.close(descriptor)


def _is_alive(pid: int) -> bool:
    if sys.platform == "win32":
        return _is_alive_on_windows(pid)
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def _is_alive_on_windows(pid: int) -> bool:
    """Return whether the process runs. `os.kill` would end it on Windows."""
    import ctypes

    synchronize, timeout = 0x00100000, 0x102
    kernel = ctypes.WinDLL("kernel32")  # type: ignore[attr-defined,unused-ignore]  # on Windows only
    handle = kernel.OpenProcess(synchronize, False, pid)
    if not handle:
        return False
    try:
        return bool(kernel.WaitForSingleObject(handle, 0) == timeout)
    finally:
        kernel.CloseHandle(handle)
