"""Editahead's format for code models with fill-in-the-middle tokens: one prompt for two questions.

Source: this project, 2026-11; the model is an adapter of Qwen2.5-Coder, whose tokens are used (arXiv 2409.12186). In order:

1. the file's path;
2. closed edits, oldest first, as lines taken away and added, with the path where it is another file's;
3. the text behind the cursor, then the text up to the cursor, both cut at a line's border.

Nothing follows where the model is to go on with the text. For the next edit, the open edit and a token that asks for it
follow, and the answer is one hunk. The text up to the cursor is last, so a key appends a token or two. While a person types,
the window stays as it was in the request before, and the prompt changes only at its end.

Prompt of the example state in the tests; for the next edit, the last three lines follow:

    <|file_sep|>shop/cart.py
    <|fim_suffix|>
        price = sum(items)
        return money.euro(price)
    <|fim_prefix|>import money

    def total(items, tax):<|fim_pad|>-def total(items):
    +def total(items, tax):
    <|fim_middle|>

Answer:

    -    price = sum(items)
    +    price = sum(items) * (1 + tax)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, takewhile

from editahead_prompts.composition.parts import Group, Part, Text, TokenBoundary
from editahead_prompts.composition.render import Prompt, render
from editahead_prompts.composition.token_cuts import cut_to_first_lines, cut_to_last_lines
from editahead_prompts.composition.tokenizers import Tokenizer
from editahead_prompts.errors import PromptTooLongError
from editahead_prompts.formats.answer_reader import AnswerMarkers, LineReader
from editahead_prompts.formats.base import (
    NO_ROOTS,
    AnswerRejection,
    EditableRegion,
    Finish,
    ParsedEdit,
    PromptPaths,
    PromptRequest,
    PromptWindow,
)
from editahead_prompts.formats.escaping import escape
from editahead_prompts.formats.excerpts import split_cursor_line
from editahead_prompts.formats.special_tokens import QWEN
from editahead_prompts.state import EditorState, PastEdit
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot, line_body

from .continuation import types_line_end, without_tail
from .fim import FimReader
from .hunk_answer import HunkReader, repeated_lines, write_hunk
from .typed_middle import types_line_middle

FILE, EDIT, SUFFIX, PREFIX = "<|file_sep|>", "<|repo_name|>", "<|fim_suffix|>", "<|fim_prefix|>"
OPEN, NEXT, END = "<|fim_pad|>", "<|fim_middle|>", "<|endoftext|>"
SPECIAL = QWEN

EDITS_SHARE, OPEN_SHARE, SUFFIX_SHARE, MIN_SUFFIX_SHARE = 0.28, 0.2, 0.36, 0.3
"""Shares of the budget: closed edits, the open edit; and of the rest, the text behind the cursor. Each side of the cursor
takes what the other leaves."""
MIN_OPEN_TOKENS = 60
"""Tokens that the open edit may have in the smallest prompt."""
SPARE_TOKENS = 40
"""Tokens that the text before the cursor may leave unused before the text behind it takes them."""
MAX_EDITS, MAX_EDIT_CHARS = 8, 200
"""Closed edits that are shown, and characters of each of their lines."""
EDIT_LINES, OPEN_LINES = (8, 4, 2), (10, 6, 4, 2)
"""Lines to which edits are shortened until they fit."""
REACH_CHARS = 6
"""Characters a token up to which text is looked at."""
GROWTH = 0.25
"""Share of the budget by which a prompt may grow while its window stays as it is."""
MAX_UNSEEN = 2
"""Edits that were closed after the window was cut, with which text is still continued. Before the next edit there may be one
of them: it is shown in the place of the open edit."""
CONTINUATION_TOKENS, EDIT_TOKENS = 96, 160
"""The most tokens of the two kinds of answers."""


def is_typing(state: EditorState) -> bool:
    """Return whether the request for a state is for the text that goes on at the cursor."""
    return types_line_end(state) or types_line_middle(state)


@dataclass(frozen=True, slots=True)
class EditaheadCoderFormat:
    """The format of two questions; see the module."""

    name: str = "editahead-coder"
    shows_related_code: bool = False
    special_tokens: tuple[str, ...] = SPECIAL
    context: int = 768

    def build(
        self,
        state: EditorState,
        tokenizer: Tokenizer,
        *,
        budget: int | None = None,
        paths: PromptPaths = NO_ROOTS,
        previous: PromptRequest | None = None,
    ) -> PromptRequest:
        """Build the request for the rest of the text that is being typed, else for the next edit; see `Format.build`."""
        build = self.build_continuation if is_typing(state) else self.build_next_edit
        return build(state, tokenizer, budget=budget, paths=paths, previous=previous)

    def build_continuation(
        self,
        state: EditorState,
        tokenizer: Tokenizer,
        *,
        budget: int | None = None,
        paths: PromptPaths = NO_ROOTS,
        previous: PromptRequest | None = None,
    ) -> PromptRequest:
        """Build the request for the text that goes on at the cursor.

        Args:
            state: The state.
            tokenizer: The model's tokenizer.
            budget: The most tokens of the prompt. By default `context`.
            paths: The names of documents.
            previous: The request before, either question. Its window stays where the text around it is the same, and
                the prompt may then have `GROWTH` more tokens than the budget.

        Raises:
            PromptTooLongError: The path and the special tokens alone have more tokens.
        """
        document, cursor = state.document, state.cursor
        context = _Context(state, tokenizer, paths, budget or self.context)
        window = context.keep(previous, "", MAX_UNSEEN) or context.cut("")
        line = document.line_at(cursor)
        return PromptRequest(
            prompt=context.render(window, ""),
            stop=(END,),
            max_tokens=CONTINUATION_TOKENS,
            document=document,
            region=EditableRegion(line, line + 1),
            cursor=cursor,
            prefill=escape(split_cursor_line(document, cursor)[0], SPECIAL),
            continues=True,
            window=window,
        )

    def build_next_edit(
        self,
        state: EditorState,
        tokenizer: Tokenizer,
        *,
        budget: int | None = None,
        paths: PromptPaths = NO_ROOTS,
        previous: PromptRequest | None = None,
    ) -> PromptRequest:
        """Build the request for the next edit among the lines that the prompt shows; see `build_continuation`."""
        context = _Context(state, tokenizer, paths, budget or self.context)
        open_edit = context.open_edit(previous)
        window = context.keep(previous, open_edit, 1 if open_edit and not context.is_open else 0)
        if window is None:
            open_edit = context.open_edit(None)
            window = context.cut(open_edit)
        return PromptRequest(
            prompt=context.render(window, open_edit + NEXT),
            stop=(END,),
            max_tokens=EDIT_TOKENS,
            document=state.document,
            region=shown_lines(state.document, state.cursor, window),
            cursor=state.cursor,
            window=window,
            calibrated=True,
        )

    def make_reader(self, request: PromptRequest) -> LineReader:
        marks = AnswerMarkers((END,), SPECIAL, nothing=())
        return _ContinuationReader(request, marks) if request.continues else HunkReader(request, marks)


@dataclass(frozen=True)
class _Context:
    """The parts of a prompt for a state."""

    state: EditorState
    tokenizer: Tokenizer
    paths: PromptPaths
    budget: int

    @cached_property
    def head(self) -> str:
        return f"{FILE}{escape(self.paths.for_document(self.state.document.uri), SPECIAL)}\n"

    @cached_property
    def room(self) -> int:
        """The tokens behind the head."""
        return self.budget - self.tokenizer.count(self.head)

    @cached_property
    def edits(self) -> str:
        """The closed edits that fit, from the newest back, oldest first."""
        left = int(self.room * EDITS_SHARE)
        shown: list[str] = []
        for edit in [edit for edit in self.state.history if not edit.open][: -MAX_EDITS - 1 : -1]:
            texts = (self._closed_edit(edit, limit) for limit in EDIT_LINES)
            fitting = next((text for text in texts if self.tokenizer.count(text) <= left), None)
            if fitting is None:
                break
            left -= self.tokenizer.count(fitting)
            shown.append(fitting)
        return "".join(reversed(shown))

    def _closed_edit(self, edit: PastEdit, limit: int) -> str:
        uri = self.state.document.uri
        path = "" if edit.uri == uri else escape(self.paths.for_document(edit.uri), SPECIAL)
        return f"{EDIT}{path}\n{_changed_lines(edit, limit)}"

    @cached_property
    def closed(self) -> tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...]:
        return tuple((edit.uri, edit.old, edit.new) for edit in self.state.history if not edit.open)

    @property
    def is_open(self) -> bool:
        """Whether the last edit is still open."""
        return bool(self.state.history) and self.state.history[-1].open

    def open_edit(self, previous: PromptRequest | None) -> str:
        """Return the edit that is still open, shortened; "" without one.

        Where the request before shows all closed edits but the last one, of this document, that one takes its place.
        """
        last = self.state.history[-1] if self.state.history else None
        if last is None:
            return ""
        is_unseen = (
            previous is not None and last.uri == self.state.document.uri and self._unseen(previous) == 1
        )
        if not last.open and not is_unseen:
            return ""
        limit = max(int(self.room * OPEN_SHARE), MIN_OPEN_TOKENS)
        text = ""
        for lines in OPEN_LINES:
            text = _changed_lines(last, lines)
            offsets = self.tokenizer.offsets(text)
            if len(offsets) <= limit:
                return OPEN + text
        return OPEN + text[: offsets[limit]]

    def _unseen(self, previous: PromptRequest) -> int | None:
        """Return how many edits were closed after the window of a request was cut; None if the edits before changed."""
        if previous.window is None:
            return None
        seen = previous.window.closed
        if not seen:
            return len(self.closed)
        for newer in range(MAX_UNSEEN + 1):
            rest = self.closed[: len(self.closed) - newer]
            if rest and rest[-len(seen) :] == seen[-len(rest) :]:
                return newer
        return None

    def keep(self, previous: PromptRequest | None, open_edit: str, max_unseen: int) -> PromptWindow | None:
        """Return the window of the request before around the present cursor.

        Args:
            previous: The request before.
            open_edit: The open edit, as the prompt shows it.
            max_unseen: The most edits that were closed since the window was cut.

        Returns:
            The window; None where the text around it or the edits have changed, or the prompt would be too long.
        """
        unseen = None if previous is None else self._unseen(previous)
        kept = None if previous is None or unseen is None or unseen > max_unseen else self._moved(previous)
        if kept is None:
            return None
        texts = self.head, kept.edits, SUFFIX, kept.behind, PREFIX, *kept.before, open_edit, NEXT
        return kept if sum(map(self.tokenizer.count, texts)) <= int(self.budget * (1 + GROWTH)) else None

    def _moved(self, previous: PromptRequest) -> PromptWindow | None:
        """Return the last window around the present cursor; None where the text around it has changed."""
        document, cursor = self.state.document, self.state.cursor
        was, window = previous.document, previous.window
        if window is None or window.first is None or was.uri != document.uri:
            return None
        line, first = document.line_at(cursor), window.first
        if was.lines[:first] != document.lines[:first]:
            first += len(document.lines) - len(was.lines)  # lines were inserted or taken away above it
            if first < 0 or document.lines[first : line + 1][:1] != was.lines[window.first :][:1]:
                return None
        if line < first:
            return None
        behind = _text(document, cursor, _start(document, line + window.behind.count("\n") + 1))
        if behind != window.behind and not (window.behind[-1:] == "\n" and behind.startswith(window.behind)):
            return None
        before = _text(document, document.starts[first], cursor)
        return replace(window, first=first, before=self._in_pieces(before, window.before))

    def _in_pieces(self, text: str, before: tuple[str, ...]) -> tuple[str, ...]:
        """Return the text before the cursor in pieces that are tokenized apart.

        An accepted prediction keeps the tokens that the model said. What is typed joins the last piece.
        """
        history = self.state.history
        settled = before if history and history[-1].origin == "accepted" else before[:-1]
        begins = list(takewhile(text.startswith, accumulate(settled)))
        rest = text[len(begins[-1]) :] if begins else text
        pieces = settled[: len(begins)]
        return (*pieces, rest) if rest or not pieces else pieces

    def cut(self, open_edit: str) -> PromptWindow:
        """Return the window that fits the budget.

        Raises:
            PromptTooLongError: The rest of the prompt has more tokens than the budget.
        """
        count = self.tokenizer.count
        rest = self.room - sum(map(count, (self.edits, open_edit, SUFFIX, PREFIX, NEXT)))
        if rest < 0:
            raise PromptTooLongError(
                f"the path and the edits: {self.budget - rest} tokens are needed, {self.budget} allowed"
            )
        behind = self._behind(int(rest * SUFFIX_SHARE))
        first, before = self._before(rest - count(behind))
        used, left = count(before), rest - count(behind)
        if count(behind) < rest * MIN_SUFFIX_SHARE or used < left - SPARE_TOKENS:
            behind = self._behind(rest - used)
        return PromptWindow(first, (before,), behind, self.edits, self.closed[-MAX_EDITS:])

    def _behind(self, room: int) -> str:
        """Return the text behind the cursor within a number of tokens."""
        document, cursor = self.state.document, self.state.cursor
        end = min(cursor + room * REACH_CHARS, document.length)
        if end < document.length:
            end = document.text.rfind("\n", cursor, end) + 1 or end
        return cut_to_first_lines(_text(document, cursor, end), room, self.tokenizer)

    def _before(self, room: int) -> tuple[int | None, str]:
        """Return the text up to the cursor within a number of tokens, and its first line; None where that is cut.

        Raises:
            PromptTooLongError: The cursor's line is far longer.
        """
        document, cursor = self.state.document, self.state.cursor
        start = max(cursor - room * REACH_CHARS, 0)
        if start:
            start = document.text.find("\n", start, cursor) + 1
            if not start:
                raise PromptTooLongError("the cursor's line is too long for a prompt")
        text = _text(document, start, cursor)
        shown = cut_to_last_lines(text, room, self.tokenizer)
        above = text[: len(text) - len(shown)] or document.text[:start][-1:]
        whole = not above or above[-1] in "\r\n"
        return document.line_at(cursor) - shown.count("\n") if whole else None, shown

    def render(self, window: PromptWindow, asked: str) -> Prompt:
        """Return the prompt with a window and a question."""
        pieces: list[Part] = []
        for text in window.before:
            pieces += (
                [TokenBoundary(), Text(text, name="before the cursor")]
                if pieces
                else [Text(text, name="before the cursor")]
            )
        parts = (
            Text(self.head, name="path"),
            Text(window.edits, name="edits"),
            Text(SUFFIX, name="suffix token"),
            Text(window.behind, name="behind the cursor"),
            Text(PREFIX, name="prefix token"),
            *pieces,
            Text(asked, name="question"),
        )
        return render(Group(parts), int(self.budget * (1 + GROWTH)), self.tokenizer)


def draft_answers(request: PromptRequest, edits: Sequence[Edit]) -> tuple[str, ...]:
    """Return likely answers to a request for the next edit, then texts of which answers repeat pieces."""
    if request.continues:
        return ()
    shown = [escape(line, SPECIAL) for line in request.region.bodies(request.document)]
    here = max(request.document.line_at(request.cursor) - request.region.first, 0)
    return (*write_answers(request, edits), *repeated_lines(shown, here))


def write_answers(request: PromptRequest, edits: Sequence[Edit]) -> tuple[str, ...]:
    """Return edits as answers to a request for the next edit; nothing for edits beyond the lines that the prompt shows."""
    region, document = request.region, request.document
    shown = region.bodies(document)
    made = (region.bodies_after(document, edit) for edit in edits)
    answers = (write_hunk(shown, new, SPECIAL, on_top=region.first == 0) for new in made if new is not None)
    return tuple(filter(None, answers))


def write_text_above(path: str, above: str) -> str:
    """Return the prompt for text below `above`, of which nothing else is known. Both are escaped."""
    return f"{FILE}{path}\n{SUFFIX}{PREFIX}{above}"


def shown_lines(document: Snapshot, cursor: int, window: PromptWindow) -> EditableRegion:
    """Return the lines that a window shows whole."""
    line = document.line_at(cursor)
    first = window.first
    if first is None:
        first = line - "".join(window.before).count("\n") + 1
    below = window.behind.count("\n")
    last = line_body(document.lines[line + below])
    rest = last if below else split_cursor_line(document, cursor)[1]
    is_whole = window.behind.endswith(escape(rest, SPECIAL)) and (bool(rest) or (not below and bool(last)))
    end = line + below + is_whole
    return EditableRegion(min(first, end), end)


def _changed_lines(edit: PastEdit, limit: int) -> str:
    """Return the lines of an edit, at most `limit` of them, half of them old."""
    old, new = ([line_body(line) for line in lines] for lines in (edit.old, edit.new))
    if len(old) + len(new) > limit:
        old = old[: limit // 2]
        new = new[: limit - len(old)]
    lines = [f"-{line}" for line in old] + [f"+{line}" for line in new]
    return "".join(f"{escape(line[:MAX_EDIT_CHARS], SPECIAL)}\n" for line in lines)


def _text(document: Snapshot, start: int, end: int) -> str:
    """Return the text between two offsets, escaped, with line feeds only."""
    text = document.text[start:end].replace("\r\n", "\n").replace("\r", "\n")
    return escape(text, SPECIAL)


def _start(document: Snapshot, line: int) -> int:
    """Return the offset of a line's first character; the document's length below the last line."""
    return document.starts[min(line, len(document.lines))]


class _ContinuationReader(FimReader):
    """A reader of the text that goes on at the cursor. Of an answer that was cut off, only whole lines count.

    The model has learned that an editor puts closing marks behind the cursor, and does not say them again. A last line
    end counts only where there is text behind the cursor in its line.
    """

    def _take(self, line: str) -> None:
        super()._take(line)
        if self.ended and line.startswith(END):
            self._rest("")

    def _rest(self, text: str) -> None:
        if text:
            self._take(text)
        elif split_cursor_line(self._request.document, self._request.cursor)[1]:
            self._lines.append("")

    def finish(self, reason: Finish = "stop") -> ParsedEdit | AnswerRejection:
        found = super().finish("stop")
        if not isinstance(found, ParsedEdit):
            return found
        document, cursor = self._request.document, self._request.cursor
        text = "".join(replacement.text for replacement in found.edit.replacements)
        if reason == "length" and not self.ended:
            text = text[: text.rfind(document.eol)] if document.eol in text else text
        text = without_tail(text, split_cursor_line(document, cursor)[1].strip())
        if not text.strip():
            return AnswerRejection("empty")
        return ParsedEdit(Edit.replace(cursor, cursor, text), cursor + len(text))


EDITAHEAD_CODER = EditaheadCoderFormat()
