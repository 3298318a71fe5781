"""Edits whose ends LSP positions can express: none splits a line end, or a letter from its accents."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from editahead_prompts.text.affixes import common_affixes
from editahead_prompts.text.edits import Edit, Replacement, normalise
from editahead_prompts.text.scripts import whole_letters


def position_safe_replacements(edit: Edit, text: str) -> list[Replacement]:
    """Return an edit as replacements whose ends LSP positions can express."""
    found = [_between_ends(r, text) for r in normalise(edit, text).replacements]
    if any(a.end > b.start for a, b in pairwise(found)):
        return [covering_replacement(edit, text)]
    return found


def covering_replacement(edit: Edit, text: str) -> Replacement:
    """Return an edit as one replacement that repeats the unchanged text in between, as short as possible."""
    start, end = edit.changed_span
    new = "".join(_interleaved(edit, text))
    old = text[start:end]
    head, tail = common_affixes(old, new)
    return _between_ends(Replacement(start + head, end - tail, new[head : len(new) - tail]), text)


def _interleaved(edit: Edit, text: str) -> Sequence[str]:
    out: list[str] = []
    at = edit.changed_span[0]
    for r in edit.replacements:
        out += (text[at : r.start], r.text)
        at = r.end
    return out


def _between_ends(r: Replacement, text: str) -> Replacement:
    """Extend a replacement that splits a CR LF, as no LSP position lies between the two, or a letter and its accents."""
    start, end = whole_letters(text, r.start, r.end)
    r = Replacement(start, end, text[start : r.start] + r.text + text[r.end : end])
    if splits_line_end(text, r.start):
        r = Replacement(r.start - 1, r.end, "\r" + r.text)
    if splits_line_end(text, r.end):
        r = Replacement(r.start, r.end + 1, r.text + "\n")
    return r


def splits_line_end(text: str, offset: int) -> bool:
    """Return whether an offset is between the CR and the LF of a line end."""
    return 0 < offset < len(text) and text[offset - 1] == "\r" and text[offset] == "\n"
