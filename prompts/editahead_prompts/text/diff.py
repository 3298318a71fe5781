"""Differences between two texts: hunks of lines, and edits of whole tokens.

Lines are matched first, then tokens inside the changed blocks of lines, so that a changed identifier is
replaced as a whole and an edit reads as if typed by hand.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher

from rapidfuzz.distance import LCSseq

from .affixes import common_affixes, common_prefix_length, common_suffix_length
from .edits import Edit, Replacement
from .snapshot import split_lines
from .word_patterns import WordPattern

MAX_WORK = 1_500
"""Limit of old items plus pairs of equal items for difflib, whose hunks read best but whose time may be quadratic."""

MAX_CELLS = 50_000_000
"""Limit of old items times new items for the bit-parallel match. Above, all of the text is one replaced block."""

_TOKEN = WordPattern(r"\w+|\r\n|[\r\n]|[^\S\r\n]+|[^\w\s]")

Span = tuple[int, int, int, int]


def diff(old: str, new: str) -> Edit:
    r"""Return a small edit of whole tokens with `diff(old, new).apply(old) == new`.

    A token is an identifier or number, a line end, a run of other white space, or one other character. Where
    only white space differs, only the differing part of it is replaced. A `\r\n` is never split: no editor
    can address its middle.
    """
    if old == new:
        return Edit()
    head, tail = _shared_lines(old, new)
    old_lines = split_lines(old[head : len(old) - tail])
    new_lines = split_lines(new[head : len(new) - tail])
    out: list[Replacement] = []
    at, line = head, 0
    for i1, i2, j1, j2 in diff_lines(old_lines, new_lines):
        at += sum(map(len, old_lines[line:i1]))
        out += _diff_tokens("".join(old_lines[i1:i2]), "".join(new_lines[j1:j2]), at)
        line = i1
    return Edit(tuple(out))


def diff_lines(old: Sequence[str], new: Sequence[str]) -> list[Span]:
    """Return the hunks `(i1, i2, j1, j2)`: `old[i1:i2]` became `new[j1:j2]`.

    The hunks are sorted, and the lines between two hunks are equal.
    """
    return _hunks(tuple(old), tuple(new))


def _hunks(old: tuple[str, ...], new: tuple[str, ...]) -> list[Span]:
    head, tail = common_affixes(old, new)
    old, new = old[head : len(old) - tail], new[head : len(new) - tail]
    if not old and not new:
        return []
    if not old or not new:
        return [(head, head + len(old), head, head + len(new))]
    return [(i1 + head, i2 + head, j1 + head, j2 + head) for i1, i2, j1, j2 in _match(old, new)]


def _match(old: tuple[str, ...], new: tuple[str, ...]) -> list[Span]:
    whole = [(0, len(old), 0, len(new))]
    here, there = Counter(old), Counter(new)
    pairs = sum(count * there[item] for item, count in here.items())
    if pairs == 0:
        return whole
    if len(old) + pairs <= MAX_WORK:
        codes = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
        return [(i1, i2, j1, j2) for tag, i1, i2, j1, j2 in codes if tag != "equal"]
    if len(old) * len(new) > MAX_CELLS:
        return whole
    out: list[Span] = []
    for op in LCSseq.opcodes(old, new):
        i1, i2, j1, j2 = op.src_start, op.src_end, op.dest_start, op.dest_end
        if op.tag == "equal":
            # LCSseq compares items by their hashes, and two different items may share a hash.
            if old[i1:i2] != new[j1:j2]:
                return whole
        elif out and out[-1][1] == i1 and out[-1][3] == j1:
            out[-1] = (out[-1][0], i2, out[-1][2], j2)
        else:
            out.append((i1, i2, j1, j2))
    return out


def _shared_lines(old: str, new: str) -> tuple[int, int]:
    """Return the lengths, in characters, of the common first and last whole lines, without overlap."""
    head = common_prefix_length(old, new)
    head = old.rfind("\n", 0, head) + 1
    tail = common_suffix_length(old, new, min(len(old), len(new)) - head)
    end = old.find("\n", len(old) - tail)
    return head, len(old) - end - 1 if end >= 0 else 0


def _diff_tokens(old: str, new: str, at: int) -> list[Replacement]:
    """Return replacements of tokens that turn `old`, which begins at the offset `at`, into `new`."""
    a, b = tuple(_TOKEN.findall(old)), tuple(_TOKEN.findall(new))
    out: list[Replacement] = []
    start, item = at, 0
    for i1, i2, j1, j2 in _hunks(a, b):
        start += sum(map(len, a[item:i1]))
        deleted, inserted = "".join(a[i1:i2]), "".join(b[j1:j2])
        out.append(_narrowed(start, deleted, inserted))
        item = i1
    return out


def _narrowed(start: int, old: str, new: str) -> Replacement:
    """Return the replacement of `old` by `new`, narrowed to the differing part for white space within a line."""
    end = start + len(old)
    if old.isspace() and new.isspace() and not set("\r\n") & set(old + new):
        head, tail = common_affixes(old, new)
        return Replacement(start + head, end - tail, new[head : len(new) - tail])
    return Replacement(start, end, new)
