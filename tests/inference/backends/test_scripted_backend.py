"""The scripted backend of the tests, and its simulated prefix cache."""

from __future__ import annotations

import asyncio

import pytest

from editahead_inference.backends.base import Backend, CompletionRequest, Health, StreamEnd, TextChunk, Usage
from editahead_inference.errors import BackendError
from scripted_backend import BLOCK, ScriptedBackend, ScriptedReply, by_prompt, in_order


def query(prompt: str, samples: int = 1) -> CompletionRequest:
    return CompletionRequest(prompt, ("<end>",), 100, samples=samples)


async def all_of(backend: Backend, query: CompletionRequest) -> list[TextChunk | StreamEnd]:
    return [piece async for piece in backend.stream(query)]


async def test_answers_in_order_and_by_prompt() -> None:
    backend = ScriptedBackend(in_order([ScriptedReply(("a", "b"), "length", ((-0.5,), (-1.0, -2.0))), "c"]))
    assert await all_of(backend, query("one")) == [
        TextChunk("a", (-0.5,)),
        TextChunk("b", (-1.0, -2.0)),
        StreamEnd("length", 0, Usage(3, 0, 2)),
    ]
    assert await all_of(backend, query("two")) == [TextChunk("c"), StreamEnd("stop", 0, Usage(3, 0, 1))]
    with pytest.raises(BackendError, match="no answer"):
        await all_of(backend, query("three"))
    assert [query.prompt for query in backend.queries] == ["one", "two", "three"]

    backend = ScriptedBackend(by_prompt({"def f": "x", "def": "y"}))
    assert (await all_of(backend, query("a def")))[0] == TextChunk("y")
    assert (await all_of(backend, query("def f")))[0] == TextChunk("x")
    assert backend.stopped == 0


async def test_samples_are_sequential_and_the_last_has_the_usage() -> None:
    backend = ScriptedBackend(lambda query, sample: ScriptedReply((f"{sample}",)))
    assert await all_of(backend, query("p", samples=2)) == [
        TextChunk("0"),
        StreamEnd("stop", 0),
        TextChunk("1", sample=1),
        StreamEnd("stop", 1, Usage(1, 0, 2)),
    ]


async def test_what_goes_wrong_goes_wrong_where_it_is_written() -> None:
    failure = BackendError("timeout", "Nothing came.")
    backend = ScriptedBackend(in_order([ScriptedReply(("a",), error=failure), "b"]))
    came = []
    with pytest.raises(BackendError) as raised:
        async for piece in backend.stream(query("p")):
            came.append(piece)
    assert (came, raised.value) == ([TextChunk("a")], failure)
    backend.health = Health("gone", "It is off.")
    for ask in (all_of(backend, query("p")), backend.prepare()):
        with pytest.raises(BackendError, match="It is off") as raised:
            await ask
        assert raised.value.failure == "suspended"


async def test_an_answer_can_be_held_back_and_cancelled() -> None:
    go = asyncio.Event()
    backend = ScriptedBackend(by_prompt({"": ScriptedReply(("a", "b"))}), pause=go.wait)
    task = asyncio.create_task(all_of(backend, query("p")))
    await asyncio.sleep(0)
    assert (len(backend.queries), backend.given) == (1, 0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert backend.stopped == 1
    go.set()
    stream = backend.stream(query("p"))
    assert await anext(stream) == TextChunk("a")
    await stream.aclose()
    assert (backend.given, backend.stopped) == (1, 2)


async def test_it_counts_what_a_prefix_cache_would_keep() -> None:
    backend = ScriptedBackend(by_prompt({"": ""}))
    text = "x" * (3 * BLOCK)

    async def usage(prompt: str) -> Usage | None:
        (*_, end) = await all_of(backend, query(prompt))
        assert isinstance(end, StreamEnd)
        return end.usage

    assert await usage(text + "12") == Usage(3 * BLOCK + 2, 0, 0)
    assert await usage(text + "34") == Usage(3 * BLOCK + 2, 3 * BLOCK, 0)
    assert await usage(text) == Usage(3 * BLOCK, 2 * BLOCK, 0)
    assert await usage("y" + text) == Usage(3 * BLOCK + 1, 0, 0)
