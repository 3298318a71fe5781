"""What a model says of an edit that a rule proposes: how likely it is that the region around it becomes just that, and how
likely that nothing is to be done there. For our own format, whose answers may be silence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from editahead_prompts.composition.hf_tokenizer import HfTokenizer
from editahead_prompts.formats.answer_tokens import answer_token_ids
from editahead_prompts.formats.base import PromptRequest
from editahead_prompts.formats.next_edit.editahead_2611 import REGION_END, SILENT
from editahead_prompts.state import EditorState
from editahead_prompts.text.edits import Edit, apply_to_lines
from editahead_prompts.text.snapshot import line_body

Scores: TypeAlias = tuple[tuple[Edit, Mapping[str, float]], ...]
"""Edits of a document with what the model says of each, by name."""

MIN_LOGPROB = -20.0
"""Log-probabilities below it say no more."""


@dataclass(frozen=True, slots=True)
class ScoringPrompt:
    """One prompt and two answers to it, as token ids. tells: of each token of the edit's answer, whether it tells of a
    change."""

    request: PromptRequest
    edited: tuple[int, ...]
    tells: tuple[bool, ...]
    silent: tuple[int, ...]


def state_at_edit(state: EditorState, edit: Edit) -> EditorState:
    """The state of a person who has gone to the edit's place."""
    return replace(state, cursor=edit.changed_span[0])


def make_scoring_prompt(request: PromptRequest, edit: Edit, vocabulary: HfTokenizer) -> ScoringPrompt | None:
    """request: for `at_place`. None where the edit reaches beyond the region."""
    document, region = request.document, request.region
    start, end = edit.changed_span
    if not region.first <= document.line_at(start) <= document.line_at(end) < region.end:
        return None
    after = apply_to_lines(document, edit)
    grown = len(after) - len(document.lines)
    new = tuple(map(line_body, after[region.first : region.end + grown]))
    ids, tells = answer_token_ids(region.bodies(document), new, vocabulary)
    return ScoringPrompt(request, ids, tells, vocabulary.encode(SILENT + REGION_END))


def score_features(
    asked: ScoringPrompt, edited: Sequence[float], silent: Sequence[float]
) -> Mapping[str, float]:
    """Of the log-probabilities of the tokens of both answers. All are natural logarithms, from `FLOOR` to 0.

    score-silent: that nothing is to be done. score-begin: of the first token, which says that something is. score-sum,
    score-mean, score-least: of the tokens that tell of the change. score-rest: the sum of all others: a model that does not
    even copy well is not to be trusted.
    """
    pairs = list(zip(edited, asked.tells, strict=True))
    telling = [logprob for logprob, tells in pairs if tells]
    return {
        "scored": 1.0,
        "score-silent": max(silent[0], MIN_LOGPROB),
        "score-begin": max(edited[0], MIN_LOGPROB),
        "score-sum": max(sum(telling), 5 * MIN_LOGPROB),
        "score-mean": max(sum(telling) / len(telling), MIN_LOGPROB),
        "score-least": max(min(telling), MIN_LOGPROB),
        "score-rest": max(sum(logprob for logprob, tells in pairs if not tells), 5 * MIN_LOGPROB),
    }
