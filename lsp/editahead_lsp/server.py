"""The server object: one client's connection, session and predictions, and the loop that serves it on stdio."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import secrets
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInternalError
from pygls.lsp.server import LanguageServer

from editahead_inference.predictors.model.predictor import ModelPredictor

from . import __version__, user_dirs
from .apply.service import ApplyService
from .features import register_all
from .model.config import ModelConfig
from .model.prompt_warmer import PromptWarmer
from .prediction.coordinator import ALL_REUSE, PredictionCoordinator, ReuseOptions
from .prediction.job import PredictionPipeline
from .prediction.scheduler import PredictionScheduler
from .presentation.next_edit_marker import NextEditMarker
from .protocol.client_capabilities import ClientCapabilities
from .protocol.converter import make_converter
from .session.outcome_log import FILE_NAME, OutcomeLog
from .session.outcome_tracker import OutcomeTracker
from .session.session import Session
from .settings import Settings, load_settings
from .transport import parent_process
from .transport.json_rpc import JsonRpcProtocol
from .transport.stdio import StdinReaderThread
from .workspace import positions, uris
from .workspace.file_exclusion import FileExclusion, workspace_paths

log = logging.getLogger(__name__)


def load_pipeline() -> PredictionPipeline:
    """Return the predictors that need no model. Imported late: the grammars take long to load."""
    from editahead_inference.pipeline import Pipeline

    return Pipeline(clock=time.monotonic)


class Server(LanguageServer):
    """A language server for one client.

    Args:
        load: Makes the pipeline, on the worker thread.
        clock: Returns monotonic time in seconds.
        sleep: Waits for a number of seconds.
        layers: How answers may be found without predicting.
        environment: A source of settings, beside the client, the workspace and `user_folder`.
        user_folder: Where the user's settings are; None = the platform's folder.
        state_folder: Where the log of outcomes is; None = the platform's folder.
        now: Returns Unix time in seconds.
        run: A name that no other run has; None = a random one.
        reach: Returns the model that the settings name, if any. Raises ValueError with the reason where it cannot.
    """

    protocol: JsonRpcProtocol

    def __init__(
        self,
        load: Callable[[], PredictionPipeline] = load_pipeline,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        layers: ReuseOptions = ALL_REUSE,
        environment: Mapping[str, str] = os.environ,
        user_folder: Path | None = None,
        state_folder: Path | None = None,
        now: Callable[[], float] = time.time,
        run: str | None = None,
        reach: Callable[[ModelConfig], ModelPredictor | None] = ModelConfig.create_predictor,
    ) -> None:
        super().__init__(
            "editahead", __version__, protocol_cls=JsonRpcProtocol, converter_factory=make_converter
        )
        self.clock = clock
        self._sleep = sleep
        self._environment = environment
        self._user_folder = user_dirs.config_folder() if user_folder is None else user_folder
        self.client = ClientCapabilities()
        log_file = (user_dirs.state_folder() if state_folder is None else state_folder) / FILE_NAME
        log_of_outcomes = OutcomeLog(log_file, clock)
        self.session = Session(
            clock, OutcomeTracker(clock, now, run or secrets.token_hex(8), log_of_outcomes)
        )
        self.predictions = PredictionScheduler(load, clock, sleep, kept=layers.kept)
        self.coordinator = PredictionCoordinator(self.session, self.predictions, clock, sleep, layers)
        self.apply_service = ApplyService(self.session, clock)
        self.next_edit_marker = NextEditMarker(self, sleep)
        self.prompt_warmer = PromptWarmer(self.session, self.predictions.models, clock, sleep)
        self.client_renders_edits = False
        """Whether the client can show an edit before it is made: `initialize` said so, or a request that only such a client
        sends."""
        self.watches_process = True
        """Whether to end when the client's process is gone."""
        self._reach = reach
        self._wanted: ModelConfig | None = None
        self.progress_tasks: dict[int | str, asyncio.Task[Any]] = {}
        """The requests that report progress and that the client can cancel, by the token of their progress."""
        self.model_error: str | None = None
        """Why there is no model though the settings name one."""
        self._options: Any = None
        self._folders: tuple[str, ...] = ()
        self._messages: tuple[str, ...] = ()
        self._told: set[str] = set()
        self._watch: asyncio.Task[None] | None = None
        self._ended = asyncio.Event()
        register_all(self)

    def initialize_session(self, client: ClientCapabilities, process_id: int | None) -> None:
        """Begin the session with this client.

        Args:
            process_id: The client's process; the server ends when it is gone.
        """
        self.client = client
        self.client_renders_edits = client.shows_edits
        self.session.encoding = positions.negotiate_encoding(client.encodings)
        self._folders, self._options = client.folders, client.options
        self._apply_settings()
        self.protocol.initialized = True
        self.predictions.start()
        if process_id is not None and self.watches_process:
            self._watch = asyncio.ensure_future(self._until_gone(process_id))

    def configure(self, options: Any) -> None:
        """Use these settings of the client from now on; for what they leave out, those given at `initialize`."""
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
        gone = {uris.canonical_key(uri) for uri in (*removed, *added)}
        self._folders = (*(uri for uri in self._folders if uris.canonical_key(uri) not in gone), *added)
        self._apply_settings()
        self.show_settings_problems()

    def show_settings_problems(self) -> None:
        """Show each problem with the settings once."""
        for message in self._messages:
            if message not in self._told:
                self._told.add(message)
                self.window_show_message(
                    types.ShowMessageParams(types.MessageType.Warning, f"Editahead: {message}")
                )

    @property
    def offers_completion_items(self) -> bool:
        """Whether completion menus have an item for the next edit."""
        wanted = self.session.settings.completion_item
        return wanted == "on" or (wanted == "auto" and not self.client_renders_edits)

    def _apply_settings(self) -> None:
        """Read the settings from all their sources again, and use them."""
        folders = workspace_paths(self._folders)
        self.apply_service.folders = folders
        resolved = load_settings(self._environment, self._options, folders, self._user_folder)
        settings = resolved.settings
        self._choose_model(settings)
        self._messages = (
            resolved.messages if self.model_error is None else (*resolved.messages, self.model_error)
        )
        logging.getLogger().setLevel(settings.log_level.upper())
        self.session.configure(settings, FileExclusion(folders, settings.exclude))

    def _choose_model(self, settings: Settings) -> None:
        """Use the model that the settings name, unless it is the one in use."""
        wanted = ModelConfig.from_settings(settings, self._environment, self._folders)
        if wanted == self._wanted:
            return
        self._wanted = wanted
        try:
            model = self._reach(wanted)
        except ValueError as error:
            self._set_model(None, str(error))
        else:
            self._set_model(model)

    def _set_model(self, model: ModelPredictor | None, error: str | None = None) -> None:
        """Send requests to this model from now on.

        Args:
            model: None where there is none.
            error: Why there is none though the settings name one.
        """
        self.model_error = error
        if model is not None or self.predictions.models.model is not None:
            self.predictions.set_model(model)

    async def _until_gone(self, process_id: int) -> None:
        await parent_process.wait_for_exit(process_id, self._sleep)
        log.warning("the client's process is gone")
        self.request_exit()

    def request_exit(self) -> None:
        """Make `ended` return. Call it on the event loop."""
        self._ended.set()

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Log the error instead of showing it. Its text may quote code: only the level debug has it."""
        if isinstance(error, JsonRpcException) and not isinstance(
            error, JsonRpcInternalError
        ):  # the client's mistake, and it was told
            log.info("refused: %s", type(error).__name__)
            return
        log.error("%s: %s", getattr(source, "__name__", source), type(error).__name__)
        log.debug("the error", exc_info=error)

    def receive(self, body: bytes) -> None:
        """Handle the body of one message. Never raises."""
        try:
            message = json.loads(body)
        except (ValueError, RecursionError):
            self.protocol.send_parse_error()
            return
        try:
            self.protocol.handle_message(message)
        except Exception as error:
            self.report_server_error(error, type(error))
        self.next_edit_marker.on_message()
        self.prompt_warmer.on_message()

    async def serve(self, read: Callable[[int], bytes], out: BinaryIO) -> int:
        """Serve one client until it sends `exit`, closes the stream, or is gone. Return the exit code of the process."""
        self.protocol.set_writer(_Writer(out, self.request_exit))
        StdinReaderThread(read, asyncio.get_running_loop(), self.receive, self.request_exit).start()
        await self.wait_closed()
        return 0 if self.protocol.shutdown_requested else 1

    async def wait_closed(self) -> None:
        """Wait for `end`, then cancel all work and close what is open."""
        try:
            await self._ended.wait()
        finally:
            if self._watch is not None:
                self._watch.cancel()
            self.next_edit_marker.stop()
            self.prompt_warmer.stop()
            try:
                await self.predictions.close()
            finally:
                self.predictions.stop()
                self.apply_service.stop()
                self.session.close_all()


class _Writer:
    """A writer that ends the server once the client no longer reads."""

    def __init__(self, out: BinaryIO, gone: Callable[[], None]) -> None:
        self._out, self._gone = out, gone

    def write(self, data: bytes) -> None:
        try:
            self._out.write(data)
            self._out.flush()
        except (OSError, ValueError):
            self._gone()

    def close(self) -> None:
        pass
