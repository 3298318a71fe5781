"""A real server process and pytest-lsp's client for it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from threading import Thread

import pytest
import pytest_asyncio
from pytest_lsp import LanguageClient

from killed_processes import killed_on_failure
from server_process import LISTENING, REAL, SCRIPT, SCRIPTED, TOKEN, connected, listening, spawned


@pytest.fixture
def server_environment(tmp_path: Path) -> dict[str, str]:
    return environment_with_folders(tmp_path)


def environment_with_folders(folder: Path) -> dict[str, str]:
    """Return the environment of a server, with folders of its own: the machine's settings have no effect."""
    known = {k: v for k, v in os.environ.items() if not k.startswith("EDITAHEAD_")}
    return {**known, "XDG_CONFIG_HOME": str(folder / "config"), "XDG_STATE_HOME": str(folder / "state")}


@pytest.fixture(params=["stdio", "tcp"])
def transport(request: pytest.FixtureRequest) -> str:
    """Run each test over both transports."""
    return str(request.param)


@pytest.fixture(scope="session")
def scripted_port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """Start one server that predicts `user` -> `account` for the clients of all tests, and yield its port."""
    environment = environment_with_folders(tmp_path_factory.mktemp("server")) | {"EDITAHEAD_TOKEN": TOKEN}
    command = [*SCRIPTED, SCRIPT, "0"]
    server = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
    with killed_on_failure(server):
        assert server.stderr is not None
        said = server.stderr.readline()
        assert said.startswith(LISTENING)
        rest: list[str] = []
        reader = Thread(target=rest.extend, args=(server.stderr,))
        reader.start()
        yield int(said.removeprefix(LISTENING))
        server.terminate()
        reader.join()
        assert server.wait() == 0
    assert "Traceback" not in "".join(rest)


@pytest_asyncio.fixture
async def client(
    transport: str, server_environment: dict[str, str], request: pytest.FixtureRequest
) -> AsyncIterator[LanguageClient]:
    """Yield a client of a server that predicts `user` -> `account`."""
    if transport == "stdio":
        async with spawned([*SCRIPTED, SCRIPT], server_environment) as client:
            yield client
    else:
        async with connected(request.getfixturevalue("scripted_port")) as client:
            yield client


@pytest_asyncio.fixture
async def real(transport: str, server_environment: dict[str, str]) -> AsyncIterator[LanguageClient]:
    """Yield a client of a server with the real predictors."""
    if transport == "stdio":
        async with spawned(REAL, server_environment) as client:
            yield client
    else:
        async with (
            listening([*REAL, "--tcp", "127.0.0.1:0"], server_environment) as port,
            connected(port) as client,
        ):
            yield client
