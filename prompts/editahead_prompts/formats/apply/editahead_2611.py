"""Editahead's own format for Apply: from a region, a sketch and the merge's guess of the region to the exact region.

Source: this project, 2026-11. The prompt with a guess:

    <|file|>shop/cart.py
    <|region|>
    def total(items):
        return sum(items)
    <|/region|>
    <|sketch|>
    def total(items, tax):
        # ... existing code ...
        return sum(items) * tax
    <|guess|>
    def total(items, tax):
        return sum(items)
        return sum(items) * tax
    <|next|>

Answer:

    def total(items, tax):
        return sum(items) * tax
    <|/region|>
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from editahead_prompts.composition.parts import Group, Text
from editahead_prompts.composition.render import render
from editahead_prompts.composition.tokenizers import Tokenizer
from editahead_prompts.errors import PromptTooLongError
from editahead_prompts.formats.answer_reader import AnswerMarkers, LineReader
from editahead_prompts.formats.base import NO_ROOTS, EditableRegion, PromptPaths, PromptRequest
from editahead_prompts.formats.escaping import escape
from editahead_prompts.formats.excerpts import excerpt
from editahead_prompts.formats.next_edit.editahead_2611 import (
    END,
    FILE,
    GUESS,
    NEXT,
    REGION,
    REGION_END,
    SKETCH,
    SPECIAL,
)
from editahead_prompts.formats.windows import grow_region
from editahead_prompts.text.diff import diff_lines
from editahead_prompts.text.snapshot import Snapshot

from .base import ApplyInput, line_bodies, part_texts

AROUND, AGAIN = 6, 40
"""Lines shown above and below the lines that the sketch touches, if they fit, in a first and in a second request."""

SLACK = 48
"""Tokens of an answer beyond the guess of its region, or beyond the region."""

MAX_TOKEN = 16
"""Greatest mean number of characters a token in many lines. Longer text is not counted."""

_SAYS_MUCH = 6
"""Fewest letters and digits of a line of the sketch that identifies a place."""


@dataclass(frozen=True, slots=True)
class EditaheadApplyFormat:
    """The format of Editahead's own models for Apply; see the module.

    Attributes:
        context: The budget of prompt and answer together, in tokens.
    """

    name: str = "editahead"
    special_tokens: tuple[str, ...] = SPECIAL
    context: int = 1000

    def build(
        self,
        question: ApplyInput,
        tokenizer: Tokenizer,
        *,
        budget: int | None = None,
        paths: PromptPaths = NO_ROOTS,
        again: PromptRequest | None = None,
    ) -> PromptRequest | None:
        around = AROUND if again is None else AGAIN
        room = min(budget or self.context, self.context)
        original, sketch, guess = question.original, question.sketch, question.guess
        made = self.build_for_guess(
            original, sketch, guess, tokenizer, budget=room, paths=paths, around=around
        )
        shown = again is not None and made is not None and made.prompt.text == again.prompt.text
        return None if shown else made

    def build_for_guess(
        self,
        original: Snapshot,
        sketch: str,
        guess: str | None,
        tokenizer: Tokenizer,
        *,
        budget: int | None = None,
        paths: PromptPaths = NO_ROOTS,
        around: int = AROUND,
    ) -> PromptRequest | None:
        """Build the request for one file's part of a sketch.

        Returns None if prompt and answer do not fit into `budget` tokens, or if nothing shows where the sketch belongs.

        Args:
            guess: The whole new text by the merge; None without one.
            around: Lines shown on either side of the lines that the sketch touches.
        """
        room = budget or self.context
        head = f"{FILE}{escape(paths.for_document(original.uri), SPECIAL)}\n{REGION}\n"
        between, said = f"{REGION_END}\n{SKETCH}\n", _text(line_bodies(sketch))
        fixed = tokenizer.count(head) + tokenizer.count(between) + tokenizer.count(said) + SLACK
        if fixed >= room:
            return None
        old, new = line_bodies(original.text), None if guess is None else line_bodies(guess)
        hunks = [] if new is None else diff_lines(old, new)
        changed = [line for i1, i2, _, _ in hunks for line in ((i1, i2 - 1) if i1 < i2 else (i1 - 1, i1))]
        for i1, i2, j1, j2 in hunks:
            deleted, inserted = tokenizer.count(_text(old[i1:i2])), tokenizer.count(_text((new or ())[j1:j2]))
            fixed += 2 * (inserted - deleted)  # in the guess and in the answer
        copies = 2 if new is None else 3
        anchors = _anchors(old, line_bodies(sketch))
        for places in ([*changed, *anchors], changed):
            region = _region(old, places, around, (room - fixed) // copies, tokenizer)
            if region is not None:
                break
        else:
            return None
        guessed = "" if new is None else _text(new[region.first : len(new) - len(old) + region.end])
        parts = (
            Text(head, name="path"),
            Text(excerpt(original, region.first, region.end, SPECIAL), name="region"),
            Text(between, name="sketch start"),
            Text(said, name="sketch"),
            Text("" if new is None else f"{GUESS}\n", name="guess start"),
            Text(guessed, name="guess"),
            Text(f"{NEXT}\n", name="answer"),
        )
        try:
            prompt = render(Group(parts), room - SLACK, tokenizer)
        except PromptTooLongError:
            return None
        start = original.starts[region.first]
        return PromptRequest(prompt, (REGION_END, END), room - prompt.tokens, original, region, start)

    def drafts(self, request: PromptRequest) -> tuple[str, ...]:
        """Return texts that the answer is likely to repeat, the most reliable one first: guess, region, sketch."""
        return tuple(f"{text}{REGION_END}" for text in part_texts(request, "guess", "region", "sketch"))

    def make_reader(self, request: PromptRequest) -> LineReader:
        return LineReader(request, AnswerMarkers((REGION_END, END), SPECIAL, nothing=()))


def _text(bodies: Sequence[str]) -> str:
    return escape("".join(f"{body}\n" for body in bodies), SPECIAL)


def _anchors(old: Sequence[str], sketch: Sequence[str]) -> list[int]:
    """Return lines that the file holds once and that the sketch holds, too, even after a diff's sign."""
    times = Counter(line.strip() for line in old)
    wanted = {
        text for line in sketch for text in (line.strip(), line[1:].strip() if line[:1] in " +-" else "")
    }
    wanted = {text for text in wanted if times[text] == 1 and sum(map(str.isalnum, text)) >= _SAYS_MUCH}
    return [number for number, line in enumerate(old) if line.strip() in wanted]


def _region(
    old: Sequence[str], places: Sequence[int], around: int, room: int, tokenizer: Tokenizer
) -> EditableRegion | None:
    """Return the region of at most `room` tokens that holds the places, with up to `around` lines on either side."""
    if not places or not old:
        return None
    inner = EditableRegion(min(max(min(places), 0), len(old) - 1), min(max(places) + 1, len(old)))
    low, high = max(inner.first - around, 0), min(inner.end + around, len(old))
    if sum(map(len, old[inner.first : inner.end])) > room * MAX_TOKEN:
        return None
    costs = [tokenizer.count(_text((line,))) for line in old[low:high]]
    smallest = EditableRegion(inner.first - low, inner.end - low)
    if sum(costs[smallest.first : smallest.end]) > room:
        return None
    shown = grow_region(costs, smallest, room)
    return EditableRegion(shown.first + low, shown.end + low)


EDITAHEAD_APPLY = EditaheadApplyFormat()
