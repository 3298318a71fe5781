"""The session's state after changes and outcomes."""

from __future__ import annotations

from typing import Any

import pytest

from server_harness import ScriptedPipeline, ServerHarness, lsp_range

A, B = "file:///tmp/a.py", "file:///tmp/b.py"


async def predictions(
    harness: ServerHarness, line: int = 0, version: int | None = None
) -> list[dict[str, Any]]:
    result = await harness.next_edit(A, version, line, 0)
    found: list[dict[str, Any]] = result["predictions"]
    return found


async def outcomes(harness: ServerHarness) -> dict[str, int]:
    found: dict[str, int] = (await harness.command("status"))["outcomes"]
    return found


async def test_an_accept_in_one_change_and_its_command(
    client: ServerHarness, pipeline: ScriptedPipeline
) -> None:
    client.open(A, "user\nuser\n")
    first, _ = await predictions(client)
    client.change(A, 2, (0, 0, 0, 4, "account"))
    await client.command("accept", first["id"])
    assert await outcomes(client) == {"shown": 2, "accepted": 1, "rejected": 0}
    await predictions(client)
    state = pipeline.calls[-1]
    assert [past.origin for past in state.history] == ["accepted"]
    assert state.outcomes["user -> account"].accepted == 1


async def test_an_accept_whose_command_comes_first(client: ServerHarness, pipeline: ScriptedPipeline) -> None:
    client.open(A, "user\n")
    (first,) = await predictions(client)
    client.notify("workspace/executeCommand", {"command": "editahead.accept", "arguments": [first["id"]]})
    client.change(A, 2, (0, 0, 0, 4, "account"))
    await predictions(client)
    assert [past.origin for past in pipeline.calls[-1].history] == ["accepted"]
    assert (await outcomes(client))["accepted"] == 1


async def test_typed_as_predicted(client: ServerHarness, pipeline: ScriptedPipeline) -> None:
    client.open(A, "user\n")
    await predictions(client)
    client.change(A, 2, (0, 0, 0, 4, ""))
    for column, letter in enumerate("account"):
        client.change(A, 3 + column, (0, column, 0, column, letter))
    assert (await outcomes(client))["accepted"] == 1
    await predictions(client)
    assert [past.origin for past in pipeline.calls[-1].history] == ["typed"]


async def test_typed_otherwise_is_no_reject(client: ServerHarness, pipeline: ScriptedPipeline) -> None:
    client.open(A, "user\n")
    (first,) = await predictions(client)
    client.change(A, 2, (0, 0, 0, 4, "person"))
    client.change(A, 3, (0, 0, 0, 6, "user"))
    assert await outcomes(client) == {"shown": 1, "accepted": 0, "rejected": 0}
    (again,) = await predictions(client)
    assert again["id"] != first["id"]
    assert pipeline.calls[-1].rejected == {}


@pytest.mark.parametrize("way", ["command", "outcome"])
async def test_a_reject_is_remembered_and_moves_with_the_text(
    client: ServerHarness, pipeline: ScriptedPipeline, way: str
) -> None:
    client.open(A, "user\nuser\n")
    first, second = await predictions(client)
    if way == "command":
        await client.command("reject", first["id"])
    else:
        client.notify("editahead/outcome", {"id": first["id"], "event": "rejected", "shownMs": 12})
    client.change(A, 2, (0, 0, 0, 0, "# line\n"))
    (left,) = await predictions(client, version=2)
    assert left["edits"][0]["range"] == lsp_range(2, 0, 2, 4)
    assert left["id"] == second["id"]
    assert pipeline.calls[-1].rejected[A][0].replacements[0].start == 7
    assert pipeline.calls[-1].outcomes["user -> account"].rejected == 1
    await client.command("resetLearning")
    assert len(await predictions(client, version=2)) == 2


async def test_a_late_reject_counts(client: ServerHarness, pipeline: ScriptedPipeline) -> None:
    client.open(A, "user\nuser\n")
    first, _ = await predictions(client)
    pipeline.script = {}
    client.change(A, 2, (1, 4, 1, 4, "\n"))
    assert await predictions(client) == []  # so that the first was passed over, it seems
    await client.command("reject", first["id"])
    await client.command("accept", first["id"])
    assert (await outcomes(client))["rejected"] == 1
    await predictions(client)
    assert pipeline.calls[-1].rejected[A]


async def test_outcomes_do_not_count_without_learning(
    harness: ServerHarness, pipeline: ScriptedPipeline
) -> None:
    await harness.initialize({"learning": False})
    harness.open(A, "user\nuser\n")
    first, _ = await predictions(harness)
    await harness.command("reject", first["id"])
    await predictions(harness)
    assert pipeline.calls[-1].outcomes == {}


async def test_what_is_off_enters_nothing(harness: ServerHarness, pipeline: ScriptedPipeline) -> None:
    await harness.initialize({"languages": {"go": False}, "max_file_bytes": 40, "exclude": ["secret*"]})
    for uri, language, text in [
        ("file:///tmp/x.go", "go", "user\n"),
        ("file:///tmp/secret.py", "python", "user\n"),
        ("file:///tmp/.env", "python", "user\n"),
        ("file:///tmp/big.py", "python", "# é\n" * 9),
    ]:
        harness.open(uri, text, language=language)
        harness.change(uri, 2, (0, 0, 0, 0, "user"))
    harness.open(A, "none\n")
    assert await predictions(harness) == []
    assert pipeline.calls[-1].other_documents == ()
    assert pipeline.calls[-1].history == ()
    reasons = []
    for uri in ("file:///tmp/x.go", "file:///tmp/secret.py", "file:///tmp/.env", "file:///tmp/big.py"):
        result = await harness.next_edit(uri, 2, 0, 0)
        reasons.append(result["silence"]["reason"])
    assert reasons == ["language-off", "excluded", "excluded", "too-large"]


async def test_documents_are_in_order_of_recent_use(
    client: ServerHarness, pipeline: ScriptedPipeline
) -> None:
    for name in "bcd":
        client.open(f"untitled:{name}", "")
    client.notify("textDocument/didFocus", {"textDocument": {"uri": "untitled:b"}})
    client.open(A, "user\n")
    await predictions(client)
    assert [other.uri for other in pipeline.calls[-1].other_documents] == [
        "untitled:b",
        "untitled:d",
        "untitled:c",
    ]
    client.close_document("untitled:d")
    await predictions(client)
    assert [other.uri for other in pipeline.calls[-1].other_documents] == ["untitled:b", "untitled:c"]


async def test_why(client: ServerHarness) -> None:
    assert (await client.command("why"))["state"] is None
    client.open(A, "user\n")
    (first,) = await predictions(client)
    why = await client.command("why", A)
    assert why["state"] == {"version": 1, "position": {"line": 0, "character": 0}}
    assert why["shown"] == [first["id"]]
    assert why["silence"] is None
    assert why["candidates"] == [
        {"source": "propagation", "label": "user -> account", "confidence": 0.9, "verdict": "shown"}
    ]
    assert set(why["ms"]) == {"queue", "predict", "gate"}


async def test_status(client: ServerHarness) -> None:
    client.open(A, "user\n")
    await predictions(client)
    await predictions(client)
    status = await client.command("status")
    assert status["documents"] == 1
    assert status["backend"]["state"] == "ready"
    assert status["cache"] == {
        "hits": 1,
        "misses": 1,
        "promptTokens": 0,
        "cachedTokens": 0,
        "changed": [],
        "requests": 0,
        "computedPerAccept": None,
    }
    assert status["speculation"] == {"draftTokens": 0, "acceptedDraftTokens": 0}


async def test_one_key_goes_to_the_edit_and_then_makes_it(harness: ServerHarness) -> None:
    await harness.initialize(
        window={"showDocument": {"support": True}},
        workspace={"applyEdit": True, "workspaceEdit": {"documentChanges": True}},
    )
    harness.open(A, "x\nuser\n")
    id = harness.send("workspace/executeCommand", {"command": "editahead.nextEdit"})
    shown = await harness.serves("window/showDocument", {"success": True})
    assert shown == {"uri": A, "takeFocus": True, "selection": lsp_range(1, 0, 1, 0)}
    assert (await harness.reply(id))["result"] == {"did": "jumped", "reason": None}
    id = harness.send("workspace/executeCommand", {"command": "editahead.nextEdit"})
    applied = await harness.serves("workspace/applyEdit", {"applied": True})
    assert applied["edit"] == {
        "documentChanges": [
            {
                "textDocument": {"uri": A, "version": 1},
                "edits": [{"range": lsp_range(1, 0, 1, 4), "newText": "account"}],
            }
        ]
    }
    assert (await harness.reply(id))["result"]["did"] == "applied"
    harness.change(A, 2, (1, 0, 1, 4, "account"))
    nothing = await harness.command("nextEdit", {"uri": A, "position": {"line": 0, "character": 0}})
    assert nothing == {"did": "nothing", "reason": "no-candidate"}


async def test_an_edit_within_reach_is_made_at_once_and_the_cursor_goes_there(harness: ServerHarness) -> None:
    await harness.initialize(window={"showDocument": {"support": True}}, workspace={"applyEdit": True})
    harness.open(A, "x\n" * 5 + "user\n")
    far = {"command": "editahead.nextEdit", "arguments": [{"reach": 4}]}
    id = harness.send("workspace/executeCommand", far)
    await harness.serves("window/showDocument", {"success": False})
    assert (await harness.reply(id))["result"]["did"] == "nothing"
    near = {"command": "editahead.nextEdit", "arguments": [{"reach": 5}]}
    id = harness.send("workspace/executeCommand", near)
    await harness.serves("workspace/applyEdit", {"applied": True})
    shown = await harness.serves("window/showDocument", {"success": True})
    assert shown["selection"] == lsp_range(5, 7, 5, 7)
    assert (await harness.reply(id))["result"]["did"] == "applied"


async def test_the_key_of_a_client_that_sends_notifications(harness: ServerHarness) -> None:
    await harness.initialize(window={"showDocument": {"support": True}}, workspace={"applyEdit": True})
    harness.open(A, "x\nuser\n")
    told = {"command": "editahead.nextEdit", "arguments": [None]}
    harness.notify("workspace/executeCommand", told)
    assert (await harness.serves("window/showDocument", {"success": True}))["uri"] == A
    await harness.command("status")
    harness.notify("workspace/executeCommand", told)
    applied = await harness.serves("workspace/applyEdit", {"applied": True})
    assert applied["edit"] == {"changes": {A: [{"range": lsp_range(1, 0, 1, 4), "newText": "account"}]}}
    harness.change(A, 2, (1, 0, 1, 4, "account"))
    harness.notify("workspace/executeCommand", {"command": "editahead.why"})
    harness.notify("workspace/executeCommand", {"command": "editahead.status", "arguments": None})
    assert (await harness.command("status"))["outcomes"]["accepted"] == 1


async def test_the_next_edit_of_a_client_that_can_do_nothing(client: ServerHarness) -> None:
    assert await client.command("nextEdit") == {"did": "nothing", "reason": "unknown-document"}
    client.open(A, "user\n")
    result = await client.command("nextEdit", {"uri": A})
    assert result["did"] == "nothing"
    assert "editor" in result["reason"]


async def test_nothing_is_predicted_in_comments_where_they_are_off(harness: ServerHarness) -> None:
    await harness.initialize({"comments": False})
    uri = "file:///tmp/a.py"
    harness.open(uri, "user  # user\nuser\n")
    answer = await harness.next_edit(uri, None, 0, 9)
    assert (answer["predictions"], answer["silence"]["reason"]) == ([], "excluded")
    assert await harness.predictions(uri, None, 1, 0)
