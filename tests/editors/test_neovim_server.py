"""The Neovim plugin in real Neovims: its commands, its server, what it tells and what it is told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from neovim import PLUGIN, Neovim
from samples import HIDDEN, RENAME, STAY, VISIBLE
from server_with_planned_edits import REAL

Start = Callable[..., Neovim]


def test_the_server_is_killed_and_started_again(start: Start) -> None:
    neovim = start("x = 1\nguest = 2\n", plan=RENAME, before="set cmdheight=5")  # Neovim says so, at length
    neovim.until(VISIBLE)
    first = neovim.lua("return vim.lsp.get_clients({ name = 'editahead' })[1].id")
    neovim.lua("vim.uv.kill(vim.api.nvim_get_proc_children(vim.fn.getpid())[1], 'sigkill')")
    neovim.until("(vim.lsp.get_clients({ name = 'editahead', bufnr = 0 })[1] or { id = 0 }).id > a[1]", first)
    neovim.until(VISIBLE)
    neovim.keys("<Tab>")
    neovim.until_text("x = 1\nvisitor = 2\n")


def test_a_server_that_keeps_ending_is_left_alone(start: Start) -> None:
    neovim = start("x = 1\n", plugin=False, before="set cmdheight=19")
    neovim.lua("vim.opt.runtimepath:prepend(...)", str(PLUGIN))
    neovim.lua("require('editahead').setup({ cmd = { 'false' } })")
    neovim.until("vim.fn.execute('messages'):find('Editahead: The server stops repeatedly')")
    assert neovim.lua("return #vim.lsp.get_clients()") == 0


def test_a_missing_server_is_reported_once(start: Start) -> None:
    neovim = start("x = 1\n", plugin=False)
    neovim.lua("vim.opt.runtimepath:prepend(...)", str(PLUGIN))
    neovim.lua("require('editahead').setup({ cmd = { 'no-such-server' } })")
    neovim.keys(":edit! other.py<CR>:edit! third.txt<CR>ix<Tab><Esc>")
    neovim.until("vim.api.nvim_get_current_line() == 'x\\t'")
    assert neovim.messages.count("Editahead: The server `no-such-server` was not found") == 1
    assert "E5" not in neovim.messages


def test_a_rename_is_walked_with_the_real_server(start: Start) -> None:
    neovim = start(STAY)
    neovim.keys("/self.ends<CR>wwcwleaves<Esc>")
    for line in (7, 10):
        neovim.until(f"vim.api.nvim_get_mode().mode == 'n' and {VISIBLE}")
        neovim.keys("<Tab>")
        neovim.until(
            "vim.fn.line('.') == a[1] and not vim.api.nvim_get_current_line():find('self.ends')", line
        )
    assert neovim.text == STAY.replace("ends", "leaves")


def test_commands(start: Start) -> None:
    neovim = start("x = 1\nguest = 2\n\nguest = 3\n", plan=RENAME, before="set cmdheight=9")
    assert neovim.lua("return vim.fn.getcompletion('Editahead ', 'cmdline')") == [
        "accept",
        "all",
        "apply",
        "finish",
        "go",
        "make",
        "missed",
        "model",
        "next",
        "prev",
        "reject",
        "restart",
        "restore",
        "reveal",
        "search",
        "snooze",
        "status",
        "toggle",
        "why",
        "wrong",
    ]
    neovim.until(VISIBLE)
    neovim.keys(":Editahead accept<CR>")
    neovim.until("vim.fn.getline(2) == 'visitor = 2' and " + VISIBLE)
    neovim.keys(":Editahead toggle<CR>")
    neovim.until(HIDDEN)
    neovim.keys("kk:Editahead toggle<CR>")
    neovim.until(VISIBLE)
    neovim.keys(":Editahead go<CR>")
    neovim.until("vim.fn.line('.') == 4")
    neovim.keys(":Editahead reject<CR>")
    neovim.until(HIDDEN)
    neovim.keys(":Editahead go<CR>")
    neovim.settle()
    assert "guest = 3" in neovim.text
    neovim.keys(":Editahead status<CR>")
    neovim.until("vim.fn.execute('messages'):find('shown: 2, accepted: 1, rejected: 1')")
    neovim.keys(":Editahead why<CR>")
    neovim.until("vim.fn.execute('messages'):find('Editahead shows nothing')")
    neovim.keys(":Editahead missed<CR>")
    neovim.until("vim.fn.execute('messages'):find('Make the edit that you expected by hand')")
    neovim.keys(":Editahead wrong<CR>")
    neovim.until("vim.fn.execute('messages'):gsub('%s', ''):find('Editaheadwrote.*-wrong%.txt')")


def test_checkhealth(start: Start) -> None:
    neovim = start("x = 1\n", cmd=REAL, before="inoremap <Tab> <C-n>")
    neovim.keys(":checkhealth editahead<CR>")
    neovim.until("vim.bo.filetype == 'checkhealth' and vim.fn.line('$') > 10")
    report = neovim.text
    assert "OK version: editahead " in report
    assert "OK running: client 1, 1 buffer(s), positions in utf-" in report
    assert "accept in mode i: <Tab>; while nothing is shown: " in report
    assert "dismiss: <Esc> (watched, not mapped)" in report
    assert "ERROR" not in report


def test_wrong_options_are_named(start: Start) -> None:
    neovim = start("x = 1\nguest = 2\n", plan=RENAME, sign="too wide", no_such=1, before="set cmdheight=9")
    neovim.until(VISIBLE)
    assert "Editahead: The option `sign` must be a string of at most two cells." in neovim.messages
    assert "Editahead: The option `no_such` is unknown." in neovim.messages


def test_outcomes_are_reported(start: Start) -> None:
    neovim = start("guest = 1\nguest = 2\n", plan=RENAME)
    neovim.until(VISIBLE)
    neovim.listen()
    neovim.keys("<Tab>")
    neovim.until_text("visitor = 1\nguest = 2\n")
    neovim.until(VISIBLE)
    accepted, shown = neovim.outcomes
    assert (accepted["event"], shown["event"]) == ("accepted", "shown")
    assert accepted["id"] != shown["id"]
    assert isinstance(accepted["shownMs"], int)


def test_the_model_is_set_up_in_a_terminal_and_the_server_restarted(start: Start, tmp_path: Path) -> None:
    neovim = start("x = 1\nguest = 2\n", plan=RENAME, before="set cmdheight=9")
    neovim.until(VISIBLE)
    first = neovim.lua("return vim.lsp.get_clients({ name = 'editahead' })[1].id")
    program = tmp_path / "editahead"
    program.write_text(f'#!/bin/sh\necho "$@" >{tmp_path}/asked\n')
    program.chmod(0o755)
    neovim.lua(
        "local client, program = require('editahead.client'), ...; local kept = client.command;"
        "client.command = function() return { program, 'lsp' } end; require('editahead').command({ 'model' });"
        "client.command = kept",
        str(program),
    )
    neovim.until(
        "vim.iter(vim.lsp.get_clients({ name = 'editahead' })):any(function(c) return c.id > a[1] end)", first
    )
    assert (tmp_path / "asked").read_text() == "models use editahead-coder --install\n"
    neovim.lua("require('editahead.client').command = function() return { 'x', '--stdio' } end")
    neovim.lua("require('editahead').command({ 'model' })")
    neovim.until("vim.fn.execute('messages'):find('No server ending in `lsp` was found')")
