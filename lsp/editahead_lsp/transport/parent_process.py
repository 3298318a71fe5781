"""Noticing that another process has ended."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable

POLL_S = 2.0
"""Between two looks, where the system cannot tell by itself."""


async def wait_for_exit(pid: int, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
    """Return once the process is gone."""
    if hasattr(os, "pidfd_open"):
        try:
            descriptor = os.pidfd_open(pid)
        except (ProcessLookupError, OverflowError):
            return
        except OSError:  # forbidden, or a kernel without it: look from time to time
            pass
        else:
            await _readable(descriptor)
            return
    while _alive(pid):
        await sleep(POLL_S)


async def _readable(descriptor: int) -> None:
    """A process descriptor becomes readable when its process ends."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[None] = loop.create_future()
    try:
        loop.add_reader(descriptor, done.set_result, None)
        await done
    finally:
        loop.remove_reader(descriptor)
        os.close(descriptor)


def _alive(pid: int) -> bool:
    if sys.platform == "win32":
        return _alive_on_windows(pid)
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def _alive_on_windows(pid: int) -> bool:
    """`os.kill` would end the process there."""
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
