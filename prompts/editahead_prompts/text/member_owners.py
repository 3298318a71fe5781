"""The owner of a name: the type of a member, the function of a keyword argument or of a parameter.

Only what the text near the name shows: `self`, a receiver with a declared type, a literal's type, the callee. An owner that
the text does not show is "", or `HINT` and the receiver's last name where a member has a receiver.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

_RECEIVERS = {
    "attribute": "object",
    "member_expression": "object",
    "field_expression": "value",
    "selector_expression": "operand",
    "field_access": "object",
    "method_invocation": "object",
    "scoped_identifier": "path",
    "qualified_identifier": "scope",
}
"""Field that holds the receiver of a member, by the type of the parent node."""
_TYPES = frozenset(
    {
        "class_definition",
        "class_declaration",
        "abstract_class_declaration",
        "interface_declaration",
        "enum_declaration",
        "record_declaration",
        "type_spec",
        "type_alias_declaration",
        "struct_item",
        "enum_item",
        "trait_item",
        "struct_specifier",
        "class_specifier",
        "enum_specifier",
    }
)
_LITERALS = {"composite_literal": "type", "struct_expression": "name"}
_CALLS = {"call": "function", "call_expression": "function"}
HINT = "~"
"""The first character of an owner that is only the name of a receiver of unknown type."""
_SELF = frozenset({"self", "this", "cls", "Self"})
_NAME = re.compile(r"[^\W\d]\w*")
_MAX_TEXT = 8000
"""Characters of a function in which the declaration of a receiver is looked for."""
_KIN = re.compile(
    r"\b(?:class|interface|struct|trait|record|enum)\s+(?P<name>\w+)(?:<[^>\n]*>)?"
    r"(?P<bases>\s*(?:[(:]|extends\b|implements\b)[^{\n]*)"
    r"|\bimpl(?:<[^>\n]*>)?\s+(?P<trait>\w+)(?:<[^>\n]*>)?\s+for\s+(?P<type>\w+)"
)


def member_owner(node: Node) -> str:
    """Return the type that a member belongs to, for a use or a definition of it."""
    parent = node.parent
    field = _RECEIVERS.get(parent.type) if parent is not None else None
    if parent is None or field is None:
        return _enclosing_literal(node) or _enclosing_type(node)
    receiver = parent.child_by_field_name(field)
    if parent.type == "field_expression" and receiver is None:
        receiver = parent.child_by_field_name("argument")
    if receiver is None:  # Java leaves `this` out
        return _enclosing_type(node)
    if receiver.id == node.id:
        return ""
    return _type_of(receiver)


def argument_owner(node: Node) -> str:
    """Return the name of the function that is called with a keyword argument, after the name that it is called on."""
    for above in _upwards(node):
        field = _CALLS.get(above.type)
        if field is not None:
            names = _NAME.findall(_text(above.child_by_field_name(field) or above)[:200])
            names = [name for name in names if name not in _SELF]
            return ".".join(names[-2:])
    return ""


def parameter_owner(node: Node) -> str:
    """Return the name of the function that a parameter belongs to; for a constructor, that of its class."""
    for above in _upwards(node):
        if "function" in above.type or "method" in above.type or "constructor" in above.type:
            name = _last_name(above.child_by_field_name("name"))
            return _enclosing_type(above) if name in ("__init__", "constructor") else name
    return ""


def related_types(text: str) -> frozenset[tuple[str, str]]:
    """Return the pairs of types, in both orders, of which one extends or implements the other by the text."""
    pairs: set[tuple[str, str]] = set()
    for match in _KIN.finditer(text):
        if match["trait"]:
            pairs.add((match["trait"], match["type"]))
        else:
            pairs |= {(match["name"], base) for base in _NAME.findall(match["bases"])}
    return frozenset(pairs | {(b, a) for a, b in pairs})


def _type_of(receiver: Node) -> str:
    text = _text(receiver)
    if text in _SELF:
        return _enclosing_type(receiver)
    if receiver.type in ("scoped_identifier", "identifier", "type_identifier") and text[:1].isupper():
        return _last_name(receiver)
    declared = _declared_type(receiver, text) if receiver.type == "identifier" else ""
    return declared or HINT + _last_name(receiver)


def _declared_type(receiver: Node, name: str) -> str:
    """Return the type with which the function around a receiver declares it."""
    function = next((n for n in _upwards(receiver) if _is_function(n)), None)
    if function is None:
        return ""
    own = function.child_by_field_name("receiver")
    if own is not None and _text(own).strip("() ").split(" ")[0] == name:
        return _last_name(own)
    if "closure" in function.type or function.type in ("arrow_function", "func_literal", "lambda"):
        outer = next((n for n in _upwards(function) if _is_function(n)), None)
        function = outer or function
    body = _text(function)[:_MAX_TEXT]
    word = rf"(?<![\w.]){re.escape(name)}"
    for pattern in (
        rf"{word}\s*\??:(?!=|:)\s*[&*]?(?:mut\s+)?(?:const\s+)?[\"']?(?:\w+[.:]+)*(?P<type>[A-Za-z_]\w*)",
        rf"{word}(?:\s*:[^=\n]+)?\s*:?=\s*(?:await\s+)?(?:new\s+)?&?(?:\w+(?:\.|::))*(?P<type>[A-Z]\w*)(?:[({{]|::)",
        rf"{word}\s+\*?(?:\w+\.)?(?P<type>[A-Za-z]\w*)\s*[,)]",
        rf"\bstruct\s+(?P<type>\w+)[\s*]+{re.escape(name)}\b",
        rf"(?<![\w.])(?P<type>[A-Z]\w*|\w+_t)(?:<[^<>]*>)?[\s*&]+{re.escape(name)}\s*[=,;):]",
    ):
        match = re.search(pattern, body)
        if match is not None:
            return match["type"]
    return ""


def _is_function(node: Node) -> bool:
    return any(word in node.type for word in ("function", "method_decl", "method_def", "constructor", "closure")) or (
        node.type in ("lambda", "func_literal", "lambda_expression")
    )  # fmt: skip


def _enclosing_type(node: Node) -> str:
    for above in _upwards(node):
        if above.type == "impl_item":
            return _last_name(above.child_by_field_name("trait") or above.child_by_field_name("type"))
        if above.type == "method_declaration" and (own := above.child_by_field_name("receiver")) is not None:
            return _last_name(own)
        if above.type in _TYPES:
            value = above.child_by_field_name("type") if above.type == "type_spec" else None
            if value is not None and value.type == "interface_type":  # Go does not name what implements it
                return ""
            name = above.child_by_field_name("name")
            if name is None and above.parent is not None and above.parent.type == "type_definition":
                name = above.parent.child_by_field_name("declarator")
            return _last_name(name)
    return ""


def _enclosing_literal(node: Node) -> str:
    """Return the type of the literal whose key the node is."""
    for level, above in enumerate(_upwards(node)):
        if above.type in _LITERALS:
            return _last_name(above.child_by_field_name(_LITERALS[above.type]))
        if level > 3 or above.type.endswith(("statement", "block", "body")):
            return ""
    return ""


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
    while at is not None:
        yield at
        at = at.parent
