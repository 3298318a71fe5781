"""The table of languages."""

from __future__ import annotations

from dataclasses import fields
from importlib import import_module

import pytest
from tree_sitter import Language as Grammar

from editahead_prompts.syntax.language import NodeTypes
from editahead_prompts.syntax.languages import (
    LANGUAGES,
    PARSED_LANGUAGES,
    family_of,
    find_language,
    known_language_of,
    language_of,
    language_of_word,
    package_of,
)
from editahead_prompts.text.snapshot import Snapshot


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a/b.py", "python"),
        ("a.PYI", "python"),
        ("x.tsx", "typescriptreact"),
        ("a.zz", None),
        ("go", None),
        ("", None),
    ],
)
def test_language_of_a_path(path: str, expected: str | None) -> None:
    assert known_language_of(path) == expected
    assert language_of(path) == (expected or "plaintext")


@pytest.mark.parametrize(
    ("word", "expected"),
    [("Python3", "python"), ("golang", "go"), ("rs", "rust"), ("text", None), (None, None)],
)
def test_language_of_a_word(word: str | None, expected: str | None) -> None:
    assert language_of_word(word) == expected


def test_families() -> None:
    assert family_of("typescript") == family_of("javascriptreact") != family_of("c")
    assert family_of("unheard-of") == "unheard-of"


def test_each_extension_and_word_has_one_language() -> None:
    named = [word for one in LANGUAGES.values() for word in {one.name, *one.extensions, *one.aliases}]
    assert len(named) == len(set(named))


@pytest.mark.parametrize("family", sorted(set(map(family_of, PARSED_LANGUAGES))))
def test_all_node_types_are_those_of_the_grammar(family: str) -> None:
    known: set[str] = {"ERROR"}
    for name in PARSED_LANGUAGES:
        module, function = find_language(name).grammar or ("", "")
        if family_of(name) == family:
            grammar = Grammar(getattr(import_module(module), function)())
            known.update(grammar.node_kind_for_id(number) or "" for number in range(grammar.node_kind_count))
    tables = [find_language(name).nodes for name in PARSED_LANGUAGES if family_of(name) == family]
    for each in fields(NodeTypes):
        for table in tables:
            assert set(getattr(table, each.name)) <= known, each.name


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("csharp", "using System;\n\nnamespace Acme.Mail;\n", "Acme.Mail"),
        ("go", "package mail\n", "mail"),
        ("java", "package org.acme.mail;\n", "org.acme.mail"),
        ("php", "<?php\n\nnamespace App\\Mail;\n", "App\\Mail"),
        ("php", "<?php\n\nclass A {}\n", ""),
        ("python", "package = 1\n", ""),
    ],
)
def test_package_of_a_file(language: str, text: str, expected: str) -> None:
    assert package_of(Snapshot.from_text(text, language=language)) == expected
