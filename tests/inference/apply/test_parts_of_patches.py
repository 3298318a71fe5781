"""Every part of a patch is done, or the whole patch is refused by the part's name."""

from __future__ import annotations

import pytest

from editahead_prompts.sketches.parse import parse_sketch
from files_in_memory import apply_in_memory

_OTHER = "--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-x\n+y\n"
_GIT = f"diff --git a/b.txt b/b.txt\nindex 1111111..2222222 100644\n{_OTHER}"
_MOVED = "diff --git a/a.txt b/c.txt\nsimilarity index 60%\n"
_LINK = "@@ -0,0 +1 @@\n+a.txt\n\\ No newline at end of file\n"
_SUBMODULE = "@@ -1 +1 @@\n-Subproject commit 1\n+Subproject commit 2\n"
_BYTES = "GIT binary patch\nliteral 5\nMcmZQzU|?imU}5+F0000000\n\nliteral 0\nHcmV?d00001\n\n"


@pytest.mark.parametrize("form", ["{}{}", "{1}{0}", "Do this:\n\n```diff\n{}{}```\n"])
@pytest.mark.parametrize(
    ("part", "said"),
    [
        (
            "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n" + _LINK,
            "l is a symbolic link",
        ),
        ("diff --git a/l b/l\nold mode 100644\nnew mode 120000\n", "l is a symbolic link"),
        ("diff --git a/l b/l\nindex 111..222 160000\n--- a/l\n+++ b/l\n" + _SUBMODULE, "l is a submodule"),
        ("diff --git a/l b/l\nindex 111..222 100644\nBinary files a/l and b/l differ\n", "l is binary"),
        ("diff --git a/l b/l\nnew file mode 100644\nindex 000..222\n" + _BYTES, "l is binary"),
        ("Binary files a/l and b/l differ\n", "l is binary"),
        ("Only in b: l\ndiff -r a/b.txt b/b.txt\n", "l is on one side only"),
        (_MOVED + "copy from a.txt\ncopy to c.txt\n", "c.txt is made as a copy"),
        (
            "diff --cc l\nindex 111,222..333\n--- a/l\n+++ b/l\n@@@ -1,2 -1,1 +1,1 @@@\n- a\n -b\n++c\n",
            "l comes from",
        ),
        ("Index: l\n--- l\n+++ l\n@@ -1 +1 @@\n-a\n+b\n\nProperty changes on: l\n", "l has other properties"),
    ],
)
def test_what_is_not_done_is_named(form: str, part: str, said: str) -> None:
    text = form.format(part, _GIT)
    assert any(said in file.unsupported for file in parse_sketch(text).files)
    assert apply_in_memory({"a.txt": "a\n", "b.txt": "x\n", "l": "a\n"}, text) == "unparsed"


@pytest.mark.parametrize("form", ["{}", "```diff\n{}```\n", "So it goes:\n\n```\n{}```\n"])
@pytest.mark.parametrize(
    ("before", "hunk", "after"),
    [
        ("a\n-- old\nb\n", "@@ -1,3 +1,3 @@\n a\n--- old\n+++ new\n b\n", "a\n++ new\nb\n"),
        ("a\n-- a/o.sql\nb\n", "@@ -1,3 +1,3 @@\n a\n--- a/o.sql\n+++ b/n.sql\n b\n", "a\n++ b/n.sql\nb\n"),
        ("a\n-- one\n-- two\n", "@@ -1,3 +1 @@\n a\n--- one\n--- two\n", "a\n"),
        ("a\n-- x y\nb\n", "@@ ... @@\n a\n--- x y\n+++ z w\n b\n", "a\n++ z w\nb\n"),
        ("-- a\nx\n", "@@ -1,2 +1,2 @@\n--- a\n+++ b\n x\n", "++ b\nx\n"),
        ("a\n-- \nb\n", "@@ -1,3 +1,2 @@\n a\n--- \n b\n", "a\nb\n"),
        ("a\n- \nb\n", "@@ -1,3 +1,2 @@\n a\n-- \n b\n", "a\nb\n"),
        ("d", "@@ -1 +1 @@\n-d\n\\ No newline at end of file\n+d\n", "d\n"),
        ("d\n", "@@ -1 +1 @@\n-d\n+d\n\\ No newline at end of file\n", "d"),
        ("a\nb\nc", "@@ -1,3 +1,3 @@\n-a\n+A\n b\n-c\n\\ No newline at end of file\n+c\n", "A\nb\nc\n"),
        ("a\nb\nc\n", "@@ -1,3 +1,3 @@\n-a\n+A\n b\n-c\n+c\n\\ No newline at end of file\n", "A\nb\nc"),
        ("a\nb\nc", "@@ -1,3 +1,3 @@\n-a\n+A\n b\n c\n\\ No newline at end of file\n", "A\nb\nc"),
    ],
)
def test_lines_of_a_hunk_are_lines(form: str, before: str, hunk: str, after: str) -> None:
    text = form.format(f"--- a/q.sql\n+++ b/q.sql\n{hunk}")
    assert apply_in_memory({"q.sql": before}, text) == {"q.sql": after}


@pytest.mark.parametrize("end", ["-- \n2.43.0\n", "-- \n2.43.0\n\n", ""])
def test_the_output_of_format_patch_is_applied(end: str) -> None:
    mail = (
        f"From {'0' * 40} Mon Sep 17 00:00:00 2001\nFrom: A <a@b.c>\nSubject: [PATCH] fix: x = y();\n\n"
        "if (x) {\n---\n b.txt | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)\n\n"
    )
    assert apply_in_memory({"b.txt": "x\n"}, mail + _GIT + end) == {"b.txt": "y\n"}
    both = mail + _GIT + end + "\n" + mail + _GIT.replace("-x\n+y", "-y\n+z") + end
    assert apply_in_memory({"b.txt": "x\n"}, both) == {"b.txt": "z\n"}
