"""The values that all ways of merging share: the file, the place of a sketch in the file, the reason for doubt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate

from rapidfuzz.fuzz import ratio

from editahead_inference.apply.results import Refusal, RefusalReason, SettledBy, SimilarLines
from editahead_prompts.syntax.syntax_trees import SyntaxTrees, count_errors
from editahead_prompts.text.diff import Span, diff_lines
from editahead_prompts.text.snapshot import Snapshot

from .declarations import Declaration, declarations_in_file
from .line_matching import FileLines, line_weight, normalize_line
from .line_names import identity
from .outline import Item, Naming, has_substance, outline, walk
from .splices import Splice

_MAX_SIMILAR = 3
"""Similar places that a refusal lists, as a person reads no more."""

_MAX_LINE_CHARS = 2_000
"""Characters of a line that are compared with another line, which bounds the time."""

_MAX_PART_CHARS = 20_000
"""Characters of lines of a sketch that are compared with a place, which bounds the time."""

_MAX_COMPARED = 200_000
"""Pairs of lines compared in a search for similar places, which bounds its time."""


@dataclass(frozen=True, slots=True)
class Placement:
    """The place of a sketch in a file.

    Attributes:
        splices: The best guess, sorted and disjoint.
        doubt: Why the guess is not certain, if so.
        confidence: From 0 to 1.
        alternatives: The splices of other readings, likeliest first.
        is_settled_by_neighbours: No doubt is left where the sketch shows the neighbours of each change.
    """

    splices: tuple[Splice, ...]
    doubt: Refusal | None = None
    confidence: float = 1.0
    alternatives: tuple[tuple[Splice, ...], ...] = ()
    is_settled_by_neighbours: bool = False


class Tally:
    """How many lines of some ranges do anything, and what they open. Each range is counted once.

    Args:
        keys: The normalised lines.
    """

    def __init__(self, keys: Sequence[str]) -> None:
        self._keys = keys
        self._names: dict[tuple[int, int], Counter[str | None]] = {}

    @cached_property
    def _substance(self) -> list[int]:
        return [0, *accumulate(map(has_substance, self._keys))]

    def substance(self, first: int, last: int) -> int:
        """Return how many of lines [first, last) do anything."""
        return self._substance[last] - self._substance[first]

    def names(self, first: int, last: int) -> Counter[str | None]:
        """Return how many of lines [first, last) open something of each name."""
        if (first, last) not in self._names:
            self._names[first, last] = Counter(map(identity, self._keys[first:last]))
        return self._names[first, last]


@dataclass(frozen=True, slots=True)
class Difference:
    """How a splice differs from the lines that it replaces.

    Attributes:
        keys: The normalised lines of the splice.
        tally: What is in these.
        changes: The ranges in which these differ from the normalised lines of the file, from the splice's first line on.
        kept: For each line of the splice the line of the file that stays there; None for a new one.
    """

    keys: list[str]
    tally: Tally
    changes: list[Span]
    kept: list[int | None]


@dataclass(frozen=True, slots=True)
class Outlined:
    """Lines with their structure.

    Attributes:
        items: The outermost items.
        naming: The names of all items, with the normalised lines.
    """

    items: Sequence[Item]
    naming: Naming


@dataclass
class Target:
    """The file that a sketch is merged into. Only lines [low, high) may change."""

    original: Snapshot
    syntax: SyntaxTrees
    low: int
    high: int
    check: Callable[[], None]
    lines: FileLines = field(init=False)
    _differences: dict[tuple[int, int], tuple[tuple[str, ...], Difference]] = field(
        init=False, default_factory=dict
    )
    """By the lines that a splice replaces: its lines, and how they differ."""
    _outlined: dict[tuple[str, ...], Outlined] = field(init=False, default_factory=dict)
    """By some lines: their structure."""

    def __post_init__(self) -> None:
        self.lines = FileLines(self.original)
        self.high = min(self.high, len(self.lines))
        self.low = min(self.low, self.high)

    @cached_property
    def declarations(self) -> list[Declaration]:
        return declarations_in_file(self.original, self.lines, self.syntax)

    def outlined(self, bodies: Sequence[str]) -> Outlined:
        """Return the structure of some lines, which is computed once in a merge."""
        lines = tuple(bodies)
        known = self._outlined.get(lines)
        if known is None:
            self.check()
            known = self._outlined[lines] = Outlined(outline(lines), Naming(list(map(normalize_line, lines))))
        return known

    def lines_after(self, splices: Iterable[Splice]) -> list[str]:
        """Return the lines of the file after the splices, which are sorted and disjoint."""
        out: list[str] = []
        at = 0
        for splice in splices:
            out += self.lines.bodies[at : splice.start]
            out += splice.lines
            at = splice.end
        out += self.lines.bodies[at:]
        return out

    @cached_property
    def items(self) -> list[Item]:
        """The outermost items of the file."""
        return outline(self.lines.bodies)

    @cached_property
    def naming(self) -> Naming:
        """The names of the items of the file."""
        return Naming(self.lines.keys)

    @cached_property
    def named_items(self) -> dict[str, list[Item]]:
        """Identity -> the items of the file that have it, in order."""
        named: dict[str, list[Item]] = {}
        for item in walk(self.items):
            name = self.naming.of(item)
            if name is not None:
                named.setdefault(name, []).append(item)
        return named

    def difference(self, splice: Splice) -> Difference:
        """Return how a splice differs from the lines that it replaces."""
        known = self._differences.get((splice.start, splice.end))
        if known is None or known[0] is not splice.lines:
            start, end = splice.start, splice.end
            keys = list(map(normalize_line, splice.lines))
            kept: list[int | None] = []
            at = start
            for i1, i2, j1, j2 in diff_lines(self.lines.bodies[start:end], splice.lines):
                kept += range(at, start + i1)
                kept += [None] * (j2 - j1)
                at = start + i2
            kept += range(at, end)
            known = (
                splice.lines,
                Difference(keys, Tally(keys), diff_lines(self.lines.keys[start:end], keys), kept),
            )
            self._differences[start, end] = known
        return known[1]

    @cached_property
    def tally(self) -> Tally:
        """What is in the lines of the file."""
        return Tally(self.lines.keys)

    @cached_property
    def errors(self) -> int:
        """The number of syntax errors in the file; 0 without a grammar."""
        tree = self.syntax.tree(self.original)
        return 0 if tree is None else count_errors(tree.root_node)


def make_refusal(
    reason: RefusalReason,
    detail: str,
    part: Sequence[str] = (),
    near: Sequence[SimilarLines] = (),
    *,
    settled_by: SettledBy = "likelihood",
) -> Refusal:
    """Return a refusal about some lines of the sketch."""
    return Refusal(reason, detail, "\n".join(part), tuple(near), settled_by=settled_by)


def find_similar_lines(part: Sequence[str], target: Target) -> tuple[SimilarLines, ...]:
    """Return the places of the file that resemble these lines most, best first."""
    wanted = [normalize_line(line) for line in part if line.strip()][:60]
    size = len(part)
    if not wanted or not size or target.high <= target.low:
        return ()
    offset = {normalize_line(line): number for number, line in reversed(list(enumerate(part)))}
    votes = _votes_of_equal_lines(wanted, offset, target)
    is_unlike = max(votes.values(), default=0.0) < 0.3 * sum(map(line_weight, wanted))
    if is_unlike and len(wanted) * (target.high - target.low) <= _MAX_COMPARED:
        _add_votes_of_similar_lines(votes, max(wanted, key=line_weight), offset, target)
    best: list[int] = []
    for first in sorted(votes, key=lambda at: (-votes[at], at)):
        if len(best) < _MAX_SIMILAR and all(abs(first - other) > size // 2 for other in best):
            best.append(first)
    found = []
    shown = "\n".join(map(normalize_line, part))[:_MAX_PART_CHARS]
    for first in best:
        end = min(first + size, target.high)
        there = "\n".join(target.lines.keys[first:end])[:_MAX_PART_CHARS]
        found.append(SimilarLines(first, end, round(ratio(shown, there) / 100, 3)))
    return tuple(sorted(found, key=lambda near: (-near.similarity, near.start)))


def _votes_of_equal_lines(keys: Sequence[str], offset: Mapping[str, int], target: Target) -> dict[int, float]:
    """Return the weight of the lines that speak for each first line of a similar place.

    Args:
        keys: The normalised lines that are looked for.
        offset: How far below the first line each of them is.
        target: The file.
    """
    votes: dict[int, float] = {}
    for key in set(keys):
        for place in target.lines.places.get(key, ())[:200]:
            if target.low <= place < target.high:
                first = max(target.low, place - offset[key])
                votes[first] = votes.get(first, 0.0) + line_weight(key)
    return votes


def _add_votes_of_similar_lines(
    votes: dict[int, float], key: str, offset: Mapping[str, int], target: Target
) -> None:
    """Add the weight of the lines of the file that resemble one line."""
    for place in range(target.low, target.high):
        there = target.lines.keys[place][:_MAX_LINE_CHARS]
        alike = ratio(key[:_MAX_LINE_CHARS], there, score_cutoff=60) / 100
        if alike:
            first = max(target.low, place - offset[key])
            votes[first] = max(votes.get(first, 0.0), alike * line_weight(key))
