"""The index of the workspace and the mined rules, as one server has them: started, configured, told of changed files."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types

from editahead_retrieval.process.messages import IndexReport
from editahead_workspace.codebase.index_service import IndexService, moved_uris
from editahead_workspace.mined_rules.rules_watch import RulesWatch
from editahead_workspace.open_files import OpenFiles
from editahead_workspace.settings import Settings

from .client_connection import ClientConnection
from .file_reader import FileReader
from .prediction.scheduler import PredictionScheduler
from .presentation.index_progress import IndexProgress
from .protocol.custom_messages import ChangedFile
from .session.session import Session

if TYPE_CHECKING:
    from editahead_inference.mined_rules.repository import RepositoryRules
    from editahead_workspace.codebase.workspace_codebase import WorkspaceCodebase

_FILE_WATCH_REGISTRATION = {
    "id": "editahead-index",
    "method": types.WORKSPACE_DID_CHANGE_WATCHED_FILES,
    "registerOptions": {"watchers": [{"globPattern": "**/*"}]},
}
_CREATED, _DELETED = 1, 3
"""How LSP numbers what happened to a file."""
MAX_COMPARED_FILES = 20
"""Created and deleted files that are compared. A branch switch has more, and moves no file that a person moves."""


class WorkspaceIndex:
    """The indexes of the workspace folders, and the rules that were mined there. Call its methods on the event loop.

    Args:
        session: The session.
        predictions: Uses the codebase and the rules.
        client: The client, which may watch files and show progress.
        files: Reads files off the event loop.
        cache_folder: The folder of all indexes.
        state_folder: The folder of the user's secret and of the rules.

    Attributes:
        service: The indexes.
        on_report: Called after each report of an index.
    """

    def __init__(
        self,
        session: Session,
        predictions: PredictionScheduler,
        client: ClientConnection,
        files: FileReader,
        cache_folder: Path,
        state_folder: Path,
    ) -> None:
        self._session, self._predictions, self._client, self._files = session, predictions, client, files
        self.on_report: Callable[[], None] = lambda: None
        self._progress = IndexProgress(client.notify, client.send_request)
        self._rules = RulesWatch(state_folder, files.read, self._use_rules)
        self.service = IndexService(
            cache_folder,
            state_folder,
            self._call_soon,
            OpenFiles(session.documents.uris).find,
            on_codebase=self._set_codebase,
            on_report=self._show_report,
            on_version=self._count_version,
        )
        self._loop: asyncio.AbstractEventLoop | None = None

    def start(self, folders: Sequence[Path]) -> None:
        """Start the indexes of the workspace folders that are to have one, and ask the client for changed files."""
        self._loop = asyncio.get_running_loop()
        self.configure(self._session.settings, folders)

    def configure(self, settings: Settings, folders: Sequence[Path]) -> None:
        """Follow the settings and the workspace folders. Before the start, do nothing."""
        if self._loop is None:
            return
        was_on, is_watched = self.service.is_on, self._client.capabilities.watches_files
        self._rules.look(folders)
        self.service.configure(settings, folders, is_watched=is_watched)
        if is_watched and self.service.is_on and not was_on:
            params = {"registrations": [_FILE_WATCH_REGISTRATION]}
            self._client.send_request(types.CLIENT_REGISTER_CAPABILITY, params)

    def on_saved(self, uri: str) -> None:
        """Index a document that was saved, and read the rules again if they have changed."""
        self.service.on_changed([uri])
        self._rules.look()

    def on_files_changed(self, changes: Sequence[ChangedFile]) -> None:
        """Learn, off the event loop, which of the changed files were moved, and then index them all."""
        created, deleted = ([one.uri for one in changes if one.type == kind] for kind in (_CREATED, _DELETED))

        def index(moved: Sequence[tuple[str, str]]) -> None:
            self._session.on_all_moved(moved)
            self.service.on_changed([change.uri for change in changes])

        if created and deleted and len(created) + len(deleted) <= MAX_COMPARED_FILES:
            self._files.read(lambda: self.service.find_moved(deleted, created), index)
        else:
            index(())

    def stop(self) -> None:
        """End the processes of all indexes."""
        self.service.stop()

    def _call_soon(self, action: Callable[[], None]) -> None:
        """Call a function on the event loop, from any thread. After the end of the loop, do nothing."""
        if self._loop is not None:
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(action)

    def _set_codebase(self, codebase: WorkspaceCodebase | None) -> None:
        self._session.index_version = 0
        self._predictions.set_codebase(codebase)

    def _use_rules(self, repositories: Sequence[RepositoryRules]) -> None:
        self._predictions.set_repository_rules(repositories)
        self._count_version()

    def _show_report(self, root: Path, report: IndexReport) -> None:
        if self._client.capabilities.shows_progress:
            self._progress.on_report(root, report)
        self._session.on_all_moved(moved_uris(root, report))
        self.on_report()

    def _count_version(self) -> None:
        if self.service.is_on:
            self._session.index_version += 1
