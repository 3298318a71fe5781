"""From nothing to a first accepted prediction with what the README says, word for word, in real editors in a terminal.

The server is installed as the README says, which takes the package index. VS Code's part: test_vscode_installation.py.
`tools/editors/time_first_edits.py` runs these tests and keeps what they record: the seconds until the first accepted edit.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from emacs import EMACS, FETCHED
from neovim import NEOVIM_0_11, ROOT
from readme_blocks import block
from samples import STAY

pytest.importorskip("pyte", reason="Terminals have a screen in memory (pyte, in the group `dev`)")

from terminal import Terminal
from vim import VIM, vim_environment, vim_files

HELIX = Path(sys.prefix) / "editors" / "helix" / "bin" / "hx"

pytestmark = pytest.mark.editors

_XDG = {"CONFIG": ".config", "DATA": ".local/share", "STATE": ".local/state", "CACHE": ".cache"}
"""As they are where nobody has set them."""


class Home(NamedTuple):
    """A home of somebody new, its environment, and how long the installation of the server took."""

    folder: Path
    environment: dict[str, str]
    install_s: float


Open = Callable[[Sequence[str | Path], Home], Terminal]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A home in which the server is, and nothing else."""
    home = tmp_path_factory.mktemp("home")
    python = Path(sys.executable).resolve().parent
    environment = {
        "HOME": str(home),
        "PATH": f"{home}/.local/bin:{python}:{os.environ['PATH']}",
        **{f"XDG_{name}_HOME": str(home / folder) for name, folder in _XDG.items()},
    }
    began = time.monotonic()
    subprocess.run(
        ["bash", "-ec", block("sh", "pip install .")],
        cwd=ROOT,
        env={**os.environ, **environment},
        check=True,
        capture_output=True,
    )
    return Home(home, environment, time.monotonic() - began)


@pytest.fixture
def accepted(installed: Home, record_property: Callable[[str, object], None]) -> Callable[[], None]:
    """Records how long the installation took, and how long it was from then to the first accepted edit."""
    began = time.monotonic()

    def record() -> None:
        record_property("install_s", installed.install_s)
        record_property("edit_s", time.monotonic() - began)

    return record


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
        terminal = Terminal(command, house, home.environment)
        opened.append(terminal)
        return terminal

    yield start
    for terminal in opened:
        terminal.close()


@pytest.mark.skipif(not NEOVIM_0_11.exists(), reason=f"no Neovim at {NEOVIM_0_11}")
def test_neovim(installed: Home, house: Path, begin: Open, accepted: Callable[[], None]) -> None:
    init = installed.folder / ".config" / "nvim" / "init.lua"
    init.parent.mkdir(parents=True, exist_ok=True)
    init.write_text(block("lua", "editors/neovim").replace("/path/to/checkout", str(ROOT)))
    # The title says when the server is there: a person would not be so fast.
    ready = "autocmd LspAttach * ++once let &titlestring = 'ready' | set title"
    terminal = begin([NEOVIM_0_11, "--cmd", ready, "stay.py"], installed)
    terminal.until(lambda _: terminal.title == "ready", "the server is ready")
    terminal.keys("/self.ends<CR>wwcwleaves<Esc>")
    walk(terminal, "<Tab>", ("7,", "10,"), accepted)
    terminal.keys(":w<CR>")
    terminal.until_shown("written")
    assert (house / "stay.py").read_text() == STAY.replace("self.ends", "self.leaves")


@pytest.mark.skipif(not HELIX.exists(), reason=f"no Helix at {HELIX}")
def test_helix(installed: Home, house: Path, begin: Open, accepted: Callable[[], None]) -> None:
    shutil.copytree(ROOT / "editors" / "helix", installed.folder / ".config" / "helix", dirs_exist_ok=True)
    log = house.parent / "log"
    terminal = begin([HELIX, "-v", "--log", log, "stay.py"], installed)
    terminal.until(lambda _: log.exists() and "didOpen" in log.read_text(), "the server is ready")
    terminal.keys("/self.ends<CR>")
    terminal.until_shown("4:")
    terminal.keys("cself.leaves<Esc>")
    terminal.until_shown("Next edit")
    for line, made in (("7:", "return (self.leaves"), ("10:", "day < self.leaves")):
        terminal.keys(" n")
        terminal.until_shown(made)
        terminal.until_shown(f"1 sel  {line}")
        if line == "7:":
            accepted()
    terminal.keys(":w<CR>")
    terminal.until_shown("written")
    assert (house / "stay.py").read_text() == STAY.replace("self.ends", "self.leaves")


@pytest.mark.skipif(EMACS is None, reason=f"no Emacs at {FETCHED}, nor on PATH (emacs-nox and elpa-eglot)")
def test_emacs(installed: Home, house: Path, begin: Open, accepted: Callable[[], None]) -> None:
    assert EMACS
    lines = block("elisp", "editahead-mode").replace("/path/to/checkout", str(ROOT))
    # The first line is what installing Eglot does on an Emacs that has not got it.
    (installed.folder / ".emacs").write_text(f'(load "eglot-autoloads" t)\n{lines}')
    terminal = begin([EMACS, "-nw", "stay.py"], installed)
    terminal.until_shown("Editahead")  # in the mode line
    terminal.keys("\x13self.ends<CR>\x1b\x7fleaves")
    walk(terminal, "<Tab>", ("L7 ", "L10 "), accepted)
    terminal.keys("<C-x>\x13")
    terminal.until_shown("Wrote")
    assert (house / "stay.py").read_text() == STAY.replace("self.ends", "self.leaves")


@pytest.mark.skipif(not VIM.exists(), reason=f"no Vim at {VIM}")
def test_vim(installed: Home, house: Path, begin: Open, accepted: Callable[[], None]) -> None:
    """By docs/editors.md: the README does not name Vim."""
    lines = block("vim", "ale#linter#Define", ROOT / "docs" / "editors.md")
    vimrc = installed.folder / ".vimrc"
    vimrc.write_text(f"set runtimepath^={vim_files() / 'vim-ale'}\n{lines}")
    home = installed._replace(environment={**installed.environment, **vim_environment()})
    terminal = begin([VIM, "-N", "-n", "-u", vimrc, "stay.py"], home)
    terminal.until_shown('stay.py"')
    terminal.keys("/self.ends<CR>wwcwleaves<Esc>")
    terminal.until_shown("Next edit: rename ends -> leaves")
    terminal.keys(":ALECodeAction<CR>")
    terminal.until_shown("1) Accept next edit")
    terminal.keys("1<CR>")
    terminal.until_shown("return (self.leaves - ")
    accepted()


def walk(terminal: Terminal, key: str, lines: tuple[str, str], accepted: Callable[[], None]) -> None:
    """Through the two other places of the name: each is shown, and made by one key."""
    for line, shown, made in zip(
        lines,
        ("(self.endsleaves - ", "day < self.endsleaves"),
        ("(self.leaves - ", "day < self.leaves"),
        strict=True,
    ):
        terminal.until_shown(shown)
        terminal.keys(key)
        terminal.until_shown(made)
        terminal.until_shown(line)
        if line == lines[0]:
            accepted()
