"""A connection to PostgreSQL whose answers have a limit of time and of size, whatever the server sends."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any

from editahead_retrieval.errors import TeamIndexError

if TYPE_CHECKING:
    import psycopg
    from psycopg.abc import PQGen

MAX_ANSWER_BYTES = 64 << 20
"""Bytes of one answer. The largest that the functions of a team's index give is a hundredth of it."""
OLDEST_LIBPQ = 16_00_00
"""The first libpq that can refuse to show a password to the server (`require_auth`)."""


def connect_bounded(call_s: float, **options: Any) -> psycopg.Connection:
    """Return a connection whose statements raise TeamIndexError where the answer takes too long, or is too large.

    Args:
        call_s: Seconds of one statement, at most.
        options: Those of `psycopg.connect`.

    Raises:
        psycopg.Error: There is no connection.
    """
    import psycopg

    class BoundedConnection(psycopg.Connection):
        def wait(self, gen: PQGen[Any], *arguments: Any, **more: Any) -> Any:
            return super().wait(_bounded(gen, self.pgconn.socket, call_s), *arguments, **more)

    return BoundedConnection.connect(**options)


def _bounded(steps: PQGen[Any], handle: int, call_s: float) -> PQGen[Any]:
    """Run the steps of the protocol, and look at the time and at what has arrived between them."""
    deadline, received = time.monotonic() + call_s, 0  # noqa: TID251  # the deadline of a call over the network
    try:
        wanted = next(steps)
        while True:
            ready = yield wanted
            if time.monotonic() > deadline:  # noqa: TID251  # the same
                raise TeamIndexError(f"the team's index does not answer within {call_s} s")
            received += _waiting_bytes(handle)
            if received > MAX_ANSWER_BYTES:
                raise TeamIndexError(f"the team's index answers with more than {MAX_ANSWER_BYTES} bytes")
            wanted = steps.send(ready)
    except StopIteration as end:
        return end.value


def _waiting_bytes(handle: int) -> int:
    """Return how many bytes have arrived and were not read, as far as the system tells."""
    if sys.platform == "win32":
        return 0
    import fcntl
    import termios

    return int.from_bytes(fcntl.ioctl(handle, termios.FIONREAD, bytes(4)), sys.byteorder)
