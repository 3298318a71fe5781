"""The placement of hunks: position, indentation, and ambiguities."""

from __future__ import annotations

import pytest

from editahead_inference.apply.merge.merge import merge
from editahead_inference.apply.placement import equal_runs, placement
from editahead_inference.apply.placement.line_matching import line_weight
from editahead_inference.apply.results import MergeResult
from editahead_prompts.sketches.parse import parse_sketch
from editahead_prompts.text.snapshot import Snapshot

TWO_STYLES = "struct menu {\n\tconst char\t*name;\n};\n\nstruct item {\n\tconst char *name;\n};\n"

TWINS = """\
def first(case):
    text = case.run()
    check(case, text)


def second(case):
    text = case.run()
    check(case, text)
"""

SPACES = """\
import os
import sys


def names():
    return sorted(os.environ)


if names():
    sys.exit()
"""

MACROS = """\
int count(struct panes *panes)
{
\tRB_FOREACH(wp, window_pane_tree, &all_window_panes) {
\t\tif (wp->name == NULL)
\t\t\tcontinue;
\t}
\treturn (0);
}
"""


def merged(sketch: str, text: str, language: str) -> MergeResult:
    found = parse_sketch(sketch, language=language)
    return merge(found, found.files[0], Snapshot.from_text(text, uri="file:///a", language=language))


def replacing(old: str, new: str) -> str:
    return f"<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n"


def test_lines_that_stand_once_just_so_go_there() -> None:
    made = merged(replacing("\tconst char\t*name;\n", "\tconst char\t*title;\n"), TWO_STYLES, "c")
    assert made.refusal is None
    assert made.guess == TWO_STYLES.replace("\t*name", "\t*title")


def test_only_the_white_space_within_a_line_changes() -> None:
    made = merged(replacing("\tconst char *name;\n", "\tconst char\t*name;\n"), TWO_STYLES, "c")
    assert made.refusal is None
    assert made.guess == TWO_STYLES.replace("char *name", "char\t*name")


def test_the_end_of_the_file_tells_two_places_apart() -> None:
    patch = """\
*** Begin Patch
*** Update File: a.py
@@
     text = case.run()
-    check(case, text)
+    check(case, text.strip())
*** End of File
*** End Patch
"""
    made = merged(patch, TWINS, "python")
    assert made.refusal is None
    head, _, tail = TWINS.rpartition("check(case, text)")
    assert made.guess == f"{head}check(case, text.strip()){tail}"


def test_another_indentation_below_the_margin_is_a_doubt() -> None:
    come = "if names():\n\tprint()\n\nif names():\n"
    made = merged(replacing("if names():\n", come), SPACES, "python")
    assert made.refusal is not None
    assert made.refusal.reason == "ambiguous"


def test_other_hunks_give_the_indentation_of_lines_below_the_margin() -> None:
    sketch = replacing("import sys\n", "import sys\n\n\ndef one():\n  return 1\n") + replacing(
        "  return sorted(os.environ)\n", "  return list(os.environ)\n"
    )
    made = merged(sketch, SPACES, "python")
    assert made.refusal is None
    assert "def one():\n    return 1\n" in made.guess
    assert "    return list(os.environ)\n" in made.guess


def test_a_file_that_the_grammar_cannot_read_takes_a_hunk_that_stands_in_one_place() -> None:
    more = "\tRB_FOREACH(w, windows, &windows) {\n\t\tif (w->active == NULL)\n\t\t\tcontinue;\n\t}\n"
    made = merged(replacing("\treturn (0);\n", more + "\treturn (0);\n"), MACROS, "c")
    assert made.refusal is None
    assert made.guess == MACROS.replace("\treturn (0);\n", more + "\treturn (0);\n")


def test_a_file_that_the_grammar_reads_gets_no_errors() -> None:
    made = merged(replacing("    return sorted(os.environ)\n", "    return sorted(\n"), SPACES, "python")
    assert made.refusal is not None
    assert made.refusal.reason == "would-break-syntax"


def test_a_mark_among_added_lines_is_not_lost() -> None:
    diff = """\
--- a/a.py
+++ b/a.py
@@ -5,2 +5,4 @@
 def names():
+    first = 1
+    # ... existing code ...
+    last = 2
     return sorted(os.environ)
"""
    made = merged(diff, SPACES, "python")
    assert made.refusal is not None
    assert made.refusal.reason == "unparsed"
    assert "    # ... existing code ...\n" in made.guess


def test_white_space_on_blank_lines_follows_the_indentation() -> None:
    text = "class A {\n  int b() {\n    return 1;\n  }\n}\n"
    diff = "@@ -2,3 +2,5 @@\n \tint b() {\n+\t\tint c = 2;\n+\t\n \t\treturn 1;\n \t}\n"
    made = merged(diff, text, "java")
    assert made.refusal is None
    assert made.guess == text.replace("    return", "    int c = 2;\n  \n    return")


def test_lines_beside_a_blank_line_that_is_not_shown_are_a_doubt() -> None:
    sketch = """\
*** Begin Patch
*** Update File: a.py
@@
     text = case.run()
     check(case, text)
+def third(case):
+    check(case, None)
+

 def second(case):
*** End Patch
"""
    made = merged(sketch, TWINS, "python")
    assert made.refusal is not None
    assert made.refusal.reason == "ambiguous"


def test_lines_that_end_blank_before_a_blank_line_are_a_doubt() -> None:
    come = "import sys\nimport re\n\n"
    made = merged("@@ -2,2 +2,4 @@\n import sys\n+import re\n+\n", SPACES, "python")
    assert made.guess == SPACES.replace("import sys\n", come)
    assert made.refusal is not None
    assert made.refusal.reason == "ambiguous"


def test_dots_alone_that_are_added_are_text() -> None:
    patch = (
        "*** Begin Patch\n*** Update File: a.py\n@@\n class A:\n-    def f(self):\n-        ...\n"
        "+    # def f(self):\n+    #     ...\n \n*** End Patch\n"
    )
    found = parse_sketch(patch, language="python", path="a.py")
    original = Snapshot.from_text(
        "class A:\n    def f(self):\n        ...\n\n    b = 1\n", uri="file:///a.py", language="python"
    )
    merged = merge(found, found.files[0], original)
    assert merged.guess == "class A:\n    # def f(self):\n    #     ...\n\n    b = 1\n"


def test_a_blank_line_that_may_be_there_already_is_a_doubt() -> None:
    found = parse_sketch("```diff\n@@ -1,2 +1,3 @@\n a = first()\n b = second()\n+\n```\n", language="python")
    original = Snapshot.from_text(
        "a = first()\nb = second()\n\nc = 3\n", uri="file:///a.py", language="python"
    )
    merged = merge(found, found.files[0], original)
    assert merged.refusal is not None
    assert merged.refusal.reason == "ambiguous"


EQUAL = "    a = 1"


def diff_at(line: int | None, *, context: int = 2, new: str = "new = 1") -> str:
    """Return a hunk that adds a line among equal lines."""
    numbers = "" if line is None else f" -{line},{2 * context} +{line},{2 * context + 1} "
    shown = f" {EQUAL}\n" * context
    return f"@@{numbers}@@\n{shown}+{new}\n{shown}"


@pytest.mark.slow
def test_one_of_many_equal_lines_is_not_meant_for_sure() -> None:
    """The same holds for numbers of hunks or places whose placements are not all compared."""
    for count in (6, 20, 100):
        for hunks in (1, 2, 9):
            for first in (None, 1, 7, 400):
                if 4 * hunks == count:
                    continue
                lines = [None if first is None else first + 3 * n for n in range(hunks)]
                diff = "--- a/a.py\n+++ b/a.py\n" + "".join(map(diff_at, lines))
                made = merged(diff, f"{EQUAL}\n" * count, "python")
                assert made.refusal is not None, (count, hunks, first)


@pytest.mark.slow
def test_equal_lines_are_found_without_comparing_each_with_each(monkeypatch: pytest.MonkeyPatch) -> None:
    """The largest number of hunks and of equal lines: no hunk is compared line by line."""
    steps = 0

    def counted(key: str) -> float:
        nonlocal steps
        steps += 1
        return line_weight(key)

    def counted_run(first: int, last: int, start: int, end: int, weight: float) -> equal_runs.Run:
        nonlocal steps
        steps += 1
        return run(first, last, start, end, weight)

    run = equal_runs.Run
    monkeypatch.setattr(equal_runs, "Run", counted_run)
    for module in (equal_runs, placement):
        monkeypatch.setattr(module, "line_weight", counted)
    diff = "--- a/a.py\n+++ b/a.py\n" + "".join(diff_at(10 * n) for n in range(1, 100))
    made = merged(diff, f"{EQUAL}\n" * 20_000 + "b = 1\n", "python")
    assert made.refusal is not None and made.refusal.reason == "ambiguous"
    assert steps < 50_000


def test_other_hunks_and_numbers_select_one_of_equal_lines() -> None:
    text = f"first = 1\n{EQUAL}\nmiddle = 2\n{EQUAL}\nlast = 3\n"
    around = " first = 1\n-    a = 1\n+    a = 2\n"
    numbered = "@@ -4,1 +4,1 @@\n-    a = 1\n+    a = 2\n"
    assert merged(f"@@ @@\n{around}", text, "python").guess == text.replace("a = 1", "a = 2", 1)
    clear = "@@ -3,1 +3,1 @@\n-middle = 2\n+middle = 3\n"
    made = merged(clear + numbered, text, "python")
    assert made.refusal is None
    assert made.guess == "first = 1\n    a = 1\nmiddle = 3\n    a = 2\nlast = 3\n"


def test_a_heading_bounds_a_hunk_whose_lines_occur_exactly_elsewhere() -> None:
    """The first hunk omits a blank line of its context, so its context occurs exactly only at the place of the second."""

    def method(name: str, blank: str) -> str:
        return (
            f'\t{name}() {{\n\t\tlet css = load(\n\t\t\t"utf-8"\n\t\t);\n{blank}'
            f"\t\tcss = css.replace(x, url => {{\n\t\t\tif (url) return url;\n\t\t\t{name}(url);\n\t\t}});\n\t}}\n"
        )

    def hunk(heading: str, before: str, new: str) -> str:
        after = " \t\t\tif (url) return url;\n"
        return f"@@{heading}\n{before} \t\t);\n \t\tcss = css.replace(x, url => {{\n+\t\t\t{new};\n{after}"

    text = f"class A {{\n{method('get', chr(10))}\n{method('set', '')}}}\n"
    hunks = hunk(" \tget() {", "", "check(one)") + hunk("", ' \t\t\t"utf-8"\n', "check(two)")
    result = merged(f"*** Begin Patch\n*** Update File: a.js\n{hunks}*** End Patch\n", text, "javascript")
    assert result.refusal is None
    get, _, put = result.guess.partition("\tset() {")
    assert [name in part for part in (get, put) for name in ("check(one)", "check(two)")] == [
        True,
        False,
        False,
        True,
    ]


def test_as_many_equal_hunks_as_places_are_no_doubt() -> None:
    block = "call(\n    a,\n    b,\n)\n"
    before = f"one()\n{block}two()\n{block}three()\n"
    hunk = "@@\n call(\n     a,\n     b,\n+    c,\n )\n"
    after = before.replace("    b,\n", "    b,\n    c,\n")
    made = merged(f"--- a/x.py\n+++ b/x.py\n{hunk}{hunk}", before, "python")
    assert made.refusal is None
    assert made.guess == after
    assert merged(f"--- a/x.py\n+++ b/x.py\n{hunk}", before, "python").refusal is not None


def patched(*lines: str) -> str:
    return "\n".join(["*** Begin Patch", "*** Update File: a", *lines, "*** End Patch", ""])


@pytest.mark.parametrize(
    ("text", "anchor", "language"),
    [
        ("alpha\nbeta\ngamma\n", "beta", "plaintext"),
        ("import os\nimport re\n\nx = 1\n", "import os", "python"),
        ("a:\n  b: 1\n  c: 2\n", "b: 1", "yaml"),
        ("int a;\nint b;\n", "int b;", "kotlin"),
        ("<p>one</p>\n<p>two</p>\n", "<p>one</p>", "html"),
        ("x = 1\n", "x = 1", "ini"),
    ],
)
def test_lines_alone_go_below_the_only_line_that_the_heading_names(
    text: str, anchor: str, language: str
) -> None:
    indent = next(line for line in text.splitlines() if line.strip() == anchor).partition(anchor)[0]
    sketch = patched(f"@@ {indent}{anchor}", f"+{indent}new: 3")
    made = merged(sketch, text, language)
    assert made.refusal is None
    assert made.guess == text.replace(f"{anchor}\n", f"{anchor}\n{indent}new: 3\n")
    assert merged(sketch, made.guess, language).refusal is not None


@pytest.mark.parametrize(
    ("text", "anchor", "language"),
    [
        ("class A:\n    def a(self):\n        pass\n", "class A:", "python"),
        ("func a() {\n\tb()\n}\n", "func a() {", "go"),
        ("one\ntwo\none\n", "one", "plaintext"),
        ("one\ntwo\n", "three", "plaintext"),
        ("one and more\ntwo\n", "one and", "plaintext"),
        ("a:\n  b: 1\n", "a:", "yaml"),
    ],
)
def test_lines_alone_are_refused_where_the_heading_tells_no_line(
    text: str, anchor: str, language: str
) -> None:
    assert merged(patched(f"@@ {anchor}", "+new"), text, language).refusal is not None


@pytest.mark.parametrize("old", ["one", "two", "two\nthree"])
def test_lines_that_are_not_the_end_of_the_file_contradict_its_mark(old: str) -> None:
    lines = [f"-{line}" for line in old.split("\n")]
    made = merged(patched("@@", *lines, "+new", "*** End of File"), "one\ntwo\nthree\nfour\n\n", "plaintext")
    assert made.refusal is not None
    made = merged(patched("@@", "-four", "+new", "*** End of File"), "one\ntwo\nthree\nfour\n\n", "plaintext")
    assert made.refusal is None
