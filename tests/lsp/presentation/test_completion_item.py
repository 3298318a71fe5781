"""The completion item: its fields, when it exists, and the same text after every way to apply it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_inference.candidates import Candidate
from editahead_lsp.presentation import completion_item
from editahead_lsp.session.shown_predictions import Suggestion, SuggestionList
from editahead_prompts.text.edits import Edit, Replacement
from editahead_prompts.text.snapshot import Snapshot, line_body
from server_harness import ScriptedPipeline, ServerHarness, lsp_range, position_params

A, B = "file:///tmp/a.py", "file:///tmp/b.py"
COMPLETION = "textDocument/completion"
NOTHING = {"isIncomplete": True, "items": []}


async def item(harness: ServerHarness, line: int, character: int) -> dict[str, Any]:
    result = await harness.request(COMPLETION, position_params(A, None, line, character, triggerKind=1))
    assert result["isIncomplete"] is True
    (found,) = result["items"]
    assert isinstance(found, dict)
    return found


async def test_an_edit_at_the_cursor_is_the_items_own(client: ServerHarness) -> None:
    client.open(A, "x = user\n")
    found = await item(client, 0, 7)
    id = found["command"]["arguments"][0]
    assert found == {
        "label": "user -> account",
        "sortText": " ",
        "filterText": "use",
        "documentation": "@@ line 1 @@\n-x = user\n+x = account",
        "textEdit": {"range": lsp_range(0, 4, 0, 8), "newText": "account"},
        "additionalTextEdits": [],
        "command": {"title": "Accept next edit", "command": "editahead.accept", "arguments": [id]},
        "preselect": True,
        "insertTextFormat": 1,
        "insertTextMode": 1,
    }


async def test_an_edit_elsewhere_is_additional(harness: ServerHarness) -> None:
    await harness.initialize(
        textDocument={"completion": {"completionItem": {"documentationFormat": ["markdown"]}}}
    )
    harness.open(A, "x.na\ny = user\n")
    found = await item(harness, 0, 4)
    assert found["textEdit"] == {"range": lsp_range(0, 2, 0, 4), "newText": "na"}
    assert found["additionalTextEdits"] == [{"range": lsp_range(1, 4, 1, 8), "newText": "account"}]
    assert found["filterText"] == "na"
    assert found["documentation"]["value"] == "```diff\n@@ line 2 @@\n-y = user\n+y = account\n```"


async def test_elsewhere_on_the_line_it_reaches_the_cursor(client: ServerHarness) -> None:
    client.open(A, "user = 1; na\n")
    found = await item(client, 0, 12)
    assert found["textEdit"] == {"range": lsp_range(0, 0, 0, 12), "newText": "account = 1; na"}
    assert found["filterText"] == "user = 1; na"


async def test_an_accepted_item_counts(client: ServerHarness) -> None:
    client.open(A, "x\nuser\n")
    found = await item(client, 0, 1)
    client.change(A, 2, (1, 0, 1, 4, "account"))
    await client.request("workspace/executeCommand", found["command"])
    status = await client.command("status")
    assert status["outcomes"] == {"shown": 1, "accepted": 1, "rejected": 0}


async def test_nothing_predicted_nothing_listed(client: ServerHarness, pipeline: ScriptedPipeline) -> None:
    client.open(B, "user\n")
    client.open(A, "nothing\n")
    assert await client.request(COMPLETION, position_params(A, None, 0, 0)) == NOTHING, (
        "only in the other document"
    )
    assert await client.request(COMPLETION, position_params("file:///tmp/c.py", None, 0, 0)) == NOTHING


INLINE = {"textDocument": {"inlineCompletion": {"dynamicRegistration": True}}}


@pytest.mark.parametrize(
    ("setting", "capabilities", "there"),
    [("auto", {}, True), ("auto", INLINE, False), ("on", INLINE, True), ("off", {}, False)],
)
async def test_who_is_offered_it(
    harness: ServerHarness, setting: str, capabilities: dict[str, Any], there: bool
) -> None:
    result = await harness.initialize({"completion_item": setting}, **capabilities)
    assert ("completionProvider" in result["capabilities"]) is there
    harness.open(A, "user\n")
    listed = await harness.request(COMPLETION, position_params(A, None, 0, 0))
    assert (len(listed["items"]), listed["isIncomplete"]) == (int(there), there)


@pytest.mark.parametrize(
    "method", ["textDocument/inlineCompletion", "textDocument/copilotInlineEdit", "editahead/nextEdit"]
)
async def test_not_once_the_client_has_asked_for_better(client: ServerHarness, method: str) -> None:
    client.open(A, "user\n")
    assert await item(client, 0, 0)
    await client.request(method, position_params(A, 1, 0, 0))
    assert await client.request(COMPLETION, position_params(A, None, 0, 0)) == {
        "isIncomplete": False,
        "items": [],
    }


# What the item does to the text

characters = st.sampled_from(["a", "_", " ", "\n", "\r\n", "😀"])
texts = st.lists(characters, max_size=10).map("".join)


@st.composite
def offered(draw: st.DrawFn) -> tuple[Suggestion, int]:
    text = draw(texts)
    snapshot = Snapshot.from_text(text)
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), min_size=2, max_size=6)))
    pairs = zip(cuts[::2], cuts[1::2], strict=False)
    edit = Edit(tuple(Replacement(start, end, draw(texts)) for start, end in pairs))
    line = draw(st.integers(0, len(snapshot.lines) - 1))
    cursor = snapshot.starts[line] + draw(st.integers(0, len(line_body(snapshot.lines[line]))))
    candidate = Candidate(snapshot.uri, edit, 0, 0, "local", "label", "rule")
    return Suggestion("p-1", snapshot, edit, 0, 0, 0.5, candidate), cursor


@given(offered())
def test_the_item_does_what_the_edit_does(case: tuple[Suggestion, int]) -> None:
    offer, cursor = case
    snapshot = offer.snapshot
    found = completion_item.split_for_completion(offer, snapshot, cursor)
    if found is None:
        return
    own, others = found.own, found.others
    wanted = offer.edit.apply(snapshot.text)
    assert Edit(tuple(sorted((own, *others), key=lambda r: r.start))).apply(snapshot.text) == wanted
    # As Helix does it: the additional edits over the text that the item's own edit left behind.
    assert Edit(others).apply(Edit((own,)).apply(snapshot.text)) == wanted
    assert own.start <= cursor <= own.end
    assert snapshot.line_at(own.start) == snapshot.line_at(own.end) == snapshot.line_at(cursor)
    assert own.end <= snapshot.starts[snapshot.line_at(cursor)] + len(
        line_body(snapshot.lines[snapshot.line_at(cursor)])
    )
    (item,) = completion_item.to_completion_list(
        SuggestionList((offer,), None, snapshot, cursor), "utf-16", True
    ).items
    assert item.filter_text in (snapshot.text[own.start : cursor], "label")


def preview(text: str, *replacements: tuple[int, int, str]) -> str:
    edit = Edit(tuple(Replacement(*r) for r in replacements))
    candidate = Candidate("untitled:1", edit, 0, 0, "local", "label", "rule")
    return completion_item.diff_preview(
        Suggestion("p-1", Snapshot.from_text(text), edit, 0, 0, 0.5, candidate)
    )


def test_previews() -> None:
    text = "a b\nc\nd\n"
    assert preview(text, (0, 1, "x"), (2, 3, "y")) == "@@ line 1 @@\n-a b\n+x y"
    assert preview(text, (0, 1, "x"), (6, 7, "y")) == "@@ line 1 @@\n-a b\n+x b\n@@ line 3 @@\n-d\n+y"
    assert preview(text, (4, 6, "")) == "@@ line 2 @@\n-c"
    assert preview(text, (4, 4, "new\n")) == "@@ line 2 @@\n+new"
    assert preview(text, (0, 0, "new\n" * 30)).splitlines()[-1] == "..."
