"""Neovim 0.12's own inline completion and inlay hints, without a plugin of ours, set up as docs/editors.md says."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from neovim import NEOVIM_0_12, ROOT, Neovim
from samples import HALF
from server_with_planned_edits import planned

Start = Callable[..., Neovim]

GHOST = """(function()
  local ns = vim.api.nvim_get_namespaces()['nvim.lsp.inline_completion']
  return ns and #vim.api.nvim_buf_get_extmarks(0, ns, 0, -1, {}) > 0
end)()"""
HINT = "#vim.lsp.inlay_hint.get({ bufnr = 0 }) > 0"
ACCEPTED = """(vim.lsp.get_clients()[1]:request_sync(
  'workspace/executeCommand', { command = 'editahead.status', arguments = {} }, 5000).result.outcomes.accepted == 1)"""


@pytest.fixture(autouse=True)
def only_0_12(program: Path) -> None:
    if program != NEOVIM_0_12:
        pytest.skip("came with Neovim 0.12")


@pytest.fixture
def alone(start: Start, tmp_path: Path) -> Callable[[str, dict[str, Any]], Neovim]:
    """Starts Neovim with the lines that docs/editors.md gives: `alone("text", {"complete": [...]})`."""

    def begin(text: str, plan: dict[str, Any]) -> Neovim:
        guide = (ROOT / "docs" / "editors.md").read_text()
        (lines,) = [
            one for one in re.findall(r"```lua\n(.*?)```", guide, re.DOTALL) if "inline_completion" in one
        ]
        assert '{ "editahead", "lsp" }' in lines
        words = json.dumps(planned(plan))
        init = tmp_path / "init.lua"
        init.write_text(lines.replace('{ "editahead", "lsp" }', f"vim.json.decode([==[{words}]==])"))
        neovim = start(text, plugin=False, before=f"luafile {init}")
        neovim.until("(vim.lsp.get_clients({ bufnr = 0 })[1] or {}).initialized")
        return neovim

    return begin


@pytest.mark.parametrize(
    ("text", "whole", "keys", "drawn", "cursor"),
    [
        pytest.param("\nx = 1\n", HALF, "idef h", [*HALF.split("\n"), "x = 1"], (2, 16), id="lines"),
        pytest.param("(n) + 1\n", "x = half(3", "ix = h", ["x = half(3(n) + 1"], (1, 10), id="before text"),
        pytest.param(
            "()\n",
            "x.of(alpha,\n     b",
            "ix.of(",
            ["x.of(alpha,", "     b()"],
            (2, 8),
            id="lines before text",
        ),
        pytest.param("abc()\n", "y = fa, ", "iy = f", ["y = fa, abc()"], (1, 13), id="same letter behind"),
        pytest.param("\n", 'x = "🧾 é" + b', 'ix = "🧾 é', ['x = "🧾 é" + b'], (1, 17), id="wide letters"),
    ],
)
def test_ghost_text_is_drawn_as_it_is_accepted(
    alone: Callable[..., Neovim], text: str, whole: str, keys: str, drawn: list[str], cursor: tuple[int, int]
) -> None:
    neovim = alone(text, {"complete": [whole]})
    neovim.keys(keys)
    neovim.until(GHOST)
    assert [row.rstrip() for row in neovim.screen[: len(drawn)]] == drawn
    neovim.keys("<Tab>")
    neovim.until_text("\n".join(drawn) + "\n")
    assert neovim.cursor == cursor
    neovim.until(ACCEPTED)
    assert "rror" not in neovim.messages


def test_what_was_typed_of_the_ghost_text_is_not_made_twice(alone: Callable[..., Neovim]) -> None:
    neovim = alone("(n) + 1\n", {"complete": ["x = half(3"]})
    neovim.keys("ix = h")
    neovim.until(GHOST)
    neovim.keys("al<Tab>")
    neovim.until_text("x = half(3(n) + 1\n")
    neovim.keys("<Esc>u")
    neovim.until_text("(n) + 1\n")


def test_typing_something_else_makes_nothing(alone: Callable[..., Neovim]) -> None:
    neovim = alone("\n", {"complete": ["x = half(3)"]})
    neovim.keys("ix = h")
    neovim.until(GHOST)
    neovim.keys("e<Tab>")
    neovim.until(f"not {GHOST}")
    neovim.settle()
    assert neovim.text == "x = he\n"


@pytest.mark.parametrize("keys", ["I", "A", "wwa"])
def test_a_change_that_is_no_addition_is_a_hint_and_not_ghost_text(
    alone: Callable[..., Neovim], keys: str
) -> None:
    """Neovim would draw nothing or half of it, and make it all the same."""
    neovim = alone("x = guest + 1\n", {"replace": {"guest": "visitor"}})
    neovim.keys(keys)
    neovim.until(HINT)
    neovim.settle()
    assert not neovim.lua(f"return {GHOST}")
    neovim.keys("<Esc><Tab>")
    neovim.until_text("x = visitor + 1\n")
    neovim.until(ACCEPTED)
