"""The signatures of functions in a syntax tree, for all grammars."""

from __future__ import annotations

from dataclasses import dataclass

from tree_sitter import Node

from editahead_prompts.syntax.language import Language, NodeTypes


@dataclass(frozen=True)
class FunctionSignature:
    """The signature of a function.

    Attributes:
        name: The name that callers write: that of the class for a constructor.
        path: The names of the enclosing classes and functions, then its own.
        parameters: The text of each parameter, and whether callers may leave it out.
        result: The type of the result.
        public: Code in other files may call it.
    """

    name: str
    path: tuple[str, ...]
    parameters: tuple[tuple[str, bool], ...]
    result: str
    public: bool

    @classmethod
    def from_node(cls, node: Node, language: Language) -> FunctionSignature | None:
        """Return the signature of a function; None if the node has no name or no parameters."""
        nodes = language.nodes
        named: Node | None = node.child_by_field_name("name") or node.child_by_field_name("property")
        holder: Node | None = node
        if _holds_function(node, nodes):
            holder = node.child_by_field_name("value")
        elif named is None:  # C: the name is inside of the declarator
            holder = node.child_by_field_name("declarator")
            while holder is not None and holder.child_by_field_name("parameters") is None:
                holder = holder.child_by_field_name("declarator")
            named = holder.child_by_field_name("declarator") if holder is not None else None
        parameters = holder.child_by_field_name("parameters") if holder is not None else None
        if named is None or parameters is None:
            return None
        name = _plain(named).rpartition("::")[2]
        around = tuple(_enclosing_names(node, nodes))
        if name in language.constructors and around:
            name = around[-1]
        result = next(
            (
                _plain(n)
                for f in ("return_type", "result", "returns", "type")
                if (n := node.child_by_field_name(f))
            ),
            "",
        )
        return cls(
            name,
            (*around, _plain(named)),
            tuple(
                (_plain(p), p.type in nodes.optional_parameters or _has_default(p))
                for p in parameters.named_children
            ),
            result,
            _is_public(node, _plain(named), language),
        )

    def accepts_calls_of(self, older: FunctionSignature) -> bool:
        """Return whether calls of the older function are valid for this one, judged by the parameters."""
        kept, more = (
            self.parameters[: len(older.parameters)],
            self.parameters[len(older.parameters) :],
        )
        return (
            self.result == older.result and kept == older.parameters and all(optional for _, optional in more)
        )


def is_function(node: Node, nodes: NodeTypes) -> bool:
    """Return whether the node is a function with a name."""
    return node.type in nodes.named_functions or _holds_function(node, nodes)


def _holds_function(node: Node, nodes: NodeTypes) -> bool:
    """Return whether the node is `const f = (x) => ...`, at the top of a file or in a class."""
    if node.type not in nodes.functions_as_values:
        return False
    value = node.child_by_field_name("value")
    return value is not None and value.type in nodes.lambdas


def _has_default(parameter: Node) -> bool:
    return any(child.type == "=" for child in parameter.children)


def _enclosing_names(node: Node, nodes: NodeTypes) -> list[str]:
    names: list[str] = []
    at = node.parent
    while at is not None:
        if at.type in nodes.types or at.type in nodes.named_functions:
            named = at.child_by_field_name("name") or at.child_by_field_name("type")
            names.append(_plain(named) if named is not None else "")
        at = at.parent
    return names[::-1]


def _is_public(node: Node, name: str, language: Language) -> bool:
    nodes = language.nodes
    modifiers = {
        _plain(part)
        for child in node.children
        if child.type in nodes.modifiers
        for part in (child.children or [child])
    }
    if modifiers & {"private", "static"} and not modifiers & {"public", "protected"}:
        return False
    if name.startswith("#") or (name.startswith("_") and not name.endswith("__")):
        return False
    if language.visibility == "keyword":
        return "pub" in modifiers or (node.parent is not None and _in_trait(node, nodes))
    above, outer = node.parent, nodes.named_functions | nodes.lambdas
    while above is not None:
        if above.type in outer:
            return False
        above = above.parent
    if language.visibility == "upper-case":
        return name[:1].isupper()
    return language.visibility != "export" or _is_exported(node, nodes)


def _in_trait(node: Node, nodes: NodeTypes) -> bool:
    above = node.parent.parent if node.parent is not None else None
    return above is not None and (
        above.type in nodes.declared_types or above.child_by_field_name("trait") is not None
    )


def _is_exported(node: Node, nodes: NodeTypes) -> bool:
    above = node.parent
    if above is not None and above.type in nodes.method_holders:
        return True
    if above is not None and above.type in nodes.declaration_statements:
        above = above.parent
    return above is not None and above.type in nodes.exports


def _plain(node: Node) -> str:
    """Return the text of the node with single spaces."""
    return " ".join((node.text or b"").decode("utf-8", "replace").split())
