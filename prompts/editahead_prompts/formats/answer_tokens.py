"""The answer to our own formats as tokens, and which of them say what changes."""

from __future__ import annotations

from collections.abc import Sequence

from editahead_prompts.composition.hf_tokenizer import HfTokenizer
from editahead_prompts.text.diff import diff_lines

from .escaping import escape
from .next_edit.editahead_2611 import REGION_END, SPECIAL


def answer_token_ids(
    old: Sequence[str], new: Sequence[str], vocabulary: HfTokenizer
) -> tuple[tuple[int, ...], tuple[bool, ...]]:
    """The ids that rewrite a region's lines (without line ends) as `new`, the mark of its end included; then, for each,
    whether it tells of a change.

    So do the tokens of lines that do not stand there so already, and of the line behind a change: there it is said that the
    change ends, or that lines go. A line end counts with the line that it ends, the indentation behind it with the next.
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
