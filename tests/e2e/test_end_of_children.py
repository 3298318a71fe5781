"""What a server starts ends with a cancelled request, and with the server, however it ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from git_repository import git, make_repository
from held_pipe import HeldPipe
from killed_processes import killed_on_failure
from server_process import REAL

pytestmark = pytest.mark.slow


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a repository with a change that no time tells: git has to read the file, and before it the attributes."""
    root = make_repository(tmp_path / "work", {"a.py": "a = 1\n"})
    git(root, "config", "core.checkStat", "minimal")
    file = root / "a.py"
    committed = file.stat().st_mtime_ns
    file.write_text("b = 1\n")
    for path in (file, root / ".git" / "index"):
        os.utime(path, ns=(committed, committed))
    return root


@contextmanager
def server_with(environment: dict[str, str], *messages: dict[str, Any]) -> Iterator[subprocess.Popen[bytes]]:
    """Start a server that gets messages."""
    process = subprocess.Popen(
        REAL, env=environment, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    with killed_on_failure(process):
        send(process, *messages)
        yield process
        process.kill()


def send(process: subprocess.Popen[bytes], *messages: dict[str, Any]) -> None:
    assert process.stdin is not None
    for message in messages:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    process.stdin.flush()


def initialize(root: Path, **options: Any) -> list[dict[str, Any]]:
    params = {
        "processId": None,
        "rootUri": root.as_uri(),
        "capabilities": {},
        "initializationOptions": {"editahead": options},
    }
    return [{"id": 1, "method": "initialize", "params": params}, {"method": "initialized", "params": {}}]


FINISH = {"id": 2, "method": "workspace/executeCommand", "params": {"command": "editahead.finish"}}
ENDS = ["SIGKILL", "SIGTERM", "SIGABRT", "end of stdin", "cancel"]


def end(process: subprocess.Popen[bytes], how: str) -> None:
    assert process.stdin is not None
    if how == "end of stdin":
        process.stdin.close()
    elif how == "cancel":
        send(process, {"method": "$/cancelRequest", "params": {"id": 2}})
    else:
        process.send_signal(signal.Signals[how])


@pytest.mark.parametrize("how", ENDS)
@pytest.mark.parametrize("name", [".git/objects/info/alternates", ".git/info/attributes"])
def test_a_git_that_hangs(name: str, how: str, root: Path, server_environment: dict[str, str]) -> None:
    held = HeldPipe(root / name)
    with server_with(server_environment, *initialize(root, index="off"), FINISH) as server:
        held.wait_for_reader()
        end(server, how)
        held.wait_for_end()


@pytest.mark.parametrize("how", ENDS[:4])
def test_the_process_of_an_index(how: str, root: Path, server_environment: dict[str, str]) -> None:
    modules = root.parent / "modules"
    modules.mkdir()
    held = HeldPipe(root.parent / "held")
    (modules / "sitecustomize.py").write_text(
        f"import sys\nif sys.orig_argv[-1] == 'editahead_retrieval.process':\n    held = open({str(held.path)!r})\n"
    )
    environment = server_environment | {"PYTHONPATH": str(modules)}
    with server_with(environment, *initialize(root, index="on")) as server:
        held.wait_for_reader()
        end(server, how)
        held.wait_for_end()


@pytest.mark.parametrize("how", ["SIGKILL", "SIGTERM", "SIGINT", "SIGHUP"])
def test_a_command(how: str, root: Path, server_environment: dict[str, str]) -> None:
    if signal.getsignal(signal.Signals[how]) == signal.SIG_IGN:
        pytest.skip(f"{how} is ignored, as below nohup")
    held = HeldPipe(root / ".git" / "objects" / "info" / "alternates")
    command = [*REAL[:-1], "rules", "mine", "--path", str(root)]
    process = subprocess.Popen(command, env=server_environment, stderr=subprocess.DEVNULL)
    with killed_on_failure(process):
        held.wait_for_reader()
        process.send_signal(signal.Signals[how])
        held.wait_for_end()
