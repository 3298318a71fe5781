"""From nothing to a first accepted prediction with what the README says, word for word, in real editors in a terminal.

The server is installed as the README says, which takes the package index. VS Code's part: test_vscode_installation.py.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from emacs import EMACS, FETCHED
from neovim import NEOVIM_0_11, ROOT
from readme_blocks import block
from samples import STAY

pytest.importorskip("pyte", reason="Terminals have a screen in memory (pyte, in the extra `dev`)")

from terminal import Terminal

HELIX = Path(sys.prefix) / "editors" / "helix" / "bin" / "hx"

pytestmark = pytest.mark.editors

_XDG = {"CONFIG": ".config", "DATA": ".local/share", "STATE": ".local/state", "CACHE": ".cache"}
"""As they are where nobody has set them."""

Home = tuple[Path, dict[str, str]]
Open = Callable[[Sequence[str | Path], Home], Terminal]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A home of somebody new, and its environment: the server is in it, and nothing else."""
    home = tmp_path_factory.mktemp("home")
    python = Path(sys.executable).resolve().parent
    environment = {
        "HOME": str(home),
        "PATH": f"{home}/.local/bin:{python}:{os.environ['PATH']}",
        **{f"XDG_{name}_HOME": str(home / folder) for name, folder in _XDG.items()},
    }
    subprocess.run(
        ["bash", "-ec", block("sh", "pip install .")],
        cwd=ROOT,
        env={**os.environ, **environment},
        check=True,
        capture_output=True,
    )
    return home, environment


@pytest.fixture
def house(tmp_path: Path) -> Path:
    (tmp_path / "house" / ".git").mkdir(parents=True)
    (tmp_path / "house" / "stay.py").write_text(STAY)
    return tmp_path / "house"


@pytest.fixture
def begin(house: Path) -> Iterator[Open]:
    """Starts an editor in a terminal."""
    opened = []

    def start(command: Sequence[str | Path], home: Home) -> Terminal:
        terminal = Terminal(command, house, home[1])
        opened.append(terminal)
        return terminal

    yield start
    for terminal in opened:
        terminal.close()


@pytest.mark.skipif(not NEOVIM_0_11.exists(), reason=f"no Neovim at {NEOVIM_0_11}")
def test_neovim(installed: Home, house: Path, begin: Open) -> None:
    init = installed[0] / ".config" / "nvim" / "init.lua"
    init.parent.mkdir(parents=True, exist_ok=True)
    init.write_text(block("lua", "editors/neovim").replace("/path/to/checkout", str(ROOT)))
    # The title says when the server is there: a person would not be so fast.
    ready = "autocmd LspAttach * ++once let &titlestring = 'ready' | set title"
    terminal = begin([NEOVIM_0_11, "--cmd", ready, "stay.py"], installed)
    terminal.until(lambda _: terminal.title == "ready", "the server is ready")
    terminal.keys("/self.ends<CR>wwcwleaves<Esc>")
    walk(terminal, "<Tab>", ("7,", "10,"))
    terminal.keys(":w<CR>")
    terminal.until_shown("written")
    assert (house / "stay.py").read_text() == STAY.replace("self.ends", "self.leaves")


@pytest.mark.skipif(not HELIX.exists(), reason=f"no Helix at {HELIX}")
def test_helix(installed: Home, house: Path, begin: Open) -> None:
    shutil.copytree(ROOT / "editors" / "helix", installed[0] / ".config" / "helix", dirs_exist_ok=True)
    log = house.parent / "log"
    terminal = begin([HELIX, "-v", "--log", log, "stay.py"], installed)
    terminal.until(lambda _: log.exists() and "didOpen" in log.read_text(), "the server is ready")
    terminal.keys("/self.ends<CR>")
    terminal.until_shown("4:")
    terminal.keys("cself.leaves<Esc>")
    terminal.until_shown("Next edit")
    for line, made in (("7:", "return (self.leaves"), ("10:", "day < self.leaves")):
        terminal.keys(" n")
        terminal.until_shown(f"1 sel  {line}")
        terminal.keys(" n")
        terminal.until_shown(made)
    terminal.keys(":w<CR>")
    terminal.until_shown("written")
    assert (house / "stay.py").read_text() == STAY.replace("self.ends", "self.leaves")


@pytest.mark.skipif(EMACS is None, reason=f"no Emacs at {FETCHED}, nor on PATH (emacs-nox and elpa-eglot)")
def test_emacs(installed: Home, house: Path, begin: Open) -> None:
    assert EMACS
    lines = block("elisp", "editahead-mode").replace("/path/to/checkout", str(ROOT))
    # The first line is what installing Eglot does on an Emacs that has not got it.
    (installed[0] / ".emacs").write_text(f'(load "eglot-autoloads" t)\n{lines}')
    terminal = begin([EMACS, "-nw", "stay.py"], installed)
    terminal.until_shown("Editahead")  # in the mode line
    terminal.keys("\x13self.ends<CR>\x1b\x7fleaves")
    walk(terminal, "<Tab>", ("L7 ", "L10 "))
    terminal.keys("<C-x>\x13")
    terminal.until_shown("Wrote")
    assert (house / "stay.py").read_text() == STAY.replace("self.ends", "self.leaves")


def walk(terminal: Terminal, key: str, lines: tuple[str, str]) -> None:
    """To the two other places of the name, and through them: shown, gone to, made."""
    for line, shown, made in zip(
        lines,
        ("(self.endsleaves - ", "day < self.endsleaves"),
        ("(self.leaves - ", "day < self.leaves"),
        strict=True,
    ):
        terminal.until_shown(shown)
        terminal.keys(key)
        terminal.until_shown(line)
        terminal.until_shown(shown)
        terminal.keys(key)
        terminal.until_shown(made)
