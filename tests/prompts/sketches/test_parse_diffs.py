"""The parser of sketches: diffs, search/replace blocks and patches."""

from __future__ import annotations

import pytest

from editahead_prompts.errors import SketchError
from editahead_prompts.sketches.parse import parse_sketch
from editahead_prompts.sketches.sketch import Diff, FileSketch
from sketch_parsing import only


def changes(file: FileSketch) -> list[tuple[list[str], list[str]]]:
    assert isinstance(file.content, Diff)
    return [(list(hunk.old), list(hunk.new)) for hunk in file.content.hunks]


DIFF = """\
diff --git a/pkg/a.py b/pkg/a.py
index 1111111..2222222 100644
--- a/pkg/a.py
+++ b/pkg/a.py
@@ -10,6 +10,7 @@ def f():
 one
 two

-three
+THREE
+three and a half
 four
@@ -90 +91 @@
-x
+y
\\ No newline at end of file
"""


def test_a_unified_diff() -> None:
    file = only(DIFF)
    assert (file.kind, file.path, file.action, file.final_newline) == (
        "unified-diff",
        "pkg/a.py",
        "edit",
        False,
    )
    assert changes(file) == [
        (["one", "two", "", "three", "four"], ["one", "two", "", "THREE", "three and a half", "four"]),
        (["x"], ["y"]),
    ]
    assert isinstance(file.content, Diff)
    first, second = file.content.hunks
    assert (first.headings, first.line, second.headings, second.line) == (("def f():",), 9, (), 89)
    assert only(f"Here:\n\n```diff\n{DIFF}```\n\n- It is\n- good\n").content == only("\n" * 3 + DIFF).content


@pytest.mark.parametrize("header", ["@@ ... @@", "@@", "@@ @@", "@@ -1,2 +1,2 @@", "@@ … @@"])
@pytest.mark.parametrize("after", ["", "\nThat is all.\n\n- a point\n- another one\n"])
def test_a_diff_without_numbers_or_headers(header: str, after: str) -> None:
    assert changes(only(f"{header}\n a\n-b\n+c\n{after}")) == [(["a", "b"], ["a", "c"])]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a/src/a.py", "b/src/a.py"),
        ("a/src/a.py", "src/a.py"),
        ("src/a.py", "b/src/a.py"),
        ("src/a.py (original)", "src/a.py (updated)"),
        ("a/src/a.py\t2024-01-01", "b/src/a.py\t2024-01-02"),
    ],
)
def test_the_path_in_the_headers_of_a_diff(old: str, new: str) -> None:
    assert only(f"--- {old}\n+++ {new}\n@@ -1 +1 @@\n-a\n+b\n").path == "src/a.py"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("original.py", "modified.py"),
        ("a/old", "b/new"),
        ("before", "after"),
        ("a", "b"),
        ("a/file", "b/file"),
    ],
)
def test_headers_that_name_no_file(old: str, new: str) -> None:
    file = only(f"--- {old}\n+++ {new}\n@@ -1 +1 @@\n-a\n+b\n")
    assert (file.path, file.action, changes(file)) == (None, "edit", [(["a"], ["b"])])


def test_tagged_lines_in_a_diff_fence() -> None:
    assert changes(only("```diff\n a\n-b\n+c\n```")) == [(["a", "b"], ["a", "c"])]


def test_a_marker_parts_a_hunk() -> None:
    text = "@@ -1,9 +1,9 @@\n a\n-b\n+c\n # ... existing code ...\n d\n+e\n"
    assert changes(only(text)) == [(["a", "b"], ["a", "c"]), (["d"], ["d", "e"])]


def test_created_deleted_and_moved_files() -> None:
    text = """\
--- /dev/null
+++ b/new.py
@@ -0,0 +1 @@
+x = 1
--- a/gone.py
+++ /dev/null
@@ -1 +0,0 @@
-x = 1
diff --git a/old/name.py b/new/name.py
similarity index 90%
rename from old/name.py
rename to new/name.py
--- a/old/name.py
+++ b/new/name.py
@@ -1 +1 @@
-x = 1
+x = 2
"""
    files = parse_sketch(text).files
    assert [(file.action, file.path, file.moved_to) for file in files] == [
        ("create", "new.py", None),
        ("delete", "gone.py", None),
        ("move", "old/name.py", "new/name.py"),
    ]
    assert changes(files[1]) == [(["x = 1"], [])]


@pytest.mark.parametrize(
    ("opening", "closing"), [("<<<<<<< SEARCH", ">>>>>>> REPLACE"), ("------- SEARCH", "+++++++ REPLACE")]
)
def test_search_and_replace(opening: str, closing: str) -> None:
    text = f"""\
I shall change two things.

pkg/a.py
```python
{opening}
a = 1
=======
a = 2
{closing}
```

{opening}
b = 1

=======
{closing}

pkg/b.py
{opening}
=======
c = 3
{closing}
"""
    files = parse_sketch(text).files
    assert [(file.kind, file.path, file.action) for file in files] == [
        ("search-replace", "pkg/a.py", "edit"),
        ("search-replace", "pkg/b.py", "create"),
    ]
    assert changes(files[0]) == [(["a = 1"], ["a = 2"]), (["b = 1", ""], [])]
    assert changes(files[1]) == [([], ["c = 3"])]


def test_a_line_number_and_a_marker_in_a_search() -> None:
    text = "<<<<<<< SEARCH\n:start_line:12\n-------\na\n...\nb\n=======\nA\n...\nB\n>>>>>>> REPLACE\n"
    file = only(text)
    assert changes(file) == [(["a"], ["A"]), (["b"], ["B"])]
    assert isinstance(file.content, Diff)
    assert [hunk.line for hunk in file.content.hunks] == [11, None]


@pytest.mark.parametrize("text", ["<<<<<<< SEARCH\na\n", "<<<<<<< SEARCH\na\n=======\nb\n"])
def test_a_block_that_was_cut_off_is_no_sketch(text: str) -> None:
    with pytest.raises(SketchError, match="search block without"):
        parse_sketch(text)


def test_conflict_marks_in_code_are_code() -> None:
    code = "def f():\n<<<<<<< HEAD\n    a\n=======\n    b\n>>>>>>> 1234567\n# ... existing code ..."
    assert only(code, language="python").kind == "markers"


def test_begin_patch() -> None:
    text = """\
apply_patch <<'EOF'
*** Begin Patch
*** Update File: pkg/a.py
*** Move to: pkg/c.py
@@ class A:
@@     def f(self):
         one

-        two
+        TWO
@@
 last
+more
*** End of File
*** Add File: pkg/b.py
+x = 1
+
*** Delete File: pkg/d.py
*** End Patch
EOF
"""
    moved, added, deleted = parse_sketch(text).files
    assert (moved.kind, moved.action, moved.path, moved.moved_to) == (
        "begin-patch",
        "move",
        "pkg/a.py",
        "pkg/c.py",
    )
    assert changes(moved) == [
        (["        one", "", "        two"], ["        one", "", "        TWO"]),
        (["last"], ["last", "more"]),
    ]
    assert isinstance(moved.content, Diff)
    assert [(hunk.headings, hunk.at_end) for hunk in moved.content.hunks] == [
        (("class A:", "def f(self):"), False),
        ((), True),
    ]
    assert (added.action, added.path, changes(added)) == ("create", "pkg/b.py", [([], ["x = 1", ""])])
    assert (deleted.action, deleted.path) == ("delete", "pkg/d.py")


@pytest.mark.parametrize(
    "end",
    ["*** End of File\n", "*** End of File\n*** End of File\n", "+*** End of File\n", "*** End of File\n\n"],
)
def test_the_end_of_the_file_adds_nothing(end: str) -> None:
    file = only(f"*** Begin Patch\n*** Update File: a.txt\n@@\n a\n-b\n+c\n{end}*** End Patch\n")
    assert changes(file) == [(["a", "b"], ["a", "c"])]
    assert isinstance(file.content, Diff)
    assert file.content.hunks[0].at_end


def test_line_ends_do_not_matter() -> None:
    assert parse_sketch(DIFF.replace("\n", "\r\n")).files == parse_sketch(DIFF).files
