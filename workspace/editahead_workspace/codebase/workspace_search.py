"""Search in the indexes of the workspace folders, over the files on disk and the open documents."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from editahead_retrieval.errors import IndexUnusableError, UnreadableFileError
from editahead_retrieval.files.file_identity import path_from_folder
from editahead_retrieval.files.folder_reader import FolderReader
from editahead_retrieval.index.content import decode_text
from editahead_retrieval.index.reader import IndexReader
from editahead_retrieval.search.answers import SearchResult
from editahead_retrieval.search.code_search import CodeSearch, SearchScope
from editahead_workspace import uris
from editahead_workspace.settings import Settings

from .search_encoder import (
    NO_ENCODER,
    SearchEncoder,
    encoder_source,
    open_search_encoder,
)
from .workspace_codebase import IndexedFolder

if TYPE_CHECKING:
    from editahead_retrieval.vectors.encoders import TextEncoder
    from editahead_retrieval.vectors.nearest import NearestChunks


@dataclass(frozen=True)
class FoundPlace:
    """A result of a search, and the workspace folder that it is in."""

    root: Path
    result: SearchResult


class WorkspaceSearch:
    """The search in workspace folders, which keeps the encoder and the vectors of each index from question to question.

    One thread asks at a time; any thread may close it.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._is_closed = False
        self._opened: dict[Path, tuple[IndexReader, NearestChunks | None, TextEncoder | None]] = {}
        self._encoder: tuple[object, SearchEncoder] = (None, NO_ENCODER)

    def open_encoder(self, settings: Settings) -> SearchEncoder:
        """Return the encoder for questions, the same one as before unless the settings or its file have changed.

        Args:
            settings: The settings.
        """
        source = encoder_source(settings)
        if source != self._encoder[0] or self._encoder[1].problem:
            self._encoder = source, open_search_encoder(settings)
        return self._encoder[1]

    def search(
        self,
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
        with self._lock:
            try:
                self._keep_only({folder.database for folder in folders})
                for folder in folders:
                    scope = _scope(folder, within, uris_open)
                    if scope is None:
                        continue
                    reader, vectors = self._open(folder.database, encoder)
                    read = FolderTexts(folder, max_file_bytes, open_texts, check).read
                    try:
                        results = CodeSearch(reader, read, vectors).search(text, limit, scope)
                    except IndexUnusableError:
                        continue
                    found += (FoundPlace(folder.root, result) for result in results)
                    problem = encoder.problem if vectors is None else vectors.problem
                    if problem:
                        on_problem(problem)
            finally:
                if self._is_closed:
                    self._keep_only(set())
        return sorted(found, key=lambda place: -place.result.score)[:limit]

    def close(self) -> None:
        """Close the indexes, at once or at the end of the question that is being answered."""
        self._is_closed = True
        if self._lock.acquire(blocking=False):
            try:
                self._keep_only(set())
            finally:
                self._lock.release()

    def _open(self, database: Path, encoder: SearchEncoder) -> tuple[IndexReader, NearestChunks | None]:
        """Return the reader of an index and its vectors, those of the question before where the encoder is the same."""
        known = self._opened.get(database)
        if known is not None and known[2] is encoder.encoder:
            return known[:2]
        reader = IndexReader(database) if known is None else known[0]
        vectors = _vectors(reader, encoder)
        self._opened[database] = reader, vectors, encoder.encoder
        return reader, vectors

    def _keep_only(self, databases: set[Path]) -> None:
        """Close the indexes that are not among some."""
        for database in self._opened.keys() - databases:
            self._opened.pop(database)[0].close()


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
        inner = None if path is None else path_from_folder(path, folder.root)
        if inner is not None:
            opened.append(inner.as_posix())
    if within is None or folder.root.is_relative_to(within):
        return SearchScope("", frozenset(opened))
    if within.is_relative_to(folder.root):
        return SearchScope(f"{within.relative_to(folder.root).as_posix()}/", frozenset(opened))
    return None


class FolderTexts:
    """The texts of the files of one workspace folder, for one question.

    Args:
        folder: The workspace folder.
        max_file_bytes: The size of a file in bytes, at most.
        open_texts: Returns the text of an open document by its URI; None if the document is not open.
        check: Raises to cancel.
    """

    def __init__(
        self,
        folder: IndexedFolder,
        max_file_bytes: int,
        open_texts: Callable[[str], str | None],
        check: Callable[[], None],
    ) -> None:
        self._root, self._open_texts, self._check = folder.root, open_texts, check
        self._reader = FolderReader(folder.root, folder.rules, max_file_bytes)

    def read(self, path: str) -> str | None:
        """Return the text of a file as it is now; None if it must not be shown or is gone."""
        self._check()
        if self._reader.excludes(path):
            return None
        text = self._open_texts(uris.path_to_uri(self._root / path))
        if text is not None:
            return text
        try:
            return decode_text(self._reader.read(path))
        except (FileNotFoundError, UnreadableFileError):
            return None
