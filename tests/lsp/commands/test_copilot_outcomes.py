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


@pytest.mark.parametrize(
    ("commands", "acceptance", "accepted", "rejected"),
    [
        ([], "accepted", 1, 0),
        ([], "rejected", 0, 0),
        (["Reject"], "rejected", 0, 1),
        (["Ignore"], "rejected", 0, 0),
    ],
)
async def test_the_end_of_an_edit_that_the_client_held(
    harness: ServerHarness, commands: list[str], acceptance: str, accepted: int, rejected: int
) -> None:
    id = await shown_edit(harness)
    for what in commands:
        command = {"command": f"github.copilot.did{what}NextEditSuggestionItem", "arguments": [id]}
        await harness.request("workspace/executeCommand", command)
    report = {"opportunityId": id, "context": "{}", "isShown": True, "acceptance": acceptance}
    harness.notify("textDocument/reportCachedInlineEdit", report)
    outcomes = (await harness.command("status"))["outcomes"]
    assert outcomes == {"shown": 1, "accepted": accepted, "rejected": rejected}


@pytest.mark.parametrize(
    "report", [{}, {"opportunityId": 7}, {"opportunityId": "p-9", "isShown": "yes"}, None]
)
async def test_a_report_about_nothing_changes_nothing(harness: ServerHarness, report: object) -> None:
    await shown_edit(harness)
    harness.notify("textDocument/reportCachedInlineEdit", report)
    outcomes = (await harness.command("status"))["outcomes"]
    assert outcomes == {"shown": 1, "accepted": 0, "rejected": 0}


async def test_there_is_no_account_to_sign_in_to(harness: ServerHarness) -> None:
    await harness.initialize()
    assert await harness.request("checkStatus", {"options": {}}) == {"status": "OK", "user": ""}
    assert await harness.request("signIn", {}) == {"status": "AlreadySignedIn", "user": ""}


async def test_only_clients_of_copilot_see_them_announced(harness: ServerHarness) -> None:
    answer = await harness.initialize()
    assert not [
        name for name in answer["capabilities"]["executeCommandProvider"]["commands"] if "copilot" in name
    ]
