"""One module for each command of `workspace/executeCommand`, or for a few that belong together.

A command is a function of the server and the arguments. What takes time is in the coroutine that it returns. Each module is
imported with its first use, so that `initialize` waits for none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from editahead_lsp.protocol import custom_messages as wire
from editahead_lsp.protocol.copilot_messages import COPILOT_OUTCOMES
from editahead_lsp.server import Server

Command = Callable[[Server, list[Any]], Any]
_PLACES: Mapping[str, tuple[str, str]] = {
    wire.ACCEPT: ("outcomes", "accept"),
    wire.ACCEPT_ALL: ("accept_all", "accept_all"),
    wire.REJECT: ("outcomes", "reject"),
    wire.RESTORE: ("outcomes", "restore"),
    wire.RESET_LEARNING: ("outcomes", "reset_learning"),
    wire.GO_TO_NEXT_EDIT: ("go_to_next_edit", "go_to_next_edit"),
    wire.APPLY: ("apply_sketch", "apply_sketch"),
    wire.APPLY_PROBLEMS: ("apply_sketch", "apply_problems"),
    wire.FINISH: ("finish", "finish"),
    wire.COMMIT_MESSAGE: ("finish", "commit_message"),
    wire.SEARCH: ("search", "search"),
    wire.WHY: ("why", "why"),
    wire.REPORT: ("report", "report"),
    wire.STATUS: ("status", "status"),
    COPILOT_OUTCOMES[0]: ("outcomes", "copilot_accept"),
    COPILOT_OUTCOMES[1]: ("outcomes", "copilot_reject"),
    COPILOT_OUTCOMES[2]: ("outcomes", "copilot_ignore"),
}
"""The module and the function of each command."""


def find_command(name: str) -> Command | None:
    """Return the command with a name; None if there is none."""
    if name not in _PLACES:
        return None
    module, function = _PLACES[name]
    command: Command = getattr(import_module(f"{__name__}.{module}"), function)
    return command
