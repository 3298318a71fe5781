"""What the demos with a real Neovim print, and the error of a step that had not the expected effect."""

from __future__ import annotations

from difflib import unified_diff

from rich.console import Console
from rich.text import Text

EXECUTE = """
local command, argument = ...
local client = vim.lsp.get_clients({ name = 'editahead' })[1]
local params = { command = command, arguments = argument and { argument } or {} }
local answer, problem = client:request_sync('workspace/executeCommand', params, 60000, 0)
return { error = answer and answer.err, result = answer and answer.result, problem = problem }
"""
"""Lua code that runs a command of the server, and returns its answer."""


class DemoError(Exception):
    """A step of the demo had not the expected effect. The message is for the user."""


def check(that: object, what: str) -> None:
    if not that:
        raise DemoError(what)


class Report:
    """The report of a demo."""

    def __init__(self) -> None:
        self._console = Console(highlight=False)

    def scene(self, title: str, words: str) -> None:
        self._console.print()
        self._console.rule(Text(title, "bold cyan"), align="left", style="dim")
        self._console.print(Text(words), soft_wrap=True)

    def line(self, who: str, what: str, style: str = "bold") -> None:
        self._console.print(Text.assemble((who.ljust(10), style), what), soft_wrap=True)

    def text(self, text: str) -> None:
        for line in text.splitlines():
            self._console.print(Text(f"{'':10}{line}"), soft_wrap=True)

    def difference(self, before: str, after: str) -> None:
        lines = unified_diff(before.splitlines(), after.splitlines(), n=0, lineterm="")
        for line in list(lines)[2:]:
            if not line.startswith("@@"):
                style = "green" if line.startswith("+") else "red"
                self._console.print(Text(f"{'':10}{line[0]} {line[1:]}", style), soft_wrap=True)
