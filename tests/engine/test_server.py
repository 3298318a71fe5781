"""The language server with a tiny random model on a real vLLM: requests and their counts; no answer is worth showing."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient

from real_vllm import KEY
from server_harness import position_params
from server_process import REAL, change_document, plain, spawned
from tiny_model import CONTEXT

A = "file:///tmp/a.py"
TEXT = "".join(f"def step_{n}(user):\n    return user.name\n\n\n" for n in range(12))


@pytest.fixture
def environment(tmp_path: Path, vllm_url: str) -> dict[str, str]:
    known = {name: value for name, value in os.environ.items() if not name.startswith("EDITAHEAD_")}
    return known | {
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
        "XDG_STATE_HOME": str(tmp_path / "state"),
        "EDITAHEAD_BACKEND": "openai",
        "EDITAHEAD_URL": vllm_url,
        "EDITAHEAD_API_KEY_ENV": "KEY_OF_TESTS",
        "EDITAHEAD_FORMAT": "editahead",
        "KEY_OF_TESTS": KEY,
    }


async def started(client: LanguageClient) -> None:
    capabilities = types.ClientCapabilities()
    await client.initialize_session(types.InitializeParams(capabilities=capabilities))
    item = types.TextDocumentItem(uri=A, language_id="python", version=1, text=TEXT)
    client.text_document_did_open(types.DidOpenTextDocumentParams(item))


def type_at(client: LanguageClient, version: int, line: int, column: int, text: str) -> None:
    at = types.Position(line, column)
    change_document(client, A, version, types.Range(at, at), text)


async def status(client: LanguageClient) -> Any:
    command = types.ExecuteCommandParams("editahead.status")
    return plain(await client.workspace_execute_command_async(command))


async def next_edit(client: LanguageClient, version: int, line: int, column: int) -> Any:
    params = position_params(A, version, line, column, trigger="manual")
    return await client.protocol.send_request_async("editahead/nextEdit", params)


async def test_the_model_is_asked_and_its_cache_is_used(environment: dict[str, str], vllm_url: str) -> None:
    async with spawned(REAL, environment) as client, asyncio.timeout(120):
        await started(client)
        while (known := await status(client))["backend"]["state"] != "ready":
            pass
        assert (known["backend"]["name"], known["model"]) == (f"vLLM {vllm_url}", "tiny")
        version = 1
        while not (known := await status(client))["cache"]["cachedTokens"]:
            version += 1
            type_at(client, version, 9, 4, "x")
            await next_edit(client, version, 9, 5)
        assert known["cache"]["promptTokens"] > known["cache"]["cachedTokens"]
        assert (known["backend"]["state"], known["backend"]["detail"]) == ("ready", "")


@pytest.mark.parametrize(
    ("model", "good", "says"),
    [("tiny", True, f"serves 'tiny' with a context of {CONTEXT} tokens"), ("large", False, "there is tiny.")],
)
def test_the_doctor(model: str, good: bool, says: str, environment: dict[str, str], tmp_path: Path) -> None:
    command = [sys.executable, "-m", "editahead_cli", "doctor", "--json"]
    known = environment | {"EDITAHEAD_MODEL": model}
    done = subprocess.run(command, env=known, cwd=tmp_path, capture_output=True, check=False)
    checks = {check["name"]: check for check in json.loads(done.stdout)["checks"]}
    assert checks["backend"]["good"] == good
    assert says in checks["backend"]["detail"]
    assert good or done.returncode == 1
