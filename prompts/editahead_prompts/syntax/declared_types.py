"""The type with which the text near a receiver declares it, by the notation of its language."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from editahead_prompts.text.word_patterns import WordPattern

from .language import Language, Notation

_MAX_DEPTH = 400
"""Nodes around a name that are looked at. A broken text's tree can be as deep as the text is long."""
_MAX_TEXT = 8000
"""Characters of a function or a type in which a declaration is looked for."""


_COLON = (
    r"\s*\??:(?!=|:)\s*[&*]?(?:'\w+\s+)?(?:mut\s+)?(?:const\s+)?[\"']?(?:\w+(?:\.|::))*(?P<type>[A-Za-z_]\w*)"
)
_COLON_ELEMENT = r"\s*\??:(?!=|:)[^=;{}\n]{0,60}?[<\[](?:\w+(?:\.|::))*(?P<type>[A-Z]\w*)[>\]]"
_COLON_ARRAY = r"\s*\??:(?!=|:)\s*(?:readonly\s+)?(?P<type>[A-Z]\w*)\[\]"
_DECLARED: dict[Notation, tuple[str, ...]] = {
    "after-colon": (r"{name}" + _COLON,),
    "after-colon-or-label": (r"{name}\s*:\s*(?:(?:any|inout|some)\s+)?(?:\w+\.)*(?P<type>[A-Z]\w*)",),
    "before": (
        r"\bstruct\s+(?P<type>\w+)[\s*]+{plain}\b",
        r"(?<![\w.])(?P<type>[A-Z]\w*|\w+_t)(?:<[^<>]*>)?[\s*&]+{plain}\s*[=,;):\[{]",
    ),
    "behind": (
        r"{name}(?:\s*,\s*\w+){0,4}\s*:?=\s*(?:\w+\.)?New(?P<type>[A-Z]\w*)\(",  # by Go's convention
        r"{name}(?:\s*,\s*\w+){0,4}\s+\*?(?:\w+\.)?(?P<type>[A-Za-z]\w*)\s*[,)]",
        r"\bvar\s+{plain}\s+\*?(?:\w+\.)?(?P<type>[A-Za-z]\w*)",
    ),
}
_MADE = (
    r"{name}(?:\s*:[^=\n]+)?\s*:?=\s*(?:await\s+)?(?:new\s+)?&?(?:\w+(?:\.|::))*"
    r"(?P<type>[A-Z]\w*)(?:<[^<>()]*>)?(?:[({]|::)"
)
"""A variable that is made by a constructor or a literal of its type."""
_FOR_IN = r"\bfor\b[\s(]*(?:const\s+|let\s+|var\s+)?{plain}\s+(?:in|of)\s+&?(?:mut\s+)?(?P<source>[\w.]+)"
_ITERATED: dict[Notation, str] = {
    "after-colon": _FOR_IN,
    "after-colon-or-label": _FOR_IN,
    "before": r"\bfor\s*\(\s*(?:const\s+)?auto\s*&?&?\s*{plain}\s*:\s*(?P<source>\w+)\s*\)",
    "behind": r"\bfor\s+\w+\s*,\s*{plain}\s*:?=\s*range\s+(?P<source>[\w.]+)",
}
_ELEMENT: dict[Notation, tuple[str, ...]] = {
    "after-colon": (r"{name}" + _COLON_ELEMENT, r"{name}" + _COLON_ARRAY),
    "after-colon-or-label": (r"{name}" + _COLON_ELEMENT,),
    "before": (r"\w+<(?:const\s+)?(?P<type>[A-Z]\w*)[\s*&]*>[\s*&]+{plain}\b",),
    "behind": (r"{name}\s+(?:\[\w*\]|map\[\w+\])\*?(?:\w+\.)?(?P<type>[A-Za-z]\w*)",),
}
_FIELDS = (
    r"(?<![\w.]){plain}\s*\??:(?!=|:)\s*(?:\w+\.)*(?P<type>[A-Z]\w*)\s*(?:[;,=)\n]|$)",
    r"(?<![\w.])(?P<type>[A-Z]\w*)[ *&]+\$?{plain}\s*[=,;)]",
    r"\b(?:self|this)\.{plain}\s*=\s*(?:new\s+)?(?P<type>[A-Z]\w*)\(",
)


def declared_type(function: Node, name: str, language: Language) -> str:
    """Return the type with which a function declares a variable or parameter, or those that it loops over; "" if none."""
    body = _text(function)[:_MAX_TEXT]
    notation = language.type_notation
    found = _first((*_DECLARED[notation], _MADE), name, body)
    if found:
        return found
    loop = WordPattern(_filled(_ITERATED[notation], name)).search(body)
    if loop is None:
        return ""
    source = loop["source"].rpartition(".")[2]
    if "." not in loop["source"]:
        found = _first(_ELEMENT[notation], source, body)
        if found or not language.implicit_this:
            return found
    top = function
    for above in _upwards(function):
        top = above if above.parent is not None else top
    return _first(_ELEMENT[notation], source, _text(top)[:_MAX_TEXT])


def field_type(around: Node, name: str) -> str:
    """Return the type with which a type declares its field of this name; "" if it does not."""
    return _first(_FIELDS, name, _text(around)[:_MAX_TEXT])


def _filled(pattern: str, name: str) -> str:
    return pattern.replace("{name}", r"(?<![\w.]){plain}").replace("{plain}", re.escape(name))


def _first(patterns: tuple[str, ...], name: str, text: str) -> str:
    for pattern in patterns:
        match = WordPattern(_filled(pattern, name)).search(text)
        if match is not None:
            return match["type"]
    return ""


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")


def _upwards(node: Node) -> Iterator[Node]:
    at = node.parent
    for _ in range(_MAX_DEPTH):
        if at is None:
            return
        yield at
        at = at.parent
