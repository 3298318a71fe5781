"""The commands by which clients of Copilot's server tell what became of an edit."""

from __future__ import annotations

import pytest

from server_harness import ServerHarness

A = "file:///tmp/a.py"
TEXT = "user = 1\nprint(user)\n"


async def shown_edit(harness: ServerHarness) -> str:
    """Return the id of an edit that the client shows."""
    await harness.initialize({"debounce_ms": 0})
    harness.open(A, TEXT)
    (edit,) = await harness.inline_edits(A, 1, 0, 0)
    harness.notify("textDocument/didShowInlineEdit", {"item": {"command": edit["command"]}})
    id: str = edit["command"]["arguments"][0]
    return id


@pytest.mark.parametrize(
    ("what", "accepted", "rejected"), [("Accept", 1, 0), ("Reject", 0, 1), ("Ignore", 0, 0)]
)
async def test_an_outcome_counts(harness: ServerHarness, what: str, accepted: int, rejected: int) -> None:
    id = await shown_edit(harness)
    command = {"command": f"github.copilot.did{what}NextEditSuggestionItem", "arguments": [id]}
    assert await harness.request("workspace/executeCommand", command) is True
    outcomes = (await harness.command("status"))["outcomes"]
    assert outcomes == {"shown": 1, "accepted": accepted, "rejected": rejected}


async def test_only_clients_of_copilot_see_them_announced(harness: ServerHarness) -> None:
    answer = await harness.initialize()
    assert not [
        name for name in answer["capabilities"]["executeCommandProvider"]["commands"] if "copilot" in name
    ]
