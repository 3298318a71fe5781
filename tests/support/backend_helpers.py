"""Asking a backend."""

from __future__ import annotations

import pytest

from editahead_inference.backends.base import Backend, BackendError, End, Piece, Query

QUERY = Query("def f(", ("<end>",), 50)


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


async def answer(backend: Backend, query: Query = QUERY) -> list[Piece | End]:
    """All that comes."""
    return [piece async for piece in backend.stream(query)]


async def failure(backend: Backend, query: Query = QUERY) -> BackendError:
    """What comes instead."""
    with pytest.raises(BackendError) as raised:
        await answer(backend, query)
    return raised.value


async def text_and_end(backend: Backend, query: Query, sample: int = 0) -> tuple[str, End]:
    """The whole text of one sample, and how it ended."""
    *pieces, end = [piece for piece in await answer(backend, query) if piece.sample == sample]
    assert isinstance(end, End)
    return "".join(piece.text for piece in pieces if isinstance(piece, Piece)), end


def logprobs_of(pieces: list[Piece | End]) -> list[float]:
    return [x for piece in pieces if isinstance(piece, Piece) for x in piece.logprobs]
