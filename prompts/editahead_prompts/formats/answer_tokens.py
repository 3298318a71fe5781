"""Token ids of answers in Editahead's own formats, with a mark for the tokens that express a change."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from editahead_prompts.composition.hf_tokenizer import HfTokenizer
from editahead_prompts.text.diff import diff_lines

from .escaping import escape
from .next_edit import editahead_2611 as region_format
from .next_edit import editahead_lines_2611 as lines_format

AnswerTokens: TypeAlias = tuple[tuple[int, ...], tuple[bool, ...]]
"""The token ids of an answer, its end marker included, and for each id whether it expresses a change."""


@dataclass(frozen=True, slots=True)
class AnswerWriter:
    """The answers of a format that says silence.

    Attributes:
        write: Returns the tokens of the answer that replaces the region's lines by others, both without line ends, in
            the tokens of a model's vocabulary.
        silence: The answer that changes nothing, its end marker included.
    """

    write: Callable[[Sequence[str], Sequence[str], HfTokenizer], AnswerTokens]
    silence: str


def _write_region(old: Sequence[str], new: Sequence[str], vocabulary: HfTokenizer) -> AnswerTokens:
    """Return the tokens of the whole region as it becomes.

    The tokens of a new line and of the line after a change express a change: the latter says that the change ends or that
    lines are deleted. A line end counts with the line before it, and the indentation after it with the next line.
    """
    changed = {len(new)}
    for _, _, first, end in diff_lines(tuple(old), tuple(new)):
        changed.update(range(first, end + 1))
    text = escape("".join(f"{line}\n" for line in new), region_format.SPECIAL)
    encoded = vocabulary.encoder.encode(text + region_format.REGION_END, add_special_tokens=False)
    tells: list[bool] = []
    line = at = 0
    for _, end in encoded.offsets:
        line, at = line + text.count("\n", at, end - 1), max(end - 1, at)
        tells.append(line in changed)
    return tuple(encoded.ids), tuple(tells)


def _write_changes(old: Sequence[str], new: Sequence[str], vocabulary: HfTokenizer) -> AnswerTokens:
    """Return the tokens of the changed lines, all of which express a change."""
    ids = vocabulary.encode(lines_format.write_answer(old, new) + lines_format.END)
    return ids, (True,) * len(ids)


ANSWER_WRITERS: Mapping[str, AnswerWriter] = {
    region_format.EDITAHEAD.name: AnswerWriter(
        _write_region, region_format.SILENT + region_format.REGION_END
    ),
    lines_format.EDITAHEAD_LINES.name: AnswerWriter(_write_changes, lines_format.SILENT + lines_format.END),
}
"""The writers of answers, by the format's name."""
