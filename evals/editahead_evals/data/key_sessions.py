"""A session of editing, key by key: what an editor would send to the server, in order and with its times.

Sessions come from recordings of people (`recordings`), or are made of commits (`typed_commits`). Offsets are in code
points, times in seconds from the session's first event.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

Replacement = tuple[int, int, str]
"""The text from one offset to another, and what replaces it."""


@dataclass(frozen=True, slots=True)
class Open:
    """A document is opened with a text. One that is open already is closed first."""

    path: str
    language: str
    text: str
    at: float = 0.0


@dataclass(frozen=True, slots=True)
class Close:
    path: str
    at: float = 0.0


@dataclass(frozen=True, slots=True)
class Focus:
    """A document gets the focus."""

    path: str
    at: float = 0.0


@dataclass(frozen=True, slots=True)
class Change:
    """A change of a document's text.

    Attributes:
        replacements: in the order of the text, in offsets of the text before the change.
        cursor: the cursor after the change, as an offset in the new text.
        by_key: whether one key made the change; others are accepted completions, pastes, formatting.
    """

    path: str
    replacements: tuple[Replacement, ...]
    cursor: int
    by_key: bool
    at: float = 0.0


Event = Open | Close | Focus | Change


@dataclass(frozen=True)
class KeySession:
    """One session of one person.

    Attributes:
        id: unique among the sessions of one evaluation.
        language: the language in which the session is counted.
    """

    id: str
    language: str
    events: Sequence[Event]

    @property
    def keys(self) -> int:
        return sum(isinstance(event, Change) and event.by_key for event in self.events)


def apply_replacements(text: str, replacements: Sequence[Replacement]) -> str:
    """Return the text after replacements that are in order and in offsets of `text`.

    Raises:
        ValueError: they overlap, or lie outside of the text.
    """
    parts: list[str] = []
    done = 0
    for start, end, new in replacements:
        if not done <= start <= end <= len(text):
            raise ValueError(f"no such range in a text of {len(text)} characters: {start} to {end}")
        parts += (text[done:start], new)
        done = end
    return "".join((*parts, text[done:]))
