"""Clocks and pauses that a test moves on."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass


@dataclass
class Clock:
    """A clock that a test moves."""

    now: float = 0.0

    def __call__(self) -> float:
        return self.now


class Pauses:
    """Sleeps that end when the test says so."""

    def __init__(self) -> None:
        self.asked: asyncio.Queue[tuple[float, asyncio.Future[None]]] = asyncio.Queue()

    async def __call__(self, seconds: float) -> None:
        over = asyncio.get_running_loop().create_future()
        self.asked.put_nowait((seconds, over))
        await over

    async def end_one(self) -> float:
        """Wait for the next sleep, end it, and return its length."""
        seconds, over = await asyncio.wait_for(self.asked.get(), 10)
        over.set_result(None)
        return seconds
