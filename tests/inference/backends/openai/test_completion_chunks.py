"""The stream of a completion: bytes to events, events to chunks."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from editahead_inference.backends.base import StreamEnd, TextChunk, Usage
from editahead_inference.backends.openai.completion_chunks import ChunkReader
from editahead_inference.backends.openai.http_errors import MessageRedactor
from editahead_inference.backends.openai.sse import EventDecoder, ServerSentEvent
from editahead_inference.errors import BackendError

texts = st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]), max_size=8)


@given(st.lists(texts, max_size=4), st.data(), st.sampled_from(["\n", "\r\n"]))
def test_events_are_whole_however_the_bytes_are_split(said: list[str], data: st.DataObject, end: str) -> None:
    stream = "".join(f": comment{end}data: {text}{end}{end}" for text in said).encode()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=6)))
    decoder = EventDecoder()
    found: list[ServerSentEvent] = []
    for start, stop in zip([0, *cuts], [*cuts, len(stream)], strict=True):
        found += decoder.feed(stream[start:stop])
    assert found == [ServerSentEvent("message", text) for text in said]


def test_fields_of_events() -> None:
    decoder = EventDecoder()
    assert decoder.feed(b"event: add\nid: 7\ndata: a\ndata:b\n\n\ndata\n\n") == [
        ServerSentEvent("add", "a\nb"),
        ServerSentEvent("message", ""),
    ]
    assert decoder.feed(b'error: {"message": "x"}\n\n') == [ServerSentEvent("error", '{"message": "x"}')]


@pytest.mark.parametrize("data", [b"data: " + b"x" * 100, b"data: 1234\n" * 9, b"data: \xff\n"])
def test_events_of_a_kind_that_no_server_has(data: bytes) -> None:
    with pytest.raises(ValueError):
        EventDecoder(longest=50).feed(data)


def reader() -> ChunkReader:
    return ChunkReader("It", MessageRedactor((), None))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["choices", "index", "text", "delta", "content", "finish_reason", "logprobs"])
            | st.sampled_from(["token_logprobs", "usage", "prompt_tokens", "timings", "error", "logprob"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@settings(max_examples=40)
@given(
    st.lists(json_values | st.fixed_dictionaries({"choices": st.lists(json_values, max_size=2)}), max_size=4)
)
def test_any_json_gives_pieces_or_a_failure(chunks: list[Any]) -> None:
    answer = reader()
    try:
        for chunk in chunks:
            for piece in answer.feed(chunk):
                assert isinstance(piece, TextChunk | StreamEnd)
        assert isinstance(answer.finish(), StreamEnd)
    except BackendError as error:
        assert error.failure in ("broken", "unreachable")
        assert error.detail.endswith(".")


@given(st.lists(st.tuples(st.integers(0, 3), st.text(max_size=3)), max_size=12), st.randoms())
def test_every_sample_comes_whole_and_ends_once(said: list[tuple[int, str]], random: Any) -> None:
    samples = sorted({sample for sample, _ in said} | {0})
    chunks = [{"choices": [{"index": sample, "text": text}]} for sample, text in said]
    last = {
        sample: max((n for n, (s, _) in enumerate(said) if s == sample), default=-1) for sample in samples
    }
    for sample in sorted(samples, key=last.__getitem__, reverse=True):
        chunks.insert(last[sample] + 1, {"choices": [{"index": sample, "text": "", "finish_reason": "stop"}]})
    answer = reader()
    pieces = [piece for chunk in chunks for piece in answer.feed(chunk)]
    answer.feed({"choices": [], "usage": {"prompt_tokens": 3}})
    pieces.append(answer.finish())
    for sample in samples:
        own = [piece for piece in pieces if piece.sample == sample]
        assert "".join(piece.text for piece in own if isinstance(piece, TextChunk)) == "".join(
            text for s, text in said if s == sample
        )
        assert [isinstance(piece, StreamEnd) for piece in own].count(True) == 1
        assert isinstance(own[-1], StreamEnd)
    assert [piece.usage for piece in pieces if isinstance(piece, StreamEnd)][-1] == Usage(3)


@pytest.mark.parametrize(
    ("chunk", "usage"),
    [
        ({"usage": {"prompt_tokens": 5, "completion_tokens": 2}}, Usage(5, None, 2)),
        (
            {"usage": {"prompt_tokens": 5, "completion_tokens": 2, "prompt_tokens_details": None}},
            Usage(5, None, 2),
        ),
        ({"timings": {"cache_n": 4, "prompt_n": 1, "predicted_n": 2}}, Usage(5, 4, 2)),
        (
            {"usage": {"prompt_tokens": 5, "completion_tokens": 2}, "timings": {"cache_n": 4, "prompt_n": 1}},
            Usage(5, 4, 2),
        ),
        (
            {
                "usage": {"prompt_tokens": 5, "completion_tokens": 2},
                "metrics": {"speculative_decoding": {"num_draft_tokens": 9, "num_accepted_draft_tokens": 7}},
            },
            Usage(5, None, 2, 9, 7),
        ),
        ({"usage": {"prompt_tokens": 5}, "metrics": {"speculative_decoding": None}}, Usage(5, None, 0)),
    ],
)
def test_usage(chunk: dict[str, Any], usage: Usage) -> None:
    answer = reader()
    answer.feed({"choices": [{"index": 0, "text": "", "finish_reason": "stop"}]} | chunk)
    assert answer.finish() == StreamEnd("stop", 0, usage)


@pytest.mark.parametrize(
    ("said", "quoted"),
    [
        ({"error": {"message": "Out of memory."}}, ": Out of memory"),
        ({"error": "Out of memory."}, ": Out of memory"),
        ({"object": "error", "message": "Out of\n  memory"}, ": Out of memory"),
        ({"detail": "Not Found"}, ": Not Found"),
        ({"error": {"message": "bad input: secret_name = compute()"}}, ""),
        ({"error": {"message": "no such key: sk-12..."}}, ""),
        ({"error": {"message": ["a"]}}, ""),
        ("Out of memory", ""),
        (None, ""),
    ],
)
def test_only_what_holds_nothing_private_is_quoted(said: Any, quoted: str) -> None:
    assert MessageRedactor(("x\nsecret_name = compute()\n",), "sk-123456")(said) == quoted
