"""`:Editahead apply` in real Neovims where a sketch has several readings: the picker, the diffs, and what is applied."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from merge_with_readings import FIRST, READINGS, SECOND, SKETCH, TEXT
from neovim import Neovim

Start = Callable[..., Neovim]

MESSAGES = "vim.fn.execute('messages')"


@pytest.fixture
def neovim(start: Start) -> Neovim:
    return begin(start, TEXT)


def begin(start: Start, text: str) -> Neovim:
    neovim = start(text, plan={"readings": READINGS}, before="set cmdheight=9")
    neovim.lua("vim.fn.confirm = function() return 1 end")
    neovim.lua("vim.fn.setreg('x', ...)", SKETCH)
    return neovim


def answer_with(neovim: Neovim, number: int, before: str = "") -> None:
    """Answer Neovim's own picker. `_G.listed` is its list, `_G.shown` the text of the other window meanwhile."""
    neovim.lua(
        f"""vim.fn.inputlist = function(list)
          _G.listed, _G.shown = list, {{}}
          for _, window in ipairs(vim.api.nvim_list_wins()) do
            local bufnr = vim.api.nvim_win_get_buf(window)
            if vim.bo[bufnr].filetype == 'diff' then
              _G.shown = vim.api.nvim_buf_get_lines(bufnr, 0, -1, true)
            end
          end
          {before}
          return {number}
        end"""
    )


def listed(neovim: Neovim) -> Any:
    neovim.until("_G.listed")
    return neovim.lua("return _G.listed")


@pytest.mark.parametrize(("number", "text"), [(1, FIRST), (2, SECOND)])
def test_the_chosen_reading_is_applied(neovim: Neovim, number: int, text: str) -> None:
    answer_with(neovim, number)
    neovim.keys(":Editahead apply x<CR>")
    neovim.until_text(text)
    assert listed(neovim) == [
        "Which change does the sketch mean?",
        "1: replace `load()` (line 2)",
        "2: add after `load()` (line 5)",
    ]
    shown = neovim.lua("return _G.shown")
    assert shown[:3] == ["1: replace `load()`", "--- a/a.py", "+++ b/a.py"]
    assert "+    return a + 1" in shown
    assert "+def more():" in shown[shown.index("2: add after `load()`") :]
    assert neovim.lua("return #vim.api.nvim_list_wins()") == 1
    neovim.keys("u")
    neovim.until_text(TEXT)


def test_who_picks_none_keeps_the_text(neovim: Neovim) -> None:
    answer_with(neovim, 0)
    neovim.keys(":Editahead apply x<CR>")
    neovim.until(f"{MESSAGES}:find('Editahead: Nothing was changed.', 1, true)")
    assert neovim.text == TEXT
    assert neovim.lua("return #vim.api.nvim_list_wins()") == 1


def test_a_picker_with_a_preview_gets_the_diffs(neovim: Neovim) -> None:
    neovim.lua(
        """vim.ui.select = function(items, options, on_choice)
          _G.previewed = {}
          for _, item in ipairs(items) do
            local preview = options.preview_item(item)
            table.insert(_G.previewed, vim.fn.getbufoneline(preview.buf, preview.pos[1]))
          end
          on_choice(items[1], 1)
        end"""
    )
    neovim.keys(":Editahead apply x<CR>")
    neovim.until_text(FIRST)
    assert neovim.lua("return _G.previewed") == ["1: replace `load()`", "2: add after `load()`"]


def test_a_choice_for_a_text_that_changed_is_refused(neovim: Neovim) -> None:
    answer_with(neovim, 1, "vim.api.nvim_buf_set_lines(0, 3, 3, true, { '# changed' })")
    neovim.keys(":Editahead apply x<CR>")
    neovim.until(
        f"{MESSAGES}:find('Nothing was changed: the document has changed since the request', 1, true)"
    )
    assert neovim.text == TEXT.replace("\n\n\n", "\n\n# changed\n\n")


@pytest.mark.parametrize(("number", "text"), [(1, FIRST), (2, SECOND), (0, None)])
def test_a_selected_sketch(start: Start, number: int, text: str | None) -> None:
    whole = TEXT + "\n\n" + SKETCH
    neovim = begin(start, whole)
    answer_with(neovim, number)
    neovim.keys("GVk:Editahead apply<CR>")
    question, first, second = listed(neovim)
    assert question == "Which change does the sketch mean?"
    assert first.startswith("1: replace `load()` (line 2)")
    assert second.startswith("2: add after `load()` (line 5)")
    assert "+    return a + 1" in neovim.lua("return _G.shown")
    if text is None:
        neovim.settle()
        assert neovim.text == whole
    else:
        neovim.until_text(text + "\n\n")
    assert neovim.lua("return #vim.api.nvim_list_wins()") == 1


def test_the_real_server_offers_both_namesakes(start: Start) -> None:
    method = "    def load(self):\n        x = {}\n        return x\n"
    classes = [
        f"class {name}:\n{method.format(1)}\n    def save(self):\n        return {name}\n" for name in "AB"
    ]
    neovim = start("\n\n".join(classes), before="set cmdheight=9")
    neovim.lua("vim.fn.confirm = function() return 1 end")
    neovim.lua("vim.fn.setreg('x', ...)", method.format(5))
    answer_with(neovim, 2)
    neovim.keys(":Editahead apply x<CR>")
    _, first, second = listed(neovim)
    assert {first.rpartition("(")[2], second.rpartition("(")[2]} == {"line 3)", "line 12)"}
    line = int(second.rpartition("(line ")[2].rstrip(")"))
    neovim.until("vim.fn.getline(a[1]) == '        x = 5'", line)
    assert neovim.text.count("x = 1") == 1
