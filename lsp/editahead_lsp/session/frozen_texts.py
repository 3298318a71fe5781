"""The texts of a request that takes time, and what became of them when its answer is there."""

from __future__ import annotations

from dataclasses import dataclass

from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot
from editahead_workspace import uris

from .documents import Document, DocumentStore


@dataclass(frozen=True)
class PresentText:
    """What a file is now.

    Attributes:
        snapshot: The text of the open document; None for a file that is not open, and was not.
        since: What was edited since the request. None where the document was opened since then, with any text.
    """

    snapshot: Snapshot | None
    since: Edit | None


@dataclass(frozen=True)
class FrozenTexts:
    """The open documents at the time of a request.

    Attributes:
        documents: The documents by key.
        snapshots: Their texts at that time, by key.
    """

    documents: dict[str, Document]
    snapshots: dict[str, Snapshot]

    @classmethod
    def of(cls, store: DocumentStore) -> FrozenTexts:
        """Return the present texts of all open documents."""
        documents = {document.key: document for document in store}
        return cls(documents, {key: document.snapshot for key, document in documents.items()})

    def before(self, uri: str) -> Snapshot | None:
        """Return the text of a document at the time of the request; None if it was not open."""
        return self.snapshots.get(uris.canonical_key(uri))

    def follow(self, uri: str, store: DocumentStore) -> PresentText | None:
        """Return what a file is now; None if it was closed since then, or edited more often than is known."""
        key = uris.canonical_key(uri)
        then, now = self.documents.get(key), store.get_by_key(key)
        if now is None:
            return PresentText(None, None) if then is None else None
        if now is not then:
            return PresentText(now.snapshot, None)
        since = now.edit_since(self.snapshots[key])
        return None if since is None else PresentText(now.snapshot, since)

    def adopt(self, uri: str, store: DocumentStore) -> None:
        """Follow the edits of a document from now on that was opened since the request."""
        document = store.get(uri)
        if document is not None and document.key not in self.documents:
            self.documents[document.key], self.snapshots[document.key] = document, document.snapshot
