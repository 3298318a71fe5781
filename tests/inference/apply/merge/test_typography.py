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
