"""Zeta 2.1 (`zed-industries/zeta-2.1`, Seed-Coder-8B-Base): as Zeta 2, but the region is in numbered blocks.

Source: Zed's `multi_region.rs` and `build_v0318_cursor_prefix` (`V0318SeedMultiRegions`), read 2026-07, and the model's card
at second hand; published in March 2026. The answer names the blocks that it rewrites by the markers around them, so it is
short. Two equal markers mean "no edit".

Prompt of the example state in the tests, from its last file on:

    <filename>shop/cart.py
    <|marker_1|>import money

    def total(items, tax):<|user_cursor|>
        price = sum(items)
        return money.euro(price)
    <|marker_2|>
    <[fim-middle]>

Answer:

    <|marker_1|>import money

    def total(items, tax):
        price = sum(items) * (1 + tax)<|user_cursor|>
        return money.euro(price)
    <|marker_2|><[end▁of▁sentence]>
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from editahead_prompts.composition.tokenizers import Tokenizer
from editahead_prompts.formats.answer_reader import AnswerMarkers, LineReader
from editahead_prompts.formats.base import (
    NO_ROOTS,
    AnswerRejection,
    EditableRegion,
    ParsedEdit,
    PromptPaths,
    PromptRequest,
)
from editahead_prompts.formats.excerpts import excerpt, excerpt_with_cursor, split_cursor_line
from editahead_prompts.formats.special_tokens import SEED_CODER
from editahead_prompts.formats.windows import pin_window, zed_windows
from editahead_prompts.state import EditorState

from .zeta2 import CONTEXT_TOKENS, CURSOR, END_OF_SENTENCE, REGION_TOKENS, TOKENS, around

SPECIAL = (*TOKENS, *SEED_CODER, "<|marker_")

MIN_BLOCK = 6
MAX_BLOCK = 16
NUDGE = 5
"""Lines of a block, and how far its end may be moved down to a better place."""

_MARKER = re.compile(r"<\|marker_(\d{1,4})\|>")
_WEAK = re.compile(r"\s*(?:[}\])]|(?:break|continue|return|throw|end)[;,]?\s*$)")
"""Pattern of a line that should not begin a block."""


@dataclass(frozen=True, slots=True)
class Zeta21Format:
    """The format of Zeta 2.1; see the module.

    Attributes:
        own_lines: Whether a line end follows each marker, as in the example of the model's card. The code that writes
            Zed's training data has none.
    """

    name: str = "zeta-2.1"
    shows_related_code: bool = True
    special_tokens: tuple[str, ...] = SPECIAL
    context: int = 4096 * 9 // 10
    max_tokens: int = 2048
    own_lines: bool = False

    def build(
        self,
        state: EditorState,
        tokenizer: Tokenizer,
        *,
        budget: int | None = None,
        paths: PromptPaths = NO_ROOTS,
    ) -> PromptRequest:
        document, cursor = state.document, state.cursor
        pin = pin_window(state)
        region, context = map(pin.now, zed_windows(pin.document, pin.cursor, REGION_TOKENS, CONTEXT_TOKENS))
        marks = boundaries(region.bodies(document))
        text = []
        line = document.line_at(cursor)
        # A cursor on a boundary belongs to the block above it.
        seam = (
            line > region.first
            and line - region.first in marks[1:-1]
            and not split_cursor_line(document, cursor)[0]
        )
        for number, (start, end) in enumerate(itertools.pairwise(marks), start=1):
            block = EditableRegion(region.first + start, region.first + end)
            holds = block.first <= line < block.end and not (seam and line == block.first)
            text.append(f"<|marker_{number}|>" + "\n" * self.own_lines)
            text.append(
                excerpt_with_cursor(document, block, cursor, CURSOR, SPECIAL)
                if holds
                else excerpt(document, block.first, block.end, SPECIAL)
            )
            if seam and line == block.end:
                text.append(CURSOR)
        section = "".join(text) + f"<|marker_{len(marks)}|>\n"
        prompt = around(state, region, context, section, SPECIAL, tokenizer, budget or self.context, paths)
        return PromptRequest(
            prompt, (END_OF_SENTENCE,), self.max_tokens, document, region, cursor, marks=marks
        )

    def make_reader(self, request: PromptRequest) -> LineReader:
        return _Reader(request, AnswerMarkers((END_OF_SENTENCE,), SPECIAL, CURSOR), own_lines=self.own_lines)


def boundaries(bodies: Sequence[str]) -> tuple[int, ...]:
    """Return the line indices at which blocks begin and the last block ends.

    A block ends at a paragraph after `MIN_BLOCK` lines, or else after `MAX_BLOCK` lines; if possible, not just before a
    closing bracket or a lone `return`.
    """
    marks = [0]
    for line in range(1, len(bodies)):
        since = line - marks[-1]
        paragraph = since >= MIN_BLOCK and bool(bodies[line].strip()) and not bodies[line - 1].strip()
        if not paragraph and since < MAX_BLOCK:
            continue
        near = range(line, min(line + NUDGE + 1, len(bodies)))
        at = next((n for n in near if bodies[n].strip() and not _WEAK.match(bodies[n])), line)
        if len(bodies) - at >= MIN_BLOCK:
            marks.append(at)
    return (*marks, len(bodies))


class _Reader(LineReader):
    """A reader of the lines between the first and the last marker, completed by the old lines around them."""

    def __init__(self, request: PromptRequest, marks: AnswerMarkers, *, own_lines: bool) -> None:
        super().__init__(request, marks)
        self._own_lines = own_lines
        self._seen: list[int] = []
        self._since: int | None = None  # the index of the first line after the last marker
        self._blank: list[str] = []  # blank lines after the last marker, dropped if no text follows

    def _line(self, line: str) -> None:
        self._mixed(line, whole=True)

    def _rest(self, text: str) -> None:
        if text:
            self._mixed(text, whole=False)

    def _mixed(self, line: str, *, whole: bool) -> None:
        """Read a line that may hold markers; a marker ends the text before it."""
        if END_OF_SENTENCE in line:
            line, whole = line[: line.index(END_OF_SENTENCE)], False
            self.ended = True
        at = 0
        for found in _MARKER.finditer(line):
            self._piece(line[at : found.start()], whole=False)
            self._marker(int(found[1]))
            at = found.end()
        if self.refusal is None:
            self._piece(line[at:], whole=whole and not (self._own_lines and at == len(line) > 0))

    def _piece(self, text: str, *, whole: bool) -> None:
        if not self._seen:
            if text.strip() in self._marks.nothing:
                self.refusal = AnswerRejection("no-edits", text.strip())
            elif text.strip():
                self.refusal = AnswerRejection("malformed", "text before the first marker")
        elif whole and not text and len(self._lines) == self._since:
            self._blank.append(text)
        elif text or whole:
            self._flush()
            self._take(text)

    def _flush(self) -> None:
        for blank in self._blank:
            self._take(blank)
        self._blank = []

    def _marker(self, number: int) -> None:
        if self.refusal is not None:
            return
        places = self._request.marks
        if not 1 <= number <= len(places) or (self._seen and number < self._seen[-1]):
            self.refusal = AnswerRejection(
                "malformed", f"marker {number} of {len(places)} after {self._seen}"
            )
            return
        if not self._seen:
            self._lines += self._old[: places[number - 1]]
        self._flush()
        self._seen.append(number)
        self._since = len(self._lines)

    def _answer(self) -> ParsedEdit | AnswerRejection:
        behind = len(self._lines) != self._since
        if len(self._seen) < 2 or behind:
            return AnswerRejection("malformed", f"markers {self._seen}" + ", text behind" * behind)
        if self._seen[0] == self._seen[-1]:
            return AnswerRejection("no-edits", f"marker {self._seen[0]} twice")
        self._lines += self._old[self._request.marks[self._seen[-1] - 1] :]
        return super()._answer()


ZETA_2_1 = Zeta21Format()
