"""Inputs that grow in one dimension: texts of about `size` characters, each the same again whenever it is made.

A text has one thing again and again, or one thing that is as large as the text. `GROWING` has all, by name.
"""

from __future__ import annotations

from collections.abc import Callable

Grow = Callable[[int], str]
"""Returns a text of about that many characters."""


def repeated(piece: str, *, head: str = "", tail: str = "") -> Grow:
    """Return a grower that repeats a piece. `{}` in it is the number of the repetition."""

    def grow(size: int) -> str:
        count = max(1, (size - len(head) - len(tail)) // max(1, len(piece)))
        if "{}" not in piece:
            return head + piece * count + tail
        return head + "".join(piece.replace("{}", str(number)) for number in range(count)) + tail

    return grow


def nested(opening: str, closing: str, *, head: str = "", inner: str = "x", tail: str = "\n") -> Grow:
    """Return a grower that nests brackets, or anything that has two ends."""

    def grow(size: int) -> str:
        depth = max(1, size // (len(opening) + len(closing)))
        return head + opening * depth + inner + closing * depth + tail

    return grow


def indented(line: str, *, step: str = " ") -> Grow:
    """Return a grower of lines each of which is indented deeper than the one above it."""

    def grow(size: int) -> str:
        depth = max(1, int((2 * size / len(step)) ** 0.5))
        return "".join(f"{step * number}{line}\n" for number in range(depth))

    return grow


LINES: dict[str, Grow] = {
    "one word": repeated("a"),
    "one capital word": repeated("aB", head="x = "),
    "one snake word": repeated("ab_", head="x = "),
    "underscores": repeated("_", head="x = "),
    "digits": repeated("7", head="x = "),
    "equal words": repeated("ab ", head="x = "),
    "different words": repeated("a{} ", head="x = "),
    "blanks": repeated(" ", head="x =", tail="1"),
    "blanks at the end": repeated(" ", head="x = 1"),
    "tabs": repeated("\t", head="x =", tail="1"),
    "dots": repeated("."),
    "commas": repeated(",", head="f("),
    "hyphens": repeated("-"),
    "equals signs": repeated("="),
    "hashes": repeated("#"),
    "slashes": repeated("/"),
    "stars": repeated("*", head="/"),
    "backslashes": repeated("\\"),
    "nested round": nested("(", ")", head="x = f"),
    "nested square": nested("[", "]", head="x = "),
    "nested curly": nested("{", "}", head="x = "),
    "nested angle": nested("<", ">", head="x: A"),
    "nested mixed": nested("([{", "}])", head="x = "),
    "nested calls": nested("f(a, ", ", b)", head="x = "),
    "nested calls of methods": nested("a.b.c.f(", ")", head="x = "),
    "nested lambdas": nested("(lambda a: ", ")", head="x = "),
    "nested arrows": nested("(a => ", ")", head="x = "),
    "nested strings": nested("f('a', \"", '")', head="x = "),
    "nested templates": nested("`${", "}`", head="x = "),
    "unclosed round": repeated("(", head="x = f"),
    "unclosed square": repeated("[", head="x = "),
    "unclosed curly": repeated("{", head="x = "),
    "unclosed angle": repeated("<", head="x = A"),
    "unclosed calls": repeated("f(a, ", head="x = "),
    "closing round": repeated(")"),
    "closing curly": repeated("}"),
    "double quotes": repeated('"'),
    "single quotes": repeated("'"),
    "backquotes": repeated("`"),
    "unclosed strings": repeated("\" '", head="x = "),
    "escaped quotes": repeated('\\"', head='x = "'),
    "equal strings": repeated('"a", ', head="x = [", tail="]"),
    "unequal strings": repeated('"a{}", ', head="x = [", tail="]"),
    "equal arguments": repeated("a, ", head="f(", tail="b)"),
    "different arguments": repeated("a{}, ", head="f(", tail="b)"),
    "keyword arguments": repeated("a{}=b, ", head="f(", tail="c=1)"),
    "numbers": repeated("1, ", head="x = [", tail="2]"),
    "sums": repeated("a + ", head="x = ", tail="b"),
    "chain of names": repeated("a.", head="x = ", tail="b"),
    "chain of calls": repeated("a().", head="x = ", tail="b()"),
    "chain of calls with arguments": repeated("f(a, b).", head="x = ", tail="g(c)"),
    "chain of items": repeated("[0]", head="x = a"),
    "assignments": repeated("a = ", tail="1"),
    "statements on one line": repeated("f(a); "),
    "parameters": repeated("a{}: int, ", head="def f(", tail="b): pass"),
    "imports on one line": repeated("a{}, ", head="from m import ", tail="b"),
    "conditions": repeated("a if b else ", head="x = ", tail="c"),
    "negations": repeated("not ", head="x = ", tail="a"),
    "minus signs": repeated("-", head="x = ", tail="a"),
    "types": nested("dict[str, ", "]", head="def f(a: "),
    "unions": repeated("A{} | ", head="x: ", tail="B"),
    "paths": repeated("a/", head="import '", tail="b'"),
    "relative paths": repeated("../", head="import '", tail="b'"),
    "urls": repeated("http://a:b@c/ ", head="# "),
    "passwords": repeated("password='Zx8vQ2mL9tR4' ", head="x = "),
    "names of secrets": repeated("token_", head="", tail=" = 1"),
    "random": repeated("aZ3kQ9", head="token = '", tail="'"),
    "CJK": repeated("中文"),
    "combining": repeated("e\u0301", head="x = "),
    "only combining": repeated("\u0301", head="x = a"),
    "astral": repeated("😀"),
    "right to left": repeated("\u05d0\u05d1 ", head="x = '", tail="'"),
    "invisible": repeated("\u200b", head="x = a"),
    "long s": repeated("ſ", head="x = "),
    "nulls": repeated("\0"),
    "surrogates": repeated("\ud800", head="x = "),
    "JSON depth": nested('{"a":', "}", inner="1"),
    "XML depth": nested("<a>", "</a>"),
    "XML attributes": repeated('a{}="b" ', head="<a ", tail="/>"),
    "TOML keys": repeated("a.", tail="b = 1"),
    "ellipses": repeated("... "),
    "quantified": repeated("a*"),
    "pattern of classes": repeated("[a-c]"),
    "pattern of unclosed classes": repeated("[a"),
    "pattern of folders": repeated("**/"),
    "percent signs": repeated("%s ", head="x = '", tail="' % a"),
    "format fields": repeated("{a} ", head="x = '", tail="'.format(a)"),
}
"""Texts of one line."""

TEXTS: dict[str, Grow] = {
    "equal lines": repeated("x = 1\n"),
    "different lines": repeated("x{} = {}\n"),
    "one letter a line": repeated("a\n"),
    "blank lines": repeated("\n", tail="x = 1\n"),
    "lines of blanks": repeated("    \n"),
    "lines of closing brackets": repeated("}\n"),
    "CRLF": repeated("x = 1\r\n"),
    "CR": repeated("x = 1\r"),
    "two equal lines": repeated("a = 1\nb = 2\n"),
    "brackets over lines": nested("f(\n", ")\n", head="x = "),
    "arguments over lines": repeated("    a{},\n", head="f(\n", tail=")\n"),
    "indentation": indented("if x:"),
    "indentation by tabs": indented("for x in y:", step="\t"),
    "indented functions": indented("def f(x):"),
    "indented curly": indented("if (x) {"),
    "falling indentation": lambda size: "".join(reversed(indented("x = 1")(size).splitlines(True))),
    "decorators": repeated("@a\n", tail="def f(): pass\n"),
    "elif": repeated("elif x == {}:\n    f()\n", head="if x:\n    f()\n"),
    "else if": repeated("else if (x) {\n f();\n}\n", head="if (x) {\n f();\n}\n"),
    "cases": repeated("  case {}:\n    f();\n", head="switch (x) {\n", tail="}\n"),
    "equal functions": repeated("def f(a):\n    return g(a)\n\n"),
    "different functions": repeated("def f{}(a):\n    return f(a)\n\n"),
    "classes": repeated("class A{}(A):\n    x = 1\n\n    def f(self):\n        return self.x\n\n"),
    "heirs": repeated("class A{}(B):\n    pass\n\n"),
    "methods": repeated("    def f{}(self, a):\n        self.a = a\n", head="class A:\n"),
    "JavaScript functions": repeated("function f{}(a) {\n  return g(a);\n}\n"),
    "imports": repeated("import a{}\n"),
    "imports from": repeated("from a import b{}\n"),
    "requires": repeated("const a{} = require('./a');\n"),
    "includes": repeated('#include "a{}.h"\n'),
    "exports": repeated("export { a{} } from './a';\n"),
    "hash comments": repeated("# a b c\n"),
    "slash comments": repeated("// a b c\n"),
    "docstrings": repeated('"""a"""\n'),
    "block comments": repeated("/* a */\n"),
    "unclosed block comments": repeated("/* a\n"),
    "markers": repeated("# ... existing code ...\n"),
    "slash markers": repeated("// ... existing code ...\n"),
    "lines and markers": repeated("x = 1\n# ... existing code ...\n"),
    "different lines and markers": repeated("x{} = 1\n# ... existing code ...\n"),
    "fences": repeated("```python\nx = 1\n```\n"),
    "fences with paths": repeated("```python a{}.py\nx = 1\n```\n"),
    "unclosed fences": repeated("```python\n"),
    "growing fences": lambda size: "".join("`" * (3 + n) + "\n" for n in range(int((2 * size) ** 0.5))),
    "tildes": repeated("~~~\n"),
    "hunks": repeated("@@ -{},1 +{},1 @@\n-x = 1\n+x = 2\n", head="--- a/x.py\n+++ b/x.py\n"),
    "hunks without numbers": repeated("@@ @@\n-x = 1\n+x = 2\n", head="--- a/x.py\n+++ b/x.py\n"),
    "hunk headers": repeated("@@ -1,1 +1,1 @@\n", head="--- a/x.py\n+++ b/x.py\n"),
    "files in a diff": repeated("--- a/x{}.py\n+++ b/x{}.py\n@@ -1,1 +1,1 @@\n-x = 1\n+x = 2\n"),
    "equal files in a diff": repeated("--- a/x.py\n+++ b/x.py\n@@ -1,1 +1,1 @@\n-x = 1\n+x = 2\n"),
    "git headers": repeated("diff --git a/x{}.py b/x{}.py\n"),
    "renamed files": repeated(
        "diff --git a/x{}.py b/y{}.py\nsimilarity index 100%\nrename from x{}.py\nrename to y{}.py\n"
    ),
    "headers": repeated("--- a/x.py\n+++ b/x.py\n"),
    "headers of one side": repeated("--- a/x.py\n"),
    "removed lines": repeated("-x = 1\n", head="--- a/x.py\n+++ b/x.py\n@@ -1,9 +1,9 @@\n"),
    "added lines": repeated("+x = 1\n", head="--- a/x.py\n+++ b/x.py\n@@ -1,9 +1,9 @@\n"),
    "exchanged lines": repeated("-x = 1\n+x = 2\n", head="--- a/x.py\n+++ b/x.py\n@@ -1,9 +1,9 @@\n"),
    "context lines": repeated(" x = 1\n", head="--- a/x.py\n+++ b/x.py\n@@ -1,9 +1,9 @@\n", tail="+y\n"),
    "line ends missing": repeated(
        "-x\n\\ No newline at end of file\n", head="--- a/x\n+++ b/x\n@@ -1 +1 @@\n"
    ),
    "search and replace": repeated("<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n", head="x.py\n"),
    "searches": repeated("<<<<<<< SEARCH\nx = 1\n", head="x.py\n"),
    "separators": repeated("=======\n", head="x.py\n<<<<<<< SEARCH\n", tail=">>>>>>> REPLACE\n"),
    "conflicts": repeated("<<<<<<< HEAD\nx = 1\n=======\nx = 2\n>>>>>>> other\n"),
    "begun patches": repeated("*** Begin Patch\n*** Update File: x.py\n@@\n-x = 1\n+x = 2\n*** End Patch\n"),
    "files of a patch": repeated("*** Update File: x{}.py\n@@\n-x = 1\n+x = 2\n", head="*** Begin Patch\n"),
    "contexts of a patch": repeated("@@ def f\n", head="*** Begin Patch\n*** Update File: x.py\n"),
    "line numbers": repeated("{} | x = 1\n"),
    "prose": repeated("Change the file a.py, please. "),
    "paragraphs": repeated("Change the file `a{}.py`:\n\n"),
    "edit calls": repeated(
        '{"name": "str_replace", "input": {"path": "x.py", "old_str": "a{}", "new_str": "b"}}\n'
    ),
    "tags": repeated("<edit><path>x.py</path><old>a</old><new>b</new></edit>\n"),
    "open tags": repeated("<edit>\n"),
    "JSON keys": repeated('  "a{}": 1,\n', head="{\n", tail='  "b": 1\n}\n'),
    "JSON list": repeated("  1,\n", head="[\n", tail="  2\n]\n"),
    "JSON over lines": nested('{"a":\n', "}\n", inner="1\n"),
    "YAML keys": repeated("a{}: 1\n"),
    "YAML list": repeated("- a\n", head="a:\n"),
    "YAML depth": indented("a:", step="  "),
    "YAML items": repeated("- a: 1\n  b: 2\n"),
    "YAML aliases": repeated("a{}: &a{} [*a{}, *a{}]\n"),
    "TOML tables": repeated("[a{}]\nb = 1\n"),
    "TOML depth": repeated("a.", head="[", tail="b]\nx = 1\n"),
    "XML elements": repeated("<a>\n</a>\n"),
    "XML over lines": nested("<a>\n", "</a>\n"),
    "Markdown headings": repeated("# A{}\n\nb\n\n"),
    "Markdown tables": repeated("| a | b |\n", head="| a | b |\n| - | - |\n"),
    "cells": repeated(
        '{"cell_type": "code", "metadata": {}, "outputs": [], "source": ["x = {}"]},',
        head='{"cells": [',
        tail='{"cell_type": "code", "metadata": {}, "outputs": [], "source": ["y"]}], "metadata": {}, '
        '"nbformat": 4, "nbformat_minor": 5}',
    ),
    "private keys": repeated("-----BEGIN PRIVATE KEY-----\n"),
    "secrets": repeated("token = 'aZ3kQ9xV7bN1mL5{}'\n"),
    "patterns": repeated("*a{}*b\n"),
    "negated patterns": repeated("!a{}/**/b\n"),
    "calls": repeated("f(a, b)\n"),
    "renamed calls": repeated("old_name(a{})\n"),
    "members": repeated("self.old_name = old_name\n"),
    "strings over lines": repeated("'a' +\n", head="x = ", tail="'b'\n"),
    "case arms": repeated("  a{})\n    run\n    ;;\n", head='case "$1" in\n', tail="esac\n"),
    "enum members": repeated("    A{},\n", head="enum E {\n", tail="}\n"),
    "struct fields": repeated("    a{}: u32,\n", head="struct S {\n", tail="}\n"),
    "match arms": repeated("    E::A{} => f(),\n", head="match e {\n", tail="}\n"),
    "macros": repeated("#define A{} 1\n"),
    "attributes": repeated("#[a]\n", tail="fn f() {}\n"),
    "overloads": repeated("int f(int a) { return 1; }\n"),
    "continued lines": repeated("a + \\\n", head="x = ", tail="b\n"),
}
"""Texts of many lines."""

GROWING: dict[str, Grow] = {**LINES, **TEXTS}
