"""The OpenAI backend with a real vLLM."""

from __future__ import annotations

import asyncio
import math
from dataclasses import replace
from pathlib import Path

import pytest

from backend_helpers import answer, logprobs_of, text_and_end
from editahead_inference.backends.base import Capabilities, CompletionRequest, Health, StreamEnd, TextChunk
from editahead_inference.backends.openai.backend import OpenAIBackend
from editahead_inference.backends.openai.http_transport import BACKGROUND_TIMEOUTS
from editahead_inference.errors import BackendError
from editahead_inference.predictors.model.predictor import ModelPredictor
from editahead_prompts.composition.hf_tokenizer import load
from editahead_prompts.formats.registry import FORMATS
from editahead_prompts.state import EditorState
from editahead_prompts.text.snapshot import Snapshot
from real_vllm import BLOCK, KEY, metric
from tiny_model import CONTEXT, END, texts

TEXT = texts()[1]
QUERY = CompletionRequest(TEXT[:1000], (), 24)


async def test_it_is_found_out_what_there_is(vllm: OpenAIBackend, vllm_url: str) -> None:
    await vllm.prepare()
    assert (vllm.name, vllm.model, vllm.health) == (f"vLLM {vllm_url}", "tiny", Health("ready"))
    assert vllm.capabilities == Capabilities(True, True, True, True, CONTEXT)


async def test_a_wrong_model_and_a_wrong_key(vllm_url: str) -> None:
    for model, key, sentence in (
        ("large", KEY, f"{vllm_url} does not serve the model 'large'; there is tiny."),
        (None, "another", f"{vllm_url} does not accept the key."),
        (None, None, f"{vllm_url} wants a key; `api_key_env` names the variable with it."),
    ):
        backend = OpenAIBackend(vllm_url, model=model, key=key)
        with pytest.raises(BackendError) as raised:
            await backend.prepare()
        assert (raised.value.failure, raised.value.detail) == ("refused", sentence)
        await backend.close()


async def test_a_greedy_answer_is_the_same_each_time(vllm: OpenAIBackend) -> None:
    first, end = await text_and_end(vllm, QUERY)
    assert first and end.reason == "length"
    assert end.usage is not None and end.usage.completion == 24
    both = await asyncio.gather(*(text_and_end(vllm, QUERY) for _ in range(3)))
    assert {text for text, _ in both} == {first}
    chunks = [piece for piece in await answer(vllm, QUERY) if isinstance(piece, TextChunk)]
    assert len(chunks) > 3


async def test_token_ids_are_as_good_as_their_text(vllm: OpenAIBackend, model_folder: Path) -> None:
    from transformers import AutoTokenizer

    ids = AutoTokenizer.from_pretrained(model_folder)(QUERY.prompt)["input_ids"]
    by_ids = await text_and_end(vllm, replace(QUERY, prompt="ignored", ids=tuple(ids)))
    by_text = await text_and_end(vllm, QUERY)
    assert by_ids[0] == by_text[0]
    assert by_ids[1].usage is not None and by_ids[1].usage.prompt == len(ids)


async def test_a_predictor_goes_over_to_ids_that_say_the_same(
    vllm: OpenAIBackend, model_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Markers of the format are no tokens of the tiny model; the end of a text is one, and stands in the document, too."""
    queries: list[CompletionRequest] = []
    stream = vllm.stream
    monkeypatch.setattr(vllm, "stream", lambda query: (queries.append(query), stream(query))[1])
    # The tiny model says the same over and over, and an answer that is given up has no end that tells of tokens.
    monkeypatch.setattr("editahead_prompts.formats.answer_reader.repeated_suffix", lambda line: None)
    monkeypatch.setitem(FORMATS, "zeta-2", replace(FORMATS["zeta-2"], max_tokens=100))
    document = Snapshot.from_text(
        f"END = {END!r}  # \u00e9\n{TEXT[:400]}", uri="file:///a.py", language="python"
    )
    predictor = ModelPredictor(vllm, "zeta-2", tokenizer=load(model_folder))
    for line in range(2, 6):
        told = await predictor.predict(EditorState(document, document.starts[line]))
        assert told.problem is None
        if queries[-1].ids is not None:
            break
    assert queries[0].ids is None
    by_text, by_ids = replace(queries[-1], ids=None), queries[-1]
    assert by_ids.ids is not None
    (text, end), (same, ended) = await text_and_end(vllm, by_text), await text_and_end(vllm, by_ids)
    assert text and (text, end.reason) == (same, ended.reason)
    assert end.usage is not None and ended.usage is not None
    assert end.usage.prompt == ended.usage.prompt == len(by_ids.ids)


async def test_it_stops_at_a_stop_string(vllm: OpenAIBackend) -> None:
    whole, _ = await text_and_end(vllm, QUERY)
    stop = whole[5:8]
    text, end = await text_and_end(vllm, replace(QUERY, stop=(stop,)))
    assert (text, end.reason) == (whole[: whole.index(stop)], "stop")


async def test_logprobs_and_samples(vllm: OpenAIBackend) -> None:
    logprobs = logprobs_of(await answer(vllm, replace(QUERY, logprobs=True)))
    assert len(logprobs) == 24
    assert all(-math.inf < x <= 0 for x in logprobs)
    pieces = await answer(vllm, replace(QUERY, samples=3, temperature=1.0))
    ends = [piece for piece in pieces if isinstance(piece, StreamEnd)]
    assert sorted(end.sample for end in ends) == [0, 1, 2]
    assert [end.usage is not None for end in ends] == [False, False, True]
    samples = {
        "".join(piece.text for piece in pieces if isinstance(piece, TextChunk) and piece.sample == sample)
        for sample in range(3)
    }
    assert len(samples) > 1


async def test_a_chat_with_the_beginning_of_its_answer(vllm: OpenAIBackend) -> None:
    query = CompletionRequest("Rename the field.", (), 8, system="Be brief.", chat=True)
    plain, end = await text_and_end(vllm, query)
    begun, begun_end = await text_and_end(vllm, replace(query, prefill="```\nclass A:"))
    assert plain and begun and plain != begun
    assert end.usage is not None and begun_end.usage is not None
    assert begun_end.usage.prompt > end.usage.prompt
    raw = "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nRename the field.<|im_end|>\n"
    as_text, _ = await text_and_end(
        vllm, CompletionRequest(f"{raw}<|im_start|>assistant\n```\nclass A:", (), 8)
    )
    assert as_text == begun


async def test_a_prompt_spares_the_next_one_its_beginning(vllm: OpenAIBackend) -> None:
    prompt = texts()[2][:1200]
    fresh = CompletionRequest("# never seen before\n" + prompt, (), 4)
    _, first = await text_and_end(vllm, fresh)
    usage = first.usage
    assert usage is not None and usage.cached is not None and usage.cached < BLOCK
    _, end = await text_and_end(vllm, replace(fresh, prompt=fresh.prompt + "\ndef more():"))
    assert end.usage is not None and end.usage.cached is not None
    assert usage.prompt - 2 * BLOCK < end.usage.cached <= usage.prompt
    _, again = await text_and_end(vllm, fresh)
    assert again.usage is not None and again.usage.cached is not None and again.usage.cached > usage.cached


async def test_a_closed_answer_ends_on_the_server(vllm: OpenAIBackend, vllm_url: str) -> None:
    """Its running requests become none, and it has not made all the tokens."""
    running, generated = "vllm:num_requests_running", "vllm:generation_tokens_total"
    most = CONTEXT - 1000
    query = CompletionRequest(TEXT[:200], (), most)
    before = await metric(vllm_url, generated)
    stream = vllm.stream(query)
    await anext(stream)
    assert await metric(vllm_url, running) == 1
    await stream.aclose()
    async with asyncio.timeout(60):
        while await metric(vllm_url, running):
            pass
    assert await metric(vllm_url, generated) - before < most
    assert vllm.health == Health("ready")
    assert (await text_and_end(vllm, QUERY))[0]


async def test_a_cancelled_task_ends_on_the_server(vllm: OpenAIBackend, vllm_url: str) -> None:
    """Also one that waits for the first piece."""
    task = asyncio.create_task(answer(vllm, CompletionRequest(TEXT[:200], (), CONTEXT - 1000)))
    async with asyncio.timeout(60):
        while not await metric(vllm_url, "vllm:num_requests_running"):
            assert not task.done()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        while await metric(vllm_url, "vllm:num_requests_running"):
            pass


async def test_a_prompt_that_is_too_long_is_refused(vllm: OpenAIBackend) -> None:
    with pytest.raises(BackendError, match=f"maximum context length is {CONTEXT} tokens") as raised:
        await answer(vllm, replace(QUERY, prompt="x = 1\n" * CONTEXT))
    assert raised.value.failure == "refused"
    assert vllm.health == Health("ready")


async def test_priorities_are_asked_for_in_the_background(vllm_url: str) -> None:
    backend = OpenAIBackend(vllm_url, key=KEY, waiting=BACKGROUND_TIMEOUTS)
    assert (await text_and_end(backend, replace(QUERY, background=True)))[0]
    assert backend._priority
    await backend.close()
