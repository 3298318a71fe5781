"""The tag family of Mercury Coder and Copilot's next edit suggestions: chat, tags around all parts, a fenced answer.

Sources: cursortab's and Zed's Mercury providers and Inception's API, vscode-copilot-chat's `xtab` prompts (MIT), read
2026-07; recorded exchanges of Mercury from 2026-04. `MERCURY` is as recorded: one user message, no system message.
`INSTRUCT` is the same for general instruct models, such as Qwen3-Coder-30B-A3B-Instruct (a mixture of experts), which have
to be told what to do.

User message of the example state in the tests:

    <|recently_viewed_code_snippets|>
    <|/recently_viewed_code_snippets|>

    <|current_file_content|>
    current_file_path: shop/cart.py
    <|code_to_edit|>
    import money

    def total(items, tax):<|cursor|>
        price = sum(items)
        return money.euro(price)
    <|/code_to_edit|>
    <|/current_file_content|>

    <|edit_diff_history|>
    --- shop/cart.py
    +++ shop/cart.py
    @@ -1,5 +1,5 @@
     import money

    -def total(items):
    +def total(items, tax):
         price = sum(items)
         return money.euro(price)

    <|/edit_diff_history|>

Answer:

    ```
    import money

    def total(items, tax):
        price = sum(items) * (1 + tax)
        return money.euro(price)
    ```
"""

from __future__ import annotations

from dataclasses import dataclass

from editahead_prompts.composition.parts import Group, Text
from editahead_prompts.composition.render import render
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
from editahead_prompts.formats.diagnostics import diagnostics_in
from editahead_prompts.formats.escaping import escape
from editahead_prompts.formats.excerpts import excerpt_with_cursor, other_document_parts, related_code_group
from editahead_prompts.formats.history_events import HistoryEvent, history_events, to_unified_diff
from editahead_prompts.formats.special_tokens import DEEPSEEK, GEMMA, LLAMA, MISTRAL, QWEN
from editahead_prompts.formats.windows import (
    PinnedWindow,
    grow_region,
    parts_above,
    parts_below,
    pin_window,
    size_in_bytes,
    visible_line_count,
)
from editahead_prompts.state import EditorState
from editahead_prompts.text.snapshot import line_body

CURSOR = "<|cursor|>"
_TAGS = (
    *("recently_viewed_code_snippets", "recently_viewed_code_snippet", "current_file_content"),
    *("code_to_edit", "edit_diff_history", "diagnostics"),
)
SPECIAL = (
    CURSOR,
    *(f"<|{slash}{tag}|>" for tag in _TAGS for slash in ("", "/")),
    *(*QWEN, *LLAMA, *MISTRAL, *DEEPSEEK, *GEMMA),
)
FENCE = "```"
NOTHING = ("None", "NO_CHANGE", "NO_EDITS", "<NO_CHANGE>", "<NO_EDIT>")

SYSTEM = """\
You continue a programmer's work. You are given files that were read recently, the current file with the cursor \
(<|cursor|>), what tools say of its lines if they say anything, and the programmer's last edits, oldest first. Work out \
from them what the programmer will change next in the part between <|code_to_edit|> and <|/code_to_edit|>.

Answer with that whole part as it will be then, in one fenced code block, without the tags and the cursor and without any \
explanation. Keep all lines that do not change exactly as they are, indentation included. Do not undo the last edits. If \
nothing should change, answer only: None
"""


@dataclass(frozen=True, slots=True)
class MercuryFormat:
    """A format of the tag family; see the module.

    Attributes:
        region_bytes: The largest region, in UTF-8 bytes.
        max_events: Last edits that are shown.
        max_diagnostics: Diagnostics nearest to the cursor that are shown. No client of Mercury was seen to send any.
    """

    name: str = "mercury"
    shows_related_code: bool = True
    special_tokens: tuple[str, ...] = SPECIAL
    context: int = 8192
    max_tokens: int = 1024
    region_bytes: int = 450
    max_events: int = 25
    max_diagnostics: int = 0
    system: str | None = None

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
        region = self._region(pin, document.lines[document.line_at(cursor)])
        count = visible_line_count(document, cursor)
        room = (budget or self.context) - tokenizer.count(self.system or "")
        past = history_events(state)[-self.max_events :]
        edits = tuple(
            Text(self._event(event, paths), 1 + n, f"edit {n + 1 - len(past)}")
            for n, event in enumerate(past)
        )
        snippet = (
            "<|recently_viewed_code_snippet|>\ncode_snippet_file_path: {path}\n{text}"
            "<|/recently_viewed_code_snippet|>\n"
        )
        parts = (
            Text("<|recently_viewed_code_snippets|>\n", name="files start"),
            Group(other_document_parts(state, paths, SPECIAL, snippet), name="files"),
            related_code_group(state, paths, SPECIAL, snippet, room),
            Text("<|/recently_viewed_code_snippets|>\n\n<|current_file_content|>\n", name="files end"),
            Text(f"current_file_path: {escape(paths.for_document(document.uri), SPECIAL)}\n", name="path"),
            Group(parts_above(document, region.first, SPECIAL, room, top=0.9), name="above"),
            Text("<|code_to_edit|>\n", name="region start"),
            Text(excerpt_with_cursor(document, region, cursor, CURSOR, SPECIAL), name="region"),
            Text("<|/code_to_edit|>\n", name="region end"),
            Group(parts_below(document, region.end, count, SPECIAL, room, top=0.9), name="below"),
            Text("<|/current_file_content|>\n\n", name="file end"),
            Group(
                self._diagnostics(state, EditableRegion(0, count)),
                name="diagnostics",
                before="<|diagnostics|>\n",
                after="<|/diagnostics|>\n\n",
            ),
            Text("<|edit_diff_history|>\n", name="edits start"),
            Group(edits, name="edits"),
            Text("<|/edit_diff_history|>\n", name="edits end"),
        )
        prompt = render(Group(parts), room, tokenizer)
        return PromptRequest(
            prompt, (), self.max_tokens, document, region, cursor, system=self.system, chat=True
        )

    def _region(self, pin: PinnedWindow, now: str) -> EditableRegion:
        """Return the region around the cursor, whose line is now `now`."""
        here = pin.document.line_at(pin.cursor)
        start = max(here - self.region_bytes, 0)  # a line has a byte
        end = min(here + self.region_bytes, visible_line_count(pin.document, pin.cursor))
        sizes = [size_in_bytes(line) for line in pin.document.lines[start:end]]
        sizes[here - start] = size_in_bytes(now)
        found = grow_region(sizes, EditableRegion(here - start, here - start + 1), self.region_bytes)
        return pin.now(EditableRegion(start + found.first, start + found.end))

    def _diagnostics(self, state: EditorState, file: EditableRegion) -> tuple[Text, ...]:
        """Return the parts of diagnostics, each with the text of its line, because the prompt has no line numbers."""
        return tuple(
            Text(
                escape(f"{line_body(state.document.lines[line]).strip()}\n  {message}\n", SPECIAL),
                0.95,
                f"line {line + 1}",
            )
            for line, message in diagnostics_in(state, file, self.max_diagnostics)
        )

    def _event(self, event: HistoryEvent, paths: PromptPaths) -> str:
        path = paths.for_document(event.edit.uri)
        return escape(f"--- {path}\n+++ {path}\n{to_unified_diff(event)}\n", SPECIAL)

    def make_reader(self, request: PromptRequest) -> LineReader:
        return _Reader(request, AnswerMarkers((), SPECIAL, CURSOR, NOTHING))


class _Reader(LineReader):
    """A reader of the first fenced block. If the old text has fences itself, the last fence ends the block."""

    def __init__(self, request: PromptRequest, marks: AnswerMarkers) -> None:
        super().__init__(request, marks)
        self._inside = False
        self._fenced = any(line.startswith(FENCE) for line in self._old)
        self._maybe_end: list[str] = []

    def _line(self, line: str) -> None:
        if not self._inside:
            self._inside = line.startswith(FENCE)
            if not self._inside and line.strip() in NOTHING:
                self.refusal = AnswerRejection("no-edits", line.strip())
        elif line in ("<|code_to_edit|>", "<|/code_to_edit|>"):
            pass  # many models repeat the region's tags
        elif line.rstrip() != FENCE:
            for held in self._maybe_end:
                self._take(held)
            self._maybe_end = []
            self._take(line)
        elif self._fenced:
            for held in self._maybe_end:
                self._take(held)
            self._maybe_end = [line]
        else:
            self.ended = True

    def _rest(self, text: str) -> None:
        if text:
            self._line(text)
        self.ended |= bool(self._maybe_end)

    def _answer(self) -> ParsedEdit | AnswerRejection:
        if not self.ended:
            return AnswerRejection(
                "malformed", "the code block has no end" if self._inside else "no code block"
            )
        return super()._answer()


MERCURY = MercuryFormat()
INSTRUCT = MercuryFormat(name="instruct", region_bytes=1050, max_diagnostics=8, system=SYSTEM)
