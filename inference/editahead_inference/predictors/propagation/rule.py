"""What a rule is, and what it proposes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass

from .document_index import DocumentIndex


@dataclass(frozen=True, slots=True)
class Proposal:
    """New lines (with line ends) for the lines [start, end) of a document; start == end inserts before `start`."""

    start: int
    end: int
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Rule(ABC):
    """Something learned from one past edit that can be done again elsewhere.

    kind: what sort of rule, the gate's most telling feature. key: stable identity, under which repetitions and outcomes
    are counted. label: a short phrase for a person. example: the old text that it was learned from (one line, or the
    anchor of an insertion), for measuring how alike a new place is. source: the text that it takes away (for insertions:
    what it adds). renames: (old, new) when all that the edit did was to put one name for another.
    """

    kind: str
    key: str
    label: str
    example: str
    source: str = ""
    renames: tuple[str, str] | None = None

    @property
    def source_pattern(self) -> str:
        """What the rule rewrites, exactly; rules of a kind that share it contradict each other. "" where it says nothing."""
        return ""

    @abstractmethod
    def proposals(self, index: DocumentIndex) -> Iterator[Proposal]:
        """The places where the rule applies, with what they become; unordered, at most a few hundred."""


def shorten(text: str, width: int = 40) -> str:
    """For labels: on one line, at most `width` characters."""
    text = " ".join(text.split())
    return text if len(text) <= width else text[: width - 1] + "…"
