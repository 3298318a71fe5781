"""The codebase of a workspace folder for one command, by an index that is first brought up to date, or built."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from editahead_retrieval.errors import IndexUnusableError
from editahead_retrieval.files.exclusion_rules import ExclusionRules
from editahead_retrieval.files.ignore_patterns import IgnorePatterns
from editahead_retrieval.index import location
from editahead_retrieval.index.reader import IndexReader
from editahead_retrieval.process.messages import IndexReport, IndexRequest, IndexTask
from editahead_retrieval.process.worker import IndexWorker, run
from editahead_workspace import user_dirs
from editahead_workspace.errors import IndexNotReadyError
from editahead_workspace.settings import Settings

from .index_service import make_task
from .workspace_codebase import IndexedFolder, WorkspaceCodebase

_DOING = {"looking": "looking for changed files", "building": "indexing"}


@dataclass(frozen=True)
class CurrentIndex:
    """The index of a workspace folder, as up to date as it could be brought.

    Attributes:
        folder: The folder and its index.
        report: How far the index is.
        has_server: Whether another process keeps it up to date.
    """

    folder: IndexedFolder
    report: IndexReport
    has_server: bool

    @property
    def is_whole(self) -> bool:
        """Whether the index has been built to its end once."""
        return self.report.state == "ready" or (self.has_server and is_whole(self.folder.database))


@contextmanager
def open_index(
    root: Path,
    settings: Settings,
    *,
    cache: Path | None = None,
    state: Path | None = None,
    build_s: float | None = None,
    clock: Callable[[], float] = time.monotonic,
    check: Callable[[], None] = lambda: None,
    on_progress: Callable[[str, int, int], None] = lambda what, done, total: None,
) -> Iterator[CurrentIndex]:
    """Open the index of a workspace folder, after it was brought up to date, or built.

    Where the setting `index` is "off", the index is in a temporary folder. Where a running server keeps the index up to
    date, it is taken as it is.

    Args:
        root: The workspace folder.
        settings: The settings that hold there.
        cache: The folder of all indexes; None = the platform's.
        state: The folder of the user's secret; None = the platform's.
        build_s: Seconds after which the index is taken as far as it is; None = no limit.
        clock: Returns monotonic seconds.
        check: Raises to cancel.
        on_progress: Called with what is done, how many files are done, and of how many.
    """
    task = make_task(settings, root, cache or user_dirs.index_folder(), state or user_dirs.state_folder())
    deadline = None if build_s is None else clock() + build_s

    def wait(pause: float) -> Sequence[IndexRequest] | None:
        check()
        return None if deadline is not None and clock() >= deadline else ()

    with tempfile.TemporaryDirectory(prefix="editahead-") as folder:
        if settings.index == "off":
            task = replace(task, folder=folder)
        report = _bring_up_to_date(task, wait, on_progress)
        rules = ExclusionRules([root], IgnorePatterns(settings.exclude))
        indexed = IndexedFolder(root, task.folder_path / location.DATABASE, rules)
        yield CurrentIndex(indexed, report, report.state == "waiting")


@contextmanager
def open_codebase(
    root: Path,
    settings: Settings,
    *,
    cache: Path | None = None,
    state: Path | None = None,
    is_open: Callable[[str], object] = lambda uri: False,
    check: Callable[[], None] = lambda: None,
    on_progress: Callable[[str, int, int], None] = lambda what, done, total: None,
) -> Iterator[WorkspaceCodebase]:
    """Open the codebase of a workspace folder, with an index that is whole and up to date; see `open_index`.

    Args:
        root: The workspace folder.
        settings: The settings that hold there.
        cache: The folder of all indexes; None = the platform's.
        state: The folder of the user's secret; None = the platform's.
        is_open: Returns whether a document with this URI is open, so that the file on disk does not count.
        check: Raises to cancel.
        on_progress: Called with what is done, how many files are done, and of how many.

    Raises:
        IndexNotReadyError: There is no whole index, and none can be built.
    """
    with open_index(
        root, settings, cache=cache, state=state, check=check, on_progress=on_progress
    ) as current:
        if current.has_server and not current.is_whole:
            raise IndexNotReadyError(
                "a running server builds the index; `editahead index status` tells when it is done"
            )
        if not current.is_whole:
            raise IndexNotReadyError(
                f"the index cannot be built: {current.report.detail or current.report.state}"
            )
        codebase = WorkspaceCodebase(
            [current.folder],
            settings.max_file_bytes,
            is_open=is_open,
            on_stale=lambda root, path: None,
            on_damage=lambda root: None,
        )
        try:
            yield codebase
        finally:
            codebase.close()


def _bring_up_to_date(
    task: IndexTask,
    wait: Callable[[float], Sequence[IndexRequest] | None],
    on_progress: Callable[[str, int, int], None],
) -> IndexReport:
    last = IndexReport("looking")

    def receive(report: IndexReport) -> None:
        nonlocal last
        last = report
        if report.state in _DOING:
            on_progress(_DOING[report.state], report.done, report.total)

    run(IndexWorker(task, receive), wait, until_ready=True)
    return last


def is_whole(database: Path) -> bool:
    """Return whether an index has been built to its end once."""
    reader = IndexReader(database)
    try:
        return "builtAt" in reader.meta()
    except IndexUnusableError:
        return False
    finally:
        reader.close()
