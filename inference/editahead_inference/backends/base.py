"""The interface of a backend: a prompt goes in, text comes out in chunks, and the caller can cancel."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol, TypeAlias

from editahead_prompts.formats.base import Finish

BackendState: TypeAlias = Literal["starting", "ready", "degraded", "gone"]
"""The state of a backend.

starting: nothing is known yet. ready: the backend answers. degraded: recent requests failed, or a request tests whether
the backend is back. gone: nothing is sent until the circuit breaker lets one request through.
"""


@dataclass(frozen=True, slots=True)
class Health:
    """The health of a backend. detail: one sentence for the user, or "" if there is nothing to report."""

    condition: BackendState
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Capabilities:
    """The abilities of a backend. Until the backend is `ready`, they are assumptions.

    Attributes:
        token_ids: It takes prompts as token ids.
        logprobs: It returns log-probabilities of tokens.
        samples: It returns several answers to one request. Without this there is always one.
        keeps_prompts: It keeps a computed prompt for the next request.
        context: The most tokens of prompt and answer together, if known.
        drafts: It verifies the drafts of a request.
        scores: It is a `Scorer`.
        tokenizer: The folder on this machine with the model's tokenizer, if known.
        in_process: It computes in this process. It is seldom as fast as the rules, which then do not wait for it.
        prompt_token_s: The seconds that a token of a prompt took when the model was checked, if known.
    """

    token_ids: bool = False
    logprobs: bool = False
    samples: bool = False
    keeps_prompts: bool = False
    context: int | None = None
    drafts: bool = False
    scores: bool = False
    tokenizer: Path | None = None
    in_process: bool = False
    prompt_token_s: float | None = None


@dataclass(frozen=True, slots=True)
class CompletionRequest:
    """A request to complete a prompt.

    Attributes:
        prompt: The text to complete; in a chat, the user's message.
        stop: Strings that end the answer.
        max_tokens: The most tokens of the answer.
        ids: The prompt as token ids. A backend that takes ids uses them instead of the text.
        stop_ids: Tokens that are each one of the stop strings. Known only together with `ids`.
        system: The system message; in a chat only.
        prefill: The beginning of the answer; in a chat only.
        chat: Whether the prompt is a message of a chat.
        temperature: 0 is greedy.
        samples: The number of answers.
        logprobs: Whether to return log-probabilities.
        session: A stable key of user, workspace and document. Requests with one key share a prefix.
        background: Whether no user waits for the answer.
        long: Whether the answer may be a whole file, which takes up to two minutes.
        drafts: Texts that the answer may repeat, the most likely first. A backend that verifies drafts answers greedy
            requests sooner with them. They never change an answer.
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
    """Numbers of tokens, as the server counts them.

    Attributes:
        prompt: Tokens of the prompt.
        cached: Tokens of the prompt that were computed before; None if the server does not report them.
        completion: Tokens of the answer.
        drafted: Tokens of drafts that were verified.
        accepted: Tokens of drafts that became part of the answer.
    """

    prompt: int = 0
    cached: int | None = None
    completion: int = 0
    drafted: int = 0
    accepted: int = 0


@dataclass(frozen=True, slots=True)
class TextChunk:
    """A part of an answer.

    Attributes:
        text: The text.
        logprobs: The natural log-probability of each token, or () if the server does not report them.
        sample: The number of the answer, from 0.
    """

    text: str
    logprobs: tuple[float, ...] = ()
    sample: int = 0


@dataclass(frozen=True, slots=True)
class StreamEnd:
    """The end of an answer. Each sample has its own. usage: of the whole request, with the last sample only."""

    reason: Finish
    sample: int = 0
    usage: Usage | None = None


class Backend(Protocol):
    """A source of completions, for one event loop. No method blocks the loop."""

    @property
    def name(self) -> str:
        """The name that `editahead.status` shows, such as "openai http://localhost:8000"."""
        ...

    @property
    def model(self) -> str | None: ...

    @property
    def health(self) -> Health: ...

    @property
    def capabilities(self) -> Capabilities: ...

    async def prepare(self) -> None:
        """Load the model, or detect the server and its model.

        A request does this itself if it is the first. Calling this early spares the first request the wait.

        Raises:
            BackendError: The model or the server cannot be used.
        """
        ...

    def stream(self, query: CompletionRequest) -> AsyncGenerator[TextChunk | StreamEnd, None]:
        """Yield the answer as it comes.

        Closing the generator, or cancelling the task that waits for it, stops the work within a decoding step and
        closes the connection.

        Raises:
            BackendError: The request failed.
        """
        ...

    async def close(self) -> None:
        """Stop all work and free all resources. The backend cannot be used afterwards."""
        ...


class Scorer(Protocol):
    """A backend that returns the probabilities of given continuations: `Capabilities.scores`."""

    async def score(
        self, query: CompletionRequest, continuations: Sequence[str | Sequence[int]]
    ) -> list[tuple[float, ...]]:
        """Return the natural log-probabilities of each continuation's tokens, at a temperature of 1.

        Args:
            query: Its prompt, session and background count; the rest is ignored.
            continuations: Texts, or token ids.

        Raises:
            BackendError: The request failed, or a continuation does not fit.
        """
        ...
