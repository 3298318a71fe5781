"""Code actions for a sketch inside the document."""

from __future__ import annotations

from typing import Any

import pytest

from schemas import validate
from server_harness import ServerHarness, lsp_range
from sketch_fixture import SKETCH, TEXT, WANTED, applied

A = "file:///w/a.py"
APPLY = "refactor.rewrite.editahead.apply"
LAZY = {"dataSupport": True, "resolveSupport": {"properties": ["edit"]}}
LITERALS = {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}}}
ANNOTATED = {"workspaceEdit": {"documentChanges": True, "changeAnnotationSupport": {}}}
PASTED = TEXT + SKETCH
FIRST, LAST = TEXT.count("\n"), PASTED.count("\n")


async def start(
    harness: ServerHarness, *, lazy: bool = False, annotated: bool = False, **action: Any
) -> None:
    await harness.initialize(
        textDocument={"codeAction": LITERALS | (LAZY if lazy else {}) | action},
        workspace=ANNOTATED if annotated else {},
    )


async def actions(harness: ServerHarness, *at: int, **context: Any) -> list[dict[str, Any]]:
    where = lsp_range(*(at if len(at) == 4 else at * 2))
    params = {"textDocument": {"uri": A}, "range": where, "context": {"diagnostics": [], **context}}
    found: list[dict[str, Any]] = await harness.request("textDocument/codeAction", params)
    validate("method.textDocument.codeAction", "result", found)
    return [action for action in found if action["kind"].startswith(APPLY)]


async def resolved(harness: ServerHarness, action: dict[str, Any]) -> dict[str, Any]:
    result: dict[str, Any] = await harness.request("codeAction/resolve", action)
    validate("method.codeAction.resolve", "result", result)
    return result


def edits(action: dict[str, Any]) -> list[dict[str, Any]]:
    edit = action["edit"]
    found: list[dict[str, Any]] = (
        edit["changes"][A] if "changes" in edit else edit["documentChanges"][0]["edits"]
    )
    return found


async def test_a_pasted_sketch_replaces_itself(harness: ServerHarness) -> None:
    await start(harness)
    harness.open(A, PASTED)
    (action,) = await actions(harness, FIRST, 0, LAST, 0)
    assert (action["title"], action["kind"]) == ("Apply sketch in selection", APPLY)
    assert "command" not in action
    assert applied(PASTED, edits(action)) == WANTED


@pytest.mark.parametrize("lines", [(FIRST, 0, LAST - 1, 3), (LAST, 0, FIRST, 0)])
async def test_a_selection_to_the_end_of_a_line_and_backwards(harness: ServerHarness, lines: Any) -> None:
    await start(harness)
    harness.open(A, PASTED)
    (action,) = await actions(harness, *lines)
    assert applied(PASTED, edits(action)) == WANTED


async def test_the_edit_comes_later_where_the_client_can_wait(harness: ServerHarness) -> None:
    await start(harness, lazy=True, annotated=True)
    harness.open(A, PASTED, version=4)
    (action,) = await actions(harness, FIRST, 0, LAST, 0)
    assert "edit" not in action
    done = await resolved(harness, action)
    assert applied(PASTED, edits(done)) == WANTED
    annotations = done["edit"]["changeAnnotations"]
    labels = [annotations[edit["annotationId"]]["label"] for edit in edits(done)]
    assert labels == ["Changes what the code does, line 12", f"Moves, lines {FIRST + 1}-{LAST + 1}"]
    assert done["edit"]["documentChanges"][0]["textDocument"]["version"] == 4


async def test_what_the_sketch_made_was_not_typed(harness: ServerHarness) -> None:
    await start(harness, lazy=True, annotated=True)
    harness.open(A, PASTED)
    (action,) = await actions(harness, FIRST, 0, LAST, 0)
    done = await resolved(harness, action)
    changes = []
    for edit in reversed(edits(done)):
        begin, end = edit["range"]["start"], edit["range"]["end"]
        changes.append((begin["line"], begin["character"], end["line"], end["character"], edit["newText"]))
    harness.change(A, 2, *changes)
    assert {past.origin for past in harness.server.session.history.edits} == {"accepted"}


async def test_a_document_that_was_changed_before_it_was_resolved(harness: ServerHarness) -> None:
    await start(harness, lazy=True, annotated=True)
    harness.open(A, PASTED)
    (action,) = await actions(harness, FIRST, 0, LAST, 0)
    harness.change(A, 2, (0, 0, 0, 0, "x"))
    reply = await harness.reply(harness.send("codeAction/resolve", action))
    assert reply["error"]["code"] == -32801


UNPLACED = TEXT + "<<<<<<< SEARCH\n    return x * 7\n=======\n    return 8\n>>>>>>> REPLACE\n"
MISSED = FIRST, 0, UNPLACED.count("\n"), 0


async def test_a_sketch_that_cannot_be_placed(harness: ServerHarness) -> None:
    await start(harness, lazy=True)
    harness.open(A, UNPLACED)
    (action,) = await actions(harness, *MISSED)
    reply = await harness.reply(harness.send("codeAction/resolve", action))
    assert reply["error"]["code"] == -32803
    assert reply["error"]["data"]["reason"] == "unplaced"


async def test_similar_lines_are_lines_of_the_document(harness: ServerHarness) -> None:
    await start(harness, lazy=True)
    block = "<<<<<<< SEARCH\n    d = c * 7\n=======\n    return 8\n>>>>>>> REPLACE\n"
    harness.open(A, block + TEXT)
    (action,) = await actions(harness, 0, 0, 5, 0)
    reply = await harness.reply(harness.send("codeAction/resolve", action))
    near = reply["error"]["data"]["near"]
    assert 5 + 11 in [place["range"]["start"]["line"] for place in near]


async def test_the_reason_in_the_menu(harness: ServerHarness) -> None:
    await start(harness, disabledSupport=True)
    harness.open(A, UNPLACED)
    (action,) = await actions(harness, *MISSED)
    assert action["disabled"]["reason"]
    assert "edit" not in action


async def test_no_action_where_there_is_no_way_to_say_why_not(harness: ServerHarness) -> None:
    await start(harness)
    harness.open(A, UNPLACED)
    assert await actions(harness, *MISSED) == []


@pytest.mark.parametrize(
    "at", [(0, 0), (FIRST, 0), (3, 0, 6, 0), (15, 0, 17, 0), (FIRST, 3, LAST, 0), (FIRST, 0, LAST - 2, 5)]
)
async def test_what_is_no_sketch(harness: ServerHarness, at: Any) -> None:
    await start(harness)
    harness.open(A, PASTED)
    assert await actions(harness, *at) == []


async def test_only_when_it_is_asked_for(harness: ServerHarness) -> None:
    await start(harness)
    harness.open(A, PASTED)
    where = FIRST, 0, LAST, 0
    assert await actions(harness, *where, only=["quickfix"]) == []
    assert len(await actions(harness, *where, only=["refactor.rewrite"])) == 1
    assert len(await actions(harness, *where, only=[APPLY])) == 1


async def test_a_declaration_pasted_below_its_namesake(harness: ServerHarness) -> None:
    await start(harness)
    text = TEXT + "\n\ndef second(b):\n    c = abs(b)\n    d = c * 3\n    return c + d\n"
    harness.open(A, text)
    (action,) = await actions(harness, FIRST + 2, 0, FIRST + 6, 0)
    assert applied(text, edits(action)) == TEXT.replace("c * 2", "c * 3") + "\n\n"


COMMENTED = TEXT.replace(
    "def third", "".join(f"# {line}\n" for line in ("Do:", *SKETCH.splitlines())) + "def third"
)
AT = COMMENTED[: COMMENTED.index("# Do:")].count("\n")


@pytest.mark.parametrize("line", [AT, AT + 1, AT + 4])
async def test_a_sketch_in_a_comment_stays(harness: ServerHarness, line: int) -> None:
    await start(harness)
    harness.open(A, COMMENTED)
    (action,) = await actions(harness, line, 2)
    assert action["title"] == "Apply sketch in comment"
    assert applied(COMMENTED, edits(action)) == COMMENTED.replace("c * 2", "c * 3  # twice", 1)


async def test_a_block_comment(harness: ServerHarness) -> None:
    await start(harness, lazy=True, annotated=True)
    second = "function second(b) {\n  const c = abs(b);\n  const d = c * 2;\n  return c + d;\n}\n"
    marker = "// ... existing code ...\n"
    sketch = marker + second.replace("c * 2", "c * 3") + marker
    inner = "".join(f" * {line}\n" for line in ("Do this:", "```js", *sketch.splitlines(), "```"))
    body = f"function first(a) {{\n  return a;\n}}\n\n{second}"
    text = f"{body}\n/**\n{inner} */\nfunction third(c) {{\n  return c;\n}}\n"
    harness.open(A, text, language="javascript")
    (action,) = await actions(harness, 15, 0)
    assert applied(text, edits(await resolved(harness, action))) == text.replace("c * 2", "c * 3", 1)


async def test_a_comment_without_a_sketch(harness: ServerHarness) -> None:
    await start(harness)
    harness.open(A, "# Like this:\n# ```python\n# x = 1\n# ```\ndef f():\n    pass\n")
    assert await actions(harness, 1, 0) == []
    assert await actions(harness, 4, 0) == []


BOTH = """\
```python
import os
import sys

# ... existing code ...

def second(b):
    c = abs(b)
    d = c * 3
    return c + d

# ... existing code ...
```
"""


async def test_hunk_by_hunk_where_nothing_asks_for_a_confirmation(harness: ServerHarness) -> None:
    await start(harness)
    text = TEXT + BOTH
    last = text.count("\n")
    harness.open(A, text)
    whole, one, two = await actions(harness, FIRST, 0, last, 0)
    assert whole["title"] == "Apply sketch in selection"
    assert one["title"] == "Apply hunk 1 of 2: Changes imports, line 2"
    assert two["title"] == (
        "Apply hunk 2 of 2: Changes what the code does, line 12. Changes the constant `2` to `3`."
    )
    wanted = applied(text, edits(whole))
    assert wanted == TEXT.replace("import os\n", "import os\nimport sys\n").replace("c * 2", "c * 3")
    after = applied(text, edits(two))
    harness.change(A, 2, after)
    (rest,) = await actions(harness, FIRST, 0, last, 0)
    assert applied(after, edits(rest)) == wanted
    after = applied(after, edits(one))
    harness.change(A, 3, after)
    (rest,) = await actions(harness, FIRST + 1, 0, last + 1, 0)
    assert applied(after, edits(rest)) == wanted


async def test_each_hunk_at_once_and_the_whole_later(harness: ServerHarness) -> None:
    await start(harness, lazy=True)
    harness.open(A, TEXT + BOTH)
    whole, *each = await actions(harness, FIRST, 0, (TEXT + BOTH).count("\n"), 0)
    assert "edit" not in whole
    assert len(each) == 2
    assert applied(TEXT + BOTH, edits(await resolved(harness, whole))).count("import sys") == 1
