"""Settings and workspace folders as they change while the server runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from editahead_lsp.protocol import DidChangeFoldersParams

if TYPE_CHECKING:
    from editahead_lsp.server import Server


def register(server: Server) -> None:
    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def did_change_workspace_folders(params: DidChangeFoldersParams) -> None:
        server.change_folders(
            added=[folder.uri for folder in params.event.added],
            removed=[folder.uri for folder in params.event.removed],
        )
