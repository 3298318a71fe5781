"""The setting `trigger` "manual": nothing is shown before the user asks."""

from __future__ import annotations

from server_harness import ServerHarness

A = "file:///tmp/a.py"
TEXT = "user\nx = 1\nuser\n"


async def started(harness: ServerHarness) -> None:
    await harness.initialize({"trigger": "manual"})
    harness.open(A, TEXT)


async def test_what_was_asked_for_stays_while_the_cursor_moves(harness: ServerHarness) -> None:
    await started(harness)
    for trigger in ("typed", "cursor", "paused"):
        answer = await harness.next_edit(A, None, 1, 0, trigger=trigger)
        assert (answer["predictions"], answer["silence"]["reason"]) == ([], "on-demand")
    assert not await harness.inline_edits(A, None, 0, 0, triggerKind=2)
    asked = await harness.predictions(A, None, 1, 0, trigger="manual")
    assert asked
    moved = await harness.predictions(A, None, 2, 0, trigger="cursor")
    assert {one["id"] for one in moved} <= {one["id"] for one in asked} and moved


async def test_after_an_accept_the_next_one_follows_and_after_a_refusal_none(harness: ServerHarness) -> None:
    await started(harness)
    assert await harness.predictions(A, None, 1, 0, trigger="manual")
    assert await harness.predictions(A, None, 2, 0, trigger="accepted")
    for one in await harness.predictions(A, None, 1, 0, trigger="cursor"):
        harness.notify("editahead/outcome", {"id": one["id"], "event": "rejected"})
    assert not await harness.predictions(A, None, 1, 0, trigger="cursor")
