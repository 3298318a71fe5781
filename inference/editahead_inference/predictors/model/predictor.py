"""A predictor that asks a model: from a state to a request in the model's format, and from the answer to rewrites."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Protocol, TypeAlias, TypeVar, cast

from editahead_inference.backends.base import Backend, CompletionRequest, Scorer, StreamEnd, TextChunk, Usage
from editahead_inference.candidates import CandidateSource
from editahead_inference.codebase import Codebase
from editahead_inference.errors import BackendError
from editahead_inference.related_code import RelatedCodeFinder, copied_elsewhere
from editahead_prompts.composition.cache_miss_tracker import CacheMissTracker
from editahead_prompts.composition.hf_tokenizer import tokenizer_for
from editahead_prompts.composition.tokenizers import Tokenizer
from editahead_prompts.errors import PromptTooLongError
from editahead_prompts.formats.apply.base import ApplyFormat, ApplyInput
from editahead_prompts.formats.base import (
    NO_ROOTS,
    AnswerParser,
    Format,
    PromptPaths,
    PromptRequest,
)
from editahead_prompts.formats.next_edit.editahead_2611 import EDITAHEAD
from editahead_prompts.formats.next_edit.editahead_coder_2611 import END, EditaheadCoderFormat, is_typing
from editahead_prompts.formats.registry import select_apply_format, select_format
from editahead_prompts.secrets.masked_state import mask_question, mask_state
from editahead_prompts.secrets.masking import Masks, SecretMasker
from editahead_prompts.state import EditorState, RelatedCode
from editahead_prompts.text.edits import Edit

from .continuation import Continuation
from .draft_texts import draft_texts
from .edit_scoring import answers_to_score, scores_of_said
from .logprob_trace import LogprobTrace
from .prefill_estimator import PrefillEstimator
from .previous_requests import PreviousRequests
from .prompt_size import PromptSize
from .response import ApplyResponse, LineReporter, ModelResponse, ResponseProgress
from .restored_response import restore_apply_response, restore_response
from .samples import Sample, make_apply_response, make_model_response
from .token_totals import TokenTotals

log = logging.getLogger(__name__)

SAMPLING_TEMPERATURE = 0.7
"""The temperature for several answers. A single answer has temperature 0."""

TEMPLATE_TOKENS = 32
"""Tokens kept free for what a server adds to a prompt: a first token, a chat template."""

DRAFT_HEADROOM = 128
"""Tokens that Apply keeps free on a server with drafts of its own: near the end of the context, one request spoils the
drafts of all others."""

T = TypeVar("T")

Lines: TypeAlias = Callable[[Sequence[str]], None]

_NO_ROOM = "What the sketch changes does not fit into a prompt, or nothing says where it belongs."


class RunOffLoop(Protocol):
    """A callable that runs `work` without blocking the event loop, and returns its result."""

    def __call__(self, work: Callable[[], T]) -> Awaitable[T]: ...


async def _run_directly(work: Callable[[], T]) -> T:
    return work()


@dataclass
class ModelPredictor:
    """A predictor with one model behind one backend. For one event loop.

    Attributes:
        backend: The backend.
        format: The format's name, as in settings; None = by the model's name.
        source: The candidates' source.
        paths: The names of documents in prompts.
        key: A key of user and workspace, for `CompletionRequest.session`.
        samples: The number of answers to one request.
        tokenizer: The model's tokenizer; None = the one that `tokenizer_for` finds.
        run_off_loop: Runs the building of requests: some formats parse, and a tokenizer may have to be loaded.
        totals: The tokens of requests.
        cache_misses: Why prompts were not in the server's cache.
        prefill_estimator: The speed of the server.
        clock: Monotonic seconds.
        wants_related_code: Whether prompts show code of files that are not open, in formats that have a place for it.
        masker: The placeholders of secrets. No prompt holds a secret, and answers hold them again.
    """

    backend: Backend
    format: str | None = None
    source: CandidateSource = "engine"
    paths: PromptPaths = NO_ROOTS
    key: str = ""
    samples: int = 1
    tokenizer: Tokenizer | None = None
    run_off_loop: RunOffLoop = _run_directly
    totals: TokenTotals = field(default_factory=TokenTotals)
    cache_misses: CacheMissTracker = field(default_factory=CacheMissTracker)
    prefill_estimator: PrefillEstimator = field(default_factory=PrefillEstimator)
    clock: Callable[[], float] = time.monotonic  # noqa: TID251  # unless another is passed in
    wants_related_code: bool = True
    masker: SecretMasker = field(default_factory=SecretMasker)
    problem: str = ""
    """Why the last request was not sent, although the backend may be ready: one sentence, or ""."""
    _found: tuple[str, str, Tokenizer] | None = field(default=None, init=False, repr=False)
    _related_code: RelatedCodeFinder | None = field(default=None, init=False, repr=False)
    _prompt_size: PromptSize = field(default_factory=PromptSize, init=False, repr=False)
    _previous: PreviousRequests = field(default_factory=PreviousRequests, init=False, repr=False)
    _agrees: bool | None = field(default=None, init=False, repr=False)
    """Whether the server's token counts agree with our tokenizer, so that ids can replace text; None = not known yet."""

    @property
    def goes_on_at_cursor(self) -> bool:
        """Whether the model continues what is being typed, and its probability counts."""
        return isinstance(self.known_format, EditaheadCoderFormat)

    def answers_each_key(self, state: EditorState) -> bool:
        """Return whether a request needs no pause of typing: a key costs a model in this process a token or two."""
        return self.goes_on_at_cursor and self.backend.capabilities.in_process and is_typing(state)

    @property
    def known_format(self) -> Format | None:
        """The format by the model's name; None while that is not known."""
        with suppress(ValueError):
            return select_format(self.backend.model or "", self.format)
        return None

    def set_codebase(self, codebase: Codebase | None) -> None:
        """Look up code for prompts in this index; None = in none. Call it where `run_off_loop` runs jobs."""
        self._related_code = None
        if codebase is not None and self.wants_related_code:
            self._related_code = RelatedCodeFinder(codebase)

    def on_close(self, uri: str) -> None:
        """Forget the prompts of a closed document."""
        self.cache_misses.on_close(uri)
        self._previous.on_close(uri)

    async def predict(
        self, state: EditorState, *, background: bool = False, progress: ResponseProgress | None = None
    ) -> ModelResponse:
        """Return the model's response to a state. Failures become `ModelResponse.problem`. Cancelling ends the request.

        Args:
            state: The state.
            background: Whether no user waits.
            progress: Is kept up to date while the answer comes.
        """
        masked, masks = await self.run_off_loop(lambda: self._completed(state))
        if progress is not None and masks:
            progress.restore = masks.restore
        response = await self._predict(masked, background, progress)
        return await self.run_off_loop(lambda: restore_response(response, state, masked, masks))

    async def _predict(
        self, state: EditorState, background: bool, progress: ResponseProgress | None
    ) -> ModelResponse:
        """Return the model's response to a state without secrets."""
        empty = ModelResponse(state.document, self.source, f"{self.source}:{self.backend.model}")
        self.problem = ""
        try:
            if self.backend.health.condition != "ready":
                self._agrees = None  # the server or its model may have changed
                await self.backend.prepare()  # finds the model's name
            try:
                format = select_format(self.backend.model or "", self.format)
            except ValueError as error:
                self.problem = str(error)
                return replace(empty, problem=self.problem)
            request = await self.run_off_loop(lambda: self._build(format, state))
            if progress is not None:
                progress.region = request.region
            key = f"{self.source}:{self.backend.model}:{format.name}"
            empty = replace(empty, region=request.region, model=key)
            query = self._query(request, background)
            if self.backend.capabilities.drafts and query.temperature == 0:
                said = (self._previous.said_before(request),) if request.continues else ()
                query = replace(query, drafts=(*filter(None, said), *draft_texts(format, request, state)))
            known = request.prompt.tokens - self.cache_misses.uncached_tokens(
                state.document.uri, request.prompt
            )
            self.cache_misses.record_sent(state.document.uri, request.prompt)
            samples: list[Sample] = []
            for _ in range(-(-self.samples // query.samples)):
                samples += (await self._answers(format, request, query, progress, known))[0]
            response = make_model_response(empty, request, [sample for sample in samples if sample.came])
            return replace(response, scores=await self._scores(format, request, query, state, response))
        except BackendError as error:
            return replace(empty, problem=error.detail)
        except PromptTooLongError:
            return replace(empty, problem="The lines around the cursor are too long for a prompt.")

    async def apply(
        self, questions: Iterable[ApplyInput], again: ApplyResponse | None = None, lines: Lines | None = None
    ) -> ApplyResponse:
        """Return the model's response to a sketch. Failures become `ApplyResponse.why`. Cancelling ends the request.

        Args:
            questions: The first question that fits into the context is asked.
            again: The unusable response to an earlier request. The model is asked only if more can be shown.
            lines: Called with all complete lines of the whole new text, without line ends, whenever more are complete.
        """
        try:
            if self.backend.health.condition != "ready":
                await self.backend.prepare()
            format = select_apply_format(self.backend.model or "", self.format)
            if format is None:
                return ApplyResponse(None, f"{self.backend.model} is not asked about sketches.")
            asked = await self.run_off_loop(partial(self._sketched, format, questions, again))
            if asked is None:
                return ApplyResponse(None, _NO_ROOM)
            question, request, masks = asked
            query = replace(self._query(request, background=False), samples=1, temperature=0.0, long=True)
            if self.backend.capabilities.drafts:
                query = replace(query, drafts=format.drafts(request))
            progress = (
                None
                if lines is None
                else LineReporter(question.original, request.region, lines, masks.restore)
            )
            (sample,), usage = await self._answers(format, request, query, progress)
        except BackendError as error:
            return ApplyResponse(None, error.detail)
        except ValueError as error:  # no format goes by the model's name
            return ApplyResponse(None, f"The model was not asked: {error}.")
        return restore_apply_response(make_apply_response((question, request), sample, usage), masks)

    def _sketched(
        self, format: ApplyFormat, questions: Iterable[ApplyInput], again: ApplyResponse | None
    ) -> tuple[ApplyInput, PromptRequest, Masks] | None:
        """Return the first question that fits into the model's context, without secrets, with its request, or None."""
        can, tokenizer = self.backend.capabilities, self.find_tokenizer(format)
        kept = TEMPLATE_TOKENS if can.drafts else TEMPLATE_TOKENS + DRAFT_HEADROOM
        budget = format.context if can.context is None else min(format.context, can.context - kept)
        if budget <= 0:
            return None
        before = None if again is None or again.asked is None else again.asked[1]
        for question in questions:
            asked, masks = mask_question(question, self.masker)
            request = format.build(asked, tokenizer, budget=budget, paths=self.paths, again=before)
            if request is not None:
                return asked, request, masks
        return None

    async def _scores(
        self,
        format: Format,
        request: PromptRequest,
        query: CompletionRequest,
        state: EditorState,
        response: ModelResponse,
    ) -> tuple[tuple[Edit, float], ...]:
        """Return the log-probabilities of the likeliest edits of rules, as answers to the same request."""
        backend, tokenizer = self.backend, self.find_tokenizer(format)
        if not request.calibrated or not backend.capabilities.scores:
            return ()
        said = tuple(scores_of_said(request, state.proposed, response.rewrites))
        asked = list(answers_to_score(request, state.proposed, response.rewrites, tokenizer))
        if not asked:
            return said
        with suppress(BackendError):
            answers = [answer + END for _, answer in asked]
            logprobs = await cast(Scorer, backend).score(query, answers)
            said += tuple((edit, sum(each)) for (edit, _), each in zip(asked, logprobs, strict=True))
        return said

    def _build(self, format: Format, state: EditorState) -> PromptRequest:
        context = self.backend.capabilities.context
        tokenizer = self.find_tokenizer(format)
        if isinstance(format, EditaheadCoderFormat):
            budget = self._prompt_budget(format)
            return self._previous.build(format, state, tokenizer, budget, self.paths)
        request = format.build(state, tokenizer, paths=self.paths)
        needed = tokenizer.count(request.system or "") + request.prompt.tokens + request.max_tokens
        if context is not None and needed > (available := context - TEMPLATE_TOKENS):
            room = max(available - request.max_tokens, available // 2)
            request = format.build(state, tokenizer, budget=min(room, format.context), paths=self.paths)
            request = replace(request, max_tokens=min(request.max_tokens, available - room))
        return request

    def _prompt_budget(self, format: Format) -> int:
        if not self.backend.capabilities.in_process:
            return format.context
        measured = self.prefill_estimator.estimate_s(1)
        checked = self.backend.capabilities.prompt_token_s
        return self._prompt_size.choose(checked if measured is None else measured)

    def _completed(self, state: EditorState) -> tuple[EditorState, Masks]:
        """Return the state with related code, if prompts show any, and without secrets; and the masks."""
        return mask_state(replace(state, related_code=tuple(self._related_pieces(state))), self.masker)

    def _related_pieces(self, state: EditorState) -> Iterator[RelatedCode]:
        format = self.known_format
        if format is not None and format.shows_related_code:
            yield from copied_elsewhere(state)
            if self._related_code is not None:
                yield from self._related_code.find(state)

    def find_tokenizer(self, format: Format | ApplyFormat) -> Tokenizer:
        """Return the tokenizer for the model and the format, which is looked up once."""
        if self.tokenizer is not None:
            return self.tokenizer
        place = self.backend.capabilities.tokenizer
        model = str(place) if place is not None else self.backend.model or ""
        if self._found is None or self._found[:2] != (model, format.name):
            self._found = (
                model,
                format.name,
                tokenizer_for(model, ours=format.name == EDITAHEAD.name).tokenizer,
            )
        return self._found[2]

    def _query(self, request: PromptRequest, background: bool) -> CompletionRequest:
        can = self.backend.capabilities
        ids = request.prompt.ids if can.token_ids and self._agrees else None
        return CompletionRequest(
            prompt=request.prompt.text.encode(
                "utf-8", "replace"
            ).decode(),  # half a surrogate pair is no text
            ids=ids,
            stop=request.stop,
            stop_ids=() if ids is None else self._stops(request),
            max_tokens=request.max_tokens,
            system=request.system,
            prefill=request.prefill if request.chat else "",
            chat=request.chat,
            temperature=SAMPLING_TEMPERATURE if self.samples > 1 else 0.0,
            samples=self.samples if can.samples else 1,
            logprobs=can.logprobs,
            session=f"{self.key}:{request.document.uri}" if self.key else "",
            background=background,
        )

    def _stops(self, request: PromptRequest) -> tuple[int, ...]:
        """Return the tokens that are each one of the stop strings."""
        tokenizer = self.tokenizer or (self._found[2] if self._found is not None else None)
        cut = [tokenizer.encode(stop) for stop in request.stop] if tokenizer is not None else []
        return tuple(ids[0] for ids in cut if ids is not None and len(ids) == 1)

    async def _answers(
        self,
        format: AnswerParser,
        request: PromptRequest,
        query: CompletionRequest,
        progress: ResponseProgress | LineReporter | None,
        known: int | None = None,
    ) -> tuple[list[Sample], Usage]:
        """Return the answers to a request, read only as far as they count, and their tokens.

        known: cached tokens of the prompt, used if the server does not come to report them.
        """
        samples = [
            Sample(
                LogprobTrace(format.make_reader(request)),
                continuation=Continuation(query.logprobs) if request.continues else None,
                calibrated=request.calibrated,
            )
            for _ in range(query.samples)
        ]
        if (said := samples[0].continuation) is not None:
            self._previous.record_said(request, said)
            if isinstance(progress, ResponseProgress):
                progress.continuation = said
        unreported = Usage(request.prompt.tokens, known if self.backend.capabilities.keeps_prompts else None)
        try:
            usage = await self._read(query, samples, progress, unreported)
        except asyncio.CancelledError:
            self.totals.add(unreported)
            raise
        for sample in samples:
            sample.end()
        if (
            usage is not unreported
            and request.prompt.ids is not None
            and not request.chat
            and self._agrees is None
        ):
            self._agrees = usage.prompt == len(request.prompt.ids)
        self.totals.add(usage)
        return samples, usage

    async def _read(
        self,
        query: CompletionRequest,
        samples: Sequence[Sample],
        progress: ResponseProgress | LineReporter | None,
        usage: Usage,
    ) -> Usage:
        """Read the answers into `samples`, and return their tokens; `usage` if the server did not come to report them."""
        began, first = self.clock(), None
        async with aclosing(self.backend.stream(query)) as stream:
            async for item in stream:
                if not 0 <= item.sample < len(samples):
                    continue
                sample = samples[item.sample]
                match item:
                    case StreamEnd(reason, _, reported):
                        sample.came = sample.ended = True
                        sample.finish = reason
                        usage = reported or usage
                    case TextChunk(text, logprobs) if not sample.ended:
                        first = self.clock() if first is None else first
                        sample.add(text, logprobs)
                if progress is not None and sample is samples[0]:
                    progress.update(sample.trace.lines)
                if all(one.ended for one in samples) and not isinstance(item, StreamEnd):
                    break  # the rest is not needed
        if usage.cached is not None and first is not None:
            self.prefill_estimator.record(usage.prompt - usage.cached, first - began)
        return usage
