"""Imports of names that other open documents define: PHP, C#, Ruby and Swift, and where none is needed."""

from __future__ import annotations

import pytest

from editahead_inference.predictors.propagation.defined_imports import defined_import
from editahead_inference.predictors.propagation.other_modules import is_of_other_module
from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.snapshot import Snapshot

MAILER = {
    "php": ("src/Mail/Mailer.php", "<?php\nnamespace App\\Mail;\nclass Mailer {}\n"),
    "csharp": ("src/Mail/Mailer.cs", "namespace App.Mail;\npublic class Mailer { public int Size; }\n"),
    "ruby": ("src/shop/mailer.rb", "module Shop\n  class Mailer\n  end\nend\n"),
    "swift": ("Sources/Mail/Mailer.swift", "public final class Mailer {}\n"),
}


def snapshot(language: str, path: str, text: str) -> Snapshot:
    return Snapshot.from_text(text, uri=f"file:///app/{path}", language=language)


def module_of(language: str, path: str, text: str, *others: tuple[str, str]) -> str | None:
    """The module of the import of `Mailer`; "" if none is needed."""
    first, *rest = (snapshot(language, *one) for one in (*others, MAILER[language]))
    documents = (first, *rest)
    found = defined_import("Mailer", documents[-1], snapshot(language, path, text), documents, SyntaxTrees())
    return None if found is None else found.module


@pytest.mark.parametrize(
    ("namespace", "expected"),
    [("App\\Shop", "App\\Mail"), ("App\\Mail", ""), ("App", "App\\Mail")],
)
def test_php(namespace: str, expected: str) -> None:
    assert module_of("php", "src/Cart.php", f"<?php\nnamespace {namespace};\n") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("using App.Box;\nnamespace App.Shop;\n", "App.Mail"),
        ("using System;\nnamespace App.Shop;\n", None),
        ("namespace App.Mail.Queue;\n", ""),
        ("namespace App.Shop\n{\n    using App.Mail;\n}\n", ""),
        ("using App.Box;\nvar a = 1;\n", "App.Mail"),
    ],
)
def test_csharp(text: str, expected: str | None) -> None:
    assert module_of("csharp", "src/Cart.cs", text) == expected


def test_csharp_with_an_import_for_all_files() -> None:
    usings = ("src/Usings.cs", "global using App.Mail;\n")
    assert module_of("csharp", "src/Cart.cs", "namespace App.Shop;\n", usings) == ""


def test_csharp_of_a_file_of_several_namespaces_is_not_known() -> None:
    two = snapshot("csharp", "a.cs", "namespace A { class B { } }\nnamespace C { class Mailer { } }\n")
    here = snapshot("csharp", "b.cs", "namespace D;\n")
    assert defined_import("Mailer", two, here, (two,), SyntaxTrees()) is None


@pytest.mark.parametrize(("base", "is_silent"), [("Size", False), ("Base<int>, Sized", True)])
def test_csharp_of_a_name_that_a_base_has_as_a_member(base: str, is_silent: bool) -> None:
    other = snapshot("csharp", "a.cs", "namespace A;\nclass Base<T> { public Mailer Mailer; }\n")
    here = snapshot("csharp", "b.cs", f"namespace D;\nclass Cart : {base} {{ }}\n")
    found = defined_import("Mailer", other, here, (other,), SyntaxTrees())
    assert (found is not None and found.module == "") == is_silent


SHOP = "module Shop\n  class Cart\n  end\nend\n"


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("src/shop/cart.rb", f"require_relative 'item'\n{SHOP}", "./mailer"),
        ("src/cart.rb", f"require_relative 'item'\n{SHOP}", "./shop/mailer"),
        ("src/shop/cart.rb", f"require 'json'\n{SHOP}", None),
        ("src/shop/cart.rb", "require_relative 'item'\nclass Cart\nend\n", None),
        ("src/shop/cart.rb", f"require_relative 'mailer'\n{SHOP}", ""),
        ("src/shop/cart.rb", f"require_relative '../shop'\n{SHOP}", ""),
        ("test/cart_test.rb", f"require_relative 'test_helper'\n{SHOP}", ""),
    ],
)
def test_ruby(path: str, text: str, expected: str | None) -> None:
    assert module_of("ruby", path, text) == expected


@pytest.mark.parametrize(
    "other",
    [
        ("src/shop/item.rb", "require_relative 'mailer'\n"),
        ("src/all.rb", "require_relative 'shop/mailer'\nrequire_relative 'shop/cart'\n"),
    ],
)
def test_ruby_of_what_another_file_loads(other: tuple[str, str]) -> None:
    assert module_of("ruby", "src/shop/cart.rb", f"require_relative 'item'\n{SHOP}", other) == ""


@pytest.mark.parametrize(
    ("opened", "expected"),
    [([], ""), ([""], "shop/mailer"), (["require 'shop/mailer'\nrequire 'shop/cart'\n"], "")],
)
def test_ruby_of_a_library(opened: list[str], expected: str) -> None:
    other = snapshot("ruby", "lib/shop/mailer.rb", MAILER["ruby"][1])
    here = snapshot("ruby", "lib/shop/cart.rb", f"require 'shop/item'\n{SHOP}")
    others = (other, *(snapshot("ruby", "lib/shop.rb", text) for text in opened))
    found = defined_import("Mailer", other, here, others, SyntaxTrees())
    assert found is not None
    assert found.module == expected


@pytest.mark.parametrize(
    ("language", "text", "definition"),
    [
        ("ruby", "require_relative 'a'\n", "class B\nend\n"),
        ("typescript", "import { a } from './a';\n", "export class B {}\n"),
    ],
)
def test_of_a_document_that_is_not_written_yet(language: str, text: str, definition: str) -> None:
    other = Snapshot.from_text(definition, uri="untitled:1", language=language)
    here = snapshot(language, "src/c", text)
    assert defined_import("B", other, here, (other,), SyntaxTrees()) is None
    assert defined_import("B", here, other, (here,), SyntaxTrees()) is None


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("Sources/App/Cart.swift", "import Logging\n", "Mail"),
        ("Sources/App/Cart.swift", "#if DEBUG\nimport Mail\n#endif\n", ""),
        ("Sources/App/Cart.swift", "import struct Mail.Box\n", ""),
        ("Sources/Mail/Cart.swift", "import Logging\n", ""),
        ("Tests/MailTests/Cart.swift", "import XCTest\n", None),
        ("Cart.swift", "import Logging\n", None),
    ],
)
def test_swift(path: str, text: str, expected: str | None) -> None:
    assert module_of("swift", path, text) == expected


def test_swift_of_an_internal_type() -> None:
    other = snapshot("swift", "Sources/Mail/Box.swift", "struct Mailer {}\npublic struct MailerBox {}\n")
    here = snapshot("swift", "Sources/App/Cart.swift", "import Logging\n")
    assert defined_import("Mailer", other, here, (other,), SyntaxTrees()) is None


def test_ruby_of_a_class_of_the_core() -> None:
    other = snapshot("ruby", "lib/string.rb", "class String\nend\n")
    here = snapshot("ruby", "lib/cart.rb", "require_relative 'item'\n")
    found = defined_import("String", other, here, (other,), SyntaxTrees())
    assert found is not None
    assert found.module == ""


@pytest.mark.parametrize(
    ("text", "is_other"),
    [
        ("new Mailer();", True),
        ("use App\\Mail\\Mailer;", False),
        ("use App\\Mail\\Mailer as Post;", False),
        ("use App\\Mail;\nnew Mail\\Mailer();", False),
        ("new \\App\\Mail\\Mailer();", False),
        ("new \\App\\Mail\\MailerBox();", True),
        ("use Other\\Mailer;", True),
    ],
)
def test_php_of_other_namespaces(text: str, is_other: bool) -> None:
    here = snapshot("php", "src/Cart.php", f"<?php\nnamespace App\\Shop;\n{text}\n")
    assert is_of_other_module("Mailer", here, snapshot("php", *MAILER["php"]), SyntaxTrees()) == is_other
