"""A model of the order in which a person makes a commit's hunks: a stand-in for recordings, of which there are few.

A step is one hunk, or a few neighbours of one file. The next step is drawn from those that are left. The likelier ones are:

- in the file of the last step, near it, and rather below it;
- the same rewrite as the last step: a person who has begun to replace something goes through the file, then the others;
- a use of a name that the last steps brought; a definition comes before its uses;
- not an import whose names nothing uses yet, as a person notices a missing import at the first use; nor the end of an import
  whose names are still used;
- not a test: tests come last.

The draw is seeded by the commit, so a commit has one order.
"""

from __future__ import annotations

import itertools
import math
import random
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from editahead_evals.data.commit_replay import Hunk
from editahead_inference.predictors.propagation.import_rules import IMPORT
from editahead_prompts.text.identifiers import WORD, changed_spans, tokenize

MAX_HUNKS = 24
"""Hunks of one commit that are ordered; a commit with more is no small task of a person."""
_WIDER, _WIDEST = 0.3, 0.4
"""The probability that a step takes a second hunk, and that it takes another one after that."""
_CUT, _CUT_INSIDE = 0.4, 0.1
"""The probability that a hunk is made in two parts: cut between two lines or before a blank one, and before another one."""
_SAME_FILE, _SAME_REWRITE, _USES_LAST, _BELOW = 2.5, 3.0, 1.5, 0.4
_USED_IMPORT, _UNUSED_IMPORT, _TEST, _BEFORE_DEFINITION = 2.0, -5.0, -3.0, -1.5
"""What each circumstance adds to the log-odds of a hunk to be the next one. Choices."""
_DISTANCE = 0.5
"""What a doubling of the distance in lines takes from them."""
_DEFINITION = re.compile(
    r"\b(?:def|class|func|fn|function|type|interface|struct|enum|trait|const|let|var|val)\s+(\w+)|^\s*(?:self\.)?(\w+)\s*(?::[^=]+)?=(?!=)",
    re.MULTILINE,
)
_TEST_PATH = re.compile(r"(?:^|[/_.-])(?:tests?|spec|__tests__)(?:[/_.-]|$)", re.IGNORECASE)
_MAX_REWRITTEN = 20
"""Lines of a hunk that is compared word by word."""


@dataclass(frozen=True)
class _Unit:
    """One hunk of one file, by what decides its turn."""

    path: str
    number: int
    hunk: Hunk
    brings: frozenset[str]
    drops: frozenset[str]
    uses: frozenset[str]
    defines: frozenset[str]
    rewrite: frozenset[tuple[str, str]]
    is_import: bool
    is_test: bool


def ordered_steps(
    files: Mapping[str, Sequence[Hunk]], rng: random.Random
) -> list[tuple[str, tuple[int, ...]]]:
    """Return the steps as (path, numbers of the file's hunks, ascending), in the order in which they are made.

    Args:
        files: The hunks of each file, from the top down, in the lines of its first text.
        rng: Where the draws come from.
    """
    left = [_unit(path, number, hunk) for path, hunks in files.items() for number, hunk in enumerate(hunks)]
    made: list[_Unit] = []
    steps: list[tuple[str, tuple[int, ...]]] = []
    while left:
        step = [_draw(left, made, rng)]
        left.remove(step[0])
        more = _WIDER
        while rng.random() < more and (near := _nearest(step[-1], left)) is not None:
            step.append(near)
            left.remove(near)
            more = _WIDEST
        made += step
        steps.append((step[0].path, tuple(sorted(unit.number for unit in step))))
    return steps


def split_hunk(hunk: Hunk, rng: random.Random) -> list[Hunk]:
    """Return the parts in which a person may make a hunk: neighbours, from the top down, in the same lines.

    What rewrites n lines as n lines is cut between any of them, and new lines rather where a blank line is.
    """
    if len(hunk.old) == len(hunk.new):
        cuts = [n for n in range(1, len(hunk.new)) if rng.random() < _CUT]
        bounds = [0, *cuts, len(hunk.new)]
        return [
            Hunk(hunk.start + a, hunk.start + b, hunk.old[a:b], hunk.new[a:b])
            for a, b in itertools.pairwise(bounds)
        ]
    if hunk.old:
        return [hunk]
    cuts = [
        n
        for n in range(1, len(hunk.new))
        if rng.random() < (_CUT if not hunk.new[n].strip() else _CUT_INSIDE)
    ]
    bounds = [0, *cuts, len(hunk.new)]
    return [Hunk(hunk.start, hunk.end, (), hunk.new[a:b]) for a, b in itertools.pairwise(bounds)]


def _draw(left: Sequence[_Unit], made: Sequence[_Unit], rng: random.Random) -> _Unit:
    code = [unit for unit in made if not unit.is_import], [unit for unit in left if not unit.is_import]
    used, wanted = (_all(unit.uses for unit in units) for units in code)
    unused, kept = (_all(unit.drops for unit in units) for units in code)
    scores = [
        _score(
            unit,
            made,
            _all(other.defines for other in left if other is not unit),
            is_due=bool(unit.brings & used) or bool(unit.drops & unused - kept),
            is_early=bool(unit.brings & wanted) or bool(unit.drops & kept),
        )
        for unit in left
    ]
    highest = max(scores)
    return rng.choices(left, [math.exp(score - highest) for score in scores])[0]


def _score(
    unit: _Unit, made: Sequence[_Unit], undefined: frozenset[str], *, is_due: bool, is_early: bool
) -> float:
    """Return the log-odds of a hunk to be the next one, up to a constant.

    Args:
        unit: The hunk.
        made: The hunks that are made, oldest first.
        undefined: The names that the other hunks still define.
        is_due: For imports: whether made hunks use what it brings, or have dropped what it drops.
        is_early: For imports: whether hunks that are left use what it brings, or still drop what it drops.
    """
    score = _TEST if unit.is_test else 0.0
    if unit.is_import:
        score += _USED_IMPORT if is_due else _UNUSED_IMPORT if is_early else 0.0
    elif (unit.brings - unit.defines) & undefined:
        score += _BEFORE_DEFINITION
    if not made:
        return score
    last = made[-1]
    if unit.path == last.path:
        away = unit.hunk.start - last.hunk.start
        score += _SAME_FILE - _DISTANCE * math.log2(1 + abs(away)) + _BELOW * (away > 0)
    if unit.rewrite & last.rewrite:
        score += _SAME_REWRITE
    if unit.uses & (last.brings | last.defines):
        score += _USES_LAST
    return score


def _nearest(unit: _Unit, left: Iterable[_Unit]) -> _Unit | None:
    """Return the hunk of the same file that is nearest to a hunk."""
    beside = [other for other in left if other.path == unit.path]
    return min(beside, key=lambda other: abs(other.number - unit.number), default=None)


def _unit(path: str, number: int, hunk: Hunk) -> _Unit:
    old, new = _words(hunk.old), _words(hunk.new)
    lines = [line for line in (*hunk.old, *hunk.new) if line.strip()]
    return _Unit(
        path,
        number,
        hunk,
        brings=new - old,
        drops=old - new,
        uses=new,
        defines=_defined(hunk.new) - _defined(hunk.old),
        rewrite=_rewrite(hunk),
        is_import=bool(lines) and all(IMPORT.match(line) for line in lines),
        is_test=bool(_TEST_PATH.search(path)),
    )


def _defined(lines: Sequence[str]) -> frozenset[str]:
    return frozenset(one or other for one, other in _DEFINITION.findall("".join(lines)))


def _words(lines: Sequence[str]) -> frozenset[str]:
    return frozenset(word for line in lines for word in WORD.findall(line) if len(word) > 2)


def _rewrite(hunk: Hunk) -> frozenset[tuple[str, str]]:
    """Return the changed words of a hunk that keeps its number of lines, or the lines that it inserts or deletes."""
    if len(hunk.old) != len(hunk.new):
        return frozenset() if hunk.old and hunk.new else frozenset({("".join(hunk.old), "".join(hunk.new))})
    if len(hunk.old) > _MAX_REWRITTEN:
        return frozenset()
    found = set()
    for old, new in zip(hunk.old, hunk.new, strict=True):
        a, b = tokenize(old), tokenize(new)
        found |= {("".join(a[a1:a2]), "".join(b[b1:b2])) for a1, a2, b1, b2 in changed_spans(a, b)}
    return frozenset(found)


def _all(sets: Iterable[frozenset[str]]) -> frozenset[str]:
    return frozenset().union(*sets)
