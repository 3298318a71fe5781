"""Zeta (`zed-industries/zeta`, Qwen2.5-Coder-7B): an instruction, the edits, an excerpt with an editable region.

Source: Zed's `zeta_prompt.rs`, module `zeta1`, read 2026-07; Zeta was published in February 2025. Plain completion. The
answer is the region between its markers; the first one is often left out. Sizes in Zed's tokens: region 350, context 150.

Prompt of the example state in the tests, without the instruction:

    ### User Edits:

    User edited "shop/cart.py":
    ```diff
    @@ -1,5 +1,5 @@
     import money

    -def total(items):
    +def total(items, tax):
         price = sum(items)
         return money.euro(price)
    ```

    ### User Excerpt:

    ```shop/cart.py
    <|start_of_file|>
    <|editable_region_start|>
    import money

    def total(items, tax):<|user_cursor_is_here|>
        price = sum(items)
        return money.euro(price)
    <|editable_region_end|>
    ```

    ### Response:

Answer:

    <|editable_region_start|>
    import money

    def total(items, tax):
        price = sum(items) * (1 + tax)
        return money.euro(price)
    <|editable_region_end|>
"""

from __future__ import annotations

from dataclasses import dataclass

from editahead_prompts.composition.parts import Group, Text
from editahead_prompts.composition.render import render
from editahead_prompts.composition.tokenizers import Tokenizer
from editahead_prompts.formats.answer_reader import AnswerMarkers, LineReader
from editahead_prompts.formats.base import NO_ROOTS, PromptPaths, PromptRequest
from editahead_prompts.formats.escaping import escape
from editahead_prompts.formats.excerpts import excerpt, excerpt_with_cursor
from editahead_prompts.formats.history_events import HistoryEvent, history_events, to_unified_diff
from editahead_prompts.formats.special_tokens import QWEN
from editahead_prompts.formats.windows import pin_window, zed_windows
from editahead_prompts.state import EditorState

START_OF_FILE = "<|start_of_file|>"
REGION_START = "<|editable_region_start|>"
REGION_END = "<|editable_region_end|>"
CURSOR = "<|user_cursor_is_here|>"
SPECIAL = (START_OF_FILE, REGION_START, REGION_END, CURSOR, *QWEN)

INSTRUCTION = (
    "### Instruction:\n"
    "You are a code completion assistant and your task is to analyze user edits and then rewrite an excerpt that the user "
    "provides, suggesting the appropriate edits within the excerpt, taking into account the cursor location.\n\n"
)

REGION_TOKENS = 350
CONTEXT_TOKENS = 150
MAX_EVENTS = 6


@dataclass(frozen=True, slots=True)
class Zeta1Format:
    """The format of Zeta; see the module."""

    name: str = "zeta-1"
    shows_related_code: bool = False
    special_tokens: tuple[str, ...] = SPECIAL
    context: int = 4096
    max_tokens: int = 2048

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
        path = escape(paths.for_document(document.uri), SPECIAL)
        shown = (
            f"```{path}\n"
            + (f"{START_OF_FILE}\n" if context.first == 0 else "")
            + excerpt(document, context.first, region.first, SPECIAL)
            + f"{REGION_START}\n{excerpt_with_cursor(document, region, cursor, CURSOR, SPECIAL)}{REGION_END}\n"
            + excerpt(document, region.end, context.end, SPECIAL)
            + "```\n\n"
        )
        past = history_events(state)[-MAX_EVENTS:]
        newest = len(past) - 1
        edits = tuple(
            Text(self._event(event, paths) + ("" if n == newest else "\n\n"), 1 + n, f"edit {n - newest}")
            for n, event in enumerate(past)
        )
        parts = (
            Text(INSTRUCTION, name="instruction"),
            Text("### User Edits:\n\n", name="edits header"),
            Group(edits, name="edits"),
            Text("\n\n### User Excerpt:\n\n", name="excerpt header"),
            Text(shown, name="excerpt"),
            Text("### Response:\n", name="response header"),
        )
        prompt = render(Group(parts), budget or self.context, tokenizer)
        return PromptRequest(prompt, (f"\n{REGION_END}",), self.max_tokens, document, region, cursor)

    def _event(self, event: HistoryEvent, paths: PromptPaths) -> str:
        path = escape(paths.for_document(event.edit.uri), SPECIAL)
        return f'User edited "{path}":\n```diff\n{escape(to_unified_diff(event), SPECIAL)}```'

    def make_reader(self, request: PromptRequest) -> LineReader:
        return _Reader(request, AnswerMarkers((REGION_END,), SPECIAL, CURSOR))


class _Reader(LineReader):
    """A reader of a region whose last line end belongs to the stop string."""

    def _line(self, line: str) -> None:
        if not self._lines and line == REGION_START:
            return
        self._take(line)

    def _rest(self, text: str) -> None:
        if self._lines or text != REGION_START:
            self._take(text)


ZETA_1 = Zeta1Format()
