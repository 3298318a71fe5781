"""Incremental syntax trees: after any edit they equal a fresh parse."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tree_sitter import Parser, Tree

from editahead_prompts.syntax import syntax_trees
from editahead_prompts.syntax.languages import PARSED_LANGUAGES
from editahead_prompts.syntax.syntax_trees import SyntaxTrees, count_errors
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot
from history_typist import PROPERTY

SAMPLES = {
    "python": "def f(a):\n    return a  # ß\n",
    "javascript": "function f(a) { return a; }\n",
    "javascriptreact": "const a = <b>{c}</b>;\n",
    "typescript": "let a: string = <string>b;\n",
    "typescriptreact": "const a = <b>{c as string}</b>;\n",
    "php": "<?php\nfunction f($a) { return $a; }\n",
    "swift": "func f(_ a: Int) -> Int { a }\n",
    "ruby": "def f(a)\n  a\nend\n",
    "csharp": "class A { int F(int a) => a; }\n",
    "go": "package p\n\nfunc f(a int) int { return a }\n",
    "rust": "fn f(a: u8) -> u8 { a }\n",
    "java": "class A { int f(int a) { return a; } }\n",
    "c": "int f(int a) { return a; }\n",
    "cpp": "namespace n { auto f(int a) -> int { return a; } }\n",
}
PIECES = st.sampled_from(
    [
        "def f(x):\n",
        "    return x\n",
        "x = 1\n",
        "(",
        ")",
        '"',
        "'''",
        "é",
        "🧳",
        "\n",
        "\r\n",
        "if x:",
        "#",
        "\x00",
    ]
)
TEXT = st.lists(PIECES, max_size=12).map("".join)


def snapshot(text: str, language: str = "python") -> Snapshot:
    return Snapshot.from_text(text, uri="file:///a", language=language)


def shape(trees: SyntaxTrees, text: str) -> str:
    tree = trees.tree(snapshot(text))
    assert tree is not None
    return str(tree.root_node)


def test_a_tree_keeps_nothing_of_the_check_of_its_parse() -> None:
    class Check:
        def __call__(self) -> None:
            pass

    check, parser = Check(), syntax_trees.find_parser("python")
    assert parser is not None
    known = weakref.ref(check)
    tree = syntax_trees.parse(parser, b"a = 1\n" * 1000, check=check)
    del check
    gc.collect()
    assert tree is not None
    assert known() is None


def test_every_language_has_a_sample() -> None:
    assert set(SAMPLES) == set(PARSED_LANGUAGES)


@pytest.mark.parametrize("language", SAMPLES)
def test_a_correct_sample_has_no_errors_and_a_broken_one_has(language: str) -> None:
    text = SAMPLES[language]
    tree = SyntaxTrees().tree(snapshot(text, language))
    assert tree is not None
    assert count_errors(tree.root_node) == 0
    counts = SyntaxTrees().error_counts(snapshot(text, language), Edit.replace(len(text), len(text), "}) {{"))
    assert counts is not None
    assert counts[0] == 0 < counts[1]


def test_a_language_without_a_grammar_has_no_tree() -> None:
    trees, text = SyntaxTrees(), snapshot("a", "brainfuck")
    assert trees.tree(text) is None
    assert trees.error_counts(text, Edit.replace(0, 1, "b")) is None
    assert trees.node_at(text, 0, 1) is None


@pytest.mark.slow
@PROPERTY
@given(st.lists(TEXT, min_size=2, max_size=5))
def test_parsing_on_is_parsing_afresh(texts: list[str]) -> None:
    trees = SyntaxTrees()
    for text in texts:
        assert shape(trees, text) == shape(SyntaxTrees(), text)


def test_reproducible_trees_depend_on_the_text_only() -> None:
    text = "function f(a) {\n  if (a) {\n    g(a);\n  }\n  return a;\n}\n"
    first = snapshot(text.replace("  return a;\n", "  return a;\n  if (a) {\n"), "javascript")
    second = snapshot("}\nfunction f(a) {\n" + text, "javascript")

    def shapes(trees: SyntaxTrees) -> list[str]:
        edit = Edit.replace(0, first.length, second.text)
        return [str(tree and tree.root_node) for tree in (trees.tree_after(first, edit), trees.tree(second))]

    after_another = SyntaxTrees(reproducible=True)
    after_another.tree(first)
    fresh = SyntaxTrees().tree(second)
    assert shapes(after_another) == [str(fresh and fresh.root_node)] * 2


@pytest.mark.slow
@PROPERTY
@given(TEXT, st.data())
def test_errors_around_an_edit_are_those_of_both_texts(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    edit = Edit.replace(start, data.draw(st.integers(start, len(text))), data.draw(PIECES))
    trees = SyntaxTrees()
    before, after = trees.error_counts(snapshot(text), edit) or (-1, -1)
    fresh = [SyntaxTrees().tree(snapshot(t)) for t in (text, edit.apply(text))]
    assert [before, after] == [count_errors(tree.root_node) for tree in fresh if tree is not None]
    assert shape(trees, text) == shape(SyntaxTrees(), text)  # and the tree before it is as it was


@pytest.mark.parametrize("lead", ["", "s = 'é🧳'\n", "\ud83e = 1\n", "a = '\u2028'\r\n"])
def test_offsets_are_code_points(lead: str) -> None:
    text = lead + "total = 'x'  # note\n"
    trees = SyntaxTrees()
    for name, kind in (("total", "identifier"), ("# note", "comment"), ("x", "string_content")):
        at = text.rindex(name)
        node = trees.node_at(snapshot(text), at, at + len(name))
        assert node is not None
        assert (node.type, node.text) == (kind, name.encode())


def test_a_document_that_changes_its_language_is_parsed_afresh() -> None:
    trees = SyntaxTrees()
    trees.tree(snapshot("def f(): pass\n", "python"))
    tree = trees.tree(snapshot("int f() { return 1; }\n", "c"))
    assert tree is not None
    assert count_errors(tree.root_node) == 0


def test_a_text_between_does_not_cost_the_tree_of_the_one_before(monkeypatch: pytest.MonkeyPatch) -> None:
    bases = []
    reparse = syntax_trees._reparse

    def spied(parser: Parser, tree: Tree, old: bytes, new: bytes, check: Callable[[], None] | None) -> Tree:
        bases.append(old.decode())
        return reparse(parser, tree, old, new, check)

    monkeypatch.setattr(syntax_trees, "_reparse", spied)
    trees = SyntaxTrees()
    for text in ("x = 1\n", "x = 1\nwhile x > f(\n", "x = 12\n"):
        trees.tree(snapshot(text))
    assert bases == ["x = 1\n", "x = 1\n"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("python", "old_name \n" + "# a\n" * 4_000),
        ("python", "x = f(a b)\nold_name \n" + "#include <a>\n" * 4_000),
        ("python", "old_name \n" + "#[a]\n" * 4_000),
        ("cpp", "/* a\n" * 4_000),
        ("c", "x /* a\n" * 4_000),
        ("cpp", "".join(f"a{number}: 1\n" for number in range(1_500))),
    ],
)
def test_a_text_that_its_grammar_is_too_slow_for_has_no_tree_until_it_is_another(
    language: str, text: str
) -> None:
    trees, small = SyntaxTrees(), SAMPLES[language]
    slow = snapshot(text, language)
    assert trees.tree(slow) is trees.tree(slow) is None
    assert trees.node_at(slow, 0, 1) is None
    assert trees.error_counts(slow, Edit.replace(0, 0, "x")) is None
    assert trees.error_counts(snapshot(small, language), Edit.replace(0, 0, text)) is None
    tree = trees.tree(snapshot(small, language))
    assert tree is not None and count_errors(tree.root_node) == 0


@pytest.mark.parametrize("text", ["def f(a):\n    return a\n", "x = 'é" + "long " * 300 + "'\nname\n"])
def test_the_text_of_a_node_may_be_asked_for_without_end(text: str) -> None:
    tree = SyntaxTrees().tree(snapshot(text))
    assert tree is not None
    nodes = [tree.root_node]
    for node in nodes:
        nodes += node.children
    source = text.encode()
    for node in nodes * 200:
        assert node.text == source[node.start_byte : node.end_byte]


@pytest.mark.slow
@pytest.mark.parametrize("language", PARSED_LANGUAGES)
def test_a_large_text_has_a_tree(language: str) -> None:
    for text in (SAMPLES[language] * 3_000, SAMPLES[language] * 1_500 + '("' + SAMPLES[language] * 1_500):
        assert SyntaxTrees().tree(snapshot(text, language)) is not None


class _CancelledError(Exception):
    pass


@pytest.mark.slow
def test_a_parse_is_cancelled_and_the_next_one_is_whole() -> None:
    text = "def f(x):\n    return x + 1\n" * 4_000
    trees = SyntaxTrees()
    calls = 0

    def check() -> None:
        nonlocal calls
        calls += 1
        if calls == 20:
            raise _CancelledError

    with trees.checked(check), pytest.raises(_CancelledError):
        trees.tree(snapshot(text))
    assert calls == 20
    tree = trees.tree(snapshot(text))
    assert tree is not None
    assert calls == 20, "outside of the context there is no check"
    assert str(tree.root_node) == str(SyntaxTrees().tree(snapshot(text)).root_node)


@pytest.mark.slow
def test_a_parse_with_checks_gives_the_same_tree() -> None:
    text = "def f(x):\n    return (x + 'ä'\n" * 3_000
    calls = []
    trees = SyntaxTrees()
    with trees.checked(lambda: calls.append(1)):
        first = trees.tree(snapshot(text))
        second = trees.tree(snapshot(text.replace("x", "y", 1)))
    assert first is not None
    assert second is not None
    assert len(calls) > 100
    without = SyntaxTrees()
    assert str(first.root_node) == str(without.tree(snapshot(text)).root_node)
    assert str(second.root_node) == str(without.tree(snapshot(text.replace("x", "y", 1))).root_node)
