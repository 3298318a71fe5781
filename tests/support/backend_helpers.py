"""Helpers that send one request to a backend and collect the stream."""

from __future__ import annotations

import pytest

from editahead_inference.backends.base import Backend, CompletionRequest, StreamEnd, TextChunk
from editahead_inference.errors import BackendError

QUERY = CompletionRequest("def f(", ("<end>",), 50)


async def answer(backend: Backend, query: CompletionRequest = QUERY) -> list[TextChunk | StreamEnd]:
    """Return all items of the stream."""
    return [piece async for piece in backend.stream(query)]


async def failure(backend: Backend, query: CompletionRequest = QUERY) -> BackendError:
    """Return the error that ends the stream."""
    with pytest.raises(BackendError) as raised:
        await answer(backend, query)
    return raised.value


async def text_and_end(backend: Backend, query: CompletionRequest, sample: int = 0) -> tuple[str, StreamEnd]:
    """Return the whole text of one sample, and the reason for its end."""
    *pieces, end = [piece for piece in await answer(backend, query) if piece.sample == sample]
    assert isinstance(end, StreamEnd)
    return "".join(piece.text for piece in pieces if isinstance(piece, TextChunk)), end


def logprobs_of(pieces: list[TextChunk | StreamEnd]) -> list[float]:
    return [x for piece in pieces if isinstance(piece, TextChunk) for x in piece.logprobs]
