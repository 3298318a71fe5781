"""The index of a workspace that is only texts: written into a temporary folder, and kept as the texts change."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from editahead_retrieval.errors import EncoderError
from editahead_retrieval.files.exclusion_rules import ExclusionRules
from editahead_retrieval.files.ignore_patterns import IgnorePatterns
from editahead_retrieval.files.walk import Walk
from editahead_retrieval.index import location
from editahead_retrieval.index.builder import IndexBuilder, IndexLimits
from editahead_retrieval.index.reader import IndexReader
from editahead_retrieval.index.store import IndexStore
from editahead_retrieval.search.code_search import CodeSearch
from editahead_retrieval.vectors.encoders import TextEncoder
from editahead_retrieval.vectors.nearest import NearestChunks
from editahead_retrieval.vectors.store import VectorStore
from editahead_retrieval.vectors.upkeep import VectorUpkeep

MAX_FILE_BYTES = 1_000_000
"""Bytes of a file that is indexed, as by default."""
_SAME_TIME = (1_000_000_000, 1_000_000_000)
"""The times of all files: which ones a commit is about to change must not show."""


class IndexedFiles:
    """The files of a workspace, and their index.

    Args:
        root: A folder for the files.
        builder: The builder of their index.
        reader: Its reader.
        encoder: What computes the vectors of their chunks; None for a search by words only.

    Attributes:
        files: The texts by path.
        search: The search by words.
        search_with_vectors: The search by words and meaning; None without an encoder.
    """

    def __init__(
        self, root: Path, builder: IndexBuilder, reader: IndexReader, encoder: TextEncoder | None
    ) -> None:
        self._root, self._builder = root, builder
        self.files: dict[str, str] = {}
        self.search = CodeSearch(reader, self.files.get)
        self.search_with_vectors: CodeSearch | None = None
        self._upkeep: VectorUpkeep | None = None
        if encoder is not None:
            store = VectorStore(builder.store.connection, encoder.name)
            self._upkeep = VectorUpkeep(store, encoder, builder.walk)
            self.search_with_vectors = CodeSearch(reader, self.files.get, NearestChunks(reader, encoder))

    def update(self, files: Mapping[str, str]) -> None:
        """Take other files in place of those before.

        Raises:
            EncoderError: The vectors cannot be computed.
        """
        changed = [path for path, text in files.items() if self.files.get(path) != text]
        deleted = self.files.keys() - files.keys()
        for path in deleted:
            (self._root / path).unlink(missing_ok=True)
            del self.files[path]
        for path in changed:
            place = self._root / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(files[path], "utf-8", newline="")
            os.utime(place, _SAME_TIME)
            self.files[path] = files[path]
        self._builder.look_at([*changed, *deleted])
        while self._builder.work():
            pass
        if self._upkeep is not None:
            self._upkeep.refresh()
            while self._upkeep.step():
                pass
            if self._upkeep.problem:
                raise EncoderError(self._upkeep.problem)


@contextmanager
def indexed_files(encoder: TextEncoder | None = None) -> Iterator[IndexedFiles]:
    """Return a workspace without files. Its folder is removed in the end.

    Args:
        encoder: What computes the vectors of the chunks; None for none.
    """
    with tempfile.TemporaryDirectory(prefix="editahead-") as folder:
        root = Path(folder, "files")
        root.mkdir()
        database = Path(folder, location.DATABASE)
        walk = Walk(root, ExclusionRules([root], IgnorePatterns(())), MAX_FILE_BYTES)
        store = IndexStore(database)
        reader = IndexReader(database)
        try:
            yield IndexedFiles(root, IndexBuilder(store, walk, IndexLimits(10**6, 10**10)), reader, encoder)
        finally:
            reader.close()
            store.close()
