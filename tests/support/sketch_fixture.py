"""A file, a sketch of a change, and the expected result."""

from __future__ import annotations

from typing import Any

TEXT = """\
import os


def first(a):
    if a is None:
        return 0
    return a + 1


def second(b):
    c = abs(b)
    d = c * 2
    return c + d


def third(c):
    return first(c)
"""
SKETCH = """\
```python
# ... existing code ...

def second(b):
    c = abs(b)
    d = c * 3  # twice
    return c + d

# ... existing code ...
```
"""
WANTED = TEXT.replace("c * 2", "c * 3  # twice")

AMBIGUOUS = """\
# ... existing code ...

    c = abs(b)
    if c > 7:
        raise ValueError(b)
    return c
"""
"""A sketch that may replace the end of the function or come before it, or end the file: the merge refuses."""
OLD, NEW = "    d = c * 2\n    return c + d\n", "    if c > 7:\n        raise ValueError(b)\n    return c\n"
REPLACED = TEXT.replace(OLD, NEW)
READINGS = (("replace `d = c * 2`", OLD, NEW, 0.6), ("add before `d = c * 2`", OLD, NEW + OLD, 0.3))
"""The readings of the ambiguous sketch, for a merge that is certain of none, whatever else the file holds."""
PATCH = """\
*** Begin Patch
*** Add File: new/c.py
+def sixth():
+    return 6
*** Delete File: b.py
*** Update File: a.py
*** Move to: d.py
@@
 def second(b):
     c = abs(b)
-    d = c * 2
+    d = c * 3
*** End Patch
"""
"""The change with two other files: one created, one deleted, the changed one renamed."""


def applied(text: str, edits: Any) -> str:
    """Return an ASCII text after text edits, all applied at once."""
    lines = text.splitlines(keepends=True)
    starts = [sum(map(len, lines[:n])) for n in range(len(lines) + 1)]

    def offset(position: Any) -> int:
        return starts[position["line"]] + position["character"]

    for edit in sorted(edits, key=lambda e: offset(e["range"]["start"]), reverse=True):
        start, end = offset(edit["range"]["start"]), offset(edit["range"]["end"])
        text = text[:start] + edit["newText"] + text[end:]
    return text
