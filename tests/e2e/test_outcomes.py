"""Outcomes across real server processes, in sequence and in parallel: every process knows the user's decisions."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient

from editahead_workspace.outcome_log import FILE_NAME, Outcome, OutcomeLog, read_outcomes, read_typing
from server_harness import position_params
from server_process import REAL, SCRIPT, SCRIPTED, change_document, spawned

pytestmark = pytest.mark.slow


A = "file:///tmp/a.py"
ROUNDS = 8
TEXT = "user = 1\nprint(user)\nsave(user)\n"


@pytest.fixture
def file(server_environment: dict[str, str]) -> Path:
    return Path(server_environment["XDG_STATE_HOME"]) / "editahead" / FILE_NAME


async def start(client: LanguageClient, text: str, options: dict[str, Any] | None = None) -> None:
    settings = {"editahead": {"debounce_ms": 0, **(options or {})}}
    await client.initialize_session(
        types.InitializeParams(capabilities=types.ClientCapabilities(), initialization_options=settings)
    )
    item = types.TextDocumentItem(uri=A, language_id="python", version=1, text=text)
    client.text_document_did_open(types.DidOpenTextDocumentParams(item))


def change(client: LanguageClient, version: int, *at: int, text: str) -> None:
    change_document(client, A, version, types.Range(types.Position(*at[:2]), types.Position(*at[2:])), text)


async def predict(client: LanguageClient, line: int = 0) -> Any:
    answer = await client.protocol.send_request_async(
        "editahead/nextEdit", position_params(A, None, line, 0, trigger="manual")
    )
    return answer.predictions


async def run(client: LanguageClient, command: str, *arguments: Any) -> None:
    await client.workspace_execute_command_async(
        types.ExecuteCommandParams(f"editahead.{command}", [*arguments])
    )


def rejected(number: int) -> Outcome:
    return Outcome(
        run="earlier", number=number, at=1_700_000_000.0 + number, language="python", source="propagation",
        kind="rename", confidence=0.6, shipped=0.6, recent=0.0, size=10, distance=1, latency_ms=5.0,
        shown_ms=2000.0, seen=True, event="rejected",
    )  # fmt: skip  # a table


async def test_what_happened_is_there_after_the_end(server_environment: dict[str, str], file: Path) -> None:
    async with spawned([*SCRIPTED, SCRIPT], server_environment) as client:
        await start(client, "user\nuser\n")
        first, second = await predict(client)
        change(client, 2, 0, 0, 0, 4, text="account")
        await run(client, "accept", first.id)
        await run(client, "reject", second.id)
        change(client, 3, 1, 4, 1, 4, text="s")
    assert sorted(row.event for row in read_outcomes(file)) == ["accepted", "rejected"]
    assert [(row.language, row.typed, row.made) for row in read_typing(file)] == [("python", 1, 7)]
    command = [sys.executable, "-m", "editahead_cli", "stats", "--json"]
    process = await asyncio.create_subprocess_exec(
        *command, env=server_environment, stdout=asyncio.subprocess.PIPE
    )
    said, _ = await process.communicate()
    total = json.loads(said)["total"]
    assert (total["shown"], total["accepted"], total["rejected"]) == (2, 1, 1)


async def test_two_servers_at_once_write_into_one_log(server_environment: dict[str, str], file: Path) -> None:
    async def person(number: int) -> None:
        async with spawned([*SCRIPTED, SCRIPT], server_environment) as client:
            await start(client, "user\n" * 8)
            for _ in range(6):
                (first, *_) = await predict(client)
                await run(client, "reject", first.id)

    await asyncio.gather(person(1), person(2))
    rows = [row for row in read_outcomes(file) if row.event == "rejected"]
    assert len(rows) == 12
    assert len({row.run for row in rows}) == 2


async def test_a_server_knows_what_the_one_before_learned(
    server_environment: dict[str, str], file: Path
) -> None:
    """The real gate lowers the confidence of a rename after 400 rejections of such renames."""

    async def confidences(client: LanguageClient) -> list[float]:
        """Return the confidence of the best candidate each time the rename starts again.

        The log is read in the background, which takes less time than all these rounds.
        """
        found = []
        for version in range(2, 2 * ROUNDS + 2, 2):
            change(client, version, 0, 0, 0, 4, text="account")
            await predict(client, line=1)
            why = await client.workspace_execute_command_async(
                types.ExecuteCommandParams("editahead.why", [A])
            )
            found.append(max(candidate["confidence"] for candidate in why["candidates"]))
            change(client, version + 1, 0, 0, 0, 7, text="user")
        return found

    async with spawned(REAL, server_environment) as client:
        await start(client, TEXT, {"telemetry": "off"})
        shipped = await confidences(client)
    log = OutcomeLog(file, lambda: 0.0)
    for number in range(400):
        log.write(rejected(number))
    log.stop()
    async with spawned(REAL, server_environment) as client:
        await start(client, TEXT)
        learned = await confidences(client)
        assert learned[-1] < shipped[-1] - 0.02
        await run(client, "resetLearning")
    async with spawned(REAL, server_environment) as client:
        await start(client, TEXT)
        assert await confidences(client) == shipped
    assert {row.shipped for row in read_outcomes(file) if row.run == "earlier"} == {None}
