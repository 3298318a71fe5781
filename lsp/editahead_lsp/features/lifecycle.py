"""The start and the end of the connection: `initialize`, `initialized`, `exit`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidRequest

from editahead_lsp import __version__
from editahead_lsp.presentation import completion_item
from editahead_lsp.presentation.finish_diagnostics import KIND as LEFT
from editahead_lsp.protocol.client_capabilities import ClientCapabilities
from editahead_lsp.protocol.copilot_messages import COPILOT_OUTCOMES
from editahead_lsp.protocol.custom_messages import (
    ACCEPT_KIND,
    APPLY_KIND,
    COMMANDS,
    GOTO_KIND,
    INLINE_EDIT,
    NEXT_EDIT,
    OUTCOME,
    InitializeParams,
)

from .copilot_status import notify_status

if TYPE_CHECKING:
    from editahead_lsp.server import Server


def initialize(server: Server, params: InitializeParams) -> types.InitializeResult:
    """Handle `initialize`."""
    if server.protocol.initialized:
        raise JsonRpcInvalidRequest("The client may send `initialize` only once.")
    server.initialize_session(ClientCapabilities.from_initialize(params), params.process_id)
    return types.InitializeResult(server_capabilities(server), types.ServerInfo("editahead", __version__))


def initialized(server: Server, params: None) -> None:
    """Handle `initialized`."""
    server.show_settings_problems()
    server.recover_writes()
    server.index.start(server.workspace_paths)
    server.predictions.run_when_idle(_load_apply)
    if server.client.capabilities.copilot:
        notify_status(server)


def _load_apply() -> None:
    """Import what the first request for a sketch would wait for."""
    from . import sketch_code_actions  # noqa: F401  # loads it


def exit(server: Server, params: None) -> None:
    """Handle `exit`."""
    server.request_exit()


def server_capabilities(server: Server) -> types.ServerCapabilities:
    """Return the capabilities that the server announces to this client.

    A client that sees a provider for completion or inlay hints requests them at every keystroke: the server names these
    two only if its answers could have items.
    """
    completion = (
        types.CompletionOptions(trigger_characters=list(completion_item.TRIGGER_CHARACTERS))
        if server.offers_completion_items
        else None
    )
    return types.ServerCapabilities(
        position_encoding=types.PositionEncodingKind(server.session.encoding),
        text_document_sync=types.TextDocumentSyncOptions(
            open_close=True, change=types.TextDocumentSyncKind.Incremental, save=types.SaveOptions()
        ),
        notebook_document_sync=types.NotebookDocumentSyncOptions(
            [types.NotebookDocumentFilterWithNotebook("*")], save=True
        )
        if server.client.capabilities.syncs_notebooks
        else None,
        inline_completion_provider=True,
        code_action_provider=types.CodeActionOptions(
            code_action_kinds=[ACCEPT_KIND, GOTO_KIND, APPLY_KIND, LEFT], resolve_provider=True
        ),
        completion_provider=completion,
        inlay_hint_provider=server.next_edit_marker.kind == "inlay" or None,
        execute_command_provider=types.ExecuteCommandOptions(
            commands=[*COMMANDS, *COPILOT_OUTCOMES] if server.client.capabilities.copilot else list(COMMANDS)
        ),
        workspace=types.WorkspaceOptions(
            workspace_folders=types.WorkspaceFoldersServerCapabilities(
                supported=True, change_notifications=True
            ),
            file_operations=types.FileOperationOptions(
                did_rename=types.FileOperationRegistrationOptions(
                    [types.FileOperationFilter(types.FileOperationPattern("**/*"), "file")]
                )
            ),
        ),
        experimental={"editahead": {"methods": [INLINE_EDIT, NEXT_EDIT, OUTCOME]}},
    )


HANDLERS = {
    types.INITIALIZE: initialize,
    types.INITIALIZED: initialized,
    types.EXIT: exit,
}
