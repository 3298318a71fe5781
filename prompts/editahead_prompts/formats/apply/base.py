"""What a format for Apply is: a file, a sketch of a change of it and the merge's guess become a request, and its answer is
the new text of a region of the file.

Which region a model rewrites that was not made for one kind of it is here, too: all of a file, or, where that is long, the
declarations around what the sketch touches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from editahead_prompts.composition.parts import Group, Part
from editahead_prompts.composition.render import Prompt, render
from editahead_prompts.composition.tokenizers import Tokenizer, count_within
from editahead_prompts.errors import PromptTooLongError
from editahead_prompts.formats.base import NO_ROOTS, AnswerParser, EditableRegion, PromptPaths, PromptRequest
from editahead_prompts.text.snapshot import Snapshot, line_body, split_lines

LONG = 3000
"""Tokens. A file of more is shown whole only where there is no smaller region, or to ask again."""

SLACK = 128
"""Tokens that an answer may have more than its region and the sketch together: fences, tags, a sentence."""


@dataclass(frozen=True, slots=True)
class ApplyInput:
    """A file, a sketch of a change of it as it was pasted, and the guess at the text after that; None without.

    code: that part of the sketch which is for this file, without fences and words around it. scopes: lines of the file that
    hold all that the sketch touches, smaller ones first. doubt: why the guess is not sure, a sentence. instruction: what
    was asked for in words, when the sketch was made; shown by formats whose models read any words.
    """

    original: Snapshot
    sketch: str
    guess: str | None
    code: str = ""
    scopes: tuple[EditableRegion, ...] = ()
    doubt: str = ""
    instruction: str = ""


class ApplyFormat(AnswerParser, Protocol):
    """One model family's way of being asked about a sketch. name, dated, special: as of a `Format`. context: tokens of
    prompt and answer together that the model was made for."""

    @property
    def name(self) -> str: ...

    @property
    def source_date(self) -> str: ...

    @property
    def special_tokens(self) -> tuple[str, ...]: ...

    @property
    def context(self) -> int: ...

    def build(
        self,
        question: ApplyInput,
        tokenizer: Tokenizer,
        *,
        budget: int | None = None,
        paths: PromptPaths = NO_ROOTS,
        again: PromptRequest | None = None,
    ) -> PromptRequest | None:
        """The request, which has at most `budget` tokens with its answer (default: `context`); None where it does not fit,
        or nothing says where the sketch belongs. again: one whose answer was of no use; None, too, where no more can be
        shown than it did."""
        ...

    def drafts(self, request: PromptRequest) -> tuple[str, ...]:
        """What the answer is likely to repeat, the one to be trusted most first."""
        ...


def line_bodies(text: str) -> tuple[str, ...]:
    """The lines without their ends, and without the place behind the last end."""
    lines = split_lines(text)
    return tuple(map(line_body, lines if lines[-1] else lines[:-1]))


def guess_for_region(question: ApplyInput, region: EditableRegion) -> tuple[str, ...] | None:
    """The region's lines as the merge guesses them; None where it guesses nothing, or changes something else, too."""
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
    """Those that may be rewritten, the best first; of a question that is asked again, those that hold more than before."""
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
    """A chat about the first of the regions with which prompt and answer fit into the budget. parts: the user's message."""
    original, room = question.original, budget - tokenizer.count(system)
    beside = SLACK + tokenizer.count(question.code)
    for region in choices:
        shown = "".join(original.lines[region.first : region.end])
        answer = beside + count_within(tokenizer, shown, budget)
        prompt = _rendered(parts(region), room - answer, tokenizer) if room > answer else None
        if prompt is None:
            continue
        most = min(room - prompt.tokens, answer + answer // 4)
        start = original.starts[region.first]
        return PromptRequest(prompt, stop, most, original, region, start, system=system, chat=True)
    return None


def _rendered(parts: Sequence[Part], room: int, tokenizer: Tokenizer) -> Prompt | None:
    try:
        return render(Group(tuple(parts)), room, tokenizer)
    except PromptTooLongError:
        return None


def part_texts(request: PromptRequest, *names: str) -> list[str]:
    """Those of the prompt's parts that have these names, in their order; none twice."""
    text, found = request.prompt.text, {piece.name: piece for piece in request.prompt.pieces}
    known = [found[name] for name in names if name in found]
    return list(dict.fromkeys(text[piece.start : piece.end] for piece in known if piece.end > piece.start))
