"""The second part of `make demo`: new code in a real Neovim with Editahead's own model, where it is installed.

    python tools/demo/model_demo.py --check; PYTHONPATH=tests/support python tools/demo/model_demo.py

The first command says how to get the model where it is missing. All texts come from the running programs.
"""

from __future__ import annotations

import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from demo_report import EXECUTE, DemoError, Report, check

from editahead_evals.client.lsp_client import isolated_environment
from editahead_inference.backends.local.small_model import NAME, is_installed, small_model_folder

if TYPE_CHECKING:
    from neovim import Neovim

MISSING = (
    "Editahead's own model also writes new code, and predicts edits that no rule knows: "
    f"docs/models.md says how to set up {NAME} (0.5 GB)"
)
SETTINGS = {"backend": "local", "model": str(small_model_folder()), "eagerness": 0.8}
DESK = '''\
"""A small cash desk."""


class Desk:
    def __init__(self):
        self.items = []
        self.closed = False

    def add(self, item):
        self.items.append(item)

    def remove(self, item):
        self.items.remove(item)

    def find(self, name):
        for item in self.items:
            if item.name == name:
                return item
        return None

    def names(self):
        found = []
        for item in self.items:
            found.append(item.name)
        return found


def read(path):
    file = open(path)
    text = file.read()
    file.close()
    return text.split("\\n")
'''
HEADER, BODY = "def write(path, text):", "file = open(path, 'w')"
"""A line that is typed, and what is typed below it until the model goes on."""
KEY_S, LOOK_S, READ_S, WAIT_S = 0.15, 0.1, 8.0, 12.0
"""Seconds between two keys and between two looks; seconds that the model may take to read the file, and to answer."""
_GHOST = "return require('editahead.view').ghost_text()"
_SHOWN = "local p = require('editahead.view').visible() return p and { label = p.label, line = p.line }"


class ModelDemo:
    """The two scenes: a list becomes a set, and a function is begun."""

    def __init__(self, neovim: Neovim, report: Report) -> None:
        self._neovim, self._report = neovim, report

    def play(self) -> None:
        self._open()
        self._change()
        self._write()

    def _open(self) -> None:
        self._report.scene(
            "With the model",
            f"{NAME} runs in the server's process, on the CPU, with the setting eagerness = 0.8.",
        )
        self._neovim.until("#vim.lsp.get_clients({ name = 'editahead', bufnr = 0 }) > 0")
        self._until(lambda: self._execute("status")["backend"]["state"] == "ready", "the model is loaded")
        time.sleep(READ_S)

    def _change(self) -> None:
        self._report.scene("A next edit that no rule knows", "The list becomes a set.")
        self._neovim.keys("/found = \\[]<CR>")
        self._type("A<BS><BS>set()")
        self._report.line("you", self._neovim.ask("nvim_get_current_line").strip())
        self._until(lambda: self._is_models(self._neovim.lua(_SHOWN)), "the model predicts an edit")
        label, before = self._neovim.lua(_SHOWN)["label"], self._neovim.text
        while self._neovim.text == before:
            self._neovim.keys("<Tab>")
            time.sleep(LOOK_S)
        self._report.line("Tab, Tab", label, "bold green")
        self._report.difference(before, self._neovim.text)

    def _write(self) -> None:
        self._report.scene("New code", "A function is begun; grey text goes on with it.")
        self._type(f"<Esc>Go<CR><CR>{HEADER}<CR>")
        typed = 0
        while not self._is_models(ghost := self._ghost(3 * KEY_S if typed else WAIT_S)) and typed < len(BODY):
            self._type(BODY[typed])
            typed += 1
        check(ghost, "the model goes on")
        self._report.line("you", f"{HEADER} {BODY[:typed]}")
        self._report.line("ghost", ghost, "dim")
        before = self._neovim.text
        self._neovim.keys("<Tab>")
        self._until(lambda: self._neovim.text != before, "Tab takes it")
        self._report.line("Tab", self._neovim.ask("nvim_get_current_line").strip(), "bold green")

    def _type(self, keys: str) -> None:
        """Press keys at a person's pace; names in angle brackets are one key."""
        for part in keys.replace("<", "\0<").replace(">", ">\0").split("\0"):
            for key in [part] if part.startswith("<") else part:
                self._neovim.keys(key)
                time.sleep(KEY_S)

    def _ghost(self, seconds: float) -> str:
        """Return the ghost text that comes within some seconds, or ""."""
        over = time.monotonic() + seconds
        while not (ghost := self._neovim.lua(_GHOST)) and time.monotonic() < over:
            time.sleep(LOOK_S)
        return str(ghost or "")

    def _is_models(self, shown: object) -> bool:
        """Return whether something is shown, and the model has said it."""
        candidates = self._execute("why")["candidates"] if shown else []
        return any(one["verdict"] == "shown" and one["source"] == "local" for one in candidates)

    def _until(self, holds: Any, what: str) -> None:
        over = time.monotonic() + WAIT_S
        while not holds():
            check(time.monotonic() < over, what)
            time.sleep(LOOK_S)

    def _execute(self, command: str) -> Any:
        return self._neovim.lua(EXECUTE, f"editahead.{command}")["result"]


def main() -> int:
    if not is_installed(small_model_folder()):
        sys.stdout.write(f"{MISSING}\n")
        return 1
    if "--check" in sys.argv:
        return 0
    from neovim import NEOVIM_0_11, Neovim
    from server_process import REAL

    with tempfile.TemporaryDirectory(prefix="editahead-demo-") as folder:
        place = Path(folder).resolve()
        (file := place / "desk.py").write_text(DESK)
        environment = isolated_environment(place)
        options = {"cmd": REAL, "settings": SETTINGS}
        with closing(Neovim(NEOVIM_0_11, place, [file], environment, options)) as neovim:
            try:
                ModelDemo(neovim, Report()).play()
            except DemoError as error:
                sys.stderr.write(f"The demo did not go as it should: {error}\n")
                return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
