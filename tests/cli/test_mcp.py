"""The MCP server over stdio, asked by the SDK's own client."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, cast

import anyio
import pytest

pytest.importorskip("mcp", reason="the environment was made before the extra mcp; `make test` makes it again")

from mcp import Client, StdioServerParameters
from mcp.server.mcpserver.exceptions import ToolError

from command_line import CommandLine
from editahead_cli.agent_tools import workspace_tools
from editahead_cli.agent_tools.mcp_server import DEADLINES_S, ToolServer
from editahead_cli.agent_tools.workspace_tools import WorkspaceTools
from editahead_inference.errors import Cancelled
from git_repository import git, make_repository, write
from killed_processes import killed_on_failure
from merge_with_readings import DETAIL, READINGS, SECOND, SKETCH, TEXT, merge_with_readings
from process_memory import peak_mb

pytestmark = pytest.mark.slow


SERVER = Path(__file__).parents[1] / "support" / "mcp_with_renames.py"
SECRET = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
FILES = {
    "models.py": "def total(user):\n    return user.sum\n",
    "bills.py": "from models import total\n\nprint(total(user))\n",
    "config.py": f'def find_retries():\n    token = "{SECRET}"\n    return token\n',
}
CHANGED = "def total(account):\n    return account.sum\n"
Open = Callable[..., AbstractAsyncContextManager[Client]]


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    return make_repository(tmp_path / "work", FILES)


@pytest.fixture
def connect(root: Path, tmp_path: Path) -> Open:
    @asynccontextmanager
    async def open_client(**environment: str) -> AsyncIterator[Client]:
        folders = {f"XDG_{name}_HOME": str(tmp_path / name) for name in ("CACHE", "STATE", "CONFIG")}
        path = os.pathsep.join([str(SERVER.parent), os.environ.get("PYTHONPATH", "")])
        server = StdioServerParameters(
            command=sys.executable,
            args=[str(SERVER), "--root", str(root)],
            env={
                "PATH": os.environ["PATH"],
                "HOME": str(tmp_path),
                "PYTHONPATH": path,
                **folders,
                **environment,
            },
        )
        async with Client(server) as client:
            yield client

    return open_client


async def call(client: Client, tool: str, **arguments: Any) -> Any:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    return result.structured_content


async def refusal(client: Client, tool: str, **arguments: Any) -> str:
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    return "".join(getattr(part, "text", "") for part in result.content)


async def test_the_tools(connect: Open) -> None:
    async with connect() as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert tools.keys() == {"finish_change", "search_code", "apply_sketch"}
        for name, tool in tools.items():
            assert tool.description and tool.annotations is not None
            assert tool.annotations.read_only_hint is (name != "apply_sketch")
            assert "ctx" not in tool.input_schema["properties"]


async def test_finish_change(root: Path, connect: Open) -> None:
    write(root, {"models.py": CHANGED, ".env": "KEY=1\n"})
    patch = git(root, "diff") + "\n"
    async with connect() as client:
        progress: list[tuple[float, str | None]] = []

        async def note(value: float, total: float | None, message: str | None) -> None:
            progress.append((value, message))

        result = await client.call_tool("finish_change", {}, progress_callback=note)
        output = result.structured_content
        assert output is not None
        assert not output["complete"] and [(p["path"], p["line"]) for p in output["places"]] == [
            ("bills.py", 3)
        ]
        assert output["source"] == "the working tree against HEAD"
        assert [file["path"] for file in output["leftOut"]] == [".env"]
        assert [value for value, _ in progress] == sorted({value for value, _ in progress})
        assert progress[0][1] == "reading the change" and (progress[-1][1] or "").startswith("searching")
        assert (await call(client, "finish_change", staged=True))["complete"]
        for arguments in ({"base": "HEAD"}, {"patch": patch}):
            assert len((await call(client, "finish_change", **arguments))["places"]) == 1


async def test_search_code(connect: Open) -> None:
    async with connect() as client:
        results = (await call(client, "search_code", query="find_retries"))["results"]
        assert (results[0]["path"], results[0]["startLine"]) == ("config.py", 1)
        assert results[0]["why"][0] == "defines find_retries"
        assert "return token" in results[0]["text"] and SECRET not in str(results)
        assert len((await call(client, "search_code", query="total user", limit=1))["results"]) == 1
        assert (await call(client, "search_code", query="unheard_of"))["results"] == []


async def test_apply_sketch(root: Path, connect: Open) -> None:
    sketch = "--- a/models.py\n+++ b/models.py\n@@ -1,2 +1,2 @@\n def total(user):\n-    return user.sum\n+    return 0\n"
    async with connect() as client:
        output = await call(client, "apply_sketch", sketch=sketch)
        assert output["written"] == [] and "-    return user.sum\n+    return 0\n" in output["diff"]
        assert (root / "models.py").read_text() == FILES["models.py"]
        assert (await call(client, "apply_sketch", sketch=sketch, write=True))["written"] == ["models.py"]
        assert (root / "models.py").read_text() == FILES["models.py"].replace("user.sum", "0")
        output = await call(
            client, "apply_sketch", sketch=sketch.replace("def total", "def other"), write=True
        )
        assert output["refusal"]["reason"] and output["written"] == []


def test_apply_sketch_with_a_choice(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workspace_tools, "load_merge", lambda: merge_with_readings(READINGS))
    write(root, {"a.py": TEXT})
    ask = partial(
        WorkspaceTools(root).apply_sketch, lambda: None, lambda *progress: None, sketch=SKETCH, file="a.py"
    )
    output = ask(write=True)
    assert output["refusal"]["detail"] == DETAIL and output["written"] == []
    assert [choice["number"] for choice in output["choices"]] == [1, 2]
    assert all(choice["diff"].startswith("--- a/a.py") for choice in output["choices"])
    assert ask(choose=3)["choices"] == output["choices"]
    assert (root / "a.py").read_text() == TEXT
    output = ask(choose=2, write=True)
    assert output["written"] == ["a.py"] and (root / "a.py").read_text() == SECOND


HOSTILE: list[tuple[str, dict[str, Any], str]] = [
    ("finish_change", {"staged": True, "base": "HEAD"}, "at most one"),
    ("finish_change", {"base": "--output=x"}, "neither a revision"),
    ("finish_change", {"base": ".."}, "no revision"),
    ("finish_change", {"base": "a\0b"}, "neither a revision"),
    ("finish_change", {"patch": "--- /etc/passwd\n+++ /etc/passwd\n@@ -1 +1 @@\n-a\n+b\n"}, "outside"),
    ("finish_change", {"patch": "rubbish"}, "the patch"),
    ("search_code", {"query": " "}, "empty"),
    ("search_code", {"query": "x" * 20_000}, "longer than"),
    ("search_code", {"query": "x", "limit": 0}, "limit"),
    ("search_code", {}, "query"),
    ("apply_sketch", {"sketch": ""}, "no sketch"),
    ("apply_sketch", {"sketch": "x" * 2_000_000}, "larger than"),
    ("apply_sketch", {"sketch": "x = 1\n", "file": "a\0b"}, "null character"),
    ("apply_sketch", {"sketch": 7}, "sketch"),
    ("no_tool", {}, "no_tool"),
]
OUTSIDE = ["../out.py", "/tmp/out.py", ".env", ".git/hooks/pre-commit", ".vscode/tasks.json"]


async def test_one_server_refuses_all_hostile_input(connect: Open) -> None:
    async with connect() as client:
        for tool, arguments, reason in HOSTILE:
            try:
                said = await refusal(client, tool, **arguments)
            except Exception as error:
                said = str(error)
            assert reason in said, (tool, arguments)
            assert (await client.list_tools()).tools


async def test_nothing_is_written_outside_or_where_programs_obey(root: Path, connect: Open) -> None:
    async with connect() as client:
        for name in OUTSIDE:
            sketch = f"*** Begin Patch\n*** Add File: {name}\n+x = 1\n*** End Patch\n"
            result = await client.call_tool("apply_sketch", {"sketch": sketch, "write": True})
            assert result.is_error or (result.structured_content or {})["refusal"] is not None, name
            assert not (root / name).exists()


@pytest.mark.parametrize("name", DEADLINES_S)
async def test_a_call_that_takes_too_long_ends_and_the_next_one_is_answered(
    name: str, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A clock that a check moves by a second: no call makes more checks than it has seconds."""
    checks = itertools.count()
    server = ToolServer(root, lambda: float(next(checks)))

    def hold(check: Callable[[], None], on_progress: object) -> dict[str, Any]:
        while True:
            check()

    hold.__name__ = name
    for _ in range(2):
        with pytest.raises(ToolError, match=f"longer than {DEADLINES_S[name]:.0f} s"):
            await server._run(cast(Any, None), partial(hold))
    assert next(checks) < 2 * DEADLINES_S[name] + 10

    def answer(check: Callable[[], None], on_progress: object) -> dict[str, Any]:
        check()
        return {"done": True}

    answer.__name__ = name
    assert await server._run(cast(Any, None), partial(answer)) == {"done": True}


def test_a_long_patch_is_read_in_checked_steps(root: Path) -> None:
    """Neither a patch with many hunks, files or lines, nor a sketch, is read for long without a look at the deadline."""
    hunk = "@@ -{0},1 +{0},1 @@\n-a\n+b\n"
    hunks = "--- a/x.py\n+++ b/x.py\n" + "".join(hunk.format(number) for number in range(3_000))
    files = "".join(f"--- a/{n}.py\n+++ b/{n}.py\n{hunk.format(1)}" for n in range(2_000))
    lines = "--- a/x.py\n+++ b/x.py\n@@ -1,9 +1,9 @@\n-a\n+b\n" + " c\n" * 9_000
    begun = "*** Begin Patch\n*** Update File: x.py\n" + "@@ def f\n" * 9_000 + "-a\n+b\n*** End Patch\n"
    blocks = "x.py\n" + "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n" * 2_000
    tools = WorkspaceTools(root)
    for text in (hunks, files, lines, begun, blocks):
        for tool in (partial(tools.finish_change, patch=text), partial(tools.apply_sketch, sketch=text)):
            calls = itertools.count()

            def check(calls: Iterator[int] = calls) -> None:
                if next(calls) > 1_000:
                    raise Cancelled

            with pytest.raises(Cancelled):
                tool(check, lambda what, done, total: None)


async def test_a_cancelled_request_ends_its_work(root: Path, connect: Open, tmp_path: Path) -> None:
    write(root, {"models.py": CHANGED})
    async with connect(WAIT=str(tmp_path / "ended")) as client:
        searching = anyio.Event()

        async def note(value: float, total: float | None, message: str | None) -> None:
            if message is not None and message.startswith("searching"):
                searching.set()

        async def ask() -> None:
            await client.call_tool("finish_change", {}, progress_callback=note)

        async with anyio.create_task_group() as group:
            group.start_soon(ask)
            with anyio.fail_after(60):
                await searching.wait()
            group.cancel_scope.cancel()
        with anyio.fail_after(60):  # one tool works at a time
            assert (await call(client, "search_code", query="total"))["results"]
        assert (tmp_path / "ended").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says in /proc how much memory a process had")
def test_a_message_of_60_megabytes_is_left_out_and_the_next_one_answered(root: Path) -> None:
    server = subprocess.Popen(
        [sys.executable, str(SERVER), "--root", str(root)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(SERVER.parent)},
    )
    with killed_on_failure(server):
        assert server.stdin and server.stdout and server.stderr
        server.stdin.write(initialize(1))
        server.stdin.flush()
        assert json.loads(server.stdout.readline())["id"] == 1
        before = peak_mb(server.pid)
        server.stdin.write(initialize(2, sketch="x" * 60_000_000) + initialize(3))
        server.stdin.flush()
        while json.loads(answer := server.stdout.readline()).get("id") != 3:
            assert b"xxx" not in answer
        assert peak_mb(server.pid) - before < 60
        server.stdin.close()
        assert server.wait() == 0


def initialize(number: int, **more: str) -> bytes:
    """Return a first message, which may come again."""
    client = {"name": "agent", "version": "1"}
    params = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client, **more}
    message = {"jsonrpc": "2.0", "id": number, "method": "initialize", "params": params}
    return json.dumps(message).encode() + b"\n"


def test_wrong_folders(tmp_path: Path, editahead: CommandLine) -> None:
    assert "is no folder" in editahead.error("mcp", "--root", tmp_path / "missing")


def test_without_the_sdk(monkeypatch: pytest.MonkeyPatch, editahead: CommandLine) -> None:
    monkeypatch.setattr("editahead_cli.commands.mcp.find_spec", lambda name: None)
    assert "pip install 'editahead[mcp]'" in editahead.error("mcp")
