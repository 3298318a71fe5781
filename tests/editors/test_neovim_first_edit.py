"""What a person types in Neovim before the language server has started is learnt."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from neovim import Neovim
from samples import VISIBLE
from server_with_planned_edits import REAL

STARTED = "#vim.lsp.get_clients({ name = 'editahead', bufnr = 0 }) > 0"
BEFORE = "def load(user):\n    return user\n\n\nload(1)\nload(2)\n"


@pytest.fixture
def neovim(program: Path, homes: dict[str, str], house: Callable[..., list[Path]]) -> Iterator[Neovim]:
    """Neovim on a file, while the server starts."""
    paths = house({"a.py": BEFORE})
    options = {"cmd": REAL, "settings": {"debounce_ms": 0}}
    with closing(Neovim(program, paths[0].parent, paths, homes, options)) as neovim:
        yield neovim


def test_a_rename_before_the_server_has_started_is_propagated(neovim: Neovim) -> None:
    assert not neovim.lua(f"return {STARTED}")
    neovim.keys("wcwfetch<Esc>")
    neovim.until(STARTED)
    neovim.keys("j")
    neovim.until(VISIBLE)
    neovim.keys("<Tab>")
    neovim.until("vim.api.nvim_buf_get_lines(0, 4, 5, true)[1] == 'fetch(1)'")
