"""The supervisor of vLLM, with stubs as real processes that are killed and awaited."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import stub_vllm
from editahead_inference.backends.base import CompletionRequest, TextChunk
from editahead_inference.backends.engine import STARTING, EngineBackend
from editahead_inference.backends.engine_runfile import EngineRunfile
from editahead_inference.errors import BackendError
from editahead_lsp.transport import parent_process
from editahead_serving.supervisor import (
    HEALTHY_AFTER_S,
    MAX_FAILED_STARTS,
    MAX_RESTART_DELAY_S,
    MIN_RESTART_DELAY_S,
    RestartBackoff,
    _find_stage,
)
from server_process import ENGINE
from supervised_engine import EngineHarness, running_engine

pytestmark = pytest.mark.slow


QUERY = CompletionRequest("x", (), 5)


async def answer(backend: EngineBackend) -> str:
    return "".join([piece.text async for piece in backend.stream(QUERY) if isinstance(piece, TextChunk)])


async def test_it_is_started_found_killed_started_again_and_ended(tmp_path: Path) -> None:
    watched = EngineHarness(tmp_path)
    backend = EngineBackend(watched.file)
    async with running_engine(watched) as running:
        await watched.hears("Ready after")
        assert watched.said[0].startswith("loading the model (")
        notice = EngineRunfile.read(watched.file)
        assert (notice.key, notice.model, notice.ready, notice.headroom) == ("secret-key", "coder", True, 64)
        for file in (watched.file, watched.log):
            assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert not any("secret-key" in said for said in (*watched.said, watched.log.read_text()))
        assert await answer(backend) == stub_vllm.SAYS

        ((first, child),) = watched.pids()
        os.kill(first, signal.SIGKILL)
        await watched.hears("has ended")
        with pytest.raises(ProcessLookupError):
            os.killpg(first, 0)  # none of its processes is left
        await watched.hears("Ready after", 2)
        assert "vLLM has ended: SIGKILL. vLLM starts again in 1 s." in watched.said
        await parent_process.wait_for_exit(child)
        assert EngineRunfile.read(watched.file).run == 2
        assert await answer(backend) == stub_vllm.SAYS, "though it was gone, nobody waits to try again"

        watched.fleet.stop()
        assert await running == 0
    await watched.wait_for_end()
    assert not watched.file.exists() and watched.said[-1] == "The engine has stopped."
    with pytest.raises(BackendError, match="No engine is running"):
        await answer(backend)
    await backend.close()


async def test_it_is_ended_while_it_starts(tmp_path: Path) -> None:
    watched = EngineHarness(tmp_path, STUB_WAITS="1")
    backend = EngineBackend(watched.file)
    async with running_engine(watched) as running:
        await watched.hears("loading the model")
        with pytest.raises(BackendError) as raised:
            await answer(backend)
        assert raised.value.detail == STARTING and backend.health.condition == "starting"
        watched.fleet.stop()
        assert await running == 0
    assert not watched.file.exists()
    await backend.close()


async def test_who_does_not_end_is_killed(tmp_path: Path) -> None:
    watched = EngineHarness(tmp_path, STUB_STAYS="1")
    async with running_engine(watched) as running:
        await watched.hears("Ready after")
        watched.fleet.stop()
        await asyncio.sleep(0)
        watched.fleet.stop()
        assert await running == 0
    await watched.wait_for_end()


async def test_what_never_starts_is_given_up_with_its_reason(tmp_path: Path) -> None:
    watched = EngineHarness(tmp_path, STUB_ENDS="ValueError: No room for the cache.")
    async with running_engine(watched) as running:
        assert await running == 1
    assert watched.slept == []
    expected = (
        f"vLLM does not start: ValueError: No room for the cache. Its whole output is in {watched.log}."
    )
    assert watched.said[-1] == expected


async def test_it_may_listen_a_moment_after_it_says_that_it_has_started(tmp_path: Path) -> None:
    for name in ("may", "does"):
        os.mkfifo(tmp_path / name)
    watched = EngineHarness(tmp_path, STUB_LATE=str(tmp_path))

    def let_it() -> None:
        (tmp_path / "may").write_bytes(b"")
        (tmp_path / "does").read_bytes()

    watched.pause = let_it
    async with running_engine(watched):
        await watched.hears("Ready after")
    assert len(watched.slept) == 1


async def test_another_key_than_the_configured_one_is_noticed(tmp_path: Path) -> None:
    """Such as when somebody else listens at that port."""
    watched = EngineHarness(tmp_path, STUB_KEY="another")
    async with running_engine(watched) as running:
        assert await running == 1
    assert "does not accept the key" in watched.said[-1]
    await watched.wait_for_end()


async def test_a_program_that_cannot_be_run(tmp_path: Path) -> None:
    watched = EngineHarness(tmp_path)
    (tmp_path / "engine" / "bin" / "python").unlink()
    async with running_engine(watched) as running:
        assert await running == 1
    assert "No such file or directory" in watched.said[-1]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return stub_vllm.write_model_folder(tmp_path / "models" / "coder-30b")


@pytest.fixture
def surroundings(tmp_path: Path) -> dict[str, str]:
    """Return the environment of a command."""
    program = stub_vllm.install(tmp_path / "engine")
    known = {name: value for name, value in os.environ.items() if not name.startswith("EDITAHEAD_")}
    return known | {
        "PATH": f"{program.parent}{os.pathsep}{known['PATH']}",
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
        "XDG_STATE_HOME": str(tmp_path / "state"),
        "STUB_FOLDER": str(tmp_path),
    }


async def started(folder: Path, environment: dict[str, str]) -> asyncio.subprocess.Process:
    """Start the command and wait until it is ready."""
    process = await asyncio.create_subprocess_exec(
        *ENGINE, str(folder), env=environment, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    assert process.stderr is not None
    while b"Ready after" not in (line := await process.stderr.readline()):
        assert line
    return process


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
async def test_the_command(
    number: signal.Signals, tmp_path: Path, folder: Path, surroundings: dict[str, str]
) -> None:
    """As a person starts it, and as a shell or a service manager ends it."""
    async with asyncio.timeout(60):
        process = await started(folder, surroundings)
        assert process.stderr is not None
        notice = EngineRunfile.read(tmp_path / "state" / "editahead" / "engine.json")
        assert notice.ready and notice.folder == str(folder)
        arguments = json.loads((tmp_path / "arguments.json").read_text())
        assert arguments[:2] == ["--model", str(folder)]
        second = await asyncio.to_thread(
            subprocess.run,
            [*ENGINE, str(folder)],
            env=surroundings,
            capture_output=True,
            text=True,
            check=False,
        )
        assert second.returncode == 1 and "already running" in second.stderr
        process.send_signal(number)
        rest = await process.stderr.read()
        assert await process.wait() == 0, rest
        assert rest == b"editahead: The engine has stopped.\n"
        for pid in map(int, (tmp_path / "pids").read_text().split()):
            await parent_process.wait_for_exit(pid)
    assert [
        path.name for path in (tmp_path / "state" / "editahead").iterdir() if path.suffix == ".json"
    ] == []


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a process that its parent is gone")
async def test_no_server_is_left_by_one_that_is_killed(
    tmp_path: Path, folder: Path, surroundings: dict[str, str]
) -> None:
    async with asyncio.timeout(60):
        process = await started(folder, surroundings)
        process.kill()
        server, child = map(int, (tmp_path / "pids").read_text().split())
        await parent_process.wait_for_exit(server)
        os.kill(child, signal.SIGKILL)  # vLLM's own ends with its server
        await process.communicate()


@pytest.mark.parametrize(
    ("line", "stage"),
    [
        ("INFO [cpu_model_runner.py:68] Starting to load model /m ...", "loading the model"),
        (
            "Loading safetensors checkpoint shards:  50% Completed | 1/2 [00:00<?, ?it/s]",
            "loading the model: 50%",
        ),
        ("INFO [kv_cache_utils.py:2327] CPU KV cache size: 2,097,152 tokens", "making room for the cache"),
        ("WARNING [vllm.py:1703] Enforce eager set, disabling torch.compile, CUDAGraphs", None),
        ("INFO [core.py:133] Initializing a V1 LLM engine with config: download_dir=None", None),
    ],
)
def test_what_vllm_says_of_its_start(line: str, stage: str | None) -> None:
    assert _find_stage(line) == stage


def test_the_first_start_has_to_lead_to_something() -> None:
    assert RestartBackoff().on_exit(ready=False, lived_s=0) is None


@given(st.lists(st.tuples(st.booleans(), st.floats(0, 2 * HEALTHY_AFTER_S)), max_size=20))
def test_back_off(lives: list[tuple[bool, float]]) -> None:
    backoff = RestartBackoff()
    waits = [backoff.on_exit(ready=True, lived_s=0)]
    assert waits == [MIN_RESTART_DELAY_S]
    for ready, lived_s in lives:
        wait = backoff.on_exit(ready=ready, lived_s=lived_s)
        if wait is None:
            assert not ready and len(waits) + 1 >= MAX_FAILED_STARTS
            break
        assert MIN_RESTART_DELAY_S <= wait <= MAX_RESTART_DELAY_S
        assert (
            wait == MIN_RESTART_DELAY_S
            if ready and lived_s >= HEALTHY_AFTER_S
            else wait >= min(waits[-1] or 0, MAX_RESTART_DELAY_S)
        )
        waits.append(wait)
