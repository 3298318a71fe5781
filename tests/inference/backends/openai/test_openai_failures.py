"""The OpenAI backend with servers that fail, lie, hang or are missing, on real sockets."""

from __future__ import annotations

import asyncio
import logging
import shutil
import ssl
import subprocess
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from backend_helpers import QUERY, answer, failure
from editahead_inference.backends.base import CompletionRequest, Health, StreamEnd, TextChunk
from editahead_inference.backends.openai.backend import OpenAIBackend
from editahead_inference.backends.openai.http_errors import MessageRedactor
from editahead_inference.backends.openai.http_transport import Limits, Timeouts
from editahead_inference.errors import BackendError
from fake_model_server import Exchange, ModelServer
from manual_clock import Clock

KEY = "sk-secret-1234567890"


async def _500(exchange: Exchange) -> None:
    await exchange.json({"error": {"message": "CUDA out of memory."}}, 500)


async def _echoes(exchange: Exchange) -> None:
    message = f"cannot read {exchange.request.body['prompt']} with {KEY}"
    await exchange.json({"error": {"message": message}}, 400)


async def _redirect(exchange: Exchange) -> None:
    await exchange.whole(b"", 307, more="Location: http://127.0.0.1:1/v1/completions\r\n")


async def _html(exchange: Exchange) -> None:
    await exchange.whole(b"<!doctype html><h1>Welcome</h1>", kind="text/html")


async def _half_json(exchange: Exchange) -> None:
    await exchange.start()
    await exchange.text("x")
    await exchange.event('{"choices": [{"index": 0, "te')
    await exchange.hung_up.wait()


async def _no_completion(exchange: Exchange) -> None:
    await exchange.start()
    await exchange.event({"choices": "none"})
    await exchange.hung_up.wait()


async def _long_line(exchange: Exchange) -> None:
    await exchange.start()
    await exchange.chunk(b"data: ")
    while not exchange.hung_up.is_set():
        await exchange.chunk(b"x" * 65_536)


async def _endless(exchange: Exchange) -> None:
    await exchange.start()
    while not exchange.hung_up.is_set():
        await exchange.text("x" * 10_000)


async def _silent(exchange: Exchange) -> None:
    await exchange.hung_up.wait()


async def _falls_silent(exchange: Exchange) -> None:
    await exchange.start()
    await exchange.text("x")
    await exchange.hung_up.wait()


async def _only_comments(exchange: Exchange) -> None:
    await exchange.start()
    while not exchange.hung_up.is_set():
        await exchange.chunk(b": I am still here\n\n")
        await asyncio.sleep(0)


async def _dies(exchange: Exchange) -> None:
    await exchange.start()
    await exchange.text("x")
    exchange.hang_up()


async def _ends_early(exchange: Exchange) -> None:
    await exchange.start()
    await exchange.text("x")
    await exchange.end()


async def _hangs_up(exchange: Exchange) -> None:
    exchange.hang_up()


async def _no_http(exchange: Exchange) -> None:
    await exchange.raw(b"220 mail.example.org ESMTP\r\n\r\n")
    await exchange.hung_up.wait()


async def _fails_midway(exchange: Exchange) -> None:
    await exchange.start()
    await exchange.text("x")
    await exchange.event({"error": {"message": "engine died"}})
    await exchange.hung_up.wait()


async def _loads(exchange: Exchange) -> None:
    await exchange.json({"error": {"message": "Loading model"}}, 503)


async def _wrong_key(exchange: Exchange) -> None:
    await exchange.json({"error": {"message": f"Incorrect API key provided: {KEY[:8]}***"}}, 401)


async def _no_model(exchange: Exchange) -> None:
    await exchange.json({"error": {"message": "The model `m` does not exist."}}, 404)


async def _too_often(exchange: Exchange) -> None:
    await exchange.json({"error": "slow down"}, 429)


@pytest.mark.parametrize(
    ("luck", "kind", "sentence"),
    [
        (_500, "broken", "URL failed with 500 (Internal Server Error): CUDA out of memory."),
        (_echoes, "refused", "URL refuses the request with 400 (Bad Request)."),
        (_redirect, "refused", "URL sends requests elsewhere, which is not followed."),
        (_html, "broken", "URL answers with a web page: it is no model's server."),
        (_half_json, "broken", "URL answers with something that is no completion."),
        (_no_completion, "broken", "URL answers with something that is no completion."),
        (_long_line, "broken", "URL answers with something that is no completion."),
        (_endless, "broken", "URL does not come to an end with its answer."),
        pytest.param(_silent, "timeout", "URL did not answer in time.", marks=pytest.mark.slow),
        (_falls_silent, "timeout", "URL did not answer in time."),
        pytest.param(_only_comments, "timeout", "URL did not answer in time.", marks=pytest.mark.slow),
        (_dies, "unreachable", "URL ended the connection too early."),
        (_ends_early, "unreachable", "URL ended the connection too early."),
        (_hangs_up, "unreachable", "URL ended the connection too early."),
        (_no_http, "broken", "URL does not speak HTTP."),
        (_fails_midway, "broken", "URL failed in the middle of its answer: engine died."),
        (_loads, "unreachable", "URL is not ready: Loading model."),
        (_wrong_key, "refused", "URL does not accept the key."),
        (_no_model, "refused", "There is no model 'm' any more at URL: The model `m` does not exist."),
        (_too_often, "refused", "URL was asked too often: slow down."),
    ],
)
async def test_bad_luck_is_one_sentence_and_the_next_request_is_fine(
    luck: Any, kind: str, sentence: str, server: ModelServer
) -> None:
    closed = asyncio.Event()

    async def watched(exchange: Exchange) -> None:
        await luck(exchange)
        if exchange.hung_up.is_set():
            closed.set()

    short = Timeouts(first=1.5, between=0.15) if kind == "timeout" else Timeouts(10, 60, 60, 60)
    backend = OpenAIBackend(server.url, key=KEY, waiting=short, limits=Limits(line=200_000, answer=1_000_000))
    await backend.prepare()
    server.answers["/v1/completions"] = watched
    error = await failure(backend, CompletionRequest("the_secret_of_the_code = 1", (), 9))
    assert (error.failure, error.detail) == (kind, sentence.replace("URL", server.url))
    if luck in (_silent, _falls_silent, _half_json, _long_line, _endless, _no_http):
        async with asyncio.timeout(10):
            await closed.wait()
    if luck is not _echoes:
        assert backend.health == Health("degraded", error.detail)
    del server.answers["/v1/completions"]
    assert await answer(backend, replace(QUERY, background=True)) == [TextChunk("fine"), StreamEnd("stop", 0)]
    assert backend.health == Health("ready")
    await backend.close()


async def test_what_is_not_there_is_said_and_not_asked_again_and_again(
    server: ModelServer, clock: Clock
) -> None:
    port = server.port
    await server.__aexit__()
    backend = OpenAIBackend(server.url, clock=clock)
    for _ in range(3):
        error = await failure(backend)
        assert (error.failure, error.detail) == ("unreachable", f"Nothing answers at {server.url}.")
    assert backend.health == Health("gone", error.detail)
    suspended = await failure(backend)
    assert (suspended.failure, suspended.detail) == ("suspended", error.detail)
    clock.now += 1
    assert (await failure(backend)).failure == "unreachable"
    clock.now += 1
    assert (await failure(backend)).failure == "suspended"
    clock.now += 1
    async with ModelServer(port=port):
        assert await answer(backend) == [TextChunk("fine"), StreamEnd("stop", 0)]
        assert backend.health == Health("ready")
        await backend.close()


async def test_a_server_that_lists_models_and_fails_on_requests_is_unavailable(
    server: ModelServer, backend: OpenAIBackend
) -> None:
    server.answers["/v1/completions"] = _500
    for _ in range(3):
        await backend.prepare()
        error = await failure(backend)
    assert backend.health == Health("gone", error.detail)
    with pytest.raises(BackendError) as raised:
        await backend.prepare()
    assert raised.value.failure == "suspended"


async def test_a_request_that_is_wrong_by_itself_says_nothing_about_the_server(
    server: ModelServer, backend: OpenAIBackend
) -> None:
    async def too_long(exchange: Exchange) -> None:
        message = "This model's maximum context length is 2048 tokens."
        await exchange.json({"object": "error", "message": message}, 400)

    server.answers["/v1/completions"] = too_long
    for _ in range(5):
        error = await failure(backend)
    assert error.failure == "refused"
    assert error.detail.endswith(": This model's maximum context length is 2048 tokens.")
    assert backend.health == Health("ready")


async def test_https_that_is_none() -> None:
    over = asyncio.Event()

    async def plain(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()
        over.set()

    async with await asyncio.start_server(plain, "127.0.0.1", 0) as server:
        url = f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        backend = OpenAIBackend(url)
        assert (await failure(backend)).detail == f"There is no https at {url}."
        await over.wait()
        await backend.close()


@pytest.fixture
def own_certificate(tmp_path: Path) -> ssl.SSLContext:
    if shutil.which("openssl") is None:
        pytest.skip("openssl makes the certificate")
    key, certificate = tmp_path / "key", tmp_path / "certificate"
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    command += ["-subj", "/CN=127.0.0.1", "-keyout", str(key), "-out", str(certificate)]
    subprocess.run(command, check=True, capture_output=True)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificate, key)
    return tls


async def test_a_certificate_that_nobody_vouches_for(own_certificate: ssl.SSLContext) -> None:
    async with ModelServer(tls=own_certificate) as server:
        backend = OpenAIBackend(server.url, key=KEY)
        assert (await failure(backend)).detail == f"The certificate of {server.url} is not trusted."
        assert server.requests == []
        await backend.close()


async def test_the_key_is_sent_and_never_logged(
    server: ModelServer, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    caplog.set_level(logging.DEBUG)
    server.answers["/v1/completions"] = _echoes
    backend = OpenAIBackend(server.url, key=KEY)
    error = await failure(backend, CompletionRequest("prompt_of_somebody = 1", (), 5))
    assert {request.headers["authorization"] for request in server.requests} == {f"Bearer {KEY}"}
    assert server.sent("/v1/completions")[0]["cache_salt"]
    told = f"{caplog.text} {error!r} {error.__dict__} {backend!r} {backend.__dict__} {backend.health}"
    assert KEY not in told
    assert "prompt_of_somebody" not in told
    await backend.close()
    for key in ("two words", "line\nbreak", "", "ключ"):
        with pytest.raises(ValueError, match="no key has") as raised:
            OpenAIBackend(server.url, key=key)
        assert not key or key not in str(raised.value)


async def test_a_proxy_that_the_library_cannot_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "nonsense://127.0.0.1:9")
    backend = OpenAIBackend("https://models.example.org")
    for _ in range(2):
        error = await failure(backend)
        assert error.failure == "refused"
        assert error.detail.startswith("Requests to https://models.example.org cannot be set up: ")
    assert backend.health == Health("degraded", error.detail)
    await backend.close()


@pytest.mark.parametrize("form", [str, repr, lambda code: " ".join(code.split())])
def test_code_is_not_quoted_in_any_form(form: Callable[[str], str]) -> None:
    code = "def f(a):\n    x = 1\n    y = 22\n    pin = 9431\n    return x\n"
    quote = MessageRedactor((code,), KEY)
    assert quote({"error": {"message": f"bad input: {form(code)}"}}) == ""
    assert quote({"error": {"message": "CUDA out of memory."}}) == ": CUDA out of memory"
