"""The exchange of vectors between an index and its team: first those that others have computed, last what others lack.

No method waits long for the server: its answers come on a thread of their own. When the server fails, the exchange ends
with the reason, and the index goes on by itself.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotDoneError
from functools import partial
from itertools import islice
from typing import Any, TypeAlias

from editahead_retrieval.errors import TeamIndexError
from editahead_retrieval.vectors.store import VectorStore

from .proofs import TeamKey
from .server import PublishedContent, TeamServer

STEP_S = 0.03
"""Seconds that a step waits for an answer at most."""
RETRY_S = 300.0
"""Seconds after a failure in which the server is not asked again."""
ASKED = 2_000
"""Chunks of one call."""
MIN_FETCHED = 16
"""Chunks without vectors from which the team is asked. Fewer, as of a saved file, are computed sooner."""
SHARE_S = 300.0
"""Seconds after a share in which what was saved meanwhile waits, so that no saved file calls the server by itself."""

_Call: TypeAlias = "Callable[[], Any]"
_Exchange: TypeAlias = "Generator[_Call, Any, None]"


class TeamExchange:
    """The exchange of one index with its team. Use it on one thread.

    Args:
        connection: The connection of the index.
        store: Its vectors.
        key: The key of the team for the encoder of these vectors.
        server: The server, which only this object uses.
        clock: Returns monotonic seconds.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        store: VectorStore,
        key: TeamKey,
        server: TeamServer,
        clock: Callable[[], float] = time.monotonic,  # noqa: TID251  # unless another is passed in
    ) -> None:
        self._connection, self._store, self._key, self._server = connection, store, key, server
        self._clock = clock
        self._calls = ThreadPoolExecutor(1, "editahead-team")
        self._exchange: _Exchange | None = None
        self._answer: Future[Any] | None = None
        self._retry_at = self._share_at = 0.0
        self._known: set[int] = set()
        self.problem = ""
        """Why the last exchange failed, for a person; "" if it did not."""

    def begin_fetch(self) -> None:
        """Begin to ask for the vectors that the index lacks."""
        self._begin(self._fetch())

    def begin_share(self) -> None:
        """Begin to share what the team's index lacks, if that was not done a moment ago."""
        if self._clock() >= self._share_at:
            self._begin(self._share())

    def step(self) -> bool:
        """Do the next part of what was begun, and return whether there is more.

        Raises:
            IndexUnusableError: The index is damaged, or there is no room for more of it.
        """
        if self._exchange is None:
            return False
        try:
            if self._answer is None:
                self._answer = self._calls.submit(next(self._exchange))
            answer = self._answer.result(STEP_S)
            self._answer = self._calls.submit(self._exchange.send(answer))
        except NotDoneError:
            return True
        except StopIteration:
            self._exchange, self._answer, self.problem = None, None, ""
            self._calls.submit(self._server.close)  # the server is for many people, who work for hours
        except TeamIndexError as error:
            self._exchange, self._answer, self.problem = None, None, str(error)
            self._retry_at = self._clock() + RETRY_S
        return self._exchange is not None

    def close(self) -> None:
        """End the exchange. A call in progress is not waited for."""
        self._exchange = None
        self._calls.submit(self._server.close)
        self._calls.shutdown(wait=False)

    def _begin(self, exchange: _Exchange) -> None:
        self._answer = None
        self._exchange = exchange if self._clock() >= self._retry_at else None

    def _fetch(self) -> _Exchange:
        lacking = self._store.chunks_without_vectors()
        waiting = iter(lacking if len(lacking) >= MIN_FETCHED else ())
        while part := list(islice(waiting, ASKED)):
            proofs = [self._key.prove_chunk(chunk_hash) for _, chunk_hash in part]
            found: dict[int, bytes] = yield partial(self._server.vectors_of, proofs)
            self._store.put([part[place][0] for place in found], list(found.values()))

    def _share(self) -> _Exchange:
        contents = [row for row in self._store.contents() if row.content not in self._known]
        if not contents:
            return
        proofs = [self._key.prove_content(row.content_hash, row.language) for row in contents]
        unknown: list[int] = yield partial(self._server.unknown_contents, proofs)
        hashes = self._store.chunk_hashes() if unknown else {}
        batch: list[PublishedContent] = []
        vectors: dict[bytes, bytes] = {}
        pieces = 0
        for place in unknown:
            rows = self._store.pieces(contents[place].content)
            if any(row.vector is None or row.chunk not in hashes for row in rows):
                continue
            if pieces + len(rows) > ASKED and batch:
                yield from self._publish(batch, vectors)
                batch, vectors, pieces = [], {}, 0
            chunks = [self._key.prove_chunk(hashes[row.chunk]) for row in rows]
            vectors.update(zip(chunks, (row.vector or b"" for row in rows), strict=True))
            lines = [(row.line, row.end_line, chunk) for row, chunk in zip(rows, chunks, strict=True)]
            batch.append(PublishedContent(proofs[place], lines))
            pieces += len(rows)
        if batch:
            yield from self._publish(batch, vectors)
        self._known.update(row.content for row in contents)
        self._share_at = self._clock() + SHARE_S

    def _publish(self, contents: Sequence[PublishedContent], vectors: dict[bytes, bytes]) -> _Exchange:
        chunks = list(vectors)
        unknown: list[int] = yield partial(self._server.unknown_chunks, chunks)
        lacking = [chunks[place] for place in unknown]
        if lacking:
            yield partial(self._server.put_vectors, lacking, [vectors[chunk] for chunk in lacking])
        yield partial(self._server.put_contents, contents)
