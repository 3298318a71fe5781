"""Tests whether a word in a string or a comment is a name."""

from __future__ import annotations

import re

from tree_sitter import Node

from editahead_prompts.syntax.language import NodeTypes, is_string
from editahead_prompts.syntax.symbols import text_of
from editahead_prompts.text.word_patterns import WordPattern

_MARKS_NAME = WordPattern(
    r"(?:`|(?<!\w)['\"]|[@\\:]t?param(?:\[\w+\])?\s+(?:\{[^{}]*\}\s*|\w+\s+)?\[?|[@\\]p\s|-\s+[Pp]arameter\s+|\{)\Z"
)
"""What precedes a name in a comment or a string."""
_MARKS_PARAMETER = WordPattern(r"(?:[@\\:]t?param(?:\[\w+\])?\s+(?:\{[^{}]*\}\s*|\w+\s+)?\[?|\{)\Z")
_MAX_MARK = 200
"""Characters before a name that are searched for what marks it."""
_LOCALS = re.compile(r"\b(?:locals|vars)\(\)")
_MAX_CLIMB = 4
_KEY = re.compile(r"[\"'`]\s*:")


def is_quoted(body: str, match: re.Match[str]) -> bool:
    """Return whether a word in a comment or a string is written as a name: in quotes, as a call, or as a documented one."""
    before, after = body[: match.start()], body[match.end() :]
    return bool(
        _MARKS_NAME.search(before[-_MAX_MARK:])
        or after.startswith(("(", "`"))
        or (not before.strip(" \t*#/-") and re.match(r"\s*(?:\([^)]*\))?\s*:", after))
    )


def is_local(body: str, match: re.Match[str], language: str, *, is_parameter: bool) -> bool:
    """Return whether a word in a text within the scope of a local of that name means the local.

    It does as a format field that reads locals, and a parameter where a docstring or a message quotes it.
    """
    before, after = body[: match.start()], body[match.end() :]
    if before.endswith("{"):
        return after.startswith(("}", ":")) if language == "rust" else _LOCALS.search(after) is not None
    is_key = before.endswith(('"', "'")) and (not after.startswith(before[-1]) or _KEY.match(after))
    return is_parameter and not is_key and is_quoted(body, match)


def is_whole_literal(node: Node | None, nodes: NodeTypes) -> bool:
    """Return whether a string is one word: a key, a header, an event or the like, unless it lists what a module exports."""
    if node is None or not is_string(node) or not text_of(node).strip("\"'`").isidentifier():
        return False
    for _ in range(_MAX_CLIMB):
        node = node.parent
        if node is None:
            break
        if node.type in nodes.assignment_expressions:
            return not text_of(node).startswith(("__all__", "__slots__"))
    return True


def names_parameter(body: str, match: re.Match[str]) -> bool:
    """Return whether a word is documented as a parameter, or is a field of a format, which an argument fills."""
    return _MARKS_PARAMETER.search(body[max(match.start() - _MAX_MARK, 0) : match.start()]) is not None


def is_listed(body: str, match: re.Match[str]) -> bool:
    """Return whether a word is in a string that has names and commas only, as pytest lists parameters."""
    before, after = body[: match.start()], body[match.end() :]
    return bool(
        WordPattern(r"[\"'](?:\w+\s*,\s*)*\Z").search(before)
        and WordPattern(r"(?:\s*,\s*\w+)*\s*[\"']").match(after)
    )


def is_prose(body: str, match: re.Match[str]) -> bool:
    """Return whether a word comes before or after the name, with a space between, as in a sentence."""
    before, after = body[: match.start()].split(" "), body[match.end() :].split(" ")
    return (len(before) > 1 and before[-1] == "" and before[-2][-1:].isalpha()) or (
        len(after) > 1 and after[0] == "" and after[1][:1].isalpha()
    )
