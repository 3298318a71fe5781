"""Code actions for a scripted prediction."""

from __future__ import annotations

from typing import Any

import pytest

from server_harness import ScriptedPipeline, ServerHarness, lsp_range

A, B = "file:///tmp/a.py", "file:///tmp/b.py"
ACCEPT, GOTO, APPLY = (f"refactor.rewrite.editahead.{name}" for name in ("accept", "goto", "apply"))

LITERALS = {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}}}
LAZY = LITERALS | {"dataSupport": True, "resolveSupport": {"properties": ["edit", "command"]}}
VERSIONED = {"workspaceEdit": {"documentChanges": True}}
SHOWS = {"showDocument": {"support": True}}


async def start(
    harness: ServerHarness, action: Any = LITERALS, workspace: Any = VERSIONED, window: Any = SHOWS
) -> Any:
    return await harness.initialize(
        workspace=workspace, window=window, textDocument={"codeAction": action} if action else {}
    )


async def actions(harness: ServerHarness, *at: int, uri: str = A, **context: Any) -> list[dict[str, Any]]:
    where = lsp_range(*(at if len(at) == 4 else at * 2))
    params = {"textDocument": {"uri": uri}, "range": where, "context": {"diagnostics": [], **context}}
    found: list[dict[str, Any]] = await harness.request("textDocument/codeAction", params)
    return found


async def test_both_with_the_edit_at_once(harness: ServerHarness) -> None:
    result = await start(harness)
    assert result["capabilities"]["codeActionProvider"] == {
        "codeActionKinds": [ACCEPT, GOTO, APPLY, "quickfix.editahead.finish"],
        "resolveProvider": True,
    }
    harness.open(A, "x\ny = user\n", version=3)
    accept, go = await actions(harness, 0, 1)
    id = accept["command"]["arguments"][0]
    assert accept == {
        "title": "Accept next edit",
        "kind": ACCEPT,
        "command": {"title": "Accept next edit", "command": "editahead.accept", "arguments": [id]},
        "edit": {
            "documentChanges": [
                {
                    "textDocument": {"uri": A, "version": 3},
                    "edits": [{"range": lsp_range(1, 4, 1, 8), "newText": "account"}],
                }
            ]
        },
    }
    target = {"uri": A, "position": {"line": 0, "character": 1}}
    assert go == {
        "title": "Go to next edit",
        "kind": GOTO,
        "command": {"title": "Go to next edit", "command": "editahead.nextEdit", "arguments": [target]},
    }


async def test_an_accept_counts(harness: ServerHarness) -> None:
    await start(harness)
    harness.open(A, "user\n")
    (accept,) = await actions(harness, 0, 0)
    harness.change(A, 2, (0, 0, 0, 4, "account"))
    await harness.request("workspace/executeCommand", accept["command"])
    status = await harness.command("status")
    assert status["outcomes"] == {"shown": 1, "accepted": 1, "rejected": 0}


async def test_going_there_goes_there(harness: ServerHarness) -> None:
    await start(harness)
    harness.open(A, "x\ny = user\n")
    _, go = await actions(harness, 0, 0)
    id = harness.send("workspace/executeCommand", go["command"])
    shown = await harness.serves("window/showDocument", {"success": True})
    assert (shown["uri"], shown["selection"]) == (A, lsp_range(1, 4, 1, 4))
    assert (await harness.reply(id))["result"]["did"] == "jumped"
    assert [action["kind"] for action in await actions(harness, 1, 4)] == [ACCEPT], "now it is there"


async def test_the_edit_is_given_later_when_the_client_can(harness: ServerHarness) -> None:
    await start(harness, LAZY)
    harness.open(A, "x\ny = user\n")
    accept, _ = await actions(harness, 0, 0)
    assert "edit" not in accept
    assert "command" not in accept, "lsp-mode would run it, and never ask for the edit"
    harness.change(A, 2, (0, 0, 0, 0, "new line\n"))
    resolved = await harness.request("codeAction/resolve", accept | {"isPreferred": True})
    (change,) = resolved.pop("edit")["documentChanges"]
    assert resolved == accept | {"isPreferred": True}
    assert change["textDocument"] == {"uri": A, "version": 2}
    assert change["edits"] == [{"range": lsp_range(2, 4, 2, 8), "newText": "account"}]


async def test_a_resolved_edit_that_is_made_counts(harness: ServerHarness) -> None:
    await start(harness, LAZY)
    harness.open(A, "user\n")
    (accept,) = await actions(harness, 0, 0)
    await harness.request("codeAction/resolve", accept)
    harness.change(A, 2, (0, 0, 0, 4, "account"))
    assert (await harness.command("status"))["outcomes"] == {"shown": 1, "accepted": 1, "rejected": 0}


@pytest.mark.parametrize(
    ("workspace", "both"),
    [
        ({"applyEdit": False}, False),
        ({"applyEdit": False, "executeCommand": {"dynamicRegistration": False}}, True),
        ({"applyEdit": True}, True),
    ],
)
async def test_no_command_behind_the_edit_for_a_client_that_may_drop_the_edit(
    harness: ServerHarness, workspace: Any, both: bool
) -> None:
    await start(harness, workspace=workspace)
    harness.open(A, "user\n")
    (accept,) = await actions(harness, 0, 0)
    assert "edit" in accept and ("command" in accept) is both
    harness.change(A, 2, (0, 0, 0, 4, "account"))
    assert (await harness.command("status"))["outcomes"] == {"shown": 1, "accepted": 1, "rejected": 0}


@pytest.mark.parametrize("closed", [False, True])
async def test_an_edit_that_was_overtaken_is_not_given(harness: ServerHarness, closed: bool) -> None:
    await start(harness, LAZY)
    harness.open(A, "user\n")
    (accept,) = await actions(harness, 0, 0)
    if closed:
        harness.close_document(A)
    else:
        harness.change(A, 2, (0, 0, 0, 4, "other"))
    reply = await harness.reply(harness.send("codeAction/resolve", accept))
    assert reply["error"]["code"] == -32801


@pytest.mark.parametrize("params", [None, {}, {"title": "x", "data": {"id": 3}}, {"data": "p-1"}])
async def test_actions_of_others_are_refused(harness: ServerHarness, params: Any) -> None:
    await start(harness, LAZY)
    reply = await harness.reply(harness.send("codeAction/resolve", params))
    assert reply["error"]["code"] == -32602


async def test_without_versions_for_clients_without_them(harness: ServerHarness) -> None:
    await start(harness, workspace={})
    harness.open(A, "user\n")
    (accept,) = await actions(harness, 0, 0)
    assert accept["edit"] == {"changes": {A: [{"range": lsp_range(0, 0, 0, 4), "newText": "account"}]}}


async def test_an_edit_of_another_document(harness: ServerHarness) -> None:
    await start(harness)
    harness.open(B, "user\n", version=7)
    harness.open(A, "nothing\n")
    accept, go = await actions(harness, 0, 0)
    assert accept["edit"]["documentChanges"][0]["textDocument"] == {"uri": B, "version": 7}
    assert go["command"]["arguments"][0]["uri"] == A, "the command starts from the cursor"


async def test_a_mere_place_can_only_be_visited(harness: ServerHarness, pipeline: ScriptedPipeline) -> None:
    pipeline.script = {"here": "here"}
    await start(harness)
    harness.open(A, "x\nhere\n")
    assert [action["kind"] for action in await actions(harness, 0, 0)] == [GOTO]


@pytest.mark.parametrize(
    ("only", "kinds"),
    [
        (None, [ACCEPT, GOTO]),
        ([], [ACCEPT, GOTO]),
        ([""], [ACCEPT, GOTO]),
        (["refactor"], [ACCEPT, GOTO]),
        (["refactor.rewrite"], [ACCEPT, GOTO]),
        (["quickfix", GOTO], [GOTO]),
        ([ACCEPT], [ACCEPT]),
        (["refactor.rewrite.editahead.acc"], []),
        (["quickfix"], []),
        (["source.organizeImports"], []),
    ],
)
async def test_only_what_is_asked_for(
    harness: ServerHarness, only: list[str] | None, kinds: list[str]
) -> None:
    await start(harness)
    harness.open(A, "x\nuser\n")
    assert [action["kind"] for action in await actions(harness, 0, 0, only=only)] == kinds


async def test_nothing_to_offer(harness: ServerHarness, pipeline: ScriptedPipeline) -> None:
    await start(harness)
    harness.open(A, "nothing\n")
    assert await actions(harness, 0, 0) == []
    assert await actions(harness, 0, 0, uri=B) == []


async def test_not_for_clients_that_know_only_commands(harness: ServerHarness) -> None:
    await start(harness, action=None)
    harness.open(A, "user\n")
    assert await actions(harness, 0, 0) == []


async def test_no_going_where_the_client_cannot_show_documents(harness: ServerHarness) -> None:
    await start(harness, window={})
    harness.open(A, "x\nuser\n")
    assert [action["kind"] for action in await actions(harness, 0, 0)] == [ACCEPT]


async def test_the_cursor_within_a_selection_is_the_one_known(
    harness: ServerHarness, pipeline: ScriptedPipeline
) -> None:
    await start(harness)
    harness.open(A, "user\nx\nuser\n")
    harness.change(A, 2, (1, 0, 1, 1, "y"))
    (accept,) = [a for a in await actions(harness, 0, 0, 2, 4) if a["kind"] == ACCEPT]
    assert accept["edit"]["documentChanges"][0]["edits"][0]["range"] == lsp_range(2, 0, 2, 4)
    assert await actions(harness, 0, 0, 0, 2)
    assert pipeline.calls[-1].cursor == 0, "outside of the selection it cannot be"
