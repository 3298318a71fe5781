"""One window of VS Code for many sessions: the start of a window takes most of the time of a session."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from code_server import CodeServer
from committed_folder import fill_folder
from vscode import VSCode


class SharedWindow:
    """A window that sessions use one after the other. Each has its own files, settings and language server."""

    def __init__(self, code_server: CodeServer, folder: Path) -> None:
        """Prepare the window, which opens for the first session.

        Args:
            code_server: No other window may be open in it.
            folder: A folder for the workspaces.
        """
        self._code_server = code_server
        self._folder = folder
        self._numbers = itertools.count(1)
        self._window: VSCode | None = None

    @contextlib.contextmanager
    def use(
        self, files: Mapping[str, str], settings: Mapping[str, Any], is_new: bool = False
    ) -> Iterator[VSCode]:
        """Show the first file, and nothing else. A session that fails or leaves Editahead off closes the window.

        Args:
            files: The texts of the workspace's files by name.
            settings: Settings of the extension, with their full names. The server's command line must be another one
                than in the session before.
            is_new: Whether the session begins with the start of a window.
        """
        window = self._window
        if window is None or is_new or window.is_off or not window.empty():
            self.close()
            window = self._open(files, settings)
        else:
            fill_folder(window.folder, files)
            window.restart_server(lambda: self._code_server.write_settings(settings))
            window.open_only(next(iter(files)))
        self._window = window
        try:
            yield window
        except BaseException:
            self.close()
            raise

    def _open(self, files: Mapping[str, str], settings: Mapping[str, Any]) -> VSCode:
        # VS Code remembers a workspace by its path: a new window knows nothing of the windows before.
        folder = self._folder / f"house{next(self._numbers)}"
        fill_folder(folder, files)
        self._code_server.write_settings(settings)
        window = VSCode(self._code_server, folder)
        try:
            window.start(next(iter(files)))
        except BaseException:
            window.close()
            raise
        return window

    def close(self) -> None:
        if self._window is not None:
            self._window.close()
            self._window = None
