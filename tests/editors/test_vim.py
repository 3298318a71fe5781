"""A real Vim 9 with ALE in a terminal, with the lines of docs/editors.md: hints, code actions, the completion menu."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from neovim import ROOT
from readme_blocks import block
from samples import STAY
from server_with_planned_edits import REAL
from vim import VIM, vim_environment, vim_files

pytest.importorskip("pyte", reason="Vim is driven through a screen in memory (pyte, in the group `dev`)")

from terminal import Terminal

pytestmark = [pytest.mark.editors, pytest.mark.skipif(not VIM.exists(), reason=f"no Vim at {VIM}")]

Start = Callable[[str], tuple[Terminal, Path]]


@pytest.fixture
def start(tmp_path: Path, homes: dict[str, str], house: Callable[..., list[Path]]) -> Iterator[Start]:
    """Vim on a file; the server is found on PATH, as a user's is."""
    opened = []

    def begin(text: str) -> tuple[Terminal, Path]:
        (file,) = house({"stay.py": text})
        programs = tmp_path / "programs"
        programs.mkdir()
        server = programs / "editahead"
        server.write_text(f"#!/bin/sh\nexec {shlex.join(REAL)}\n")
        server.chmod(0o755)
        settings = tmp_path / "vimrc"
        lines = block("vim", "ale#linter#Define", ROOT / "docs" / "editors.md")
        settings.write_text(f"set runtimepath^={vim_files() / 'vim-ale'}\n{lines}")
        path = {
            "PATH": f"{programs}:{os.environ['PATH']}",
            "HOME": str(tmp_path),
            "EDITAHEAD_DEBOUNCE_MS": "0",
        }
        vim = Terminal([VIM, "-N", "-n", "-u", settings, file], file.parent, homes | vim_environment() | path)
        opened.append(vim)
        vim.until_shown(f'{file.name}"')
        return vim, file

    yield begin
    for vim in opened:
        vim.close()


def save(vim: Terminal) -> None:
    vim.keys(":w<CR>")
    vim.until_shown("written")


def test_a_rename_is_walked_by_hints_and_code_actions(start: Start) -> None:
    vim, file = start(STAY)
    vim.keys("/self.ends<CR>wwcwleaves<Esc>")
    for place, made in (
        ("return (self.ends", "return (self.leaves"),
        ("day < self.ends", "day < self.leaves"),
    ):
        vim.until(
            lambda rows, place=place: any(place in row and "Next edit: rename" in row for row in rows), place
        )
        vim.keys(":ALECodeAction<CR>")
        vim.until_shown("1) Accept next edit")
        vim.keys("1<CR>")
        vim.until_shown(made)
    save(vim)
    assert file.read_text() == STAY.replace("self.ends", "self.leaves")


def test_an_item_of_the_menu_is_the_edit_at_the_cursor(start: Start) -> None:
    vim, file = start(STAY)
    vim.keys("Go<CR>    def length(self):<CR>    return self.ni")
    vim.until(lambda rows: any(row.split()[1:] == ["nights", "v"] for row in rows), "the menu")
    vim.keys("<C-n>")
    vim.until_shown("return self.nights")
    vim.keys("<Esc>")
    save(vim)
    assert file.read_text().endswith("return self.nights\n")


def test_a_selected_sketch_is_a_code_action(start: Start) -> None:
    sketch = "```diff\n-        self.begins = begins\n+        self.begins = 0\n```\n"
    vim, file = start(STAY + sketch)
    vim.until_shown("self.begins = 0")
    vim.keys("11GVG:ALECodeAction<CR>")
    vim.until_shown("Apply sketch in selection")
    vim.keys("1<CR>")
    vim.until_absent("```")
    save(vim)
    assert file.read_text() == STAY.replace("self.begins = begins", "self.begins = 0")
