"""Follow-ups of an extraction: the other places with the expression that became a function, or the value that got a name.

One place has to use the helper already, by the user's hand. The helper's expression is matched with the tree of each other
place: a parameter matches any expression, the same one wherever it occurs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tree_sitter import Node

from editahead_prompts.syntax.language import NodeTypes
from editahead_prompts.syntax.languages import nodes_of
from editahead_prompts.text.identifiers import WORD
from editahead_prompts.text.snapshot import Snapshot, line_end
from editahead_prompts.text.word_patterns import WordPattern

from .bindings import MODULE
from .document_index import DocumentIndex
from .follow_up import FollowUp, Situation
from .named_places import knows_name, other_indexes, whole_word
from .proposal import Proposal
from .rule import shorten
from .rule_runs import join_neighbours
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
_PLAIN = WordPattern(r"[^\W\d]\w*\Z")
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
        proposals = list(_replaced(helper, situation))
        label = f"use {helper.name}()"
        for proposal in join_neighbours(proposals):
            yield FollowUp(proposal, "extracted", f"extracted:{helper.name}", label, _EXTRACTED)


def _inserted(situation: Situation) -> Iterator[tuple[int, int]]:
    """Yield the lines [start, end) of the last edits that brought lines."""
    for number, edit in enumerate(situation.here()):
        if number == _MAX_EDITS:
            return
        if len(edit.new) > len(edit.old):
            yield edit.line, min(edit.line + len(edit.new), len(situation.index.bodies))


def _is_used(name: str, situation: Situation, call: str = r"(?!\w)") -> bool:
    """Return whether an edit brought a use of the name, with `call` after it, to a line that was there before."""
    word = WordPattern(rf"(?<!\w){re.escape(name)}{call}")
    return any(
        any(word.search(line) for line in edit.new) and not any(word.search(line) for line in edit.old)
        for edit in list(situation.here())[:_MAX_EDITS]
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
        for index in (situation.index, *other_indexes(situation.state, situation.index, situation.home)()):
            value = _shared_value(name, index, situation)
            if value is not None and before.replace(value, name) == after:
                yield name, value


def _brought_names(situation: Situation) -> Iterator[tuple[str, str, str]]:
    """Yield the names that the last edits put into lines, with the line before and after."""
    for edit in list(situation.here())[:_MAX_EDITS]:
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
        at = index.snapshot.starts[line] + match.start("name")
        found = trees.occurrence(index.snapshot, at, at + len(name))
        if found.role in ("member", "unknown") or found.binder == MODULE:
            return match["value"]
    return None


def _defined_constant(body: str) -> re.Match[str] | None:
    """Return the name and the value of the constant that a line defines."""
    if len(body) >= _MAX_DEFINITION:
        return None
    return _CONSTANT.match(body) or _DECLARED.match(body) or _DEFINE.match(body)


def _uses_of_value(name: str, value: str, situation: Situation) -> Iterator[FollowUp]:
    index, trees = situation.index, situation.trees
    literal = WordPattern(rf"(?<![\w.]){re.escape(value)}(?![\w.])")
    proposals = []
    lines = index.lines_with(value)
    for line in lines if len(lines) <= _MAX_LINES else ():
        body = index.bodies[line]
        if _defined_constant(body):
            continue
        at = index.snapshot.starts[line]

        def is_code(match: re.Match[str], at: int = at) -> bool:
            node = trees.node_at(index.snapshot, at + match.start(), at + match.end())
            return node is not None and node.text == value.encode() and "comment" not in node.type

        made = literal.sub(lambda match: name if is_code(match) else match[0], body)
        if made != body:
            proposals.append(Proposal(line, line + 1, (made + line_end(index.snapshot.lines[line]),)))
    for proposal in join_neighbours(proposals):
        label = f"{shorten(value, 20)} -> {name}"
        yield FollowUp(proposal, "extracted", f"extracted:{name}", label, _EXTRACTED)


def _helpers(situation: Situation) -> Iterator[_Helper]:
    index, found = situation.index, 0
    for start, end in _inserted(situation):
        for line in range(start, end):
            body = index.bodies[line]
            if "(" not in body or found == _MAX_HELPERS:
                continue
            at = index.snapshot.starts[line] + len(index.indent(line))
            node = situation.trees.node_at(index.snapshot, at, at + 1)
            helper = _helper(node, line, nodes_of(index.snapshot.language))
            if helper is not None:
                found += 1
                yield helper


def _helper(node: Node | None, line: int, nodes: NodeTypes) -> _Helper | None:
    """Return the function that begins in the line, if all it does is to return an expression."""
    while node is not None and node.type not in nodes.functions:
        if node.start_point.row < line:
            return None
        function = _arrow(node)
        if function is not None:
            return function
        node = node.parent
    if node is None or node.start_point.row != line:
        return None
    name, parameters = _name(node), _parameters(node)
    expression = _returned(node.child_by_field_name("body"))
    if not name or parameters is None or expression is None:
        return None
    lead = ""
    if parameters and parameters[0] in ("self", "&self", "cls"):
        lead, parameters = f"{parameters[0].lstrip('&')}.", parameters[1:]
    elif node.type == "method_definition":
        lead = "this."
    elif node.child_by_field_name("receiver") is not None:
        return None
    return _Helper(name, parameters, expression, node.start_byte, node.end_byte, lead)


def _arrow(node: Node) -> _Helper | None:
    """Return the function that `const name = (...) => expression` defines."""
    declarator = next((child for child in node.named_children if child.type == "variable_declarator"), None)
    value = declarator.child_by_field_name("value") if declarator is not None else None
    if declarator is None or value is None or value.type != "arrow_function":
        return None
    name, body = _text(declarator.child_by_field_name("name")), value.child_by_field_name("body")
    parameters = _parameters(value)
    expression = body if body is not None and body.type != "statement_block" else _returned(body)
    if parameters is None or expression is None:
        return None
    return _Helper(name, parameters, expression, node.start_byte, node.end_byte, "")


def _name(node: Node) -> str:
    name = node.child_by_field_name("name")
    while name is None and (declarator := node.child_by_field_name("declarator")) is not None:
        node = declarator
        name = node if node.type == "identifier" else None
    return _text(name)


def _parameters(node: Node) -> tuple[str, ...] | None:
    """Return the names of a function's parameters; None if one of them is no plain name."""
    single = node.child_by_field_name("parameter")
    if single is not None:
        return (_text(single),)
    listed = node.child_by_field_name("parameters")
    while listed is None and (declarator := node.child_by_field_name("declarator")) is not None:
        node = declarator
        listed = node.child_by_field_name("parameters")
    if listed is None:
        return None
    names: list[str] = []
    for child in listed.named_children:
        if child.type == "self_parameter":
            names.append("self")
            continue
        if child.type == "comment" or _text(child) == "void":
            continue
        many = child.children_by_field_name("name")  # Go: a, b float64
        if len(many) > 1:
            names += map(_text, many)
            continue
        name = _parameter_name(child)
        if not _PLAIN.match(name):
            return None
        names.append(name)
    return tuple(names)


def _parameter_name(node: Node) -> str:
    while node.type not in ("identifier", "self"):
        inner = None
        for field in ("name", "pattern", "declarator"):
            inner = inner or node.child_by_field_name(field)
        inner = inner or (node.named_children[0] if node.named_children else None)
        if inner is None:
            return ""
        node = inner
    return _text(node)


def _returned(body: Node | None) -> Node | None:
    """Return the expression of a body that is a single `return`, after a docstring at most."""
    last = _only_statement(body) if body is not None else None
    if body is None or last is None:
        return None
    if last.type == "expression_statement" and last.named_children and body.type == "block":
        last = last.named_children[0]
    if last.type in ("return_statement", "return_expression"):
        values = [child for child in last.named_children if "comment" not in child.type]
        if len(values) == 1 and values[0].type == "expression_list" and len(values[0].named_children) == 1:
            return values[0].named_children[0]
        return values[0] if len(values) == 1 else None
    return last if body.type == "block" and not last.type.endswith("statement") else None


def _only_statement(body: Node) -> Node | None:
    """Return the statement of a body that has one, after a docstring at most."""
    children = [child for child in body.named_children if "comment" not in child.type]
    if len(children) == 1 and children[0].type == "statement_list":  # Go
        children = children[0].named_children
    if len(children) == 2 and children[0].type == "expression_statement":
        if not any("string" in child.type for child in children[0].named_children):
            return None
        children = children[1:]
    return children[0] if len(children) == 1 else None


def _replaced(helper: _Helper, situation: Situation) -> Iterator[Proposal]:
    """Yield the lines in which the helper's expression becomes a call."""
    index = situation.index
    snapshot: Snapshot = index.snapshot
    nodes = nodes_of(snapshot.language)
    word = _longest_word(helper)
    lines = index.lines_with(word) if word else []
    if not lines or len(lines) > _MAX_LINES or not snapshot.text.isascii():
        return
    for line in lines:
        found: dict[tuple[int, int], str] = {}
        for match in whole_word(word).finditer(index.bodies[line]):
            at = snapshot.starts[line] + match.start()
            node = situation.trees.node_at(snapshot, at, at + len(word))
            if helper.start <= at < helper.end or _is_inside(helper.name, node, nodes):
                continue
            site = _site(node, helper, nodes)
            if site is not None:
                found[site[0].start_byte, site[0].end_byte] = site[1]
        start, end = snapshot.starts[line], snapshot.starts[line] + len(index.bodies[line])
        made, stop = index.bodies[line], end
        for (first, last), text in sorted(found.items(), reverse=True):
            if start <= first and last <= stop:
                made = made[: first - start] + text + made[last - start :]
                stop = first
        if made != index.bodies[line]:
            yield Proposal(line, line + 1, (made + line_end(snapshot.lines[line]),))


def _is_inside(name: str, node: Node | None, nodes: NodeTypes) -> bool:
    """Return whether a node is in a function of this name, which would call itself."""
    while node is not None:
        value = node.child_by_field_name("value") if node.type == "variable_declarator" else node
        if value is not None and value.type in nodes.functions and _name(node) == name:
            return True
        node = node.parent
    return False


def _longest_word(helper: _Helper) -> str:
    """Return the longest word of the expression that is no parameter: each place has it."""
    words = WordPattern(r"\w+").findall(_text(helper.expression))
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
            if _unify(helper.expression, node, helper.parameters, values, budget) and len(values) == len(
                helper.parameters
            ):
                call = f"{helper.lead}{helper.name}({', '.join(values[p] for p in helper.parameters)})"
                return _with_brackets(node, nodes), call
        node = node.parent
    return None


def _with_brackets(node: Node, nodes: NodeTypes) -> Node:
    """Return the brackets around an expression, if they only group it."""
    outer = node.parent
    if outer is None or outer.type != "parenthesized_expression" or outer.parent is None:
        return node
    return node if outer.parent.type in nodes.conditions else outer


def _unify(
    model: Node, node: Node, parameters: Sequence[str], values: dict[str, str], budget: list[int]
) -> bool:
    """Return whether a node is the model with expressions for its parameters, which it adds to `values`."""
    budget[0] -= 1
    if budget[0] < 0:
        return False
    if model.child_count == 0 and _text(model) in parameters and model.type == "identifier":
        text = _text(node.named_children[0] if node.type == "parenthesized_expression" else node)
        return "\n" not in text and node.is_named and values.setdefault(_text(model), text) == text
    if node.type == "parenthesized_expression" != model.type and node.named_children:
        return _unify(model, node.named_children[0], parameters, values, budget)
    if model.type != node.type or model.child_count != node.child_count:
        return False
    if model.child_count == 0:
        return model.text == node.text
    return all(
        _unify(a, b, parameters, values, budget) for a, b in zip(model.children, node.children, strict=True)
    )


def _text(node: Node | None) -> str:
    return "" if node is None else (node.text or b"").decode("utf-8", "replace")
