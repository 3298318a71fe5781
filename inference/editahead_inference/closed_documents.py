"""Files that are not open and in which the last edits may go on, looked up in the index of the workspace.

The index answers by tokens and trigrams. Each edit asks for the paths of imports that it replaced, the literals and names
that it replaced, the functions whose signature or call it changed, and the lines that it changed. A moved file asks for the
files that import it. The predictors then treat the files found like the other open documents.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice

from editahead_prompts.state import EditorState, MovedFile, PastEdit
from editahead_prompts.text.identifiers import WORD
from editahead_prompts.text.scripts import count_letters
from editahead_prompts.text.snapshot import Snapshot

from .codebase import Codebase
from .predictors.propagation.changed_import_paths import changed_paths
from .predictors.propagation.missing_includes import is_header
from .predictors.propagation.moved_files import imports_moved_file, module_name
from .predictors.propagation.renamed_definition import C_FAMILY
from .predictors.propagation.replaced_literals import replaced_literals
from .predictors.propagation.token_patterns import KEYWORDS
from .predictors.propagation.witnessed_places import witness_files

MAX_DOCUMENTS = 6
"""Closed files of one state: each is read, parsed and searched."""
MAX_SOURCES = 6
"""Closed files of one state from which imports may be known."""
MAX_IMPORTERS = 40
"""Files with the name of a moved file's module that are read, once for each version of the index."""
_MAX_EDITS = 3
"""Past edits whose tokens are looked up, the newest first."""
_MAX_MOVED = 3
"""Moved files whose importers are looked up, the last ones."""
_MAX_QUERIES = 8
"""Look-ups of one state."""
_MAX_FOUND = 12
"""Files of one look-up. A token of more files is too general to lead anywhere."""
_MAX_REPLACED = 3
"""Replaced names of one edit that are looked up."""
_MAX_LIKE = 6
"""Names of a changed line that a file must hold to have a line like it."""
_MAX_IMPORTERS = 2
"""Files that import one name, and show by which module's name."""
_MIN_NAME = 3
"""Characters of a name that is looked up."""
_MAX_BROUGHT = 8
"""Names that the last edits brought and whose exports are looked up."""
_MAX_CHARS = 200_000
"""Characters of a closed file that is searched."""
MAX_NEW_CHARS = 50_000
"""Characters of closed files that one answer is the first to search: they take some 25 milliseconds. The likeliest file may
have twice as many."""
_MAX_TEXTS = 32
"""Closed files kept in memory, so that caches keyed by snapshot still hit."""
_REMEMBERED = 64
"""Look-ups that are cached, for the next keystrokes."""

Query = tuple[str, ...] | str
"""Names that a file holds, or a piece of its text."""


class ClosedDocuments:
    """A finder of closed files for states. It caches look-ups. For one thread at a time.

    Files that were searched before cost little. Others are left for a search in a pause once they are too much for one
    answer.

    Args:
        codebase: The index of the workspace.

    Attributes:
        has_left_out: Whether files were left out of the last state, because they were too much for one answer.
    """

    def __init__(self, codebase: Codebase) -> None:
        self._codebase = codebase
        self._found: OrderedDict[tuple[Query, str, int], Sequence[str]] = OrderedDict()
        self._importing: dict[MovedFile, Sequence[str]] = {}
        self._version = 0
        self._texts: OrderedDict[str, Snapshot] = OrderedDict()
        self._new: list[Snapshot] = []
        self.has_left_out = False

    def extend(
        self,
        state: EditorState,
        check: Callable[[], None],
        max_new_chars: float = MAX_NEW_CHARS,
        max_documents: int = MAX_DOCUMENTS,
    ) -> EditorState:
        """Return the state with its closed files; unchanged without an index.

        Args:
            state: The state.
            check: Called between units of work.
            max_new_chars: Characters, at most, of files that were in no state before; one file may have twice as many.
            max_documents: Closed files, at most, of the state.

        Raises:
            Cancelled: By `check` only.
        """
        self._new, self.has_left_out = [], False
        if not (state.history or state.moved_files) or not state.index_version:
            return state
        if self._version != state.index_version:
            self._version = state.index_version
            self._found.clear()
            self._importing.clear()
        edits = state.history[: -_MAX_EDITS - 1 : -1]
        queries = dict.fromkeys((query, edit.uri) for edit in edits for query in queries_of(edit))
        uris = chain(
            witness_files(state),
            self._importers_of(state, check),
            self._uris(self._paths(state), check, MAX_IMPORTERS),
            self._uris(islice(queries, _MAX_QUERIES), check),
        )
        closed = self._read(uris, state, max_documents, check, max_new_chars)
        here = [edit for edit in edits if edit.uri == state.document.uri]
        sources = self._read(self._sources(here, state, check), state, MAX_SOURCES, check, max_new_chars)
        return replace(state, closed_documents=closed, import_sources=sources)

    def forget_new(self) -> None:
        """Take the files that were new in the last state for new again, as their search has not ended."""
        for new in self._new:
            self._texts.pop(new.uri, None)

    def _paths(self, state: EditorState) -> Iterator[tuple[Query, str]]:
        """Yield the paths of imports that the last edits by hand replaced."""
        typed = (edit for edit in reversed(state.history) if edit.origin == "typed")
        for edit in islice(typed, _MAX_EDITS):
            origin = state.snapshot(edit.uri) or state.document
            for path in changed_paths(edit, origin.language):
                if len(path) >= _MIN_NAME:
                    yield path, edit.uri

    def _uris(
        self, queries: Iterator[tuple[Query, str]], check: Callable[[], None], max_files: int = _MAX_FOUND
    ) -> Iterator[str]:
        for query, near in queries:
            check()
            found = self._files_with(query, near, max_files)
            if len(found) <= max_files:
                yield from found

    def _files_with(self, query: Query, near: str, max_files: int) -> Sequence[str]:
        known = self._found.get((query, near, max_files))
        if known is None:
            known = (
                self._codebase.files_containing(query, max_files + 1, near)
                if isinstance(query, str)
                else self._codebase.files_with(query, max_files + 1, near)
            )
            self._found[query, near, max_files] = known
            if len(self._found) > _REMEMBERED:
                self._found.popitem(last=False)
        self._found.move_to_end((query, near, max_files))
        return known

    def _importers_of(self, state: EditorState, check: Callable[[], None]) -> Iterator[str]:
        """Yield the files that import the last moved files by their old paths."""
        for moved in state.moved_files[: -_MAX_MOVED - 1 : -1]:
            if moved not in self._importing:
                self._importing[moved] = tuple(find_importers(self._codebase, moved, check))
            yield from self._importing[moved]

    def _sources(
        self, edits: Sequence[PastEdit], state: EditorState, check: Callable[[], None]
    ) -> Iterator[str]:
        """Yield the file that exports a name that the edits brought, and files that import it.

        A name that several files export is left out: which of them is meant is not known.
        """
        for name in islice(dict.fromkeys(chain.from_iterable(map(_brought, edits))), _MAX_BROUGHT):
            check()
            exporters = {symbol.uri for symbol in self._codebase.exports(name, state.document.language)}
            if state.document.language in C_FAMILY:  # the definition is in no header
                exporters = set(filter(is_header, exporters))
            if len(exporters) == 1:
                yield from exporters
                importers = dict.fromkeys(symbol.uri for symbol in self._codebase.importers(name))
                yield from islice(importers, _MAX_IMPORTERS)

    def _read(
        self,
        uris: Iterator[str],
        state: EditorState,
        limit: int,
        check: Callable[[], None],
        max_new_chars: float,
    ) -> tuple[Snapshot, ...]:
        documents: list[Snapshot] = []
        for uri in dict.fromkeys(uris):
            if len(documents) == limit:
                break
            check()
            read = None if state.is_open(uri) else self._codebase.snapshot(uri)
            if read is None or read.length > _MAX_CHARS:
                continue
            snapshot = self._known(read, max_new_chars)
            if snapshot is None:
                self.has_left_out = True
            else:
                documents.append(snapshot)
        return tuple(documents)

    def _known(self, read: Snapshot, max_new_chars: float) -> Snapshot | None:
        """Return the file as an earlier state had it, or as it is now; None if it is new and too much for one answer."""
        known = self._texts.get(read.uri)
        if known is None or known.lines != read.lines:
            room = max_new_chars - sum(new.length for new in self._new) if self._new else 2 * max_new_chars
            if read.length > room:
                return None
            self._new.append(read)
            known = self._texts[read.uri] = read
            if len(self._texts) > _MAX_TEXTS:
                self._texts.popitem(last=False)
        self._texts.move_to_end(read.uri)
        return known


def find_importers(
    codebase: Codebase, moved: MovedFile, check: Callable[[], None], limit: int = MAX_IMPORTERS
) -> Iterator[str]:
    """Yield the closed files that import a moved file by its old path, the nearest to its new path first.

    Args:
        codebase: The index of the workspace.
        moved: The moved file.
        check: Raises `Cancelled` if the result is no longer wanted.
        limit: Files with the name of the module that are read.
    """
    name = module_name(moved)
    query = codebase.files_with([name], limit, moved.new) if WORD.fullmatch(name) else ()
    if not query and count_letters(name) >= _MIN_NAME:
        query = codebase.files_containing(name, limit, moved.new)
    for uri in query:
        check()
        snapshot = codebase.snapshot(uri)
        if snapshot is None or snapshot.length > _MAX_CHARS:
            continue
        if imports_moved_file(uri, snapshot.language, snapshot.lines, moved):
            yield uri


def queries_of(edit: PastEdit) -> Iterator[Query]:
    """Yield what files hold in which an edit may be repeated, the most telling first."""
    yield from dict.fromkeys(old for old, _ in replaced_literals(edit))
    old, new = (dict.fromkeys(_names(lines)) for lines in (edit.old, edit.new))
    for name in islice((name for name in old if name not in new), _MAX_REPLACED):
        yield (name,)
    text_before, text_after = "".join(edit.old), "".join(edit.new)
    for name in old:
        if name in new and f"{name}(" in text_before and f"{name}(" in text_after:
            yield (name,)
    if old:
        yield tuple(islice(old, _MAX_LIKE))


def _brought(edit: PastEdit) -> Iterator[str]:
    old = set(_names(edit.old))
    return (name for name in _names(edit.new) if name not in old)


def _names(lines: Sequence[str]) -> Iterator[str]:
    """Yield the names of some lines that are worth a look-up."""
    for line in lines:
        for name in WORD.findall(line):
            if count_letters(name) >= _MIN_NAME and name not in KEYWORDS:
                yield name
