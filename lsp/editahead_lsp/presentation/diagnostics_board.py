"""The diagnostics that the server shows, of several sources: a client gets all of a document's at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from lsprotocol import types

from editahead_lsp.protocol.lsp_types import Diagnostic, PublishDiagnosticsParams
from editahead_workspace import uris


class DiagnosticsBoard:
    """The diagnostics by document and source.

    Args:
        notify: Sends a notification: its method and its params.
    """

    def __init__(self, notify: Callable[[str, Any], None]) -> None:
        self._notify = notify
        self._shown: dict[str, dict[str, list[Diagnostic]]] = {}

    def show(
        self, source: str, uri: str, version: int | None = None, diagnostics: Sequence[Diagnostic] = ()
    ) -> None:
        """Replace the diagnostics of a source in a document.

        Args:
            source: Who shows them.
            uri: The document.
            version: The version that they are for; None if that is not known.
            diagnostics: The diagnostics; none to remove them.
        """
        key = uris.canonical_key(uri)
        of_document = self._shown.setdefault(key, {})
        of_document.pop(source, None)
        if diagnostics:
            of_document[source] = list(diagnostics)
        if not of_document:
            del self._shown[key]
        found = [one for diagnostics in of_document.values() for one in diagnostics]
        params = PublishDiagnosticsParams(uri, version, found)
        self._notify(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS, params)
