"""The real server with two models at once: one in its own process for next edits, one behind HTTP for sketches."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

import small_model
from fake_openai_server import CannedAnswer, FakeOpenAIServer
from server_harness import position_params
from server_process import REAL, plain, spawned
from sketch_fixture import AMBIGUOUS, REPLACED, TEXT, applied

pytestmark = pytest.mark.slow

TYPED = "\n"
"""A blank line at the end of the file."""
URI = "file:///tmp/project/a.py"


async def test_tab_and_apply_ask_models_of_their_own(tmp_path: Path) -> None:
    folder = small_model.make_onnx(tmp_path / "editahead-coder-tiny")
    known = {name: value for name, value in os.environ.items() if not name.startswith("EDITAHEAD_")}
    answer = CannedAnswer(f"<updated-code>{REPLACED}{TYPED}</updated-code>")
    with FakeOpenAIServer("FastApply-1.5B", lambda prompt: [answer]) as served:
        environment = known | {
            "XDG_CONFIG_HOME": str(tmp_path / "config"),
            "XDG_STATE_HOME": str(tmp_path / "state"),
            "EDITAHEAD_BACKEND": "local",
            "EDITAHEAD_MODEL": str(folder),
            "EDITAHEAD_APPLY_MODEL": json.dumps({"url": served.url}),
        }
        async with spawned(REAL, environment) as client, asyncio.timeout(60):
            await client.initialize_session(types.InitializeParams(capabilities=types.ClientCapabilities()))
            item = types.TextDocumentItem(uri=URI, language_id="python", version=1, text=TEXT)
            client.text_document_did_open(types.DidOpenTextDocumentParams(item))
            at = types.Position(TEXT.count("\n"), 0)
            change = types.TextDocumentContentChangePartial(range=types.Range(at, at), text=TYPED)
            document = types.VersionedTextDocumentIdentifier(2, URI)
            client.text_document_did_change(types.DidChangeTextDocumentParams(document, [change]))

            async def run(command: str, *arguments: Any) -> Any:
                params = types.ExecuteCommandParams(f"editahead.{command}", [*arguments])
                return plain(await client.workspace_execute_command_async(params))

            async def predicted() -> Any:
                params = position_params(URI, 2, at.line + 1, 0, trigger="manual")
                return plain(await client.protocol.send_request_async("editahead/nextEdit", params))

            sketch = {"uri": URI, "sketch": AMBIGUOUS, "dryRun": True}
            merged, _ = await asyncio.gather(run("apply", sketch), predicted())
            while not (status := await run("status"))["cache"]["requests"]:
                await predicted()
    assert applied(TEXT + TYPED, merged["hunks"]) == REPLACED + TYPED
    assert status["model"] == "editahead-coder-tiny"
    assert status["apply"]["model"] == "FastApply-1.5B"
    assert served.prompts and all("raise ValueError(b)" in prompt for prompt in served.prompts)
