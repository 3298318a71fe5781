"""A model as a witness: which of the choices makes the text that the model thinks likeliest.

It puts choices in another order. Nothing becomes certain by it, and the numbers of the choices stay.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from itertools import chain
from math import log
from statistics import fmean
from typing import TypeAlias

from editahead_inference.apply.results import Choice
from editahead_inference.predictors.model.passages import Passage, PassageScores
from editahead_prompts.text.diff import diff_lines
from editahead_prompts.text.snapshot import Snapshot, split_lines

WITNESS_WEIGHT = 2.0
"""What the mean log-probability of a token counts beside the logarithm of the likelihood by the rules.

Of 105 refused sketches of training commits with the right choice among several, that one comes first in .905, by the rules
alone in .838. Any weight from 0.5 to 4 gives .886 or more; the sum in place of the mean misleads (.21).
"""

LINES_BELOW = 3
"""Lines below each difference that are scored, too: they have to go on with it."""

_LINES_ABOVE = 40
"""Lines above a passage that a prompt may show."""

_SAME_PASSAGE = 2
"""Lines between two differences that are scored with them."""

_TINY = 1e-9

ScorePassages: TypeAlias = Callable[[Collection[Passage], Collection[Snapshot]], PassageScores | None]
"""Returns the scores of passages of these files; None if there are none in time."""


def order_choices(choices: Sequence[Choice], score: ScorePassages) -> tuple[Choice, ...]:
    """Return the choices, the likeliest by the rules and the model first; in their order if the model says nothing."""
    documents = {change.original.uri: change.original for choice in choices for change in choice.changes}
    passages = _passages(choices, documents.values())
    asked = dict.fromkeys(chain.from_iterable(passages))
    scores = score(asked, documents.values()) if all(passages) else None
    if scores is None:
        return tuple(choices)
    tokens = [[logprob for passage in own for logprob in scores[passage]] for own in passages]
    if not all(tokens):
        return tuple(choices)
    evidence = {
        choice.number: log(max(choice.likelihood, _TINY)) + WITNESS_WEIGHT * fmean(logprobs)
        for choice, logprobs in zip(choices, tokens, strict=True)
    }
    return tuple(sorted(choices, key=lambda choice: -evidence[choice.number]))


def _passages(choices: Sequence[Choice], documents: Collection[Snapshot]) -> list[list[Passage]]:
    """Return for each choice the passages in which its texts differ from those of other choices."""
    found: list[list[Passage]] = [[] for _ in choices]
    for document in documents:
        texts = [_lines(_text_after(choice, document)) for choice in choices]
        for own, text in zip(found, texts, strict=True):
            differing = {line for other in texts if other != text for line in _differing_lines(text, other)}
            own += [
                Passage(document.uri, "".join(text[max(first - _LINES_ABOVE, 0) : first]), shown)
                for first, end in _runs(differing)
                if (shown := "".join(text[first:end]))
            ]
    return found


def _text_after(choice: Choice, document: Snapshot) -> str:
    changed = (change.new_text for change in choice.changes if change.original.uri == document.uri)
    return next(changed, document.text)


def _lines(text: str) -> tuple[str, ...]:
    return split_lines(text.replace("\r\n", "\n").replace("\r", "\n"))


def _differing_lines(text: Sequence[str], other: Sequence[str]) -> set[int]:
    """Return the lines of a text that differ from another text, and those right below each difference."""
    hunks = diff_lines(text, other)
    return {line for start, end, _, _ in hunks for line in range(start, min(end + LINES_BELOW, len(text)))}


def _runs(lines: Collection[int]) -> list[tuple[int, int]]:
    """Return the first line of each run of lines, and the line behind it."""
    runs: list[tuple[int, int]] = []
    for line in sorted(lines):
        if runs and line - runs[-1][1] <= _SAME_PASSAGE:
            runs[-1] = runs[-1][0], line + 1
        else:
            runs.append((line, line + 1))
    return runs
