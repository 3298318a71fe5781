"""`editahead engine` as a process, and a user whose language server uses the engine."""

from __future__ import annotations

import asyncio
import signal
import subprocess
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from lsprotocol import types
from pytest_lsp import LanguageClient

from server_harness import position_params
from server_process import ENGINE, change_document, plain

A = "file:///tmp/a.py"
TEXT = "".join(f"def step_{n}(user):\n    return user.name\n\n\n" for n in range(12))


class Engine:
    """The running command.

    Attributes:
        said: The output so far, by line.
        log: Called with each line of output.
    """

    def __init__(self, process: asyncio.subprocess.Process, log: Callable[[str], None]) -> None:
        self.process = process
        self.said: list[str] = []
        self._log = log

    async def hears(self, text: str) -> None:
        """Wait until the command prints a text, from now on."""
        assert self.process.stderr is not None
        line = b""
        while text not in line.decode():
            line = await self.process.stderr.readline()
            assert line, self.said
            self.said.append(line.decode())
            self._log(self.said[-1].rstrip())

    def server(self) -> int:
        """Return the process of the only server, which leads a process group."""
        (pid,) = self.replicas().values()
        return pid

    def replicas(self) -> dict[int, int]:
        """Return the processes of the replicas by the ports of their servers."""
        found = {}
        for child in Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split():
            try:
                words = Path(f"/proc/{child}/cmdline").read_bytes().decode().split("\0")
            except OSError:
                continue  # the process has just ended
            if "--port" in words:
                found[int(words[words.index("--port") + 1])] = int(child)
        return found

    async def ends(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        await self.hears("The engine has stopped.")
        assert await self.process.wait() == 0


@asynccontextmanager
async def engine(
    folder: Path, environment: dict[str, str], *options: str, log: Callable[[str], None] = lambda line: None
) -> AsyncIterator[Engine]:
    command = [*ENGINE, str(folder), *options]
    process = await asyncio.create_subprocess_exec(
        *command, env=environment, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    try:
        yield Engine(process, log)
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGTERM)
            await process.communicate()


def group(leader: int) -> list[int]:
    """Return the living processes of a group."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, of = stat.read_text().rpartition(")")[2].split()[:3]
        except OSError:
            continue
        if int(of) == leader and state not in "ZX":
            found.append(int(stat.parent.name))
    return found


class Person:
    """A user who writes a new name each time, and requests the next edit."""

    def __init__(self, client: LanguageClient, uri: str = A) -> None:
        self.client, self.uri, self.version, self.name = client, uri, 1, ""

    async def start(self) -> None:
        capabilities = types.ClientCapabilities()
        await self.client.initialize_session(types.InitializeParams(capabilities=capabilities))
        self.open()

    def open(self) -> None:
        item = types.TextDocumentItem(uri=self.uri, language_id="python", version=1, text=TEXT)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    async def status(self) -> Any:
        command = types.ExecuteCommandParams("editahead.status")
        return plain(await self.client.workspace_execute_command_async(command))

    async def next_edit(self) -> None:
        """Request the next edit, and check that there is an answer or a reason for silence."""
        self.version += 1
        where = types.Range(types.Position(9, 4), types.Position(9, 4 + len(self.name)))
        self.name = f"x{self.version}"
        change_document(self.client, self.uri, self.version, where, self.name)
        params = position_params(self.uri, self.version, 9, 4 + len(self.name), trigger="manual")
        found = plain(await self.client.protocol.send_request_async("editahead/nextEdit", params))
        assert found["predictions"] or found["silence"]

    async def until_asked(self) -> Any:
        """Wait until the model received a new request, and return the status."""
        before = (await self.status())["cache"]["promptTokens"]
        while (known := await self.status())["cache"]["promptTokens"] == before:
            await self.next_edit()
        return known

    async def until_alone(self) -> Any:
        """Wait until the rules answer alone, and return the status, which has a reason."""
        while (known := (await self.status())["backend"])["state"] == "ready":
            await self.next_edit()
        assert known["detail"]
        return known
