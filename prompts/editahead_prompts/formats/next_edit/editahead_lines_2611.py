"""Editahead's format for small models that have read code: few tokens are read, and only changed lines are said.

Source: this project, 2026-11; see docs/training.md. The markers are special tokens that SmolLM2 and StarCoder have for
files, issues and notebooks, so a base of this kind needs no new tokens. In order:

1. the file's path;
2. closed edits, oldest first, as lines taken away and added; of the edit that is still growing, the lines that the region
   does not show;
3. the first lines of the blocks that enclose the region;
4. the region, lines from a grid with a letter before each, and the cursor;
5. what rules propose for it, likeliest first, in the form of an answer; and the token that asks for the answer.

An answer is a list of changes from top to bottom: lines that replace a line, lines that follow a line, or a range of lines
that are deleted. Everything else stays. No change at all is one token.

While the user types at the end of a line, the model goes on with the line instead: see `continuation`.

Prompt of the example state in the tests:

    <filename>shop/cart.py
    <issue_start>
    -def total(items):
    <jupyter_start>
    A<jupyter_code>import money
    B<jupyter_code>
    C<jupyter_code>def total(items, tax):<gh_stars>
    D<jupyter_code>    price = sum(items)
    E<jupyter_code>    return money.euro(price)
    <jupyter_output>

Answer:

    D<jupyter_code>    price = sum(items) * (1 + tax)
    <|im_end|>
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from editahead_prompts.composition.parts import CacheBreakpoint, FirstFitting, Group, Part, Text
from editahead_prompts.composition.render import render
from editahead_prompts.composition.tokenizers import Tokenizer, count_within
from editahead_prompts.formats.answer_reader import AnswerMarkers, LineReader, region_edit
from editahead_prompts.formats.base import (
    NO_ROOTS,
    AnswerRejection,
    EditableRegion,
    ParsedEdit,
    PromptPaths,
    PromptRequest,
)
from editahead_prompts.formats.escaping import escape
from editahead_prompts.formats.history_events import history_events
from editahead_prompts.formats.windows import grow_region, visible_line_count
from editahead_prompts.state import EditorState, PastEdit
from editahead_prompts.text.diff import diff_lines
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot, line_body

from .continuation import ContinuationReader, build_continuation, types_line_end

FILE, HIST, REGION, LINE = "<filename>", "<issue_start>", "<jupyter_start>", "<jupyter_code>"
INSERT, DELETE, CURSOR, RULE = "<jupyter_text>", "<empty_output>", "<gh_stars>", "<issue_comment>"
NEXT, SILENT, END = "<jupyter_output>", "<issue_closed>", "<|im_end|>"
MARKERS = (FILE, HIST, REGION, LINE, INSERT, DELETE, CURSOR, RULE, NEXT, SILENT)
"""The markers, which a model's tokenizer has to read as one token each."""
SPECIAL = (
    *MARKERS,
    *(END, "<|im_start|>", "<|endoftext|>", "<repo_name>", "<reponame>", "<file_sep>"),
    "<jupyter_script>",
)

REGION_GRID = 4
REGION_ABOVE = 3
REGION_LINES = 16
"""The region has `REGION_LINES` lines. It begins on a multiple of the grid, at least `REGION_ABOVE` lines above the cursor
where possible."""
LABELS = "ABCDEFGHIJKLMNOP"
"""A letter for each line: one token, where numbers have two digits."""

EDITS_SHARE, REGION_SHARE, RULES_SHARE = 0.3, 0.48, 0.14
"""Shares of the budget. The path and the enclosing blocks have the rest."""
MAX_PROPOSED, MAX_BLOCKS = 2, 3
"""Edits of rules and enclosing blocks that are shown."""
SHORT_EDIT = 4
"""Changed lines that are shown of an edit that is too long."""

_OPERATION = re.compile(rf"([{LABELS}])({re.escape(LINE)}|{re.escape(INSERT)}|{re.escape(DELETE)})")


@dataclass(frozen=True, slots=True)
class EditaheadLinesFormat:
    """The format of changed lines; see the module."""

    name: str = "editahead-lines"
    shows_related_code: bool = False
    special_tokens: tuple[str, ...] = SPECIAL
    context: int = 448
    max_tokens: int = 192

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
        if types_line_end(state):
            return build_continuation(state, tokenizer, room, SPECIAL)
        region = _region(document, cursor, int(room * REGION_SHARE), tokenizer)
        past = [event.edit for event in history_events(state)]
        edits = tuple(
            _edit(edit, document.uri, paths, 1 + number, f"edit {number}")
            for number, edit in enumerate(past)
            if not edit.open
        )
        growing = tuple(_growing(edit, document.uri, region, paths) for edit in past if edit.open)
        blocks = tuple(
            Text(escape(line_body(document.lines[line]), SPECIAL) + "\n", 1 / (2 + rank), f"line {line + 1}")
            for rank, line in enumerate(enclosing_lines(document, region.first))
        )
        parts: tuple[Part, ...] = (
            Text(f"{FILE}{escape(paths.for_document(document.uri), SPECIAL)}\n", name="path"),
            Group((*edits, *growing), name="edits", budget=int(room * EDITS_SHARE)),
            CacheBreakpoint(),
            Group(blocks[::-1], name="blocks"),
            Text(f"{REGION}\n", name="region start"),
            Text(_lettered(document, region, cursor), name="region"),
            Group(_proposed(state, region), name="rules", budget=int(room * RULES_SHARE)),
            Text(f"{NEXT}\n", name="answer"),
        )
        prompt = render(Group(parts), room, tokenizer)
        return PromptRequest(prompt, (END,), self.max_tokens, document, region, cursor)

    def make_reader(self, request: PromptRequest) -> LineReader:
        if request.continues:
            return ContinuationReader(request, AnswerMarkers((END,), SPECIAL, nothing=()))
        return _Reader(request, AnswerMarkers((END,), SPECIAL, nothing=(SILENT,)))


def write_answer(old: Sequence[str], new: Sequence[str]) -> str:
    """Return the answer that makes `new` of the region's lines `old`, without `END`; `SILENT` when they are equal.

    Both are without line ends; `old` has at most as many lines as there are `LABELS`.
    """
    out: list[str] = []

    def said(label: int, marker: str, lines: Sequence[str]) -> None:
        out.append(LABELS[label] + marker + "".join(f"{escape(line, SPECIAL)}\n" for line in lines))

    for i1, i2, j1, j2 in diff_lines(tuple(old), tuple(new)):
        paired = min(i2 - i1, j2 - j1)
        for n in range(paired):
            last = n == paired - 1
            said(i1 + n, LINE, new[j1 + n : j2] if last else new[j1 + n : j1 + n + 1])
        if i1 + paired < i2:
            out.append(f"{LABELS[i1 + paired]}{DELETE}{LABELS[i2 - 1]}\n")
        elif i1 == i2 and i1:
            said(i1 - 1, INSERT, new[j1:j2])
        elif i1 == i2:  # above the first line
            said(0, LINE, (*new[j1:j2], old[0]))
    return "".join(out) or SILENT


def draft_answers(request: PromptRequest, edits: Sequence[Edit]) -> tuple[str, ...]:
    """Return likely answers to a request: `edits` within its region, and each of its lines as it is."""
    if request.continues:
        return ()
    region, document = request.region, request.document
    answers = [answer for edit in edits if (answer := _answer_for(document, region, edit)) is not None]
    return (*answers, _lettered(document, region, None))


def enclosing_lines(document: Snapshot, line: int) -> list[int]:
    """Return the lines that begin the blocks around a line, by indentation, the innermost first."""
    found: list[int] = []
    below = next((body for body in map(line_body, document.lines[line:]) if body.strip()), "")
    depth = len(below) - len(below.lstrip())
    while line > 0 and depth > 0 and len(found) < MAX_BLOCKS:
        line -= 1
        body = line_body(document.lines[line])
        indent = len(body) - len(body.lstrip())
        if body.strip() and indent < depth:
            depth = indent
            if body.lstrip()[0] not in "})]":
                found.append(line)
    return found


def _lettered(document: Snapshot, region: EditableRegion, cursor: int | None) -> str:
    """Return the region's lines, each with its letter; with the marker of the cursor, unless that is None."""
    lines = []
    for label, line in zip(LABELS, range(region.first, region.end), strict=False):
        body = line_body(document.lines[line])
        if cursor is not None and document.line_at(cursor) == line:
            column = min(cursor - document.starts[line], len(body))
            text = escape(body[:column], SPECIAL) + CURSOR + escape(body[column:], SPECIAL)
        else:
            text = escape(body, SPECIAL)
        lines.append(f"{label}{LINE}{text}\n")
    return "".join(lines)


def _edit(edit: PastEdit, uri: str, paths: PromptPaths, priority: float, name: str) -> FirstFitting:
    """Return the part of a closed edit, shortened where it is too long."""
    old, new = (tuple(map(line_body, lines)) for lines in (edit.old, edit.new))
    lines: list[str] = []
    for i1, i2, j1, j2 in diff_lines(old, new):
        lines += [f"-{line}\n" for line in old[i1:i2]]
        lines += [f"+{line}\n" for line in new[j1:j2]]
    return _listed(edit, lines, uri, paths, priority, name)


def _growing(edit: PastEdit, uri: str, region: EditableRegion, paths: PromptPaths) -> FirstFitting:
    """Return the part of the open edit, without the lines in the region."""
    end = edit.line + len(edit.new)
    if edit.uri != uri or end < region.first or region.end <= edit.line:
        return _edit(edit, uri, paths, 1000, "growing edit")
    unseen = (
        *edit.new[: max(region.first - edit.line, 0)],
        *edit.new[max(region.end - edit.line, 0) :],
    )
    lines = [f"-{line_body(line)}\n" for line in edit.old] + [f"+{line_body(line)}\n" for line in unseen]
    return _listed(edit, lines, uri, paths, 1000, "growing edit")


def _listed(
    edit: PastEdit, lines: Sequence[str], uri: str, paths: PromptPaths, priority: float, name: str
) -> FirstFitting:
    head = HIST if edit.uri == uri else HIST + escape(paths.for_document(edit.uri), SPECIAL)
    texts = (
        f"{head}\n{escape(''.join(shown), SPECIAL)}"
        for shown in (lines, lines[:SHORT_EDIT], lines[: SHORT_EDIT // 2])
    )
    return FirstFitting((*dict.fromkeys(texts), ""), priority, name)


def _proposed(state: EditorState, region: EditableRegion) -> tuple[Text, ...]:
    """Return the parts of the proposed edits within the region."""
    answers = (_answer_for(state.document, region, edit) for edit in state.proposed)
    shown = [answer for answer in answers if answer is not None][:MAX_PROPOSED]
    return tuple(Text(RULE + answer, 1 / (2 + rank), f"rule {rank + 1}") for rank, answer in enumerate(shown))


def _answer_for(document: Snapshot, region: EditableRegion, edit: Edit) -> str | None:
    """Return the answer that makes an edit; None for an edit that reaches beyond the region."""
    new = region.bodies_after(document, edit)
    return None if new is None else write_answer(region.bodies(document), new)


def _region(document: Snapshot, cursor: int, limit: int, tokenizer: Tokenizer) -> EditableRegion:
    line, count = document.line_at(cursor), visible_line_count(document, cursor)
    first = max(line - REGION_ABOVE, 0) // REGION_GRID * REGION_GRID
    region = EditableRegion(first, min(first + REGION_LINES, count))
    costs = [count_within(tokenizer, f"A{LINE}{body}\n", limit) for body in region.bodies(document)]
    if sum(costs) <= limit:
        return region
    inner = grow_region(costs, EditableRegion(line - first, line - first + 1), limit)
    return EditableRegion(first + inner.first, first + inner.end)


class _Reader(LineReader):
    """A reader of changes, from top to bottom, that fills in the lines between them."""

    def __init__(self, request: PromptRequest, marks: AnswerMarkers) -> None:
        super().__init__(request, marks)
        self._next = 0  # the first line of the region that is not settled
        self._last = -1, False  # the last line that a change named, and whether lines were inserted behind it
        self._takes = False  # whether the last change goes on for several lines

    def _take(self, line: str) -> None:
        found = _OPERATION.match(line)
        if found is not None:
            self._operation(LABELS.index(found[1]), found[2], line[found.end() :])
        elif not self._takes and line.strip() and not line.startswith((END, SILENT)):
            self.refusal = AnswerRejection("malformed", "text outside of a change")
        elif self._takes or line.strip():
            super()._take(line)
        if self.ended and self.refusal is None:
            self._keep_up_to(len(self._old))

    def _operation(self, label: int, marker: str, rest: str) -> None:
        at = label, marker == INSERT
        if label >= len(self._old) or at <= self._last:
            self.refusal = AnswerRejection("malformed", f"line {LABELS[label]} of {len(self._old)} lines")
            return
        self._last = at
        self._takes = marker != DELETE
        if marker == INSERT:
            self._keep_up_to(label + 1)
            super()._take(rest)
            return
        self._keep_up_to(label)
        self._next = label + 1
        if marker == LINE:
            super()._take(rest)
            return
        rest, ended, _ = rest.partition(END)
        end = LABELS.find(rest) if len(rest) == 1 else -1
        if not label <= end < len(self._old):
            self.refusal = AnswerRejection("malformed", f"lines {LABELS[label]} to {rest[:9]!r}")
            return
        self.ended = bool(ended)
        self._last = end, False
        self._next = end + 1

    def _keep_up_to(self, line: int) -> None:
        self._lines += self._old[self._next : line]
        self._next = max(self._next, line)

    def _answer(self) -> ParsedEdit | AnswerRejection:
        if self._last[0] < 0:
            return AnswerRejection("empty")
        self._keep_up_to(len(self._old))
        return region_edit(self._request.document, self._request.region, self._lines)


EDITAHEAD_LINES = EditaheadLinesFormat()
