"""A causal language model in this process, from a folder. Its libraries are imported only when the model is loaded.

The model runs on a thread of its own. New weights in the folder are noticed after the next request. They are loaded while
the old weights answer, and replace them between two requests.
"""

from __future__ import annotations

import asyncio
import ctypes
import logging
import os
import sys
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from editahead_inference.backends.base import (
    Capabilities,
    CompletionRequest,
    Health,
    StreamEnd,
    TextChunk,
)
from editahead_inference.errors import BackendError, Cancelled
from editahead_inference.worker_thread import CancellableJob, WorkerThread
from editahead_prompts.errors import TokenizerUnavailableError

from .small_model import read_speed

if TYPE_CHECKING:
    from .model import LocalModel

log = logging.getLogger(__name__)

CACHE_BYTES = 1 << 30
"""Bytes of the keys and values of all sessions together."""

_EXTRAS = {"onnxruntime": "local", "numpy": "local", "torch": "transformers", "transformers": "transformers"}
"""The extra that installs a library."""
_NICENESS = 5
"""What is added to the niceness of the model's threads, so that the rules' answer and the editor come first."""
_MAX_REASON = 200
"""Characters of a library's message that are quoted."""

T = TypeVar("T")

_Check: TypeAlias = Callable[[], None]
_Stamp: TypeAlias = tuple[tuple[str, int, int, int], ...]
"""The version of a model: name, size, time of change and inode of each file."""


class LocalBackend:
    """A backend for one model in this process.

    Args:
        folder: The model and its tokenizer: as `small_model` writes it, or as transformers does (safetensors; code in it is
            never run).
        dtype: For transformers: "auto", or a name that torch has, such as "float32".
        seed: The seed of sampling.
        cache_bytes: The most bytes of kept keys and values; 0 computes every prompt anew.
    """

    def __init__(
        self,
        folder: Path,
        *,
        dtype: str = "auto",
        seed: int = 0,
        cache_bytes: int = CACHE_BYTES,
    ) -> None:
        self._folder = folder
        self._load = lambda: _load(folder, dtype, seed, cache_bytes)
        self._worker = WorkerThread("editahead-model", niceness=_NICENESS)
        self._loader = WorkerThread("editahead-loading", niceness=_NICENESS)
        self._model: LocalModel | None = None
        self._stamp: _Stamp | None = None
        """The version of the weights that were loaded last, or could not be loaded."""
        self._failure: BackendError | None = None
        """Why the weights of `_stamp` could not be loaded."""
        self._swapping: asyncio.Task[None] | None = None
        self._closed = False
        self.health = Health("starting")

    @property
    def name(self) -> str:
        return f"local {self._folder.name}"

    @property
    def model(self) -> str | None:
        return self._folder.name

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities(
            token_ids=True,
            logprobs=True,
            samples=True,
            keeps_prompts=True,
            context=None if self._model is None else self._model.context,
            drafts=True,
            scores=True,
            tokenizer=self._folder,
            in_process=True,
            prompt_token_s=self._prompt_token_s,
        )

    @cached_property
    def _prompt_token_s(self) -> float | None:
        speed = read_speed(self._folder)
        return 1 / speed.prompt_tokens_per_s if speed is not None and speed.prompt_tokens_per_s > 0 else None

    async def prepare(self) -> None:
        if self._model is None:
            await self.reload_weights()

    async def reload_weights(self) -> None:
        """Load the weights that are in the folder now, if they are new. They replace the old ones between two requests.

        Raises:
            BackendError: The weights cannot be loaded. The old weights stay.
        """
        if self._swapping is None or self._swapping.done():
            self._swapping = asyncio.ensure_future(self._swap())
        await asyncio.shield(self._swapping)

    async def stream(self, query: CompletionRequest) -> AsyncGenerator[TextChunk | StreamEnd, None]:
        await self.prepare()
        loop = asyncio.get_running_loop()
        queue: asyncio.Queue[TextChunk | StreamEnd | Exception | None] = asyncio.Queue()
        job = CancellableJob(self._worker, is_background=query.background)
        read = produced = 0  # pieces

        def put(item: TextChunk | StreamEnd | Exception | None) -> None:
            with suppress(RuntimeError):  # the loop is closed
                loop.call_soon_threadsafe(queue.put_nowait, item)

        def is_wanted() -> bool:
            return job.cancelled or read >= produced

        def work() -> None:
            nonlocal produced
            try:
                for piece in self._current.generate(query, job.check):
                    produced += 1
                    put(piece)
                    # A reader that has enough stops here: the next step would cost more than the wait.
                    self._worker.wait_for(is_wanted)
                put(None)
            except Exception as error:
                put(error)
            self._look(loop)

        self._worker.submit(work, idle=query.background)
        try:
            while (item := await queue.get()) is not None:
                if isinstance(item, Exception):
                    raise self._failed(item)
                yield item
                read += 1
                self._worker.notify()
            self._update_health()
        finally:
            job.cancel()
            self._worker.notify()

    async def score(
        self, query: CompletionRequest, continuations: Sequence[str | Sequence[int]]
    ) -> list[tuple[float, ...]]:
        return await self._do(
            lambda model, check: model.score(query, continuations, check), idle=query.background
        )

    async def close(self) -> None:
        self._closed = True
        if self._swapping is not None:
            self._swapping.cancel()
        # The threads end after the present step, or with the process.
        await asyncio.to_thread(self._worker.stop, 1.0)
        await asyncio.to_thread(self._loader.stop, 0.0)
        self._model = None

    async def _do(self, work: Callable[[LocalModel, _Check], T], *, idle: bool) -> T:
        """Return what `work` returns, run on the model's thread. idle: whether the work makes room for other requests."""
        await self.prepare()
        loop = asyncio.get_running_loop()

        def on_model(check: _Check) -> T:
            try:
                return work(self._current, check)
            finally:
                self._look(loop)

        try:
            done = await CancellableJob(self._worker, is_background=idle).run(on_model)
        except Exception as error:
            raise self._failed(error) from None
        self._update_health()
        return done

    @property
    def _current(self) -> LocalModel:
        if self._model is None:
            raise Cancelled  # the backend was closed
        return self._model

    async def _swap(self) -> None:
        stamp = await self._loader.call(lambda: _stamp(self._folder))
        if stamp == self._stamp:
            if self._failure is not None:
                raise self._failure
            return
        try:
            model = await self._loader.call(self._load)
        except Exception as error:
            self._stamp = stamp
            self._failure = error if isinstance(error, BackendError) else _not_loaded(self._folder, error)
            self._update_health()
            if self._model is not None:
                log.warning("the weights before stay: %s", self._failure.detail)
            raise self._failure from None

        def adopt() -> None:
            self._model = model

        replaced = self._model is not None
        await self._worker.call(adopt)
        self._stamp, self._failure = stamp, None
        self._update_health()
        if replaced:
            log.info("the model in %s has new weights", self._folder)

    def _look(self, loop: asyncio.AbstractEventLoop) -> None:
        """Start a reload if the folder has new weights. Called on the model's thread, after each request."""
        stamp = _stamp(self._folder)
        if self._model is not None and stamp != self._stamp and not self._closed:
            with suppress(RuntimeError):  # the loop is closed
                loop.call_soon_threadsafe(self._renew)

    def _renew(self) -> None:
        if not self._closed and (self._swapping is None or self._swapping.done()):
            self._swapping = asyncio.ensure_future(self._swap())
            self._swapping.add_done_callback(lambda task: task.cancelled() or task.exception())  # was logged

    def _update_health(self, failed: BackendError | None = None) -> None:
        """Set `health` after a load or a request.

        Args:
            failed: Why the request failed, if it did.
        """
        if failed is not None:
            self.health = Health("degraded", failed.detail)
        elif self._failure is None:
            self.health = Health("ready")
        elif self._model is None:
            self.health = Health("gone", self._failure.detail)
        else:
            self.health = Health("ready", f"The weights before stay: {self._failure}")

    def _failed(self, error: Exception) -> BackendError:
        if isinstance(error, BackendError):
            return error
        if isinstance(error, Cancelled):
            return BackendError("suspended", "The model made room for a request that somebody waits for.")
        failure = BackendError("broken", f"The model in this process failed: {type(error).__name__}.")
        self._update_health(failure)
        return failure


def _load(folder: Path, dtype: str, seed: int, cache_bytes: int) -> LocalModel:
    if not (folder / "config.json").is_file():
        raise BackendError("refused", f"There is no model in {folder}.")
    # Threads that wait for the next step must not keep the cores busy. torch reads this when it is imported.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    _stand_somewhere()
    from .model import LocalModel

    model = LocalModel(folder, dtype, seed, cache_bytes)
    _return_memory()
    return model


def _return_memory() -> None:
    """Return freed memory to the system: glibc keeps some 150 MB of what reading a model needs."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):  # another library of C
            ctypes.CDLL(None).malloc_trim(0)


def _stand_somewhere() -> None:
    """Change to a folder that exists: torch cannot be imported where the working folder was deleted."""
    try:
        Path.cwd()
    except FileNotFoundError:
        os.chdir(Path(__file__).parent)


def _stamp(folder: Path) -> _Stamp:
    """Return the version of the folder's model, or () if the folder cannot be read."""
    files = []
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith((".safetensors", ".json", ".onnx", ".data")):
                stat = entry.stat()
                files.append((entry.name, stat.st_size, stat.st_mtime_ns, stat.st_ino))
    return tuple(sorted(files))


def _not_loaded(folder: Path, error: Exception) -> BackendError:
    if isinstance(error, ModuleNotFoundError) and error.name in _EXTRAS:
        return BackendError(
            "refused",
            f"{error.name} is not installed; the extra `{_EXTRAS[error.name]}` of editahead has it.",
        )
    if isinstance(error, TokenizerUnavailableError):
        return BackendError("refused", f"The model has no tokenizer: {error}.")
    first = (str(error).strip() or type(error).__name__).splitlines()[0][:_MAX_REASON]
    return BackendError("broken", f"The model in {folder} cannot be loaded: {first.rstrip('.')}.")
