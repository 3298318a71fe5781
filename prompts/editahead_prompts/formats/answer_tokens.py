"""Token ids of answers in the format `editahead`, with a mark for the tokens that express a change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from editahead_prompts.composition.hf_tokenizer import HfTokenizer
from editahead_prompts.text.diff import diff_lines

from .escaping import escape
from .next_edit.editahead_2611 import REGION_END, SPECIAL

AnswerTokens: TypeAlias = tuple[tuple[int, ...], tuple[bool, ...]]
"""The token ids of an answer, its end marker included, and for each id whether it expresses a change."""


def write_region(old: Sequence[str], new: Sequence[str], vocabulary: HfTokenizer) -> AnswerTokens:
    """Return the tokens of the whole region as it becomes, in the tokens of a model's vocabulary.

    The tokens of a new line and of the line after a change express a change: the latter says that the change ends or that
    lines are deleted. A line end counts with the line before it, and the indentation after it with the next line.
    """
    changed = {len(new)}
    for _, _, first, end in diff_lines(tuple(old), tuple(new)):
        changed.update(range(first, end + 1))
    text = escape("".join(f"{line}\n" for line in new), SPECIAL)
    encoded = vocabulary.encoder.encode(text + REGION_END, add_special_tokens=False)
    tells: list[bool] = []
    line = at = 0
    for _, end in encoded.offsets:
        line, at = line + text.count("\n", at, end - 1), max(end - 1, at)
        tells.append(line in changed)
    return tuple(encoded.ids), tuple(tells)
