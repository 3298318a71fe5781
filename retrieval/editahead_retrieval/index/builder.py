"""The upkeep of an index: looks for changed files, and short transactions that bring the index up to date with them."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from editahead_prompts.syntax.languages import language_of
from editahead_retrieval.errors import UnreadableFileError
from editahead_retrieval.files.content_hash import hash_content
from editahead_retrieval.files.walk import FileStamp, FoundFile, Walk

from .content import BINARY, analyze
from .forgetting import FORGOTTEN_AT
from .store import IndexedContent, IndexStore, KnownFile

PREPARE_S = 0.04
"""Seconds of work on files between two looks at the messages."""
TRANSACTION_S = 0.015
"""Seconds after which a transaction is closed. The commit takes as long again."""
CHUNKS_PER_TRANSACTION = 50
"""Chunks of a large file that are stored in one transaction."""
MERGE_PAGES = 64
"""Pages of the file that are merged after each transaction, so that the parts of the full-text indexes stay few."""
RACY_NS = 2_000_000_000
"""Nanoseconds within which a file system may give two changes of a file the same time."""
_LOOK_PAUSE = 200
"""Files between two pauses of a look."""
_UNTRUSTED = FileStamp(-1, -1, -1, -1)
"""The stamp of a file that may have changed since it was read, although its own stamp would not say so."""
FEW_FILES = 20
"""Files with a change that are no switch of branches: what those among them held that are gone is forgotten at once."""
_REMOVED = 500
"""Files that are removed in one transaction."""
IGNORE_FILE = ".gitignore"


@dataclass(frozen=True)
class IndexLimits:
    """How much of a workspace is indexed: the number of files, and the bytes of all of them together."""

    max_files: int
    max_bytes: int


@dataclass(frozen=True)
class _Prepared:
    """A file that is ready to be stored: with its content, or with the number of a content that is in the index."""

    found: FoundFile
    content_hash: bytes
    stored: int | None
    content: IndexedContent | None


@dataclass
class IndexBuilder:
    """The upkeep of one index. Not thread-safe.

    `look` and `look_at` find what to do; `work` does the next part of it. Between any two calls the index is whole: it
    holds each file as it was at some time, or does not hold it yet.

    Attributes:
        store: The index.
        walk: The walk through the workspace.
        limits: How much of it is indexed.
        clock: Returns monotonic seconds.
        now_ns: Returns the time of the file system in nanoseconds.
        first: The folders whose files are indexed first, from the root, with a slash at the end.
        is_limited: Whether the last look found more files than are indexed.
        needs_look: Whether a change was reported that only a look at all files can answer.
        moved: The files that the last look found under another path, each as the path before and now.
    """

    store: IndexStore
    walk: Walk
    limits: IndexLimits
    clock: Callable[[], float] = time.monotonic  # noqa: TID251  # unless another is passed in
    now_ns: Callable[[], int] = time.time_ns  # noqa: TID251  # unless another is passed in
    first: set[str] = field(default_factory=set)
    is_limited: bool = False
    needs_look: bool = True
    moved: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        self.known = self.store.known_files()
        self._urgent: deque[FoundFile] = deque()
        self._waiting: deque[FoundFile] = deque()
        self._deleted: set[str] = set()
        self._beyond: set[str] = set()
        self.total = 0
        """The number of files to do since the index was up to date last."""
        self._changed_count = 0
        """How many of them were found changed, and are not only read again because their times tell nothing."""

    @property
    def is_urgent(self) -> bool:
        """Whether files are to be done that were reported as changed, one by one."""
        return bool(self._urgent)

    @property
    def left(self) -> int:
        """The number of files that are still to do."""
        return len(self._urgent) + len(self._waiting) + len(self._deleted) + len(self._beyond)

    def look(self, *, trust: bool = True) -> Iterator[None]:
        """Look at all files of the workspace, and put the changed ones into the queue. Pause often.

        Args:
            trust: Whether an equal stamp means an equal file. Without trust, every file is read.
        """
        self.needs_look = False
        self.walk.unreadable.clear()
        self.walk.rules.clear_cache()
        found: dict[str, FoundFile] = {}
        for number, file in enumerate(self.walk):
            found[file.path] = file
            if number % _LOOK_PAUSE == 0:
                yield
        unreadable = tuple(self.walk.unreadable)
        deleted = self.known.keys() - found.keys()
        self.moved = tuple(self._find_moved(deleted, found))
        self._beyond = self.known.keys() & self._limit(found)
        self._deleted = (
            {path for path in deleted if not path.startswith(unreadable)} if unreadable else deleted
        )
        changed = [
            file
            for path, file in found.items()
            if not trust or path not in self.known or self.known[path].stamp != file.stamp
        ]
        self._waiting = deque(sorted(changed, key=self._urgency))
        self.total = self.left
        checked = sum(
            file.path in self.known and self.known[file.path].stamp == _UNTRUSTED for file in changed
        )
        self._changed_count = self.total - checked

    def _find_moved(
        self, deleted: Iterable[str], found: Mapping[str, FoundFile]
    ) -> Iterator[tuple[str, str]]:
        """Yield the files that are gone and that are there under a new path: the same file, unchanged."""
        new = {_identity(file.stamp): path for path, file in found.items() if path not in self.known}
        for path in sorted(deleted) if new else ():
            now = new.get(_identity(self.known[path].stamp))
            if now is not None:
                yield path, now

    def look_at(self, paths: Iterable[str]) -> None:
        """Look at files that have changed, appeared or gone. They are the next ones to be indexed.

        Args:
            paths: Their paths from the root, with slashes.
        """
        for path in paths:
            if path.rpartition("/")[2] == IGNORE_FILE:
                self.needs_look = True
                self.walk.rules.clear_cache()
            found = self.walk.find(path)
            if found is None and path in self.known:
                self._deleted.add(path)
                self.total, self._changed_count = self.total + 1, self._changed_count + 1
            elif found is None and (self.walk.root / path).is_dir():
                self.needs_look = True
            elif found is None:
                self.needs_look = self.needs_look or any(name.startswith(f"{path}/") for name in self.known)
            elif path in self.known or len(self.known) < self.limits.max_files:
                self._urgent.append(found)
                self.total, self._changed_count = self.total + 1, self._changed_count + 1

    def prefer(self, folders: Iterable[str]) -> None:
        """Index the files in these folders before others.

        Args:
            folders: Their paths from the root, with a slash at the end.
        """
        if not self.first.issuperset(folders):
            self.first |= set(folders)
            self._waiting = deque(sorted(self._waiting, key=self._urgency))

    def work(self) -> bool:
        """Do the next part of the work in the queue, and return whether there is more.

        Raises:
            IndexUnusableError: The index is damaged, or there is no room for more of it.
        """
        if self._urgent:
            self._store_next(self._urgent)
        elif self._deleted or self._beyond:
            self._remove_some()
        elif self._waiting:
            self._store_next(self._waiting)
        else:
            return False
        return True

    def _remove_some(self) -> None:
        """Remove files of the index. One that is there again, as after a look that took long, stays."""
        deleted, beyond = list(islice(self._deleted, _REMOVED)), list(islice(self._beyond, _REMOVED))
        back = [found for found in map(self.walk.find, deleted) if found is not None]
        self._urgent += back
        removed = [*(set(deleted) - {found.path for found in back}), *beyond]
        with self.store.transaction():
            self.store.remove_files(removed)
            # Many files may be back soon, with their branch. Of few, or of those that are only excluded, nothing is to stay.
            if self._changed_count <= FEW_FILES or any((self.walk.root / path).is_file() for path in removed):
                self.store.set_meta(FORGOTTEN_AT, 0)
        self._deleted.difference_update(deleted)
        self._beyond.difference_update(beyond)
        for path in removed:
            self.known.pop(path, None)

    def _store_next(self, waiting: deque[FoundFile]) -> None:
        """Store the next files of a queue."""
        prepared: list[_Prepared] = []
        until = self.clock() + PREPARE_S
        for _ in range(len(waiting)):
            ready = self._prepare(waiting.popleft())
            if ready is not None:
                prepared.append(ready)
            if self.clock() >= until:
                break
        try:
            self._store(prepared)
        except BaseException:
            waiting.extendleft(ready.found for ready in reversed(prepared))
            raise

    def finish(self) -> None:
        """Store that the index is up to date, and the time."""
        with self.store.transaction():
            self.store.set_meta("builtAt", int(self.now_ns() // 1_000_000_000))
            self.store.set_meta("isLimited", int(self.is_limited))
        self.total = self._changed_count = 0

    def _limit(self, found: dict[str, FoundFile]) -> set[str]:
        """Take files out that are beyond the limits, the least urgent ones, and return their paths."""
        beyond: set[str] = set()
        size = sum(file.stamp.size for file in found.values())
        if len(found) > self.limits.max_files or size > self.limits.max_bytes:
            kept = size = 0
            for file in sorted(found.values(), key=self._urgency):
                kept, size = kept + 1, size + file.stamp.size
                if kept > self.limits.max_files or size > self.limits.max_bytes:
                    beyond.add(file.path)
        for path in beyond:
            del found[path]
        self.is_limited = bool(beyond)
        return beyond

    def _urgency(self, file: FoundFile) -> tuple[bool, int, str]:
        """Return the key of the order: preferred folders, then what was written last, as by a commit or a pull."""
        folder = file.path.rpartition("/")[0] + "/"
        return folder not in self.first, -file.stamp.mtime_ns, file.path

    def _prepare(self, found: FoundFile) -> _Prepared | None:
        """Read a file. Return None if it is gone, and where it is the same as before."""
        full = self.walk.root / found.path
        try:
            data = self.walk.read(found.path)
        except (FileNotFoundError, UnreadableFileError):
            if found.path in self.known:
                self._deleted.add(found.path)
            return None
        content_hash = hash_content(data)
        language = language_of(found.path)
        stored = self.store.find_content(content_hash, language)
        if stored is None:
            stored = self.store.find_content(content_hash, BINARY)
        found = FoundFile(found.path, self._trusted_stamp(full, found.stamp))
        content = analyze(found.path, data, content_hash) if stored is None else None
        return _Prepared(found, content_hash, stored, content)

    def _trusted_stamp(self, path: Path, stamp: FileStamp) -> FileStamp:
        """Return the stamp under which a file that was just read is known.

        A file that changes while it is read, or that may change again without another time, is read again later.
        """
        try:
            now = FileStamp.from_stat(path.lstat())
        except OSError:
            return _UNTRUSTED
        is_racy = now.mtime_ns > self.now_ns() - RACY_NS
        return _UNTRUSTED if now != stamp or is_racy else stamp

    def _store(self, prepared: list[_Prepared]) -> None:
        """Store files, in as many transactions as keep each of them short."""
        waiting = deque(prepared)
        while waiting:
            content = waiting[0].content
            if content is not None and len(content.chunks) > CHUNKS_PER_TRANSACTION:
                self._store_chunks(content)
            until = self.clock() + TRANSACTION_S
            done: list[tuple[_Prepared, int]] = []
            with self.store.transaction():
                while waiting and (not done or self.clock() < until):
                    ready = waiting.popleft()
                    done.append((ready, self._store_file(ready)))
            for ready, number in done:
                self.known[ready.found.path] = KnownFile(ready.found.stamp, number, ready.content_hash)
            self.store.merge(MERGE_PAGES)

    def _store_chunks(self, content: IndexedContent) -> None:
        for start in range(0, len(content.chunks), CHUNKS_PER_TRANSACTION):
            with self.store.transaction():
                self.store.add_chunks(content.chunks[start : start + CHUNKS_PER_TRANSACTION])

    def _store_file(self, ready: _Prepared) -> int:
        number = ready.stored
        if number is None and ready.content is not None:
            # Two files of one batch can have one content.
            number = self.store.find_content(ready.content.hash, ready.content.language)
            if number is None:
                number = self.store.add_content(ready.content)
        assert number is not None
        self.store.put_file(ready.found.path, number, ready.found.stamp)
        return number


def _identity(stamp: FileStamp) -> tuple[int, int, int]:
    """Return what a file keeps when it gets another path."""
    return stamp.inode, stamp.mtime_ns, stamp.size
