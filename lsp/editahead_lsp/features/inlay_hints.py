"""`textDocument/inlayHint`: the location of the next edit, if the setting `hints` is "inlay"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from editahead_lsp.protocol.lsp_types import InlayHint, InlayHintParams

if TYPE_CHECKING:
    from editahead_lsp.server import Server


def inlay_hint(server: Server, params: InlayHintParams) -> list[InlayHint]:
    """Handle `textDocument/inlayHint`."""
    return server.next_edit_marker.inlay_hints(params.text_document.uri, params.range)


HANDLERS = {types.TEXT_DOCUMENT_INLAY_HINT: inlay_hint}
