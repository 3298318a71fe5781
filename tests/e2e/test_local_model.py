"""The real server with a tiny random model in its own process, on ONNX Runtime."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

import small_model
from server_harness import position_params
from server_process import REAL, plain, spawned

pytestmark = pytest.mark.slow


TEXT = "def total(items):\n    price = \n    return price\n"
TYPED = "su"


async def test_the_model_is_asked_and_its_nonsense_is_not_shown(tmp_path: Path) -> None:
    folder = small_model.make_onnx(tmp_path / "editahead-coder-tiny")
    known = {name: value for name, value in os.environ.items() if not name.startswith("EDITAHEAD_")}
    environment = known | {
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
        "XDG_STATE_HOME": str(tmp_path / "state"),
        "EDITAHEAD_BACKEND": "local",
        "EDITAHEAD_MODEL": str(folder),
    }
    async with spawned(REAL, environment) as client, asyncio.timeout(60):
        await client.initialize_session(types.InitializeParams(capabilities=types.ClientCapabilities()))
        uri = "file:///tmp/project/cart.py"
        item = types.TextDocumentItem(uri=uri, language_id="python", version=1, text=TEXT)
        client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        cursor = types.Position(1, len("    price = "))
        change = types.TextDocumentContentChangePartial(range=types.Range(cursor, cursor), text=TYPED)
        document = types.VersionedTextDocumentIdentifier(2, uri)
        client.text_document_did_change(types.DidChangeTextDocumentParams(document, [change]))

        async def status() -> Any:
            params = types.ExecuteCommandParams("editahead.status")
            return plain(await client.workspace_execute_command_async(params))

        while not (told := await status())["cache"]["requests"]:
            params = position_params(uri, 2, 1, cursor.character + len(TYPED), trigger="manual")
            found = plain(await client.protocol.send_request_async("editahead/nextEdit", params))
            assert found["predictions"] == []
        assert told["backend"] == {"name": "local editahead-coder-tiny", "state": "ready", "detail": ""}
        assert told["cache"]["promptTokens"] > 0
