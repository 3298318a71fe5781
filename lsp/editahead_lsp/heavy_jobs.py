"""How many heavy jobs of this process run at a time, such as those that start programs. The others wait in a fair order."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager

MAX_HEAVY_JOBS = 2
"""Jobs at a time, of all clients together. Each may use a core and gigabytes."""


class HeavyJobs:
    """The places for jobs. A client that asks for many waits for its own, not the others for it.

    Args:
        max_jobs: Jobs at a time.
    """

    def __init__(self, max_jobs: int = MAX_HEAVY_JOBS) -> None:
        self._free = max_jobs
        self._waiting: dict[Hashable, deque[asyncio.Future[None]]] = {}
        """Who waits, by client. The next turn is that of the first client, which then goes to the end."""

    @asynccontextmanager
    async def place(self, client: Hashable) -> AsyncIterator[None]:
        """Wait for a place, and hold it. A caller that is cancelled leaves the queue.

        Args:
            client: Whose job it is.
        """
        await self._take(client)
        try:
            yield
        finally:
            self._give_back()

    async def _take(self, client: Hashable) -> None:
        if self._free:
            self._free -= 1
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(client, deque()).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():  # the turn came at the same moment
                self._give_back()
            raise

    def _give_back(self) -> None:
        while self._waiting:
            client = next(iter(self._waiting))
            queue = self._waiting.pop(client)
            turn = queue.popleft()
            if queue:
                self._waiting[client] = queue
            if not turn.done():
                turn.set_result(None)
                return
        self._free += 1


HEAVY_JOBS = HeavyJobs()
"""The places of this process, whatever a job is asked for by."""
