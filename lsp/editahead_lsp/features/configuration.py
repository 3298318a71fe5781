"""Settings and workspace folders as they change while the server runs."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from editahead_lsp.client import at
from editahead_lsp.protocol import DidChangeConfigurationParams, DidChangeFoldersParams

if TYPE_CHECKING:
    from editahead_lsp.server import Server

log = logging.getLogger(__name__)
SECTION = "editahead"


def register(server: Server) -> None:
    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    def did_change_configuration(params: DidChangeConfigurationParams) -> Coroutine[Any, Any, None] | None:
        options = at(params.settings, SECTION)
        if options is not None:
            server.configure(options)
            return None
        return pull() if server.client.configurable else None

    async def pull() -> None:
        """The client only says that something changed: ask for our section."""
        request = {"items": [{"section": SECTION}]}
        try:
            values = await asyncio.wrap_future(
                server.protocol.send_request(types.WORKSPACE_CONFIGURATION, request)
            )
        except Exception as error:
            log.warning("the client did not give its settings: %s", type(error).__name__)
            return
        if isinstance(values, list) and values and values[0] is not None:
            server.configure(values[0])

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def did_change_workspace_folders(params: DidChangeFoldersParams) -> None:
        server.change_folders(
            added=[folder.uri for folder in params.event.added],
            removed=[folder.uri for folder in params.event.removed],
        )
