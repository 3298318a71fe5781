"""Work that waits for a pause in the changes of its input."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable


class IdleTrigger:
    """A trigger that runs an action when its input has changed and then stays the same for a while.

    Args:
        current: Returns the present input; None = do not run. The trigger compares the input after every message.
        action: Runs once for each new input.
        pause_s: Seconds for which the input must stay the same.
        sleep: Waits for a number of seconds.
    """

    def __init__(
        self,
        current: Callable[[], object],
        action: Callable[[], Awaitable[None]],
        pause_s: float,
        sleep: Callable[[float], Awaitable[None]],
    ) -> None:
        self._current, self._action = current, action
        self._pause_s, self._sleep = pause_s, sleep
        self._last_input: object = None
        self._task: asyncio.Task[None] | None = None

    def on_message(self) -> None:
        """Start to wait if the input has changed. Call this method after every message."""
        if (self._task is None or self._task.done()) and self._has_changed():
            self._task = asyncio.ensure_future(self._run())

    def stop(self) -> None:
        """Cancel the wait, or the action."""
        if self._task is not None:
            self._task.cancel()

    def is_current(self) -> bool:
        """Return whether the input is still that of the last action."""
        current = self._current()
        return current is not None and current == self._last_input

    def _has_changed(self) -> bool:
        return self._current() is not None and not self.is_current()

    async def _run(self) -> None:
        while self._has_changed():
            self._last_input = self._current()
            await self._sleep(self._pause_s)
            if self.is_current():
                await self._action()
