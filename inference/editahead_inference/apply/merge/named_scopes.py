"""The check that new lines stay below the headers that the sketch shows above them.

A sketch that shows a change below `class B:`, or between `class B {` and its bracket, means that class, however well the
lines fit another one.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence

from editahead_inference.apply.placement.elision_split import leading_blank_lines
from editahead_inference.apply.placement.line_matching import DISTINCTIVE, is_comment, line_weight
from editahead_inference.apply.placement.outline import Item
from editahead_inference.apply.placement.placement import Target
from editahead_inference.apply.placement.splices import Splice, split_at_kept_lines
from editahead_prompts.sketches.elision_markers import parse_marker
from editahead_prompts.sketches.sketch import Code, Snippet
from editahead_prompts.text.indentation import indent_width

from .shown_runs import ShownRuns, without_blanks

_MAX_ABOVE = 4
"""Lines above a new header among which the line before it is looked for."""

_TYPE = re.compile(r"impl |named [A-Z]\w*$")
"""Names of types: a sketch that ends within one need not show its end."""

_BINDING = (
    *("named ", "impl ", "call ", "case", "default", "arm ", "block ", "implements ", "extends "),
    "stage ",
)
"""The beginnings of the names of blocks that bind what is below: declarations, calls with a name in quotes, branches."""


def misplaced_lines(snippet: Snippet, target: Target, splices: Sequence[Splice]) -> Iterator[tuple[str, str]]:
    """Yield each line that comes to another block than the sketch shows, with the name of that block.

    New lines come to the block that is shown around them. Lines that stay are in the block that they were in, unless the
    sketch shows the header that takes them right below the line before it.
    """
    shown = _shown_scopes(snippet, target)
    bodies: list[str] = []
    origin: list[int | None] = []
    at, end = _outermost_blocks(target, splices)
    for splice in split_at_kept_lines(splices, target.lines.bodies):
        bodies += [*target.lines.bodies[at : splice.start], *splice.lines]
        origin += [*range(at, splice.start), *[None] * len(splice.lines)]
        at = splice.end
    bodies += target.lines.bodies[at:end]
    origin += range(at, end)
    new = [line for line, old in enumerate(origin) if old is None]
    target.check()
    result = _Scopes(bodies, target)
    if not splices:
        yield from _missing(shown, result)
    for line in new:
        key = result.keys[line]
        if line_weight(key) < DISTINCTIVE or key not in shown.places:
            continue
        wanted = [shown.chains[number] for number in shown.places[key]]
        around = result.chains[line]
        if not any(_is_subsequence(chain, around) for chain in wanted):
            yield bodies[line], next((name for name in wanted[0] if name not in around), wanted[0][-1])
    runs = ShownRuns(snippet, without_blanks)
    for line, name in _taken(result, origin, target):
        before = [key for key in result.keys[max(0, line - _MAX_ABOVE) : line] if key][-1:]
        if not runs.contain([*before, result.keys[line]]):
            yield bodies[line], name


def _outermost_blocks(target: Target, splices: Sequence[Splice]) -> tuple[int, int]:
    """Return the lines of the outermost blocks that the splices change, with those beside them; all without splices."""
    starts = [item.start for item in target.items]
    if not splices:
        return 0, len(target.lines)
    first = bisect_right(starts, splices[0].start) - 2
    last = bisect_right(starts, splices[-1].end) + 1
    return starts[first] if first > 0 else 0, starts[last] if last < len(starts) else len(target.lines)


def _missing(shown: _Scopes, result: _Scopes) -> Iterator[tuple[str, str]]:
    """Yield each shown line that the file has, but not in the blocks that the sketch shows around it."""
    for number, chain in shown.chains.items():
        key = shown.keys[number]
        if not chain or line_weight(key) < DISTINCTIVE or key not in result.places:
            continue
        if not any(_is_subsequence(chain, result.chains[line]) for line in result.places[key]):
            yield key, chain[-1]


def _taken(result: _Scopes, origin: Sequence[int | None], target: Target) -> Iterator[tuple[int, str]]:
    """Yield each new header that takes lines out of a block that stays, with the name of that block."""
    kept = {old: line for line, old in enumerate(origin) if old is not None}
    naming = target.naming
    for item in result.headers:
        if origin[item.start] is not None:
            continue
        inner = next(
            (line for line in range(item.start + 1, item.end) if _is_kept(line, origin, result)), None
        )
        if inner is None:
            continue
        for outer in blocks_around(target.items, origin[inner] or 0):
            name = naming.of(outer) or ""
            is_left = kept.get(outer.start, item.start) < item.start and name.startswith(_BINDING)
            if is_left and name not in result.chains[inner]:
                yield item.start, name


def _is_kept(line: int, origin: Sequence[int | None], result: _Scopes) -> bool:
    return origin[line] is not None and line_weight(result.keys[line]) >= DISTINCTIVE


def blocks_around(items: Sequence[Item], line: int) -> Iterator[Item]:
    """Yield the blocks around a line, outer ones first."""
    while True:
        at = bisect_right(items, line, key=lambda item: item.start) - 1
        if at < 0 or line >= items[at].end or line == items[at].start:
            return
        yield items[at]
        items = items[at].items


def _shown_scopes(snippet: Snippet, target: Target) -> _Scopes:
    """Return the blocks that a snippet shows on purpose: their headers are not merely lines above other lines.

    A mark that is indented no deeper than a header ends what the header opens: the header of another block may be left out.
    """
    lines: list[str] = []
    starts: set[int] = set()
    for piece in snippet.parts:
        starts.add(len(lines) + leading_blank_lines(piece.lines) if isinstance(piece, Code) else len(lines))
        lines += piece.lines if isinstance(piece, Code) else [piece.text]
    return _Scopes(lines, target, starts)


class _Scopes:
    """The named blocks around each line.

    Args:
        bodies: The lines.
        target: The file, which keeps structures.
        starts: The lines at which a run of shown lines begins. If given, only blocks count whose header begins a run, and
            those that such a block begins with.

    Attributes:
        keys: The normalised lines.
        chains: By line, the names of the blocks around it, outer ones first.
        places: By normalised line, the lines that have it.
        headers: The blocks with a name.
    """

    def __init__(self, bodies: Sequence[str], target: Target, starts: Collection[int] | None = None) -> None:
        self._bodies = bodies
        outlined = target.outlined(bodies)
        naming = outlined.naming
        self.keys = naming.keys
        self.headers: list[Item] = []
        self.chains: dict[int, tuple[str, ...]] = {}
        self.places: dict[str, list[int]] = {}
        for number, key in enumerate(self.keys):
            self.places.setdefault(key, []).append(number)
        waiting: list[tuple[Item, tuple[str, ...]]] = [(item, ()) for item in outlined.items]
        known = set(starts or ())
        last = max((n + 1 for n, key in enumerate(self.keys) if key and parse_marker(key) is None), default=0)
        while waiting:
            item, chain = waiting.pop()
            for section in item.sections:
                self.chains[section.line] = chain
            name = naming.of(item) or ""
            if (
                not (name.startswith(_BINDING) or (name.startswith("value ") and item.is_block))
                or is_comment(self.keys[item.start])
                or not (
                    starts is None
                    or (
                        item.start in known
                        and not self._is_left(item)
                        and (_is_closed(item, self.keys) or (item.end >= last and _TYPE.match(name)))
                    )
                )
            ):
                waiting += [(each, chain) for each in item.items]
                continue
            self.headers.append(item)
            known.update(each.start for each in item.items[:1])
            for section in item.sections:
                key = self.keys[section.line]
                # `) -> Tokens {` ends the header of a function.
                is_head = section.line == item.start or key.startswith(")") or not re.search(r"\w", key)
                own = name if is_head else key.strip("{} ")
                waiting += [(each, (*chain, own)) for each in section.items]

    def _is_left(self, item: Item) -> bool:
        """Return whether lines below an item are less deep than it: it is the rest of a statement."""
        lines = (self._bodies[line] for line in range(item.start + 1, item.end))
        return any(0 <= indent_width(line) < item.width and not is_comment(line) for line in lines)


def _is_closed(item: Item, keys: Sequence[str]) -> bool:
    """Return whether an item ends where it seems to: with its bracket, if it has one.

    The header of a type is no chance line above others, even without the bracket.
    """
    key = keys[item.sections[-1].line]
    return item.closes_itself or key.endswith(":") or key.startswith(("implements ", "extends ", "FROM "))


def _is_subsequence(part: Sequence[str], whole: Sequence[str]) -> bool:
    rest = iter(whole)
    return all(any(name == each for each in rest) for name in part)
