"""The supervised engine (`editahead engine`): a vLLM on this machine, found by its runfile.

The runfile is checked before each request: the engine may start, stop or restart at any time.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

from editahead_inference.errors import BackendError

from .base import Capabilities, CompletionRequest, Health, StreamEnd, TextChunk
from .engine_runfile import EngineRunfile, served_name
from .openai.backend import OpenAIBackend

ABSENT = "No engine is running; `editahead engine` starts one."
STARTING = "The engine is being started."

_Stamp: TypeAlias = tuple[int, int, int] | None
"""The version of the runfile: time of change, inode and size. None if there is no runfile."""


class EngineBackend:
    """A backend for the supervised engine.

    Args:
        file: The engine's runfile.
        model: The wanted model, as the setting names it; None for the model that the engine serves.
        secret: As for `OpenAIBackend`.
        clock: Monotonic seconds, for the circuit breaker.
    """

    def __init__(
        self,
        file: Path,
        *,
        model: str | None = None,
        secret: bytes | None = None,
        clock: Callable[[], float] = time.monotonic,  # noqa: TID251  # unless another is passed in
    ) -> None:
        self._file = file
        self._secret = secret
        self._wanted = None if model is None else served_name(model)
        self._clock = clock
        self._looking = asyncio.Lock()
        self._stamp: _Stamp = None
        self._notice: EngineRunfile | None = None
        self._server: OpenAIBackend | None = None
        self._without = Health("starting")
        """The health while there is no server."""

    @property
    def name(self) -> str:
        return "engine" if self._notice is None else f"engine {self._notice.url}"

    @property
    def model(self) -> str | None:
        return self._wanted if self._server is None else self._server.model

    @property
    def health(self) -> Health:
        return self._without if self._server is None else self._server.health

    @property
    def capabilities(self) -> Capabilities:
        if self._server is None or self._notice is None:
            return Capabilities()
        can = self._server.capabilities
        context = None if can.context is None else max(1, can.context - self._notice.headroom)
        folder = self._notice.folder
        return replace(can, context=context, tokenizer=None if folder is None else Path(folder))

    async def prepare(self) -> None:
        await (await self._found()).prepare()

    async def stream(self, query: CompletionRequest) -> AsyncGenerator[TextChunk | StreamEnd, None]:
        async with aclosing((await self._found()).stream(query)) as answer:
            async for piece in answer:
                yield piece

    async def close(self) -> None:
        if self._server is not None:
            await self._server.close()

    async def _found(self) -> OpenAIBackend:
        """Return the server that the runfile names now.

        Raises:
            BackendError: No engine is running.
        """
        async with self._looking:
            stamp = await asyncio.to_thread(_stamp, self._file)
            if stamp is None or stamp != self._stamp:
                before = self._server
                await self._meet()
                self._stamp = stamp  # not earlier: the request may be cancelled while it reads the runfile
                if before is not None:
                    await before.close()
            if self._server is None:
                raise BackendError("unreachable", self._without.detail)
            return self._server

    async def _meet(self) -> None:
        """Read the runfile, and use its server from now on."""
        try:
            notice = await asyncio.to_thread(EngineRunfile.read, self._file)
            server = OpenAIBackend(
                notice.url,
                model=self._wanted or notice.model,
                key=notice.key,
                secret=self._secret,
                clock=self._clock,
            )
        except FileNotFoundError:
            self._set_server(Health("gone", ABSENT))
        except (OSError, ValueError):
            self._set_server(
                Health("gone", f"The engine's notice {self._file} cannot be read; start it anew.")
            )
        else:
            self._set_server(Health("starting", STARTING), notice, server if notice.ready else None)

    def _set_server(
        self, without: Health, notice: EngineRunfile | None = None, server: OpenAIBackend | None = None
    ) -> None:
        """Set the server that answers from now on. without: the health while there is no server."""
        self._without, self._notice, self._server = without, notice, server


def _stamp(file: Path) -> _Stamp:
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_ino, status.st_size
