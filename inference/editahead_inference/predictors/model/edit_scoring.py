"""A model's probability of edits that rules propose: each is written as an answer to the request for its own edit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import log

from editahead_prompts.composition.tokenizers import Tokenizer
from editahead_prompts.formats.base import PromptRequest
from editahead_prompts.formats.next_edit.editahead_coder_2611 import write_answers
from editahead_prompts.text.edits import Edit

from .response import Rewrite

MAX_SCORED_EDITS = 2
"""Edits of rules that the model scores per request, the likeliest first."""


def answers_to_score(
    request: PromptRequest, edits: Sequence[Edit], said: Sequence[Rewrite], tokenizer: Tokenizer
) -> Iterator[tuple[Edit, str]]:
    """Yield the likeliest edits that the model has not said itself, each with the answer that makes it.

    Edits beyond the lines that the prompt shows have no answer. An answer of more tokens than the model may say has none
    either.
    """
    known = {rewrite.edit.apply(request.document.text) for rewrite in said}
    for edit in edits[:MAX_SCORED_EDITS]:
        if edit.apply(request.document.text) not in known:
            answers = write_answers(request, (edit,))
            yield from ((edit, answer) for answer in answers if tokenizer.count(answer) < request.max_tokens)


def scores_of_said(
    request: PromptRequest, edits: Sequence[Edit], said: Sequence[Rewrite]
) -> Iterator[tuple[Edit, float]]:
    """Yield the edits that the model has said itself, each with the log-probability of its answer."""
    known = {rewrite.edit.apply(request.document.text): rewrite.probability for rewrite in said}
    for edit in edits:
        if probability := known.get(edit.apply(request.document.text)):
            yield edit, log(probability)
