"""The index of a workspace that is only texts: written into a temporary folder, and kept as the texts change."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from editahead_retrieval.files.exclusion_rules import ExclusionRules
from editahead_retrieval.files.ignore_patterns import IgnorePatterns
from editahead_retrieval.files.walk import Walk
from editahead_retrieval.index import location
from editahead_retrieval.index.builder import IndexBuilder, IndexLimits
from editahead_retrieval.index.reader import IndexReader
from editahead_retrieval.index.store import IndexStore
from editahead_retrieval.search.code_search import CodeSearch

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
    """

    def __init__(self, root: Path, builder: IndexBuilder, reader: IndexReader) -> None:
        self._root, self._builder = root, builder
        self.files: dict[str, str] = {}
        self.search = CodeSearch(reader, self.files.get)

    def update(self, files: Mapping[str, str]) -> None:
        """Take other files in place of those before."""
        changed = [path for path, text in files.items() if self.files.get(path) != text]
        gone = self.files.keys() - files.keys()
        for path in gone:
            (self._root / path).unlink(missing_ok=True)
            del self.files[path]
        for path in changed:
            place = self._root / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(files[path], "utf-8", newline="")
            os.utime(place, _SAME_TIME)
            self.files[path] = files[path]
        self._builder.look_at([*changed, *gone])
        while self._builder.work():
            pass


@contextmanager
def indexed_files() -> Iterator[IndexedFiles]:
    """Return a workspace without files. Its folder is removed in the end."""
    with tempfile.TemporaryDirectory(prefix="editahead-") as folder:
        root = Path(folder, "files")
        root.mkdir()
        database = Path(folder, location.DATABASE)
        walk = Walk(root, ExclusionRules([root], IgnorePatterns(())), MAX_FILE_BYTES)
        store = IndexStore(database)
        reader = IndexReader(database)
        try:
            yield IndexedFiles(root, IndexBuilder(store, walk, IndexLimits(10**6, 10**10)), reader)
        finally:
            reader.close()
            store.close()
