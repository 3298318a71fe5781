"""Ghost text beside a completion menu: a client shows only what goes on from the selected item, in the item's place."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from editahead_inference.candidates import Candidate
from editahead_lsp.presentation.to_lsp import text_beyond_item
from editahead_lsp.protocol.custom_messages import Position, Range, SelectedCompletionInfo
from editahead_lsp.session.shown_predictions import Suggestion
from editahead_prompts.text.edits import Edit, Replacement
from editahead_prompts.text.snapshot import Snapshot
from server_harness import ScriptedPipeline, ServerHarness, lsp_range

A = "file:///tmp/a.py"


async def complete(harness: ServerHarness, column: int, item: tuple[int, int, str] | None) -> list[Any]:
    """Return the inline completions at a column of the first line, beside an item: from, to, text."""
    context: dict[str, Any] = {"triggerKind": 2}
    if item is not None:
        start, end, text = item
        context["selectedCompletionInfo"] = {"range": lsp_range(0, start, 0, end), "text": text}
    items: list[Any] = await harness.inline_completions(A, None, 0, column, **context)
    return items


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        (None, ("gner.sign(data)", lsp_range(0, 6, 0, 6))),
        ((4, 6, "signer"), ("signer.sign(data)", lsp_range(0, 4, 0, 6))),
        ((4, 6, "si"), ("signer.sign(data)", lsp_range(0, 4, 0, 6))),
        ((0, 6, "x = signer"), ("x = signer.sign(data)", lsp_range(0, 0, 0, 6))),
        ((4, 6, "safe"), None),
        ((4, 6, "Signer"), None),
        ((4, 6, "signer.sign(data)"), None),
        ((4, 6, "signer.sign(data) # more"), None),
        ((4, 5, "s"), None),
        ((99, 99, "signer"), None),
    ],
)
async def test_what_is_shown_goes_on_from_the_selected_item(
    client: ServerHarness,
    pipeline: ScriptedPipeline,
    item: tuple[int, int, str] | None,
    expected: tuple[str, Any] | None,
) -> None:
    pipeline.script = {"x = si": "x = signer.sign(data)"}
    client.open(A, "x = si\n")
    items = await complete(client, 6, item)
    assert [(one["insertText"], one["range"]) for one in items] == ([] if expected is None else [expected])


async def test_a_prediction_that_does_not_go_on_makes_room_for_one_that_does(
    client: ServerHarness, pipeline: ScriptedPipeline
) -> None:
    pipeline.script = {"x = si": "x = silent()", "= si": "= signer.sign()"}
    client.open(A, "x = si\n")
    (item,) = await complete(client, 6, (4, 6, "signer"))
    assert item["insertText"] == "signer.sign()"


async def test_the_range_counts_as_the_client_does(client: ServerHarness, pipeline: ScriptedPipeline) -> None:
    pipeline.script = {"si": "signer.sign()"}
    client.open(A, "😀 = si\n")
    (item,) = await complete(client, 7, (5, 7, "signer"))
    assert (item["insertText"], item["range"]) == ("signer.sign()", lsp_range(0, 5, 0, 7))


async def test_an_item_that_is_no_item_is_an_error_of_the_client(
    client: ServerHarness, pipeline: ScriptedPipeline
) -> None:
    pipeline.script = {"user": "users"}
    client.open(A, "user\n")
    assert await client.inline_completions(A, None, 0, 0, selectedCompletionInfo=None) != []


LINES = st.text("ab. ", max_size=8)


@given(LINES, LINES, LINES, st.integers(0, 8), st.integers(0, 8), st.data())
def test_taking_the_text_is_the_suggestion_and_begins_with_the_item(
    line: str, new: str, item: str, one: int, other: int, data: st.DataObject
) -> None:
    snapshot = Snapshot.from_text(line, uri=A, language="python", version=1)
    start, end = sorted((min(one, len(line)), min(other, len(line))))
    first = data.draw(st.integers(0, start))
    last = data.draw(st.integers(end, len(line)))
    edit = Edit((Replacement(start, end, new),))
    assume(edit.apply(line) != line)
    candidate = Candidate(A, edit, start, start + len(new), "completion", "", "rule")
    suggestion = Suggestion("p-1", snapshot, edit, start, start + len(new), 0.9, candidate)
    selected = SelectedCompletionInfo(Range(Position(0, first), Position(0, last)), item)
    text = text_beyond_item(suggestion, selected, "utf-16")
    wanted = line[first:start] + new + line[end:last]
    if text is None:
        assert not wanted.startswith(item) or wanted == item
    else:
        assert text.startswith(item) and len(text) > len(item)
        assert line[:first] + text + line[last:] == edit.apply(line)
