"""`editahead engine` with a real vLLM, and a language server that uses it: started, killed, started again, ended."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient

from editahead_lsp.engine.plan import DRAFTS
from running import ENGINE, REAL, plain, spawned
from scripted import ask
from tiny_model import CONTEXT

A = "file:///tmp/a.py"
TEXT = "".join(f"def step_{n}(user):\n    return user.name\n\n\n" for n in range(12))
LONGEST_S = 600
pytest.importorskip("vllm", reason="`make engine-test` installs what this takes")


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    known = {
        name: value for name, value in os.environ.items() if not name.startswith(("EDITAHEAD_", "VLLM_"))
    }
    return known | {
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
        "XDG_STATE_HOME": str(tmp_path / "state"),
        "EDITAHEAD_BACKEND": "engine",
        "EDITAHEAD_FORMAT": "editahead",
        "HF_HUB_OFFLINE": "1",
        "VLLM_CPU_KVCACHE_SPACE": "1",
    }


class Engine:
    """The command, as a process. said: what it told so far."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.said: list[str] = []

    async def hears(self, text: str) -> None:
        assert self.process.stderr is not None
        line = b""
        while text not in line.decode():
            line = await self.process.stderr.readline()
            assert line, self.said
            self.said.append(line.decode())

    def vllm(self) -> int:
        """Its process, which leads a group."""
        (child,) = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        return int(child)


@asynccontextmanager
async def running(folder: Path, environment: dict[str, str]) -> AsyncIterator[Engine]:
    command = [*ENGINE, str(folder)]
    process = await asyncio.create_subprocess_exec(*command, env=environment, stderr=subprocess.PIPE)
    try:
        yield Engine(process)
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGTERM)
            await process.communicate()


def group(leader: int) -> list[int]:
    """The processes that are of a group and not dead."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, of = stat.read_text().rpartition(")")[2].split()[:3]
        except OSError:
            continue
        if int(of) == leader and state not in "ZX":
            found.append(int(stat.parent.name))
    return found


async def status(client: LanguageClient) -> Any:
    command = types.ExecuteCommandParams("editahead.status")
    return plain(await client.workspace_execute_command_async(command))


class Typing:
    """A person who writes another name each time, and asks what comes next."""

    def __init__(self, client: LanguageClient) -> None:
        self.client, self.version, self.name = client, 1, ""

    async def start(self) -> None:
        capabilities = types.ClientCapabilities()
        await self.client.initialize_session(types.InitializeParams(capabilities=capabilities))
        item = types.TextDocumentItem(uri=A, language_id="python", version=1, text=TEXT)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    async def next_edit(self) -> Any:
        self.version += 1
        where = types.Range(types.Position(9, 4), types.Position(9, 4 + len(self.name)))
        self.name = f"x{self.version}"
        change = types.TextDocumentContentChangePartial(range=where, text=self.name)
        document = types.VersionedTextDocumentIdentifier(uri=A, version=self.version)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, [change]))
        params = ask(A, self.version, 9, 4 + len(self.name), trigger="manual")
        return plain(await self.client.protocol.send_request_async("editahead/nextEdit", params))

    async def until_asked(self) -> Any:
        """Until the model was asked about something new; the status then."""
        before = (await status(self.client))["cache"]["promptTokens"]
        while (known := await status(self.client))["cache"]["promptTokens"] == before:
            await self.next_edit()
        return known


async def test_a_language_server_and_the_engine(model_folder: Path, environment: dict[str, str]) -> None:
    async with (
        running(model_folder, environment) as engine,
        spawned(REAL, environment) as client,
        asyncio.timeout(LONGEST_S),
    ):
        typing = Typing(client)
        await typing.start()
        assert (await status(client))["backend"]["state"] in ("starting", "gone")
        await engine.hears("Ready after")
        assert "Drafts come from the file and the sketch" in engine.said[0]
        known = await typing.until_asked()
        assert known["backend"]["name"].startswith("engine http://127.0.0.1:") and known["model"] == "tiny"

        first = engine.vllm()
        os.kill(first, signal.SIGKILL)
        again = asyncio.ensure_future(engine.hears("Ready after"))
        await engine_is_away(client, typing)
        answers = 0
        while not again.done():
            found = await typing.next_edit()
            assert found["predictions"] or found["silence"]
            answers += 1
        await again
        assert answers > 0 and any("has ended: SIGKILL" in said for said in engine.said)
        assert group(first) == []
        second = engine.vllm()
        known = await typing.until_asked()
        assert (known["backend"]["state"], known["backend"]["detail"]) == ("ready", "")

        command = [sys.executable, "-m", "editahead_lsp", "doctor", "--json"]
        done = await asyncio.to_thread(
            subprocess.run, command, env=environment, capture_output=True, check=False
        )
        checks = {check["name"]: check for check in json.loads(done.stdout)["checks"]}
        assert checks["backend"]["good"], checks
        assert f"serves 'tiny' with a context of {CONTEXT - DRAFTS} tokens" in checks["backend"]["detail"]

        assert len(group(second)) > 1, "the engine's core is a process of its own"
        engine.process.send_signal(signal.SIGTERM)
        await engine.hears("Ended.")
        assert await engine.process.wait() == 0
        assert group(second) == []
        await engine_is_away(client, typing)


async def engine_is_away(client: LanguageClient, typing: Typing) -> None:
    """The rules answer, and the status says why they do so alone."""
    while (known := (await status(client))["backend"])["state"] == "ready":
        found = await typing.next_edit()
        assert found["predictions"] or found["silence"]
    assert known["detail"]
