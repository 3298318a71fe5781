"""The objects that `/v1/completions` and `/v1/chat/completions` stream, as text chunks."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from editahead_inference.backends.base import StreamEnd, TextChunk, Usage
from editahead_inference.errors import BackendError
from editahead_prompts.formats.base import Finish

_REASONS: Mapping[str, Finish] = {"stop": "stop", "length": "length"}


class ChunkReader:
    """A reader of one streamed answer.

    Args:
        where: The server, for messages.
        quote: Returns what may be quoted of the server's own message (`MessageRedactor`).
    """

    def __init__(self, where: str, quote: Callable[[Any], str]) -> None:
        self._where = where
        self._quote = quote
        self._ends: dict[int, Finish] = {}
        self._open: set[int] = set()
        self._usage: Usage | None = None

    def feed(self, chunk: Any) -> list[TextChunk | StreamEnd]:
        """Return the parts that a chunk holds. The last end is kept for `finish`, as the usage follows it.

        Raises:
            BackendError: The chunk breaks the protocol, or reports a failure.
        """
        if not isinstance(chunk, dict):
            raise self._broken()
        if chunk.get("error") is not None:
            raise self.failure(chunk)
        choices = chunk.get("choices")
        if not isinstance(choices, list):
            raise self._broken()
        found = [piece for choice in choices if (piece := self._choice(choice)) is not None]
        self._usage = _usage(chunk) or self._usage
        return [*found, *self._settled()]

    def failure(self, chunk: Any) -> BackendError:
        """Return the failure that a chunk reports."""
        return BackendError(
            "broken", f"{self._where} failed in the middle of its answer{self._quote(chunk)}."
        )

    def finish(self) -> StreamEnd:
        """Return the last end, with the usage.

        Raises:
            BackendError: An answer has no end.
        """
        if self._open or not self._ends:
            raise BackendError("unreachable", f"{self._where} ended the connection too early.")
        sample, reason = self._ends.popitem()
        return StreamEnd(reason, sample, self._usage)

    def _choice(self, choice: Any) -> TextChunk | None:
        if not isinstance(choice, dict):
            raise self._broken()
        sample = choice.get("index", 0)
        if not isinstance(sample, int):
            raise self._broken()
        delta = choice.get("delta")
        text = choice.get("text") if delta is None else _field(delta, "content")
        reason = choice.get("finish_reason")
        if not isinstance(text, str | None) or not isinstance(reason, str | None):
            raise self._broken()
        if reason is None:
            self._open.add(sample)
        elif reason in _REASONS:
            self._open.discard(sample)
            self._ends[sample] = _REASONS[reason]
        else:
            raise BackendError("broken", f"{self._where} ended its answer for another reason than it may.")
        logprobs = _logprobs(choice.get("logprobs"))
        return TextChunk(text or "", logprobs, sample) if text or logprobs else None

    def _settled(self) -> list[StreamEnd]:
        """Return all ends but the last, which is kept for `finish`."""
        settled = list(self._ends)[: len(self._ends) - (not self._open)]
        return [StreamEnd(self._ends.pop(sample), sample) for sample in settled]

    def _broken(self) -> BackendError:
        return BackendError("broken", f"{self._where} answers with something that is no completion.")


def _field(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else None


def _count(value: Any, *names: str) -> int | None:
    for name in names:
        value = _field(value, name)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _logprobs(value: Any) -> tuple[float, ...]:
    """Return the log-probabilities of either shape.

    One is parallel lists (`token_logprobs`). The other is a list of objects (`content`), which some servers use for
    both kinds of completion.
    """
    listed = _field(value, "token_logprobs")
    if listed is None:
        content = _field(value, "content")
        listed = [_field(token, "logprob") for token in content] if isinstance(content, list) else []
    if not isinstance(listed, list):
        return ()
    return tuple(
        float(x)
        for x in listed
        if isinstance(x, int | float) and not isinstance(x, bool) and not math.isnan(x)
    )


def _usage(chunk: dict[str, Any]) -> Usage | None:
    """Return the usage that a chunk reports, if any.

    llama.cpp reports cached tokens in `timings`, and vLLM reports drafts in `metrics`, both beside `usage`.
    """
    usage, timings = chunk.get("usage"), chunk.get("timings")
    prompt = _count(usage, "prompt_tokens")
    cached = _count(usage, "prompt_tokens_details", "cached_tokens")
    completion = _count(usage, "completion_tokens")
    kept, fresh = _count(timings, "cache_n"), _count(timings, "prompt_n")
    if cached is None:
        cached = kept
    if prompt is None and kept is not None and fresh is not None:
        prompt = kept + fresh
        completion = _count(timings, "predicted_n") if completion is None else completion
    if prompt is None:
        return None
    drafts = _field(chunk.get("metrics"), "speculative_decoding")
    drafted, accepted = _count(drafts, "num_draft_tokens"), _count(drafts, "num_accepted_draft_tokens")
    return Usage(prompt, cached, completion or 0, drafted or 0, accepted or 0)
