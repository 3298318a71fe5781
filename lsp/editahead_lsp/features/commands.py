"""`workspace/executeCommand`, as a request or as a notification."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from editahead_lsp import protocol as wire

if TYPE_CHECKING:
    from editahead_lsp.server import Server


def register(server: Server) -> None:
    session = server.session

    def settle(arguments: list[Any], event: wire.Event) -> None:
        if not arguments or not isinstance(arguments[0], str):
            raise JsonRpcInvalidParams("The argument is the prediction's id.")
        session.outcome(arguments[0], event)

    def accept(arguments: list[Any]) -> None:
        settle(arguments, "accepted")

    def reject(arguments: list[Any]) -> None:
        settle(arguments, "rejected")

    handlers = {wire.ACCEPT: accept, wire.REJECT: reject}

    @server.feature(types.WORKSPACE_EXECUTE_COMMAND)
    def execute_command(params: wire.ExecuteCommandParams) -> Any:
        handler = handlers.get(params.command)
        if handler is None:
            raise JsonRpcInvalidParams("There is no such command.")
        return handler(params.arguments)
