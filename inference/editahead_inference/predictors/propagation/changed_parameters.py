"""Functions whose parameters past edits changed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tree_sitter import Node

from editahead_prompts.state import PastEdit
from editahead_prompts.syntax.functions import ParameterList, called_name, parameters_of
from editahead_prompts.syntax.language import Language
from editahead_prompts.syntax.languages import find_language
from editahead_prompts.syntax.symbols import text_of
from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.identifiers import WORD
from editahead_prompts.text.word_patterns import WordPattern

from .argument_rules import RECEIVER, argument_spans
from .calls import WINDOW
from .document_index import DocumentIndex
from .named_places import MAX_WIDTH

_MAX_CLIMB = 12
_OPENINGS = re.compile(r"\(+")
_OMITTED = re.compile(r"=(?!=)|\?\s*:")
"""What shows that a call may leave a parameter out."""
_VARIADIC = re.compile(r"\.\.\.|\A\*")
_REST = re.compile(r"\*\*?|\.\.\.")
_NOT_NAMES = frozenset({"mut", "ref", "public", "private", "protected", "readonly"})


@dataclass(frozen=True, slots=True)
class Parameters:
    """The parameters that calls of a function pass.

    Attributes:
        written: The parameters as written.
        names: Their names; "" for a pattern.
        labels: What calls write before the arguments of those that are passed by their names only.
        receiver: The name of the object before them; "" without one.
    """

    written: tuple[str, ...]
    names: tuple[str, ...]
    labels: Mapping[str, str]
    receiver: str = ""

    def is_optional(self, place: int) -> bool:
        """Return whether a call may leave a parameter out."""
        return _OMITTED.search(self.written[place]) is not None

    def counts(self, language: Language) -> range:
        """Return the numbers of arguments that a call may have."""
        needed = [place for place in range(len(self.written)) if not self.is_variadic(place)]
        most = len(needed) if len(needed) == len(self.written) else 1 << 30
        if language.passes_all_arguments:
            return range(len(needed), most + 1)
        return range(sum(not self.is_optional(place) for place in needed), most + 1)

    def is_variadic(self, place: int) -> bool:
        """Return whether a parameter takes any number of arguments."""
        return _VARIADIC.search(self.written[place]) is not None

    def rest(self, place: int) -> str:
        """Return the sign that makes a parameter take all other arguments; "" without one."""
        match = _REST.match(self.written[place])
        return match[0] if match is not None else ""


@dataclass(frozen=True, slots=True)
class ParameterChange:
    """A function whose parameters an edit changed.

    Attributes:
        name: What calls are written with: for a constructor, the class.
        place: The 0-based line and column of that name's definition.
        lines: The first and the last line of the parameters.
        last: The last line of the function.
        old: The parameters before.
        new: The parameters now.
    """

    edit: PastEdit
    name: str
    place: tuple[int, int]
    lines: tuple[int, int]
    last: int
    old: Parameters
    new: Parameters

    @property
    def is_named(self) -> bool:
        """Whether all parameters have names."""
        return all((*self.old.names, *self.new.names))

    @property
    def keeps_calls(self) -> bool:
        """Whether each call stays right: there are only new parameters behind the others, which a call may leave out."""
        before, after = self.old.names, self.new.names
        more = range(len(before), len(after))
        return after[: len(before)] == before and all(
            self.new.is_optional(place) or self.new.is_variadic(place) for place in more
        )


class _Function(NamedTuple):
    node: Node
    name: Node
    parameters: ParameterList


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
        for found in functions_at(line, origin, trees):
            change = _change(edit, origin, found) if found.node.id not in seen else None
            seen.add(found.node.id)
            if change is not None:
                yield change


def functions_at(line: int, index: DocumentIndex, trees: SyntaxTrees) -> Iterator[_Function]:
    """Yield the functions around the start of a line and around its opening brackets."""
    body, language = index.bodies[line], find_language(index.snapshot.language)
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
            parameters = parameters_of(node, language.nodes)
            name = called_name(node, language) if parameters is not None else None
            if parameters is not None and name is not None:
                yield _Function(node, name, parameters)
                break
            node = node.parent


def _openings(body: str) -> Iterator[int]:
    """Yield the columns of the first and the last bracket of each run: those between open no parameters."""
    for run in _OPENINGS.finditer(body):
        yield run.start()
        if len(run[0]) > 1:
            yield run.end() - 1


def parameters_at(index: DocumentIndex, line: int, end: int, trees: SyntaxTrees) -> Parameters | None:
    """Return the parameters of the function whose name ends in a line at a column."""
    lines, language = index.snapshot.lines, find_language(index.snapshot.language)
    for found in functions_at(line, index, trees):
        row, column = found.name.end_point
        if row == line and column_of(lines[line], column) == end:
            row, column = found.parameters.start_point
            return read_parameters(lines, row, column_of(lines[row], column), language)
    return None


def column_of(line: str, column: int) -> int:
    """Return a column in bytes as one in characters."""
    return len(line.encode("utf-8", "replace")[:column].decode("utf-8", "replace"))


def _change(edit: PastEdit, origin: DocumentIndex, found: _Function) -> ParameterChange | None:
    language, lines = find_language(origin.snapshot.language), origin.snapshot.lines
    (first, column), (last, _) = found.parameters.start_point, found.parameters.end_point
    if not first <= edit.line + len(edit.new) or edit.line > last:
        return None
    column = column_of(lines[first], column)
    before = (*lines[: edit.line], *edit.old, *lines[edit.line + len(edit.new) :])
    opens = _opening_before(edit, first, lines[first][:column], before)
    old = read_parameters(before, *opens, language) if opens is not None else None
    new = read_parameters(lines, first, column, language)
    if old is None or new is None or old.written == new.written:
        return None
    row, column = found.name.start_point
    place, end = (row, column_of(lines[row], column)), found.node.end_point.row
    return ParameterChange(edit, text_of(found.name), place, (first, last), end, old, new)


def _opening_before(edit: PastEdit, row: int, head: str, before: Sequence[str]) -> tuple[int, int] | None:
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


def read_parameters(lines: Sequence[str], row: int, column: int, language: Language) -> Parameters | None:
    """Return the parameters in the bracket that opens at a place; None where it does not close, or one is still missing.

    Args:
        lines: The lines of the document.
        row: The line of the bracket.
        column: Its column.
        language: The language.
    """
    text = "".join(lines[row : row + WINDOW])
    spans = argument_spans(text, column)
    if spans is None:
        return None
    listed = [" ".join(text[a:b].split()) for a, b in spans]
    found = list(_without_type_arguments(listed))
    if len(found) > 1 and not found[-1] and "\n" in text[spans[0][0] : spans[-1][1]]:
        found.pop()
    if found in ([""], ["void"]):
        found = []
    if not all(found):
        return None
    receiver = RECEIVER.match(found[0]) if found and "self" in language.own_object else None
    if receiver is not None:
        found = found[1:]
    written = tuple(one for one in found if one not in ("*", "/"))
    names = tuple(parameter_name(one, language) for one in written)
    return Parameters(written, names, _labels(listed, language), receiver["name"] if receiver else "")


def _labels(texts: Sequence[str], language: Language) -> Mapping[str, str]:
    """Return what calls write before the arguments of the parameters that are passed by their names only."""
    known = language.keyword_parameters
    if known is None:
        return {}
    if known.form:
        named = [one for one in texts if re.match(known.form, one)]
    else:
        sign = next((n for n, one in enumerate(texts) if re.match(known.behind, one)), len(texts))
        named = list(texts[sign + 1 :])
    names = ((parameter_name(one, language), one) for one in named)
    return {name: WORD.findall(one)[0] if language.has_labels else name for name, one in names if name}


def passed_variable(name: str, language: str, label: str = "") -> str:
    """Return the argument that passes a variable to the parameter of the same name, behind a label if it has one."""
    known = find_language(language)
    value = f"{known.sigil}{name}"
    between = known.keyword_parameters.between if known.keyword_parameters is not None else "="
    return f"{label}{between}{value}" if label else value


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


def parameter_name(parameter: str, language: Language) -> str:
    """Return the name of a parameter; "" for a pattern."""
    is_typed_first = language.type_notation == "before"
    plain = re.split(r"=(?!=)|\[", parameter)[0] if is_typed_first else parameter
    if language.has_labels:
        plain = parameter.partition(":")[0]
    names = [] if plain.startswith(("{", "[", "(")) else WORD.findall(plain)
    if is_typed_first or language.has_labels:
        return names[-1] if names else ""
    return next((name for name in names if name not in _NOT_NAMES), "")
