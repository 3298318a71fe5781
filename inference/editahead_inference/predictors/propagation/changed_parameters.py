"""Functions whose parameters past edits changed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tree_sitter import Node

from editahead_prompts.state import PastEdit
from editahead_prompts.syntax.language import Language
from editahead_prompts.syntax.languages import find_language
from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.identifiers import WORD
from editahead_prompts.text.word_patterns import WordPattern

from .argument_rules import argument_spans
from .calls import WINDOW
from .document_index import DocumentIndex
from .named_places import MAX_WIDTH

_MAX_CLIMB = 12
_FUNCTION = re.compile(r"function|method|constructor|declaration\Z")
_OPENINGS = re.compile(r"\(+")
_RECEIVER = WordPattern(r"(?:&\s*(?:'\w+\s+)?)?(?:mut\s+)?(?:self|cls)\b|this\s*:|[*/]\Z")
"""A first parameter, or a mark among parameters, that calls do not pass."""


@dataclass(frozen=True, slots=True)
class ParameterChange:
    """A function whose parameters an edit changed.

    Attributes:
        name: What calls are written with: for a constructor, the class.
        place: The 0-based line and column of that name's definition.
        lines: The first and the last line of the parameters.
        last: The last line of the function.
        old: The parameters before, without those that calls do not pass.
        new: The parameters now.
        keywords: The names of those that are passed by their names only.
    """

    edit: PastEdit
    name: str
    place: tuple[int, int]
    lines: tuple[int, int]
    last: int
    old: tuple[str, ...]
    new: tuple[str, ...]
    keywords: frozenset[str]

    def added_parameter(self, language: str) -> int | None:
        """Return the index of the only parameter that is new, the others being as before; None without one."""
        old, new = ([parameter_name(one, language) for one in side] for side in (self.old, self.new))
        if len(new) != len(old) + 1 or not all((*old, *new)):
            return None
        place = next((n for n, (a, b) in enumerate(zip(new, old, strict=False)) if a != b), len(old))
        return place if new[:place] + new[place + 1 :] == old else None


def changes_parameters(edit: PastEdit, origin: DocumentIndex | None, trees: SyntaxTrees) -> bool:
    """Return whether an edit changed the parameters of a function where it is defined.

    Args:
        edit: The edit.
        origin: The index of its document; None if it is closed.
        trees: The syntax trees.
    """
    return origin is not None and any(True for _ in parameter_changes(edit, origin, trees))


def parameter_changes(edit: PastEdit, origin: DocumentIndex, trees: SyntaxTrees) -> Iterator[ParameterChange]:
    """Yield the functions of which an edit changed the parameters."""
    seen: set[int] = set()
    last = min(edit.line + max(len(edit.new), 1), len(origin.bodies))
    for line in range(edit.line, min(last, edit.line + WINDOW)):
        for function, parameters in functions_at(line, origin, trees):
            change = _change(edit, origin, function, parameters) if function.id not in seen else None
            seen.add(function.id)
            if change is not None:
                yield change


def functions_at(line: int, index: DocumentIndex, trees: SyntaxTrees) -> Iterator[tuple[Node, Node]]:
    """Yield the functions around the start of a line and around its opening brackets, with their parameters."""
    body = index.bodies[line]
    if len(body) > MAX_WIDTH:
        return
    seen: set[int] = set()
    for column in (len(index.indent(line)), *_openings(body)):
        at = index.snapshot.starts[line] + column
        node = trees.node_at(index.snapshot, at, at + 1)
        for _ in range(_MAX_CLIMB):
            if node is None or node.id in seen:
                break
            seen.add(node.id)
            parameters = _parameters_of(node) if _FUNCTION.search(node.type) else None
            if parameters is not None:
                yield node, parameters
                break
            node = node.parent


def _openings(body: str) -> Iterator[int]:
    """Yield the columns of the first and the last bracket of each run: those between open no parameters."""
    for run in _OPENINGS.finditer(body):
        yield run.start()
        if len(run[0]) > 1:
            yield run.end() - 1


def parameters_at(
    index: DocumentIndex, line: int, end: int, trees: SyntaxTrees
) -> tuple[tuple[str, ...], frozenset[str]] | None:
    """Return the parameters of the function whose name ends in a line at a column, and those that are passed by name."""
    lines, language = index.snapshot.lines, find_language(index.snapshot.language)
    for function, parameters in functions_at(line, index, trees):
        name, first = _name_of(function, language), parameters.start_point.row
        if (
            name is not None
            and name.end_point.row == line
            and column_of(lines[line], name.end_point.column) == end
        ):
            text = "".join(lines[first : first + WINDOW])
            spans = argument_spans(text, column_of(lines[first], parameters.start_point.column))
            passed = None if spans is None else passed_parameters(text, spans, index.snapshot.language)
            if spans is None or passed is None:
                return None
            return passed, _keyword_only(text, spans, index.snapshot.language)
    return None


def column_of(line: str, column: int) -> int:
    """Return a column in bytes as one in characters."""
    return len(line.encode("utf-8", "replace")[:column].decode("utf-8", "replace"))


def _parameters_of(function: Node) -> Node | None:
    found = function.child_by_field_name("parameters")
    at = function.child_by_field_name("declarator")
    while found is None and at is not None:  # C
        found = at.child_by_field_name("parameters")
        at = at.child_by_field_name("declarator")
    return found


def _name_of(function: Node, language: Language) -> Node | None:
    """Return the node of the name that calls are written with."""
    name = function.child_by_field_name("name")
    at = function.child_by_field_name("declarator")
    while name is None and at is not None:
        if at.type in ("identifier", "field_identifier"):
            return at
        if at.type == "qualified_identifier":
            name = at.child_by_field_name("name")
        at = at.child_by_field_name("declarator")
    if name is None and function.parent is not None and function.parent.type == "variable_declarator":
        return function.parent.child_by_field_name("name")
    if name is None or (name.text or b"").decode("utf-8", "replace") not in language.constructors:
        return name
    above = function.parent
    while above is not None and above.type not in language.nodes.types:
        above = above.parent
    return above.child_by_field_name("name") if above is not None else None


def _change(
    edit: PastEdit, origin: DocumentIndex, function: Node, parameters: Node
) -> ParameterChange | None:
    node = _name_of(function, find_language(origin.snapshot.language))
    first, last = parameters.start_point.row, parameters.end_point.row
    if node is None or not first <= edit.line + len(edit.new) or edit.line > last:
        return None
    name = (node.text or b"").decode("utf-8", "replace")
    lines = origin.snapshot.lines
    open_at = column_of(lines[first], parameters.start_point.column)
    now = argument_spans("".join(lines[first : first + WINDOW]), open_at)
    before = (*lines[: edit.line], *edit.old, *lines[edit.line + len(edit.new) :])
    row = _row_before(edit, first, lines[first][:open_at], before)
    if row is None or now is None:
        return None
    was_text = "".join(before[row[0] : row[0] + WINDOW])
    was = argument_spans(was_text, row[1])
    if was is None:
        return None
    language = origin.snapshot.language
    old = passed_parameters(was_text, was, language)
    text = "".join(lines[first : first + WINDOW])
    new = passed_parameters(text, now, language)
    if old is None or new is None or old == new:
        return None
    column = column_of(origin.bodies[node.start_point.row], node.start_point.column)
    place = node.start_point.row, column
    keywords = _keyword_only(text, now, language)
    return ParameterChange(edit, name, place, (first, last), function.end_point.row, old, new, keywords)


def _row_before(edit: PastEdit, row: int, head: str, before: Sequence[str]) -> tuple[int, int] | None:
    """Return where the parameters began before the edit: the line and the column of the bracket."""
    if row < edit.line:
        return row, len(head)
    same = (at for at in range(edit.line, edit.line + len(edit.old)) if before[at].startswith(f"{head}("))
    if (at := next(same, None)) is not None:
        return at, len(head)
    callee = WORD.findall(head)
    if not callee:
        return None
    opens = WordPattern(rf"(?<!\w){re.escape(callee[-1])}\s?(?:<[^<>()]*>)?\(")
    for at in range(edit.line, edit.line + len(edit.old)):
        match = opens.search(before[at][:MAX_WIDTH])
        if match is not None:
            return at, match.end() - 1
    return None


def passed_parameters(text: str, spans: Sequence[tuple[int, int]], language: str) -> tuple[str, ...] | None:
    """Return the parameters that calls pass; None where one of them is still missing."""
    found = list(_without_type_arguments([" ".join(text[a:b].split()) for a, b in spans]))
    if len(found) > 1 and not found[-1] and "\n" in text[spans[0][0] : spans[-1][1]]:
        found.pop()
    if found in ([""], ["void"]):
        return ()
    if not all(found):
        return None
    if language in ("python", "rust") and _RECEIVER.match(found[0]):
        found = found[1:]
    return tuple(one for one in found if not (language == "python" and one in ("*", "/")))


def _keyword_only(text: str, spans: Sequence[tuple[int, int]], language: str) -> frozenset[str]:
    """Return the names of the parameters that are passed by their names only."""
    known, texts = find_language(language).keyword_parameters, [text[a:b].strip() for a, b in spans]
    if known is None:
        return frozenset()
    if known.form:
        return frozenset(parameter_name(one, language) for one in texts if re.match(known.form, one))
    sign = next((n for n, one in enumerate(texts) if re.match(known.behind, one)), len(texts))
    return frozenset(parameter_name(one, language) for one in texts[sign + 1 :])


def passed_variable(name: str, language: str, *, by_name: bool = False) -> str:
    """Return the argument that passes a variable to the parameter of the same name."""
    known = find_language(language)
    value = f"{known.sigil}{name}"
    between = known.keyword_parameters.between if known.keyword_parameters is not None else "="
    return f"{name}{between}{value}" if by_name else value


def _without_type_arguments(texts: Sequence[str]) -> Iterator[str]:
    """Yield the parameters of a list that was also split at the commas of their types' arguments."""
    held = ""
    for text in texts:
        held = f"{held}, {text}" if held else text
        opened = held.replace("->", "").replace("=>", "")
        if opened.count("<") <= opened.count(">"):
            yield held
            held = ""
    if held:
        yield held


def parameter_name(parameter: str, language: str) -> str:
    """Return the name of a parameter; "" for a pattern."""
    plain = (
        re.split(r"=(?!=)|\[", parameter)[0]
        if find_language(language).type_notation == "before"
        else parameter
    )
    names = WORD.findall(plain)
    if not names or plain.startswith(("{", "[", "(")):
        return ""
    if find_language(language).type_notation == "before":
        return str(names[-1])
    skipped = ("mut", "ref", "public", "private", "protected", "readonly")
    return str(next((name for name in names if name not in skipped), ""))
