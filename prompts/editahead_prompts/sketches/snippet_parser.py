"""Parsing and classification of code snippets with elisions."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence

from tree_sitter import Node

from editahead_prompts.errors import SketchError
from editahead_prompts.syntax.functions import is_lone_string
from editahead_prompts.syntax.language import NodeTypes
from editahead_prompts.syntax.languages import find_language, known_language_of, language_of_word, nodes_of
from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.indentation import indentation_length
from editahead_prompts.text.snapshot import Snapshot

from .elision_markers import split_code_and_elisions
from .paths import path_of_comment
from .sketch import Code, Elision, FileSketch, SketchKind, Snippet

_PREAMBLE = re.compile(
    r"import|package|preproc|use_declaration|mod_item|future_import|namespace|extern_crate"
)
_ASIDE = re.compile(r"comment|attribute_item|inner_attribute_item|;|empty_statement|hash_bang_line")
_HEAD = re.compile(
    r"\s*(?:@\w|(?:(?:export|public|private|protected|internal|static|async|abstract|final|override|default|pub(?:\(\w+\))?|"
    r"unsafe|const|inline|virtual|open|data|sealed|suspend)\s+)*"
    r"(?:def|class|function\*?|func|fn|interface|struct|enum|impl|trait|fun|object|type|namespace|module)\b)"
)
_MAX_PARSED_CHARS = 200_000
"""Longest code that is parsed for classification, in characters: parsing takes time."""


def parse_snippet(
    lines: Sequence[str],
    start: int,
    end: int,
    *,
    word: str | None,
    path: str | None,
    language: str | None,
    known: str | None,
    span: tuple[int, int],
) -> FileSketch:
    """Parse the code in the lines from `start` up to `end` as a part of a sketch.

    Args:
        word: The language word of the surrounding fence.
        path: The path that the fence or the line above names.
        language: The LSP language id to use when neither the word nor the path determines one.
        known: The path of the file that the sketch is for, if known.
        span: The first line of the part, and the line after the part.

    Raises:
        SketchError: The lines hold only blank lines and markers.
    """
    first = next((number for number in range(start, end) if lines[number].strip()), end)
    path_line = None
    named = path_of_comment(lines[first], path or known, word) if first < end else None
    if named is not None and (path is None or path == named or named.endswith(f"/{path}")):
        path, path_line, start = named, first, first + 1
    syntax = known_language_of(path) or language_of_word(word) or language
    parts = split_code_and_elisions(lines[start:end], start, syntax)
    code = [part for part in parts if isinstance(part, Code)]
    if not any(line.strip() for part in code for line in part.lines):
        raise SketchError("no code, only markers or blank lines", *span)
    kind, why = classify(parts, syntax)
    return FileSketch(kind, why, Snippet(parts), *span, path, word, path_line=path_line)


def classify(parts: Sequence[Code | Elision], language: str | None) -> tuple[SketchKind, str]:
    """Return the kind of a snippet, and the reason for it."""
    marker = next((part for part in parts if isinstance(part, Elision)), None)
    if marker is not None:
        return "markers", f"code with a marker for what stays: {marker.text.strip()}"
    code = [line for part in parts if isinstance(part, Code) for line in part.lines]
    tops, nodes = _top_level(code, language), nodes_of(language)
    if tops is None:
        return _kind_by_lines(code)
    if len(tops) == 1 and _is_declaration(tops[0], nodes):
        return "declaration", f"one declaration ({tops[0].type}) without markers"
    if tops and (_begins_a_file(tops[0], nodes) or sum(_is_declaration(top, nodes) for top in tops) > 1):
        return "whole-file", "several declarations or an import at the top, without markers"
    return "markers", "a piece of code without markers"


def _kind_by_lines(code: Sequence[str]) -> tuple[SketchKind, str]:
    """Classify code that has no grammar or does not parse, by its least indented lines."""
    used = [line for line in code if line.strip()]
    min_indent = min(map(indentation_length, used))
    tops = [line for line in used if indentation_length(line) == min_indent]
    heads = sum(_HEAD.match(line) is not None and not line.lstrip().startswith("@") for line in tops)
    closers = sum(line.strip(" \t)};,") == "" for line in tops)
    if (
        heads == 1
        and _HEAD.match(tops[0])
        and heads + closers + sum(line.lstrip().startswith("@") for line in tops) == len(tops)
    ):
        return "declaration", "one declaration, by its first line, without markers"
    if heads > 1 or re.match(r"\s*(?:import|from|package|use|#include|using|require)\b", used[0]):
        return "whole-file", "several declarations or an import at the top, without markers"
    return "markers", "a piece of code without markers"


def _top_level(code: Sequence[str], language: str | None) -> list[Node] | None:
    """Return the outermost nodes of the code, without comments; None without a grammar or with syntax errors."""
    text = textwrap.dedent("\n".join(code)).rstrip().removesuffix(",") + "\n"
    if language is None or len(text) > _MAX_PARSED_CHARS:
        return None
    around = find_language(language).class_wrapper
    for wrapped in (False, True):
        source = f"{around[0]}\n{text}{around[1]}\n" if wrapped and around else text
        tree = SyntaxTrees().tree(Snapshot.from_text(source, language=language))
        if tree is None:
            return None
        if not tree.root_node.has_error:
            level = (
                tree.root_node.named_children[0].child_by_field_name("body") if wrapped else tree.root_node
            )
            return [node for node in level.named_children if not _ASIDE.search(node.type)] if level else None
        if around is None:
            return None
    return None


def _begins_a_file(node: Node, nodes: NodeTypes) -> bool:
    """Return whether the node is an import or similar, or a string: a docstring, or "use strict"."""
    return is_lone_string(node, nodes) or _PREAMBLE.search(node.type) is not None


def _is_declaration(node: Node, nodes: NodeTypes) -> bool:
    while node.type in nodes.decorated and node.named_children:
        node = node.named_children[-1]
    has_name = any(node.child_by_field_name(name) for name in ("name", "declarator", "type"))
    if node.child_by_field_name("body") is not None and has_name:
        return True
    return node.type in nodes.declaration_statements or node.type in nodes.declarations
