"""Names of grammar nodes stand in the tables of the languages; other code asks what a node means."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from editahead_prompts.syntax.languages import PARSED_LANGUAGES
from editahead_prompts.syntax.syntax_trees import find_parser

ROOT = Path(__file__).parents[3]
PACKAGES = ("cli", "inference", "lab", "lsp", "prompts", "retrieval", "serving", "workspace")
TABLES = ROOT / "prompts" / "editahead_prompts" / "syntax"
ALLOWED: dict[str, int] = {
    "inference/editahead_inference/apply/merge/anchored_imports.py": 1,
    "inference/editahead_inference/apply/merge/broken_definitions.py": 4,
    "inference/editahead_inference/apply/merge/other_meanings.py": 1,
    "inference/editahead_inference/apply/new_files.py": 8,
    "inference/editahead_inference/apply/placement/declarations.py": 1,
    "inference/editahead_inference/apply/review/hunk_syntax.py": 3,
    "inference/editahead_inference/apply/review/review_flags.py": 8,
    "lab/editahead_lab/apply/added_elements.py": 34,
    "lab/editahead_lab/apply/import_sketches.py": 9,
    "lab/editahead_lab/apply/line_change.py": 3,
    "lab/editahead_lab/training/encoder/documented.py": 28,
    "prompts/editahead_prompts/formats/apply/fastapply.py": 1,
}
"""The names that a module may still have. A number is to become smaller, and a module without names goes."""


def grammar_names() -> tuple[frozenset[str], frozenset[str]]:
    """Return the names of the nodes of all grammars, and those that are fields, too."""
    kinds, fields = set(), set()
    for name in PARSED_LANGUAGES:
        parser = find_parser(name)
        assert parser is not None and parser.language is not None
        grammar = parser.language
        kinds |= {
            grammar.node_kind_for_id(number)
            for number in range(grammar.node_kind_count)
            if grammar.node_kind_is_named(number)
        }
        fields |= {grammar.field_name_for_id(number) for number in range(1, grammar.field_count + 1)}
    return frozenset(filter(None, kinds)), frozenset(filter(None, fields))


def texts_in(node: ast.AST) -> Iterator[str]:
    return (
        each.value
        for each in ast.walk(node)
        if isinstance(each, ast.Constant) and isinstance(each.value, str)
    )


def is_type(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "type"


def node_names(source: str, kinds: frozenset[str], fields: frozenset[str]) -> frozenset[str]:
    """Return the names of nodes in a module: those of several words, and what a node's type is compared with."""
    tree = ast.parse(source)
    written = {text for text in texts_in(tree) if "_" in text and text in kinds - fields}
    comparisons = [node for node in ast.walk(tree) if isinstance(node, ast.Compare)]
    compared = {
        text
        for one in comparisons
        if any(map(is_type, (one.left, *one.comparators)))
        for text in texts_in(one)
    }
    return frozenset(written | (compared & kinds))


@pytest.mark.slow
def test_names_of_nodes_stand_in_the_tables() -> None:
    names = grammar_names()
    found = {
        path.relative_to(ROOT).as_posix(): len(node_names(path.read_text("utf-8"), *names))
        for package in PACKAGES
        for path in (ROOT / package).rglob("*.py")
        if TABLES not in path.parents
    }
    assert {path: count for path, count in found.items() if count} == ALLOWED


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('LOOPS = {"while_statement"}', {"while_statement"}),
        ('is_call = node.type == "call"', {"call"}),
        ('is_text = "string" in node.type', {"string"}),
        ('is_call = node.type in ("call", "new")', {"call"}),
        ('name = node.child_by_field_name("return_type")', set()),
        ('label = "call"', set()),
        ("is_call = node.type in nodes.calls", set()),
    ],
)
def test_what_counts_as_the_name_of_a_node(source: str, expected: set[str]) -> None:
    kinds = frozenset({"call", "while_statement", "string", "return_type"})
    assert node_names(source, kinds, frozenset({"return_type"})) == expected
