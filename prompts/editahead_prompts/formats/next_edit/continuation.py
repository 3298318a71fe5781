"""The rest of a line that is being typed, for models that have read code from left to right.

The prompt is the text up to the cursor, and nothing else, as in the first training of a model. The answer is the rest of the
line; it ends where the model is no longer sure of it.
"""

from __future__ import annotations

import re

from editahead_prompts.composition.parts import Group, Text
from editahead_prompts.composition.render import render
from editahead_prompts.composition.tokenizers import Tokenizer
from editahead_prompts.formats.base import AnswerRejection, EditableRegion, Finish, ParsedEdit, PromptRequest
from editahead_prompts.formats.escaping import escape
from editahead_prompts.formats.excerpts import split_cursor_line
from editahead_prompts.formats.windows import parts_above
from editahead_prompts.state import EditorState
from editahead_prompts.text.edits import Edit

from .fim import FimReader

MAX_TOKENS = 16
MIN_CHARS = 2
"""Characters of the shortest rest: to take one character costs a key, as typing it does."""
_CLOSERS = re.compile(r"""[\s)\]}>"'`;,:]*""")


def types_line_end(state: EditorState) -> bool:
    """Return whether the user is typing, with nothing but closing marks behind the cursor in its line."""
    document, cursor = state.document, state.cursor
    last = state.history[-1] if state.history else None
    if last is None or not last.open or last.erases or last.uri != document.uri:
        return False
    if not last.line <= document.line_at(cursor) < last.line + max(len(last.new), 1):
        return False
    return _CLOSERS.fullmatch(split_cursor_line(document, cursor)[1]) is not None


def build_continuation(
    state: EditorState, tokenizer: Tokenizer, room: int, special: tuple[str, ...]
) -> PromptRequest:
    """Return the request for the rest of the cursor's line.

    Args:
        state: A state of which `types_line_end` is true.
        tokenizer: Counts the prompt's tokens.
        room: The most tokens of the prompt.
        special: The model's special tokens.

    Raises:
        PromptTooLongError: The cursor's line alone has more tokens.
    """
    document, cursor = state.document, state.cursor
    line = document.line_at(cursor)
    before = escape(split_cursor_line(document, cursor)[0], special)
    above = Group(parts_above(document, line, special, room), name="above")
    prompt = render(Group((above, Text(before, name="before the cursor"))), room, tokenizer)
    region = EditableRegion(line, line + 1)
    return PromptRequest(
        prompt, ("\n",), MAX_TOKENS, document, region, cursor, prefill=before, continues=True
    )


class ContinuationReader(FimReader):
    """A reader of the rest of a line, without the closing marks that are behind the cursor already.

    An answer that was cut off is a shorter rest.
    """

    def finish(self, reason: Finish = "stop") -> ParsedEdit | AnswerRejection:
        found = super().finish("stop")
        if not isinstance(found, ParsedEdit):
            return found
        document, cursor = self._request.document, self._request.cursor
        text = "".join(replacement.text for replacement in found.edit.replacements)
        rest = without_tail(text, split_cursor_line(document, cursor)[1].strip())
        if len(rest) < MIN_CHARS or "\n" in rest:
            return AnswerRejection("empty")
        return ParsedEdit(Edit.replace(cursor, cursor, rest), cursor + len(rest))


def without_tail(text: str, tail: str) -> str:
    """Return a continuation up to where it says the text behind the cursor again: closing marks that it did not open.

    A tail with other text in it is left alone: the continuation may well say a closing mark before it.
    """
    if not tail or not _CLOSERS.fullmatch(tail):
        return text
    depth = 0
    for at, char in enumerate(text):
        if char == tail[0] and depth == 0:
            return text[:at]
        depth += char in "([{"
        depth -= char in ")]}" and depth > 0
    return text
