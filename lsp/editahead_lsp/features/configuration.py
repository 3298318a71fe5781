"""Changes of settings and of workspace folders."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from editahead_lsp.protocol.client_capabilities import get_nested
from editahead_lsp.protocol.custom_messages import (
    DidChangeConfigurationParams,
    DidChangeWorkspaceFoldersParams,
)

if TYPE_CHECKING:
    from editahead_lsp.server import Server

log = logging.getLogger(__name__)
SECTION = "editahead"
"""The section of Editahead in a client's settings."""


def did_change_configuration(
    server: Server, params: DidChangeConfigurationParams
) -> Coroutine[Any, Any, None] | None:
    """Handle `workspace/didChangeConfiguration`."""
    options = get_nested(params.settings, SECTION)
    if options is not None:
        server.configure(options)
        return None
    return _pull_configuration(server) if server.client.capabilities.configurable else None


def did_change_workspace_folders(server: Server, params: DidChangeWorkspaceFoldersParams) -> None:
    """Handle `workspace/didChangeWorkspaceFolders`."""
    server.update_workspace_folders(
        added=[folder.uri for folder in params.event.added],
        removed=[folder.uri for folder in params.event.removed],
    )


async def _pull_configuration(server: Server) -> None:
    """Request the settings from a client that sends only the fact of a change."""
    request = {"items": [{"section": SECTION}]}
    try:
        values = await asyncio.wrap_future(
            server.protocol.send_request(types.WORKSPACE_CONFIGURATION, request)
        )
    except Exception as error:
        log.warning("settings not updated: the client answered with %s", type(error).__name__)
        return
    if isinstance(values, list) and values and values[0] is not None:
        server.configure(values[0])


HANDLERS = {
    types.WORKSPACE_DID_CHANGE_CONFIGURATION: did_change_configuration,
    types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS: did_change_workspace_folders,
}
