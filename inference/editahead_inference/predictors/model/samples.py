"""The answers of a model to one request, and the responses made of them."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import exp

from editahead_inference.backends.base import Usage
from editahead_prompts.formats.apply.base import ApplyInput
from editahead_prompts.formats.base import (
    AnswerRejection,
    AnswerRejectionReason,
    Finish,
    ParsedEdit,
    PromptRequest,
)
from editahead_prompts.text.edits import apply_to_lines

from .continuation import Continuation
from .logprob_trace import LogprobTrace
from .response import ApplyResponse, ModelResponse, Rewrite

log = logging.getLogger(__name__)

MIN_EDIT_PROBABILITY = 0.05
"""The probability of an edit below which it is never shown."""

_NO_ANSWER = "The model's answer never came."
_APPLY_PROBLEMS: Mapping[AnswerRejectionReason, str] = {
    "unchanged": "The model would change nothing.",
    "no-edits": "The model says that the sketch is not clear.",
    "keep-previous": "The model's answer has not the form that was asked for.",
    "leaked-marker": "The model's answer has marks in it that are no text.",
    "truncated": "The model's answer was cut off at its limit of tokens.",
    "repetition": "The model's answer says the same over and over.",
    "malformed": "The model's answer has not the form that was asked for.",
    "empty": "The model's answer is empty.",
}


@dataclass
class Sample:
    """One answer of a model, while it comes.

    Attributes:
        trace: The reader of the answer, with the log-probabilities.
        finish: Why the answer ended.
        came: Anything of the answer came.
        ended: The rest of the answer is not needed, or there is none.
        continuation: What came of the text at the cursor; None for an answer in the form of its format.
        calibrated: Whether the probability of the whole answer counts. Then one that is too unlikely is not read on.
        probability: How likely the edit is, if that is known.
    """

    trace: LogprobTrace
    finish: Finish = "stop"
    came: bool = False
    ended: bool = False
    continuation: Continuation | None = None
    calibrated: bool = False
    probability: float | None = None

    def add(self, text: str, logprobs: Sequence[float]) -> None:
        """Add a part of the answer."""
        self.came = True
        if self.continuation is not None:
            self.ended = not self.continuation.add(text, logprobs)
            return
        self.trace.feed(text, logprobs)
        self.ended = self.trace.reader.ended or self.trace.reader.refusal is not None
        if self.calibrated and logprobs:
            self.probability = (self.probability or 1.0) * exp(sum(logprobs))
            self.ended |= self.probability < MIN_EDIT_PROBABILITY

    def end(self) -> None:
        """Settle the answer. Called once, when nothing more comes."""
        if self.continuation is not None:
            text, self.probability = self.continuation.best()
            self.trace.feed(text)

    @property
    def is_silent(self) -> bool:
        """Whether the model says that nothing is left to edit."""
        return self.calibrated and self.came and not self.trace.text

    def parse(self) -> ParsedEdit | AnswerRejection:
        """Return the edit of the answer, or the reason why the answer is unusable."""
        if self.calibrated and self.probability is not None and self.probability < MIN_EDIT_PROBABILITY:
            return AnswerRejection("no-edits")
        return self.trace.reader.finish(self.finish)


def make_model_response(
    empty: ModelResponse, request: PromptRequest, samples: Sequence[Sample]
) -> ModelResponse:
    """Return the response to a next-edit request, with equal rewrites merged, the most frequent first.

    Args:
        empty: The response without an answer.
        request: The request.
        samples: The answers of which anything came.
    """
    document = request.document
    rewrites: dict[str, Rewrite] = {}
    refusal: AnswerRejection | None = None
    for sample in samples:
        answer = sample.parse()
        if not isinstance(answer, ParsedEdit):
            refusal = refusal or answer
            continue
        text = answer.edit.apply(document.text)
        known = rewrites.get(text)
        if known is not None:
            rewrites[text] = replace(known, agree=known.agree + 1)
            continue
        after = replace(document, lines=apply_to_lines(document, answer.edit))
        tokens = sample.trace.tokens(after, request.region)
        is_next_tokens = sample.continuation is not None
        rewrites[text] = Rewrite(
            answer.edit,
            answer.cursor,
            tokens,
            probability=sample.probability,
            is_next_tokens=is_next_tokens,
        )
    ordered = sorted(rewrites.values(), key=lambda rewrite: -rewrite.agree)
    silence = samples[0].probability if samples and samples[0].is_silent else None
    if refusal is not None:
        log.debug("the model: %s", refusal.reason)
    return replace(
        empty,
        rewrites=tuple(ordered),
        answers=len(samples),
        refusal=refusal,
        silence=silence,
        problem=None if samples else _NO_ANSWER,
        continuation=samples[0].continuation if samples else None,
    )


def make_apply_response(
    asked: tuple[ApplyInput, PromptRequest], sample: Sample, usage: Usage
) -> ApplyResponse:
    """Return the response to a sketch.

    Args:
        asked: The question and its request.
        sample: The answer.
        usage: The tokens of the request.
    """
    if not sample.came:
        return ApplyResponse(None, _NO_ANSWER, asked, usage)
    answer = sample.parse()
    if isinstance(answer, AnswerRejection):
        return ApplyResponse(None, _APPLY_PROBLEMS[answer.reason], asked, usage)
    return ApplyResponse(answer.edit.apply(asked[1].document.text), "", asked, usage)
