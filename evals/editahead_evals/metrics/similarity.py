"""How close a shown edit comes to what the person made, where it is not simply right.

Two figures, both from 0 to 1. deltaChrF compares what two edits change, in character n-grams: it is what published
scores of next-edit models are made of (there from 0 to 100). The kept rate asks what the person would have kept.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from rapidfuzz.distance import LCSseq

from editahead_evals.data.commit_replay import Hunk

ORDERS = range(1, 7)
"""Lengths of the n-grams, in characters."""
BETA = 2
"""Weight of recall, as a multiple of the weight of precision."""

_TOKEN = re.compile(r"\w+|\s+|.")


def delta_chrf(expected: Sequence[Hunk], shown: Sequence[Hunk]) -> float:
    """Return the similarity of two edits of one text, from 0 to 1; 1 when they are equal except for white space.

    Precision and recall of the character n-grams that the edit inserts and deletes within the lines that it
    changes, as a mean over n = 1..6 where there are any; then F with beta = 2 (chrF: Popović 2015; here over
    differences). White space counts as one space.
    """
    precisions, recalls = [], []
    for n in ORDERS:
        wanted, made = _difference(expected, n), _difference(shown, n)
        if wanted or made:  # neither has any where both change less than n characters
            common = (wanted & made).total()
            precisions.append(common / made.total() if made else 0.0)
            recalls.append(common / wanted.total() if wanted else 0.0)
    if not precisions:
        return 1.0
    precision, recall = sum(precisions) / len(precisions), sum(recalls) / len(recalls)
    weighted = BETA**2 * precision + recall
    return (1 + BETA**2) * precision * recall / weighted if weighted else 0.0


def kept_characters(lines: Sequence[str], shown: Sequence[Hunk], made: Sequence[Hunk]) -> tuple[int, int]:
    """Return how many characters of a shown edit the user inserted or deleted at the same place, and their total.

    A three-way comparison by longest common subsequences of tokens: of the present text with the shown text,
    with the text that the user made by the hunks `made`, and of the insertions of both.
    """
    common = changed = 0
    for start, end in _places(shown, made):
        base, predicted, final = (_tokens(_with(lines, start, end, hunks)) for hunks in ((), shown, made))
        deleted, new = _edits(base, predicted)
        deleted_too, new_too = _edits(base, final)
        changed += sum(map(len, new)) + sum(len(base[at]) for at in deleted)
        alone, _ = _edits(new, new_too)
        common += sum(len(token) for at, token in enumerate(new) if at not in alone)
        common += sum(len(base[at]) for at in deleted & deleted_too)
    return common, changed


def _difference(hunks: Sequence[Hunk], n: int) -> Counter[tuple[bool, str]]:
    """Return the n-grams inserted (True) and deleted (False), each with the difference of its counts."""
    old = _ngrams([line for hunk in hunks for line in hunk.old], n)
    new = _ngrams([line for hunk in hunks for line in hunk.new], n)
    out = Counter({(True, gram): count for gram, count in (new - old).items()})
    out.update({(False, gram): count for gram, count in (old - new).items()})
    return out


def _ngrams(lines: Sequence[str], n: int) -> Counter[str]:
    text = " ".join(" ".join(lines).split())
    return Counter(text[at : at + n] for at in range(len(text) - n + 1))


def _places(shown: Sequence[Hunk], made: Sequence[Hunk]) -> list[tuple[int, int]]:
    """Return the lines of each shown change, widened over all hunks that touch them, without overlap."""
    places: list[tuple[int, int]] = []
    for hunk in shown:
        start, end, widens = hunk.start, hunk.end, True
        while widens:
            near = [h for h in (*shown, *made) if h.start <= end and start <= h.end]
            widest = min(start, *(h.start for h in near)), max(end, *(h.end for h in near))
            widens = widest != (start, end)
            start, end = widest
        if (start, end) not in places:
            places.append((start, end))
    return places


def _with(lines: Sequence[str], start: int, end: int, hunks: Sequence[Hunk]) -> list[str]:
    """Return the lines from `start` to `end` after the hunks that lie there."""
    out = list(lines[start:end])
    for hunk in sorted(hunks, key=lambda hunk: hunk.start, reverse=True):
        if start <= hunk.start and hunk.end <= end:
            out[hunk.start - start : hunk.end - start] = hunk.new
    return out


def _tokens(lines: Sequence[str]) -> list[str]:
    return _TOKEN.findall("\n".join(lines))


def _edits(old: Sequence[str], new: Sequence[str]) -> tuple[set[int], list[str]]:
    """Return the indices of the deleted old tokens, and the inserted tokens."""
    ops = LCSseq.editops(old, new)
    deleted = {op.src_pos for op in ops if op.tag == "delete"}
    return deleted, [new[op.dest_pos] for op in ops if op.tag == "insert"]
