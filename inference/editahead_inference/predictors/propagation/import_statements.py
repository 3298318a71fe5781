"""The import statements of a document: parsed, and with one name added where the document's own order puts it.

Only statements at the top level count. So a name that is imported for type checkers only, in a function, or in a
docstring's example is no witness for an import at run time.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from tree_sitter import Node

from editahead_prompts.syntax.language import NodeTypes
from editahead_prompts.syntax.languages import nodes_of
from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.indentation import indentation
from editahead_prompts.text.snapshot import Snapshot, line_end

from .import_styles import ImportStyle, Statement, Wanted, import_style
from .proposal import Proposal

T = TypeVar("T")

_MAX_WIDTH = 88
"""Characters of a line with imports. A longer one would be laid out in a way that is not known."""
_ONE_LINE = re.compile(r"(.*?[{(]\s*|.*?\bimport\s+)(\S.*?)(\s*[)}].*|\s*(?:#.*)?)\Z")
"""The parts of a statement on one line: before the list, the list, after the list."""


def parse_imports(snapshot: Snapshot, trees: SyntaxTrees) -> list[Statement]:
    """Return the import statements at the top level of a document, in document order; [] without a grammar."""
    tree = trees.tree(snapshot)
    if tree is None:
        return []
    nodes, style = nodes_of(snapshot.language), import_style(snapshot.language)
    return [
        statement
        for node in tree.root_node.named_children
        if node.type in nodes.imports or node.type in nodes.import_calls
        for spec in _specs(node, nodes)
        if (statement := _parse(spec, style)) is not None
    ]


def _specs(node: Node, nodes: NodeTypes) -> Iterator[Node]:
    """Yield the parts of a statement that import on their own, else the statement."""
    lists = [child for child in node.named_children if child.type in nodes.import_lists]
    if lists:
        yield from (spec for spec in lists[0].named_children if spec.type in nodes.import_paths)
    else:
        yield node


def _parse(node: Node, style: ImportStyle) -> Statement | None:
    text = (node.text or b"").decode("utf-8", "replace")
    flat = " ".join(re.sub(r"(?:#|//)[^\n]*", "", text).split())
    parsed = style.parse(flat)
    return None if parsed is None else Statement(node.start_point.row, node.end_point.row + 1, *parsed, text)


def has_wildcard(statements: Sequence[Statement]) -> bool:
    """Return whether a statement imports all names of a module, so that any name may be bound."""
    return any(item.name == "*" for statement in statements for item in statement.items)


def add_imports(
    snapshot: Snapshot,
    statements: Sequence[Statement],
    wanted: Sequence[Wanted],
    *,
    anywhere: bool = False,
) -> Proposal | None:
    """Return the edit that imports more names, or None where the place or the layout is not clear.

    Args:
        snapshot: The document.
        statements: Its import statements.
        wanted: The names that are not imported yet; several only if they come from one module by a list.
        anywhere: Whether a module that is like none of the imported ones goes behind them.
    """
    first = wanted[0]
    listed = [s for s in statements if s.module == first.module and s.form == first.form]
    if takes_list(first, snapshot.language):
        lists = sorted((s for s in listed if s.items), key=lambda s: not _listed_names(s))
        if lists:
            return _add_to_list(snapshot, lists[0], [one.item for one in wanted], statements)
    return None if listed and first.form == "module" else _add_line(snapshot, statements, wanted, anywhere)


def takes_list(wanted: Wanted, language: str) -> bool:
    """Return whether one statement can import several names from the module."""
    return wanted.form in ("from", "type") and import_style(language).has_lists


def join_proposals(snapshot: Snapshot, proposals: Sequence[Proposal]) -> Proposal | None:
    """Return one proposal that makes all changes, or None if they overlap."""
    ordered = sorted(proposals, key=lambda p: (p.start, p.end, p.lines))
    lines: list[str] = []
    at = ordered[0].start
    for proposal in ordered:
        if proposal.start < at:
            return None
        lines += (*snapshot.lines[at : proposal.start], *proposal.lines)
        at = proposal.end
    return Proposal(ordered[0].start, at, tuple(lines))


def _listed_names(statement: Statement) -> list[str]:
    return [item.item for item in statement.items if item.form != "default"]


def _add_to_list(
    snapshot: Snapshot, statement: Statement, items: Sequence[str], statements: Sequence[Statement]
) -> Proposal | None:
    names = _listed_names(statement)
    lines = snapshot.lines[statement.start : statement.end]
    new = list(names)
    for item in items:
        new.insert(_place(new, item, _name_orders(snapshot.language, statements)), item)
    if len(lines) == 1:
        if len(lines[0]) > _MAX_WIDTH:
            return None
        match = _ONE_LINE.match(lines[0].rstrip("\r\n"))
        if not names:  # of a default import only
            text = re.sub(r"\s+from\b", f", {{ {', '.join(new)} }} from", lines[0].rstrip("\r\n"), count=1)
        elif match is not None and ", ".join(names) == match[2].rstrip(","):
            text = f"{match[1]}{', '.join(new)}{match[3]}"
        elif import_style(snapshot.language).is_path and len(names) == 1 and "{" not in lines[0]:
            text = f"{lines[0].rpartition('::')[0]}::{{{', '.join(new)}}};"
        else:
            return None
        if len(text) > _MAX_WIDTH:
            return None
        return Proposal(statement.start, statement.end, (text + line_end(lines[0]),))
    bare = [line.strip().removesuffix(",") for line in lines]
    rows = [row for row, text in enumerate(bare) if text in names]
    if [bare[row] for row in rows] != names or not all(lines[row].rstrip().endswith(",") for row in rows):
        return None
    if rows[-1] - rows[0] != len(rows) - 1:
        return None
    model = lines[rows[0]]
    indent = indentation(model)
    start = statement.start + rows[0]
    return Proposal(start, start + len(rows), tuple(f"{indent}{name},{line_end(model)}" for name in new))


def _add_line(
    snapshot: Snapshot, statements: Sequence[Statement], wanted: Sequence[Wanted], anywhere: bool
) -> Proposal | None:
    module, form = wanted[0].module, wanted[0].form
    style = import_style(snapshot.language)
    likeness = [_likeness(s.module, module, style.is_standard) for s in statements]
    is_near = any(likeness) or (style.has_one_block and _is_one_block(statements))
    if not likeness or not (is_near or anywhere):
        return None
    is_first = style.begins_with_standard and style.is_standard(module)
    best = max(
        range(len(statements)), key=lambda n: (likeness[n], statements[n].form == form, -n if is_first else n)
    )
    first = last = best
    while first > 0 and statements[first - 1].end == statements[first].start:
        first -= 1
    while last + 1 < len(statements) and statements[last].end == statements[last + 1].start:
        last += 1
    block = statements[first : last + 1]
    items = sorted((one.item for one in wanted), key=str.lower)
    text = write_import(snapshot, statements[best], wanted[0], items)
    if text is None or len(text) > _MAX_WIDTH:
        return None
    made = Statement(0, 1, module, form, tuple(wanted), text.strip())
    place = _place(block, made, _statement_orders(style), default=best - first + 1)
    at = block[place].start if place < len(block) else block[-1].end
    model = snapshot.lines[statements[best].start]
    return Proposal(at, at, (text + (line_end(model) or snapshot.eol),))


def _is_one_block(statements: Sequence[Statement]) -> bool:
    """Return whether no line is between the statements."""
    return all(one.end == other.start for one, other in itertools.pairwise(statements))


def write_import(snapshot: Snapshot, model: Statement, wanted: Wanted, items: Sequence[str]) -> str | None:
    """Return the line of the new statement, in the style of the document's statement `model`."""
    return import_style(snapshot.language).write(snapshot, model, wanted, items)


def _likeness(one: str, other: str, is_standard: Callable[[str], bool]) -> float:
    """Return how near two modules are: the number of leading parts that they share."""
    a, b = ([module[:1] == ".", *re.findall(r"[^./:\\]+", module)] for module in (one, other))
    a, b = (parts if parts[0] else parts[1:] for parts in (a, b))
    shared = next((n for n, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    if is_standard(one) != is_standard(other):
        return 0.0
    return shared + 0.5 * is_standard(one)


def _rank(name: str) -> tuple[int, str]:
    """Return isort's order of names: constants, classes, the rest."""
    return (0 if name.isupper() and len(name) > 1 else 1 if name[:1].isupper() else 2, name)


_NAME_ORDERS: tuple[Callable[[str], Any], ...] = (
    str.lower,
    str,
    _rank,
    lambda name: (name[:1].isupper(), name),
)


def _name_orders(language: str, statements: Sequence[Statement]) -> list[Callable[[str], Any]]:
    """Return the orders of names, the one first that holds best in all lists of the document."""
    orders = (_rank, *_NAME_ORDERS) if import_style(language).has_ranks else _NAME_ORDERS
    lists = [[item.item for item in statement.items] for statement in statements]
    return sorted(
        orders, key=lambda order: sum(_descents([order(name) for name in names]) for names in lists)
    )


_LINE_ORDERS: tuple[Callable[[Statement], Any], ...] = (
    lambda s: (s.form != "module", s.module.lower(), s.text.lower()),
    lambda s: (s.module.lower(), s.text.lower()),
    lambda s: s.text,
    lambda s: (s.form == "static", s.text),
    lambda s: s.module.lower(),
)
_PATH_ORDERS: tuple[Callable[[Statement], Any], ...] = (lambda s: s.text,)
"""The orders in which lists and blocks are kept; the one that holds best decides where a new element belongs."""
_USUAL_FORMS = ("from", "all")
"""The forms of imports that come before others in a block of all forms."""
_MAX_DISORDER = 0.25
"""Elements that are less than the one before them, as a share of all, up to which a block has an order."""


def _statement_orders(style: ImportStyle) -> Sequence[Callable[[Statement], Any]]:
    """Return the orders in which a language's blocks of imports may be."""
    if not style.has_one_block:
        return _PATH_ORDERS if style.is_path else _LINE_ORDERS

    def by_kind(s: Statement) -> tuple[bool, bool, str]:
        return s.form not in _USUAL_FORMS, not style.is_standard(s.module), s.text.rstrip(";").lower()

    return by_kind, *_LINE_ORDERS


def _place(
    known: Sequence[T], new: T, orders: Sequence[Callable[[T], Any]], default: int | None = None
) -> int:
    """Return the index at which `new` keeps the order of `known` best; without an order, `default` or the end."""
    keyed = [([order(element) for element in known], order(new)) for order in orders]
    keys, key = min(keyed, key=lambda pair: _descents(pair[0]))
    if _descents(keys) > _MAX_DISORDER * len(keys):
        return len(known) if default is None else default
    place = misplaced = 0  # the elements on the wrong side of `new`, relative to the first place
    least = 0
    for number, other in enumerate(keys, 1):
        misplaced += (other > key) - (other < key)
        if misplaced <= least:
            place, least = number, misplaced
    return place


def _descents(keys: Sequence[Any]) -> int:
    return sum(a > b for a, b in itertools.pairwise(keys))
