"""The command line and the server on a Python that lacks what Windows lacks. Nothing here replaces a run on Windows."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from lsprotocol import types

from killed_processes import killed_on_failure
from server_harness import position_params
from server_process import change_document, spawned
from sketch_fixture import SKETCH, TEXT
from without_posix import PROGRAM_DATA

pytestmark = pytest.mark.slow


WITHOUT_POSIX = [sys.executable, str(Path(__file__).parents[1] / "support" / "without_posix.py")]
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    work = tmp_path / "work"
    work.mkdir()
    subprocess.run(["git", "init", "-q"], cwd=work, check=True)
    (work / "a.py").write_text(TEXT, "utf-8")
    return work


def run(folder: Path, environment: dict[str, str], *arguments: str, stdin: str = "") -> tuple[int, str, str]:
    command = [*WITHOUT_POSIX, *arguments]
    done = subprocess.run(
        command, cwd=folder, env=environment, input=stdin, capture_output=True, text=True, check=False
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("config", "eagerness = 0.5"),
        ("stats", "no outcomes yet"),
        ("record on", "`record` is now on"),
        ("models", "Apache-2.0"),
        ("index build", "1 files"),
        ("search first", "a.py"),
        ("finish", "Complete"),
        ("rules list", "no rules"),
        ("doctor", "started, answered and ended"),
        ("completions powershell", "Register-ArgumentCompleter"),
        ("apply a.py", "+    d = c * 3  # twice"),
    ],
)
def test_a_command(arguments: str, said: str, folder: Path, server_environment: dict[str, str]) -> None:
    code, out, err = run(folder, server_environment, *arguments.split(), stdin=SKETCH)
    assert (code, err.partition("error")[1]) == (0, "")
    assert said in out


@pytest.mark.parametrize("arguments", ["apply a.py --write", "finish --write", "engine"])
def test_a_refusal_that_names_the_system(
    arguments: str, folder: Path, server_environment: dict[str, str]
) -> None:
    code, _, err = run(folder, server_environment, *arguments.split(), stdin=SKETCH)
    assert code == 1
    assert "Windows" in err
    assert (folder / "a.py").read_text("utf-8") == TEXT


def test_the_policy_of_the_machine(folder: Path, server_environment: dict[str, str], tmp_path: Path) -> None:
    file = tmp_path / "data" / "editahead" / "policy.toml"
    file.parent.mkdir(parents=True)
    file.write_text('record = "off"\n', "utf-8")
    environment = {**server_environment, PROGRAM_DATA: str(tmp_path / "data"), "EDITAHEAD_RECORD": "on"}
    code, out, err = run(folder, environment, "config")
    assert (code, 'record = "off"' in out, 'record = "on"' in out) == (0, True, False), out + err
    file.write_text("unknown = 1\n", "utf-8")
    _, _, err = run(folder, environment, "config")
    assert f"{file}: the policy of this machine does not count" in err


def test_agents(folder: Path, server_environment: dict[str, str]) -> None:
    messages = [
        INITIALIZE,
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {
            "jsonrpc": "2.0",
            "id": 2,
            "method": "tools/call",
            "params": {
                "name": "apply_sketch",
                "arguments": {"sketch": SKETCH, "file": "a.py", "write": True},
            },
        },
    ]
    process = subprocess.Popen(
        [*WITHOUT_POSIX, "mcp"],
        cwd=folder,
        env=server_environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None and process.stdout is not None
    with killed_on_failure(process):
        process.stdin.write("".join(f"{json.dumps(message)}\n" for message in messages))
        process.stdin.flush()
        answers = iter(process.stdout.readline, "")
        answer = next(line for line in answers if '"id":2' in line.replace(" ", ""))
        process.stdin.close()
    assert "does not work on Windows" in answer
    assert (folder / "a.py").read_text("utf-8") == TEXT


async def test_a_session(folder: Path, server_environment: dict[str, str]) -> None:
    uri = (folder / "a.py").as_uri()
    async with spawned([*WITHOUT_POSIX, "lsp"], server_environment) as client:
        await client.initialize_session(
            types.InitializeParams(
                capabilities=types.ClientCapabilities(),
                workspace_folders=[types.WorkspaceFolder(folder.as_uri(), "work")],
                initialization_options={"editahead": {"debounce_ms": 0}},
            )
        )
        text = "def greet(user):\n    name = user.name\n    print(name, user.title)\n    return user\n"
        client.text_document_did_open(
            types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, "python", 1, text))
        )
        change_document(client, uri, 2, types.Range(types.Position(0, 10), types.Position(0, 14)), "account")
        answer = await client.protocol.send_request_async(
            "editahead/nextEdit", position_params(uri, 2, 0, 17, trigger="manual")
        )
    assert answer.predictions, answer.silence
    assert answer.predictions[0].edits[0].newText == "account"
