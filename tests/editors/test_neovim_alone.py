"""Neovim without our plugin: with its own ghost text (0.12), and with what sidekick.nvim sends. And ways to install."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from git_repository import make_repository
from neovim import NEOVIM_0_12, PLUGIN, Neovim
from samples import HALF, STAY, VISIBLE
from server_with_planned_edits import REAL, planned

Start = Callable[..., Neovim]

SIDEKICK = Path(__file__).with_name("like_sidekick.lua")
COPILOT_LSP = Path(__file__).with_name("like_copilot_lsp.lua")
NATIVE_GHOST = """(function()
  for name, ns in pairs(vim.api.nvim_get_namespaces()) do
    if name:find('inline_completion') and #vim.api.nvim_buf_get_extmarks(0, ns, 0, -1, {}) > 0 then return true end
  end
end)()"""


@pytest.fixture
def only_0_12(program: Path) -> None:
    if program != NEOVIM_0_12:
        pytest.skip("came with Neovim 0.12")


ATTACHED = "(vim.lsp.get_clients({ bufnr = 0 })[1] or {}).initialized"


def accepted(neovim: Neovim) -> int:
    status = {"command": "editahead.status", "arguments": []}
    answer = neovim.lua(
        "return vim.lsp.get_clients()[1]:request_sync('workspace/executeCommand', ..., 5000).result", status
    )
    return int(answer["outcomes"]["accepted"])


def test_as_sidekick_asks(start: Start) -> None:
    """One key walks the rename: every press but the jumps changes one place."""
    neovim = start(STAY, plugin=False)
    neovim.lua("Sidekick = dofile(...) Sidekick.start(select(2, ...))", str(SIDEKICK), REAL)
    neovim.until(f"{ATTACHED} and Sidekick.focused")
    neovim.keys("/self.ends<CR>wwcwleaves<Esc>")
    did, left = [], []
    while len(did) < 4:
        did.append(neovim.until("Sidekick.edits[1] and Sidekick.jump_or_apply()"))
        left.append(neovim.text.count("self.ends"))
    assert did == ["jumped", "applied"] * 2
    assert left == [2, 1, 1, 0]
    assert neovim.text == STAY.replace("ends", "leaves")
    assert accepted(neovim) == 2


def test_typing_on_is_nothing_to_sidekick(start: Start) -> None:
    neovim = start(STAY, plugin=False)
    neovim.lua("Sidekick = dofile(...) Sidekick.start(select(2, ...))", str(SIDEKICK), REAL)
    neovim.until(f"{ATTACHED} and Sidekick.focused")
    neovim.keys("/self.ends<CR>wwcwleaves<Esc>")
    neovim.until("Sidekick.edits[1]")
    neovim.keys("i")
    neovim.until("not Sidekick.edits[1]")
    neovim.keys("x<Esc>")
    neovim.settle()
    neovim.keys("u")
    neovim.until("Sidekick.edits[1]")
    assert accepted(neovim) == 0


@pytest.mark.parametrize("place", ["self.ends", "'🧳', self.ends"])
def test_as_copilot_lsp_asks(start: Start, place: str) -> None:
    stay = STAY.replace("self.ends - ", f"{place} - ").replace("day < self.ends", f"day < {place}")
    neovim = start(stay, plugin=False)
    only_utf_16 = {"general": {"positionEncodings": ["utf-16"]}}
    neovim.lua("Copilot = dofile(...) Copilot.start(select(2, ...))", str(COPILOT_LSP), REAL, only_utf_16)
    neovim.until(f"{ATTACHED} and Copilot.status")
    assert neovim.lua("return Copilot.status") == {"busy": False, "kind": "Normal", "message": ""}
    neovim.keys("/self.ends<CR>wwcwleaves<Esc>")
    did = []
    while len(did) < 4:
        did.append(neovim.until("Copilot.edit and Copilot.jump_or_apply()"))
    assert did == ["jumped", "applied"] * 2
    assert neovim.text == stay.replace("ends", "leaves")
    neovim.settle()
    assert accepted(neovim) == 2, "though no command said so"
    assert neovim.messages == "" or "rror" not in neovim.messages


def test_neovims_own_inlay_hints(start: Start) -> None:
    neovim = start("x = 1\nguest = 2\nguest = 3\n", plugin=False)
    neovim.lua(
        """vim.lsp.start({
          name = 'any',
          cmd = ...,
          init_options = { editahead = { hints = 'inlay', debounce_ms = 0 } },
        })
        vim.lsp.inlay_hint.enable(true)""",
        planned({"replace": {"guest": "visitor"}}),
    )
    hint = "(vim.lsp.inlay_hint.get({ bufnr = 0 })[1] or { inlay_hint = { position = {} } }).inlay_hint"
    neovim.until(f"{hint}.position.line == 1")
    assert neovim.lua(f"return {hint}.label") == "guest -> visitor"
    assert neovim.screen[1] == " guest -> visitor guest = 2"
    neovim.lua(
        f"local hint = {hint} vim.lsp.util.apply_text_edits(hint.textEdits, vim.api.nvim_get_current_buf(), 'utf-32')"
    )
    neovim.until_text("x = 1\nvisitor = 2\nguest = 3\n")
    neovim.until(f"{hint}.position.line == 2")
    neovim.keys("dG")
    neovim.until("#vim.lsp.inlay_hint.get({ bufnr = 0 }) == 0")
    assert not any("visitor" in row for row in neovim.screen)


@pytest.mark.usefixtures("only_0_12")
def test_neovims_own_ghost_text(start: Start) -> None:
    neovim = start("\n", plugin=False)
    neovim.lua(
        "vim.lsp.start({ name = 'any', cmd = ... }) vim.lsp.inline_completion.enable(true)",
        planned({"complete": [HALF]}),
    )
    neovim.until("(vim.lsp.get_clients({ bufnr = 0 })[1] or {}).initialized")
    neovim.keys("idef h")
    neovim.until(NATIVE_GHOST)
    assert neovim.lua("return vim.lsp.inline_completion.get()")
    neovim.until_text(HALF + "\n")


@pytest.mark.usefixtures("only_0_12")
def test_the_plugin_beside_neovims_own_ghost_text(start: Start) -> None:
    plan = {"complete": [HALF], "replace": {"guest": "visitor"}}
    neovim = start("\nguest = 2\n", plan=plan, inline_completion=True)
    neovim.until(VISIBLE)
    neovim.keys("idef h")
    neovim.until(f"{NATIVE_GHOST} and not {VISIBLE}")
    neovim.keys("<Tab>")
    neovim.until_text(HALF + "\nguest = 2\n")
    neovim.keys("<Esc>")
    neovim.until(VISIBLE)
    neovim.keys("<Tab>")
    neovim.until_text(HALF + "\nvisitor = 2\n")


@pytest.mark.usefixtures("only_0_12")
def test_installed_by_vim_pack(start: Start, tmp_path: Path) -> None:
    """The plugin as a folder of a repository, as the help file says."""
    repository = tmp_path / "repository"
    copy = repository / "editors" / "neovim"
    copy.parent.mkdir(parents=True)
    subprocess.run(["cp", "-r", str(PLUGIN), str(copy)], check=True)
    make_repository(repository, {})
    neovim = start("x = 1\nguest = 2\n", plugin=False)
    neovim.lua(
        """local url, cmd = ...
        vim.g.editahead = { cmd = cmd }
        vim.pack.add({ url }, { confirm = false, load = function(plugin)
          vim.opt.runtimepath:append(plugin.path .. "/editors/neovim")
          vim.cmd.runtime("plugin/editahead.lua")
        end })""",
        repository.as_uri(),
        planned({"replace": {"guest": "visitor"}}),
    )
    neovim.until(VISIBLE)
    (place,) = neovim.lua("return vim.api.nvim_get_runtime_file('lua/editahead/init.lua', true)")
    assert str(tmp_path) in place


def test_installed_as_a_folder_on_the_runtime_path(start: Start) -> None:
    """What lazy.nvim runs, as the help file says, and `setup` with options."""
    neovim = start("x = 1\nguest = 2\n", plugin=False)
    neovim.lua(
        """local folder, cmd = ...
        vim.opt.runtimepath:append(folder)
        vim.cmd.runtime("plugin/editahead.lua")
        require("editahead").setup({ cmd = cmd, sign = ">" })""",
        str(PLUGIN),
        planned({"replace": {"guest": "visitor"}}),
    )
    neovim.until(VISIBLE)
    assert [text for _, _, text in neovim.drawn("EditaheadSign")] == [" >"]
