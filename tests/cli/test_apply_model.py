"""`editahead apply --model` as a process, with a model server over HTTP."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest
import pytest_asyncio

from fake_model_server import Exchange, ModelServer
from schemas import validate
from sketch_fixture import AMBIGUOUS, REPLACED, SKETCH, TEXT, WANTED

pytestmark = pytest.mark.slow


class Chat:
    """A handler that answers with lines and a finish reason. While `go` is not set, the answer is held back."""

    def __init__(self, lines: Sequence[str], reason: str = "stop") -> None:
        self.lines, self.reason = lines, reason
        self.begun, self.go, self.hung_up = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self.go.set()

    async def __call__(self, exchange: Exchange) -> None:
        await exchange.start()
        for line in self.lines:
            await exchange.event(
                {"choices": [{"index": 0, "delta": {"content": line}, "finish_reason": None}]}
            )
        self.begun.set()
        going, hung_up = (asyncio.ensure_future(event.wait()) for event in (self.go, exchange.hung_up))
        await asyncio.wait((going, hung_up), return_when=asyncio.FIRST_COMPLETED)
        if exchange.hung_up.is_set():
            self.hung_up.set()
        await exchange.event({"choices": [{"index": 0, "delta": {}, "finish_reason": self.reason}]})
        await exchange.event({"choices": [], "usage": {"prompt_tokens": 300, "completion_tokens": 90}})
        await exchange.end()


def whole(text: str) -> list[str]:
    return ["<updated-code>", *text.splitlines(keepends=True), "</updated-code>"]


@pytest_asyncio.fixture
async def server() -> AsyncIterator[ModelServer]:
    async with ModelServer() as server:
        yield server


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.py").write_text(TEXT)
    (tmp_path / "clear.md").write_text(SKETCH)
    (tmp_path / "unclear.md").write_text(AMBIGUOUS)
    return tmp_path


async def begun(server: ModelServer, folder: Path, *arguments: str) -> asyncio.subprocess.Process:
    known = {name: value for name, value in os.environ.items() if not name.startswith("EDITAHEAD_")}
    told = {"BACKEND": "openai", "URL": server.url, "FORMAT": "fastapply"}
    known |= {f"EDITAHEAD_{name}": value for name, value in told.items()}
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "editahead_cli", "apply", "a.py", *arguments),
        cwd=folder,
        env=known | {"XDG_CONFIG_HOME": str(folder / "config"), "XDG_STATE_HOME": str(folder / "state")},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=PIPE,
        stderr=PIPE,
    )


async def applied(server: ModelServer, folder: Path, *arguments: str) -> tuple[int | None, str, str]:
    process = await begun(server, folder, *arguments)
    out, errors = await process.communicate()
    return process.returncode, out.decode(), errors.decode()


UNCLEAR = ("--sketch", "unclear.md", "--model")


async def test_the_diff_and_how_long_it_took(server: ModelServer, folder: Path) -> None:
    server.answers["/v1/chat/completions"] = Chat(whole(REPLACED))
    code, out, errors = await applied(server, folder, *UNCLEAR)
    assert code == 0, errors
    assert "+    if c > 7:\n" in out and "A model wrote this" in out
    assert errors.startswith("editahead: the model was used: 90 tokens, ")
    (body,) = server.sent("/v1/chat/completions")
    assert body["messages"][1]["content"].count(TEXT) == 1 and body["stop"] == ["</updated-code>"]


async def test_json(server: ModelServer, folder: Path) -> None:
    server.answers["/v1/chat/completions"] = Chat(whole(REPLACED))
    told = json.loads((await applied(server, folder, *UNCLEAR, "--json"))[1])
    validate("output.apply", "output", told)
    assert (told["method"], told["stats"]["modelTokens"]) == ("model", 90)
    assert 0 < told["stats"]["firstHunkMs"] <= told["stats"]["ms"]
    assert {hunk["origin"] for hunk in told["hunks"]} == {"model"}


async def test_it_is_written_only_with_a_yes(server: ModelServer, folder: Path) -> None:
    server.answers["/v1/chat/completions"] = Chat(whole(REPLACED))
    code, out, errors = await applied(server, folder, *UNCLEAR, "--write")
    assert (code, (folder / "a.py").read_text()) == (1, TEXT)
    assert "+    if c > 7:\n" in out and "--yes" in errors
    assert (await applied(server, folder, *UNCLEAR, "--write", "--yes"))[0] == 0
    assert (folder / "a.py").read_text() == REPLACED
    assert (await applied(server, folder, *UNCLEAR, "--yes"))[0] == 2


@pytest.mark.parametrize(
    ("lines", "reason", "why"),
    [
        (whole(REPLACED)[:-1], "length", "cut off"),
        (whole(TEXT.replace("abs", "int")), "stop", "was rejected"),
        (["I cannot."], "stop", "not the form"),
    ],
)
async def test_the_refusal_says_why_the_model_was_of_no_use(
    server: ModelServer, folder: Path, lines: list[str], reason: str, why: str
) -> None:
    server.answers["/v1/chat/completions"] = Chat(lines, reason)
    code, out, errors = await applied(server, folder, *UNCLEAR, "--write", "--yes", "--json")
    assert code == 1 and "refused: " in errors and why in errors
    told = json.loads(out)
    validate("output.apply", "output", told)
    assert why in told["refusal"]["model"] and told["edit"] is None
    assert (folder / "a.py").read_text() == TEXT


async def test_what_is_clear_is_not_asked_about(server: ModelServer, folder: Path) -> None:
    assert (await applied(server, folder, "--sketch", "clear.md", "--model", "--write"))[0] == 0
    assert (folder / "a.py").read_text() == WANTED
    assert not server.requests
    (folder / "a.py").write_text(TEXT)
    assert (await applied(server, folder, *UNCLEAR[:2]))[0] == 1
    assert not server.requests, "nor anything without --model"


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal")
async def test_who_gives_up_ends_the_request(server: ModelServer, folder: Path) -> None:
    chat = server.answers["/v1/chat/completions"] = Chat(whole(REPLACED)[:8])
    chat.go.clear()
    process = await begun(server, folder, *UNCLEAR)
    await chat.begun.wait()
    process.send_signal(signal.SIGINT)
    await process.communicate()
    assert process.returncode != 0
    await asyncio.wait_for(chat.hung_up.wait(), 60)
    assert (folder / "a.py").read_text() == TEXT


async def test_without_a_model_it_says_so(server: ModelServer, folder: Path) -> None:
    (folder / "editahead.toml").write_text("")
    known = os.environ | {"EDITAHEAD_BACKEND": "embedded", "XDG_CONFIG_HOME": str(folder / "config")}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "editahead_cli", "apply", "a.py", *UNCLEAR),
        cwd=folder,
        env=known,
        stdout=PIPE,
        stderr=PIPE,
    )
    _, errors = await process.communicate()
    assert process.returncode == 1 and b"--model" in errors
