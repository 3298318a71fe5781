"""The merge of sketches: each form of a sketch, and each refusal."""

from __future__ import annotations

import pytest

from editahead_inference.apply.merge.merge import merge
from editahead_inference.apply.results import MergeResult
from editahead_prompts.sketches.parse import parse_sketch
from editahead_prompts.text.snapshot import Snapshot

SERVICE = """\
import os
import sys


class Store:
    def __init__(self, path):
        self.path = path
        self.items = {}

    def get(self, key):
        # Look it up in the cache.
        if key in self.items:
            return self.items[key]
        return None

    def put(self, key, value):
        self.items[key] = value
        self.save()

    def save(self):
        with open(self.path, "w") as file:
            file.write(repr(self.items))


def main():
    store = Store(sys.argv[1])
    store.put("home", os.environ["HOME"])
"""

COUNTER = """\
package count

import "fmt"

// Counter counts.
type Counter struct {
\tname  string
\ttotal int
}

func (c *Counter) Add(n int) {
\tif n == 0 {
\t\treturn
\t}
\tc.total += n
}

func (c *Counter) Show() {
\tfmt.Println(c.name, c.total)
}
"""


def merged(sketch: str, text: str = SERVICE, language: str = "python", **options: object) -> MergeResult:
    found = parse_sketch(sketch, language=language)
    original = Snapshot.from_text(text, uri="file:///a", language=language)
    return merge(found, found.files[0], original, **options)


def sure(sketch: str, text: str = SERVICE, language: str = "python") -> str:
    result = merged(sketch, text, language)
    assert result.refusal is None, result.refusal
    assert result.edit.apply(text) == result.guess
    return result.guess


class TestMarkers:
    def test_lines_between_shown_neighbours(self) -> None:
        sketch = """\
# ... existing code ...
    def put(self, key, value):
        if value is None:
            return
        self.items[key] = value
        self.save()
# ... existing code ...
"""
        old = "    def put(self, key, value):\n"
        assert sure(sketch) == SERVICE.replace(old, f"{old}        if value is None:\n            return\n")

    def test_a_line_between_two_that_are_shown_as_neighbours_goes(self) -> None:
        sketch = (
            "# ...\n    def put(self, key, value):\n        self.items[key] = value\n\n"
            "    def save(self):\n# ...\n"
        )
        assert sure(sketch) == SERVICE.replace("        self.save()\n", "")

    def test_several_places_and_the_class_around_them(self) -> None:
        sketch = """\
import os
import sys
import time
# ... existing code ...
class Store:
    # ... existing code ...
    def save(self):
        with open(self.path, "w") as file:
            file.write(repr(self.items))
            self.saved = time.time()
# ... existing code ...
"""
        line = "            file.write(repr(self.items))\n"
        expected = SERVICE.replace("import sys\n", "import sys\nimport time\n")
        expected = expected.replace(line, line + "            self.saved = time.time()\n")
        assert sure(sketch) == expected

    def test_the_header_above_says_which_of_two_places(self) -> None:
        text = (
            "class A:\n    def run(self):\n        work()\n        stop()\n\n\nclass B:\n"
            "    def run(self):\n        work()\n        stop()\n"
        )
        sketch = (
            "# ... existing code ...\nclass B:\n    # ... existing code ...\n        work()\n"
            "        rest()\n        stop()\n"
        )
        head, tail = text.split("class B")
        assert sure(sketch, text) == head + "class B" + tail.replace("work()\n", "work()\n        rest()\n")
        first = sketch.replace("class B", "class A") + "# ... existing code ...\n"
        assert sure(first, text) == head.replace("work()\n", "work()\n        rest()\n") + "class B" + tail

    def test_dedented(self) -> None:
        sketch = (
            "# ... existing code ...\ndef put(self, key, value):\n    check(key)\n"
            "    self.items[key] = value\n    self.save()\n# ... existing code ...\n"
        )
        old = "    def put(self, key, value):\n"
        assert sure(sketch) == SERVICE.replace(old, f"{old}        check(key)\n")

    def test_spaces_for_tabs(self) -> None:
        sketch = (
            "// ... existing code ...\nfunc (c *Counter) Add(n int) {\n    if n <= 0 {\n"
            "        return\n    }\n    c.total += n\n}\n// ... existing code ...\n"
        )
        assert sure(sketch, COUNTER, "go") == COUNTER.replace("n == 0", "n <= 0")

    def test_code_that_comes_with_brackets_of_its_own(self) -> None:
        sketch = (
            "// ... existing code ...\n\tif n == 0 {\n\t\treturn\n\t}\n\tif n < 0 {\n"
            "\t\tpanic(n)\n\t}\n\tc.total += n\n}\n// ... existing code ...\n"
        )
        assert sure(sketch, COUNTER, "go") == COUNTER.replace(
            "\tc.total += n\n", "\tif n < 0 {\n\t\tpanic(n)\n\t}\n\tc.total += n\n"
        )

    def test_nothing_to_do(self) -> None:
        result = merged('# ...\n    def save(self):\n        with open(self.path, "w") as file:\n# ...\n')
        assert result.refusal is None
        assert not result.edit
        assert result.guess == SERVICE

    def test_without_a_grammar(self) -> None:
        text = "= Title\n\nFirst paragraph.\n\nSecond paragraph.\n\nThe end.\n"
        sketch = "...\nFirst paragraph.\n\nOne more paragraph.\n\nSecond paragraph.\n...\n"
        assert sure(sketch, text, "plaintext") == text.replace("Second", "One more paragraph.\n\nSecond")


class TestDeclarations:
    def test_shown_whole(self) -> None:
        sketch = "def get(self, key, default=None):\n    return self.items.get(key, default)\n"
        start, end = SERVICE.index("    def get"), SERVICE.index("    def put")
        expected = "    def get(self, key, default=None):\n        return self.items.get(key, default)\n\n"
        assert sure(sketch) == SERVICE[:start] + expected + SERVICE[end:]

    def test_two_that_stand_apart(self) -> None:
        sketch = "def main():\n    run()\n"
        text = SERVICE + "\n\ndef run():\n    pass\n"
        both = sketch + "\n\ndef run():\n    main()\n"
        start = text.index("def main")
        expected = text[:start] + "def main():\n    run()\n\n\ndef run():\n    main()\n"
        assert sure(both, text) == expected

    def test_decorators_not_shown_are_a_doubt(self) -> None:
        text = "@cache\ndef load():\n    return 1\n\n\ndef use():\n    return load()\n"
        result = merged("def load():\n    return 2\n", text)
        assert result.refusal is not None
        assert result.refusal.reason == "ambiguous"
        assert result.guess == text.replace("return 1", "return 2")

    def test_a_receiver_tells_methods_apart(self) -> None:
        other = "\nfunc (o *Other) Add(n int) {\n\to.sum += n\n}\n"
        sketch = "func (c *Counter) Add(n int) {\n\tc.total += n\n}\n"
        expected = COUNTER.replace("\tif n == 0 {\n\t\treturn\n\t}\n", "") + other
        assert sure(sketch, COUNTER + other, "go") == expected

    def test_an_annotation_above_what_is_shown_stays(self) -> None:
        text = "class A {\n    @Test\n    public void one() {\n        a();\n    }\n\n    int x;\n}\n"
        marker = "    // ... existing code ...\n"
        sketch = f"{marker}    public void one() {{\n        b();\n    }}\n{marker}"
        assert sure(sketch, text, "java") == text.replace("a()", "b()")


class TestHunks:
    DIFF = """\
--- a/store.py
+++ b/store.py
@@ -{line},3 +{line},4 @@
     def put(self, key, value):
         self.items[key] = value
+        self.count += 1
         self.save()
"""

    @pytest.mark.parametrize("line", [1, 15, 16, 900])
    def test_wrong_numbers_do_not_mislead(self, line: int) -> None:
        result = sure(self.DIFF.format(line=line))
        assert result == SERVICE.replace("= value\n", "= value\n        self.count += 1\n")

    def test_two_places_and_no_hint(self) -> None:
        text = "a()\nb()\nc()\n\na()\nb()\nc()\n"
        result = merged("@@ -1,3 +1,3 @@\n a()\n-b()\n+d()\n c()\n", text)
        assert result.refusal is not None
        assert result.refusal.reason == "ambiguous"
        assert [(near.start, near.end) for near in result.refusal.near] == [(0, 3), (4, 7)]

    def test_the_other_hunks_say_that_the_numbers_are_right(self) -> None:
        text = "a()\nb()\nc()\n\na()\nb()\nc()\n\nonly()\n"
        diff = "@@ -5,3 +5,3 @@\n a()\n-b()\n+d()\n c()\n@@ -9,1 +9,1 @@\n-only()\n+lonely()\n"
        expected = "a()\nb()\nc()\n\na()\nd()\nc()\n\nlonely()\n"
        assert sure(diff, text) == expected

    def test_a_heading_says_which(self) -> None:
        text = "def one():\n    a()\n    b()\n\n\ndef two():\n    a()\n    b()\n"
        patch = (
            "*** Begin Patch\n*** Update File: a.py\n@@ def two():\n     a()\n-    b()\n"
            "+    c()\n*** End Patch\n"
        )
        assert sure(patch, text) == text[: text.index("def two")] + "def two():\n    a()\n    c()\n"

    def test_missing_context_and_a_reworded_comment(self) -> None:
        diff = (
            "@@ @@\n     def get(self, key):\n         # Look it up in our cache.\n"
            "-        if key in self.items:\n+        if key in self.known:\n"
        )
        assert sure(diff) == SERVICE.replace("if key in self.items", "if key in self.known")

    def test_search_and_replace_keeps_the_indentation(self) -> None:
        block = (
            "<<<<<<< SEARCH\nself.items[key] = value\nself.save()\n=======\n"
            "self.items[key] = value\nif self.path:\n    self.save()\n>>>>>>> REPLACE\n"
        )
        expected = SERVICE.replace(
            "        self.save()\n", "        if self.path:\n            self.save()\n"
        )
        assert sure(block) == expected

    def test_what_is_done_already_changes_nothing(self) -> None:
        once = sure(self.DIFF.format(line=16))
        again = merged(self.DIFF.format(line=16), once)
        assert again.refusal is None
        assert not again.edit

    def test_lines_that_the_file_does_not_have(self) -> None:
        block = (
            "<<<<<<< SEARCH\n    def save(self, all):\n        self.write(all)\n=======\n"
            "    pass\n>>>>>>> REPLACE\n"
        )
        result = merged(block)
        assert result.refusal is not None
        assert result.refusal.reason == "unplaced"
        assert any(near.start <= 19 < near.end for near in result.refusal.near)

    def test_lines_added_with_nothing_around_them(self) -> None:
        result = merged("@@ -3,0 +3,1 @@\n+import time\n")
        assert result.refusal is not None
        assert result.refusal.reason == "unplaced"


class TestWholeFiles:
    def test_taken_as_it_is(self) -> None:
        text = SERVICE.replace("repr(self.items)", "str(self.items)")
        assert sure(f"```python\n{text}```\n") == text

    def test_the_end_of_a_file_that_was_cut_off_stays(self) -> None:
        text = "".join(f"x{number} = {number}\n" for number in range(60))
        sketch = text[: text.index("x50")].replace("x7 = 7", "x7 = 8")
        assert merged(sketch, text).guess == text.replace("x7 = 7", "x7 = 8")


class TestLineEnds:
    @pytest.mark.parametrize("eol", ["\r\n", "\r"])
    def test_kept_as_the_file_has_them(self, eol: str) -> None:
        sketch = (
            "# ...\n    def put(self, key, value):\n        check(key)\n"
            "        self.items[key] = value\n# ...\n"
        )
        expected = SERVICE.replace("value):\n", "value):\n        check(key)\n")
        assert sure(sketch, SERVICE.replace("\n", eol)) == expected.replace("\n", eol)

    @pytest.mark.parametrize("text", ["a = 1\nb = 2\n", "a = 1\nb = 2"])
    def test_the_last_line_ends_as_it_did(self, text: str) -> None:
        block = "<<<<<<< SEARCH\nb = 2\n=======\nb = 3\nc = 4\n>>>>>>> REPLACE\n"
        assert sure(block, text) == text.replace("b = 2", "b = 3\nc = 4")

    def test_a_new_file(self) -> None:
        assert sure("```python\nx = 1\n```\n", "") == "x = 1\n"


class TestRefusals:
    def test_nothing_stands_in_the_file(self) -> None:
        result = merged("# ... existing code ...\nclass Unknown:\n    value = 1\n# ... existing code ...\n")
        assert result.refusal is not None
        assert result.refusal.reason == "unplaced"

    def test_syntax_would_break(self) -> None:
        result = merged("<<<<<<< SEARCH\ndef main():\n=======\ndef main(:\n>>>>>>> REPLACE\n")
        assert result.refusal is not None
        assert result.refusal.reason == "would-break-syntax"
        assert "def main(:" in result.guess

    def test_an_import_still_used_would_go(self) -> None:
        result = merged("import os\n\n\nclass Store:\n    def __init__(self, path):\n# ...\n")
        assert result.refusal is not None
        assert result.refusal.reason == "would-lose-code"

    def test_too_large(self) -> None:
        result = merged("<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n", "a\n" + "x = 1\n" * 200_000)
        assert result.refusal is not None
        assert result.refusal.reason == "too-large"
        assert not result.edit

    def test_only_the_selection_may_change(self) -> None:
        text = "def one():\n    a()\n    b()\n\n\ndef two():\n    a()\n    b()\n"
        block = "<<<<<<< SEARCH\n    a()\n=======\n    c()\n>>>>>>> REPLACE\n"
        assert merged(block, text).refusal is not None
        second = merged(block, text, span=(text.index("def two"), len(text)))
        assert second.refusal is None
        assert second.guess == text[: text.index("def two")] + "def two():\n    c()\n    b()\n"

    def test_cancelling_goes_through(self) -> None:
        class Cancelled(Exception):
            pass

        def check() -> None:
            raise Cancelled

        with pytest.raises(Cancelled):
            merged("# ...\n    def put(self, key, value):\n        pass\n# ...\n", check=check)


STEPS = """\
def first(stream):
    stream.open()
    stream.read(1)
    stream.close()
    check(stream, "first")


def second(stream):
    stream.open()
    stream.read(2)
    stream.close()
    check(stream, "second")
"""


def test_new_code_like_the_code_nearby_is_sure_where_the_ends_are_fixed() -> None:
    sketch = (
        '# ... existing code ...\n    check(stream, "first")\n\n\ndef between(stream):\n    stream.read(1)\n'
        '    stream.close()\n    check(stream, "between")\n\n\ndef second(stream):\n# ... existing code ...\n'
    )
    text = sure(sketch, STEPS)
    assert text.count("def ") == 3
    assert (
        text.replace(
            'def between(stream):\n    stream.read(1)\n    stream.close()\n    check(stream, "between")\n\n\n',
            "",
        )
        == STEPS
    )


def test_an_end_that_stands_nearer_as_well_is_no_place() -> None:
    text = "class A {\n" + "".join(
        f"    @Test\n    void t{n}() {{\n        run({n});\n    }}\n\n" for n in range(5)
    )
    sketch = (
        "// ... existing code ...\n    void t1() {\n        run(10);\n    }\n\n    @Test\n"
        "    void t1b() {\n        run(11);\n    }\n\n    @Test\n// ... existing code ...\n"
    )
    done = merged(sketch, text + "}\n", "java")
    assert done.refusal is not None or all(f"void t{n}()" in done.guess for n in range(5))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("        self.save()\n", "         self.save()\n"),
        ("    def put(self, key, value):\n", "def put(self, key, value):\n"),
        ("    store = Store(sys.argv[1])\n", "        store = Store(sys.argv[1])\n"),
        ("            file.write(repr(self.items))\n", ""),
    ],
)
def test_indentation_that_python_refuses(old: str, new: str) -> None:
    """The tree-sitter parser accepts the indentation, and the rest of the file is correct."""
    text = "x = 1\n" * 50 + SERVICE + "\ny = 1\n" * 50
    result = merged(f"<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n", text)
    assert result.refusal is not None
    assert result.refusal.reason == "would-break-syntax"


@pytest.mark.parametrize("invisible", ["\ufeff", "\u200b"])
def test_a_line_of_invisible_characters_may_be_one_of_a_file(invisible: str) -> None:
    text = f"def f(user):\n{invisible}"
    sketch = parse_sketch("def f(user):\n--- a/x.py", language="python", path="x.py")
    merged = merge(sketch, sketch.files[0], Snapshot.from_text(text, uri="file:///x.py", language="python"))
    assert merged.edit.apply(text) == merged.guess


def test_a_word_with_a_zero_width_character_keeps_it_in_a_changed_line() -> None:
    text = "check(page.nth(50)).has('LATE\u200bX')\nlast = 1\n"
    sketch = (
        "<<<<<<< SEARCH\ncheck(page.nth(50)).has('LATE\u200bX')\n=======\n"
        "check(page.nth(48)).has('LATE\u200bX')\nfirst(\u200b)\n>>>>>>> REPLACE\n"
    )
    assert sure(sketch, text) == "check(page.nth(48)).has('LATE\u200bX')\nfirst()\nlast = 1\n"
