"""Sketches that add one import beside a mark for the others, with or without another change below.

The import is the first or the last one that a real file has. It is taken out of the file, and the sketch adds it again:
`import os` above `# ... existing imports ...`, or below it. The other change is the one of the record.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise, product

from tree_sitter import Node

from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.snapshot import Snapshot

from .line_change import LineChange, indentation
from .snippet_sketches import SnippetView, context

_LANGUAGES = frozenset({"python", "typescript", "typescriptreact", "go", "rust", "java"})
_IMPORTS = frozenset({"import_statement", "import_from_statement", "import_declaration", "use_declaration"})
_COMMENTS = frozenset({"comment", "line_comment", "block_comment", "future_import_statement"})
"""Kinds of nodes that may be between imports."""

_MAX_LINES = 8
"""Lines, at most, of the import."""

_MIN_OTHERS = 1
"""Imports that the file has besides."""


@dataclass(frozen=True, slots=True)
class ImportSketch:
    """A change that adds an import, the lines of its sketch, and the accepted results.

    Attributes:
        kind: `above` or `below` the mark; `-change` behind it where another change is shown, too.
    """

    change: LineChange
    lines: list[str]
    accepted: tuple[tuple[str, ...], ...]
    kind: str


@dataclass(frozen=True, slots=True)
class _Imports:
    """The imports of a file.

    Attributes:
        spans: The lines [start, end) of each, in order.
        opener: The line `import (` of Go, if they are in brackets.
    """

    spans: tuple[tuple[int, int], ...]
    opener: int | None = None


def import_sketch(
    change: LineChange, imports_mark: Callable[[], str], code_mark: Callable[[], str], rng: random.Random
) -> ImportSketch | None:
    """Return a sketch that adds an import of the new file; None where no import can be taken out of both files.

    Args:
        change: The change of a real file.
        imports_mark: Returns a mark for imports, without its indentation.
        code_mark: Returns a mark for other code.
        rng: Decides everything else.
    """
    if change.language not in _LANGUAGES:
        return None
    shows_change = rng.random() < 0.5
    if not shows_change:
        change = LineChange(change.path, change.language, change.new, change.new)
    found = _imports(change.new, change.language)
    if found is None or len(found.spans) <= _MIN_OTHERS:
        return None
    number = 0 if rng.random() < 0.5 else len(found.spans) - 1
    start, end = found.spans[number]
    head, tail = found.spans[0][0], found.spans[-1][1]
    stayed = [change.old_line.get(line) for line in range(head, tail)]
    if (
        end - start > _MAX_LINES
        or stayed[0] is None
        or stayed != list(range(stayed[0], stayed[0] + tail - head))
    ):
        return None
    low, high = (end, found.spans[1][0]) if number == 0 else (found.spans[-2][1], start)
    if change.new.count(change.new[start]) > 1 or any(line.strip() for line in change.new[low:high]):
        return None
    shown = None
    if shows_change:
        shown = context(change)
        if min(shown.lines, default=0) <= tail or not shown.has_gap or not shown.has_one_reading():
            return None
    made = _without(change, found, number)
    lines = list(_sketch(change, found, number, shown, imports_mark, code_mark, rng))
    kind = ("below" if number else "above") + ("-change" if shows_change else "")
    accepted = tuple(dict.fromkeys((change.new, *_spaced(change.new, found, number))))
    return ImportSketch(made, lines, accepted, kind)


def _without(change: LineChange, found: _Imports, number: int) -> LineChange:
    """Return the change with an import added that the old file has not, nor the blank lines of its group."""
    start, end = found.spans[number]
    first, last = change.old_line[start], change.old_line[end - 1] + 1
    while number and not change.old[first - 1].strip():
        first -= 1
    while not number and not change.old[last].strip():
        last += 1
    old = (*change.old[:first], *change.old[last:])
    return LineChange(change.path, change.language, old, change.new)


def _spaced(lines: Sequence[str], found: _Imports, number: int) -> Iterator[tuple[str, ...]]:
    """Yield the lines with none or one blank line on either side of the import, or as many as there are."""
    start, end = found.spans[number]
    low, high = start, end
    while low > 0 and not lines[low - 1].strip():
        low -= 1
    while high < len(lines) and not lines[high].strip():
        high += 1
    for above, below in product({0, 1, start - low}, {0, 1, high - end}):
        yield (*lines[:low], *[""] * above, *lines[start:end], *[""] * below, *lines[high:])


def _sketch(
    change: LineChange,
    found: _Imports,
    number: int,
    shown: SnippetView | None,
    imports_mark: Callable[[], str],
    code_mark: Callable[[], str],
    rng: random.Random,
) -> Iterator[str]:
    """Yield the lines of the sketch: the import with its mark, and the other change with marks for the rest."""
    start, end = found.spans[number]
    new = change.new
    if rng.random() < 0.5:
        package = next((line for line in new if line.startswith("package ")), None)
        yield from [package, ""] if package is not None else []
    mark = indentation(new[start]) + imports_mark()
    yield from [new[found.opener]] if found.opener is not None else []
    yield from [mark, *new[start:end]] if number else [*new[start:end], mark]
    yield from [")"] if found.opener is not None else []
    if shown is None:
        if rng.random() < 0.5:
            yield from ["", code_mark()]
        return
    at = found.spans[-1][1]
    for run in shown.runs():
        hidden = [line for line in new[at : run.start] if line.strip()]
        yield from ["", indentation(hidden[0]) + code_mark(), ""] if hidden else [""]
        yield from new[run.start : run.stop]
        at = run.stop
    if hidden := [line for line in new[at:] if line.strip()]:
        yield from ["", indentation(hidden[0]) + code_mark()]


def _imports(lines: Sequence[str], language: str) -> _Imports | None:
    """Return the imports of a file that has no others below; None where one of them shares its lines."""
    tree = SyntaxTrees().tree(Snapshot.from_text("\n".join(lines) + "\n", language=language))
    if tree is None or tree.root_node.has_error:
        return None
    nodes = _import_nodes(tree.root_node)
    opener = None
    group = nodes[0].named_children[:1] if len(nodes) == 1 else []
    if group and group[0].type == "import_spec_list":  # Go
        opener = nodes[0].start_point.row
        nodes = [child for child in group[0].named_children if child.type == "import_spec"]
    spans = tuple((node.start_point.row, node.end_point.row + 1) for node in nodes)
    are_apart = all(end <= start for (_, end), (start, _) in pairwise(spans))
    if not spans or not are_apart or not all(_is_alone(node, lines) for node in nodes):
        return None
    if any(_is_below_comment(start, lines) for start, _ in (spans[0], spans[-1])):
        return None  # The comment above may belong to the import.
    return _Imports(spans, opener)


def _import_nodes(root: Node) -> list[Node]:
    """Return the imports of a file; none where something else is between two of them."""
    kinds = (child.type in _IMPORTS for child in root.named_children if child.type not in _COMMENTS)
    if sum(is_import for is_import, _ in groupby(kinds)) > 1:
        return []
    return [child for child in root.named_children if child.type in _IMPORTS]


def _is_alone(node: Node, lines: Sequence[str]) -> bool:
    """Return whether nothing is before an import on its first line, or behind it on its last one."""
    (first, column), (last, end) = node.start_point, node.end_point
    return not lines[first][:column].strip() and not lines[last].encode()[end:].strip(b"; ")


def _is_below_comment(number: int, lines: Sequence[str]) -> bool:
    above = lines[number - 1].strip() if number else ""
    return above.startswith(("#", "//", "*", "/*")) or above.endswith("*/")
