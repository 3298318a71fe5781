"""Rejected edits stay hidden: after typing, undo, closing and reopening, and in any notation."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_lsp.protocol.custom_messages import TextDocumentContentChange
from editahead_lsp.session.documents import Document
from editahead_lsp.session.rejected_edits import RejectedEdits
from editahead_prompts.text.edits import Edit, Replacement
from server_harness import ScriptedPipeline, ServerHarness, lsp_range, position_params

A = "file:///tmp/a.py"
NEXT = "editahead/nextEdit"


async def shown(harness: ServerHarness) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = await harness.predictions(A, None, 0, 0)
    return found


async def refuse(harness: ServerHarness) -> None:
    """Reject the only prediction."""
    (prediction,) = await shown(harness)
    harness.notify("editahead/outcome", {"id": prediction["id"], "event": "rejected"})


Place = tuple[int, int, int, int, str]


@pytest.mark.parametrize(
    "changes",
    [
        [(0, 2, 0, 2, "x"), (0, 2, 0, 3, "")],  # into it, and back
        [(0, 1, 0, 3, ""), (0, 1, 0, 1, "se")],  # some of it deleted, and typed again
        [(0, 0, 0, 4, ""), (0, 0, 0, 0, "user")],
        [(0, 2, 0, 2, "x"), (0, 0, 0, 0, "# above\n"), (1, 2, 1, 3, "")],  # with other typing in between
        [(0, 0, 0, 4, "us"), (0, 2, 0, 2, "er")],
        [(0, 2, 0, 2, "x"), (0, 3, 0, 3, "y"), (0, 3, 0, 4, ""), (0, 2, 0, 3, "")],
        [(0, 4, 0, 4, " "), (0, 0, 0, 0, "\n")],  # only beside it
    ],
)
async def test_typing_over_its_place_does_not_lift_it(client: ServerHarness, changes: list[Place]) -> None:
    client.open(A, "user\nend\n")
    await refuse(client)
    for k, change in enumerate(changes):
        client.change(A, 2 + k, change)
    assert await shown(client) == []


async def test_another_use_of_the_word_is_not_refused(client: ServerHarness) -> None:
    client.open(A, "user\n")
    await refuse(client)
    client.change(A, 2, (1, 0, 1, 0, "user\n"))
    (other,) = await shown(client)
    assert other["edits"][0]["range"] == lsp_range(1, 0, 1, 4)


@pytest.mark.parametrize(
    ("text", "again"),
    [("user\n", []), ("# above\nuser\n", []), ("person\nuser user\n", [4]), ("other\n", [])],
)
async def test_it_outlives_closing(client: ServerHarness, text: str, again: list[int]) -> None:
    client.open(A, "user\n")
    await refuse(client)
    client.close_document(A)
    client.open(A, text)
    found = await shown(client)
    assert len(found) == len(again) or text.startswith("person")


async def test_it_outlives_being_overtyped_and_closed(client: ServerHarness) -> None:
    client.open(A, "user\n")
    await refuse(client)
    client.change(A, 2, (0, 2, 0, 2, "x"))
    client.close_document(A)
    client.open(A, "user\n")
    assert await shown(client) == []


async def test_moved_along_before_it_was_refused(client: ServerHarness, pipeline: ScriptedPipeline) -> None:
    """What is left of a shown edit is put in fewer characters once it was moved; proposed, it is as it was made."""
    pipeline.script = {"old_name": "new_name"}
    client.open(A, "old_name\n")
    (prediction,) = await shown(client)
    client.change(A, 2, (0, 0, 0, 0, "# above\n"))
    client.notify("editahead/outcome", {"id": prediction["id"], "event": "rejected"})
    assert await shown(client) == []


async def test_said_in_another_way_by_a_predictor_that_does_not_look(
    client: ServerHarness, pipeline: ScriptedPipeline
) -> None:
    client.open(A, "old_name\n")
    pipeline.script = {"old_name": "new_name"}
    await refuse(client)
    pipeline.script = {"old_": "new_"}
    client.configure(eagerness=0.9)
    answer = await client.next_edit(A, 1, 0, 0)
    assert answer["predictions"] == []
    assert answer["silence"]["reason"] == "refused-before"


async def test_until_learning_is_reset(client: ServerHarness) -> None:
    client.open(A, "user\n")
    await refuse(client)
    client.change(A, 2, (0, 2, 0, 2, "x"))
    await client.command("resetLearning")
    client.change(A, 3, (0, 2, 0, 3, ""))
    assert len(await shown(client)) == 1


texts = st.text("ab\n", min_size=1, max_size=10)


@given(st.data())
def test_undone_changes_leave_every_refusal(data: st.DataObject) -> None:
    """Any changes, then the same taken back one by one: what was refused at first is refused again."""
    text = data.draw(texts)
    document = Document("untitled:1", "python", 1, text)
    start, end = sorted((data.draw(st.integers(0, len(text))), data.draw(st.integers(0, len(text)))))
    refused = Edit((Replacement(start, end, data.draw(texts)),))
    refusals = RejectedEdits()
    refusals.add(document.key, [refused])
    past = []
    for version in range(2, 2 + data.draw(st.integers(1, 5))):
        past.append(document.snapshot.text)
        refusals.on_change(
            document.key, document.change(version, [TextDocumentContentChange(data.draw(texts))])
        )
    for before in reversed(past):
        refusals.on_change(document.key, document.change(9, [TextDocumentContentChange(before)]))
    assert refused in refusals.for_document(document.key)


async def test_refused_while_it_is_computed_again(client: ServerHarness, pipeline: ScriptedPipeline) -> None:
    client.open(A, "user\nx\n")
    (prediction,) = await shown(client)
    pipeline.open.clear()
    asked = client.send(NEXT, position_params(A, 1, 1, 0))
    client.notify("editahead/outcome", {"id": prediction["id"], "event": "rejected"})
    pipeline.open.set()
    answer = (await client.reply(asked))["result"]
    assert answer["predictions"] == []
    assert answer["silence"]["reason"] == "refused-before"


async def restore(harness: ServerHarness) -> bool:
    found = await harness.request("workspace/executeCommand", {"command": "editahead.restore"})
    return bool(found["restored"])


async def test_the_last_rejected_edit_is_brought_back(client: ServerHarness) -> None:
    client.open(A, "user\nend\n")
    assert not await restore(client)
    await refuse(client)
    assert await shown(client) == []
    client.change(A, 2, (0, 0, 0, 0, "# above\n"))
    assert await restore(client)
    assert len(await shown(client)) == 1
    assert not await restore(client)


async def test_an_edit_whose_document_was_closed_is_not_brought_back(client: ServerHarness) -> None:
    client.open(A, "user\n")
    await refuse(client)
    client.close_document(A)
    assert not await restore(client)
