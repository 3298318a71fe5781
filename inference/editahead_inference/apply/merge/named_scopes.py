"""The check that new lines stay below the headers that the sketch shows above them.

A sketch that shows a change below `class B:`, or between `class B {` and its bracket, means that class, however well the
lines fit another one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from editahead_inference.apply.placement.elision_split import leading_blank_lines
from editahead_inference.apply.placement.line_matching import DISTINCTIVE, line_weight, normalize_line
from editahead_inference.apply.placement.outline import Item, Naming, outline
from editahead_inference.apply.placement.placement import Target
from editahead_inference.apply.placement.splices import Splice, split_at_kept_lines
from editahead_prompts.sketches.sketch import Code, Snippet

_BINDING = ("named ", "impl ", "call ")
"""The beginnings of the names of blocks that bind what is below: declarations, and calls with a name in quotes."""


def misplaced_lines(snippet: Snippet, target: Target, splices: Sequence[Splice]) -> Iterator[tuple[str, str]]:
    """Yield each new line that is outside of a block which the sketch shows around it, with the header of that block."""
    shown = _shown_scopes(snippet)
    if not any(shown.chains.values()):
        return
    target.check()
    bodies: list[str] = []
    added: list[range] = []
    at = 0
    for splice in split_at_kept_lines(splices, target.lines.bodies):
        bodies += target.lines.bodies[at : splice.start]
        added.append(range(len(bodies), len(bodies) + len(splice.lines)))
        bodies += splice.lines
        at = splice.end
    bodies += target.lines.bodies[at:]
    result = _Scopes(bodies)
    for line in (line for lines in added for line in lines):
        key = normalize_line(bodies[line])
        if line_weight(key) < DISTINCTIVE or key not in shown.places:
            continue
        wanted = [shown.chains[number] for number in shown.places[key]]
        around = result.chains[line]
        if not any(_is_subsequence(chain, around) for chain in wanted):
            yield bodies[line], next((name for name in wanted[0] if name not in around), wanted[0][-1])


def _shown_scopes(snippet: Snippet) -> _Scopes:
    """Return the blocks that a snippet shows on purpose: their headers are not merely lines above other lines.

    A mark that is indented no deeper than a header ends what the header opens: the header of another block may be left out.
    """
    lines: list[str] = []
    starts: set[int] = set()
    for piece in snippet.parts:
        starts.add(len(lines) + leading_blank_lines(piece.lines) if isinstance(piece, Code) else len(lines))
        lines += piece.lines if isinstance(piece, Code) else [piece.text]
    return _Scopes(lines, starts)


class _Scopes:
    """The named blocks around each line.

    Args:
        bodies: The lines.
        starts: The lines at which a run of shown lines begins. If given, only blocks count whose header begins a run, and
            those that such a block begins with.

    Attributes:
        chains: By line, the names of the blocks around it, outer ones first.
        places: By normalised line, the lines that have it.
    """

    def __init__(self, bodies: Sequence[str], starts: Collection[int] | None = None) -> None:
        keys = list(map(normalize_line, bodies))
        naming = Naming(keys)
        self.chains: dict[int, tuple[str, ...]] = {}
        self.places: dict[str, list[int]] = {}
        for number, key in enumerate(keys):
            self.places.setdefault(key, []).append(number)
        waiting: list[tuple[Item, tuple[str, ...]]] = [(item, ()) for item in outline(bodies)]
        told = set(starts or ())
        while waiting:
            item, chain = waiting.pop()
            for section in item.sections:
                self.chains[section.line] = chain
            name = naming.of(item) or ""
            inner = chain
            if name.startswith(_BINDING) and (
                starts is None or (item.start in told and _is_closed(item, keys))
            ):
                inner = (*chain, name)
                told.update(each.start for each in item.items[:1])
            waiting += [(each, inner) for each in item.items]


def _is_closed(item: Item, keys: Sequence[str]) -> bool:
    """Return whether an item ends where it seems to: with its bracket, if it has one."""
    return item.closes_itself or keys[item.sections[-1].line].endswith(":")


def _is_subsequence(part: Sequence[str], whole: Sequence[str]) -> bool:
    rest = iter(whole)
    return all(any(name == each for each in rest) for name in part)
