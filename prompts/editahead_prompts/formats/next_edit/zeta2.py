"""Zeta 2 (`zed-industries/zeta-2`, Seed-Coder-8B-Base): the suffix first, and conflict markers around the region.

Source: Zed's `zeta_prompt.rs`, module `seed_coder` (`V0211SeedCoder`), read 2026-07; published in February 2026. Plain
completion. Zed refuses a text that holds one of the tokens, here it is escaped. Zed sends no stop string; the end marker
is one. Budget: nine tenths of 4,096 tokens; around the cursor first, then edits, newest first, then other files.

Prompt of the example state in the tests:

    <[fim-suffix]>
    <[fim-prefix]><filename>edit_history
    --- a/shop/cart.py
    +++ b/shop/cart.py
    @@ -1,5 +1,5 @@
     import money

    -def total(items):
    +def total(items, tax):
         price = sum(items)
         return money.euro(price)

    <filename>shop/cart.py
    <<<<<<< CURRENT
    import money

    def total(items, tax):<|user_cursor|>
        price = sum(items)
        return money.euro(price)
    =======
    <[fim-middle]>

Answer:

    import money

    def total(items, tax):
        price = sum(items) * (1 + tax)<|user_cursor|>
        return money.euro(price)
    >>>>>>> UPDATED
"""

from __future__ import annotations

from dataclasses import dataclass

from editahead_prompts.composition.parts import Group, Text
from editahead_prompts.composition.render import Prompt, render
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
from editahead_prompts.formats.history_events import HistoryEvent, history_events, to_unified_diff
from editahead_prompts.formats.special_tokens import SEED_CODER
from editahead_prompts.formats.windows import pin_window, zed_windows
from editahead_prompts.state import EditorState

SUFFIX, PREFIX, MIDDLE = "<[fim-suffix]>", "<[fim-prefix]>", "<[fim-middle]>"
FILE = "<filename>"
CURSOR = "<|user_cursor|>"
END_OF_SENTENCE = "<[end▁of▁sentence]>"
TOKENS = (SUFFIX, PREFIX, MIDDLE, FILE, CURSOR, END_OF_SENTENCE)
CURRENT, SEPARATOR, UPDATED = "<<<<<<< CURRENT", "=======", ">>>>>>> UPDATED"
SPECIAL = (*TOKENS, *SEED_CODER, CURRENT, SEPARATOR, UPDATED[1:])
"""Special tokens. The end marker lacks its first sign, which the ">" of a preceding cursor marker would complete."""

REGION_TOKENS = 350
CONTEXT_TOKENS = 150
MAX_EVENTS = 6


@dataclass(frozen=True, slots=True)
class Zeta2Format:
    """The format of Zeta 2; see the module."""

    name: str = "zeta-2"
    shows_related_code: bool = True
    special_tokens: tuple[str, ...] = SPECIAL
    context: int = 4096 * 9 // 10
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
        current = excerpt_with_cursor(document, region, cursor, CURSOR, SPECIAL)
        section = f"{CURRENT}\n{current}{SEPARATOR}\n"
        prompt = around(state, region, context, section, SPECIAL, tokenizer, budget or self.context, paths)
        return PromptRequest(prompt, (UPDATED,), self.max_tokens, document, region, cursor)

    def make_reader(self, request: PromptRequest) -> LineReader:
        return LineReader(request, AnswerMarkers((UPDATED, END_OF_SENTENCE), SPECIAL, CURSOR))


def around(
    state: EditorState,
    region: EditableRegion,
    context: EditableRegion,
    section: str,
    special: tuple[str, ...],
    tokenizer: Tokenizer,
    budget: int,
    paths: PromptPaths,
) -> Prompt:
    """Render the prompt of Zeta 2 and its successors, which differ in the `section` that shows the region."""
    document = state.document
    path = escape(paths.for_document(document.uri), special)
    past = history_events(state)[-MAX_EVENTS:]
    edits = tuple(
        Text(_event(event, special, paths), 1 + n, f"edit {n + 1 - len(past)}")
        for n, event in enumerate(past)
    )
    snippet = FILE + "{path}\n{text}{more}"
    parts = (
        Text(SUFFIX + (excerpt(document, region.end, context.end, special) or "\n"), name="suffix"),
        Text(PREFIX, name="prefix token"),
        Group(
            (
                *other_document_parts(state, paths, special, snippet),
                related_code_group(state, paths, special, snippet, budget),
            ),
            name="files",
            after="\n",
        ),
        Group(edits, name="edits", before=f"{FILE}edit_history\n", after="\n"),
        Text(f"{FILE}{path}\n{excerpt(document, context.first, region.first, special)}", name="prefix"),
        Text(section, name="region"),
        Text(MIDDLE, name="middle token"),
    )
    return render(Group(parts), budget, tokenizer)


def _event(event: HistoryEvent, special: tuple[str, ...], paths: PromptPaths) -> str:
    path = paths.for_document(event.edit.uri)
    accepted = "// User accepted prediction:\n" if event.edit.origin == "accepted" else ""
    return accepted + escape(f"--- a/{path}\n+++ b/{path}\n{to_unified_diff(event)}", special)


ZETA_2 = Zeta2Format()
