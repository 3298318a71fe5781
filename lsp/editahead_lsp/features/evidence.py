"""`editahead/evidence`: what another language server of the client says of a symbol."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from editahead_lsp.protocol.custom_messages import Range
from editahead_lsp.protocol.evidence_messages import EVIDENCE, EvidenceParams, EvidenceSymbol
from editahead_prompts.symbol_evidence import ClosedPlace, NamedPlace, SymbolEvidence
from editahead_prompts.text.snapshot import Snapshot
from editahead_retrieval.files.file_identity import path_from_folder
from editahead_workspace import uris
from editahead_workspace.positions import Encoding, offset_at

if TYPE_CHECKING:
    from editahead_lsp.server import Server
    from editahead_lsp.session.session import Session

MAX_PLACES = 500
"""Places of one symbol. A name with more is renamed by a tool."""
MAX_NAME = 200
"""Characters of a name."""
_LINE_END = frozenset("\r\n")


def evidence(server: Server, params: EvidenceParams) -> None:
    """Handle `editahead/evidence`. What is not true of the text, or outside of the workspace, is ignored."""
    session, symbol = server.session, params.symbol
    document = session.documents.get(params.text_document.uri)
    if document is None or symbol is None or session.disabled_reason(document) is not None:
        return
    known = server.evidence_requests.edit_since(document, params.text_document.version)
    if known is None or not (_is_name(symbol.old) and _is_name(symbol.new)):
        return
    snapshot, edit = known
    found = _EvidenceReader(server, snapshot, symbol).read(params)
    moved = None if found is None else found.rebase(snapshot.uri, edit)
    if moved is not None:
        session.add_evidence(moved)


def _is_name(text: str) -> bool:
    return 0 < len(text) <= MAX_NAME and not any(map(str.isspace, text))


class _EvidenceReader:
    """A reader of places.

    Args:
        server: The server.
        snapshot: The text that the places of the symbol's document are of.
        symbol: The symbol.
    """

    def __init__(self, server: Server, snapshot: Snapshot, symbol: EvidenceSymbol) -> None:
        self._session: Session = server.session
        self._encoding: Encoding = server.session.encoding
        self._folders = server.workspace_paths
        self._snapshot, self._symbol = snapshot, symbol
        self._files: dict[str, str | None] = {}

    def read(self, params: EvidenceParams) -> SymbolEvidence | None:
        """Return the evidence; None if the symbol is not where it is said to be."""
        start, end = _offsets(self._snapshot, self._symbol.range, self._encoding)
        if self._snapshot.text[start:end] not in (self._symbol.old, self._symbol.new):
            return None
        places = {
            (place.uri, *_at(place)): place
            for place in islice(self._places(params), 2 * MAX_PLACES)
            if isinstance(place, ClosedPlace) or (place.uri, place.start) != (self._snapshot.uri, start)
        }
        kept = list(places.values())[:MAX_PLACES]
        is_cut = len(params.references) >= MAX_PLACES or len(params.renames) >= MAX_PLACES
        return SymbolEvidence(
            self._symbol.old,
            self._snapshot.uri,
            start,
            end,
            tuple(place for place in kept if isinstance(place, NamedPlace)),
            tuple(place for place in kept if isinstance(place, ClosedPlace)),
            params.complete and not is_cut and len(kept) == len(places) and _agree(params),
            is_touched=self._snapshot.text[start:end] != self._symbol.old,
        )

    def _places(self, params: EvidenceParams) -> Iterator[NamedPlace | ClosedPlace]:
        """Yield the places, those of a rename last: they tell more, and take the place of a reference."""
        for reference in params.references[:MAX_PLACES]:
            yield from self._place(reference.uri, reference.range, "", "")
        for rename in params.renames[:MAX_PLACES]:
            before, name, after = rename.new_text.partition(self._symbol.new)
            if name and len(before) + len(after) <= 2 * MAX_NAME and not _LINE_END & {*before, *after}:
                yield from self._place(rename.uri, rename.range, before, after)

    def _place(
        self, uri: str, selection: Range, before: str, after: str
    ) -> Iterator[NamedPlace | ClosedPlace]:
        document = self._session.documents.get(uri)
        if document is None:
            file, start = self._file(uri), selection.start
            if file is not None and start.line >= 0 and start.line == selection.end.line:
                yield ClosedPlace(file, start.line, max(start.character, 0), before, after)
            return
        is_own = document.uri == self._snapshot.uri
        snapshot = self._snapshot if is_own else document.snapshot
        first, last = _offsets(snapshot, selection, self._encoding)
        if snapshot.text[first:last] == self._symbol.old:
            yield NamedPlace(snapshot.uri, first, before, after)

    def _file(self, uri: str) -> str | None:
        """Return the URI of a file of the workspace as the index has it; None for any other file.

        Whether it is excluded is not asked here, on the event loop: an excluded file is not read.
        """
        if uri not in self._files:
            path = uris.uri_to_path(uri)
            is_ours = path is not None and any(
                path_from_folder(path, folder) is not None for folder in self._folders
            )
            self._files[uri] = uris.path_to_uri(path) if path and is_ours else None
        return self._files[uri]


def _agree(params: EvidenceParams) -> bool:
    """Return whether a rename has no place that is no reference: a server that starts may not have read all files yet."""
    known = {(one.uri, one.range) for one in params.references}
    return not params.references or all((one.uri, one.range) in known for one in params.renames)


def _at(place: NamedPlace | ClosedPlace) -> tuple[int, ...]:
    return (place.start,) if isinstance(place, NamedPlace) else (place.line, place.column)


def _offsets(snapshot: Snapshot, selection: Range, encoding: Encoding) -> tuple[int, int]:
    start, end = (
        offset_at(snapshot, point.line, point.character, encoding)
        for point in (selection.start, selection.end)
    )
    return start, max(start, end)


HANDLERS = {EVIDENCE: evidence}
