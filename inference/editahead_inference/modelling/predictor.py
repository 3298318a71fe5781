"""Asks a model: a state becomes a request of its format, the request a query, and the answer, read as it comes, rewrites."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar, cast

from editahead_inference.backends.backend import Backend, BackendError, End, Piece, Query, Scorer, Usage
from editahead_inference.candidates import Source
from editahead_inference.trees import Trees
from editahead_prompts.composition.compare import CacheMisses
from editahead_prompts.composition.render import DoesNotFit
from editahead_prompts.composition.tokenizers import Tokenizer
from editahead_prompts.composition.vocabulary import Vocabulary, counting
from editahead_prompts.edits import Edit, edited_lines
from editahead_prompts.formats.choice import choose
from editahead_prompts.formats.format import NO_ROOTS, Answer, Finish, Format, Paths, Reads, Refusal, Request
from editahead_prompts.formats.own import OWN
from editahead_prompts.formats.own_apply import OWN_APPLY
from editahead_prompts.state import State

from .drafts import drafts
from .likelihood import Trace
from .scoring import Scores, at_place, features, question
from .told import Progress, Rewrite, Said, Told
from .weighing import version_of, weights_in

if TYPE_CHECKING:
    from editahead_inference.apply.narrowing import Question

log = logging.getLogger(__name__)

SCORED = 2
"""So many edits that rules propose are put to the model."""

WARM = 0.7
"""The temperature at which several answers are asked for; one is asked for at 0."""

AROUND = 32
"""Tokens kept free for what a server puts around a prompt: a token at its beginning, a chat's template."""

WORTH = 192
"""Tokens that a warm-up has to compute at least: what is typed, and the region behind it, a request computes in no time."""

T = TypeVar("T")


class Off(Protocol):
    """Runs a job where it does not hold up the event loop, and gives what it returns."""

    def __call__(self, job: Callable[[], T]) -> Awaitable[T]: ...


async def _here(job: Callable[[], T]) -> T:
    return job()


@dataclass
class Totals:
    """Tokens of all requests so far, as the server counts them; of a request that was ended early, as the format reckoned.
    cached: of those of prompts, what the server says that it had computed before. drafted, accepted: of drafts."""

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
class _Sample:
    trace: Trace
    finish: Finish = "stop"
    came: bool = False
    ended: bool = False


@dataclass
class ModelPredictor:
    """One model behind one backend. For one event loop.

    format: as in settings; None = by the model's name. paths: how documents are called in prompts. key: of person and
    workspace, for `Query.session`. samples: answers to one request. tokenizer: the model's; None = what `counting` finds.
    off: where requests are built (some formats parse, and a tokenizer may have to be loaded). warmups: what was computed
    before anybody asked; `totals` has none of it. misses: why prompts were not
    in the server's cache. scores: whether rules' edits are scored; None = where a gate was fitted to that.
    """

    backend: Backend
    format: str | None = None
    source: Source = "engine"
    paths: Paths = NO_ROOTS
    key: str = ""
    samples: int = 1
    tokenizer: Tokenizer | None = None
    off: Off = _here
    scores: bool | None = None
    totals: Totals = field(default_factory=Totals)
    warmups: Totals = field(default_factory=Totals)
    misses: CacheMisses = field(default_factory=CacheMisses)
    problem: str = ""
    """Why the last request could not even be sent, though the backend may be well; one sentence."""
    _found: tuple[str, Format, Tokenizer] | None = field(default=None, init=False, repr=False)
    _gate: tuple[Path | None, int | None, Trees | None] | None = field(default=None, init=False, repr=False)
    _agrees: bool | None = field(default=None, init=False, repr=False)
    """Whether the server cuts text as our tokenizer does and puts nothing around it, so that ids say the same as text.
    None = it has not told yet how many tokens a text has."""

    async def ask(self, state: State, *, background: bool = False, progress: Progress | None = None) -> Told:
        """What the model says. Cancelling the task ends the request. Raises nothing else, whatever the model says.

        background: nobody waits. progress: kept up to date meanwhile.
        """
        nothing = Told(state.document, self.source, f"{self.source}:{self.backend.model}")
        self.problem = ""
        try:
            if self.backend.health.condition != "ready":
                self._agrees = None  # it may be another server, or another model, than before
                await self.backend.prepare()  # the model's name may not be known before
            try:
                format = choose(self.backend.model or "", self.format)
            except ValueError as error:
                self.problem = str(error)
                return replace(nothing, problem=self.problem)
            request = await self.off(lambda: self._build(format, state))
            if progress is not None:
                progress.region = request.region
            key = f"{self.source}:{self.backend.model}:{format.name}"
            nothing = replace(nothing, region=request.region, model=key)
            query = self._query(request, background)
            if self.backend.capabilities.drafts and query.temperature == 0:
                query = replace(query, drafts=drafts(format, request, state))
            self.misses.sent(state.document.uri, request.prompt)
            scores = await self._scores(format, state, background)
            nothing = replace(nothing, scores=scores, weights=await self._weights() if scores else None)
            samples: list[_Sample] = []
            for _ in range(-(-self.samples // query.samples)):
                samples += (await self._answers(format, request, query, progress))[0]
        except BackendError as error:
            return replace(nothing, problem=error.detail)
        except DoesNotFit:
            return replace(nothing, problem="The lines around the cursor are too long for a prompt.")
        return _told(nothing, request, [sample for sample in samples if sample.came])

    async def warm(self, state: State) -> Usage | None:
        """Have the prompt for a state computed, so that a request soon after computes little; the tokens that it cost. None
        where that helps nobody: the server keeps nothing, or has nearly all of it, or cannot be asked. Cancelling the task
        ends it."""
        try:
            if self.backend.health.condition != "ready":
                await self.backend.prepare()
            if not self.backend.capabilities.warms:
                return None
            format = choose(self.backend.model or "", self.format)
            request = await self.off(lambda: self._build(format, state))
            uri = state.document.uri
            if self.misses.fresh(uri, request.prompt) < WORTH:
                return None
            usage = await self.backend.warm(self._query(request, background=True))
        except (
            BackendError,
            DoesNotFit,
            ValueError,
        ) as error:  # ValueError: no format goes by the model's name
            log.debug("the prompt was not computed ahead: %s", type(error).__name__)
            return None
        self.misses.warmed(uri, request.prompt)
        self.warmups.add(usage)
        return usage

    async def apply(self, questions: Iterable[Question]) -> Said | None:
        """What a model of ours makes of a sketch (see `formats.own_apply`), asked the first question that fits; None where
        it is none of ours, none fits, or no answer comes. Cancelling the task ends the request."""
        try:
            if self.backend.health.condition != "ready":
                await self.backend.prepare()
            if choose(self.backend.model or "", self.format) is not OWN:
                return None
            context = self.backend.capabilities.context
            budget = OWN_APPLY.context if context is None else min(OWN_APPLY.context, context - AROUND)
            request = await self.off(lambda: self._sketched(questions, budget))
            if request is None:
                return None
            query = replace(self._query(request, background=False), samples=1, temperature=0.0)
            if self.backend.capabilities.drafts:
                query = replace(query, drafts=OWN_APPLY.drafts(request))
            (sample,), usage = await self._answers(OWN_APPLY, request, query, None)
        except (BackendError, ValueError) as error:  # ValueError: no format goes by the model's name
            log.info("the model was not asked about a sketch: %s", type(error).__name__)
            return None
        if not sample.came:
            return None
        answer = sample.trace.reader.finish(sample.finish)
        text = answer.edit.apply(request.document.text) if isinstance(answer, Answer) else None
        return Said(text, usage)

    def _sketched(self, questions: Iterable[Question], budget: int) -> Request | None:
        tokenizer = self._tokenizer(OWN)
        made = (
            OWN_APPLY.build(q.original, q.sketch, q.guess, tokenizer, budget=budget, paths=self.paths)
            for q in questions
        )
        return next((request for request in made if request is not None), None)

    async def _scores(self, format: Format, state: State, background: bool) -> Scores:
        """What a model of ours says of the likeliest edits that rules propose; nothing where no gate was fitted to that."""
        backend, tokenizer = self.backend, self.tokenizer or self._tokenizer(format)
        wanted = await self._weights() is not None if self.scores is None else self.scores
        if format is not OWN or not wanted or not isinstance(tokenizer, Vocabulary):
            return ()
        out: list[tuple[Edit, Mapping[str, float]]] = []
        for edit in state.proposed[:SCORED]:
            try:
                request = await self.off(partial(self._build, format, at_place(state, edit)))
            except DoesNotFit:
                continue
            if (asked := question(request, edit, tokenizer)) is not None:
                query = self._query(request, background)
                said = await cast(Scorer, backend).score(query, [asked.edited, asked.silent])
                out.append((edit, features(asked, *said)))
        return tuple(out)

    async def _weights(self) -> Trees | None:
        """Of the gate that lies in the model's folder; read again when it changes: other weights have another gate."""
        place = self.backend.capabilities.tokenizer if self.backend.capabilities.scores else None
        if place is None:
            return None
        known = self._gate
        version = await self.off(partial(version_of, place))
        if known is None or known[:2] != (place, version):
            known = self._gate = place, version, await self.off(partial(weights_in, place))
        return known[2]

    def _build(self, format: Format, state: State) -> Request:
        context = self.backend.capabilities.context
        tokenizer = self.tokenizer or self._tokenizer(format)
        request = format.build(state, tokenizer, paths=self.paths)
        needed = tokenizer.count(request.system or "") + request.prompt.tokens + request.max_tokens
        if context is not None and needed > (most := context - AROUND):
            room = max(most - request.max_tokens, most // 2)
            request = format.build(state, tokenizer, budget=min(room, format.context), paths=self.paths)
            request = replace(request, max_tokens=min(request.max_tokens, most - room))
        return request

    def _tokenizer(self, format: Format) -> Tokenizer:
        """Looked for once."""
        place = self.backend.capabilities.tokenizer
        model = str(place) if place is not None else self.backend.model or ""
        if self._found is None or self._found[:2] != (model, format):
            self._found = model, format, counting(model, ours=format is OWN).tokenizer
        return self._found[2]

    def _query(self, request: Request, background: bool) -> Query:
        can = self.backend.capabilities
        return Query(
            prompt=request.prompt.text.encode(
                "utf-8", "replace"
            ).decode(),  # half a surrogate pair is no text
            ids=request.prompt.ids if can.token_ids and self._agrees else None,
            stop=request.stop,
            max_tokens=request.max_tokens,
            system=request.system,
            prefill=request.prefill if request.chat else "",
            chat=request.chat,
            temperature=WARM if self.samples > 1 else 0.0,
            samples=self.samples if can.samples else 1,
            logprobs=can.logprobs,
            session=f"{self.key}:{request.document.uri}" if self.key else "",
            background=background,
        )

    async def _answers(
        self, format: Reads, request: Request, query: Query, progress: Progress | None
    ) -> tuple[list[_Sample], Usage]:
        """The answers to one query, read no further than they count, and what they cost."""
        samples = [_Sample(Trace(format.read(request))) for _ in range(query.samples)]
        usage: Usage | None = None
        async with aclosing(self.backend.stream(query)) as stream:
            async for item in stream:
                if not 0 <= item.sample < len(samples):
                    continue
                sample = samples[item.sample]
                match item:
                    case End(reason, _, told):
                        sample.came = sample.ended = True
                        sample.finish = reason
                        usage = told or usage
                    case Piece(text, logprobs) if not sample.ended:
                        sample.came = True
                        sample.trace.feed(text, logprobs)
                        reader = sample.trace.reader
                        sample.ended = reader.ended or reader.refusal is not None
                if progress is not None and sample is samples[0]:
                    progress.lines = sample.trace.lines
                if all(one.ended for one in samples) and not isinstance(item, End):
                    break  # the rest of it is of no use
        if usage is not None and request.prompt.ids is not None and not request.chat and self._agrees is None:
            self._agrees = usage.prompt == len(request.prompt.ids)
        usage = usage or Usage(prompt=request.prompt.tokens)
        self.totals.add(usage)
        return samples, usage


def _told(nothing: Told, request: Request, samples: Sequence[_Sample]) -> Told:
    """Equal rewrites as one, those that most answers want first."""
    document = request.document
    rewrites: dict[str, Rewrite] = {}
    refusal: Refusal | None = None
    for sample in samples:
        answer = sample.trace.reader.finish(sample.finish)
        if not isinstance(answer, Answer):
            refusal = refusal or answer
            continue
        text = answer.edit.apply(document.text)
        known = rewrites.get(text)
        if known is not None:
            rewrites[text] = replace(known, agree=known.agree + 1)
            continue
        after = replace(document, lines=edited_lines(document, answer.edit))
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
