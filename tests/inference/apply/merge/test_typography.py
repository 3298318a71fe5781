"""The typography of a file stays on edited lines where a sketch has only its plain form."""

from __future__ import annotations

import pytest

from editahead_inference.apply.merge.merge import merge
from editahead_inference.apply.results import MergeResult
from editahead_prompts.sketches.parse import parse_sketch
from editahead_prompts.text.snapshot import Snapshot

GUIDE = """\
# Guide

Don’t press “Stop” — wait.

Then go on… at 10\u00a0km.

The last line says “the end”.
"""
PLAIN = GUIDE.translate(
    {ord(a): b for a, b in zip("’“”—…\u00a0", ["'", '"', '"', "-", "...", " "], strict=True)}
)

CODE = """\
def greet(name):
    # It’s the user’s name.
    print("Hello – " + name)
    return name
"""


def merged(sketch: str, text: str = GUIDE, language: str = "markdown", name: str = "g.md") -> MergeResult:
    found = parse_sketch(sketch, language=language, path=name)
    return merge(found, found.files[0], Snapshot.from_text(text, uri=f"file:///{name}", language=language))


SKETCHES = {
    "search": """\
<<<<<<< SEARCH
Don't press "Stop" - wait.
=======
Don't press "Stop" - wait a minute.
>>>>>>> REPLACE
""",
    "diff": """\
--- a/g.md
+++ b/g.md
@@ -1,5 +1,5 @@
 # Guide

-Don't press "Stop" - wait.
+Don't press "Stop" - wait a minute.

 Then go on... at 10 km.
""",
    "patch": """\
*** Begin Patch
*** Update File: g.md
@@
-Don't press "Stop" - wait.
+Don't press "Stop" - wait a minute.
*** End Patch
""",
    "whole": "g.md\n```\n" + PLAIN.replace("wait.", "wait a minute.") + "```\n",
    "marks": """\
```markdown
# Guide

Don't press "Stop" - wait a minute.

<!-- ... existing text ... -->
```
""",
}


@pytest.mark.parametrize("form", SKETCHES)
def test_only_the_change_is_made(form: str) -> None:
    made = merged(SKETCHES[form])
    assert made.refusal is None
    assert made.guess == GUIDE.replace("wait.", "wait a minute.")


def test_a_declaration_keeps_the_typography_of_its_comment_and_text() -> None:
    sketch = """\
```python
def greet(name, more):
    # It's the user's name.
    print("Hello - " + name + more)
    return name
```
"""
    made = merged(sketch, CODE, "python", "a.py")
    assert made.refusal is None
    assert made.guess == CODE.replace("greet(name)", "greet(name, more)").replace("+ name)", "+ name + more)")


def test_straight_quotes_for_curly_ones_are_written_where_the_sketch_shows_both() -> None:
    sketch = (
        '<<<<<<< SEARCH\nDon’t press “Stop” — wait.\n=======\nDon\'t press "Stop" — wait.\n>>>>>>> REPLACE\n'
    )
    assert merged(sketch).guess == GUIDE.replace("Don’t press “Stop”", 'Don\'t press "Stop"')


def test_curly_quotes_for_straight_ones_are_written() -> None:
    text = GUIDE.replace("Don’t press “Stop”", 'Don\'t press "Stop"')
    for sketch in (
        '<<<<<<< SEARCH\nDon\'t press "Stop" — wait.\n=======\nDon’t press “Stop” — wait.\n>>>>>>> REPLACE\n',
        f"g.md\n```\n{GUIDE}```\n",
    ):
        assert merged(sketch, text).guess == GUIDE


def test_plain_characters_alone_are_no_change() -> None:
    made = merged(f"g.md\n```\n{PLAIN}```\n")
    assert made.refusal is not None
    assert "plain characters" in made.refusal.detail


def test_two_lines_with_changes_keep_their_typography() -> None:
    sketch = """\
<<<<<<< SEARCH
Then go on... at 10 km.

The last line says "the end".
=======
Then go on... at 12 km.

The very last line says "the end" - really.
>>>>>>> REPLACE
"""
    right = (
        GUIDE.replace("10\u00a0km", "12\u00a0km")
        .replace("The last", "The very last")
        .replace("end”.", "end” - really.")
    )
    assert merged(sketch).guess == right
