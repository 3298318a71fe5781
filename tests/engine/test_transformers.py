"""The local backend with a real model, compared with vLLM."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from backend_helpers import answer, logprobs_of, text_and_end
from editahead_inference.backends.base import CompletionRequest, Health, StreamEnd, TextChunk, Usage
from editahead_inference.backends.local.backend import LocalBackend
from editahead_inference.backends.openai.backend import OpenAIBackend
from editahead_inference.errors import BackendError
from tiny_model import CONTEXT, texts

TEXTS = texts()
QUERY = CompletionRequest(TEXTS[1][:1000], (), 24)


@pytest.fixture
async def local(model_folder: Path) -> AsyncIterator[Callable[..., LocalBackend]]:
    """Makes a backend for the tiny model in float32."""
    made: list[LocalBackend] = []

    def make(**options: int) -> LocalBackend:
        made.append(LocalBackend(model_folder, dtype="float32", **options))
        return made[-1]

    yield make
    for backend in made:
        await backend.close()


async def test_it_says_what_it_can(local: Callable[..., LocalBackend]) -> None:
    backend = local()
    assert backend.health == Health("starting")
    await asyncio.gather(backend.prepare(), backend.prepare())
    assert backend.health == Health("ready")
    assert (backend.name, backend.capabilities.context) == ("local tiny", CONTEXT)


@pytest.mark.parametrize("number", range(6))
async def test_the_same_greedy_text_as_vllm(
    number: int, local: Callable[..., LocalBackend], vllm: OpenAIBackend
) -> None:
    query = replace(QUERY, prompt=TEXTS[number][: 200 * (number + 1)], max_tokens=48, logprobs=True)
    here, there = await answer(local(), query), await answer(vllm, query)
    texts = ["".join(p.text for p in pieces if isinstance(p, TextChunk)) for pieces in (here, there)]
    assert texts[0] == texts[1]
    assert logprobs_of(here) == pytest.approx(logprobs_of(there), abs=1e-3)


async def test_the_same_chat_as_vllm(local: Callable[..., LocalBackend], vllm: OpenAIBackend) -> None:
    query = CompletionRequest("Rename the field.", (), 16, system="Be brief.", chat=True)
    for prefill in ("", "```\nclass A:"):
        here = await text_and_end(local(), replace(query, prefill=prefill))
        there = await text_and_end(vllm, replace(query, prefill=prefill))
        assert here[0] == there[0]
        assert here[1].usage is not None and there[1].usage is not None
        assert here[1].usage.prompt == there[1].usage.prompt


async def test_a_cropped_cache_changes_nothing(local: Callable[..., LocalBackend]) -> None:
    """Somebody types, deletes, goes elsewhere and comes back."""
    keeping, forgetting = local(), local(cache_bytes=0)
    text = TEXTS[3]
    prompts = [
        *(text[:end] for end in (900, 903, 910, 905, 700, 940)),
        text[:400] + "# inserted\n" + text[400:900],
        "# another beginning\n" + text[:900],
        text[:900],
    ]
    reused = []
    for prompt in prompts:
        query = CompletionRequest(prompt, (), 16, session="one")
        here, end = await text_and_end(keeping, query)
        there, fresh = await text_and_end(forgetting, query)
        assert here == there
        assert end.usage is not None and fresh.usage is not None
        counts = (fresh.usage.prompt, fresh.usage.cached, fresh.usage.completion)
        assert counts == (end.usage.prompt, 0, end.usage.completion)  # Drafts are another matter.
        reused.append((end.usage.cached or 0) / end.usage.prompt)
    assert reused[0] == 0
    assert min(reused[1:6]) > 0.7
    assert 0.2 < reused[6] < 0.8
    assert max(reused[7:]) < 0.1


async def test_each_session_has_its_own_cache_within_the_bytes(local: Callable[..., LocalBackend]) -> None:
    async def usage(backend: LocalBackend, session: str) -> Usage:
        _, end = await text_and_end(backend, replace(QUERY, session=session))
        assert end.usage is not None
        return end.usage

    backend = local()
    for session in ("a", "b"):
        await usage(backend, session)
    again = await usage(backend, "a")
    assert again.cached == again.prompt - 1
    one = backend._model._shelf.size // 2 if backend._model is not None else 0
    small = local(cache_bytes=one + one // 2)
    for session in ("a", "b"):
        await usage(small, session)
    assert (await usage(small, "b")).cached == again.prompt - 1
    assert (await usage(small, "a")).cached == 0


async def test_a_model_that_cannot_be_cropped_computes_each_prompt_anew(
    make_model: Callable[..., Path],
) -> None:
    """Its attention sees a window that slides."""
    folder = make_model(64)
    backend = LocalBackend(folder, dtype="float32")
    first, _ = await text_and_end(backend, QUERY)
    query = replace(QUERY, samples=2, temperature=1e-9)  # as good as greedy
    pieces = await answer(backend, query)
    for sample in range(2):
        text = "".join(p.text for p in pieces if isinstance(p, TextChunk) and p.sample == sample)
        assert text == first
    assert isinstance(pieces[-1], StreamEnd)
    assert pieces[-1].usage == Usage(pieces[-1].usage.prompt if pieces[-1].usage else 0, 0, 48)
    await backend.close()


async def test_stop_strings_ids_samples_and_seeds(local: Callable[..., LocalBackend]) -> None:
    backend = local()
    whole, stop = "", ""
    for prompt in TEXTS:  # what a random model says may be hardly any text
        query = replace(QUERY, prompt=prompt[:1000])
        whole, end = await text_and_end(backend, query)
        assert end.reason == "length"
        if len(stop := whole[5:8]) == 3:
            break
    assert stop
    text, end = await text_and_end(backend, replace(query, stop=(stop,)))
    assert (text, end.reason) == (whole[: whole.index(stop)], "stop")
    sampled = replace(QUERY, samples=3, temperature=1.0)
    first, again, other = local(seed=1), local(seed=1), local(seed=2)
    pieces = await answer(first, sampled)
    assert pieces == await answer(again, sampled)
    assert pieces != await answer(other, sampled)
    ends = [piece for piece in pieces if isinstance(piece, StreamEnd)]
    assert [(end.sample, end.usage is not None) for end in ends] == [(0, False), (1, False), (2, True)]


async def test_a_closed_answer_leaves_a_cache_that_is_right(local: Callable[..., LocalBackend]) -> None:
    backend = local()
    expected = await text_and_end(local(cache_bytes=0), QUERY)
    stream = backend.stream(replace(QUERY, max_tokens=1000))
    await anext(stream)
    await stream.aclose()
    text, end = await text_and_end(backend, QUERY)
    assert text == expected[0]
    assert end.usage is not None and end.usage.cached == end.usage.prompt - 1


async def test_a_prompt_that_is_too_long_is_refused(local: Callable[..., LocalBackend]) -> None:
    backend = local()
    with pytest.raises(BackendError, match=f"the model takes 1 to {CONTEXT - 1}") as raised:
        await answer(backend, replace(QUERY, prompt="x = 1\n" * CONTEXT))
    assert raised.value.failure == "refused"
    assert backend.health == Health("ready")
    await answer(backend, QUERY)


async def test_a_folder_that_holds_no_model(tmp_path: Path) -> None:
    pytest.importorskip("transformers", reason="tools/environment/get-vllm.sh installs what this takes")
    (tmp_path / "config.json").write_text('{"model_type": "none"}')
    backend = LocalBackend(tmp_path)
    with pytest.raises(BackendError, match="cannot be loaded") as raised:
        await backend.prepare()
    assert backend.health == Health("gone", raised.value.detail)
    await backend.close()
