"""The open documents by the files that they are: a document may be open by another name than it is looked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from editahead_retrieval.files.file_identity import KnownFiles

from . import uris


class OpenFiles:
    """The open documents of a client. Any thread may ask, but the event loop only where no key waits: the disk is asked.

    Args:
        documents: Returns the URI of each document as the client writes it, by its key, the most recently used last.
    """

    def __init__(self, documents: Callable[[], Mapping[str, str]]) -> None:
        self._documents = documents
        self._known: tuple[Mapping[str, str], KnownFiles] = {}, KnownFiles(())

    def find(self, uri: str) -> str | None:
        """Return the key of the open document that a URI names, by its spelling or by its file; None if there is none."""
        documents, key = self._documents(), uris.canonical_key(uri)
        path = uris.uri_to_path(uri)
        if key in documents or path is None:
            return key if key in documents else None
        keys = {
            found: each for each, name in documents.items() if (found := uris.uri_to_path(name)) is not None
        }
        before, known = self._known
        if before.keys() != documents.keys():
            known = KnownFiles(reversed(keys))
            self._known = documents, known
        same = known.find(path)
        return None if same is None else keys.get(same)
