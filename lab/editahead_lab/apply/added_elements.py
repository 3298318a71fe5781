"""Sketches that add one element beside others of its kind: a method, a case, a route, an entry, a field.

The element is one that a real file has. It is taken out of the file, and the sketch adds it again.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Literal

from tree_sitter import Node

from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.snapshot import Snapshot

from .line_change import LineChange, indentation
from .snippet_sketches import Marker

Where = Literal["first", "middle", "last"]

_CONTAINERS = frozenset(
    {
        *("module", "program", "source_file", "translation_unit"),
        *("class_body", "declaration_list", "field_declaration_list", "enum_body", "enum_variant_list"),
        *(
            "enumerator_list",
            "interface_body",
            "object_type",
            "match_block",
            "switch_body",
            "object",
            "array",
        ),
        *("list", "dictionary", "set", "tuple", "literal_value", "array_expression", "initializer_list"),
        *("expression_switch_statement", "type_switch_statement", "select_statement", "type_declaration"),
        *("struct_type", "interface_type", "method_spec_list", "jsx_element", "const_declaration"),
        *("switch_block", "enum_body_declarations", "annotation_argument_list", "array_initializer"),
    }
)
"""Nodes that hold elements side by side."""

_ROOTS = frozenset({"module", "program", "source_file", "translation_unit"})
_CLASSES = frozenset({"class_definition", "class_specifier"})
_ATTACHED = ("comment", "line_comment", "block_comment", "attribute_item", "decorator")
"""Kinds of nodes that belong to the element below them."""

_MAX_ELEMENT = 30
_MAX_NEIGHBOUR = 12
"""Lines, at most, of the element, and of a neighbour that the sketch shows."""
_MIN_ELEMENTS = 3


@dataclass(frozen=True, slots=True)
class _Container:
    """Elements side by side.

    Attributes:
        headers: The first lines of what holds them, outer ones first; empty at the top of a file.
        first: The line after the innermost header.
        end: The line of the footer, or after the last line.
        elements: The lines [start, end) of each element.
    """

    headers: tuple[int, ...]
    first: int
    end: int
    elements: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class AddedElement:
    """A change that adds one element, and what a sketch shows of it."""

    change: LineChange
    where: Where
    shown: tuple[int, ...]
    accepted: tuple[tuple[str, ...], ...]

    def rendered(self, marker: Marker) -> list[str]:
        """Return the lines of the sketch. A marker has the indentation of the first line that it replaces."""
        new = self.change.new
        out: list[str] = []
        at = 0
        for line in [*self.shown, len(new)]:
            hidden = [each for each in new[at:line] if each.strip()]
            out += [indentation(hidden[0]) + marker()] if hidden else [""] * (line - at if at else 0)
            out += new[line : line + 1]
            at = line + 1
        return out


def added_element(path: str, language: str, lines: Sequence[str], rng: random.Random) -> AddedElement | None:
    """Return a change that adds an element which the lines hold; None where they hold no like elements."""
    found = [each for each in _containers("\n".join(lines) + "\n", language) if _is_fair(each, lines)]
    if not found:
        return None
    box = rng.choice(found)
    where: Where = rng.choice(("first", "middle", "middle", "last", "last"))
    if where == "first" and not box.headers:
        where = "last"
    number = {"first": 0, "last": len(box.elements) - 1}.get(where, rng.randrange(1, len(box.elements) - 1))
    start, end = box.elements[number]
    if not _may_be_taken(box, number, where, lines):
        return None
    first, last = _cut(lines, start, end, where)
    old = (*lines[:first], *lines[last:])
    change = LineChange(path, language, old, tuple(lines))
    shown = _shown(box, number, where, lines, rng)
    if shown is None or old == tuple(lines) or _occurs(old, lines[start:end]):
        return None
    if _occurs(old, _shown_around(lines, shown, start, end)):
        return None
    seen = {b - a for (_, a), (b, _) in pairwise(box.elements) if not any(lines[a:b])}
    accepted = dict.fromkeys((tuple(lines), *_spaced(lines, start, end, seen)))
    return AddedElement(change, where, shown, tuple(accepted))


def _may_be_taken(box: _Container, number: int, where: Where, lines: Sequence[str]) -> bool:
    """Return whether an element is short, has no twin, and leaves elements behind that end as they did."""
    start, end = box.elements[number]
    others = (lines[a:b] for a, b in box.elements if a != start)
    if end - start > _MAX_ELEMENT or lines[start:end] in others:
        return False
    if where == "first":
        return not any(lines[box.first : start])
    if where == "last":
        return not any(lines[end : box.end]) and _ends_alike(lines, box.elements[number - 1], (start, end))
    return True


def _cut(lines: Sequence[str], start: int, end: int, where: Where) -> tuple[int, int]:
    """Return the lines that go with an element: the blank ones on one side, too."""
    above, below = _gaps(lines, start, end)
    if below == len(lines):
        return above, end
    return start, below if above < start or where == "first" else end


def _shown_around(lines: Sequence[str], shown: Sequence[int], start: int, end: int) -> Sequence[str]:
    """Return the lines of an element with those beside it that the sketch shows."""
    while start - 1 in shown:
        start -= 1
    while end in shown:
        end += 1
    return lines[start:end]


def _spaced(lines: Sequence[str], start: int, end: int, seen: set[int]) -> Iterator[tuple[str, ...]]:
    """Yield the lines with other numbers of blank lines around an element: those between others, or fewer than here."""
    before, after = _gaps(lines, start, end)
    counts = seen | {0, start - before, after - end} | ({1} if start > before or after > end else set())
    for above, below in product(sorted(counts), sorted(counts)):
        if after < len(lines) or not below:
            yield (*lines[:before], *[""] * above, *lines[start:end], *[""] * below, *lines[after:])


def _gaps(lines: Sequence[str], start: int, end: int) -> tuple[int, int]:
    """Return the first of the blank lines before some lines, and the line after the last blank one behind them."""
    while start > 0 and not lines[start - 1].strip():
        start -= 1
    while end < len(lines) and not lines[end].strip():
        end += 1
    return start, end


def _shown(
    box: _Container, number: int, where: Where, lines: Sequence[str], rng: random.Random
) -> tuple[int, ...] | None:
    """Return the lines that the sketch shows: enough that one place is meant."""
    start, end = box.elements[number]
    shown = set(range(start, end))
    outside = (*lines[:start], *lines[end:])
    if where == "middle":
        neighbours = [box.elements[number - 1], box.elements[number + 1]]
        rng.shuffle(neighbours)
        for a, b in neighbours[: rng.choice((1, 1, 2))]:
            if b - a > _MAX_NEIGHBOUR:
                return None
            shown.update(range(min(a, end), max(b, start)))
        if (
            _count(outside, [line for at, line in enumerate(lines) if at in shown and not start <= at < end])
            != 1
        ):
            return None
    if box.headers and (where != "middle" or rng.random() < 0.6):
        inner = box.headers[-1]
        needed = 1 if _count(outside, [lines[inner]]) == 1 else len(box.headers)
        if needed > 1 and not _is_one_path(box.headers, lines):
            return None
        for header in box.headers[-needed:] if rng.random() < 0.6 else box.headers:
            shown.add(header)
            shown.update(_footer(header, lines))
    return tuple(sorted(shown))


def _footer(header: int, lines: Sequence[str]) -> Iterator[int]:
    """Yield the line with the bracket that closes what a line opens, if it opens one."""
    if lines[header].rstrip().endswith(("{", "[", "(")):
        depth = indentation(lines[header])
        after = (at for at in range(header + 1, len(lines)) if lines[at].strip())
        last = next((at for at in after if len(indentation(lines[at])) <= len(depth)), None)
        if last is not None and indentation(lines[last]) == depth and lines[last].strip()[0] in ")]}":
            yield last


def _is_one_path(headers: Sequence[int], lines: Sequence[str]) -> bool:
    """Return whether each of some nested headers occurs once in the block of the one before."""
    low, high = 0, len(lines)
    for header in headers:
        if _count(lines[low:high], [lines[header]]) != 1:
            return False
        low = header + 1
        depth = len(indentation(lines[header]))
        after = range(low, high)
        high = next((at for at in after if lines[at].strip() and len(indentation(lines[at])) <= depth), high)
    return True


def _is_fair(box: _Container, lines: Sequence[str]) -> bool:
    """Return whether the elements are as many as are needed, and no line of them belongs to two."""
    spans = box.elements
    if len(spans) < _MIN_ELEMENTS or any(b > c for (_, b), (c, _) in itertools.pairwise(spans)):
        return False
    return all(
        not line.strip() or indentation(line) == indentation(lines[spans[0][0]])
        for line in _firsts(spans, lines)
    )


def _firsts(spans: Sequence[tuple[int, int]], lines: Sequence[str]) -> Iterator[str]:
    return (lines[start] for start, _ in spans)


def _ends_alike(lines: Sequence[str], before: tuple[int, int], last: tuple[int, int]) -> bool:
    """Return whether the last element ends with the same separator as the one before."""
    return lines[before[1] - 1].rstrip()[-1:] == lines[last[1] - 1].rstrip()[-1:] or not (
        lines[before[1] - 1].rstrip().endswith(",")
    )


def _count(lines: Sequence[str], part: Sequence[str]) -> int:
    """Return how often some lines follow one another, however they are indented."""
    size, stripped, wanted = len(part), [line.strip() for line in lines], [line.strip() for line in part]
    return sum(stripped[at : at + size] == wanted for at in range(len(lines) - size + 1))


def _occurs(lines: Sequence[str], part: Sequence[str]) -> bool:
    return _count(lines, part) > 0


def _containers(source: str, language: str) -> Iterator[_Container]:
    """Yield the stretches of elements of one kind in a file without syntax errors."""
    tree = SyntaxTrees().tree(Snapshot.from_text(source, language=language))
    if tree is None or tree.root_node.has_error:
        return
    lines = source.split("\n")
    waiting = [tree.root_node]
    while waiting:
        node = waiting.pop()
        waiting += node.named_children
        parent = node.parent
        is_class = node.type == "block" and parent is not None and parent.type in _CLASSES
        if not is_class and node.type not in _CONTAINERS:
            continue
        elements = list(_elements(node, lines))
        headers = tuple(_headers(node, lines))
        if node.type not in _ROOTS and not headers:
            continue
        last = node.end_point.row
        closes = lines[last].strip()[:1] in ("}", "]", ")", "<") and node.type not in _ROOTS and not is_class
        first = headers[-1] + 1 if headers else 0
        end = last if closes else last + (node.type not in _ROOTS and node.end_point.column > 0)
        yield _Container(headers, first, end, tuple(elements))


def _elements(node: Node, lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the longest run of children of one kind, each on lines of its own, with the comments above it."""
    runs: list[list[tuple[int, int]]] = [[]]
    kind = ""
    above: int | None = None
    previous = -1
    for child in node.named_children:
        start, end = child.start_point.row, child.end_point.row + (child.end_point.column > 0)
        own = start > previous and lines[start][: child.start_point.column].strip() == ""
        tail = lines[end - 1].encode()[child.end_point.column :].strip() if child.end_point.column else b""
        if not own or tail not in (b"", b",", b";"):
            kind, above = "", None
            previous = end - 1
            continue
        previous = end - 1
        if child.type in _ATTACHED:
            above = above if above is not None and _adjoins(above, start, lines) else start
            continue
        first = above if above is not None and _adjoins(above, start, lines) else start
        above = None
        label = child.type + (_callee(child) if child.type == "expression_statement" else "")
        if label != kind:
            runs.append([])
            kind = label
        runs[-1].append((first, end))
    yield from max(runs, key=len)


def _callee(node: Node) -> str:
    """Return what a statement calls, so that only calls of one kind count as alike."""
    return (node.text or b"").decode(errors="replace").split("(")[0][:40]


def _adjoins(above: int, start: int, lines: Sequence[str]) -> bool:
    return all(line.strip() for line in lines[above:start])


def _headers(node: Node, lines: Sequence[str]) -> Iterator[int]:
    """Yield the lines that open the node and the declarations around it, outer ones first."""
    rows: list[int] = []
    at: Node | None = node
    while at is not None and at.type not in _ROOTS:
        if at.type == "block":  # It begins with its first statement.
            at = at.parent
            continue
        row = at.start_point.row
        opens = lines[row].rstrip().endswith(("{", "[", "(", ":", ">"))
        if opens and row not in rows and at.end_point.row > row:
            rows.append(row)
        at = at.parent
    kept: list[int] = []
    for row in rows:
        if not kept or len(indentation(lines[row])) < len(indentation(lines[kept[-1]])):
            kept.append(row)
    yield from reversed(kept)
