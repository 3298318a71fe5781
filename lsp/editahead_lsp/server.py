"""The server object: the connection, session and predictions of one client, and the loop that serves stdio."""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInternalError
from pygls.lsp.server import LanguageServer

from editahead_workspace import positions, uris, user_dirs
from editahead_workspace.day_arms import DayArm
from editahead_workspace.file_exclusion import FileExclusion, workspace_paths
from editahead_workspace.model_config import ModelConfig
from editahead_workspace.outcome_log import FILE_NAME, OutcomeLog
from editahead_workspace.own_preferences import OwnPreferences
from editahead_workspace.settings import Settings, load_settings

from . import __version__
from .client_connection import ClientConnection
from .errors import MessageTooLargeError
from .file_reader import FileReader
from .finish.finish_counter import FinishCounter
from .finish.service import FinishService
from .late_imports import load_pipeline
from .model.apply_model import ApplyModel
from .notebooks.translation import NotebookTranslation
from .prediction.coordinator import ALL_REUSE, PredictionCoordinator, ReuseOptions
from .prediction.job import PredictionPipeline
from .prediction.scheduler import PredictionScheduler
from .presentation.diagnostics_board import DiagnosticsBoard
from .presentation.evidence_requests import EvidenceRequests
from .presentation.finish_diagnostics import FinishDiagnostics
from .presentation.next_edit_marker import NextEditMarker
from .presentation.next_edit_refresh import NextEditRefresh
from .protocol.client_capabilities import ClientCapabilities
from .protocol.converter import make_converter
from .session.documents import Document
from .session.opening_comparison import OpeningComparison
from .session.outcome_tracker import OutcomeTracker
from .session.session import Session
from .session.session_clock import SessionClock
from .session.session_recorder import FOLDER_NAME, SessionRecorder
from .transport import parent_process
from .transport.json_rpc import JsonRpcProtocol
from .transport.message_framing import MAX_MESSAGE_BYTES, parse_body
from .transport.stdio import ClientWriter, StdinReaderThread
from .workspace_index import WorkspaceIndex

if TYPE_CHECKING:
    from editahead_inference.predictors.model.predictor import ModelPredictor
    from editahead_lsp.search.search_service import SearchService
    from editahead_workspace.policy import Policy

    from .apply.service import ApplyService

log = logging.getLogger(__name__)


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
        self.client = ClientConnection(
            self.protocol.notify, self._request_without_answer, ClientCapabilities()
        )
        state_folder = user_dirs.state_folder() if state_folder is None else state_folder
        self._state_folder, self.now = state_folder, now
        self.policy: Policy | None = None
        """The policy within which the settings are."""
        self._journals = user_dirs.journal_folder(state_folder)
        run_id = run_id or secrets.token_hex(8)
        outcome_log = OutcomeLog(state_folder / FILE_NAME, clock)
        self.session_clock = SessionClock(clock)
        self.recorder = SessionRecorder(state_folder / FOLDER_NAME, now, run_id)
        own = OwnPreferences(state_folder)
        outcomes = OutcomeTracker(self.session_clock, now, run_id, outcome_log, own)
        self.session = Session(self.session_clock, outcomes, self.recorder)
        self.protocol.notebooks = NotebookTranslation(self.session.notebooks)
        self.predictions = PredictionScheduler(make_pipeline, clock, sleep, cache_size=reuse.cache_size)
        self.next_edit_refresh = NextEditRefresh(self.session, self.client)
        self.predictions.on_improved = self.next_edit_refresh.on_improved
        self.evidence_requests = EvidenceRequests(
            self.session, self.client, self.predictions.symbol_at, clock
        )
        self.files = FileReader()
        self.openings = OpeningComparison(self.session, self.files, self._on_opening_known)
        self.coordinator = PredictionCoordinator(
            self.session, self.predictions, self.openings, clock, sleep, reuse
        )
        index_folder = user_dirs.index_folder(cache_folder)
        self.index = WorkspaceIndex(
            self.session,
            self.predictions,
            self.client,
            self.files,
            index_folder,
            state_folder,
        )
        self.finish_service = FinishService(self.session, index_folder, state_folder)
        board = DiagnosticsBoard(self.protocol.notify)
        self.next_edit_marker = NextEditMarker(self.session, self.client, self.coordinator, board, sleep)
        self.finish_diagnostics = FinishDiagnostics(
            self.session, self.client, self.finish_service, board, sleep
        )
        self.finish_counter = FinishCounter(self.client, self.finish_service, self.index.service, sleep)
        self.index.on_report = self.finish_counter.on_message
        self._listeners = (
            self.next_edit_marker,
            self.finish_counter,
            self.finish_diagnostics,
        )
        self.watch_client_process = True
        """Whether to exit when the client's process has ended."""
        self.over_network = False
        """Whether the client came over TCP. Such a client chooses no model server, no key and no log."""
        self._arm = DayArm()
        self._create_model = create_model
        self._model_config: ModelConfig | None = None
        self.apply_model = ApplyModel(create_model, self.predictions.run_on_worker)
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

    @cached_property
    def apply_service(self) -> ApplyService:
        """The service that applies sketches. `initialize` does not wait for its import."""
        from .apply.service import ApplyService

        return ApplyService(
            self.session,
            self.clock,
            lambda: self.workspace_paths,
            witness=lambda: self.predictions.models.model,
        )

    def initialize_session(self, client: ClientCapabilities, process_id: int | None) -> None:
        """Start the session with this client.

        Args:
            client: The client's capabilities and options.
            process_id: The client's process; the server exits when that process has ended.
        """
        self.client.capabilities, self.client.renders_edits = client, client.shows_edits
        self.session.encoding = positions.negotiate_encoding(client.encodings)
        self.session.notebooks.encoding = self.session.encoding
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
        if isinstance(options, Mapping) and isinstance(self.client.capabilities.options, Mapping):
            options = {**self.client.capabilities.options, **options}
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

    def _request_without_answer(self, method: str, params: Any) -> None:
        """Send a request. An error in the answer changes nothing."""
        future = self.protocol.send_request(method, params)
        future.add_done_callback(lambda done: None if done.cancelled() else done.exception())

    def _on_opening_known(self) -> None:
        self.next_edit_marker.on_message()

    @cached_property
    def search_service(self) -> SearchService:
        """The search of the client. It starts with the first question."""
        from editahead_lsp.search.search_service import SearchService

        return SearchService(self.clock, self._state_folder, self.now)

    @property
    def scenario_folder(self) -> Path:
        """The folder of the scenario files of this person."""
        return user_dirs.scenario_folder(self._state_folder)

    @property
    def offers_completion_items(self) -> bool:
        """Whether completion lists contain an item for the next edit."""
        mode = self.session.settings.completion_item
        return mode == "on" or (mode == "auto" and not self.client.renders_edits)

    def _apply_settings(self) -> None:
        """Read the settings from all sources and apply them."""
        folders = self.workspace_paths = self.finish_service.folders = workspace_paths(self._folders)
        resolved = load_settings(
            self._environment, self._options, folders, self._user_folder, over_network=self.over_network
        )
        settings, self.policy = self._arm.choose(resolved, self.now()), resolved.policy
        self._update_model(settings)
        errors = filter(None, (self.model_error, self.apply_model.error))
        self._settings_problems = (*resolved.messages, *errors)
        logging.getLogger().setLevel(settings.log_level.upper())
        exclusion = FileExclusion(folders, settings.exclude, on_thread=True)
        self.session.configure(settings, exclusion, self._arm.label)
        self.index.configure(settings, folders)
        self.recorder.configure(on=settings.record == "on", roots=folders)

    def _update_model(self, settings: Settings) -> None:
        """Switch to the model that the settings name, unless it is in use already."""
        config = ModelConfig.from_settings(settings, self._environment, self._folders)
        asked = ModelConfig.for_apply(settings, self._environment, self._folders)
        self.apply_model.configure(None if asked == config else asked)
        before, present = self._model_config, self.predictions.models.model
        if config == before:
            return
        self._model_config = config
        if before is not None and present is not None and config.differs_in_folders_only(before):
            config.move(present)
            return
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
        if self._arm.is_over(self.now()):
            self._apply_settings()
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
            self.on_close(document)
        self.session.notebooks.clear()
        shown_text = f"Editahead: {message}. Open documents are left alone until they are opened again."
        self.window_show_message(types.ShowMessageParams(types.MessageType.Error, shown_text))

    def on_close(self, document: Document) -> None:
        """Drop what is kept of a document that is closed, apart from the session."""
        self.coordinator.on_close(document.uri, document.key)
        self.evidence_requests.on_close(document.uri)

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
                self.on_close(document)
            try:
                await self.apply_model.close()
                await self.predictions.close()
            finally:
                self.predictions.stop()
                self.files.stop()
                for name in {"apply_service", "search_service"} & self.__dict__.keys():
                    getattr(self, name).stop()
                self.session.close_all()
