"""The owner of a name: the type of a member, the function of a keyword argument or of a parameter.

Only what the text near the name shows: `self`, a receiver with a declared type, a literal's type, the callee. An owner that
the text does not show is "", or `HINT` and the receiver's last name where a member has a receiver.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice

from tree_sitter import Node

from editahead_prompts.text.word_patterns import WordPattern

from .declared_types import declared_type, field_type
from .language import Language, NodeTypes, child_in

HINT = "~"
"""The first character of an owner that is only the name of a receiver of unknown type."""
IMPLICIT = f"{HINT}."
"""The owner of a member behind a dot with nothing before it."""
_SUPER = re.compile(r"super(?:\([^()]{0,100}\))?")
"""A receiver whose members are those of the base classes."""
_REFLECTS = re.compile(r"(?:\A|\.)(?:(?:[gs]et|has|del)attr|spyOn)\Z|\bpatch\.object\Z")
"""Functions of Python and JavaScript that are called with an object and the name of its member."""
_NAME = WordPattern(r"[^\W\d]\w*")
_OWN_FIELD = WordPattern(r"(?P<object>\$?\w+)(?:\.|->)(?P<name>\w+)")
"""A field of an object, which may be the own one."""
_MAX_GENERATIONS = 5
_MAX_DEPTH = 400
"""Nodes around a name that are looked at. A broken text's tree can be as deep as the text is long."""
_KIN = WordPattern(
    r"\b(?:class|interface|struct|trait|record|enum|protocol|extension|actor)\s+(?P<name>\w+)(?:<[^<>\n]{0,200}>)?"
    r"(?P<bases>\s*(?:[(:]|extends\b|implements\b)[^{\n]{0,400})"
    r"|\bimpl(?:<[^<>\n]{0,200}>)?\s+(?P<trait>\w+)(?:<[^<>\n]{0,200}>)?\s+for\s+(?P<type>\w+)"
)

_GO_METHOD = WordPattern(r"^func \((?:\w+ )?\*?(?P<type>\w+)[^)\n]{0,100}\) (?P<name>\w+)\(", re.MULTILINE)
_GO_INTERFACE = WordPattern(r"^type (?P<name>\w+) interface \{\n(?P<body>[^}]{0,4000})^\}", re.MULTILINE)


def member_owner(node: Node, language: Language) -> str:
    """Return the type that a member belongs to, for a use or a definition of it."""
    nodes, parent = language.nodes, node.parent
    if is_macro_member(node, language):
        receiver = node.prev_sibling.prev_sibling if node.prev_sibling is not None else None
        return "" if receiver is None else _type_of(receiver, language)
    if node.type in nodes.own_members:
        return enclosing_type(node, language)
    if is_implicit_member(node, nodes):
        return IMPLICIT
    if node.type in nodes.private_names:  # another name than the one without "#"
        return "#" + enclosing_type(node, language)
    if parent is not None and parent.type in nodes.members and parent.type not in nodes.receivers:
        found = _receiver_above(parent, nodes)
        if found is not None:
            return _type_of(found, language)
    if parent is None or parent.type not in nodes.receivers:
        return _enclosing_literal(node, language) or enclosing_type(node, language)
    receiver = child_in(parent, nodes.receivers)
    if receiver is None:  # Java leaves `this` out
        return enclosing_type(node, language)
    if receiver.id == node.id:
        return ""
    return _type_of(receiver, language)


def reflected_owner(node: Node, language: Language) -> str | None:
    """Return the type whose member a call names by a string, as `getattr(self, "size")` does; None if unknown."""
    literal = node if node.type in language.nodes.symbols else node.parent
    arguments = literal.parent if literal is not None else None
    call = arguments.parent if arguments is not None else None
    function = _called(call, language.nodes) if call is not None else None
    if literal is node:
        is_declared = function is not None and _text(function) in language.declares_by_name
        return enclosing_type(node, language) if is_declared else None
    if function is None or arguments is None or literal is None or not _REFLECTS.search(_text(function)):
        return None
    passed = arguments.named_children
    if len(passed) < 2 or passed[1].id != literal.id or not _text(node).isidentifier():
        return None
    owner = _type_of(passed[0], language)
    return owner if owner and not owner.startswith(HINT) else None


def is_macro_member(node: Node, language: Language) -> bool:
    """Return whether a name in the arguments of a Rust macro, which have no syntax, comes after a dot or `::`."""
    parent, before = node.parent, node.prev_sibling
    return (
        parent is not None
        and parent.type in language.nodes.token_trees
        and before is not None
        and before.type in (".", "::")
    )


def is_implicit_member(node: Node, nodes: NodeTypes) -> bool:
    """Return whether a name is behind a dot with nothing before it, as an enum's case in Swift."""
    parent, before = node.parent, node.prev_sibling
    return (
        parent is not None
        and parent.type in nodes.implicit_members
        and before is not None
        and before.type == "."
    )


def argument_owner(node: Node, language: Language) -> str:
    """Return the name of the function that is called with a keyword argument, after the name that it is called on."""
    for above in _upwards(node):
        if above.type in language.nodes.calls:
            names = _NAME.findall(_text(_called(above, language.nodes) or above)[:200])
            names = [name for name in names if name not in language.own_object]
            return ".".join(names[-2:])
    return ""


def parameter_owner(node: Node, language: Language) -> str:
    """Return the name of the function that a parameter belongs to; for a constructor, that of its class."""
    for above in _upwards(node):
        if above.type in language.nodes.lambdas:
            return ""
        if above.type in language.nodes.variants:
            names = [_text(one) for one in language.nodes.names_of(above) if one.end_byte <= node.start_byte]
            return "".join(names[-1:])
        is_named = above.type in language.nodes.named_functions
        if is_named or "function" in above.type or "method" in above.type or "constructor" in above.type:
            name = _last_name(above.child_by_field_name("name"))
            return enclosing_type(above, language) if name in language.constructors else name
    return ""


def related_types(text: str) -> frozenset[tuple[str, str]]:
    """Return the pairs of types, in both orders, of which one extends or implements the other by the text.

    One may do so by way of others, as a subclass of a subclass does.
    """
    pairs: set[tuple[str, str]] = set()
    for match in _KIN.finditer(text):
        if match["trait"]:
            pairs.add((match["trait"], match["type"]))
        else:
            pairs |= {(match["name"], base) for base in _NAME.findall(match["bases"])}
    if "\ntype " in text:
        pairs.update(_implementors(text))
    bases: dict[str, set[str]] = {}
    for name, base in pairs:
        bases.setdefault(name, set()).add(base)
    pairs = {(name, base) for name in bases for base in _ancestors(name, bases)}
    return frozenset(pairs | {(b, a) for a, b in pairs})


def _ancestors(name: str, bases: Mapping[str, set[str]]) -> set[str]:
    """Return the types that a type extends or implements, over at most `_MAX_GENERATIONS` of them."""
    found: set[str] = set()
    last = {name}
    for _ in range(_MAX_GENERATIONS):
        last = {base for one in last for base in bases.get(one, ())} - found
        found |= last
    return found


def _implementors(text: str) -> Iterator[tuple[str, str]]:
    """Yield (type, interface) for each type that has all methods of an interface in Go, which does not name them."""
    methods: dict[str, set[str]] = {}
    for match in _GO_METHOD.finditer(text):
        methods.setdefault(match["type"], set()).add(match["name"])
    for match in _GO_INTERFACE.finditer(text):
        wanted = set(WordPattern(r"^\s*(\w+)\(", re.MULTILINE).findall(match["body"]))
        for name, has in methods.items():
            if wanted and wanted <= has:
                yield name, match["name"]


def _type_of(receiver: Node, language: Language) -> str:
    text = _text(receiver)
    if text in language.own_object or _SUPER.fullmatch(text):
        return enclosing_type(receiver, language)
    if receiver.type in language.nodes.names and text[:1].isupper():
        return _last_name(receiver)
    declared = ""
    if receiver.type in language.nodes.variable_names:
        declared = _declared_type(receiver, text, language) or _field_type(receiver, text, language)
    elif (own := _OWN_FIELD.fullmatch(text)) is not None and own["object"] in language.own_object:
        declared = _field_type(receiver, own["name"], language)
    return declared or HINT + _last_name(_called(receiver, language.nodes) or receiver)


def _called(node: Node, nodes: NodeTypes) -> Node | None:
    return child_in(node, nodes.calls)


def _field_type(receiver: Node, name: str, language: Language) -> str:
    """Return the type with which the type around a receiver declares the field of this name."""
    around = next((n for n in _upwards(receiver) if n.type in language.nodes.declared_types), None)
    return field_type(around, name) if around is not None else ""


def _declared_type(receiver: Node, name: str, language: Language) -> str:
    """Return the type with which the function around a receiver declares it."""
    nodes = language.nodes
    for function in (above for above in _upwards(receiver) if above.type in nodes.functions):
        own = function.child_by_field_name("receiver")
        if own is not None and _text(own).strip("() ").split(" ")[0] == name:
            return _last_name(own)
        found = declared_type(function, name, language)
        if found or function.type not in nodes.closures:
            return found
    return ""


def enclosing_type(node: Node, language: Language) -> str:
    """Return the name of the type whose body, `impl` or methods hold the node; "" outside of them."""
    nodes = language.nodes
    for above in _upwards(node):
        if above.type in nodes.member_types:
            return _last_name(child_in(above, nodes.member_types))
        if above.type in nodes.declared_types:
            name = above.child_by_field_name("name")
            if (
                name is None
                and above.parent is not None
                and above.parent.type in nodes.declaration_statements
            ):
                name = above.parent.child_by_field_name("declarator")
            return _last_name(name)
    return ""


def _enclosing_literal(node: Node, language: Language) -> str:
    """Return the type of the literal whose key the node is."""
    for level, above in enumerate(_upwards(node)):
        if above.type in language.nodes.literals:
            name = _last_name(child_in(above, language.nodes.literals))
            return enclosing_type(above, language) if name in language.own_object else name
        if above.type in ("object", "object_pattern"):
            return _annotated_type(above, language)
        if level > 3 or above.type.endswith(("statement", "block", "body")):
            return ""
    return ""


def _annotated_type(literal: Node, language: Language) -> str:
    """Return the type that TypeScript's text gives to an object, or to what a pattern takes apart."""
    at, parent = literal, literal.parent
    while parent is not None and parent.type in ("parenthesized_expression", "array", "assignment_pattern"):
        at, parent = parent, parent.parent
    if parent is None:
        return ""
    if parent.type in (
        "variable_declarator",
        "required_parameter",
        "optional_parameter",
        "public_field_definition",
    ):
        annotation = parent.child_by_field_name("type")
        value = parent.child_by_field_name("value")
        if annotation is None and value is not None and at.type == "object_pattern":
            return _type_of(value, language)
        return _first_name(annotation)
    if parent.type in ("as_expression", "satisfies_expression"):
        return _first_name(parent.named_children[-1])
    if parent.type in ("return_statement", "arrow_function"):
        function = parent if parent.type == "arrow_function" else None
        function = function or next((n for n in _upwards(parent) if n.type in language.nodes.functions), None)
        return _first_name(function.child_by_field_name("return_type") if function is not None else None)
    return ""


def _first_name(node: Node | None) -> str:
    """Return the only type of an annotation, or that of an array's elements; "" for a union and other types."""
    match = (
        WordPattern(r"[\s:]*(?:readonly\s+)?([A-Z]\w*)(?:\[\])?").fullmatch(_text(node))
        if node is not None
        else None
    )
    return match[1] if match is not None else ""


def _last_name(node: Node | None) -> str:
    """Return the last name in a node's text, without type arguments."""
    if node is None:
        return ""
    names = _NAME.findall(re.sub(r"[<\[].*", "", _text(node), flags=re.DOTALL))
    return names[-1] if names else ""


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")


def _upwards(node: Node) -> Iterator[Node]:
    at = node.parent
    for _ in range(_MAX_DEPTH):
        if at is None:
            return
        yield at
        at = at.parent


def _receiver_above(member: Node, nodes: NodeTypes) -> Node | None:
    """Return the object of a member whose node does not hold it, as in `a?.b`."""
    return next(
        (found for above in islice(_upwards(member), 4) if (found := child_in(above, nodes.receivers_above))),
        None,
    )
