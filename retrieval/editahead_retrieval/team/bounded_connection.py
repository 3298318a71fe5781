"""A connection to PostgreSQL whose answers have a limit of time and of size, whatever the server sends.

Imported only where psycopg is installed.
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any

import psycopg

from editahead_retrieval.errors import TeamIndexError

if TYPE_CHECKING:
    from psycopg.abc import PQGen

MAX_ANSWER_BYTES = 64 << 20
"""Bytes of one answer. The largest that the functions of a team's index give is a hundredth of it."""
OLDEST_LIBPQ = 16_00_00
"""The first libpq that can refuse to show a password to the server (`require_auth`)."""


class BoundedConnection(psycopg.Connection):
    """A connection that every statement leaves in time.

    Attributes:
        call_s: Seconds of one statement.
    """

    call_s: float = 10

    def wait(self, gen: PQGen[Any], *arguments: Any, **options: Any) -> Any:
        """Run a step of the protocol to its end; see `psycopg.Connection.wait`.

        Raises:
            TeamIndexError: The answer takes too long, or is too large.
        """
        return super().wait(self._bounded(gen), *arguments, **options)

    def _bounded(self, steps: PQGen[Any]) -> PQGen[Any]:
        deadline, received = time.monotonic() + self.call_s, 0
        try:
            wanted = next(steps)
            while True:
                ready = yield wanted
                if time.monotonic() > deadline:
                    raise TeamIndexError(f"the team's index does not answer within {self.call_s} s")
                received += _waiting_bytes(self.pgconn.socket)
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
