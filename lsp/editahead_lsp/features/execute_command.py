"""`workspace/executeCommand`, and the cancellation of what reports progress. The commands are in `commands/`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from editahead_lsp.commands import find_command
from editahead_lsp.protocol import custom_messages as wire
from editahead_lsp.protocol.client_capabilities import get_nested

if TYPE_CHECKING:
    from editahead_lsp.server import Server


def execute_command(server: Server, params: wire.ExecuteCommandParams) -> Any:
    """Handle `workspace/executeCommand`, as a request or as a notification."""
    command = find_command(params.command)
    if command is None:
        raise JsonRpcInvalidParams("The command is unknown.")
    return command(server, params.arguments)


def work_done_progress_cancel(server: Server, params: Any) -> None:
    """Cancel the request that reports progress with this token."""
    token = get_nested(params, "token")
    task = server.progress_tasks.get(token) if isinstance(token, int | str) else None
    if task is not None:
        task.cancel()


HANDLERS = {
    types.WORKSPACE_EXECUTE_COMMAND: execute_command,
    types.WINDOW_WORK_DONE_PROGRESS_CANCEL: work_done_progress_cancel,
}
