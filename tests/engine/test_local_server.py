"""The language server with a model in its own process, which has one fixed answer."""

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

import small_model
from editahead_prompts.formats.next_edit.editahead_2611 import REGION_END
from server_harness import position_params
from server_process import REAL, plain, spawned

TEXT = "value = 1"
pytest.importorskip("torch", reason="tools/environment/get-vllm.sh installs what this takes")
ANSWERS = {number: f"value = {number}{REGION_END}" for number in (2, 3)}


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    known = {name: value for name, value in os.environ.items() if not name.startswith("EDITAHEAD_")}
    return known | {
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
        "XDG_STATE_HOME": str(tmp_path / "state"),
        "EDITAHEAD_BACKEND": "local",
    }


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return small_model.saying(tmp_path / "editahead-tiny", ANSWERS[2])


def command(environment: dict[str, str], *arguments: object) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "editahead_cli", *map(str, arguments)],
        env=environment,
        capture_output=True,
        check=False,
    )


class Editing:
    """A person who opens one file after the other, and asks in each what comes next."""

    def __init__(self, client: LanguageClient) -> None:
        self.client = client
        self._opened = 0

    async def start(self) -> None:
        capabilities = types.ClientCapabilities()
        await self.client.initialize_session(types.InitializeParams(capabilities=capabilities))

    async def next_edit(self) -> str:
        """Return the model's prediction for a new file, and repeat the request while the answer is late."""
        self._opened += 1
        uri = f"file:///tmp/project/{self._opened}.py"
        item = types.TextDocumentItem(uri=uri, language_id="python", version=1, text=TEXT)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        while True:
            params = position_params(uri, 1, 0, len(TEXT), trigger="manual")
            found = plain(await self.client.protocol.send_request_async("editahead/nextEdit", params))
            if found["predictions"]:
                (prediction,) = found["predictions"]
                assert prediction["source"] == "local"
                (edit,) = prediction["edits"]
                return str(edit["newText"])

    async def status(self) -> Any:
        told = await self.client.workspace_execute_command_async(
            types.ExecuteCommandParams("editahead.status")
        )
        return plain(told)


async def test_new_weights_are_taken_while_it_runs(
    folder: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    weights, delta = folder / "model.safetensors", tmp_path / "delta"
    other = small_model.saying(tmp_path / "other", ANSWERS[3])
    made = command(
        environment,
        *("train", "delta-make", f"base={weights}", f"target={other / 'model.safetensors'}", f"out={delta}"),
    )
    assert made.returncode == 0 and delta.stat().st_size < weights.stat().st_size / 100
    async with spawned(REAL, environment | {"EDITAHEAD_MODEL": str(folder)}) as client, asyncio.timeout(300):
        editing = Editing(client)
        await editing.start()
        assert await editing.next_edit() == "2"
        told = await editing.status()
        assert told["backend"] == {"name": "local editahead-tiny", "state": "ready", "detail": ""}
        assert told["speculation"]["draftTokens"] > 0
        request = asyncio.ensure_future(editing.next_edit())
        applied = await asyncio.to_thread(
            command,
            environment,
            *("train", "delta-apply", f"base={weights}", f"delta={delta}", f"out={weights}"),
        )
        assert applied.returncode == 0, applied.stderr
        said = [await request]
        while said[-1] == "2":
            said.append(await editing.next_edit())
        assert set(said) <= {"2", "3"} and await editing.next_edit() == "3"

        half = tmp_path / "half"
        half.write_bytes(weights.read_bytes()[: weights.stat().st_size // 2])
        half.replace(weights)
        while not (backend := (await editing.status())["backend"])["detail"]:
            assert await editing.next_edit() == "3"
        assert backend["state"] == "ready"
        assert backend["detail"].startswith(
            f"The weights before stay: The model in {folder} cannot be loaded: "
        )
        assert await editing.next_edit() == "3"


@pytest.mark.parametrize(
    ("model", "says"),
    [
        ("FOLDER", "local editahead-tiny serves 'editahead-tiny' with a context of 1280 tokens"),
        (None, "No model is installed"),
    ],
)
def test_the_doctor(model: str | None, says: str, folder: Path, environment: dict[str, str]) -> None:
    if model is not None:
        environment["EDITAHEAD_MODEL"] = str(folder)
    done = command(environment, "doctor", "--json")
    checks = {check["name"]: check for check in json.loads(done.stdout)["checks"]}
    assert checks["backend"]["good"] == (model is not None)
    assert says in checks["backend"]["detail"]
    assert model is None or checks["prompt format"]["detail"] == "editahead"
