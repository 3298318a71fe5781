"""A causal language model in this process, from a folder, with torch and transformers.

The one module that imports those two, and only when the model is loaded; all that touches the model runs on a thread of its
own. What was computed of a session's last prompt is cropped to what the next one has in common with it.
"""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import AsyncGenerator, Callable, Generator, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from editahead_inference.worker import Worker
from editahead_prompts.formats.format import Finish

from .backend import BackendError, Capabilities, End, Health, Piece, Query, Usage
from .shelf import Shelf
from .stops import StopScanner

CACHE_BYTES = 1 << 30
"""Of keys and values of all sessions together."""
CHUNK = 256
"""Tokens of a prompt that are computed at once: it can be given up after each."""

_LONGEST_REASON = 200
"""Characters of a library's message."""

T = TypeVar("T")


class _GivenUp(Exception):
    """Nobody wants it, or somebody else waits."""


class LocalBackend:
    """folder: with a model and its tokenizer, as transformers saves them (safetensors; code in it is never run).
    dtype: "auto" as it was saved, or a name that torch has ("float32"). seed: of sampling. cache_bytes: see the module; 0
    computes every prompt anew.
    """

    def __init__(
        self, folder: Path, *, dtype: str = "auto", seed: int = 0, cache_bytes: int = CACHE_BYTES
    ) -> None:
        self._folder = folder
        self._load = lambda: _Model(folder, dtype, seed, cache_bytes)
        self._worker = Worker("editahead-model")
        self._model: _Model | None = None
        self._loading: asyncio.Future[_Model] | None = None
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
        context = None if self._model is None else self._model.context
        return Capabilities(token_ids=True, logprobs=True, samples=True, warms=True, context=context)

    async def prepare(self) -> None:
        await self._loaded()

    async def stream(self, query: Query) -> AsyncGenerator[Piece | End, None]:
        model = await self._loaded()
        loop = asyncio.get_running_loop()
        queue: asyncio.Queue[Piece | End | Exception | None] = asyncio.Queue()
        unwanted = threading.Event()

        def tell(item: Piece | End | Exception | None) -> None:
            with suppress(RuntimeError):  # the loop is closed, so nobody listens
                loop.call_soon_threadsafe(queue.put_nowait, item)

        def check() -> None:
            if unwanted.is_set() or self._closed or (query.background and self._worker.wanted):
                raise _GivenUp

        def work() -> None:
            try:
                for piece in model.answer(query, check):
                    tell(piece)
                tell(None)
            except Exception as error:
                tell(error)

        self._worker.submit(work, idle=query.background)
        try:
            while (item := await queue.get()) is not None:
                if isinstance(item, Exception):
                    raise self._failure(item)
                yield item
            self.health = Health("ready")
        finally:
            unwanted.set()

    async def warm(self, query: Query) -> Usage:
        model = await self._loaded()

        def check() -> None:
            if self._worker.wanted:
                raise _GivenUp

        try:
            return await self._run(lambda: model.warm(query, check), idle=True)
        except Exception as error:
            raise self._failure(error) from None

    async def close(self) -> None:
        self._closed = True
        # No later than after the present step; the thread dies with the process in any case.
        await asyncio.to_thread(self._worker.stop, 1.0)
        self._model = None

    async def _loaded(self) -> _Model:
        if self._loading is None:
            self._loading = self._run(self._load)
        try:
            self._model = await asyncio.shield(self._loading)
        except Exception as error:
            failure = error if isinstance(error, BackendError) else _not_loaded(self._folder, error)
            self.health = Health("gone", failure.detail)
            raise failure from None
        if self.health.condition == "starting":
            self.health = Health("ready")
        return self._model

    def _run(self, work: Callable[[], T], *, idle: bool = False) -> asyncio.Future[T]:
        """Do it on the model's thread."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()

        def settle(result: T | None, error: Exception | None) -> None:
            if future.done():
                return
            if error is not None:
                future.set_exception(error)
            else:
                future.set_result(result)  # type: ignore[arg-type]  # None only where T has it

        def job() -> None:
            result, failed = None, None
            try:
                result = work()
            except Exception as error:
                failed = error
            with suppress(RuntimeError):  # the loop is closed
                loop.call_soon_threadsafe(settle, result, failed)

        self._worker.submit(job, idle=idle)
        return future

    def _failure(self, error: Exception) -> BackendError:
        if isinstance(error, BackendError):
            return error
        if isinstance(error, _GivenUp):
            return BackendError("suspended", "The model made room for a request that somebody waits for.")
        failure = BackendError("broken", f"The model in this process failed: {type(error).__name__}.")
        self.health = Health("degraded", failure.detail)
        return failure


def _not_loaded(folder: Path, error: Exception) -> BackendError:
    if isinstance(error, ModuleNotFoundError) and error.name in ("torch", "transformers"):
        return BackendError(
            "refused", f"{error.name} is not installed; the extra `local` of editahead has it."
        )
    first = (str(error).strip() or type(error).__name__).splitlines()[0][:_LONGEST_REASON]
    return BackendError("broken", f"The model in {folder} cannot be loaded: {first.rstrip('.')}.")


class _Model:
    """The model itself; for its thread only."""

    def __init__(self, folder: Path, dtype: str, seed: int, cache_bytes: int) -> None:
        if not (folder / "config.json").is_file():
            raise BackendError("refused", f"There is no model in {folder}.")
        import torch
        import transformers

        self._torch: Any = torch
        library: Any = transformers
        options = {"local_files_only": True, "trust_remote_code": False}
        self._tokenizer: Any = library.AutoTokenizer.from_pretrained(folder, **options)
        model: Any = library.AutoModelForCausalLM.from_pretrained(
            folder, dtype=dtype, use_safetensors=True, **options
        )
        self._device = "cuda" if self._torch.cuda.is_available() else "cpu"
        self._model: Any = model.to(self._device).eval()
        self._random = self._torch.Generator().manual_seed(seed)
        self._cache_class: Any = library.DynamicCache
        self.context: int = model.config.max_position_embeddings
        ends = model.generation_config.eos_token_id
        self._ends = frozenset(ends if isinstance(ends, list) else [] if ends is None else [ends])
        self._shelf: Shelf[Any] = Shelf(cache_bytes, _bytes)
        # Windows that slide and states that run along cannot be cropped to any earlier token.
        self._crops = all(type(layer).__name__ == "DynamicLayer" for layer in self._new_cache().layers)
        one = "logits_to_keep" in inspect.signature(model.forward).parameters
        self._only_last = {"logits_to_keep": 1} if one else {}

    def answer(self, query: Query, check: Callable[[], None]) -> Iterator[Piece | End]:
        """check: raises when it is to be given up; asked before each step."""
        ids = self._encode(query)
        cached = self._cached(query, ids)
        reused, completion = cached.reused, 0
        try:
            first = cached.extend(ids[reused:], check)
            for sample in range(query.samples):
                if sample and not self._crops:
                    cached = self._cached(query, ids)
                    first = cached.extend(ids, check)
                cached.crop(len(ids))
                reason, tokens = yield from self._decode(query, sample, first, cached, check)
                completion += tokens
                last = sample == query.samples - 1
                yield End(reason, sample, Usage(len(ids), reused, completion) if last else None)
        finally:
            cached.keep()

    def _decode(
        self, query: Query, sample: int, logits: Any, cached: _Cached, check: Callable[[], None]
    ) -> Generator[Piece, None, tuple[Finish, int]]:
        """One answer, whose first token has these logits; returns how it ends, and its tokens."""
        limit = min(query.max_tokens, self.context - len(cached.ids))
        text = _Text(self._tokenizer, query.chat)
        stops = StopScanner(query.stop)
        reason: Finish = "length"
        tokens = 0
        while tokens < limit:
            check()
            token, logprob = self._pick(logits, query.temperature)
            tokens += 1
            if token in self._ends:
                reason = "stop"
                break
            given = stops.feed(text.add(token))
            if given or query.logprobs:
                yield Piece(given, (logprob,) if query.logprobs else (), sample)
            if stops.stopped:
                reason = "stop"
                break
            if tokens < limit:
                logits = cached.extend([token], check)
        if rest := stops.finish():
            yield Piece(rest, (), sample)
        return reason, tokens

    def warm(self, query: Query, check: Callable[[], None]) -> Usage:
        """What is computed by the time it is given up is kept."""
        ids = self._encode(query)
        cached = self._cached(query, ids)
        try:
            with suppress(_GivenUp):
                cached.extend(ids[len(cached.ids) :], check)
        finally:
            cached.keep()
        return Usage(len(ids), cached.reused)

    def _encode(self, query: Query) -> list[int]:
        if query.chat:
            messages = [{"role": "user", "content": query.prompt}]
            if query.system is not None:
                messages.insert(0, {"role": "system", "content": query.system})
            if query.prefill:
                messages.append({"role": "assistant", "content": query.prefill})
            begun = bool(query.prefill)
            text = self._tokenizer.apply_chat_template(
                messages,
                tokenize=False,
                add_generation_prompt=not begun,
                continue_final_message=begun,
                enable_thinking=False,
            )
            ids = self._tokenizer(text, add_special_tokens=False)["input_ids"]
        elif query.ids is not None:
            ids = list(query.ids)
        else:
            ids = self._tokenizer(query.prompt)["input_ids"]
        if not 0 < len(ids) < self.context:
            raise BackendError(
                "refused", f"The prompt has {len(ids)} tokens; the model takes 1 to {self.context - 1}."
            )
        return list(ids)

    def _cached(self, query: Query, ids: Sequence[int]) -> _Cached:
        """What is kept of the session's last prompt, as far as it fits; else nothing."""
        kept = self._shelf.take(query.session, ids) if self._crops else None
        value, size, shared = kept or (self._new_cache(), 0, 0)

        def keep(computed: Sequence[int]) -> None:
            if self._crops:
                self._shelf.put(query.session, computed, value)

        cached = _Cached(self._forward, value, list(ids[:shared]), size, keep)
        cached.crop(shared)
        return cached

    def _new_cache(self) -> Any:
        return self._cache_class(config=self._model.config)

    def _forward(self, ids: Sequence[int], cache: Any) -> Any:
        """Logits of what follows the last of `ids`, in float32."""
        with self._torch.inference_mode():
            batch = self._torch.tensor([ids], device=self._device)
            done = self._model(input_ids=batch, past_key_values=cache, use_cache=True, **self._only_last)
            return done.logits[0, -1].float().cpu()

    def _pick(self, logits: Any, temperature: float) -> tuple[int, float]:
        """A token and its natural logarithm of probability, at a temperature of 1 as servers tell it."""
        if temperature > 0:
            odds = self._torch.softmax(logits / temperature, dim=-1)
            token = int(self._torch.multinomial(odds, 1, generator=self._random))
        else:
            token = int(logits.argmax())
        return token, float(logits[token] - self._torch.logsumexp(logits, dim=-1))


class _Cached:
    """Keys and values of a row of tokens, and what may be done with them."""

    def __init__(
        self,
        forward: Callable[[Sequence[int], Any], Any],
        value: Any,
        ids: list[int],
        size: int,
        keep: Callable[[Sequence[int]], None],
    ) -> None:
        self._forward = forward
        self._value = value
        self._size = size
        self._keep = keep
        self._sound = True
        self.ids = ids
        self.reused = len(ids)

    def extend(self, ids: Sequence[int], check: Callable[[], None]) -> Any:
        """Compute more tokens; the logits behind the last."""
        logits = None
        for start in range(0, len(ids), CHUNK):
            check()
            part = ids[start : start + CHUNK]
            self._sound = False
            logits = self._forward(part, self._value)
            self._sound = True
            self.ids += part
            self._size += len(part)
        return logits

    def crop(self, size: int) -> None:
        """Forget all tokens but the first `size`."""
        if self._size > size:
            self._value.crop(size - self._size)  # a negative number: so many fewer
        self._size = size
        del self.ids[size:]

    def keep(self) -> None:
        """For the session's next prompt, unless the model failed in the middle of a step."""
        if self._sound:
            self._keep(self.ids)


class _Text:
    """Tokens as text, as soon as it is whole characters; bytes at the end that are none are dropped, as by vLLM.

    What a token is as text may depend on the one before it, so that some that were given are decoded along with new ones.
    """

    def __init__(self, tokenizer: Any, without_special: bool) -> None:
        self._tokenizer = tokenizer
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
        text: str = self._tokenizer.decode(
            ids, skip_special_tokens=self._without_special, clean_up_tokenization_spaces=False
        )
        return text


def _bytes(cache: Any) -> int:
    return sum(layer.keys.nbytes + layer.values.nbytes for layer in cache.layers if layer.keys is not None)
