"""A backend whose answers are written beforehand, for tests of all that asks a model.

It also keeps a prefix cache as engines do, in which a character is a token, so that what a layout of prompts costs can be
counted exactly.
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
"""Tokens that engines keep, or not, as one."""


@dataclass(frozen=True, slots=True)
class ScriptedReply:
    """One answer. chunks: its text as it comes. logprobs: for each chunk, those of its tokens. error: what happens behind
    the chunks, in place of an end."""

    chunks: tuple[str, ...] = ()
    reason: Finish = "stop"
    logprobs: tuple[tuple[float, ...], ...] = ()
    error: BackendError | None = None


Script: TypeAlias = Callable[[CompletionRequest, int], ScriptedReply]
"""The answer to a request, for the sample of that number."""


def in_order(replies: Iterable[ScriptedReply | str]) -> Script:
    """The first reply to the first request, and so on; behind the last, every request is a `broken` one."""
    rest = iter(replies)

    def script(query: CompletionRequest, sample: int) -> ScriptedReply:
        return _reply(next(rest, None))

    return script


def by_prompt(replies: Mapping[str, ScriptedReply | str]) -> Script:
    """The reply to the first key that the prompt holds; a prompt that holds none makes a `broken` request."""

    def script(query: CompletionRequest, sample: int) -> ScriptedReply:
        return _reply(next((reply for key, reply in replies.items() if key in query.prompt), None))

    return script


def _reply(written: ScriptedReply | str | None) -> ScriptedReply:
    if written is None:
        return ScriptedReply(error=BackendError("broken", "The script has no answer to this."))
    return ScriptedReply((written,)) if isinstance(written, str) else written


async def _at_once() -> None:
    """Waits for nothing."""


class ScriptedBackend:
    """Gives what the script says; the stop strings are the script's business, too.

    pause: awaited before each chunk and before each end: `asyncio.Event().wait` holds an answer back. health,
    capabilities: may be set at any time; a backend that is "gone" refuses as an open circuit breaker does. queries, warmed:
    what came. given: chunks. stopped: streams that were closed before their end.
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
            token_ids=True, logprobs=True, samples=True, warms=True, context=32_768
        )
        self.queries: list[CompletionRequest] = []
        self.warmed: list[CompletionRequest] = []
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

    async def prefill(self, query: CompletionRequest) -> Usage:
        await self.prepare()
        await self._pause()
        self.warmed.append(query)
        return self._compute(query)

    async def close(self) -> None:
        self.closed = True

    def _compute(self, query: CompletionRequest) -> Usage:
        """Have all whole blocks of the prompt in the cache. Of the prompt's last block something is always computed."""
        text = f"{query.system or ''}{query.prompt}{query.prefill if query.chat else ''}"
        starts = [text[:end] for end in range(BLOCK, len(text) + 1, BLOCK)]
        kept = sum(start in self._computed for start in starts if len(start) < len(text))
        self._computed.update(starts)
        return Usage(len(text), kept * BLOCK)
