"""The OpenAI backend with a real server of llama.cpp."""

from __future__ import annotations

import asyncio
import json
import math
from dataclasses import replace
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

from backend_helpers import answer, logprobs_of, text_and_end
from editahead_inference.backends.base import Capabilities, CompletionRequest, Health, TextChunk
from editahead_inference.backends.openai.backend import OpenAIBackend
from editahead_inference.errors import BackendError
from editahead_serving.launch_plan import LaunchPlan
from real_llama_cpp import PATIENT, make_plan, serving

CONTEXT = 8192
"""Tokens that SmolLM2 was trained for."""
CODE = (
    "def area(width, height):\n    return width * height\n\n\ndef volume(width, height, depth):\n    return "
)
QUERY = CompletionRequest(CODE, (), 24)


async def test_it_is_found_out_what_there_is(llama: OpenAIBackend, plan: LaunchPlan) -> None:
    await llama.prepare()
    assert (llama.name, llama.model, llama.health) == (f"llama.cpp {plan.url}", "smollm2", Health("ready"))
    assert llama.capabilities == Capabilities(
        token_ids=True, logprobs=True, samples=False, keeps_prompts=True, context=CONTEXT
    )


async def test_a_wrong_model_and_a_wrong_key(plan: LaunchPlan) -> None:
    other = OpenAIBackend(plan.url, model="large", key=plan.key)
    with pytest.raises(BackendError, match="does not serve the model 'large'; there is smollm2"):
        await other.prepare()
    await other.close()
    for key, sentence in (("another", "does not accept the key"), (None, "wants a key")):
        backend = OpenAIBackend(plan.url, key=key, waiting=PATIENT)
        with pytest.raises(BackendError, match=sentence):
            await answer(backend, QUERY)
        await backend.close()


async def test_a_greedy_answer_streams_and_is_the_same_each_time(llama: OpenAIBackend) -> None:
    """From a prompt that is cached, for one request at a time: several at once are rounded differently from one."""
    await text_and_end(llama, QUERY)
    first, end = await text_and_end(llama, QUERY)
    assert first
    assert end.reason == "length" and end.usage is not None and end.usage.completion == 24
    chunks = [piece for piece in await answer(llama, QUERY) if isinstance(piece, TextChunk)]
    assert len(chunks) > 3
    assert {(await text_and_end(llama, QUERY))[0] for _ in range(2)} == {first}
    both = await asyncio.gather(*(text_and_end(llama, QUERY) for _ in range(3)))
    assert all(text and end.usage is not None and end.usage.completion == 24 for text, end in both)


async def test_drafts_repeat_what_the_prompt_has(llama: OpenAIBackend, tmp_path: Path) -> None:
    """The answer is the one without drafts. It need not be where two tokens are nearly as likely: rounding differs."""
    table = "".join(f"row_{n} = {n * n}\n" for n in range(30))
    rewrite = CompletionRequest(
        f"{table}\n# The same again:\n{table}\n# The same again:\n{table[:60]}", (), 120
    )
    plan = make_plan(drafts=False)
    with serving(plan, tmp_path / "llama.log"):
        plain = OpenAIBackend(plan.url, key=plan.key, waiting=PATIENT)
        wanted, _ = await text_and_end(plain, rewrite)
        await plain.close()
    assert wanted == table[60 : 60 + len(wanted)]
    assert (await text_and_end(llama, rewrite))[0] == wanted


async def test_it_stops_at_a_stop_string(llama: OpenAIBackend) -> None:
    whole, _ = await text_and_end(llama, QUERY)
    text, end = await text_and_end(llama, replace(QUERY, stop=("height",)))
    assert (text, end.reason) == (whole[: whole.index("height")], "stop")


async def test_many_stop_strings(llama: OpenAIBackend) -> None:
    stops = (*(f"<|never-{n}|>" for n in range(12)), "height")
    assert (await text_and_end(llama, replace(QUERY, stop=stops)))[1].reason == "stop"


async def test_special_tokens_are_text(llama: OpenAIBackend) -> None:
    """Formats read markers that are special tokens."""
    chat = "<|im_start|>user\nSay hello.<|im_end|>\n<|im_start|>assistant\nHello!"
    text, _ = await text_and_end(llama, CompletionRequest(chat, ("<|im_end|>",), 40))
    assert "<|im_" not in text


async def test_token_ids_are_as_good_as_their_text(llama: OpenAIBackend, plan: LaunchPlan) -> None:
    def tokenize() -> list[int]:
        body = json.dumps({"content": CODE, "parse_special": True}).encode()
        headers = {"Authorization": f"Bearer {plan.key}", "Content-Type": "application/json"}
        with urlopen(Request(f"{plan.url}/tokenize", body, headers)) as said:
            return list(json.load(said)["tokens"])

    ids = await asyncio.to_thread(tokenize)
    by_ids = await text_and_end(llama, replace(QUERY, prompt="ignored", ids=tuple(ids)))
    by_text = await text_and_end(llama, QUERY)
    assert by_ids[0] == by_text[0]
    assert by_ids[1].usage is not None and by_ids[1].usage.prompt == len(ids)


async def test_logprobs(llama: OpenAIBackend) -> None:
    logprobs = logprobs_of(await answer(llama, replace(QUERY, logprobs=True)))
    assert len(logprobs) == 24
    assert all(-math.inf < x <= 0 for x in logprobs)


async def test_a_chat_with_the_beginning_of_its_answer(llama: OpenAIBackend) -> None:
    query = CompletionRequest(
        "Name the keyword that defines a function.", (), 8, system="Be brief.", chat=True
    )
    plain, _ = await text_and_end(llama, query)
    begun, _ = await text_and_end(llama, replace(query, prefill="```python\nclass A"))
    assert plain and begun and plain != begun
    assert not begun.startswith("```"), "it goes on, and does not begin again"


async def test_a_prompt_spares_the_next_one_its_beginning(llama: OpenAIBackend) -> None:
    fresh = CompletionRequest("# never seen before\n" + CODE * 4, (), 4)
    _, first = await text_and_end(llama, fresh)
    usage = first.usage
    assert usage is not None and usage.cached is not None and usage.cached < 16
    _, end = await text_and_end(llama, replace(fresh, prompt=fresh.prompt + "width"))
    assert end.usage is not None and end.usage.cached is not None
    assert usage.prompt - 8 < end.usage.cached <= usage.prompt


async def slots(plan: LaunchPlan) -> int:
    """Return how many requests the server is working on."""

    def read() -> int:
        wanted = Request(f"{plan.url}/slots", headers={"Authorization": f"Bearer {plan.key}"})
        with urlopen(wanted) as page:
            return sum(bool(slot["is_processing"]) for slot in json.load(page))

    return await asyncio.to_thread(read)


async def test_a_closed_answer_ends_on_the_server(llama: OpenAIBackend, plan: LaunchPlan) -> None:
    stream = llama.stream(CompletionRequest(CODE, (), 4000))
    await anext(stream)
    assert await slots(plan) == 1
    await stream.aclose()
    async with asyncio.timeout(60):
        while await slots(plan):
            pass
    assert llama.health == Health("ready")


async def test_a_cancelled_task_ends_on_the_server(llama: OpenAIBackend, plan: LaunchPlan) -> None:
    """Also one that waits for the first piece of a long prompt."""
    task = asyncio.create_task(answer(llama, CompletionRequest(CODE * 60, (), 400)))
    async with asyncio.timeout(60):
        while not await slots(plan):
            assert not task.done()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        while await slots(plan):
            pass


async def test_a_prompt_that_is_too_long_is_refused(llama: OpenAIBackend) -> None:
    with pytest.raises(BackendError) as raised:
        await answer(llama, replace(QUERY, prompt="x = 1\n" * CONTEXT))
    assert raised.value.failure == "refused" and "context size" in raised.value.detail
    assert llama.health == Health("ready")


async def test_a_slow_machine_is_waited_for_and_then_given_up(plan: LaunchPlan) -> None:
    """The first piece of a prompt this long takes seconds here; a client that waits less gets a clear error."""
    hasty = replace(PATIENT, first=0.05)
    backend = OpenAIBackend(plan.url, key=plan.key, waiting=hasty)
    await backend.prepare()
    with pytest.raises(BackendError) as raised:
        await answer(backend, CompletionRequest("# slow\n" + CODE * 20, (), 4))
    assert raised.value.failure == "timeout"
    await backend.close()
    async with asyncio.timeout(60):
        while await slots(plan):
            pass
