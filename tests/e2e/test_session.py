"""Whole sessions with the real server process."""

from __future__ import annotations

from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pytest_lsp import LanguageClient

from server_harness import lsp_range, position_params
from server_process import change_document, plain

A = "file:///tmp/a.py"


async def start(client: LanguageClient, text: str, options: Any = None) -> types.InitializeResult:
    result = await client.initialize_session(
        types.InitializeParams(
            capabilities=types.ClientCapabilities(
                general=types.GeneralClientCapabilities(position_encodings=["utf-8", "utf-16"])
            ),
            initialization_options={"editahead": options or {}},
        )
    )
    item = types.TextDocumentItem(uri=A, language_id="python", version=1, text=text)
    client.text_document_did_open(types.DidOpenTextDocumentParams(item))
    return result


def change(client: LanguageClient, version: int, *at: int, text: str) -> None:
    change_document(client, A, version, types.Range(types.Position(*at[:2]), types.Position(*at[2:])), text)


async def request(client: LanguageClient, method: str, params: Any) -> Any:
    """Return the result as JSON values."""
    return plain(await client.protocol.send_request_async(method, params))


async def test_a_session_with_all_surfaces(client: LanguageClient) -> None:
    result = await start(client, "user\nx\n")
    assert result.capabilities.position_encoding == "utf-8"
    change(client, 2, 1, 0, 1, 1, text="user")
    ghost = await client.text_document_inline_completion_async(
        types.InlineCompletionParams(
            context=types.InlineCompletionContext(types.InlineCompletionTriggerKind.Automatic),
            text_document=types.TextDocumentIdentifier(A),
            position=types.Position(1, 0),
        )
    )
    assert isinstance(ghost, types.InlineCompletionList)
    assert not ghost.items, "it would take the old name away"
    (edit,) = (
        await request(client, "textDocument/copilotInlineEdit", position_params(A, 2, 1, 0, triggerKind=2))
    )["edits"]
    assert edit["range"] == lsp_range(1, 0, 1, 4)
    predictions = (await request(client, "editahead/nextEdit", position_params(A, 2, 1, 0, trigger="typed")))[
        "predictions"
    ]
    assert [p["edits"][0]["range"] for p in predictions] == [lsp_range(1, 0, 1, 4), lsp_range(0, 0, 0, 4)]
    assert predictions[0]["id"] == edit["command"]["arguments"][0]
    change(client, 3, 1, 0, 1, 4, text="account")
    await client.workspace_execute_command_async(
        types.ExecuteCommandParams("editahead.accept", [predictions[0]["id"]])
    )
    status = plain(
        await client.workspace_execute_command_async(types.ExecuteCommandParams("editahead.status"))
    )
    assert status["outcomes"] == {"shown": 2, "accepted": 1, "rejected": 0}


async def test_errors_do_not_end_it(client: LanguageClient) -> None:
    await start(client, "BOOM user\n")
    with pytest.raises(JsonRpcException):
        await request(client, "editahead/nextEdit", {})
    result = await request(client, "editahead/nextEdit", position_params(A, 1, 0, 0))
    assert result["silence"]["reason"] == "engine-unavailable"
    change(client, 2, 0, 0, 0, 4, text="")
    assert (await request(client, "editahead/nextEdit", position_params(A, 2, 0, 0)))["predictions"]


async def test_a_rename_is_predicted_for_real(real: LanguageClient) -> None:
    lines = ["def greet(user):", "    name = user.name", "    print(name, user.title)", "    return user", ""]
    await start(real, "\n".join(lines), {"eagerness": 1.0})
    for k in range(4):  # a person deletes the name and types another
        change(real, 2 + k, 0, 13 - k, 0, 14 - k, text="")
    for k, letter in enumerate("account"):
        change(real, 6 + k, 0, 10 + k, 0, 10 + k, text=letter)
    result = await request(real, "editahead/nextEdit", position_params(A, 12, 0, 17, trigger="manual"))
    assert result["predictions"], result["silence"]
    best = result["predictions"][0]
    assert best["edits"][0]["newText"].endswith("account"[-3:])
    assert best["textDocument"] == {"uri": A, "version": 12}
