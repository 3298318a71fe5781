"""`editahead/didCopy`: lines that the user has copied, which prompts of models show."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from editahead_lsp.protocol.evidence_messages import DID_COPY, DidCopyParams

if TYPE_CHECKING:
    from editahead_lsp.server import Server

log = logging.getLogger(__name__)


def did_copy(server: Server, params: DidCopyParams) -> None:
    """Handle `editahead/didCopy`. Lines of another version, or of a document without predictions, are ignored."""
    session, selection = server.session, params.range
    document = session.documents.get(params.text_document.uri)
    if document is None or params.text_document.version not in (None, document.snapshot.version):
        return
    if session.disabled_reason(document) is None:
        ends_before = selection.end.character == 0 and selection.end.line > selection.start.line
        first, end = selection.start.line, selection.end.line + (not ends_before)
        log.debug("copied lines: %d", end - first)
        session.copied.add(document.snapshot, first, end)


HANDLERS = {DID_COPY: did_copy}
