"""A running code-server with our extension, the browser for its windows, and their processes.

tools/environment/get-code-server.sh fetches code-server.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import chromium
from chromium import Chromium
from neovim import ROOT

CODE_SERVER = Path(sys.prefix) / "editors" / "code-server" / "bin" / "code-server"
EXTENSION = ROOT / "editors" / "vscode"
TESTING = ROOT / "tests" / "editors"
BUILT = EXTENSION / "dist" / "extension.js"
"""`npm run build` in editors/vscode makes it."""
PACKAGED = ROOT / "dist" / "editahead.vsix"
"""`make extension` makes it."""


_EXIT_S = 60
"""Seconds for a process to exit."""
_QUIET = {
    "security.workspace.trust.enabled": False,  # a test's folder is trusted, and nothing asks
    "telemetry.telemetryLevel": "off",  # no network
    "workbench.startupEditor": "none",  # the file of the test is all that is open
    "workbench.secondarySideBar.defaultVisibility": "hidden",  # the window is small
    "workbench.tips.enabled": False,  # no texts in an empty window
    "workbench.sideBar.location": "right",  # the text begins at the left edge of each picture
    "chat.disableAIFeatures": True,  # code-server has no account to sign in to
    "extensions.autoCheckUpdates": False,  # no network
    "extensions.autoUpdate": False,  # no network
    "git.enabled": False,  # no process for each of the many folders
    "files.autoSave": "off",  # a scenario saves by itself (VS Code in a browser saves each change)
    "files.hotExit": "off",  # nothing of a closed editor
    "files.restoreUndoStack": False,  # nothing of a closed editor
    "workbench.editor.restoreViewState": False,  # nothing of a closed editor
    "editor.minimap.enabled": False,  # the window is small
    "editor.cursorBlinking": "solid",  # pictures are alike
    "window.commandCenter": False,  # the window is small
}
"""What differs from VS Code's defaults, each with its reason. All that is about typing is as VS Code comes: suggestions,
words, snippets, Emmet, parameter hints, brackets and indentation."""
HERE = [
    pytest.mark.editors,
    pytest.mark.skipif(not CODE_SERVER.exists(), reason=f"no code-server at {CODE_SERVER}"),
    pytest.mark.skipif(not chromium.PROGRAM, reason="no Chromium"),
    pytest.mark.skipif(not BUILT.exists(), reason=f"no {BUILT}: npm run build"),
]
"""Marks for test modules that use VS Code."""


def replace_file(path: Path, text: str) -> None:
    """Write a file at once: of a file that is half written, VS Code would read that it has no settings."""
    written = path.with_name(f"{path.name}.new")
    written.write_text(text, encoding="utf-8")
    written.replace(path)


class CodeServer:
    """A running code-server and the browser for it. Each window that is opened in it has a page of its own."""

    def __init__(
        self,
        home: Path,
        environment: Mapping[str, str],
        size: tuple[int, int] = (1000, 800),
        packaged: bool = False,
    ) -> None:
        """Start both.

        Args:
            home: A folder for all files of VS Code and the browser.
            environment: Variables for VS Code, not for the browser.
            size: The window's width and height, in pixels.
            packaged: Whether the extension is installed from its package, as a user does.
        """
        self.home = home
        self.data, extensions = home / "data", home / "extensions"
        if packaged:
            folders = ["--extensions-dir", str(extensions), "--user-data-dir", str(self.data)]
            install = [str(CODE_SERVER), *folders, "--install-extension", str(PACKAGED)]
            subprocess.run(install, env={**os.environ, **environment}, check=True, capture_output=True)
        else:
            ours = extensions / "editahead.editahead-0.1.0"
            shutil.copytree(EXTENSION / "media", ours / "media")
            shutil.copytree(BUILT.parent, ours / "dist", ignore=shutil.ignore_patterns("test", "*.vsix"))
            shutil.copy(EXTENSION / "package.json", ours)
            for name in ("vscode-complainer", "vscode-reset"):
                shutil.copytree(TESTING / name, extensions / f"editahead-testing.{name}-0.0.1")
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.address = f"127.0.0.1:{probe.getsockname()[1]}"
        options = ["--bind-addr", self.address, "--auth", "none", "--config", os.devnull]
        options += ["--disable-workspace-trust", "--disable-telemetry", "--disable-update-check"]
        options += ["--disable-getting-started-override", "--user-data-dir", str(self.data)]
        self._log = (home / "code-server.log").open("w", encoding="utf-8")
        self._process = subprocess.Popen(
            [str(CODE_SERVER), *options, "--extensions-dir", str(extensions)],
            env={**os.environ, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            start_new_session=True,
        )
        self._wait_for_server()
        self.browser = Chromium(home / "browser", {"HOME": str(home)}, size)

    def _wait_for_server(self) -> None:
        """Copy the output to the log: here until the server listens, then on a thread."""
        assert self._process.stdout
        for line in self._process.stdout:
            self._log.write(line)
            if "server listening on" in line:
                self._reader = threading.Thread(
                    target=shutil.copyfileobj, args=(self._process.stdout, self._log)
                )
                self._reader.start()
                return
        raise AssertionError("code-server does not listen")

    def write_settings(self, settings: Mapping[str, Any]) -> None:
        """Write the settings, which an open window follows."""
        for name, values in {"User": _QUIET, "Machine": {**_QUIET, **settings}}.items():
            path = self.data / name / "settings.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            replace_file(path, json.dumps(values))

    def extension_log(self) -> str:
        """Return what the extension wrote into its output channel in the window that was opened last."""
        files = [*(self.data / "logs").rglob("Editahead.log")]
        if not files:
            return ""
        return max(files, key=lambda file: file.stat().st_ctime_ns).read_text(
            encoding="utf-8", errors="replace"
        )

    def language_servers(self) -> list[int]:
        """Return the process ids of the extension's language servers.

        A program that a server starts has the server's own words until it is executed.
        """
        servers = [pid for pid in descendants(self._process.pid) if is_server(pid)]
        started = {pid for server in servers for pid in descendants(server)}
        return [pid for pid in servers if pid not in started]

    def end_extension_hosts(self) -> None:
        """End the extension hosts and language servers of windows that are closed.

        VS Code itself keeps an extension host for hours, in case its window connects again.
        """
        hosts = [pid for pid in descendants(self._process.pid) if is_extension_host(pid)]
        for pid in [*hosts, *self.language_servers()]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            wait_for_exit(pid)

    def close(self) -> None:
        self.browser.close()
        os.killpg(self._process.pid, signal.SIGTERM)
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        self._reader.join()
        assert self._process.stdout
        self._process.stdout.close()
        self._log.close()


def descendants(pid: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(") ")[2].split()
        except OSError:  # the process has ended
            continue
        children.setdefault(int(fields[1]), []).append(int(stat.parent.name))
    found, waiting = [], [pid]
    while waiting:
        mine = children.get(waiting.pop(), [])
        found += mine
        waiting += mine
    return found


def is_server(pid: int) -> bool:
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False
    if words[-2:-1] == [b"lsp"] and any(word.endswith(b"/bin/editahead") for word in words):
        return True
    return b"editahead_cli" in words or any(word.endswith(b"/server_with_planned_edits.py") for word in words)


def is_extension_host(pid: int) -> bool:
    with contextlib.suppress(OSError):
        return b"--type=extensionHost" in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    return False


def wait_for_exit(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        watched = os.pidfd_open(pid)
        try:
            assert select.select([watched], [], [], _EXIT_S)[0], f"process {pid} has not ended"
        finally:
            os.close(watched)
