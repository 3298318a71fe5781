"""Search in the indexes of the workspace folders, over the files on disk and the open documents."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from editahead_lsp.workspace import uris
from editahead_retrieval.errors import IndexUnusableError, UnreadableFileError
from editahead_retrieval.files.bounded_files import read_bounded_file
from editahead_retrieval.index.content import decode_text
from editahead_retrieval.index.reader import IndexReader
from editahead_retrieval.search.answers import SearchResult
from editahead_retrieval.search.code_search import CodeSearch, SearchScope

from .search_encoder import NO_ENCODER, SearchEncoder
from .workspace_codebase import IndexedFolder

if TYPE_CHECKING:
    from editahead_retrieval.vectors.nearest import NearestChunks


@dataclass(frozen=True)
class FoundPlace:
    """A result of a search, and the workspace folder that it is in."""

    root: Path
    result: SearchResult


def search_folders(
    folders: Sequence[IndexedFolder],
    text: str,
    limit: int,
    *,
    max_file_bytes: int,
    within: Path | None = None,
    open_texts: Callable[[str], str | None] = lambda uri: None,
    open_uris: Iterable[str] = (),
    check: Callable[[], None] = lambda: None,
    encoder: SearchEncoder = NO_ENCODER,
    on_problem: Callable[[str], None] = lambda problem: None,
) -> list[FoundPlace]:
    """Return the places that answer a question, the best first. An index that cannot be read has no answers.

    Args:
        folders: The workspace folders with an index.
        text: The question.
        limit: The number of results at most.
        max_file_bytes: The size of a file in bytes, at most.
        within: The folder to search; None = all.
        open_texts: Returns the text of an open document by its URI; None if the document is not open.
        open_uris: The URIs of the open documents.
        check: Raises to cancel.
        encoder: The encoder of the search by meaning.
        on_problem: Called with the reason why the answer is without the search by meaning, where one is configured.
    """
    found: list[FoundPlace] = []
    uris_open = list(open_uris)
    for folder in folders:
        scope = _scope(folder, within, uris_open)
        if scope is None:
            continue
        reader = IndexReader(folder.database)
        vectors = _vectors(reader, encoder)
        search = CodeSearch(reader, _Texts(folder, max_file_bytes, open_texts, check).read, vectors)
        try:
            found += (FoundPlace(folder.root, result) for result in search.search(text, limit, scope))
        except IndexUnusableError:
            continue
        finally:
            reader.close()
        problem = encoder.problem if vectors is None else vectors.problem
        if problem:
            on_problem(problem)
    return sorted(found, key=lambda place: -place.result.score)[:limit]


def _vectors(reader: IndexReader, encoder: SearchEncoder) -> NearestChunks | None:
    if encoder.encoder is None:
        return None
    from editahead_retrieval.vectors.nearest import NearestChunks

    return NearestChunks(reader, encoder.encoder)


def _scope(folder: IndexedFolder, within: Path | None, open_uris: Iterable[str]) -> SearchScope | None:
    """Return where to search in a workspace folder; None for nowhere."""
    opened = []
    for uri in open_uris:
        path = uris.uri_to_path(uri)
        if path is not None and path.is_relative_to(folder.root):
            opened.append(path.relative_to(folder.root).as_posix())
    if within is None or folder.root.is_relative_to(within):
        return SearchScope("", frozenset(opened))
    if within.is_relative_to(folder.root):
        return SearchScope(f"{within.relative_to(folder.root).as_posix()}/", frozenset(opened))
    return None


@dataclass(frozen=True)
class _Texts:
    """The texts of the files of one workspace folder."""

    folder: IndexedFolder
    max_file_bytes: int
    open_texts: Callable[[str], str | None]
    check: Callable[[], None]

    def read(self, path: str) -> str | None:
        """Return the text of a file as it is now; None if it must not be shown or is gone."""
        self.check()
        full = self.folder.root / path
        if self.folder.rules.reason(full) is not None:
            return None
        text = self.open_texts(uris.path_to_uri(full))
        if text is not None:
            return text
        try:
            return decode_text(read_bounded_file(full, [self.folder.root], self.max_file_bytes))
        except (FileNotFoundError, UnreadableFileError):
            return None
