"""Evaluation of rules: mined from the commits before a date, measured on those after it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, fields

from .co_changes import CoChange, added_names
from .commits import MinedCommit
from .rewrites import rewrites_in
from .rules import MIN_SUPPORT, MinedRule, mine
from .templates import Words, instantiate, names_in

MINED_SHARE = 2 / 3
"""The share of the commits, the oldest, that are mined."""


@dataclass(frozen=True)
class MinedFigures:
    """What the later commits make of the rules of the earlier ones.

    Attributes:
        mined: The number of commits that were mined.
        measured: The number of later ones.
        rules: The number of rules.
        expected: Lines of co-changes that the rules expect of the later commits.
        right: Those of them that the commits added.
        covered: Later commits with such a right line.
        likely_expected: Those of `expected` by rules by which a place is likely.
        likely_right: Those of `right` by such rules.
        repeated: Later commits that make a mined rewrite.
        written_again: Later commits that write the old side of a mined rewrite.
    """

    mined: int
    measured: int
    rules: int
    expected: int
    right: int
    covered: int
    likely_expected: int
    likely_right: int
    repeated: int
    written_again: int


_COUNTED = [field.name for field in fields(MinedFigures)][3:]
"""The figures that are sums over the later commits."""


def measure(commits: Sequence[MinedCommit], min_support: int = MIN_SUPPORT) -> MinedFigures:
    """Mine the older commits, and return what their rules tell of the newer ones.

    Commits of one date are on the same side.

    Args:
        commits: The commits of one repository, in any order.
        min_support: In how many commits something must be.
    """
    small = sorted((one for one in commits if one.is_small), key=lambda one: (one.date, one.id))
    cut = small[int(len(small) * MINED_SHARE)].date if small else 0.0
    before, after = (
        [one for one in small if one.date < cut],
        [one for one in small if one.date >= cut],
    )
    rules = mine(before, min_support)
    known = {words for commit in before for words in _names(commit)}
    counts = Counter(dict.fromkeys(_COUNTED, 0))
    for commit in after:
        counts.update(_outcome(rules, commit, known))
        known |= _names(commit)
    return MinedFigures(len(before), len(after), len(rules), **counts)


def _outcome(rules: Sequence[MinedRule], commit: MinedCommit, known: set[Words]) -> dict[str, int]:
    """Return what a commit adds to each figure that is counted."""
    rewrites = {
        (rule.what.extension, rule.what.old, rule.what.new): rule
        for rule in rules
        if not isinstance(rule.what, CoChange)
    }
    lines = {(hunk.path, line) for hunk in commit.hunks for line in hunk.new}
    found = _expected(rules, commit, known)
    hits = found.keys() & lines
    return {
        "expected": len(found),
        "right": len(hits),
        "covered": bool(hits),
        "likely_expected": sum(rule.is_likely for rule in found.values()),
        "likely_right": sum(found[hit].is_likely for hit in hits),
        "repeated": any(one in rewrites for one in rewrites_in(commit)),
        "written_again": any(_is_old(rule, path, line) for rule in rewrites.values() for path, line in lines),
    }


def _expected(
    rules: Sequence[MinedRule], commit: MinedCommit, known: set[Words]
) -> dict[tuple[str, str], MinedRule]:
    found: dict[tuple[str, str], MinedRule] = {}
    for name in added_names(commit):
        if name.words in known:
            continue
        for rule in rules:
            if isinstance(rule.what, CoChange) and rule.what.trigger in name.triggers:
                then = rule.what.consequence
                line = instantiate(then.template, name.words, name.spellings)
                found.setdefault((then.path, line), rule)
    return found


def _is_old(rule: MinedRule, path: str, line: str) -> bool:
    assert not isinstance(rule.what, CoChange)
    return path.endswith(rule.what.extension) and rule.what.apply(line) is not None


def _names(commit: MinedCommit) -> set[Words]:
    return {words for hunk in commit.hunks for line in hunk.new for words, _, _ in names_in(line)}
