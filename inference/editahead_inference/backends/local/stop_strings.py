"""Stop strings in streamed text, for backends that must find them themselves."""

from __future__ import annotations

from collections.abc import Iterable


class StopScanner:
    """A filter that passes text up to the first stop string, and holds back what may be the beginning of one."""

    def __init__(self, stops: Iterable[str]) -> None:
        self._stops = tuple(stop for stop in stops if stop)
        self._held = ""
        self.stopped = False

    def feed(self, text: str) -> str:
        """Add text, and return what can be passed on: nothing more once a stop string has come."""
        if self.stopped:
            return ""
        self._held += text
        found = [at for stop in self._stops if (at := self._held.find(stop)) >= 0]
        if found:
            self.stopped = True
            return self._held[: min(found)]
        keep = max((_begun(self._held, stop) for stop in self._stops), default=0)
        given, self._held = self._held[: len(self._held) - keep], self._held[len(self._held) - keep :]
        return given

    def finish(self) -> str:
        """End the text, and return what was held back."""
        return "" if self.stopped else self._held


def _begun(text: str, stop: str) -> int:
    """Return the number of characters at the end of the text that begin the stop string."""
    max_size = min(len(text), len(stop) - 1)
    return next((size for size in range(max_size, 0, -1) if text.endswith(stop[:size])), 0)
