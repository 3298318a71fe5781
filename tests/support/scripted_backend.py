"""A backend with scripted answers, for tests of everything that uses a model.

It simulates the prefix cache of an engine with one token per character, so that a test can count the exact cost of a
prompt layout.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from editahead_inference.backends.base import (
    Capabilities,
    CompletionRequest,
    Health,
    StreamEnd,
    TextChunk,
    Usage,
)
from editahead_inference.errors import BackendError
from editahead_prompts.formats.base import Finish

BLOCK = 16
"""Tokens of a cache block, the smallest unit that an engine caches."""


@dataclass(frozen=True, slots=True)
class ScriptedReply:
    """One answer.

    Attributes:
        chunks: The text, by chunk.
        logprobs: For each chunk the log-probabilities of its tokens.
        error: The error after the chunks, in place of the end.
    """

    chunks: tuple[str, ...] = ()
    reason: Finish = "stop"
    logprobs: tuple[tuple[float, ...], ...] = ()
    error: BackendError | None = None


Script: TypeAlias = Callable[[CompletionRequest, int], ScriptedReply]
"""A function from a request and the number of a sample to the answer."""


def in_order(replies: Iterable[ScriptedReply | str]) -> Script:
    """Return a script with one reply for each request, in order; each request after the last reply gets a `broken` one."""
    rest = iter(replies)

    def script(query: CompletionRequest, sample: int) -> ScriptedReply:
        return _reply(next(rest, None))

    return script


def by_prompt(replies: Mapping[str, ScriptedReply | str]) -> Script:
    """Return a script with the reply for the first key that the prompt holds, and a `broken` reply for other prompts."""

    def script(query: CompletionRequest, sample: int) -> ScriptedReply:
        return _reply(next((reply for key, reply in replies.items() if key in query.prompt), None))

    return script


def _reply(written: ScriptedReply | str | None) -> ScriptedReply:
    if written is None:
        return ScriptedReply(error=BackendError("broken", "The script has no answer to this."))
    return ScriptedReply((written,)) if isinstance(written, str) else written


async def _at_once() -> None:
    """Return without waiting."""


class ScriptedBackend:
    """A backend that answers with a script. The script applies the stop strings, too.

    Attributes:
        pause: Awaited before each chunk and before each end: `asyncio.Event().wait` holds an answer back.
        health: May be set at any time. While the condition is "gone", requests fail as with an open circuit breaker.
        capabilities: May be set at any time.
        queries: The completion requests so far.
        given: The number of chunks so far.
        stopped: The number of streams that were closed before their end.
    """

    name = "scripted"
    model: str | None = "scripted"

    def __init__(
        self,
        script: Script,
        *,
        pause: Callable[[], Awaitable[object]] = _at_once,
        capabilities: Capabilities | None = None,
    ) -> None:
        self._script = script
        self._pause = pause
        self._computed: set[str] = set()
        self.health = Health("ready")
        self.capabilities = capabilities or Capabilities(
            token_ids=True, logprobs=True, samples=True, keeps_prompts=True, context=32_768
        )
        self.queries: list[CompletionRequest] = []
        self.given = 0
        self.stopped = 0
        self.closed = False

    async def prepare(self) -> None:
        if self.health.condition == "gone":
            raise BackendError("suspended", self.health.detail)

    async def stream(self, query: CompletionRequest) -> AsyncGenerator[TextChunk | StreamEnd, None]:
        await self.prepare()
        self.queries.append(query)
        usage = self._compute(query)
        completion, last = 0, query.samples - 1
        try:
            for sample in range(query.samples):
                reply = self._script(query, sample)
                for number, text in enumerate(reply.chunks):
                    await self._pause()
                    self.given += 1
                    completion += len(text)
                    logprobs = reply.logprobs[number] if number < len(reply.logprobs) else ()
                    yield TextChunk(text, logprobs, sample)
                await self._pause()
                if reply.error is not None:
                    raise reply.error
                total = Usage(usage.prompt, usage.cached, completion)
                yield StreamEnd(reply.reason, sample, total if sample == last else None)
        except BackendError:
            raise
        except BaseException:
            self.stopped += 1
            raise

    async def close(self) -> None:
        self.closed = True

    def _compute(self, query: CompletionRequest) -> Usage:
        """Put all whole blocks of the prompt into the cache. Part of the prompt's last block is always computed."""
        text = f"{query.system or ''}{query.prompt}{query.prefill if query.chat else ''}"
        starts = [text[:end] for end in range(BLOCK, len(text) + 1, BLOCK)]
        kept = sum(start in self._computed for start in starts if len(start) < len(text))
        self._computed.update(starts)
        return Usage(len(text), kept * BLOCK)
