"""Server-sent events out of bytes, of limited length.

Source: the HTML standard, "Parsing an event stream". A lone carriage return does not end a line here: no model server
sends one.
"""

from __future__ import annotations

from dataclasses import dataclass

MAX_LINE = 1_000_000
"""Bytes of one line, and of one event: more is no completion."""


@dataclass(frozen=True, slots=True)
class ServerSentEvent:
    """A server-sent event.

    kind: "message" if the server does not name it. llama.cpp sends failures in a field "error", which is a kind here.
    """

    kind: str
    data: str


class EventDecoder:
    """A decoder of bytes that come in pieces of any size."""

    def __init__(self, longest: int = MAX_LINE) -> None:
        self._longest = longest
        self._held = b""
        self._kind = ""
        self._data: list[str] = []
        self._size = 0

    def feed(self, data: bytes) -> list[ServerSentEvent]:
        """Return the events that are complete.

        Raises:
            ValueError: A line or an event is too long, or is not UTF-8.
        """
        *lines, self._held = (self._held + data).split(b"\n")
        if len(self._held) > self._longest:
            raise ValueError("a line is too long")
        return [event for line in lines if (event := self._line(line.removesuffix(b"\r"))) is not None]

    def _line(self, line: bytes) -> ServerSentEvent | None:
        if not line:
            event = ServerSentEvent(self._kind or "message", "\n".join(self._data)) if self._data else None
            self._kind, self._data, self._size = "", [], 0
            return event
        self._size += len(line)
        if self._size > self._longest:
            raise ValueError("an event is too long")
        field, _, value = line.decode("utf-8").partition(":")
        value = value.removeprefix(" ")
        if field == "event":
            self._kind = value
        elif field == "data":
            self._data.append(value)
        elif field == "error":
            self._kind = "error"
            self._data.append(value)
        return None
