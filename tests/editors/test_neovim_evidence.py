"""The Neovim plugin in real Neovims: other language servers say where a symbol is used, before it is renamed."""

from __future__ import annotations

from collections.abc import Callable

from neovim import Neovim
from samples import VISIBLE

Start = Callable[..., Neovim]

SHOP = """\
class Apple:
    def weigh(self):
        return 1


class Pear:
    def weigh(self):
        return 2


def bill(it: Apple, other: Pear):
    # "🧾", a character of two units
    return "🧾", it.weigh(), other.weigh()
"""

SCRIPTED = """
local told = ...
local function server(dispatchers)
  local asked = 0
  return {
    request = function(method, params, callback)
      local result
      asked = asked + 1
      if method == 'initialize' then
        result = { capabilities = { referencesProvider = true, renameProvider = true } }
      elseif method == 'textDocument/references' then
        vim.g.asked = (vim.g.asked or 0) + 1
        result = told
      end
      if not (told == vim.NIL and method == 'textDocument/references') then
        vim.schedule(function() callback(nil, result) end)
      end
      return true, asked
    end,
    notify = function() return true end,
    is_closing = function() return false end,
    terminate = function() end,
  }
end
vim.lsp.start({ name = 'other', cmd = server, root_dir = vim.fn.getcwd() }, { bufnr = 0 })
"""


def rename(neovim: Neovim) -> None:
    """Go to the name of the first method, wait until it is asked about, and type another name."""
    neovim.keys("2G0fw")
    neovim.until("(vim.g.places or 0) > 0")
    neovim.keys("cwtare<Esc>j")


def count_places(neovim: Neovim) -> None:
    """Note how many references the plugin reports to the server."""
    neovim.lua(
        """local server = vim.lsp.get_clients({ name = 'editahead' })[1]
        local notify = server.notify
        server.notify = function(self, method, ...)
          if method == 'editahead/evidence' then
            vim.g.places, vim.g.renames = #(...).references, #(...).renames
          end
          return notify(self, method, ...)
        end"""
    )


def test_the_places_of_another_server_are_the_next_edits(start: Start) -> None:
    neovim = start(SHOP)
    line = SHOP.splitlines()[12]
    column = len(line[: line.index("it.weigh") + 3].encode("utf-16-le")) // 2
    at = {"start": {"line": 12, "character": column}, "end": {"line": 12, "character": column + 5}}
    neovim.lua(SCRIPTED, [{"uri": neovim.lua("return vim.uri_from_bufnr(0)"), "range": at}])
    count_places(neovim)
    rename(neovim)
    neovim.until(VISIBLE)
    neovim.keys("<Tab>")
    neovim.until_text(SHOP.replace("weigh", "tare", 1).replace("it.weigh", "it.tare"))


def test_a_server_that_does_not_answer_stops_nothing(start: Start) -> None:
    neovim = start("def load():\n    return 1\n\n\nload()\n")
    neovim.lua(SCRIPTED.replace("local told = ...", "local told = vim.NIL"))
    neovim.keys("1G0fl")
    neovim.until("(vim.g.asked or 0) > 0")
    neovim.keys("cwread<Esc>j")
    neovim.until(VISIBLE)


def test_the_option_switches_it_off(start: Start) -> None:
    neovim = start(SHOP, evidence=False)
    neovim.lua(SCRIPTED, [])
    neovim.keys("2G0fw")
    neovim.keys("cwtare<Esc>j")
    neovim.until("vim.fn.getline(2):find('tare') ~= nil")
    assert neovim.lua("return vim.g.asked or 0") == 0


RENAMED_AT_ONCE = """
      elseif method == 'textDocument/rename' then
        callback(nil, { changes = vim.NIL, documentChanges = {
          { textDocument = { uri = vim.uri_from_fname('/nowhere/uses.py'), version = vim.NIL },
            edits = { { range = told[1].range, newText = params.newName } } } } })
        return true, asked
"""


def test_an_answer_at_once_about_a_closed_file_opens_none(start: Start) -> None:
    neovim = start(SHOP)
    at = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 5}}
    place = {"uri": neovim.lua("return vim.uri_from_bufnr(0)"), "range": at}
    references = "      elseif method == 'textDocument/references' then"
    neovim.lua(SCRIPTED.replace(references, RENAMED_AT_ONCE + references), [place])
    count_places(neovim)
    neovim.keys("2G0fw")
    neovim.until("(vim.g.places or 0) > 0")
    assert neovim.lua("return vim.g.renames") == 1
    assert neovim.lua("return vim.fn.bufexists('/nowhere/uses.py')") == 0
    assert "Error" not in neovim.messages
