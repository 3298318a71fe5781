"""One module for each LSP method or group of methods, with a table `HANDLERS` from the method's name to its handler.

A handler is a plain function of the server and the message's params. What must happen in the order of the messages happens
in the handler itself; what may take time is the coroutine that it returns.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from . import (
    apply_sketch,
    code_actions,
    completion,
    configuration,
    copilot_inline_edit,
    document_sync,
    execute_command,
    inlay_hints,
    inline_completion,
    lifecycle,
    next_edit,
    outcomes,
)

if TYPE_CHECKING:
    from editahead_lsp.server import Server

FEATURES = (
    lifecycle,
    document_sync,
    configuration,
    inline_completion,
    copilot_inline_edit,
    next_edit,
    code_actions,
    completion,
    inlay_hints,
    outcomes,
    execute_command,
    apply_sketch,
)


def register_all(server: Server) -> None:
    """Give the server a handler for each method. pygls refuses a second one for the same method."""
    for feature in FEATURES:
        for method, handler in feature.HANDLERS.items():
            server.feature(method)(partial(handler, server))
