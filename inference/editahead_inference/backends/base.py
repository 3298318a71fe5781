"""What every backend is: a prompt goes in, text comes out piece by piece, and it can be told to stop."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol, TypeAlias

from editahead_prompts.formats.base import Finish

BackendState: TypeAlias = Literal["starting", "ready", "degraded", "gone"]
"""starting: nothing is known yet. ready: it answers. degraded: it fails now and then, or is being tried again after it
failed. gone: it is not asked until the circuit breaker lets one request through."""


@dataclass(frozen=True, slots=True)
class Health:
    """How a backend is. detail: one sentence for a person, "" when there is nothing to say."""

    condition: BackendState
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a backend can do. Until it is `ready`, what it is thought to.

    token_ids: takes prompts as ids. logprobs: tells those of its tokens. samples: gives several answers to one request;
    without it there is one, whatever the request wants.
    warms: keeps what it has computed of a prompt for the next one. drafts: verifies those of a query. scores: is a `Scorer`.
    context: tokens of prompt and answer together, if known. tokenizer: a folder on this machine with the model's, if known.
    """

    token_ids: bool = False
    logprobs: bool = False
    samples: bool = False
    warms: bool = False
    context: int | None = None
    drafts: bool = False
    scores: bool = False
    tokenizer: Path | None = None


@dataclass(frozen=True, slots=True)
class CompletionRequest:
    """One request to a model.

    prompt: the text to complete; with `chat`, the user's message. ids: the same as token ids, used instead of the text
    where the backend takes them. stop_ids: tokens that are one of the stop strings each, known where `ids` are. system,
    prefill: of a chat only: the system message, and how the answer begins.
    max_tokens: of the answer. temperature: 0 = greedy. samples: answers that are wanted. logprobs: whether those of the
    tokens are. session: a stable key of person, workspace and document: what shares a prefix. background: nobody waits.
    long: whether the answer may be a whole file, and take a minute or two.
    drafts: texts that the answer is thought to repeat, the one to be trusted most first. They make greedy answers come
    sooner where the backend verifies them, and change none.
    """

    prompt: str
    stop: tuple[str, ...]
    max_tokens: int
    ids: tuple[int, ...] | None = None
    stop_ids: tuple[int, ...] = ()
    system: str | None = None
    prefill: str = ""
    chat: bool = False
    temperature: float = 0.0
    samples: int = 1
    logprobs: bool = False
    session: str = ""
    background: bool = False
    long: bool = False
    drafts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens, as the server counts them. cached: of the prompt, those that it had computed before; None when it does not
    say. drafted, accepted: of drafts, those that were verified, and those of them that became part of the answer."""

    prompt: int = 0
    cached: int | None = None
    completion: int = 0
    drafted: int = 0
    accepted: int = 0


@dataclass(frozen=True, slots=True)
class TextChunk:
    """Some text of an answer. logprobs: natural logarithms, one for each token that came; () when they are not told.
    sample: which of the answers, from 0."""

    text: str
    logprobs: tuple[float, ...] = ()
    sample: int = 0


@dataclass(frozen=True, slots=True)
class StreamEnd:
    """An answer has ended. The last of a stream; each sample has its own. usage: of the whole request, with the last."""

    reason: Finish
    sample: int = 0
    usage: Usage | None = None


class Backend(Protocol):
    """For one event loop. No method blocks it."""

    @property
    def name(self) -> str:
        """As `editahead.status` shows it: "openai http://localhost:8000"."""
        ...

    @property
    def model(self) -> str | None: ...

    @property
    def health(self) -> Health: ...

    @property
    def capabilities(self) -> Capabilities: ...

    async def prepare(self) -> None:
        """Load the model, or ask the server what it has and can do. Requests do so themselves where nobody has before;
        done early, it spares the first one the wait. `BackendError`."""
        ...

    def stream(self, query: CompletionRequest) -> AsyncGenerator[TextChunk | StreamEnd, None]:
        """The answer as it comes. Closing the generator, or cancelling the task that waits for it, stops the work within
        a decoding step and closes the connection. `BackendError`."""
        ...

    async def prefill(self, query: CompletionRequest) -> Usage:
        """Have the prompt computed, for requests to come that begin with it. `BackendError`."""
        ...

    async def close(self) -> None:
        """Stop everything. It is not to be used afterwards."""
        ...


class Scorer(Protocol):
    """A backend that tells how likely it is that a model says something: `Capabilities.scores`."""

    async def score(
        self, query: CompletionRequest, continuations: Sequence[str | Sequence[int]]
    ) -> list[tuple[float, ...]]:
        """Of each continuation of the query's prompt, as text or as token ids, the natural logarithms of probability of its
        tokens, at a temperature of 1. Only the query's prompt, session and background count. `BackendError`."""
        ...
