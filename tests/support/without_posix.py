"""The command line on a Python that lacks what Windows lacks: `python without_posix.py ARGUMENTS...`.

The standard library stays that of this machine, and so do paths. What is left of Windows: modules and functions that are
missing there, stand-ins for modules that are only there, and the branches for `sys.platform == "win32"`.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import runpy
import shutil
import signal
import subprocess
import sys
import types
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from typing import Any

MODULES = frozenset(["fcntl", "grp", "posix", "pty", "pwd", "resource", "syslog", "termios", "tty"])
OF_OS = (
    *("O_NOFOLLOW", "O_NONBLOCK", "O_DIRECTORY", "O_CLOEXEC", "chown", "fchmod", "fchown", "fork", "forkpty"),
    *("geteuid", "getgid", "getpgid", "getuid", "killpg", "mkfifo", "nice", "openpty", "sched_getaffinity"),
    *("setsid", "setpgid", "statvfs", "sysconf", "uname", "wait3", "wait4"),
)
OF_SIGNAL = ("SIGALRM", "SIGHUP", "SIGKILL", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGPIPE", "pthread_sigmask")
LOADED = (
    *(
        "asyncio",
        "ctypes.util",
        "logging.handlers",
        "mimetypes",
        "multiprocessing.connection",
        "multiprocessing.spawn",
        "platform",
    ),
    *(
        "concurrent.futures.process",
        "concurrent.futures.thread",
        "platformdirs",
        "rich.console",
        "rich.progress",
    ),
    *("rich.table", "socket", "sqlite3", "subprocess", "tempfile", "zipfile"),
)
"""What chooses by the platform when it is loaded, and so is loaded before the platform is another."""
PROGRAM_DATA = "WITHOUT_POSIX_PROGRAM_DATA"
"""The environment variable with the folder that the registry names for data of all programs; a missing folder without it."""


class _Missing(MetaPathFinder):
    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        if name in MODULES:
            raise ModuleNotFoundError(f"there is no {name} on Windows", name=name)
        return None


def _registry() -> types.ModuleType:
    """Return the module that reads the registry, as far as it holds the folder for data of all programs."""
    place = r"SOFTWARE\Microsoft\Windows\CurrentVersion\Explorer\Shell Folders"
    values = {"Common AppData": os.environ.get(PROGRAM_DATA, "/ProgramData")}

    def open_key(key: str, sub_key: str) -> contextlib.AbstractContextManager[dict[str, str]]:
        """Open a key."""
        if (key, sub_key) != ("HKEY_LOCAL_MACHINE", place):
            raise FileNotFoundError(2, "The system cannot find the file specified")
        return contextlib.nullcontext(values)

    def query_value(key: dict[str, str], name: str) -> tuple[str, int]:
        """Return a value of a key, and its type."""
        if name not in key:
            raise FileNotFoundError(2, "The system cannot find the file specified")
        return key[name], 1

    registry = types.ModuleType("winreg")
    vars(registry).update(HKEY_LOCAL_MACHINE="HKEY_LOCAL_MACHINE", OpenKey=open_key, QueryValueEx=query_value)
    return registry


def _take_away() -> None:
    for name in (*LOADED, *(["mcp.server.mcpserver"] if sys.argv[1:] == ["mcp"] else [])):
        importlib.import_module(name)
    locks = types.ModuleType("msvcrt")
    vars(locks).update(LK_NBLCK=2, locking=lambda handle, mode, size: None, setmode=lambda handle, flags: 0)
    whole = {module: types.SimpleNamespace(**vars(module)) for module in (os, signal)}
    for loaded in list(sys.modules.values()):  # they keep what they need on this machine
        for name, value in list(vars(loaded).items()):
            if isinstance(value, types.ModuleType) and value in whole and loaded is not sys.modules[__name__]:
                setattr(loaded, name, whole[value])
    for module, names in ((os, OF_OS), (signal, OF_SIGNAL)):
        for name in names:
            delattr(module, name)
    for name in MODULES:
        sys.modules.pop(name, None)
    sys.modules |= {"msvcrt": locks, "winreg": _registry()}
    sys.meta_path.insert(0, _Missing())
    start, find = subprocess.Popen.__init__, shutil.which

    def start_process(*arguments: Any, creationflags: int = 0, **options: Any) -> None:
        """Start a process without the flags that only Windows knows."""
        start(*arguments, **options)

    def which(command: str, mode: int = os.F_OK | os.X_OK, path: str | None = None) -> str | None:
        """Find a program without the endings that it has on Windows."""
        sys.platform = "linux"
        try:
            return find(command, mode, path)
        finally:
            sys.platform = "win32"

    subprocess.Popen.__init__ = start_process
    shutil.which = which
    sys.platform = "win32"


if __name__ == "__main__":
    sys.argv[0] = "editahead"
    _take_away()
    runpy.run_module("editahead_cli", run_name="__main__")
