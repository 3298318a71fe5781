"""Rewrites that recur: the same tokens of a line became the same other tokens, whatever is in their slots."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from posixpath import splitext

from editahead_prompts.text.identifiers import changed_spans, is_name, is_word, tokenize
from editahead_prompts.text.word_patterns import WordPattern

from .commits import MAX_CHARS, MinedCommit

MAX_TOKENS = 16
"""Tokens of one side of a rewrite."""
MIN_FIXED_CHARS = 4
"""Characters of the names and signs of the old side, without slots. Less is everywhere."""
Sides = tuple[str, str, str]
"""The extension of a file, the old and the new side."""

_SLOT = re.compile(r"\$(\d)")


@dataclass(frozen=True)
class Rewrite:
    """A rewrite that recurs.

    Attributes:
        extension: The extension of the files, with its dot; "" for none.
        old: The tokens before, with `$1`, `$2`... for names and numbers that stay.
        new: The tokens after.
        support: In how many commits it was made.
        relapses: How often a line with the old side was added in a commit that was made later than the first of those.
        examples: Ids of commits that made it.
    """

    extension: str
    old: str
    new: str
    support: int
    relapses: int
    examples: tuple[str, ...]

    @property
    def confidence(self) -> float:
        """How often the old side was not written again, with one miss added, so that few commits promise less."""
        return self.support / (self.support + self.relapses + 1)

    @cached_property
    def pattern(self) -> WordPattern:
        """Matches the old side."""
        return _pattern(self.old)

    def apply(self, line: str) -> str | None:
        """Return a line with the new side in place of each old one; None where it has none, or where it stays the same."""
        return rewrite_line(self.pattern, self.new, line)


def rewrite_line(pattern: WordPattern, new: str, line: str) -> str | None:
    """Return a line in which a pattern of an old side is replaced by the new side; None if it stays the same."""
    if len(line) > MAX_CHARS:
        return None

    def put(match: re.Match[str]) -> str:
        made = _SLOT.sub(lambda slot: match[f"s{slot[1]}"], new)
        is_there = len(made) > len(match[0]) and line.startswith(made, match.start())
        return match[0] if is_there else made  # the old side may be the begin of the new one

    changed = pattern.sub(put, line)
    return None if changed == line else changed


def rewrites_in(commit: MinedCommit) -> Iterator[Sides]:
    """Yield the extension of the file, the old and the new side of each rewrite of a commit."""
    for hunk in commit.hunks:
        if len(hunk.old) == len(hunk.new):
            extension = splitext(hunk.path)[1]
            for old, new in zip(hunk.old, hunk.new, strict=True):
                for before, after in line_rewrites(old, new):
                    yield extension, before, after


def line_rewrites(old: str, new: str) -> Iterator[tuple[str, str]]:
    """Yield what became what between two lines: each run of tokens, with slots for what stays in it."""
    a, b = tokenize(old), tokenize(new)
    spans = changed_spans(a, b)
    if not 0 < len(spans) <= 3:
        return
    whole = [(spans[0][0], spans[-1][1], spans[0][2], spans[-1][3])] if len(spans) > 1 else []
    for a1, a2, b1, b2 in (*spans, *whole):
        if a1 == a2:  # an insertion says nothing without what is before it
            a1, b1 = max(a1 - 1, 0), max(b1 - 1, 0)
        sides = a[a1:a2], b[b1:b2]
        if max(map(len, sides)) > MAX_TOKENS:
            continue
        before, after = _with_slots(*sides)
        if _is_distinctive(before, after):
            yield before, after


def _with_slots(old: Sequence[str], new: Sequence[str]) -> tuple[str, str]:
    shared = {token for token in old if is_name(token)} & {token for token in new if is_name(token)}
    stay = dict.fromkeys(token for token in old if token in shared)
    slots = {token: f"${number}" for number, token in enumerate(stay, 1)}
    if len(slots) > 9:
        return "", ""
    before, after = ("".join(slots.get(token, token) for token in side) for side in (old, new))
    return ("", "") if "$" in "".join((*old, *new)) else (before.strip(), after.strip())


def _is_distinctive(old: str, new: str) -> bool:
    """Return whether both sides name something. What only went away, or became a number, is no habit."""
    fixed, made = _SLOT.sub("", old), _SLOT.sub("", new)
    names = [any(map(is_word, tokenize(side))) for side in (fixed, made)]
    return all(names) and old != new and len(fixed.replace(" ", "")) >= MIN_FIXED_CHARS


def _pattern(old: str) -> WordPattern:
    parts: list[str] = []
    seen: set[str] = set()
    for part in re.split(r"(\$\d|\s+)", old):
        if slot := _SLOT.fullmatch(part):
            name = f"s{slot[1]}"
            parts.append(f"(?P={name})" if name in seen else rf"(?P<{name}>\w+)")
            seen.add(name)
        else:
            parts.append(r"\s+" if part.isspace() else re.escape(part))
    left = r"(?<!\w)" if is_name(old[:1]) or old[:1] == "$" else ""
    right = r"(?!\w)" if is_name(old[-1:]) or _SLOT.fullmatch(old[-2:]) else ""
    return WordPattern(f"{left}{''.join(parts)}{right}")


def mine_rewrites(commits: Sequence[MinedCommit], min_support: int, min_confidence: float) -> list[Rewrite]:
    """Return the rewrites that recur, without those that were also made the other way round.

    Args:
        commits: The commits, in any order.
        min_support: In how many commits one must be made.
        min_confidence: How often the old side must not have been written again.
    """
    made: defaultdict[Sides, set[str]] = defaultdict(set)
    first: dict[Sides, float] = {}
    for commit in commits:
        for sides in set(rewrites_in(commit)):
            made[sides].add(commit.id)
            first[sides] = min(commit.date, first.get(sides, commit.date))
    recurring = {
        sides: first[sides]
        for sides, ids in made.items()
        if len(ids) >= min_support and (sides[0], sides[2], sides[1]) not in made
    }
    relapses = _relapses(commits, recurring)
    found = [
        Rewrite(*sides, len(made[sides]), relapses[sides], tuple(sorted(made[sides]))) for sides in recurring
    ]
    kept = [rewrite for rewrite in found if rewrite.confidence >= min_confidence]
    return sorted(kept, key=lambda one: (-one.confidence, -one.support, one.extension, one.old, one.new))


def _relapses(commits: Sequence[MinedCommit], since: Mapping[Sides, float]) -> Counter[Sides]:
    """Return how often lines with an old side were added after a date, by rewrite."""
    by_name: defaultdict[str, list[tuple[Sides, WordPattern]]] = defaultdict(list)
    for sides in since:
        words = [token for token in tokenize(_SLOT.sub(" ", sides[1])) if is_word(token)]
        by_name[max(words, key=len)].append((sides, _pattern(sides[1])))
    found: Counter[Sides] = Counter()
    for commit in commits:
        for hunk in commit.hunks:
            extension = splitext(hunk.path)[1]
            for line in hunk.new:
                for token in set(tokenize(line)):
                    for sides, pattern in by_name.get(token, ()):
                        if sides[0] == extension and commit.date > since[sides]:
                            found[sides] += rewrite_line(pattern, sides[2], line) is not None
    return found
