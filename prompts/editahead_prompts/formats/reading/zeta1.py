"""The reader of the prompts of Zeta 1."""

from __future__ import annotations

import re

from editahead_prompts.formats.next_edit.zeta1 import (
    CURSOR,
    REGION_END,
    REGION_START,
    SPECIAL,
    START_OF_FILE,
    ZETA_1,
)
from editahead_prompts.state import EditorState

from .base import PromptTexts, ReadPrompt, between, make_excerpt, region_writer, unchanged_lines
from .past_edits import read_diffs, with_history

_EDITS, _EXCERPT, _RESPONSE = "### User Edits:\n", "\n### User Excerpt:\n", "### Response:"
_EVENT = re.compile(
    r'^User edited "?([^\n]*?)"?:\n```diff\n((?:(?!```$|User edited )[^\n]*\n)*)```$', re.MULTILINE
)
"""An event. It ends before the next, so that one without an end costs no search to the end of the prompt."""


def read_zeta1(prompt: str) -> ReadPrompt | None:
    """Return what a prompt of Zeta 1 says; None for another prompt.

    Raises:
        UnreadablePromptError: A part of it is missing.
    """
    if REGION_START not in prompt or _EXCERPT not in prompt:
        return None
    texts = PromptTexts.of_prompt(prompt, SPECIAL)
    _, inner, _ = between(prompt, _EDITS, _RESPONSE)
    edits, _, shown = inner.partition(_EXCERPT)
    head, _, body = between(shown, "```", "```")[1].partition("\n")
    above, region, below = between(body, f"{REGION_START}\n", f"\n{REGION_END}")
    above = above.removeprefix(f"{START_OF_FILE}\n")
    path = texts.read(head)
    excerpt = make_excerpt(texts, path, (above, f"{region}\n", below.removeprefix("\n")), CURSOR)
    changes = [
        change
        for event in _EVENT.finditer(edits)
        for change in read_diffs(texts.read(event[2].removesuffix("\n")), texts.read(event[1]))
    ]

    def write(lines: tuple[str, ...]) -> str:
        return f"{REGION_START}\n" + "\n".join(lines) + f"\n{REGION_END}\n"

    state = with_history(EditorState(excerpt.document, excerpt.cursor), changes)
    nothing = write(unchanged_lines(texts, excerpt))
    return ReadPrompt(ZETA_1.name, state, excerpt.region, region_writer(texts, excerpt, write), nothing)
