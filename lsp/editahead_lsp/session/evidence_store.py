"""What other language servers said of symbols, moved with the text."""

from __future__ import annotations

from dataclasses import replace

from editahead_prompts.symbol_evidence import ClosedPlace, NamedPlace, SymbolEvidence
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot
from editahead_workspace.positions import Encoding, offset_at, position_at
from editahead_workspace.uris import canonical_key, path_to_uri, uri_to_path

MAX_SYMBOLS = 8
"""Symbols of which something is kept, the last ones. Each has hundreds of places."""


class EvidenceStore:
    """The evidence of the last symbols, the newest last."""

    def __init__(self) -> None:
        self._known: tuple[SymbolEvidence, ...] = ()

    @property
    def touched(self) -> tuple[SymbolEvidence, ...]:
        """The evidence of the symbols that were edited since."""
        return tuple(one for one in self._known if one.is_touched)

    def add(self, evidence: SymbolEvidence) -> None:
        """Keep evidence, in the place of what is known of the same name of the document, if that was not edited."""
        others = (
            one
            for one in self._known
            if one.is_touched or (one.uri, one.name) != (evidence.uri, evidence.name)
        )
        self._known = (*others, evidence)[-MAX_SYMBOLS:]

    def on_change(self, uri: str, edit: Edit) -> None:
        """Move the places over an edit of a document."""
        if self._known and edit:
            self._known = rebase_evidence(self._known, uri, edit)

    def on_open(self, snapshot: Snapshot, encoding: Encoding) -> None:
        """Turn the places of a file into those of the open document."""
        self._known = tuple(_opened(one, snapshot, encoding) for one in self._known)

    def on_close(self, snapshot: Snapshot, encoding: Encoding) -> None:
        """Turn the places of a document into those of the file, and forget the symbols that it declares."""
        kept = (one for one in self._known if one.uri != snapshot.uri)
        self._known = tuple(_closed(one, snapshot, encoding) for one in kept)


def rebase_evidence(evidence: tuple[SymbolEvidence, ...], uri: str, edit: Edit) -> tuple[SymbolEvidence, ...]:
    """Return the evidence after an edit of a document."""
    return tuple(moved for one in evidence if (moved := one.rebase(uri, edit)) is not None)


def _opened(evidence: SymbolEvidence, snapshot: Snapshot, encoding: Encoding) -> SymbolEvidence:
    key = canonical_key(snapshot.uri)
    here = [one for one in evidence.closed_places if canonical_key(one.uri) == key]
    if not here:
        return evidence
    opened = (
        NamedPlace(snapshot.uri, offset_at(snapshot, one.line, one.column, encoding), one.before, one.after)
        for one in here
    )
    left = tuple(one for one in evidence.closed_places if one not in here)
    return replace(evidence, places=(*evidence.places, *opened), closed_places=left)


def _closed(evidence: SymbolEvidence, snapshot: Snapshot, encoding: Encoding) -> SymbolEvidence:
    here = [one for one in evidence.places if one.uri == snapshot.uri]
    if not here:
        return evidence
    path = uri_to_path(snapshot.uri)
    uri = snapshot.uri if path is None else path_to_uri(path)
    closed = (
        ClosedPlace(uri, *position_at(snapshot, one.start, encoding), one.before, one.after) for one in here
    )
    left = tuple(one for one in evidence.places if one.uri != snapshot.uri)
    return replace(evidence, places=left, closed_places=(*evidence.closed_places, *closed))
