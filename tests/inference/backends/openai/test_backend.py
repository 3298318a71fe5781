"""The OpenAI backend with a server on a real socket. tests/engine has a real vLLM."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from backend_helpers import QUERY, answer, failure
from editahead_inference.backends.base import (
    Capabilities,
    CompletionRequest,
    Health,
    StreamEnd,
    TextChunk,
    Usage,
)
from editahead_inference.backends.openai.backend import OpenAIBackend
from editahead_inference.errors import BackendError
from fake_model_server import Exchange, ModelServer


async def test_a_completion(server: ModelServer, backend: OpenAIBackend) -> None:
    async def completions(exchange: Exchange) -> None:
        await exchange.start()
        await exchange.text("x)", logprobs={"token_logprobs": [-0.25, -0.5], "tokens": ["x", ")"]})
        await exchange.text("")
        await exchange.text(":", "stop")
        usage = {"prompt_tokens": 9, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 4}}
        await exchange.event({"choices": [], "usage": usage})
        await exchange.end()

    server.answers["/v1/completions"] = completions
    assert backend.health == Health("starting")
    assert await answer(backend) == [
        TextChunk("x)", (-0.25, -0.5)),
        TextChunk(":"),
        StreamEnd("stop", 0, Usage(9, 4, 3)),
    ]
    assert backend.health == Health("ready")
    assert backend.name == f"vLLM {server.url}"
    assert backend.model == "m"
    assert backend.capabilities == Capabilities(True, True, True, True, 2048)
    (body,) = server.sent("/v1/completions")
    expected: dict[str, Any] = {
        "model": "m",
        "prompt": "def f(",
        "stop": ["<end>"],
        "max_tokens": 50,
        "temperature": 0.0,
        "stream": True,
        "repetition_penalty": 1.0,
        "skip_special_tokens": False,
    }
    assert expected.items() <= body.items()
    assert body["cache_salt"]
    assert not {"n", "logprobs", "priority", "stop_token_ids"} & body.keys()
    await answer(backend)
    assert server.connections == 1
    assert [request.path for request in server.requests].count("/v1/models") == 1


async def test_ids_samples_and_logprobs(server: ModelServer, backend: OpenAIBackend) -> None:
    async def completions(exchange: Exchange) -> None:
        await exchange.start()
        await exchange.text("a")
        await exchange.text("b", "length", index=1)
        await exchange.text("c", "stop")
        await exchange.end()

    server.answers["/v1/completions"] = completions
    query = CompletionRequest(
        "ab", (), 2, ids=(5, 6), samples=2, logprobs=True, temperature=0.7, session="me at/home x"
    )
    query = replace(query, stop_ids=(7,))
    assert await answer(backend, query) == [
        TextChunk("a"),
        TextChunk("b", sample=1),
        StreamEnd("length", 1),
        TextChunk("c"),
        StreamEnd("stop", 0),
    ]
    (body,) = server.sent("/v1/completions")
    assert body["prompt"] == [5, 6]
    assert (body["n"], body["logprobs"], body["temperature"]) == (2, 1, 0.7)
    assert "stop" not in body and body["stop_token_ids"] == [7]
    session = server.requests[-1].headers["x-session-id"]
    assert session and "home" not in session


@pytest.mark.slow
async def test_what_keeps_people_and_documents_apart(server: ModelServer) -> None:
    """A router finds the same replica for a document, two users share no cached prompt, and no id names a document."""

    async def identifiers(secret: bytes | None, session: str) -> tuple[str, str]:
        backend = OpenAIBackend(server.url, secret=secret)
        query = CompletionRequest("ab", (), 2, session=session)
        await answer(backend, query)
        await backend.close()
        return server.requests[-1].headers["x-session-id"], server.sent("/v1/completions")[-1]["cache_salt"]

    mine, salt = await identifiers(b"m" * 32, "file:///a.py")
    other, same = await identifiers(b"m" * 32, "file:///b.py")
    assert other != mine and same == salt
    for somebody in (b"s" * 32, None):
        theirs, another = await identifiers(somebody, "file:///a.py")
        assert theirs != mine and another != salt


async def test_a_chat(server: ModelServer, backend: OpenAIBackend) -> None:
    async def chat(exchange: Exchange) -> None:
        await exchange.start()
        await exchange.event({"choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}}]})
        content = {"content": [{"token": "x", "logprob": -0.5}]}
        choice = {"index": 0, "delta": {"content": "x"}, "logprobs": content, "finish_reason": "stop"}
        await exchange.event({"choices": [choice]})
        await exchange.end()

    server.answers["/v1/chat/completions"] = chat
    query = CompletionRequest("hello", (), 5, system="be brief", prefill="```", chat=True, logprobs=True)
    assert await answer(backend, query) == [TextChunk("x", (-0.5,)), StreamEnd("stop", 0)]
    (body,) = server.sent("/v1/chat/completions")
    assert [message["role"] for message in body["messages"]] == ["system", "user", "assistant"]
    assert body["continue_final_message"] is True
    assert body["add_generation_prompt"] is False


async def test_a_server_without_priorities_is_asked_without_one(
    server: ModelServer, backend: OpenAIBackend
) -> None:
    async def completions(exchange: Exchange) -> None:
        if "priority" in exchange.request.body:
            message = "Got priority 1 but Priority scheduling is not enabled."
            await exchange.json({"error": {"message": message}}, 400)
            return
        await exchange.start()
        await exchange.text("x", "length")
        await exchange.event({"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 1}})
        await exchange.end()

    server.answers["/v1/completions"] = completions
    for _ in range(2):
        assert (await answer(backend, replace(QUERY, background=True)))[0] == TextChunk("x")
    bodies = server.sent("/v1/completions")
    assert [body.get("priority") for body in bodies] == [1, None, None]
    assert backend.health == Health("ready")


@pytest.mark.parametrize("kept", [1, 3])
async def test_a_connection_that_ends_as_a_request_is_sent_costs_nothing(
    kept: int, server: ModelServer, backend: OpenAIBackend
) -> None:
    """As when the server restarts, or ends what was idle for too long, at just that moment."""
    together, ended = asyncio.Barrier(kept), 0

    async def waits(exchange: Exchange) -> None:
        await together.wait()
        await exchange.start()
        await exchange.text("fine", "stop")
        await exchange.end()

    async def ends(exchange: Exchange) -> None:
        nonlocal ended
        ended += 1
        if exchange.request.connection > before:
            server.answers["/v1/completions"] = waits
            await waits(exchange)
        else:
            exchange.hang_up()

    server.answers["/v1/completions"] = waits
    await backend.prepare()
    await asyncio.gather(*(answer(backend) for _ in range(kept)))
    before, together = server.connections, asyncio.Barrier(1)
    server.answers["/v1/completions"] = ends
    assert await answer(backend) == [TextChunk("fine"), StreamEnd("stop", 0)]
    assert ended == kept + 1 and server.connections == before + 1
    assert backend.health == Health("ready")


@pytest.mark.parametrize("by", ["closing", "cancelling"])
async def test_an_answer_that_nobody_wants_closes_the_connection(
    by: str, server: ModelServer, backend: OpenAIBackend
) -> None:
    hung_up = asyncio.Event()

    async def completions(exchange: Exchange) -> None:
        await exchange.start()
        await exchange.text("x")
        await exchange.hung_up.wait()
        hung_up.set()

    server.answers["/v1/completions"] = completions
    stream = backend.stream(QUERY)
    assert await anext(stream) == TextChunk("x")
    if by == "closing":
        await stream.aclose()
    else:
        waiting = asyncio.ensure_future(anext(stream))
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
    async with asyncio.timeout(10):
        await hung_up.wait()
    assert backend.health == Health("ready")
    del server.answers["/v1/completions"]
    assert await answer(backend) == [TextChunk("fine"), StreamEnd("stop", 0)]


async def test_wherever_it_is_cancelled_nothing_stays_open(
    server: ModelServer, backend: OpenAIBackend
) -> None:
    await answer(backend)
    for steps in range(80):
        task = asyncio.create_task(answer(backend))
        for _ in range(steps):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    client = await backend._transport.open()
    connections = client._transport._pool.connections
    assert all(connection.is_idle() for connection in connections)
    assert await answer(backend) == [TextChunk("fine"), StreamEnd("stop", 0)]
    assert backend.health == Health("ready")


async def test_closing_ends_what_is_under_way(server: ModelServer, backend: OpenAIBackend) -> None:
    async def completions(exchange: Exchange) -> None:
        await exchange.start()
        await exchange.text("x")
        await exchange.hung_up.wait()

    server.answers["/v1/completions"] = completions
    stream = backend.stream(QUERY)
    await anext(stream)
    rest = asyncio.ensure_future(anext(stream))
    await asyncio.sleep(0)
    await backend.close()
    with pytest.raises(BackendError):
        await rest


@pytest.mark.parametrize(
    ("wanted", "names", "sentence"),
    [
        ("x", ["a", "b"], "URL does not serve the model 'x'; there is a, b."),
        (None, ["a", "b"], "URL serves several models; `model` has to name one of a, b."),
        ("x", [], "URL serves no model."),
        (None, ["a"], None),
        ("b", ["a", "b:latest"], None),
        ("sweep", ["/models/sweep.gguf"], None),
        ("sweep.gguf", ["C:\\models\\sweep.gguf"], None),
    ],
)
async def test_the_model_is_one_that_there_is(
    wanted: str | None, names: list[str], sentence: str | None, server: ModelServer
) -> None:
    async def models(exchange: Exchange) -> None:
        await exchange.json({"data": [{"id": name, "owned_by": "vllm"} for name in names]})

    server.answers["/v1/models"] = models
    backend = OpenAIBackend(server.url + "/v1/", model=wanted)
    if sentence is None:
        await backend.prepare()
        assert backend.model == names[-1]
    else:
        with pytest.raises(BackendError) as raised:
            await backend.prepare()
        assert (raised.value.failure, raised.value.detail) == ("refused", sentence.replace("URL", server.url))
        assert backend.model == wanted
    await backend.close()


KINDS: list[tuple[str, Any, dict[str, Any], Capabilities]] = [
    (
        "llama.cpp",
        {"id": "m.gguf", "owned_by": "llamacpp", "meta": {"n_ctx_train": 32768}},
        {"/props": {"default_generation_settings": {"n_ctx": 4096}}},
        Capabilities(token_ids=True, logprobs=True, keeps_prompts=True, context=4096),
    ),
    (
        "Ollama",
        {"id": "m:latest", "owned_by": "library"},
        {
            "/api/version": {"version": "0.12"},
            "/api/show": {"template": "{{ .Prompt }}"},
            "/api/ps": {"models": [{"name": "m:latest", "context_length": 8192}]},
        },
        Capabilities(keeps_prompts=True, context=8192),
    ),
    (
        "LM Studio",
        {"id": "m", "owned_by": "organization_owner"},
        {"/api/v0/models": {"data": [{"id": "m", "loaded_context_length": 2048, "state": "loaded"}]}},
        Capabilities(keeps_prompts=True, context=2048),
    ),
    ("unknown", {"id": "m", "owned_by": "somebody"}, {"/version": []}, Capabilities()),
    (
        "vLLM",
        {"id": "m", "max_model_len": 512},
        {"/version": {"version": "1"}},
        Capabilities(True, True, True, True, 512),
    ),
]


@pytest.mark.parametrize(("kind", "model", "about", "can"), KINDS, ids=[row[0] for row in KINDS])
async def test_servers_are_distinguished(
    kind: str, model: Any, about: dict[str, Any], can: Capabilities, server: ModelServer
) -> None:
    async def models(exchange: Exchange) -> None:
        await exchange.json({"data": [model]})

    def answering(value: Any) -> Any:
        return lambda exchange: exchange.json(value)

    async def nothing(exchange: Exchange) -> None:
        await exchange.json({}, 404)

    server.answers |= {"/v1/models": models, "/version": nothing}
    server.answers |= {path: answering(value) for path, value in about.items()}
    backend = OpenAIBackend(server.url)
    assert await answer(backend, CompletionRequest("p", tuple("abcde"), 9, samples=3)) == [
        TextChunk("fine"),
        StreamEnd("stop", 0),
    ]
    assert backend.name == f"{kind} {server.url}"
    assert backend.capabilities == can
    (body,) = server.sent("/v1/completions")
    assert len(body["stop"]) == (4 if kind == "unknown" else 5)
    assert ("n" in body) == can.samples
    assert ("cache_prompt" in body) == (kind == "llama.cpp")
    assert ("cache_salt" in body) == (kind == "vLLM"), "others may refuse what they do not know"
    await backend.close()


async def test_a_template_around_the_prompt_is_refused(server: ModelServer) -> None:
    async def models(exchange: Exchange) -> None:
        await exchange.json({"data": [{"id": "m:latest", "owned_by": "library"}]})

    async def show(exchange: Exchange) -> None:
        assert exchange.request.body == {"model": "m:latest"}
        await exchange.json({"template": "<|im_start|>{{ .Prompt }}"})

    server.answers |= {"/v1/models": models, "/api/show": show}
    backend = OpenAIBackend(server.url, model="m")
    assert "make a model from it with TEMPLATE {{ .Prompt }}" in (await failure(backend)).detail
    assert (await answer(backend, CompletionRequest("hello", (), 5, chat=True)))[0] == TextChunk("fine")
    with_start = await failure(backend, CompletionRequest("hello", (), 5, chat=True, prefill="```"))
    assert with_start.detail == "This server cannot continue an answer that has begun."
    await backend.close()


@pytest.mark.parametrize(
    ("url", "word"),
    [
        ("http://example.com", "Plain http"),
        ("http://127.0.0.1.example.com", "Plain http"),
        ("http://0.0.0.0:8000", "Plain http"),
        ("ftp://localhost", "must begin"),
        ("localhost:8000", "must begin"),
        ("https://", "must begin"),
        ("https://me:password@example.com", "api_key_env"),
        ("https://example.com?key=x", "query"),
        ("http://localhost:x", "cannot be read"),
        ("http://[::1", "cannot be read"),
    ],
)
def test_urls_that_are_not_allowed(url: str, word: str) -> None:
    with pytest.raises(ValueError, match=word) as raised:
        OpenAIBackend(url)
    assert "password" not in str(raised.value).replace("a password;", "")


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://example.com/openai/v1", "openai https://example.com/openai"),
        ("http://[::1]:8000/", "openai http://[::1]:8000"),
        ("HTTP://LOCALHOST:8000/v1/", "openai http://localhost:8000"),
    ],
)
def test_urls_that_are_allowed(url: str, name: str) -> None:
    assert OpenAIBackend(url).name == name
