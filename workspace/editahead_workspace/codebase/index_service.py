"""The indexes of the workspace folders: one process each, what it reports, and what it hears from the editor."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from editahead_retrieval.files.exclusion_rules import ExclusionRules
from editahead_retrieval.files.file_identity import path_from_folder
from editahead_retrieval.files.ignore_patterns import IgnorePatterns
from editahead_retrieval.index import location
from editahead_retrieval.process.index_pool import INDEX_POOL, IndexHandle, StartIndex
from editahead_retrieval.process.messages import IndexReport, IndexRequest, IndexTask
from editahead_workspace import uris
from editahead_workspace.settings import Settings
from editahead_workspace.user_secret import load_or_create_user_secret

from .search_encoder import encoder_options

if TYPE_CHECKING:
    from .workspace_codebase import IndexedFolder, WorkspaceCodebase

log = logging.getLogger(__name__)

VERSION_CONTROL = (".git", ".hg", ".svn", ".jj")
"""Folders of version control. With `index` = "auto", a workspace folder has an index if one of them is in it."""
MAX_STARTS = 3
"""Starts of the process of one folder. One that ends again and again is left alone."""


@dataclass
class _Running:
    task: IndexTask
    process: IndexHandle
    report: IndexReport
    starts: int = 1
    has_built: bool = True


class IndexService:
    """The indexes of the workspace folders. Call its methods on the event loop.

    Args:
        cache: The folder of all indexes.
        state: The folder of the user's secret.
        call_soon: Calls a function on the event loop, from any thread.
        is_open: Returns whether a document with this URI is open; any thread may call it.
        on_codebase: Called with the closed files of the workspace; None without an index.
        on_report: Called with the folder and each report of its process.
        on_version: Called when answers of an index may have changed.
        start: Starts a process.
    """

    def __init__(
        self,
        cache: Path,
        state: Path,
        call_soon: Callable[[Callable[[], None]], None],
        is_open: Callable[[str], object],
        *,
        on_codebase: Callable[[WorkspaceCodebase | None], None],
        on_report: Callable[[Path, IndexReport], None],
        on_version: Callable[[], None],
        start: StartIndex = INDEX_POOL.start,
    ) -> None:
        self._cache, self._state = cache, state
        self._call_soon, self._is_open, self._start = call_soon, is_open, start
        self._on_codebase, self._on_report, self._on_version = on_codebase, on_report, on_version
        self._running: dict[Path, _Running] = {}
        self._codebase: WorkspaceCodebase | None = None
        self.folders: Sequence[IndexedFolder] = ()
        """The workspace folders with an index. Their rules are safe to use on any thread."""

    @property
    def reports(self) -> Mapping[Path, IndexReport]:
        """What the process of each workspace folder with an index does."""
        return {root: running.report for root, running in self._running.items()}

    @property
    def is_on(self) -> bool:
        """Whether a workspace folder has an index."""
        return bool(self._running)

    def find_moved(self, deleted: Sequence[str], created: Sequence[str]) -> list[tuple[str, str]]:
        """Return which files were moved, see `WorkspaceCodebase.find_moved`. Any thread may call it."""
        codebase = self._codebase
        return [] if codebase is None else codebase.find_moved(deleted, created)

    def configure(self, settings: Settings, folders: Sequence[Path], *, is_watched: bool) -> None:
        """Start and stop processes as the settings say.

        Args:
            settings: The settings.
            folders: The workspace folders.
            is_watched: Whether the client reports changed files.
        """
        wanted = {
            root: task
            for root in folders
            if is_wanted(settings.index, root)
            for task in [self._task(settings, root, is_watched)]
        }
        if wanted == {root: running.task for root, running in self._running.items()}:
            return
        for root, running in list(self._running.items()):
            if wanted.get(root) != running.task:
                running.process.stop()
                del self._running[root]
        for root, task in wanted.items():
            if root not in self._running:
                process = self._start(task, self._receiver(root, task))
                self._running[root] = _Running(task, process, IndexReport("looking"))
        self._set_codebase(settings)

    def on_opened(self, uri: str) -> None:
        """Index the files beside a document first."""
        for running, path in self._places(uri):
            folder, slash, _ = path.rpartition("/")
            running.process.send(IndexRequest(prefer=(folder + slash,)))

    def on_changed(self, changed: Iterable[str]) -> None:
        """Index files that were saved, created, deleted or changed by another program.

        Args:
            changed: Their URIs.
        """
        by_root: dict[Path, list[str]] = {}
        for uri in changed:
            for running, path in self._places(uri):
                by_root.setdefault(running.task.root_path, []).append(path)
        for root, paths in by_root.items():
            self._running[root].process.send(IndexRequest(changed=tuple(paths)))

    def stop(self) -> None:
        """Stop all processes."""
        for running in self._running.values():
            running.process.stop()
        self._running.clear()
        if self._codebase is not None:
            self._codebase.close()
            self._codebase = None

    def _task(self, settings: Settings, root: Path, is_watched: bool) -> IndexTask:
        return make_task(settings, root, self._cache, self._state, is_watched=is_watched)

    def _set_codebase(self, settings: Settings) -> None:
        from .workspace_codebase import IndexedFolder, WorkspaceCodebase

        if self._codebase is not None:
            self._codebase.close()
        self.folders = [
            IndexedFolder(
                root,
                running.task.folder_path / location.DATABASE,
                ExclusionRules([root], IgnorePatterns(settings.exclude)),
            )
            for root, running in self._running.items()
        ]
        self._codebase = (
            WorkspaceCodebase(
                self.folders,
                settings.max_file_bytes,
                self._is_open,
                lambda root, path: self._call_soon(
                    lambda: self._request(root, IndexRequest(changed=(path,)))
                ),
                lambda root: self._call_soon(lambda: self._request(root, IndexRequest(rebuild=True))),
            )
            if self.folders
            else None
        )
        self._on_codebase(self._codebase)
        self._on_version()

    def _request(self, root: Path, request: IndexRequest) -> None:
        if root in self._running:
            self._running[root].process.send(request)

    def _places(self, uri: str) -> list[tuple[_Running, str]]:
        """Return the indexes that a document belongs to, each with the document's path from its root."""
        path = uris.uri_to_path(uri)
        if path is None:
            return []
        inner = [
            (running, path_from_folder(Path(os.path.normpath(path)), root))
            for root, running in self._running.items()
        ]
        return [(running, found.as_posix()) for running, found in inner if found is not None and found.parts]

    def _receiver(self, root: Path, task: IndexTask) -> Callable[[IndexReport], None]:
        return lambda report: self._call_soon(lambda: self._receive(root, task, report))

    def _receive(self, root: Path, task: IndexTask, report: IndexReport) -> None:
        running = self._running.get(root)
        if running is None or running.task is not task:
            return  # of a process that was stopped
        running.report = report
        if report.state == "ready" and report.detail:
            log.warning("index: %s", report.detail)
        if report.state == "building":
            running.has_built = True
        elif report.state == "ready" and running.has_built:
            running.has_built = False
            for folder in self.folders:
                folder.rules.clear_cache()
            self._on_version()
        elif report.state == "failed":
            log.warning("index: %s", report.detail)
        elif report.state == "ended" and running.starts < MAX_STARTS:
            log.warning("index: the process ended and is started again")
            running.starts += 1
            running.process = self._start(task, self._receiver(root, task))
        self._on_report(root, report)


def moved_uris(root: Path, report: IndexReport) -> list[tuple[str, str]]:
    """Return the URIs before and now of the files of a folder that a look found under another path."""
    return [(uris.path_to_uri(root / old), uris.path_to_uri(root / new)) for old, new in report.moved]


def is_wanted(mode: str, root: Path) -> bool:
    """Return whether a workspace folder has an index.

    Args:
        mode: The setting `index`.
        root: The workspace folder.
    """
    if mode == "auto":
        return any((root / name).exists() for name in VERSION_CONTROL)
    return mode == "on"


def make_task(
    settings: Settings, root: Path, cache: Path, state: Path, *, is_watched: bool = False
) -> IndexTask:
    """Return the task of the process that keeps the index of a workspace folder up to date.

    Args:
        settings: The settings.
        root: The workspace folder.
        cache: The folder of all indexes.
        state: The folder of the user's secret.
        is_watched: Whether the process hears of changed files.
    """
    folder = location.index_folder(cache, root, load_or_create_user_secret(state))
    return IndexTask(
        str(root),
        str(folder),
        tuple(settings.exclude),
        settings.max_file_bytes,
        settings.index_max_files,
        settings.index_max_bytes,
        is_watched,
        *encoder_options(settings),
        settings.team_index or "",
        settings.team_index_key_env or "",
        settings.team_index_password_env or "",
    )
