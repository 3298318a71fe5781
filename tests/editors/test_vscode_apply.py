"""A sketch of a change in a real VS Code: looked through as a diff, made in part, refused."""

from __future__ import annotations

from collections.abc import Callable

from vscode import HERE, VSCode

pytestmark = HERE

Start = Callable[..., VSCode]


SKETCH = """\
`a.py`:

```diff
@@ -1,2 +1,2 @@
-x = 1
+x = 10
 y = 2
@@ -8,2 +8,2 @@
 z = 8
-w = 9
+w = 90
```

`b.py`:

```diff
@@ -1 +1 @@
-v = 1
+v = 11
```
"""
FILES = {"a.py": "x = 1\ny = 2\n\n\n\n\n\nz = 8\nw = 9\n", "b.py": "v = 1\n"}


def test_a_copied_sketch_is_made_at_once(vscode: Start) -> None:
    """All of it, in several files, by one button."""
    editor = vscode(FILES)
    editor.until_ready()
    editor.copy(SKETCH)
    editor.command("Editahead: Apply Sketch from Clipboard")
    editor.until_tab("Sketch (2 files)")
    editor.until_text(".modified-in-monaco-diff-editor .view-line", "v = 11")
    editor.keep_picture("sketch", (0, 30, 702, 400))
    editor.click_action("Apply Changes")
    editor.until_tab("a.py")
    changed = FILES["a.py"].replace("x = 1\n", "x = 10\n").replace("w = 9", "w = 90")
    assert editor.saved("a.py") == changed
    editor.open_beside("b.py")
    assert editor.saved("b.py") == "v = 11\n"


def test_a_copied_sketch_is_looked_through_and_made_in_part(vscode: Start) -> None:
    editor = vscode(FILES)
    editor.until_ready()
    editor.copy(SKETCH)
    editor.command("Editahead: Apply Sketch from Clipboard")
    editor.until("document.querySelectorAll('.squiggly-warning').length === 3")
    editor.click_text(".modified-in-monaco-diff-editor .view-line span span", "90")
    editor.until_cursor_line(9)
    editor.command("Editahead: Exclude This Change of the Sketch")
    editor.until_no_text(".modified-in-monaco-diff-editor .view-line", "w = 90")
    editor.click_action("Apply Changes")
    editor.until_tab("a.py")
    assert editor.saved("a.py") == FILES["a.py"].replace("x = 1\n", "x = 10\n")
    editor.open_beside("b.py")
    assert editor.saved("b.py") == "v = 11\n"


ONE = SKETCH[: SKETCH.index("`b.py`")]


def test_a_hunk_is_left_out_by_the_button_beside_it(vscode: Start) -> None:
    editor = vscode(FILES)
    editor.until_ready()
    editor.copy(ONE)
    editor.command("Editahead: Apply Sketch from Clipboard")
    editor.until_tab("Sketch: a.py")
    editor.keep_picture("sketch-of-one-file")
    editor.revert_hunk(0, "x = 10")
    editor.click_action("Apply Changes")
    editor.until_tab("a.py")
    assert editor.saved("a.py") == FILES["a.py"].replace("w = 9", "w = 90")


def test_a_discarded_sketch_changes_nothing(vscode: Start) -> None:
    editor = vscode(FILES)
    editor.until_ready()
    editor.copy(ONE)
    editor.command("Editahead: Apply Sketch from Clipboard")
    editor.revert_hunk(0, "x = 10")
    editor.click_action("Discard")
    editor.until("document.querySelectorAll('.tab').length === 1 && !document.querySelector('.tab.dirty')")
    assert (editor.folder / "a.py").read_text() == FILES["a.py"]


def test_files_are_made_and_deleted(vscode: Start) -> None:
    editor = vscode(FILES)
    editor.until_ready()
    editor.copy(
        "*** Begin Patch\n*** Add File: c.py\n+u = 7\n*** Delete File: b.py\n*** Update File: a.py\n"
        "@@\n-x = 1\n+x = 10\n y = 2\n*** End Patch\n"
    )
    editor.command("Editahead: Apply Sketch from Clipboard")
    editor.until_tab("Sketch (3 files)")
    editor.click_action("Apply Changes")
    editor.until_tab("a.py")
    assert editor.saved("a.py") == FILES["a.py"].replace("x = 1\n", "x = 10\n")
    assert (editor.folder / "c.py").read_text() == "u = 7\n"
    assert not (editor.folder / "b.py").exists()


def test_what_should_be_read_first_is_marked(vscode: Start) -> None:
    editor = vscode(FILES)
    editor.until_ready()
    editor.copy(ONE)
    editor.command("Editahead: Apply Sketch from Clipboard")
    editor.until("document.querySelector('.squiggly-warning')")
    editor.command("Go to Next Problem in Files")
    editor.until_text(".marker-widget", "Changes the constant `1` to `10`.")


def test_a_text_that_moved_on_is_not_overwritten(vscode: Start) -> None:
    editor = vscode(FILES)
    editor.until_ready()
    editor.copy(ONE)
    editor.command("Editahead: Apply Sketch from Clipboard")
    editor.until_tab("Sketch: a.py")
    editor.open_beside("a.py")
    editor.go_to(5, 1)
    editor.type("#")
    editor.until("document.querySelector('.tab.active.dirty')")
    editor.click_text(".tab", "Sketch: a.py")
    editor.click_action("Apply Changes")
    editor.until_note("Nothing was changed: a.py has changed since the preview")
    editor.answer("Place the Sketch Again")
    editor.until_text(".modified-in-monaco-diff-editor .view-line", "#")


def test_a_selected_sketch_is_applied_to_the_rest(vscode: Start) -> None:
    sketch = "```diff\n-z = 8\n+z = 80\n```\n"
    editor = vscode(FILES["a.py"] + sketch)
    editor.until_ready()
    editor.go_to(10, 1)
    editor.press("Control+Shift+End")
    editor.command("Editahead: Apply Sketch from Selection")
    editor.until_tab("Sketch: a.py")
    editor.click_action("Apply Changes")
    editor.until_tab("a.py")
    assert editor.saved("a.py") == FILES["a.py"].replace("z = 8", "z = 80")


def test_a_refusal_says_why_and_changes_nothing(vscode: Start) -> None:
    editor = vscode(FILES)
    editor.until_ready()
    editor.copy("```diff\n@@ -1,2 +1,2 @@\n-nothing = like_this\n+p = 2\n q = 7\n```\n")
    editor.command("Editahead: Apply Sketch from Clipboard")
    editor.until_note("Nothing was changed")
    assert (editor.folder / "a.py").read_text() == FILES["a.py"]
