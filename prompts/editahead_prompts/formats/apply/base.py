"""The protocol of formats for Apply: from a file, a sketch and the merge's guess to a request for a region's new text.

The module also chooses the region for models that accept any: the whole file, or, in a long file, the declarations around
the lines that the sketch touches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from editahead_prompts.composition.parts import Group, Part
from editahead_prompts.composition.render import Prompt, render
from editahead_prompts.composition.tokenizers import Tokenizer, count_within
from editahead_prompts.errors import PromptTooLongError
from editahead_prompts.formats.base import NO_ROOTS, EditableRegion, ModelFormat, PromptPaths, PromptRequest
from editahead_prompts.text.snapshot import Snapshot, line_body, split_lines

LONG = 3000
"""Longest file that is shown whole first, in tokens. A longer one is, without a smaller region or in a second request."""

SLACK = 128
"""Tokens of an answer beyond its region and the sketch together: fences, tags, a sentence."""


@dataclass(frozen=True, slots=True)
class ApplyInput:
    """The input of a request for Apply.

    Attributes:
        original: The file.
        sketch: The sketch as it was pasted.
        guess: The file's new text by the merge; None without one.
        code: The part of the sketch for this file, without fences and prose.
        scopes: Regions of the file that hold all lines the sketch touches, smaller ones first.
        doubt: The reason why the guess is uncertain, a sentence.
        instruction: The user's words for which the sketch was made, for formats whose models read prose.
    """

    original: Snapshot
    sketch: str
    guess: str | None
    code: str = ""
    scopes: tuple[EditableRegion, ...] = ()
    doubt: str = ""
    instruction: str = ""


class ApplyFormat(ModelFormat, Protocol):
    """The prompts and answers of one model family for Apply. `context` is the budget of prompt and answer together."""

    def build(
        self,
        question: ApplyInput,
        tokenizer: Tokenizer,
        *,
        budget: int | None = None,
        paths: PromptPaths = NO_ROOTS,
        again: PromptRequest | None = None,
    ) -> PromptRequest | None:
        """Build the request; None if it does not fit, or if nothing shows where the sketch belongs.

        Args:
            budget: The most tokens of prompt and answer together. By default `context`.
            again: An earlier request with an unusable answer. The result then shows more of the file, or is None.
        """
        ...

    def drafts(self, request: PromptRequest) -> tuple[str, ...]:
        """Return texts that the answer is likely to repeat, the most reliable one first."""
        ...


def line_bodies(text: str) -> tuple[str, ...]:
    """Return the lines without line ends, and without the empty line after the last line end."""
    lines = split_lines(text)
    return tuple(map(line_body, lines if lines[-1] else lines[:-1]))


def guess_for_region(question: ApplyInput, region: EditableRegion) -> tuple[str, ...] | None:
    """Return the region's lines by the merge's guess; None without a guess, or if the guess also changes other lines."""
    if question.guess is None or question.guess == question.original.text:
        return None
    old, new = line_bodies(question.original.text), line_bodies(question.guess)
    end = len(new) - len(old) + region.end
    if end < region.first or old[: region.first] != new[: region.first] or old[region.end :] != new[end:]:
        return None
    return new[region.first : end]


def candidate_regions(
    question: ApplyInput, tokenizer: Tokenizer, again: PromptRequest | None
) -> Iterator[EditableRegion]:
    """Yield the regions that may be rewritten, the best first; after an earlier request, only regions that hold its own."""
    original = question.original
    whole = EditableRegion(0, len(line_bodies(original.text)))
    if not whole.end:
        return
    wider = dict.fromkeys((*question.scopes, whole))
    if again is not None:
        before = again.region
        yield from (r for r in wider if r.first <= before.first and before.end <= r.end and r != before)
        return
    if count_within(tokenizer, original.text, LONG) <= LONG:
        yield whole
    yield from wider


def fit_request(
    question: ApplyInput,
    tokenizer: Tokenizer,
    budget: int,
    system: str,
    choices: Sequence[EditableRegion],
    parts: Callable[[EditableRegion], Sequence[Part]],
    stop: tuple[str, ...] = (),
) -> PromptRequest | None:
    """Build a chat request for the first region with which prompt and answer fit into the budget.

    Args:
        choices: The regions, the best first.
        parts: A function that returns the user message for a region.
    """
    original, room = question.original, budget - tokenizer.count(system)
    beside = SLACK + tokenizer.count(question.code)
    for region in choices:
        shown = "".join(original.lines[region.first : region.end])
        answer = beside + count_within(tokenizer, shown, budget)
        prompt = _rendered(parts(region), room - answer, tokenizer) if room > answer else None
        if prompt is None:
            continue
        max_tokens = min(room - prompt.tokens, answer + answer // 4)
        start = original.starts[region.first]
        return PromptRequest(prompt, stop, max_tokens, original, region, start, system=system, chat=True)
    return None


def _rendered(parts: Sequence[Part], room: int, tokenizer: Tokenizer) -> Prompt | None:
    try:
        return render(Group(tuple(parts)), room, tokenizer)
    except PromptTooLongError:
        return None


def part_texts(request: PromptRequest, *names: str) -> list[str]:
    """Return the distinct texts of the prompt's parts with these names, in the order of the names."""
    text, found = request.prompt.text, {piece.name: piece for piece in request.prompt.pieces}
    known = [found[name] for name in names if name in found]
    return list(dict.fromkeys(text[piece.start : piece.end] for piece in known if piece.end > piece.start))
