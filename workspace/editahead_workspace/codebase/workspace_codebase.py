"""The closed files of the workspace as predictors see them: the indexes of all workspace folders, and the files on disk."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

from editahead_inference.codebase import Chunk, SymbolAt, SymbolRole
from editahead_prompts.syntax.languages import language_of
from editahead_prompts.syntax.symbols import Role
from editahead_prompts.text.snapshot import Snapshot, split_lines
from editahead_retrieval.errors import IndexDamagedError, IndexUnusableError, UnreadableFileError
from editahead_retrieval.files.content_hash import hash_content
from editahead_retrieval.files.exclusion_rules import ExclusionRules
from editahead_retrieval.files.file_identity import path_from_folder
from editahead_retrieval.files.folder_reader import read_permitted
from editahead_retrieval.index.content import decode_text
from editahead_retrieval.index.reader import FileSymbol, IndexReader
from editahead_workspace import uris

T = TypeVar("T")

_FAMILIES = (
    frozenset({"javascript", "javascriptreact", "typescript", "typescriptreact"}),
    frozenset({"c", "cpp"}),
)
"""Languages that import from each other."""
_ROLES: dict[SymbolRole, Role] = {
    "definition": Role.DEFINITION,
    "export": Role.EXPORT,
    "import": Role.IMPORT,
}


@dataclass(frozen=True)
class IndexedFolder:
    """A workspace folder with an index: its path, the file of the index, and the rules for its files."""

    root: Path
    database: Path
    rules: ExclusionRules


class WorkspaceCodebase:
    """The closed files of the workspace; the `Codebase` of predictors.

    Any thread may ask, one at a time.

    Args:
        folders: The workspace folders that have an index.
        max_file_bytes: The size of a file in bytes, at most.
        is_open: Returns whether a document with this URI is open.
        on_stale: Called with the root and the path of a file that is not as the index says.
        on_damage: Called with the root of an index that is damaged.
    """

    def __init__(
        self,
        folders: Sequence[IndexedFolder],
        max_file_bytes: int,
        is_open: Callable[[str], object],
        on_stale: Callable[[Path, str], None],
        on_damage: Callable[[Path], None],
    ) -> None:
        self._folders = [(folder, IndexReader(folder.database)) for folder in folders]
        self._max_file_bytes, self._is_open = max_file_bytes, is_open
        self._on_stale, self._on_damage = on_stale, on_damage
        self._lock = threading.Lock()

    def close(self) -> None:
        """Close the indexes. A later question opens them again."""
        with self._lock:
            for _, reader in self._folders:
                reader.close()

    def files_with(self, tokens: Sequence[str], limit: int, near: str = "") -> Sequence[str]:
        """Return the closed files that hold all the identifiers; see `Codebase`."""
        return self._files(
            lambda folder, reader: reader.files_with(tokens, 2 * limit, _relative(folder.root, near) or ""),
            limit,
            near,
        )

    def files_containing(self, text: str, limit: int, near: str = "") -> Sequence[str]:
        """Return the closed files that may hold a piece of text; see `Codebase`."""
        return self._files(
            lambda folder, reader: reader.files_containing(
                text, 2 * limit, _relative(folder.root, near) or ""
            ),
            limit,
            near,
        )

    def _files(
        self, question: Callable[[IndexedFolder, IndexReader], Sequence[str]], limit: int, near: str
    ) -> Sequence[str]:
        answers = list(self._ask(question))
        # Those of the document's own folder come first: others may fill the list.
        answers.sort(key=lambda answer: _relative(answer[0].root, near) is None)
        found = [uris.path_to_uri(folder.root / path) for folder, paths in answers for path in paths]
        return [uri for uri in dict.fromkeys(found) if not self._is_open(uri)][:limit]

    def snapshot(self, uri: str) -> Snapshot | None:
        """Return a closed file as it is on disk; see `Codebase`."""
        path = uris.uri_to_path(uri)
        if path is None or self._is_open(uri):
            return None
        for folder, reader in self._folders:
            relative = _relative(folder.root, uri)
            if relative is None or folder.rules.reason(path) is not None:
                continue
            try:
                data = read_permitted(path, folder.root, folder.rules, self._max_file_bytes)
            except (FileNotFoundError, UnreadableFileError):
                self._on_stale(folder.root, relative)
                return None
            with self._lock:
                known = self._answer(folder, partial(reader.content_hash, relative))
            if known != hash_content(data):
                self._on_stale(folder.root, relative)
            text = decode_text(data)
            return None if text is None else Snapshot(uri, language_of(relative), 0, split_lines(text))
        return None

    def find_moved(self, deleted: Sequence[str], created: Sequence[str]) -> list[tuple[str, str]]:
        """Return which deleted files are created ones with the same bytes, each as the URI before and the URI now.

        Files whose bytes several of them have are left out: which went where is not known.

        Args:
            deleted: URIs of files that are gone, and that the index may still hold.
            created: URIs of new files.
        """
        before: defaultdict[bytes, list[str]] = defaultdict(list)
        for uri in deleted:
            known = self._known_hash(uri)
            if known is not None:
                before[known].append(uri)
        now: defaultdict[bytes, list[str]] = defaultdict(list)
        for uri in created if before else ():
            data = self._bytes(uri)
            if data:
                now[hash_content(data)].append(uri)
        return [
            (olds[0], now[known][0])
            for known, olds in before.items()
            if len(olds) == len(now.get(known, ())) == 1
        ]

    def _known_hash(self, uri: str) -> bytes | None:
        for folder, reader in self._folders:
            relative = _relative(folder.root, uri)
            if relative is not None:
                with self._lock:
                    return self._answer(folder, partial(reader.content_hash, relative))
        return None

    def _bytes(self, uri: str) -> bytes | None:
        """Return the content of a file of the workspace; None if it is excluded, too large or gone."""
        path = uris.uri_to_path(uri)
        for folder, _ in self._folders:
            if path is None or _relative(folder.root, uri) is None:
                continue
            with suppress(FileNotFoundError, UnreadableFileError):
                return read_permitted(path, folder.root, folder.rules, self._max_file_bytes)
        return None

    def definitions(self, name: str) -> Sequence[SymbolAt]:
        """Return the definitions of a name; see `Codebase`."""
        return self._symbols(lambda folder, reader: reader.definitions(name), "definition")

    def exports(self, name: str, language: str) -> Sequence[SymbolAt]:
        """Return the exports of a name to files of a language; see `Codebase`."""
        family = next((family for family in _FAMILIES if language in family), frozenset({language}))
        found = self._symbols(lambda folder, reader: reader.exports(name), "export")
        return [symbol for symbol in found if symbol.language in family]

    def importers(self, name: str) -> Sequence[SymbolAt]:
        """Return the imports of a name; see `Codebase`."""
        return self._symbols(lambda folder, reader: reader.importers(name), "import")

    def similar(self, text: str, limit: int) -> Sequence[Chunk]:
        """Return the pieces of files that share the rarest words of a text; see `Codebase`."""
        chunks: list[Chunk] = []
        for folder, matches in self._ask(lambda folder, reader: reader.similar(text, 2 * limit)):
            for match in matches:
                snapshot = self.snapshot(uris.path_to_uri(folder.root / match.path))
                if snapshot is not None and hash_content(snapshot.text.encode()) == match.content_hash:
                    lines = "".join(snapshot.lines[match.line : match.end_line])
                    place = (snapshot.uri, snapshot.language, match.line, match.end_line)
                    chunks.append(Chunk(*place, lines, match.score))
        return sorted(dict.fromkeys(chunks), key=lambda chunk: -chunk.score)[:limit]

    def _symbols(
        self, question: Callable[[IndexedFolder, IndexReader], Sequence[FileSymbol]], role: SymbolRole
    ) -> list[SymbolAt]:
        found = (
            _to_symbol(folder.root, one, role) for folder, symbols in self._ask(question) for one in symbols
        )
        # A folder inside of another one has an index, too.
        return [symbol for symbol in dict.fromkeys(found) if not self._is_open(symbol.uri)]

    def _ask(
        self, question: Callable[[IndexedFolder, IndexReader], Sequence[T]]
    ) -> Iterator[tuple[IndexedFolder, Sequence[T]]]:
        """Yield the answers of all indexes that have one."""
        for folder, reader in self._folders:
            with self._lock:
                found = self._answer(folder, partial(question, folder, reader))
            if found:
                yield folder, found

    def _answer(self, folder: IndexedFolder, question: Callable[[], T]) -> T | None:
        """Return the answer of an index; None where it has none."""
        try:
            return question()
        except IndexDamagedError:
            self._on_damage(folder.root)
        except IndexUnusableError:
            pass
        return None


def _relative(root: Path, uri: str) -> str | None:
    """Return the path of a document from a workspace folder, with slashes; None for one that is not in it."""
    path = uris.uri_to_path(uri)
    inner = None if path is None or ".." in path.parts else path_from_folder(path, root)
    return None if inner is None else inner.as_posix()


def _to_symbol(root: Path, found: FileSymbol, role: SymbolRole) -> SymbolAt:
    symbol = found.symbol
    return SymbolAt(
        uris.path_to_uri(root / found.path),
        symbol.line,
        symbol.name,
        role,
        symbol.kind,
        found.language,
        symbol.container,
        symbol.source,
        symbol.original,
    )
