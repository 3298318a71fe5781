"""Asks a model: a state becomes a request of its format, the request a query, and the answer, read as it comes, rewrites."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Protocol, TypeAlias, TypeVar, cast

from editahead_inference.backends.base import Backend, CompletionRequest, Scorer, StreamEnd, TextChunk, Usage
from editahead_inference.candidates import CandidateSource
from editahead_inference.errors import BackendError
from editahead_inference.gate.decision_trees import DecisionTrees
from editahead_prompts.composition.cache_miss_tracker import CacheMissTracker, common_prefix
from editahead_prompts.composition.hf_tokenizer import HfTokenizer, tokenizer_for
from editahead_prompts.composition.tokenizers import Tokenizer
from editahead_prompts.errors import PromptTooLongError
from editahead_prompts.formats.apply.base import ApplyFormat, ApplyInput, line_bodies
from editahead_prompts.formats.base import (
    NO_ROOTS,
    AnswerParser,
    AnswerRejection,
    AnswerRejectionReason,
    EditableRegion,
    Finish,
    Format,
    ParsedEdit,
    PromptPaths,
    PromptRequest,
)
from editahead_prompts.formats.next_edit.editahead_2611 import EDITAHEAD
from editahead_prompts.formats.registry import select_apply_format, select_format
from editahead_prompts.state import EditorState
from editahead_prompts.text.edits import Edit, apply_to_lines
from editahead_prompts.text.snapshot import Snapshot

from .draft_texts import draft_texts
from .edit_scoring import Scores, make_scoring_prompt, score_features, state_at_edit
from .logprob_trace import LogprobTrace
from .model_gate import load_weights, weights_version
from .prefill_estimator import PrefillEstimator
from .response import ApplyResponse, ModelResponse, ResponseProgress, Rewrite

log = logging.getLogger(__name__)

MAX_SCORED_EDITS = 2
"""So many edits that rules propose are put to the model."""

SAMPLING_TEMPERATURE = 0.7
"""The temperature at which several answers are asked for; one is asked for at 0."""

TEMPLATE_TOKENS = 32
"""Tokens kept free for what a server puts around a prompt: a token at its beginning, a chat's template."""

WORTH, WORTH_S = 192, 0.03
"""Tokens that a warm-up has to compute at least, or, once it is known how long they take, seconds: of less nobody would
notice that it had been computed."""

DRAFT_HEADROOM = 128
"""Tokens that Apply keeps free where a server drafts by itself: near the end of its context a request spoils the drafts of
all others."""

T = TypeVar("T")

Lines: TypeAlias = Callable[[Sequence[str]], None]

_NO_ROOM = "What the sketch changes does not fit into a prompt, or nothing says where it belongs."
_NOTHING = "The model's answer never came."
_WHY: Mapping[AnswerRejectionReason, str] = {
    "unchanged": "The model would change nothing.",
    "no-edits": "The model says that the sketch is not clear.",
    "keep-previous": "The model's answer has not the form that was asked for.",
    "leaked-marker": "The model's answer has marks in it that are no text.",
    "truncated": "The model's answer was cut off at its limit of tokens.",
    "repetition": "The model's answer says the same over and over.",
    "malformed": "The model's answer has not the form that was asked for.",
    "empty": "The model's answer is empty.",
}


class RunOffLoop(Protocol):
    """Runs a job where it does not hold up the event loop, and gives what it returns."""

    def __call__(self, job: Callable[[], T]) -> Awaitable[T]: ...


async def _here(job: Callable[[], T]) -> T:
    return job()


@dataclass
class TokenTotals:
    """Tokens of all requests so far, as the server counts them. cached: of those of prompts, what it says that it had
    computed before. Of a request that was ended early, or cancelled, it tells neither: the prompt's are those that the
    format reckoned, and cached, where servers keep prompts, those that one of the document's last prompts had, too. drafted,
    accepted: of drafts."""

    requests: int = 0
    prompt: int = 0
    cached: int = 0
    completion: int = 0
    drafted: int = 0
    accepted: int = 0

    @property
    def computed(self) -> int:
        """Of prompts and answers together, those that were not there already."""
        return self.prompt - self.cached + self.completion

    def add(self, usage: Usage) -> None:
        """One request more."""
        self.requests += 1
        self.prompt += usage.prompt
        self.cached += usage.cached or 0
        self.completion += usage.completion
        self.drafted += usage.drafted
        self.accepted += usage.accepted


@dataclass
class _Settled:
    """Tells of the lines of a whole text as far as they are settled: those above the region, and of it those that came."""

    document: Snapshot
    region: EditableRegion
    tell: Lines

    def __post_init__(self) -> None:
        self._above = line_bodies(self.document.text)[: self.region.first]
        self._count = 0

    def update(self, lines: Sequence[str]) -> None:
        if len(lines) > self._count:
            self._count = len(lines)
            self.tell((*self._above, *lines))


@dataclass
class _Sample:
    trace: LogprobTrace
    finish: Finish = "stop"
    came: bool = False
    ended: bool = False


@dataclass
class ModelPredictor:
    """One model behind one backend. For one event loop.

    format: as in settings; None = by the model's name. paths: how documents are called in prompts. key: of person and
    workspace, for `Query.session`. samples: answers to one request. tokenizer: the model's; None = what `counting` finds.
    off: where requests are built (some formats parse, and a tokenizer may have to be loaded). warmups: what was computed
    before anybody asked; `totals` has none of it. misses: why prompts were not in the server's cache. pace: how long they
    took. clock: monotonic seconds. scores: whether rules' edits are scored; None = where a gate was fitted to that.
    """

    backend: Backend
    format: str | None = None
    source: CandidateSource = "engine"
    paths: PromptPaths = NO_ROOTS
    key: str = ""
    samples: int = 1
    tokenizer: Tokenizer | None = None
    run_off_loop: RunOffLoop = _here
    scores: bool | None = None
    totals: TokenTotals = field(default_factory=TokenTotals)
    warmups: TokenTotals = field(default_factory=TokenTotals)
    cache_misses: CacheMissTracker = field(default_factory=CacheMissTracker)
    prefill_estimator: PrefillEstimator = field(default_factory=PrefillEstimator)
    clock: Callable[[], float] = time.monotonic
    problem: str = ""
    """Why the last request could not even be sent, though the backend may be well; one sentence."""
    _found: tuple[str, str, Tokenizer] | None = field(default=None, init=False, repr=False)
    _gate: tuple[Path | None, int | None, DecisionTrees | None] | None = field(
        default=None, init=False, repr=False
    )
    _agrees: bool | None = field(default=None, init=False, repr=False)
    """Whether the server cuts text as our tokenizer does and puts nothing around it, so that ids say the same as text.
    None = it has not told yet how many tokens a text has."""

    async def predict(
        self, state: EditorState, *, background: bool = False, progress: ResponseProgress | None = None
    ) -> ModelResponse:
        """What the model says. Cancelling the task ends the request. Raises nothing else, whatever the model says.

        background: nobody waits. progress: kept up to date meanwhile.
        """
        nothing = ModelResponse(state.document, self.source, f"{self.source}:{self.backend.model}")
        self.problem = ""
        try:
            if self.backend.health.condition != "ready":
                self._agrees = None  # it may be another server, or another model, than before
                await self.backend.prepare()  # the model's name may not be known before
            try:
                format = select_format(self.backend.model or "", self.format)
            except ValueError as error:
                self.problem = str(error)
                return replace(nothing, problem=self.problem)
            request = await self.run_off_loop(lambda: self._build(format, state))
            if progress is not None:
                progress.region = request.region
            key = f"{self.source}:{self.backend.model}:{format.name}"
            nothing = replace(nothing, region=request.region, model=key)
            query = self._query(request, background)
            if self.backend.capabilities.drafts and query.temperature == 0:
                query = replace(query, drafts=draft_texts(format, request, state))
            known = request.prompt.tokens - self.cache_misses.uncached_tokens(
                state.document.uri, request.prompt
            )
            self.cache_misses.record_sent(state.document.uri, request.prompt)
            scores = await self._scores(format, state, background)
            nothing = replace(nothing, scores=scores, weights=await self._weights() if scores else None)
            samples: list[_Sample] = []
            for _ in range(-(-self.samples // query.samples)):
                samples += (await self._answers(format, request, query, progress, known))[0]
        except BackendError as error:
            return replace(nothing, problem=error.detail)
        except PromptTooLongError:
            return replace(nothing, problem="The lines around the cursor are too long for a prompt.")
        return _told(nothing, request, [sample for sample in samples if sample.came])

    async def prefill(self, states: Sequence[EditorState]) -> Usage | None:
        """Have the prompt for a state computed, of several for one document as far as they have it in common, so that a
        request soon after computes little; the tokens that it cost. None where that helps nobody: the server keeps nothing,
        or has nearly all of it, or cannot be asked. Cancelling the task ends it."""
        try:
            if self.backend.health.condition != "ready":
                await self.backend.prepare()
            if not self.backend.capabilities.warms:
                return None
            format = select_format(self.backend.model or "", self.format)
            request = await self.run_off_loop(partial(self._in_common, format, states))
            uri = request.document.uri
            fresh = self.cache_misses.uncached_tokens(uri, request.prompt)
            saved_s = self.prefill_estimator.estimate_s(fresh)
            if fresh < WORTH if saved_s is None else saved_s < WORTH_S:
                return None
            began = self.clock()
            usage = await self.backend.prefill(self._query(request, background=True))
            self.prefill_estimator.record(usage.prompt - (usage.cached or 0), self.clock() - began)
        except (
            BackendError,
            PromptTooLongError,
            ValueError,
        ) as error:  # ValueError: no format goes by the model's name
            log.debug("the prompt was not computed ahead: %s", type(error).__name__)
            return None
        self.cache_misses.record_prefill(uri, request.prompt)
        self.warmups.add(usage)
        return usage

    async def apply(
        self, questions: Iterable[ApplyInput], again: ApplyResponse | None = None, lines: Lines | None = None
    ) -> ApplyResponse:
        """What the model makes of a sketch: of the first question that fits. Cancelling the task ends the request. Raises
        nothing else.

        again: what it said before, which was of no use: nothing is asked unless more can be shown. lines: called with those
        of the whole new text, without their ends, as far as they are settled, whenever there are more.
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
            question, request = asked
            query = replace(self._query(request, background=False), samples=1, temperature=0.0, long=True)
            if self.backend.capabilities.drafts:
                query = replace(query, drafts=format.drafts(request))
            told = None if lines is None else _Settled(question.original, request.region, lines)
            (sample,), usage = await self._answers(format, request, query, told)
        except BackendError as error:
            return ApplyResponse(None, error.detail)
        except ValueError as error:  # no format goes by the model's name
            return ApplyResponse(None, f"The model was not asked: {error}.")
        answer = sample.trace.reader.finish(sample.finish)
        if not sample.came or not isinstance(answer, ParsedEdit):
            why = _WHY[answer.reason] if sample.came and isinstance(answer, AnswerRejection) else _NOTHING
            return ApplyResponse(None, why, asked, usage)
        return ApplyResponse(answer.edit.apply(request.document.text), "", asked, usage)

    def _sketched(
        self, format: ApplyFormat, questions: Iterable[ApplyInput], again: ApplyResponse | None
    ) -> tuple[ApplyInput, PromptRequest] | None:
        """The first question that fits into the model's context, as a request."""
        can, tokenizer = self.backend.capabilities, self.tokenizer or self._tokenizer(format)
        kept = TEMPLATE_TOKENS if can.drafts else TEMPLATE_TOKENS + DRAFT_HEADROOM
        budget = format.context if can.context is None else min(format.context, can.context - kept)
        if budget <= 0:
            return None
        before = None if again is None or again.asked is None else again.asked[1]
        for asked in questions:
            request = format.build(asked, tokenizer, budget=budget, paths=self.paths, again=before)
            if request is not None:
                return asked, request
        return None

    async def _scores(self, format: Format, state: EditorState, background: bool) -> Scores:
        """What a model of ours says of the likeliest edits that rules propose; nothing where no gate was fitted to that."""
        backend, tokenizer = self.backend, self.tokenizer or self._tokenizer(format)
        wanted = await self._weights() is not None if self.scores is None else self.scores
        if format is not EDITAHEAD or not wanted or not isinstance(tokenizer, HfTokenizer):
            return ()
        out: list[tuple[Edit, Mapping[str, float]]] = []
        for edit in state.proposed[:MAX_SCORED_EDITS]:
            try:
                request = await self.run_off_loop(partial(self._build, format, state_at_edit(state, edit)))
            except PromptTooLongError:
                continue
            if (asked := make_scoring_prompt(request, edit, tokenizer)) is not None:
                query = self._query(request, background)
                said = await cast(Scorer, backend).score(query, [asked.edited, asked.silent])
                out.append((edit, score_features(asked, *said)))
        return tuple(out)

    async def _weights(self) -> DecisionTrees | None:
        """Of the gate that lies in the model's folder; read again when it changes: other weights have another gate."""
        place = self.backend.capabilities.tokenizer if self.backend.capabilities.scores else None
        if place is None:
            return None
        known = self._gate
        version = await self.run_off_loop(partial(weights_version, place))
        if known is None or known[:2] != (place, version):
            known = self._gate = place, version, await self.run_off_loop(partial(load_weights, place))
        return known[2]

    def _build(self, format: Format, state: EditorState) -> PromptRequest:
        context = self.backend.capabilities.context
        tokenizer = self.tokenizer or self._tokenizer(format)
        request = format.build(state, tokenizer, paths=self.paths)
        needed = tokenizer.count(request.system or "") + request.prompt.tokens + request.max_tokens
        if context is not None and needed > (most := context - TEMPLATE_TOKENS):
            room = max(most - request.max_tokens, most // 2)
            request = format.build(state, tokenizer, budget=min(room, format.context), paths=self.paths)
            request = replace(request, max_tokens=min(request.max_tokens, most - room))
        return request

    def _in_common(self, format: Format, states: Sequence[EditorState]) -> PromptRequest:
        request, *others = [self._build(format, state) for state in states]
        for other in others:
            request = replace(request, prompt=common_prefix(request.prompt, other.prompt))
        return request

    def _tokenizer(self, format: Format | ApplyFormat) -> Tokenizer:
        """Looked for once."""
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
        """The tokens that are a stop string each."""
        tokenizer = self.tokenizer or (self._found[2] if self._found is not None else None)
        cut = [tokenizer.encode(stop) for stop in request.stop] if tokenizer is not None else []
        return tuple(ids[0] for ids in cut if ids is not None and len(ids) == 1)

    async def _answers(
        self,
        format: AnswerParser,
        request: PromptRequest,
        query: CompletionRequest,
        progress: ResponseProgress | _Settled | None,
        known: int | None = None,
    ) -> tuple[list[_Sample], Usage]:
        """The answers to one query, read no further than they count, and what they cost. known: tokens that one of the
        last prompts had, too; where the server does not come to tell."""
        samples = [_Sample(LogprobTrace(format.make_reader(request))) for _ in range(query.samples)]
        untold = Usage(request.prompt.tokens, known if self.backend.capabilities.warms else None)
        try:
            usage = await self._read(query, samples, progress, untold)
        except asyncio.CancelledError:
            self.totals.add(untold)
            raise
        if (
            usage is not untold
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
        samples: Sequence[_Sample],
        progress: ResponseProgress | _Settled | None,
        usage: Usage,
    ) -> Usage:
        """Into the samples; what it cost, or this where the server did not come to tell."""
        began, first = self.clock(), None
        async with aclosing(self.backend.stream(query)) as stream:
            async for item in stream:
                if not 0 <= item.sample < len(samples):
                    continue
                sample = samples[item.sample]
                match item:
                    case StreamEnd(reason, _, told):
                        sample.came = sample.ended = True
                        sample.finish = reason
                        usage = told or usage
                    case TextChunk(text, logprobs) if not sample.ended:
                        first = self.clock() if first is None else first
                        sample.came = True
                        sample.trace.feed(text, logprobs)
                        reader = sample.trace.reader
                        sample.ended = reader.ended or reader.refusal is not None
                if progress is not None and sample is samples[0]:
                    progress.update(sample.trace.lines)
                if all(one.ended for one in samples) and not isinstance(item, StreamEnd):
                    break  # the rest of it is of no use
        if usage.cached is not None and first is not None:
            self.prefill_estimator.record(usage.prompt - usage.cached, first - began)
        return usage


def _told(nothing: ModelResponse, request: PromptRequest, samples: Sequence[_Sample]) -> ModelResponse:
    """Equal rewrites as one, those that most answers want first."""
    document = request.document
    rewrites: dict[str, Rewrite] = {}
    refusal: AnswerRejection | None = None
    for sample in samples:
        answer = sample.trace.reader.finish(sample.finish)
        if not isinstance(answer, ParsedEdit):
            refusal = refusal or answer
            continue
        text = answer.edit.apply(document.text)
        known = rewrites.get(text)
        if known is not None:
            rewrites[text] = replace(known, agree=known.agree + 1)
            continue
        after = replace(document, lines=apply_to_lines(document, answer.edit))
        rewrites[text] = Rewrite(answer.edit, answer.cursor, sample.trace.tokens(after, request.region))
    ordered = sorted(rewrites.values(), key=lambda rewrite: -rewrite.agree)
    if refusal is not None:
        log.debug("the model: %s", refusal.reason)
    return replace(
        nothing,
        rewrites=tuple(ordered),
        answers=len(samples),
        refusal=refusal,
        problem=None if samples else "The model's answer never came.",
    )
