"""New files: whether a part of a sketch can be all of a file that is not there, or is a piece of one."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import PurePosixPath

from tree_sitter import Node

from editahead_prompts.sketches.sketch import Code, Diff, Elision, FileSketch
from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.snapshot import Snapshot, split_lines

_MAX_PARSED_CHARS = 200_000
"""Longest text that is parsed, in characters: parsing takes time."""

_PROSE = frozenset(["adoc", "csv", "log", "markdown", "md", "mdx", "org", "rst", "tex", "text", "tsv", "txt"])
"""Extensions of files in which brackets and commas need no partner."""
_SHELL = frozenset(["bash", "bat", "env", "fish", "mk", "ps1", "sh", "zsh"])
"""Extensions of files in which parentheses need no partner."""

_QUOTED = re.compile(r"\"(?:\\.|[^\"\\])*+(?:\"|\Z)|(?<!\w)'(?:\\.|[^'\\])*+(?:'|\Z)|`[^`]*+(?:`|\Z)")
"""Pattern of a string within one line."""
_COMMENT = re.compile(r"(?:^|\s)(?:#|//|--|;)(?=\s|$).*|<!--.*?(?:-->|\Z)|/\*.*?(?:\*/|\Z)")
_BRACKETS = {")": "(", "]": "[", "}": "{"}
_DOTS = re.compile(r"[({\[]\s*(?:\.{3}|…)\s*[)}\]]")
"""Pattern of dots in place of code, in a language without a grammar."""
_GOES_ON = re.compile(r"\s*(?:elif|else|elsif|end|esac|except|fi|finally|then|do|done|when)\b")
"""Pattern of a first line that continues a statement."""
_NUMBERED = re.compile(r"\s*(\d{1,6})\s*(?:[|│→]|:\s|\t)")

_INNER = frozenset({"break_statement", "continue_statement", "return_statement", "statement_block", "yield"})
"""Nodes that are never at the top of a file."""
_TOPS = {
    "go": re.compile(r"\w+_(?:clause|declaration)"),
    "java": re.compile(r"(?:annotation_type|class|enum|import|interface|module|package|record)_declaration"),
    "rust": re.compile(r"(?!let_declaration)\w+_(?:item|declaration|definition|invocation|modifier)"),
    "c": re.compile(
        r"(?!expression_)(?:preproc|type|linkage)\w*|declaration|function_definition|\w+_specifier"
    ),
    "cpp": re.compile(
        r"(?:preproc|type|linkage|template|namespace)\w*|\w*(?:declaration|definition)|\w+_specifier"
    ),
}
"""Patterns of the nodes at the top of a file, in languages whose files hold nothing but declarations."""


def find_sign_of_piece(part: FileSketch, empty: Snapshot, syntax: SyntaxTrees) -> str:
    """Return what shows that a part is no whole file, as the end of a sentence; "" if nothing does.

    Args:
        part: A part that changes a file which is not there.
        empty: The file that it would create.
        syntax: The syntax trees of the documents.
    """
    if isinstance(part.content, Diff):
        is_whole = bool(part.content.hunks) and all(not hunk.old for hunk in part.content.hunks)
        return "" if is_whole else "the sketch shows lines of it"
    if part.kind == "whole-file":
        return ""
    if any(isinstance(piece, Elision) for piece in part.content.parts):
        return "a marker leaves out code of the file"
    if part.is_said_there:
        return "the text above the code says that the file exists"
    lines = [line for piece in part.content.parts if isinstance(piece, Code) for line in piece.lines]
    path = PurePosixPath(part.path or "")
    extension = path.suffix[1:].lower() or path.name.lower().lstrip(".")
    used = [line for line in lines if line.strip()]
    if used[0][:1].isspace():
        return "the code begins within a block"
    if _are_numbered(used):
        return "the code has the line numbers of a listing"
    if extension in _PROSE:
        return ""
    if used[-1].rstrip().endswith(","):
        return "the code ends with a comma"
    text = "\n".join(lines) + "\n"
    source = replace(empty, lines=split_lines(text))
    tree = syntax.tree(source) if len(text) <= _MAX_PARSED_CHARS else None
    if tree is not None:
        return _sign_in_tree(tree.root_node, empty.language)
    return _sign_in_json(text) if extension == "json" else _sign_in_lines(used, extension)


def _are_numbered(lines: Sequence[str]) -> bool:
    """Return whether each line begins with a number, and the numbers ascend."""
    numbers = [int(found[1]) for line in lines if (found := _NUMBERED.match(line))]
    return len(numbers) == len(lines) and all(a < b for a, b in pairwise(numbers))


def _sign_in_tree(root: Node, language: str) -> str:
    if root.has_error:
        return "the code has a syntax error"
    tops = [node for node in root.named_children if not node.is_extra]
    tops = [node.named_children[-1] if node.type == "decorated_definition" else node for node in tops]
    if language == "go" and [node.type for node in tops[:1]] != ["package_clause"]:
        return "the code has no package clause"
    known = _TOPS.get(language)
    for node in tops:
        inner = (
            node.named_children[0] if node.type == "expression_statement" and node.named_children else node
        )
        is_known = known is None or known.fullmatch(inner.type) or known.fullmatch(node.type)
        if not is_known or not _INNER.isdisjoint((node.type, inner.type)):
            return "the code begins within a function or type"
        if _is_method(node):
            return "the code begins within a type"
    return ""


def _is_method(node: Node) -> bool:
    """Return whether a function has the parameter of a method."""
    parameters = node.child_by_field_name("parameters")
    first = parameters.named_children[:1] if parameters is not None else []
    return any(each.type == "self_parameter" or each.text in (b"self", b"cls") for each in first)


def _sign_in_json(text: str) -> str:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return "the code is not JSON"
    return ""


def _sign_in_lines(lines: Sequence[str], extension: str) -> str:
    """Return what shows that lines of a language without a grammar are a piece."""
    if _GOES_ON.match(lines[0]):
        return "the code begins within a statement"
    opened: list[str] = []
    skipped = "()" if extension in _SHELL else ""
    for line in lines:
        plain = _COMMENT.sub("", _QUOTED.sub("", line))
        if _DOTS.search(plain):
            return "dots leave out code of the file"
        for sign in re.findall(r"[(){}\[\]]", plain):
            if sign in skipped:
                continue
            if sign not in _BRACKETS:
                opened.append(sign)
            elif not opened or opened.pop() != _BRACKETS[sign]:
                return f"the code closes a bracket that it does not open: {sign}"
    return f"the code opens a bracket that it does not close: {opened[-1]}" if opened else ""
