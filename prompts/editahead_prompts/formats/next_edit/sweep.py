"""Sweep next-edit (`sweepai/sweep-next-edit-0.5b`, `-1.5b`, `-v2-7B`; Qwen2.5-Coder): a window before, now, and after.

Sources, which disagree: ports of the vendor's own `inference.py` and of its server (Rust and Kotlin, read 2026-09),
cursortab (recorded 2026-04), and what is written about them. Each disputed detail is an option of `SweepFormat`;
`SWEEP` has them as the vendor's ports do, `SWEEP_CURSORTAB` as cursortab sent them. The models were published in January
2026. Plain completion; the answer is what follows the prefill in the window.

Prompt of the example state in the tests, as `SWEEP` (where text ends in a line end, the
template's own makes a blank line):

    <|file_sep|>shop/cart.py

    <|file_sep|>shop/cart.py:3:3
    original:

    def total(items):
        price = sum(items)

    updated:

    def total(items, tax):
        price = sum(items)

    <|file_sep|>original/shop/cart.py:1:5
    import money

    def total(items):
        price = sum(items)
        return money.euro(price)

    <|file_sep|>current/shop/cart.py:1:5
    import money

    def total(items, tax):<|cursor|>
        price = sum(items)
        return money.euro(price)

    <|file_sep|>updated/shop/cart.py:1:5
    import money

Answer:

    def total(items, tax):
        price = sum(items) * (1 + tax)
        return money.euro(price)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from editahead_prompts.composition.parts import Group, Part, Text, by_distance
from editahead_prompts.composition.render import render
from editahead_prompts.composition.tokenizers import Tokenizer
from editahead_prompts.formats.answer_reader import AnswerMarkers, LineReader
from editahead_prompts.formats.base import NO_ROOTS, EditableRegion, PromptPaths, PromptRequest
from editahead_prompts.formats.escaping import escape
from editahead_prompts.formats.excerpts import (
    excerpt,
    excerpt_with_cursor,
    other_document_parts,
    related_code_group,
)
from editahead_prompts.formats.history_events import HistoryEvent, before_and_after, history_events
from editahead_prompts.formats.special_tokens import QWEN
from editahead_prompts.formats.windows import (
    GRID,
    PinnedWindow,
    escaped_lines,
    lines_around,
    pin_window,
    visible_line_count,
)
from editahead_prompts.state import EditorState

FILE_SEP = "<|file_sep|>"
CURSOR = "<|cursor|>"
END = "<|endoftext|>"
SPECIAL = (
    CURSOR,
    *QWEN,
)


@dataclass(frozen=True, slots=True)
class SweepFormat:
    """A format of SweepFormat, with the disputed details as options; see the module.

    Attributes:
        above: Lines of the window above the cursor's line.
        below: Lines of the window below the cursor's line.
        original: The window before all shown changes ("before"; without changes only its prefilled part), or the present
            window ("current").
        cursor_mark: Whether the present window shows the cursor.
        numbered: Whether paths of windows have the suffix `:first:last`.
        diff_header: The path of a change with the changed lines' numbers, or `{path}.diff`.
        diff_context: Lines of context around a change.
        blank_lines: Whether text keeps its own line end before the template's.
        donut: Whether the file around the cursor omits the window.
        grid: The file around the cursor begins and ends on multiples of this number of lines.
        file_lines: Lines of the file on either side of the cursor.
        prefill: All text above the cursor's line, or nothing. After an insertion above the cursor, only the first line.
        max_changes: Last edits that are shown.
    """

    name: str = "sweep"
    shows_related_code: bool = True
    special_tokens: tuple[str, ...] = SPECIAL
    context: int = 7000
    max_tokens: int = 1024
    above: int = 10
    below: int = 10
    original: Literal["before", "current"] = "before"
    cursor_mark: bool = True
    numbered: bool = True
    diff_header: Literal["numbers", "diff"] = "numbers"
    diff_context: int = 1
    blank_lines: bool = True
    donut: bool = True
    grid: int = 40
    file_lines: int = 50
    prefill: Literal["to the cursor's line", "none"] = "to the cursor's line"
    max_changes: int = 10

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
        region = pin.now(lines_around(pin.document, pin.cursor, self.above, self.below))
        line = document.line_at(cursor)
        past = history_events(state)[-self.max_changes :]
        path = escape(paths.for_document(document.uri), SPECIAL)
        place = f"{path}:{region.first + 1}:{region.end}" if self.numbered else path
        prefill = excerpt(document, region.first, self._prefilled(past, document.uri, region, line), SPECIAL)
        now = (
            excerpt_with_cursor(document, region, cursor, CURSOR, SPECIAL)
            if self.cursor_mark
            else excerpt(document, region.first, region.end, SPECIAL)
        )
        changes = tuple(
            Text(self._change(event, paths), 1 + n, f"edit {n + 1 - len(past)}")
            for n, event in enumerate(past)
        )
        snippet = FILE_SEP + "{path}\n{text}\n"
        parts: tuple[Part, ...] = (
            Group(other_document_parts(state, paths, SPECIAL, snippet), name="files"),
            related_code_group(state, paths, SPECIAL, snippet, budget or self.context),
            Text(f"{FILE_SEP}{path}\n", name="file header"),
            *self._file(state, region, pin),
            Text("\n" * self.blank_lines, name="file end"),
            Group(changes, name="edits"),
            Text(f"{FILE_SEP}original/{place}\n", name="original header"),
            Text(self._ended(self._original(state, past, region, prefill)), name="original"),
            Text(f"{FILE_SEP}current/{place}\n{self._ended(now)}", name="current"),
            Text(f"{FILE_SEP}updated/{place}\n", name="updated header"),
            Text(prefill, name="prefill"),
        )
        prompt = render(Group(parts), budget or self.context, tokenizer)
        return PromptRequest(
            prompt, (FILE_SEP, END), self.max_tokens, document, region, cursor, prefill=prefill
        )

    def make_reader(self, request: PromptRequest) -> LineReader:
        return LineReader(request, AnswerMarkers((FILE_SEP, END), SPECIAL, CURSOR))

    def _ended(self, text: str) -> str:
        """Add the template's line end, unless the text's own line end serves as such."""
        return text + "\n" if self.blank_lines else text

    def _file(self, state: EditorState, region: EditableRegion, pin: PinnedWindow) -> Sequence[Group]:
        """Return the file around the window, in two groups that are cut from their far ends."""
        document, line = state.document, pin.document.line_at(pin.cursor)
        anchor = line // self.grid * self.grid
        first = max(anchor - self.file_lines, 0)
        end = min(
            anchor + self.grid + self.file_lines + pin.added, visible_line_count(document, state.cursor)
        )
        inner = region if self.donut else EditableRegion(line, line)
        start = min(first, inner.first)
        above = escaped_lines(document, start, inner.first, SPECIAL)
        below = escaped_lines(document, inner.end, max(end, inner.end), SPECIAL)
        return (
            Group(by_distance(above, len(above), top=0.5, first=start, block=GRID), name="file above"),
            Group(
                by_distance(below, 0, top=0.5, first=inner.end, block=GRID, from_end=True), name="file below"
            ),
        )

    def _change(self, event: HistoryEvent, paths: PromptPaths) -> str:
        path = escape(paths.for_document(event.edit.uri), SPECIAL)
        if self.diff_header == "diff":
            header = f"{path}.diff"
        else:
            header = f"{path}:{event.line + 1}:{event.line + max(len(event.edit.new), 1)}"
        old, new = (escape(text, SPECIAL) for text in before_and_after(event, self.diff_context))
        end = "\n" * self.blank_lines
        return f"{FILE_SEP}{header}\noriginal:\n{old}{end}\nupdated:\n{new}{end}\n"

    def _original(
        self, state: EditorState, past: Sequence[HistoryEvent], region: EditableRegion, prefill: str
    ) -> str:
        document = state.document
        if self.original == "current":
            return excerpt(document, region.first, region.end, SPECIAL)
        first = next((e for e in past if e.edit.uri == document.uri and e.before is not None), None)
        if first is None or first.before is None:
            return prefill
        then = replace(document, lines=first.before)
        return excerpt(then, region.first, min(region.end, visible_line_count(then, 0)), SPECIAL)

    def _prefilled(self, past: Sequence[HistoryEvent], uri: str, region: EditableRegion, line: int) -> int:
        """Return the first line that the model writes itself."""
        if self.prefill == "none":
            return region.first
        last = past[-1].edit if past else None
        inserted = last is not None and last.uri == uri and not last.old and region.first <= last.line < line
        return min(region.first + 1, line) if inserted else line


SWEEP = SweepFormat()
SWEEP_CURSORTAB = SweepFormat(
    name="sweep-cursortab",
    max_tokens=2048,
    above=40,
    below=40,
    original="current",
    diff_header="diff",
    diff_context=3,
    blank_lines=False,
    donut=False,
    file_lines=150,
)
