"""Editahead's own format, laid out for the prefix cache: parts that change seldom come first.

Source: this project, 2026-11; what it costs while somebody types is measured (docs/measurements/prompts.md). In order:

1. excerpts of other open documents, by URI;
2. the file as it was when the present chapter of the history began, in blocks of lines that begin on a grid;
3. the closed edits, oldest first: the chapter before, and the present one, which alone grows, at its end;
4. of the edit that is still growing, the old lines, and those of its new lines that stand above the region;
5. the region, lines from a grid, with the cursor: what is typed changes it only from the cursor on;
6. what is wrong in the region, by its lines from 1; what rules propose for it, likeliest first, with the line above where
   lines are only added; and the token that asks for the answer.

Nothing up to 3 is left out for what grows later (a cache breakpoint). A chapter ends after an edit whose content hashes to a
multiple of `CHAPTER`. So it ends at the same edits however many older ones the history has forgotten, and only then
are the file and the list of edits shown anew: between, a keystroke costs the rest of the region, and a closed edit its
own lines and the region.

Prompt of the example state in the tests:

    <|file|>shop/cart.py
    import money

    def total(items):
        price = sum(items)
        return money.euro(price)
    <|hist|>shop/cart.py
    -def total(items):
    <|region|>
    import money

    def total(items, tax):<|cursor|>
        price = sum(items)
        return money.euro(price)
    <|/region|>
    <|next|>

Answer:

    import money

    def total(items, tax):
        price = sum(items) * (1 + tax)
        return money.euro(price)
    <|/region|>
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b

from editahead_prompts.composition.parts import CacheBreakpoint, FirstFitting, Group, Part, Text
from editahead_prompts.composition.render import render
from editahead_prompts.composition.tokenizers import Tokenizer, count_within
from editahead_prompts.formats.answer_reader import AnswerMarkers, LineReader
from editahead_prompts.formats.base import NO_ROOTS, EditableRegion, PromptPaths, PromptRequest
from editahead_prompts.formats.diagnostics import diagnostics_in
from editahead_prompts.formats.escaping import escape
from editahead_prompts.formats.excerpts import excerpt, excerpt_with_cursor, other_document_parts
from editahead_prompts.formats.history_events import HistoryEvent, history_events
from editahead_prompts.formats.windows import grow_region, out_of_reach, reachable_lines, visible_line_count
from editahead_prompts.state import EditorState, PastEdit
from editahead_prompts.text.diff import diff_lines
from editahead_prompts.text.edits import apply_to_lines
from editahead_prompts.text.snapshot import Snapshot, line_body

FILE, HIST, REGION, REGION_END = "<|file|>", "<|hist|>", "<|region|>", "<|/region|>"
CURSOR, NEXT, SILENT, KEEP = "<|cursor|>", "<|next|>", "<|silent|>", "<|keep|>"
DIAGNOSTICS, RULE, END, PAD = "<|diag|>", "<|rule|>", "<|end|>", "<|pad|>"
SKETCH, GUESS = "<|sketch|>", "<|guess|>"
PREFIX, SUFFIX, MIDDLE = "<|prefix|>", "<|suffix|>", "<|middle|>"
_HERE = (FILE, HIST, REGION, REGION_END, CURSOR, DIAGNOSTICS, NEXT, SILENT, KEEP, END, RULE)
SPECIAL = (*_HERE, SKETCH, GUESS, PREFIX, SUFFIX, MIDDLE, PAD)
"""All special tokens of the bundled vocabulary: of this format, of Apply's, of fill-in-the-middle, and padding."""

CHAPTER = 8
"""Mean number of edits of a chapter."""

BLOCK = 8
"""Lines of a block of the file. Blocks are included or omitted whole."""

FOCUS = 32
REACH = 48
"""The priority of the blocks falls with the distance from the middle of a run of `FOCUS` lines. The run holds the chapter's
first edit, until an edit or the cursor is more than `REACH` lines away from that middle."""

REGION_GRID = 8
REGION_ABOVE = 4
REGION_LINES = 20
"""The region has `REGION_LINES` lines. It begins on a multiple of the grid, at least `REGION_ABOVE` lines above the
cursor where possible."""

GROWING_LINES = 6
"""Last lines, old and new, that are shown of a growing edit that is too long."""

MARKS = 24
"""Tokens set aside for the markers between the parts."""

MIN_EDITS_TOKENS, MIN_GROWING_TOKENS, MIN_REGION_TOKENS, MIN_RULES_TOKENS = 120, 100, 160, 80
"""Least budgets in tokens. In a small prompt, these parts say more than the rest of the file."""

MAX_DIAGNOSTICS, MAX_PROPOSED = 4, 3
"""Diagnostics, and edits proposed by rules, that are shown."""

CONTEXT_SHARE, OTHERS_SHARE, EDITS_SHARE, GROWING_SHARE, REGION_SHARE = 0.69, 0.2, 0.1, 0.05, 0.12
RULES_SHARE = 0.03
"""Shares of the budget. The context is the file and the other documents; the file has what the others leave. A region of
long lines has fewer lines."""


@dataclass(frozen=True, slots=True)
class EditaheadFormat:
    """The format of Editahead's own models for next edits; see the module."""

    name: str = "editahead"
    shows_related_code: bool = False
    special_tokens: tuple[str, ...] = SPECIAL
    context: int = 3000
    max_tokens: int = 512

    def build(
        self,
        state: EditorState,
        tokenizer: Tokenizer,
        *,
        budget: int | None = None,
        paths: PromptPaths = NO_ROOTS,
    ) -> PromptRequest:
        document, cursor = state.document, state.cursor
        room = budget or self.context
        shares = _shares(room)
        past = history_events(state)
        closed = [event for event in past if not event.edit.open]
        chapters = [0, *(n + 1 for n, event in enumerate(closed) if _ends_chapter(event.edit))]
        since = past[chapters[-1] :]
        listed = closed[chapters[-2] if len(chapters) > 1 else 0 :]
        region = _region(document, cursor, shares["region"], tokenizer)
        path = escape(paths.for_document(document.uri), SPECIAL)
        edits = tuple(Text(_edit(event.edit, paths), 1 + n, f"edit {n}") for n, event in enumerate(listed))
        files = other_document_parts(state, paths, SPECIAL, FILE + "{path}\n{text}")
        context: tuple[Part, ...] = (
            Group(files, name="files", budget=int(room * OTHERS_SHARE)),
            Text(f"{FILE}{path}\n", name="path"),
            Group(_file(document, since, cursor, room), name="file"),
        )
        growing = (_growing(event.edit, document.uri, region, paths) for event in past if event.edit.open)
        parts: tuple[Part, ...] = (
            Group(context, budget=shares["context"]),
            Group(edits, name="edits", budget=shares["edits"]),
            CacheBreakpoint(),
            Group(tuple(growing), budget=shares["growing"]),
            Text(f"{REGION}\n", name="region start"),
            Text(excerpt_with_cursor(document, region, cursor, CURSOR, SPECIAL), name="region"),
            Text(f"{REGION_END}\n", name="region end"),
            Group(_diagnostics(state, region), name="diagnostics"),
            Group(_proposed(state, region), name="rules", budget=shares["rules"]),
            Text(f"{NEXT}\n", name="answer"),
        )
        prompt = render(Group(parts), room, tokenizer)
        return PromptRequest(prompt, (REGION_END, END), self.max_tokens, document, region, cursor)

    def make_reader(self, request: PromptRequest) -> LineReader:
        return LineReader(request, AnswerMarkers((REGION_END, END), SPECIAL, CURSOR, (SILENT, KEEP)))


def _shares(room: int) -> dict[str, int]:
    """Return the budget of each part, in tokens."""
    shares = {
        "edits": max(int(room * EDITS_SHARE), MIN_EDITS_TOKENS),
        "growing": max(int(room * GROWING_SHARE), MIN_GROWING_TOKENS),
        "region": max(int(room * REGION_SHARE), MIN_REGION_TOKENS),
        "rules": max(int(room * RULES_SHARE), MIN_RULES_TOKENS),
    }
    left = room - sum(shares.values()) - MARKS
    return {**shares, "context": max(min(int(room * CONTEXT_SHARE), left), 0)}


def _ends_chapter(edit: PastEdit) -> bool:
    content = "\0".join((edit.uri, *edit.old, "", *edit.new))
    return blake2b(content.encode("utf-8", "replace"), digest_size=1).digest()[0] % CHAPTER == 0


def _edit(edit: PastEdit, paths: PromptPaths) -> str:
    """Render an edit without line numbers and context lines, which later edits change."""
    old, new = (tuple(map(line_body, lines)) for lines in (edit.old, edit.new))
    lines = []
    for i1, i2, j1, j2 in diff_lines(old, new):
        lines += [f"-{line}\n" for line in old[i1:i2]]
        lines += [f"+{line}\n" for line in new[j1:j2]]
    return _listed(edit, lines, paths)


def _growing(edit: PastEdit, uri: str, region: EditableRegion, paths: PromptPaths) -> FirstFitting:
    """Return the part of the open edit, without the lines in the region, which change with every keystroke."""
    end = edit.line + len(edit.new)
    if edit.uri != uri or end < region.first or region.end <= edit.line:
        return FirstFitting((_edit(edit, paths), ""), 1, "growing edit")
    unseen = (
        *edit.new[: max(region.first - edit.line, 0)],
        *edit.new[max(region.end - edit.line, 0) :],
    )
    texts = [
        _listed(
            edit,
            [
                *(f"-{line_body(line)}\n" for line in edit.old[-last:]),
                *(f"+{line_body(line)}\n" for line in unseen[-last:]),
            ],
            paths,
        )
        for last in (0, GROWING_LINES)
    ]
    return FirstFitting((*texts, ""), 1, "growing edit")


def _listed(edit: PastEdit, lines: Sequence[str], paths: PromptPaths) -> str:
    return f"{HIST}{escape(paths.for_document(edit.uri), SPECIAL)}\n{escape(''.join(lines), SPECIAL)}"


def _diagnostics(state: EditorState, region: EditableRegion) -> tuple[Text, ...]:
    """Return the parts of the region's diagnostics, with the region's lines counted from 1."""
    return tuple(
        Text(
            f"{DIAGNOSTICS}{line - region.first + 1}: {escape(message, SPECIAL)}\n",
            0.5,
            f"line {line + 1}",
        )
        for line, message in diagnostics_in(state, region, MAX_DIAGNOSTICS)
    )


def _proposed(state: EditorState, region: EditableRegion) -> tuple[Text, ...]:
    """Return the parts of the proposed edits within the region."""
    document, shown = state.document, []
    for edit in state.proposed:
        start, end = edit.changed_span
        first, last = document.line_at(start), document.line_at(end)
        if not region.first <= first <= last < region.end:
            continue
        after = apply_to_lines(document, edit)
        grown = len(after) - len(document.lines)
        old = tuple(map(line_body, document.lines[first : last + 1]))
        new = tuple(map(line_body, after[first : last + 1 + grown]))
        lines = []
        for i1, i2, j1, j2 in diff_lines(old, new):
            if i1 == i2 and first + i1:
                lines.append(f" {line_body(document.lines[first + i1 - 1])}\n")
            lines += [f"-{line}\n" for line in old[i1:i2]]
            lines += [f"+{line}\n" for line in new[j1:j2]]
        shown.append(f"{RULE}\n{escape(''.join(lines), SPECIAL)}")
    return tuple(
        Text(text, 1 / (2 + rank), f"rule {rank + 1}") for rank, text in enumerate(shown[:MAX_PROPOSED])
    )


def _file(document: Snapshot, since: Sequence[HistoryEvent], cursor: int, room: int) -> tuple[Part, ...]:
    """Return the document before the edits `since` in blocks, with the highest priority where these edits began."""
    here = [event for event in since if event.edit.uri == document.uri and event.before is not None]
    then = replace(document, lines=here[0].before) if here and here[0].before else document
    places = [_earlier(event.line, here[:number]) for number, event in enumerate(here)]
    focus: int | None = None
    for line in (*places, _earlier(document.line_at(cursor), here)):
        if focus is None or abs(line - focus) > REACH:
            focus = line // FOCUS * FOCUS + FOCUS // 2
    assert focus is not None
    count = visible_line_count(then, 0)
    low, high = reachable_lines(then, min(focus, count), room)
    low, high = min(-(-low // BLOCK) * BLOCK, count), count if high >= count else high // BLOCK * BLOCK
    blocks = (
        Text(
            excerpt(then, first, min(first + BLOCK, count), SPECIAL),
            1 / (1 + abs(first + BLOCK / 2 - focus)),
            f"lines {first + 1}-{min(first + BLOCK, count)}",
        )
        for first in range(low, high, BLOCK)
    )
    return (*out_of_reach(then, 0, low), *blocks, *out_of_reach(then, high, count))


def _earlier(line: int, since: Sequence[HistoryEvent]) -> int:
    """Return the number of a line before the edits `since`."""
    for event in reversed(since):
        old, new = len(event.edit.old), len(event.edit.new)
        line = line - new + old if line >= event.line + new else min(line, event.line + old)
    return line


def _region(document: Snapshot, cursor: int, limit: int, tokenizer: Tokenizer) -> EditableRegion:
    line, count = document.line_at(cursor), visible_line_count(document, cursor)
    first = max(line - REGION_ABOVE, 0) // REGION_GRID * REGION_GRID
    region = EditableRegion(first, min(first + REGION_LINES, count))
    costs = [count_within(tokenizer, body + "\n", limit) for body in region.bodies(document)]
    if sum(costs) <= limit:
        return region
    inner = grow_region(costs, EditableRegion(line - first, line - first + 1), limit)
    return EditableRegion(first + inner.first, first + inner.end)


EDITAHEAD = EditaheadFormat()
