"""The base class of rules."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b

from .document_index import DocumentIndex
from .proposal import Proposal

_MAX_KEPT_RULES = 200
"""Rules whose proposals are kept with one index: the last six edits seldom teach more, and most have no proposal."""


@dataclass(frozen=True)
class Rule(ABC):
    """A rewrite that was learned from one past edit and may be repeated elsewhere.

    Attributes:
        kind: The kind of rule, the gate's most informative feature.
        key: A stable identity, by which repetitions and outcomes are counted.
        label: A short phrase for the user.
        example: The old text (one line, or the anchor of an insertion). New places are compared with it.
        source: The removed text; for insertions, the added text.
        renames: (old, new) if the edit only replaced one name by another.
    """

    kind: str
    key: str
    label: str
    example: str
    source: str = ""
    renames: tuple[str, str] | None = None

    @property
    def source_pattern(self) -> str:
        """The exact text that the rule rewrites, or "". Rules of one kind that share it contradict each other."""
        return ""

    @abstractmethod
    def proposals(self, index: DocumentIndex) -> Iterator[Proposal]:
        """Yield the rewrites of all places where the rule applies; unordered, at most a few hundred."""

    def kept_proposals(self, index: DocumentIndex) -> Sequence[Proposal]:
        """Return `proposals`, and keep them with the index, for a document that stays as it is while another is edited."""
        known = index.kept.get(id(self))
        if known is None:
            if len(index.kept) >= _MAX_KEPT_RULES:
                index.kept.clear()
            known = index.kept[id(self)] = self, tuple(self.proposals(index))
        return known[1]


def rule_id(key: str) -> str:
    """Return the short id of a rule's key, which holds no code, as in `Candidate.rule`."""
    return blake2b(key.encode("utf-8", "replace"), digest_size=8).hexdigest()


def shorten(text: str, width: int = 40) -> str:
    """Return a text for labels: on one line, at most `width` characters."""
    text = " ".join(text.split())
    return text if len(text) <= width else text[: width - 1] + "…"
