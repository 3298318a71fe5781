"""The backend of the supervised engine, found by its runfile."""

from __future__ import annotations

import asyncio
import stat
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
import pytest_asyncio

from editahead_inference.backends.base import CompletionRequest, TextChunk
from editahead_inference.backends.engine import ABSENT, STARTING, EngineBackend
from editahead_inference.backends.engine_runfile import EngineRunfile, served_name
from editahead_inference.errors import BackendError
from fake_model_server import Exchange, ModelServer

QUERY = CompletionRequest("x", (), 5)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "state" / "engine.json"


@pytest.fixture
def notice(server: ModelServer) -> EngineRunfile:
    return EngineRunfile(server.url, "the-key", "m", True, headroom=64)


@pytest_asyncio.fixture
async def backend(file: Path) -> AsyncIterator[EngineBackend]:
    backend = EngineBackend(file)
    yield backend
    await backend.close()


async def answer(backend: EngineBackend) -> str:
    return "".join([piece.text async for piece in backend.stream(QUERY) if isinstance(piece, TextChunk)])


async def refused(backend: EngineBackend) -> str:
    with pytest.raises(BackendError) as raised:
        await answer(backend)
    return raised.value.detail


def test_a_notice_is_for_one_person_only(file: Path, notice: EngineRunfile) -> None:
    for run in (1, 2):
        replace(notice, run=run).write(file)
        assert EngineRunfile.read(file) == replace(notice, run=run)
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [path.name for path in file.parent.iterdir()] == ["engine.json"]
    assert "the-key" not in repr(notice)


async def test_it_is_asked_with_its_key(
    backend: EngineBackend, file: Path, notice: EngineRunfile, server: ModelServer
) -> None:
    assert backend.health.condition == "starting"
    notice.write(file)
    assert await answer(backend) == "fine"
    assert {request.headers["authorization"] for request in server.requests} == {"Bearer the-key"}
    assert (backend.name, backend.model) == (f"engine {server.url}", "m")
    assert backend.health.condition == "ready"
    assert backend.capabilities.context == 2048 - 64, "the rest is for drafts"
    assert backend.capabilities.tokenizer is None


async def test_its_tokenizer_is_in_its_folder(
    backend: EngineBackend, file: Path, notice: EngineRunfile, tmp_path: Path
) -> None:
    replace(notice, folder=str(tmp_path)).write(file)
    await backend.prepare()
    assert backend.capabilities.tokenizer == tmp_path


async def test_it_comes_and_goes(
    backend: EngineBackend, file: Path, notice: EngineRunfile, server: ModelServer
) -> None:
    assert await refused(backend) == ABSENT
    assert (backend.health.condition, backend.health.detail) == ("gone", ABSENT)
    replace(notice, ready=False).write(file)
    assert await refused(backend) == STARTING
    assert (backend.health.condition, backend.health.detail) == ("starting", STARTING)
    notice.write(file)
    assert await answer(backend) == "fine"
    async with ModelServer() as other:
        replace(notice, url=other.url, key="another", run=2).write(file)
        assert await answer(backend) == "fine"
        assert other.requests[-1].headers["authorization"] == "Bearer another"
    await asyncio.to_thread(file.unlink)
    assert await refused(backend) == ABSENT
    assert backend.name == "engine" and backend.model is None


async def test_a_request_cancelled_while_it_reads_the_runfile(
    backend: EngineBackend,
    file: Path,
    notice: EngineRunfile,
    server: ModelServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The next request reads the runfile again: what it says would be lost until it changes."""
    replace(notice, ready=False).write(file)
    assert await refused(backend) == STARTING
    notice.write(file)
    reading, read = asyncio.Event(), asyncio.Event()
    loop, real = asyncio.get_running_loop(), EngineRunfile.read

    def held(path: Path) -> EngineRunfile:
        loop.call_soon_threadsafe(reading.set)
        asyncio.run_coroutine_threadsafe(read.wait(), loop).result()
        return real(path)

    monkeypatch.setattr(EngineRunfile, "read", held)
    request = asyncio.ensure_future(answer(backend))
    await reading.wait()
    request.cancel()
    read.set()
    with pytest.raises(asyncio.CancelledError):
        await request
    assert await answer(backend) == "fine"


async def test_one_that_is_started_anew_is_tried_at_once(
    backend: EngineBackend, file: Path, notice: EngineRunfile, server: ModelServer
) -> None:
    """Though the circuit breaker of the one before is open."""

    async def fails(exchange: Exchange) -> None:
        await exchange.json({"error": {"message": "dead"}}, 500)

    server.answers["/v1/completions"] = fails
    notice.write(file)
    for _ in range(4):
        assert "failed with 500" in await refused(backend)
    assert len(server.sent("/v1/completions")) == 3 and backend.health.condition == "gone"
    del server.answers["/v1/completions"]
    replace(notice, run=2).write(file)
    assert await answer(backend) == "fine"


async def test_a_wrong_key(
    backend: EngineBackend, file: Path, notice: EngineRunfile, server: ModelServer
) -> None:
    async def wants_another(exchange: Exchange) -> None:
        await exchange.json({"error": "Unauthorized"}, 401)

    server.answers["/v1/models"] = wants_another
    notice.write(file)
    assert await refused(backend) == f"{server.url} does not accept the key."
    assert backend.health.detail == f"{server.url} does not accept the key."


@pytest.mark.parametrize("model", ["qwen/zeta-2", "/models/zeta-2/", "zeta-2"])
async def test_another_model_than_the_settings_want(
    model: str, file: Path, notice: EngineRunfile, server: ModelServer
) -> None:
    backend = EngineBackend(file, model=model)
    notice.write(file)
    assert await refused(backend) == f"{server.url} does not serve the model 'zeta-2'; there is m."
    await backend.close()


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"url": 1}', '{"url": "http://example.com", "key": "k", "model": "m", "ready": true}'],
)
async def test_a_notice_that_is_none(text: str, backend: EngineBackend, file: Path) -> None:
    await asyncio.to_thread(file.parent.mkdir)
    await asyncio.to_thread(file.write_text, text)
    assert "cannot be read" in await refused(backend)
    assert backend.health.condition == "gone"


@pytest.mark.parametrize("model", ["zeta-2", "a/zeta-2", "/x/zeta-2/", "C:\\models\\zeta-2"])
def test_what_a_model_is_called(model: str) -> None:
    assert served_name(model) == "zeta-2"
