"""Record real editors during a rename as text casts (asciicast v2) in docs/casts.

Run `PYTHONPATH=tests/support .venv/bin/python tools/docs/make_cast.py neovim|helix FILE`. The screen shows what the editor
wrote; only the pauses are made. Play one with `asciinema play docs/casts/neovim.cast`.
`termtosvg render docs/casts/neovim.cast docs/neovim.svg -t window_frame` makes the README's picture of it.
"""

from __future__ import annotations

import json
import shlex
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from neovim import NEOVIM_0_11, PLUGIN, ROOT
from server_with_planned_edits import REAL
from terminal import Terminal

COLUMNS, ROWS = 72, 20
KEY_S, LOOK_S = 0.09, 1.6
"""Seconds between two keys of a word, and seconds to look at a result."""

STAY = """\
from datetime import date


class Stay:
    def __init__(self, begins: date, until: date) -> None:
        self.begins = begins
        self.ends = until

    def nights(self) -> int:
        return (self.ends - self.begins).days

    def covers(self, day: date) -> bool:
        return self.begins <= day < self.ends
"""

Step = tuple[Sequence[str], str]
"""Keys, pressed one after the other, and the screen after them."""

NEOVIM: list[Step] = [
    (["/", *"self.ends", "<CR>"], "7,9"),
    (["w", "w", "c", "w", *"leaves"], "(self.endsleaves - "),
    (["<Esc>"], "(self.endsleaves - "),
    (["<Tab>"], "day < self.endsleaves"),
    (["<Tab>"], "day < self.leaves"),
    ([*":w", "<CR>"], "written"),
]
HELIX: list[Step] = [
    (["/", *"self.ends", "<CR>"], "7:"),
    (["c", *"self.leaves", "<Esc>"], "Next edit"),
    ([" ", "n"], "(self.leaves - "),
    ([" ", "n"], "day < self.leaves"),
    ([*":w", "<CR>"], "written"),
]


def neovim(folder: Path, homes: dict[str, str]) -> Terminal:
    options = json.dumps({"cmd": REAL, "settings": {"debounce_ms": 0}})
    command: list[str | Path] = [NEOVIM_0_11, "--clean", "-n", "-i", "NONE"]
    for line in (
        "set termguicolors number signcolumn=yes noshowcmd shortmess+=I noincsearch nohlsearch",
        f"set runtimepath^={PLUGIN}",
        f"lua vim.g.editahead = vim.json.decode([==[{options}]==])",
    ):
        command += ["--cmd", line]
    # What tells the recorder that the server is there shows for a moment in the title only.
    ready = "autocmd LspAttach * ++once let &titlestring = 'ready' | set title"
    terminal = Terminal([*command, "--cmd", ready, "stay.py"], folder, homes, COLUMNS, ROWS)
    terminal.until(lambda _: terminal.title == "ready", "the server is ready")
    return terminal


def helix(folder: Path, homes: dict[str, str]) -> Terminal:
    settings = Path(homes["XDG_CONFIG_HOME"]) / "helix"
    shutil.copytree(ROOT / "editors" / "helix", settings)
    programs = folder.parent / "programs"
    programs.mkdir()
    (programs / "editahead").write_text(f"#!/bin/sh\nexec {shlex.join(REAL)}\n")
    (programs / "editahead").chmod(0o755)
    path = {"PATH": f"{programs}:/usr/bin:/bin"}
    program = Path(sys.prefix) / "editors" / "helix" / "bin" / "hx"
    log = folder.parent / "log"
    terminal = Terminal([program, "-v", "--log", log, "stay.py"], folder, homes | path, COLUMNS, ROWS)
    terminal.until(lambda _: log.exists() and "didOpen" in log.read_text(), "the server is ready")
    return terminal


EDITORS: dict[str, tuple[Callable[[Path, dict[str, str]], Terminal], list[Step], str]] = {
    "neovim": (neovim, NEOVIM, "Editahead in Neovim: one rename, then Tab, Tab"),
    "helix": (helix, HELIX, "Editahead in Helix: one rename, then space n, space n"),
}


def record(editor: str) -> str:
    """Yield the cast line by line."""
    start, steps, title = EDITORS[editor]
    events: list[tuple[float, str]] = []
    at = 0.0
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home) / "house"
        (folder / ".git").mkdir(parents=True)
        (folder / "stay.py").write_text(STAY)
        homes = {f"XDG_{k}_HOME": str(Path(home) / k) for k in ("CONFIG", "DATA", "STATE", "CACHE")}
        terminal = start(folder, homes)
        heard = 0

        def take() -> None:
            nonlocal heard
            text = b"".join(terminal.heard[heard:]).decode(errors="ignore")
            heard = len(terminal.heard)
            if text:
                events.append((round(at, 3), text))

        take()
        at += LOOK_S
        for keys, expected in steps:
            for key in keys:
                terminal.keys(key)
                terminal.quiet()
                take()
                at += KEY_S
            terminal.until_shown(expected)
            terminal.quiet(0.8)  # the server's answer to it, too
            take()
            at += LOOK_S
        saved = (folder / "stay.py").read_text()
        terminal.close()
    assert saved == STAY.replace("ends", "leaves"), saved
    header = {
        "version": 2,
        "width": COLUMNS,
        "height": ROWS,
        "title": title,
        "env": {"TERM": "xterm-256color"},
    }
    lines = [json.dumps(header), *(json.dumps([t, "o", text]) for t, text in events)]
    return "\n".join((*lines, json.dumps([round(at, 3), "o", ""]))) + "\n"


if __name__ == "__main__":
    Path(sys.argv[2]).parent.mkdir(parents=True, exist_ok=True)
    Path(sys.argv[2]).write_text(record(sys.argv[1]), encoding="utf-8")
