"""A model's scores of a rule's edit: the probability that the region changes to it, and that nothing changes there.

This needs one of our own formats, whose answers may be silence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from editahead_prompts.composition.hf_tokenizer import HfTokenizer
from editahead_prompts.formats.answer_tokens import AnswerWriter
from editahead_prompts.formats.base import PromptRequest
from editahead_prompts.state import EditorState
from editahead_prompts.text.edits import Edit, apply_to_lines
from editahead_prompts.text.snapshot import line_body

Scores: TypeAlias = tuple[tuple[Edit, Mapping[str, float]], ...]
"""Edits of a document with the model's score features of each, by name."""

MIN_LOGPROB = -20.0
"""The least log-probability that counts: lower ones tell nothing more."""


@dataclass(frozen=True, slots=True)
class ScoringPrompt:
    """A prompt with two answers.

    Attributes:
        request: The prompt.
        edited: The answer that makes the edit, as token ids.
        tells: For each token of `edited`, whether it belongs to the change.
        silent: The answer that changes nothing, as token ids.
    """

    request: PromptRequest
    edited: tuple[int, ...]
    tells: tuple[bool, ...]
    silent: tuple[int, ...]


def state_at_edit(state: EditorState, edit: Edit) -> EditorState:
    """Return the state with the cursor at the edit."""
    return replace(state, cursor=edit.changed_span[0])


def make_scoring_prompt(
    request: PromptRequest, edit: Edit, writer: AnswerWriter, vocabulary: HfTokenizer
) -> ScoringPrompt | None:
    """Return the prompt for an edit, or None if the edit reaches beyond the region.

    Args:
        request: The request for `state_at_edit`.
        edit: The edit.
        writer: The writer of answers in the request's format.
        vocabulary: The model's.
    """
    document, region = request.document, request.region
    start, end = edit.changed_span
    if not region.first <= document.line_at(start) <= document.line_at(end) < region.end:
        return None
    after = apply_to_lines(document, edit)
    grown = len(after) - len(document.lines)
    new = tuple(map(line_body, after[region.first : region.end + grown]))
    ids, tells = writer.write(region.bodies(document), new, vocabulary)
    return ScoringPrompt(request, ids, tells, vocabulary.encode(writer.silence))


def score_features(
    prompt: ScoringPrompt, edited: Sequence[float], silent: Sequence[float]
) -> Mapping[str, float]:
    """Return features of the log-probabilities of both answers. All are natural logarithms.

    score-silent: of silence. score-begin: of the first token, which announces a change. score-sum, score-mean,
    score-least: of the tokens of the change. score-rest: the sum of all other tokens, low for a model that cannot even
    copy the region.
    """
    pairs = list(zip(edited, prompt.tells, strict=True))
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
