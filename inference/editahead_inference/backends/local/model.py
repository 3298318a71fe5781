"""A model in this process: its network, its tokenizer, and the computed prompts of sessions.

For one thread. Only the part of a prompt behind its common prefix with the session's last prompt is computed. Greedy
answers may be drafted: a step verifies a draft, and keeps the tokens that the model would have chosen itself
(`speculation.drafter`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Any

from editahead_inference.backends.base import CompletionRequest, StreamEnd, TextChunk, Usage
from editahead_inference.errors import BackendError
from editahead_inference.speculation.drafter import Drafter
from editahead_prompts.composition.hf_tokenizer import load as load_vocabulary
from editahead_prompts.formats.base import Finish
from editahead_prompts.text.affixes import common_prefix_length

from . import llama_graph
from .network import Network, token_ids
from .onnx_network import OnnxNetwork
from .row import Pace, Row
from .session_cache import SessionCache
from .stop_strings import StopScanner
from .transformers_network import TransformersNetwork, load_transformers_tokenizer

NEVER = -1e9
"""The log-probability of a token that the network cannot say."""


def load_network(folder: Path, dtype: str) -> Network:
    """Return the network of a folder. dtype: of the weights, for transformers."""
    is_ours = (folder / llama_graph.GRAPH).is_file()
    return OnnxNetwork(folder) if is_ours else TransformersNetwork(folder, dtype)


class LocalModel:
    """A model with its tokenizer and its cache. dtype, seed, cache_bytes: as for `LocalBackend`.

    Args:
        folder: The model and its tokenizer.
        dtype: The type of the weights, for transformers.
        seed: The seed of sampling.
        cache_bytes: The most bytes of kept keys and values.
        load: Returns the network of a folder.
        clock: Monotonic seconds.

    Raises:
        ValueError: The weights are damaged. The libraries raise errors of their own.
    """

    def __init__(
        self,
        folder: Path,
        dtype: str,
        seed: int,
        cache_bytes: int,
        load: Callable[[Path, str], Network] = load_network,
        clock: Callable[[], float] = time.monotonic,  # noqa: TID251  # unless another is passed in
    ) -> None:
        import numpy

        self._numpy: Any = numpy
        self._folder = folder
        self._network = load(folder, dtype)
        self._encoder: Any = load_vocabulary(folder).encoder
        self._random = numpy.random.default_rng(seed)  # noqa: TID251  # seeded
        self._template: Any = None
        self._pace = Pace(clock)
        self._shelf: SessionCache[Any] = SessionCache(min(cache_bytes, self._network.cache_bytes))
        self.context = self._network.context
        if not numpy.isfinite(self._network.forward([0], self._network.new_cache(), 1)).all():
            raise ValueError("its weights are damaged: what it computes is no number")

    def generate(
        self, query: CompletionRequest, check: Callable[[], None]
    ) -> Iterator[TextChunk | StreamEnd]:
        """Yield the answers to a request.

        Args:
            query: The request.
            check: Raises to cancel. Called before each step.

        Raises:
            BackendError: The prompt does not fit.
        """
        ids = self._encode(query)
        row, answer = self._row(query, ids)
        reused, counts = row.reused, _Counts()
        try:
            for sample in range(query.samples):
                if sample and not self._network.crops:
                    row, _ = self._row(query, ids)
                row.crop(len(ids) - 1)
                drafter = self._drafter(query, ids, answer)
                reason = yield from self._decode(query, sample, ids, row, drafter, counts, check)
                last = sample == query.samples - 1
                usage = Usage(len(ids), reused, counts.said, counts.drafted, counts.accepted)
                yield StreamEnd(reason, sample, usage if last else None)
        finally:
            self._keep(query, row, len(ids))

    def score(
        self,
        query: CompletionRequest,
        continuations: Sequence[str | Sequence[int]],
        check: Callable[[], None],
    ) -> list[tuple[float, ...]]:
        """Return scores as `Scorer.score` does. Prompt and common prefixes of continuations are computed once."""
        prompt = self._encode(query)
        wanted = [self._plain(c) if isinstance(c, str) else list(c) for c in continuations]
        max_ids = self.context - len(prompt)
        if any(
            len(ids) > max_ids or not all(0 <= id < self._network.vocabulary for id in ids) for ids in wanted
        ):
            raise BackendError(
                "refused", "A continuation is too long for the model, or no text of its vocabulary."
            )
        scores: list[tuple[float, ...]] = [()] * len(wanted)
        row, _ = self._row(query, prompt)
        try:
            logprobs = self._logprobs(row.extend(prompt[row.reused :], check))
            for number in sorted(range(len(wanted)), key=wanted.__getitem__):
                if not self._network.crops and len(row.ids) > len(prompt):
                    row, _ = self._row(query, prompt)
                    logprobs = self._logprobs(row.extend(prompt, check))
                ids = wanted[number]
                known = common_prefix_length(row.ids[len(prompt) :], ids[:-1])
                row.crop(len(prompt) + known)
                del logprobs[known + 1 :]
                for logits in row.extend_all(ids[known:-1], check):
                    logprobs += self._logprobs(logits)
                scores[number] = tuple(
                    self._said_logprob(behind, id) for behind, id in zip(logprobs, ids, strict=False)
                )
            row.crop(len(prompt))
        finally:
            self._keep(query, row, len(prompt))
        return scores

    def _said_logprob(self, logprobs: Any, id: int) -> float:
        """Return the log-probability of a token, `NEVER` for one that the network cannot say."""
        said = self._network.said
        if said is None:
            return float(logprobs[id])
        column = int(self._numpy.searchsorted(said, id))
        return float(logprobs[column]) if column < len(said) and said[column] == id else NEVER

    def _logprobs(self, logits: Any) -> list[Any]:
        """Return log-probabilities for logits, row by row."""
        return list(logits - self._log_sums(logits)[:, None])

    def _log_sums(self, logits: Any) -> Any:
        """Return the logarithm of the sum of exponentials of each row."""
        highest = logits.max(-1)
        return highest + self._numpy.log(self._numpy.exp(logits - highest[:, None]).sum(-1))

    def _decode(
        self,
        query: CompletionRequest,
        sample: int,
        ids: Sequence[int],
        row: Row,
        drafter: Drafter | None,
        counts: _Counts,
        check: Callable[[], None],
    ) -> Generator[TextChunk, None, Finish]:
        """Yield one answer to the prompt `ids`, and return how it ends."""
        limit = min(query.max_tokens, self.context - len(ids))
        text = _Text(self._encoder, query.chat)
        stops = StopScanner(query.stop)
        reason: Finish = "length"
        for token, logprob in self._tokens(query, ids, row, limit, drafter, counts, check):
            counts.said += 1
            if token in self._network.eos_ids:
                reason = "stop"
                if query.logprobs:
                    yield TextChunk("", (logprob,), sample)
                break
            piece = text.add(token)
            given = stops.feed(piece)
            if given or query.logprobs:
                yield TextChunk(given, (logprob,) if query.logprobs else (), sample)
            if stops.stopped:
                reason = "stop"
                break
        if rest := stops.finish():
            yield TextChunk(rest, (), sample)
        return reason

    def _tokens(
        self,
        query: CompletionRequest,
        ids: Sequence[int],
        row: Row,
        limit: int,
        drafter: Drafter | None,
        counts: _Counts,
        check: Callable[[], None],
    ) -> Iterator[tuple[int, float]]:
        """Yield at most `limit` tokens, each with its log-probability. A step is computed only when it is needed.

        The first step computes the rest of the prompt and a short draft, which is nearly free: a key that was predicted
        takes one step.
        """
        ahead, max_draft = ids[len(row.ids) :], self._network.draft_lengths.initial
        while limit > 0:
            draft = [] if drafter is None else drafter.draft(min(limit - 1, max_draft))
            counts.drafted += len(draft)
            logits = row.extend([*ahead, *draft], check, 1 + len(draft))
            tokens, logprobs = self._pick(logits, query)
            right = common_prefix_length(tokens, draft)
            row.crop(len(row.ids) - len(draft) + right)
            for number in range(right + 1):
                counts.accepted += number < right
                yield tokens[number], logprobs[number]
            limit -= right + 1
            if drafter is not None:
                drafter.commit(tokens[: right + 1])
            ahead, max_draft = tokens[right : right + 1], limit

    def _pick(self, logits: Any, query: CompletionRequest) -> tuple[list[int], list[float]]:
        """Return a token for each row of logits, and its log-probability at a temperature of 1, as servers report it.

        The log-probabilities are 0 if the request does not want them.
        """
        if query.temperature > 0:
            # The highest of logits with noise of Gumbel's distribution is a sample of the softmax.
            noise = self._random.gumbel(size=logits.shape)
            columns = (logits / query.temperature + noise).argmax(-1)
        else:
            columns = logits.argmax(-1)
        chosen = token_ids(self._network, columns)
        if not query.logprobs:
            return chosen, [0.0] * len(chosen)
        logprobs = logits[self._numpy.arange(len(chosen)), columns] - self._log_sums(logits)
        return chosen, logprobs.tolist()

    def _drafter(
        self, query: CompletionRequest, prompt: Sequence[int], answer: Sequence[int]
    ) -> Drafter | None:
        """Return the drafter of a greedy answer, which may repeat an answer before, the request's drafts, and the prompt.

        There is none if the answer is not greedy, or if a wrong draft could not be taken back.
        """
        if query.temperature > 0 or not self._network.crops:
            return None
        drafts = [list(answer), *self._drafts(query)]
        return Drafter([draft for draft in drafts if draft], self._network.draft_lengths, prompt)

    def _drafts(self, query: CompletionRequest) -> list[list[int]]:
        """Return the request's drafts as token ids, each up to the first token that the model does not have."""
        known = self._network.vocabulary
        drafts = [list(takewhile(lambda id: id < known, self._plain(text))) for text in query.drafts]
        return [draft for draft in drafts if draft]

    def _plain(self, text: str) -> list[int]:
        """Return the ids of a text that is not at the beginning of a prompt."""
        ids: list[int] = self._encoder.encode(text, add_special_tokens=False).ids
        return ids

    def _encode(self, query: CompletionRequest) -> list[int]:
        if query.chat:
            ids = self._plain(self._chat(query))
        elif query.ids is not None:
            ids = list(query.ids)
        else:
            ids = self._encoder.encode(query.prompt).ids
        if not 0 < len(ids) < self.context:
            raise BackendError(
                "refused", f"The prompt has {len(ids)} tokens; the model takes 1 to {self.context - 1}."
            )
        return ids

    def _chat(self, query: CompletionRequest) -> str:
        """Return the conversation in the model's template, up to where the answer goes on."""
        if self._template is None:
            self._template = load_transformers_tokenizer(self._folder)
        messages = [{"role": "user", "content": query.prompt}]
        if query.system is not None:
            messages.insert(0, {"role": "system", "content": query.system})
        if query.prefill:
            messages.append({"role": "assistant", "content": query.prefill})
        text: str = self._template.apply_chat_template(
            messages,
            tokenize=False,
            add_generation_prompt=not query.prefill,
            continue_final_message=bool(query.prefill),
            enable_thinking=False,
        )
        return text

    def _row(self, query: CompletionRequest, ids: Sequence[int]) -> tuple[Row, tuple[int, ...]]:
        """Return a row with what is computed of a prompt, and what was said behind it before."""
        found = self._shelf.pop(query.session, ids) if self._network.crops else None
        if found is None:
            return Row(self._network, self._pace, self._network.new_cache(), []), ()
        return Row(self._network, self._pace, found.value, list(ids[: found.shared])), found.answer

    def _keep(self, query: CompletionRequest, row: Row, prompt: int) -> None:
        """Keep a row for the session's next prompt, unless the model failed in the middle of a step."""
        if row.sound and self._network.crops:
            self._shelf.put(query.session, row.ids, row.cache, prompt)


@dataclass(slots=True)
class _Counts:
    """Numbers of tokens of all samples. said: tokens of answers. drafted, accepted: as in `Usage`."""

    said: int = 0
    drafted: int = 0
    accepted: int = 0


class _Text:
    """A decoder of tokens into whole characters. Incomplete bytes at the end are dropped, as by vLLM.

    The text of a token may depend on the token before it, so some earlier tokens are decoded again with new ones.
    """

    def __init__(self, encoder: Any, without_special: bool) -> None:
        self._encoder = encoder
        self._without_special = without_special
        self._ids: list[int] = []
        self._given = 0

    def add(self, token: int) -> str:
        self._ids.append(token)
        text = self._decode(self._ids)[len(self._decode(self._ids[: self._given])) :]
        if not text or text.endswith("\ufffd"):
            return ""
        self._ids, self._given = self._ids[self._given :], len(self._ids) - self._given
        return text

    def _decode(self, ids: list[int]) -> str:
        text: str = self._encoder.decode(ids, skip_special_tokens=self._without_special)
        return text
