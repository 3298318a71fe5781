"""A program in a terminal of its own (a pty and a screen in memory), driven by keystrokes."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import select
import struct
import subprocess
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pyte

KEYS = {"<Esc>": "\x1b", "<CR>": "\r", "<Tab>": "\t", "<C-n>": "\x0e", "<C-o>": "\x0f", "<C-x>": "\x18"}
_PATIENCE_S = 60.0
"""Seconds until a wait fails."""
_HUNG_S = 20.0
"""Seconds after which a program that does not end has hung."""


class Screen(pyte.Screen):
    def report_device_status(self, mode: int, private: bool = False) -> None:
        """Ignore private queries, such as the one for a dark background: pyte does not know them."""
        if not private:
            super().report_device_status(mode)

    def select_graphic_rendition(self, *attributes: int, private: bool = False) -> None:
        """Ignore private queries, such as Vim's for how keys with modifiers are sent: pyte does not know them, either."""
        if not private:
            super().select_graphic_rendition(*attributes)


class Terminal:
    """A running program.

    Attributes:
        heard: The output so far, in pieces as they came.
    """

    def __init__(
        self,
        command: Sequence[str | Path],
        folder: Path,
        environment: Mapping[str, str],
        columns: int = 100,
        rows: int = 24,
    ) -> None:
        self._screen = Screen(columns, rows)
        self._screen.write_process_input = self._answer
        self._stream = pyte.ByteStream(self._screen)
        self.heard: list[bytes] = []
        self._side, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        variables = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor", **environment}
        self._process = subprocess.Popen(
            # The terminal belongs to a session of its own: Emacs opens /dev/tty.
            ["setsid", "--ctty", *(str(part) for part in command)],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            cwd=folder,
            env=variables,
        )
        os.close(theirs)

    @property
    def screen(self) -> list[str]:
        return [row.rstrip() for row in self._screen.display]

    @property
    def title(self) -> str:
        return str(self._screen.title)

    def quiet(self, seconds: float = 0.15) -> None:
        """Read until there is no output for a number of seconds. Only for recordings: tests wait for a condition."""
        while self._read(seconds):
            pass

    def keys(self, keys: str) -> None:
        for name, code in KEYS.items():
            keys = keys.replace(name, code)
        os.write(self._side, keys.encode())

    def until(self, condition: Callable[[list[str]], bool], what: str = "") -> None:
        """Read until a condition is true, such as one on the screen."""
        over = time.monotonic() + _PATIENCE_S
        while time.monotonic() < over:
            if condition(self.screen):
                return
            self._read(0.1)
        raise AssertionError("\n".join((f"never: {what}", *self.screen)))

    def until_shown(self, text: str) -> None:
        self.until(lambda rows: any(text in row for row in rows), text)

    def until_absent(self, text: str) -> None:
        self.until(lambda rows: not any(text in row for row in rows), f"all but {text}")

    def _answer(self, data: str) -> None:
        """Answer a query of the program, as a terminal does."""
        os.write(self._side, data.encode())

    def _read(self, seconds: float) -> bool:
        ready, _, _ = select.select([self._side], [], [], seconds)
        data = b""
        if ready:
            with contextlib.suppress(OSError):  # the program closed the terminal
                data = os.read(self._side, 1 << 16)
        if data:
            self.heard.append(data)
            self._stream.feed(data)
        return bool(data)

    def close(self) -> None:
        """End the program, whatever its state."""
        self._process.terminate()
        while self._read(_HUNG_S):
            pass
        self._process.wait()
        os.close(self._side)
