"""Token ids of answers in Editahead's own formats, with a mark for the tokens that express a change."""

from __future__ import annotations

from collections.abc import Sequence

from editahead_prompts.composition.hf_tokenizer import HfTokenizer
from editahead_prompts.text.diff import diff_lines

from .escaping import escape
from .next_edit.editahead_2611 import REGION_END, SPECIAL


def answer_token_ids(
    old: Sequence[str], new: Sequence[str], vocabulary: HfTokenizer
) -> tuple[tuple[int, ...], tuple[bool, ...]]:
    """Return the token ids of an answer, its end marker included, and for each id whether it expresses a change.

    The tokens of a new line and of the line after a change express a change: the latter says that the change ends or that
    lines are deleted. A line end counts with the line before it, and the indentation after it with the next line.

    Args:
        old: The region's lines, without line ends.
        new: The lines that replace them, without line ends.
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
