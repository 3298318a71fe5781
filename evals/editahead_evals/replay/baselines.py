"""Cheap predictors, for comparison.

Each baseline answers a moment of a replay with the text after its edit, or None for silence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from rapidfuzz import fuzz, process

from editahead_evals.data.commit_replay import Hunk, ReplayMoment
from editahead_prompts.text.affixes import common_affixes

Baseline = Callable[[ReplayMoment], str | None]

RECENT = 3
"""Edits that `last_substitution` looks back on, the last one first."""
SIMILAR = 75.0
"""The least similarity, of 100, at which a line counts as similar."""

_TOKEN = re.compile(r"\w+|\s+|.")


def silence(moment: ReplayMoment) -> None:
    return None


def last_substitution(moment: ReplayMoment) -> str | None:
    """Apply the replacement of a recent edit to the next line below (else above) that contains its old text."""
    here = moment.point[0]
    for hunk in reversed(moment.done[-RECENT:]):
        for old, new in _substitutions(hunk):
            for line in _from_here(len(moment.lines), here):
                text = moment.lines[line]
                if old in text and not (old in new and new in text):
                    changed = _replace_words(text, old, new)
                    if changed != text:
                        return _with(moment.lines, line, line + 1, (changed,))
    return None


def similar_line(moment: ReplayMoment) -> str | None:
    """Apply the last edit to the line that is most similar to the one that it changed."""
    hunk = moment.done[-1]
    lines = moment.lines
    own = range(hunk.start - 1, hunk.end + 1)
    if not hunk.old:
        if hunk.start == 0 or (line := _find_similar(lines, lines[hunk.start - 1], own)) is None:
            return None
        return _with(lines, line + 1, line + 1, hunk.new)
    line = _find_similar(lines, hunk.old[0], own)
    if line is None:
        return None
    if not hunk.new:
        return _with(lines, line, line + 1, ())
    for old, new in _substitutions(hunk):
        changed = _replace_words(lines[line], old, new)
        if changed != lines[line]:
            return _with(lines, line, line + 1, (changed,))
    return None


BASELINES: Mapping[str, Baseline] = {
    "silence": silence,
    "last substitution": last_substitution,
    "most similar line": similar_line,
}


def _substitutions(hunk: Hunk) -> Iterator[tuple[str, str]]:
    """Yield old and new text of each changed line of an even replacement, widened to hold a word."""
    if len(hunk.old) != len(hunk.new):
        return
    for old, new in zip(hunk.old, hunk.new, strict=True):
        a, b = _TOKEN.findall(old), _TOKEN.findall(new)
        head, tail = common_affixes(a, b)
        while head and not any(_is_word(token) for token in a[head : len(a) - tail]):
            head -= 1
        source, target = "".join(a[head : len(a) - tail]), "".join(b[head : len(b) - tail])
        if len(source.strip()) > 1 and source != target:
            yield source, target


def _is_word(token: str) -> bool:
    return token[0].isalnum() or token[0] == "_"


def _replace_words(text: str, source: str, target: str) -> str:
    """Replace every `source` in `text` that does not begin or end within a word."""
    before = r"(?<!\w)" if _is_word(source) else ""
    after = r"(?!\w)" if _is_word(source[-1]) else ""
    return re.sub(before + re.escape(source) + after, lambda _: target, text)


def _from_here(count: int, here: int) -> Iterator[int]:
    yield from range(here + 1, count)
    yield from range(min(here, count - 1), -1, -1)


def _find_similar(lines: Sequence[str], like: str, own: range) -> int | None:
    """Return the line outside of `own` most similar to `like`; None for a blank `like`."""
    if not like.strip():
        return None
    others = {n: line for n, line in enumerate(lines) if n not in own and line.strip()}
    found = process.extractOne(like, others, scorer=fuzz.ratio, score_cutoff=SIMILAR)
    return None if found is None else found[2]


def _with(lines: Sequence[str], start: int, end: int, new: Sequence[str]) -> str:
    return "\n".join((*lines[:start], *new, *lines[end:]))
