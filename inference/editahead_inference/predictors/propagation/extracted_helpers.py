"""Follow-ups of an extraction: the other places with the expression that became a function, or the value that got a name.

One place has to use the helper already, by the user's hand. The helper's expression is matched with the tree of each other
place: a parameter matches any expression, the same one wherever it occurs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from tree_sitter import Node

from editahead_prompts.syntax.functions import (
    called_name,
    is_method,
    named_function,
    parameters_of,
    returned_expression,
)
from editahead_prompts.syntax.language import Language, NodeTypes
from editahead_prompts.syntax.languages import find_language, nodes_of
from editahead_prompts.syntax.symbols import text_of
from editahead_prompts.text.identifiers import WORD
from editahead_prompts.text.snapshot import Snapshot
from editahead_prompts.text.word_patterns import WordPattern

from .changed_parameters import Parameters, column_of, read_parameters
from .document_index import DocumentIndex
from .follow_up import FollowUp, Situation, follow_ups
from .named_places import MODULE, knows_name, places_in, whole_word
from .proposal import Proposal
from .rule import shorten
from .token_patterns import KEYWORDS

_EXTRACTED = 0.7
"""Confidence that a place follows. It is chosen."""
_MAX_EDITS = 6
_MAX_HELPERS = 4
_MAX_LINES = 100
"""Lines with the word that is looked for."""
_MAX_NODES = 400
"""Nodes of an expression that is compared."""
_MAX_CLIMB = 10
"""Nodes around a word that may be the expression."""
_MAX_DEFINITION = 200
"""Characters of a line that may define a constant."""
_CONSTANT = WordPattern(
    r"\s*(?:export\s+|pub\s+|private\s+|public\s+|protected\s+|static\s+|final\s+|constexpr\s+|inline\s+)*"
    r"(?:(?:const|let|var)\s+)?(?:[\w<>:]+\s+)?(?P<name>[A-Z][A-Z0-9_]{2,}|k[A-Z]\w+)(?:\s*:\s*[^=]{1,40})?\s*:?=\s*"
    r"(?P<value>\d[\w.]{2,}|\"[^\"\\]{3,}\"|'[^'\\]{3,}')\s*;?\s*\Z"
)
_DECLARED = WordPattern(
    r"(?:export\s+|pub\s+|static\s+|inline\s+)*(?:const|constexpr)\s+(?:[\w<>:]+\s+)?(?P<name>[^\W\d]\w{2,})"
    r"(?:\s*:\s*[^=]{1,40})?\s*=\s*(?P<value>\d[\w.]{2,}|\"[^\"\\]{3,}\")\s*;?\s*\Z"
)
"""A constant of the module by its keyword, whatever its name is."""
_DEFINE = WordPattern(r"#\s*define\s+(?P<name>[A-Z_]\w+)\s+(?P<value>\d[\w.]{2,}|\"[^\"\\]{3,}\")\s*\Z")


@dataclass(frozen=True, slots=True)
class _Helper:
    """A function that only returns an expression.

    Attributes:
        name: The name.
        parameters: The names of its parameters, without the receiver.
        expression: The node of the expression.
        start: The first byte of the function.
        end: The byte after the function.
        lead: What a call has before the name, such as `self.`.
    """

    name: str
    parameters: tuple[str, ...]
    expression: Node
    start: int
    end: int
    lead: str


def follow_extractions(situation: Situation) -> Iterator[FollowUp]:
    """Yield the places that an extracted function or constant replaces."""
    for name, value in _constants(situation):
        yield from _uses_of_value(name, value, situation)
    for helper in _helpers(situation):
        if not _is_used(helper.name, situation, r"\s?\("):
            continue
        key, label = f"extracted:{helper.name}", f"use {helper.name}()"
        yield from follow_ups(_replaced(helper, situation), "extracted", key, label, _EXTRACTED)


def _inserted(situation: Situation) -> Iterator[tuple[int, int]]:
    """Yield the lines [start, end) of the last edits that brought lines."""
    for edit in situation.here(_MAX_EDITS):
        if len(edit.new) > len(edit.old):
            yield edit.line, min(edit.line + len(edit.new), len(situation.index.bodies))


def _is_used(name: str, situation: Situation, call: str = r"(?!\w)") -> bool:
    """Return whether an edit brought a use of the name, with `call` after it, to a line that was there before."""
    word = WordPattern(rf"(?<!\w){re.escape(name)}{call}")
    return any(
        any(word.search(line) for line in edit.new) and not any(word.search(line) for line in edit.old)
        for edit in situation.here(_MAX_EDITS)
        if edit.old and len(edit.old) == len(edit.new)
    )


def _constants(situation: Situation) -> Iterator[tuple[str, str]]:
    """Yield the constants that an edit put in the place of their value, with the value."""
    bodies = situation.index.bodies
    for start, end in _inserted(situation):
        for body in bodies[start : min(end, start + _MAX_LINES)]:
            match = _defined_constant(body)
            if match is not None and _is_used(match["name"], situation):
                yield match["name"], match["value"]
    for name, before, after in _brought_names(situation):
        for index in (situation.index, *situation.others()):
            value = _shared_value(name, index, situation)
            if value is not None and before.replace(value, name) == after:
                yield name, value


def _brought_names(situation: Situation) -> Iterator[tuple[str, str, str]]:
    """Yield the names that the last edits put into lines, with the line before and after."""
    for edit in situation.here(_MAX_EDITS):
        if edit.origin != "typed" or len(edit.old) != len(edit.new):
            continue
        for before, after in zip(edit.old, edit.new, strict=True):
            if before != after and max(len(before), len(after)) <= _MAX_DEFINITION:
                known = set(WORD.findall(before))
                yield from ((name, before, after) for name in WORD.findall(after) if name not in known)


def _shared_value(name: str, index: DocumentIndex, situation: Situation) -> str | None:
    """Return the value of the constant of a name that the functions of a module or of a type share."""
    trees, is_here = situation.trees, index is situation.index
    for line in index.lines_with(name)[:_MAX_LINES]:
        match = _defined_constant(index.bodies[line])
        if (
            match is None
            or match["name"] != name
            or not (is_here or knows_name(name, situation.index, index, trees))
        ):
            continue
        found = next(
            place for place in places_in([line], name, index, trees) if place.column == match.start("name")
        )
        if found.occurrence.role in ("member", "unknown") or found.occurrence.binder == MODULE:
            return match["value"]
    return None


def _defined_constant(body: str) -> re.Match[str] | None:
    """Return the name and the value of the constant that a line defines."""
    if len(body) >= _MAX_DEFINITION:
        return None
    return _CONSTANT.match(body) or _DECLARED.match(body) or _DEFINE.match(body)


def _uses_of_value(name: str, value: str, situation: Situation) -> Iterator[FollowUp]:
    index = situation.index
    literal, comments = (
        WordPattern(rf"(?<![\w.]){re.escape(value)}(?![\w.])"),
        nodes_of(index.snapshot.language).comments,
    )
    lines = [
        line for line in index.few_lines_with(value, _MAX_LINES) if not _defined_constant(index.bodies[line])
    ]

    def replaced(line: int) -> Proposal | None:
        at = index.snapshot.starts[line]

        def in_code(match: re.Match[str]) -> str:
            node = situation.trees.node_at(index.snapshot, at + match.start(), at + match.end())
            is_code = node is not None and node.text == value.encode() and node.type not in comments
            return name if is_code else match[0]

        made = literal.sub(in_code, index.bodies[line])
        return index.rewrite(line, made) if made != index.bodies[line] else None

    label = f"{shorten(value, 20)} -> {name}"
    found = filter(None, map(replaced, lines))
    yield from follow_ups(found, "extracted", f"extracted:{name}", label, _EXTRACTED)


def _helpers(situation: Situation) -> Iterator[_Helper]:
    """Yield the functions of which an edit brought the first line, and that only return an expression."""
    index = situation.index
    lines = (line for start, end in _inserted(situation) for line in range(start, end))
    with_brackets = (line for line in lines if "(" in index.bodies[line])
    yield from islice(filter(None, (_helper(line, situation) for line in with_brackets)), _MAX_HELPERS)


def _helper(line: int, situation: Situation) -> _Helper | None:
    """Return the function that begins in the line, if all it does is to return an expression."""
    index = situation.index
    language = find_language(index.snapshot.language)
    at = index.snapshot.starts[line] + len(index.indent(line))
    node = situation.trees.node_at(index.snapshot, at, at + 1)
    while node is not None and named_function(node, language.nodes) is None:
        node = node.parent
    function = named_function(node, language.nodes) if node is not None else None
    if function is None or function.start_point.row != line:
        return None
    name, parameters = called_name(function, language), _parameters(function, index, language)
    expression = returned_expression(function, language.nodes)
    if name is None or parameters is None or expression is None or not all(parameters.names):
        return None
    lead = _lead(function, parameters, language)
    if lead is None or parameters.labels:
        return None
    names = tuple(language.sigil + one for one in parameters.names)
    return _Helper(text_of(name), names, expression, function.start_byte, function.end_byte, lead)


def _parameters(function: Node, index: DocumentIndex, language: Language) -> Parameters | None:
    single, listed = function.child_by_field_name("parameter"), parameters_of(function, language.nodes)
    if single is not None:
        return Parameters((text_of(single),), (text_of(single),), {})
    if listed is None:
        return None
    row, column = listed.start_point
    return read_parameters(index.snapshot.lines, row, column_of(index.bodies[row], column), language)


def _lead(function: Node, parameters: Parameters, language: Language) -> str | None:
    """Return what a call has before the name of a function; None where it is called on an object that is not known."""
    if parameters.receiver:
        return f"{parameters.receiver}."
    if function.child_by_field_name("receiver") is not None:
        return None
    if not is_method(function, language.nodes) or language.implicit_this:
        return ""
    return "this." if "this" in language.own_object else None


def _replaced(helper: _Helper, situation: Situation) -> Iterator[Proposal]:
    """Yield the lines in which the helper's expression becomes a call."""
    index = situation.index
    snapshot: Snapshot = index.snapshot
    language = find_language(snapshot.language)
    word = _longest_word(helper)
    lines = index.few_lines_with(word, _MAX_LINES)
    if not lines or not snapshot.text.isascii():
        return
    for line in lines:
        found: dict[tuple[int, int], str] = {}
        for match in whole_word(word).finditer(index.bodies[line]):
            at = snapshot.starts[line] + match.start()
            node = situation.trees.node_at(snapshot, at, at + len(word))
            if helper.start <= at < helper.end or _is_inside(helper.name, node, language):
                continue
            site = _site(node, helper, language.nodes)
            if site is not None:
                found[site[0].start_byte, site[0].end_byte] = site[1]
        start, end = snapshot.starts[line], snapshot.starts[line] + len(index.bodies[line])
        made, stop = index.bodies[line], end
        for (first, last), text in sorted(found.items(), reverse=True):
            if start <= first and last <= stop:
                made = made[: first - start] + text + made[last - start :]
                stop = first
        if made != index.bodies[line]:
            yield index.rewrite(line, made)


def _is_inside(name: str, node: Node | None, language: Language) -> bool:
    """Return whether a node is in a function of this name, which would call itself."""
    while node is not None:
        if node.type in language.nodes.functions and text_of(called_name(node, language)) == name:
            return True
        node = node.parent
    return False


def _longest_word(helper: _Helper) -> str:
    """Return the longest word of the expression that is no parameter: each place has it."""
    words = WordPattern(r"\w+").findall(text_of(helper.expression))
    candidates = [
        w
        for w in words
        if w not in helper.parameters and w not in KEYWORDS and (len(w) > 2 or not w.isdigit())
    ]
    return max(candidates, key=len, default="")


def _site(node: Node | None, helper: _Helper, nodes: NodeTypes) -> tuple[Node, str] | None:
    """Return the expression around a node that the helper replaces, with the call."""
    for _ in range(_MAX_CLIMB):
        if node is None:
            return None
        if node.type == helper.expression.type:
            values: dict[str, str] = {}
            budget = [_MAX_NODES]
            if _unify(helper, nodes, (helper.expression, node), values, budget) and len(values) == len(
                helper.parameters
            ):
                call = f"{helper.lead}{helper.name}({', '.join(values[p] for p in helper.parameters)})"
                return _with_brackets(node, nodes), call
        node = node.parent
    return None


def _with_brackets(node: Node, nodes: NodeTypes) -> Node:
    """Return the brackets around an expression, if they only group it."""
    outer = node.parent
    if outer is None or outer.type not in nodes.parentheses or outer.parent is None:
        return node
    return node if outer.parent.type in nodes.conditions else outer


def _unify(
    helper: _Helper, nodes: NodeTypes, pair: tuple[Node, Node], values: dict[str, str], budget: list[int]
) -> bool:
    """Return whether a node is the model with expressions for the helper's parameters, which it adds to `values`."""
    model, node = pair
    budget[0] -= 1
    if budget[0] < 0:
        return False
    inner = node.named_children[0] if node.type in nodes.parentheses and node.named_children else None
    if model.type in nodes.variable_names and text_of(model) in helper.parameters:
        text = text_of(inner or node)
        return "\n" not in text and node.is_named and values.setdefault(text_of(model), text) == text
    if inner is not None and model.type not in nodes.parentheses:
        return _unify(helper, nodes, (model, inner), values, budget)
    if model.type != node.type or model.child_count != node.child_count:
        return False
    if model.child_count == 0:
        return model.text == node.text
    return all(
        _unify(helper, nodes, both, values, budget)
        for both in zip(model.children, node.children, strict=True)
    )
