"""The server object: the connection, session and predictions of one client, and the loop that serves stdio."""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInternalError
from pygls.lsp.server import LanguageServer

from editahead_inference.worker_thread import WorkerThread
from editahead_lsp.presentation.index_progress import IndexProgress
from editahead_lsp.session.text_before import (
    LOOK_INTERVAL_S,
    MAX_LOOK_S,
    MAX_LOOK_WAIT_S,
    find_text_before,
)
from editahead_prompts.text.snapshot import Snapshot
from editahead_retrieval.process.messages import IndexReport
from editahead_workspace import positions, uris, user_dirs
from editahead_workspace.codebase.index_service import IndexService, moved_uris
from editahead_workspace.file_exclusion import FileExclusion, workspace_paths
from editahead_workspace.mined_rules.rules_watch import RulesWatch
from editahead_workspace.model_config import ModelConfig
from editahead_workspace.open_files import OpenFiles
from editahead_workspace.outcome_log import FILE_NAME, OutcomeLog
from editahead_workspace.settings import Settings, load_settings

from . import __version__
from .errors import MessageTooLargeError
from .features import register_all
from .finish.places_left import PlacesLeft
from .finish.service import FinishService
from .late_imports import load_apply, load_pipeline
from .model.prompt_warmer import PromptWarmer
from .prediction.coordinator import ALL_REUSE, PredictionCoordinator, ReuseOptions
from .prediction.job import PredictionPipeline
from .prediction.scheduler import PredictionScheduler
from .presentation.diagnostics_board import DiagnosticsBoard
from .presentation.left_places import LeftPlaces
from .presentation.next_edit_marker import NextEditMarker
from .presentation.next_edit_refresh import NextEditRefresh
from .protocol.client_capabilities import ClientCapabilities
from .protocol.converter import make_converter
from .protocol.custom_messages import ChangedFile
from .session.outcome_tracker import OutcomeTracker
from .session.session import Session
from .session.session_clock import SessionClock
from .session.session_recorder import FOLDER_NAME, SessionRecorder
from .transport import parent_process
from .transport.json_rpc import JsonRpcProtocol
from .transport.message_framing import MAX_MESSAGE_BYTES, parse_body
from .transport.stdio import ClientWriter, StdinReaderThread

if TYPE_CHECKING:
    from editahead_inference.mined_rules.repository import RepositoryRules
    from editahead_inference.predictors.model.predictor import ModelPredictor
    from editahead_lsp.search.search_service import SearchService
    from editahead_workspace.codebase.workspace_codebase import WorkspaceCodebase

    from .apply.service import ApplyService

T = TypeVar("T")

log = logging.getLogger(__name__)

_FILE_WATCH_REGISTRATION = {
    "id": "editahead-index",
    "method": types.WORKSPACE_DID_CHANGE_WATCHED_FILES,
    "registerOptions": {"watchers": [{"globPattern": "**/*"}]},
}
_CREATED, _DELETED = 1, 3
"""How LSP numbers what happened to a file."""
MAX_COMPARED_FILES = 20
"""Created and deleted files that are compared. A branch switch has more, and moves no file that a person moves."""


class Server(LanguageServer):
    """A language server for one client.

    Args:
        make_pipeline: Returns the pipeline; called on the worker thread.
        clock: Returns monotonic time in seconds.
        sleep: Waits for a number of seconds.
        reuse: How answers may be found without a new prediction.
        environment: The environment variables, one of the sources of settings.
        user_folder: The folder of the user's settings; None = the platform's folder.
        state_folder: The folder of the outcome log and of journals; None = the platform's folder.
        cache_folder: The folder of indexes and of what else can be made again; None = the platform's folder.
        now: Returns Unix time in seconds.
        run_id: A unique name of this run for the outcome log; None = a random one.
        create_model: Returns the model that the settings name, if any. Raises ValueError with the reason if it cannot.
    """

    protocol: JsonRpcProtocol

    def __init__(
        self,
        make_pipeline: Callable[[], PredictionPipeline] = load_pipeline,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        reuse: ReuseOptions = ALL_REUSE,
        environment: Mapping[str, str] = os.environ,
        user_folder: Path | None = None,
        state_folder: Path | None = None,
        cache_folder: Path | None = None,
        now: Callable[[], float] = time.time,
        run_id: str | None = None,
        create_model: Callable[[ModelConfig], ModelPredictor | None] = ModelConfig.create_predictor,
    ) -> None:
        super().__init__(
            "editahead", __version__, protocol_cls=JsonRpcProtocol, converter_factory=make_converter
        )
        self.clock = clock
        self._sleep = sleep
        self._environment = environment
        self._user_folder = user_dirs.config_folder() if user_folder is None else user_folder
        self.client = ClientCapabilities()
        state_folder = user_dirs.state_folder() if state_folder is None else state_folder
        self._state_folder, self._now = state_folder, now
        self._journals = user_dirs.journal_folder(state_folder)
        run_id = run_id or secrets.token_hex(8)
        outcome_log = OutcomeLog(state_folder / FILE_NAME, clock)
        self.session_clock = SessionClock(clock)
        self.recorder = SessionRecorder(state_folder / FOLDER_NAME, now, run_id)
        outcomes = OutcomeTracker(self.session_clock, now, run_id, outcome_log)
        self.session = Session(self.session_clock, outcomes, self.recorder)
        self.predictions = PredictionScheduler(make_pipeline, clock, sleep, cache_size=reuse.cache_size)
        self.next_edit_refresh = NextEditRefresh(self)
        self.predictions.on_improved = self.next_edit_refresh.on_improved
        self.coordinator = PredictionCoordinator(self.session, self.predictions, clock, sleep, reuse)
        self.finish_service = FinishService(self.session, user_dirs.index_folder(cache_folder), state_folder)
        self.diagnostics_board = DiagnosticsBoard(self.protocol.notify)
        self.next_edit_marker = NextEditMarker(self, sleep)
        self.left_places = LeftPlaces(self, sleep)
        self.places_left = PlacesLeft(self, sleep)
        self.rules_watch = RulesWatch(state_folder, self._read_files, self._use_rules)
        self.prompt_warmer = PromptWarmer(self.session, self.predictions.models, clock, sleep)
        self._listeners = (self.next_edit_marker, self.prompt_warmer, self.places_left, self.left_places)
        self.index_progress = IndexProgress(self.protocol.notify, self._request_without_answer)
        self.index = IndexService(
            user_dirs.index_folder(cache_folder),
            state_folder,
            self._call_soon,
            OpenFiles(self.session.documents.uris).find,
            on_codebase=self._set_codebase,
            on_report=self._on_index_report,
            on_version=self._on_index_version,
        )
        self._index_started = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self.client_renders_edits = False
        """Whether the client can show an edit before it is applied: by `initialize` or a request that only such send."""
        self.watch_client_process = True
        """Whether to exit when the client's process has ended."""
        self.over_network = False
        """Whether the client came over TCP. Such a client chooses no model server, no key and no log."""
        self._create_model = create_model
        self._model_config: ModelConfig | None = None
        self.progress_tasks: dict[int | str, asyncio.Task[Any]] = {}
        """The requests that report progress and that the client can cancel, by progress token."""
        self.model_error: str | None = None
        """Why there is no model, though the settings name one."""
        self._options: Any = None
        self._folders: tuple[str, ...] = ()
        self.workspace_paths: tuple[Path, ...] = ()
        """The workspace folders."""
        self._settings_problems: tuple[str, ...] = ()
        self._shown_problems: set[str] = set()
        self._process_watch: asyncio.Task[None] | None = None
        self._exit_requested = asyncio.Event()
        register_all(self)

    @cached_property
    def apply_service(self) -> ApplyService:
        """The service that applies sketches. `initialize` does not wait for its import."""
        from .apply.service import ApplyService

        return ApplyService(self.session, self.clock, lambda: self.workspace_paths)

    def load_when_idle(self) -> None:
        """Import, off the event loop, what the first request for a sketch would wait for."""
        self.predictions.run_when_idle(load_apply)

    def initialize_session(self, client: ClientCapabilities, process_id: int | None) -> None:
        """Start the session with this client.

        Args:
            client: The client's capabilities and options.
            process_id: The client's process; the server exits when that process has ended.
        """
        self.client = client
        self.client_renders_edits = client.shows_edits
        self.session.encoding = positions.negotiate_encoding(client.encodings)
        self.session.can_open_files = client.shows_documents
        self._folders, self._options = client.folders, client.options
        self._apply_settings()
        self.protocol.initialized = True
        # Once the answer is written: the imports of the pipeline would slow it down.
        asyncio.get_running_loop().call_soon(self._start_predictions)
        if process_id is not None and self.watch_client_process:
            self._process_watch = asyncio.ensure_future(self._exit_with_client(process_id))

    def _start_predictions(self) -> None:
        if not self._exit_requested.is_set():
            self.predictions.start()

    def configure(self, options: Any) -> None:
        """Replace the client's settings. Options that are missing keep the values from `initialize`."""
        if isinstance(options, Mapping) and isinstance(self.client.options, Mapping):
            options = {**self.client.options, **options}
        self._options = options
        self._apply_settings()
        self.next_edit_marker.on_message()
        self.show_settings_problems()

    def update_workspace_folders(self, added: Sequence[str], removed: Sequence[str]) -> None:
        """Add and remove workspace folders.

        Args:
            added: URIs of folders.
            removed: URIs of folders.
        """
        changed = {uris.canonical_key(uri) for uri in (*removed, *added)}
        self._folders = (*(uri for uri in self._folders if uris.canonical_key(uri) not in changed), *added)
        self._apply_settings()
        self.show_settings_problems()

    def show_settings_problems(self) -> None:
        """Show each problem with the settings once."""
        for message in self._settings_problems:
            if message not in self._shown_problems:
                self._shown_problems.add(message)
                self.window_show_message(
                    types.ShowMessageParams(types.MessageType.Warning, f"Editahead: {message}")
                )

    def recover_writes(self) -> None:
        """Finish or take back writes of a killed process in the workspace, and show what was done."""
        if not self._journals.is_dir():
            return
        from editahead_workspace.file_writes.recovery import recover

        for message in recover(self.workspace_paths, self._journals):
            text = f"Editahead: {message[0].upper()}{message[1:]}."
            self.window_show_message(types.ShowMessageParams(types.MessageType.Warning, text))

    def start_index(self) -> None:
        """Start the indexes of the workspace folders that are to have one, and ask the client for changed files."""
        self._index_started, self._loop = True, asyncio.get_running_loop()
        self._configure_index()

    def _configure_index(self) -> None:
        if not self._index_started:
            return
        was_on, watched = self.index.is_on, self.client.watches_files
        self.rules_watch.look(self.workspace_paths)
        self.index.configure(self.session.settings, self.workspace_paths, is_watched=watched)
        if watched and self.index.is_on and not was_on:
            params = {"registrations": [_FILE_WATCH_REGISTRATION]}
            self._request_without_answer(types.CLIENT_REGISTER_CAPABILITY, params)

    def _request_without_answer(self, method: str, params: Any) -> None:
        """Send a request. An error in the answer changes nothing."""
        future = self.protocol.send_request(method, params)
        future.add_done_callback(lambda done: None if done.cancelled() else done.exception())

    def _call_soon(self, action: Callable[[], None]) -> None:
        """Call a function on the event loop, from any thread. After the end of the loop, do nothing."""
        if self._loop is not None:
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(action)

    def _set_codebase(self, codebase: WorkspaceCodebase | None) -> None:
        self.session.index_version = 0
        self.predictions.set_codebase(codebase)

    def _use_rules(self, repositories: Sequence[RepositoryRules]) -> None:
        self.predictions.set_repository_rules(repositories)
        self._on_index_version()

    def _on_index_report(self, root: Path, report: IndexReport) -> None:
        if self.client.shows_progress:
            self.index_progress.on_report(root, report)
        self.session.on_all_moved(moved_uris(root, report))
        self.places_left.on_message()

    def _on_index_version(self) -> None:
        if self.index.is_on:
            self.session.index_version += 1

    def on_files_changed(self, changes: Sequence[ChangedFile]) -> None:
        """Learn, off the event loop, which of the changed files were moved, and then index them all."""
        self.places_left.on_change()
        created, deleted = ([one.uri for one in changes if one.type == kind] for kind in (_CREATED, _DELETED))

        def index(moved: Sequence[tuple[str, str]]) -> None:
            self.session.on_all_moved(moved)
            self.index.on_changed([change.uri for change in changes])

        if created and deleted and len(created) + len(deleted) <= MAX_COMPARED_FILES:
            self._read_files(lambda: self.index.find_moved(deleted, created), index)
        else:
            index(())

    def look_for_text_before(self, path: Path, opened: Snapshot) -> None:
        """Compare a document with its file, off the event loop, and learn what was edited before it was opened."""
        loop, folders = asyncio.get_running_loop(), self.workspace_paths
        self.coordinator.looks[uris.canonical_key(opened.uri)] = loop.create_future()
        self._read_files(
            lambda: find_text_before(path, folders, opened),
            lambda earlier: self._learn_text_before(opened, earlier),
        )
        loop.call_later(MAX_LOOK_WAIT_S, self._end_look, opened.uri)
        loop.call_later(MAX_LOOK_S, self._learn_text_before, opened, None)

    @cached_property
    def search_service(self) -> SearchService:
        """The search of the client. It starts with the first question."""
        from editahead_lsp.search.search_service import SearchService

        return SearchService(self.clock, self._state_folder, self._now)

    @cached_property
    def _file_worker(self) -> WorkerThread:
        """The thread that reads files. It starts with the first one."""
        return WorkerThread("editahead-files")

    def _read_files(self, read: Callable[[], T], use: Callable[[T], None]) -> None:
        """Call `read` off the event loop, and `use` with its result on it."""
        loop = asyncio.get_running_loop()

        def look() -> None:
            found = read()
            with suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(use, found)

        self._file_worker.submit(look)

    def _learn_text_before(self, opened: Snapshot, earlier: Snapshot | None) -> None:
        document = self.session.documents.get(opened.uri)
        if (
            earlier is not None
            and document is not None
            and self.session.history.is_waiting(opened.uri)
            and self.session.disabled_reason(document) is not None
            and self.session.exclusion.is_late(opened.uri)
        ):
            loop = asyncio.get_running_loop()
            loop.call_later(LOOK_INTERVAL_S, self._learn_text_before, opened, earlier)
            return
        self.session.learn_text_before(opened, earlier)
        self._end_look(opened.uri)
        self.next_edit_marker.on_message()

    def _end_look(self, uri: str) -> None:
        done = self.coordinator.looks.pop(uris.canonical_key(uri), None)
        if done is not None and not done.done():
            done.set_result(None)

    @property
    def offers_completion_items(self) -> bool:
        """Whether completion lists contain an item for the next edit."""
        mode = self.session.settings.completion_item
        return mode == "on" or (mode == "auto" and not self.client_renders_edits)

    def _apply_settings(self) -> None:
        """Read the settings from all sources and apply them."""
        folders = self.workspace_paths = self.finish_service.folders = workspace_paths(self._folders)
        resolved = load_settings(
            self._environment, self._options, folders, self._user_folder, over_network=self.over_network
        )
        settings = resolved.settings
        self._update_model(settings)
        self._settings_problems = (
            resolved.messages if self.model_error is None else (*resolved.messages, self.model_error)
        )
        logging.getLogger().setLevel(settings.log_level.upper())
        self.session.configure(settings, FileExclusion(folders, settings.exclude, on_thread=True))
        self._configure_index()
        self.recorder.configure(on=settings.record == "on", roots=folders)

    def _update_model(self, settings: Settings) -> None:
        """Switch to the model that the settings name, unless it is in use already."""
        config = ModelConfig.from_settings(settings, self._environment, self._folders)
        if config == self._model_config:
            return
        self._model_config = config
        try:
            model = self._create_model(config)
        except ValueError as error:
            self._set_model(None, str(error))
        else:
            self._set_model(model)

    def _set_model(self, model: ModelPredictor | None, error: str | None = None) -> None:
        """Use a model from now on.

        Args:
            model: The model, or None.
            error: Why there is no model, though the settings name one.
        """
        self.model_error = error
        if model is not None or self.predictions.models.model is not None:
            self.predictions.set_model(model)

    async def _exit_with_client(self, process_id: int) -> None:
        """Exit when the client's process has ended."""
        await parent_process.wait_for_exit(process_id, self._sleep)
        log.warning("the client's process has ended; the server exits")
        self.request_exit()

    def request_exit(self) -> None:
        """Make `wait_closed` return. Call this method on the event loop."""
        self._exit_requested.set()

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Log an error instead of showing it. The error's text may quote code, so only the level debug logs it."""
        # The client's mistake; the answer says so.
        if isinstance(error, JsonRpcException) and not isinstance(error, JsonRpcInternalError):
            log.info("request failed: %s", type(error).__name__)
            return
        log.error("%s: %s", getattr(source, "__name__", source), type(error).__name__)
        log.debug("traceback", exc_info=error)

    def receive(self, body: bytes) -> None:
        """Handle the body of one message. Errors are logged, and not raised."""
        try:
            message = parse_body(body)
        except MessageTooLargeError as error:
            self._leave_out(str(error))
            return
        except (ValueError, RecursionError):
            self.protocol.send_parse_error()
            return
        try:
            self.protocol.handle_message(message)
        except Exception as error:
            self.report_server_error(error, type(error))
        for part in self._listeners:
            part.on_message()

    def skip_message(self, length: int) -> None:
        """Leave out a message that is too long to be read. length: its bytes."""
        self._leave_out(f"a message of {length} bytes was not read; {MAX_MESSAGE_BYTES} are the limit")

    def _leave_out(self, message: str) -> None:
        """Say that a message was not read, and close all documents: it may have changed any of them."""
        log.warning("%s", message)
        self.protocol.send_message_error(message)
        if not self.protocol.initialized:
            return
        for document in list(self.session.documents):
            self.session.close(document.uri)
            self.coordinator.on_close(document.uri, document.key)
        told = f"Editahead: {message}. Open documents are left alone until they are opened again."
        self.window_show_message(types.ShowMessageParams(types.MessageType.Error, told))

    async def serve(self, read: Callable[[int], bytes], out: BinaryIO) -> int:
        """Serve one client until it sends `exit`, closes the stream or has ended. Return the exit code of the process.

        Args:
            read: Reads at most the given number of bytes; returns none at the end of the stream.
            out: The stream to the client.
        """
        self.protocol.set_writer(ClientWriter(out, self.request_exit))
        loop = asyncio.get_running_loop()
        StdinReaderThread(read, loop, self.receive, self.skip_message, self.request_exit).start()
        await self.wait_closed()
        return 0 if self.protocol.shutdown_requested else 1

    async def wait_closed(self) -> None:
        """Wait for `request_exit`, then cancel all work and close all documents."""
        try:
            await self._exit_requested.wait()
        finally:
            if self._process_watch is not None:
                self._process_watch.cancel()
            for part in self._listeners:
                part.stop()
            self.index.stop()
            for document in self.session.documents:
                self.coordinator.on_close(document.uri, document.key)
            try:
                await self.predictions.close()
            finally:
                self.predictions.stop()
                if "_file_worker" in self.__dict__:
                    self._file_worker.stop(timeout=0)  # a file of a network that hangs is not waited for
                for name in {"apply_service", "search_service"} & self.__dict__.keys():
                    getattr(self, name).stop()
                self.session.close_all()
