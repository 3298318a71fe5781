"""The survival of accepted edits: the fraction that is left half a minute and five minutes later.

The inserted spans are rebased over later changes, and grow by text that is written inside or beside them. The fraction is
the longest common subsequence of the edit's words (identifiers, numbers, other characters; no white space) and the span's.
Words in between do not count: to continue an accepted edit is not to revert it. An edit that only removes text survives as
far as the removed words have not come back.

No timer is needed. A text changes only by a change, so the first change after a horizon measures the text before it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rapidfuzz.distance import LCSseq

from editahead_lsp.session.documents import AppliedChange
from editahead_prompts.text.edits import Edit, normalise
from editahead_prompts.text.identifiers import tokenize
from editahead_prompts.text.snapshot import Snapshot

HORIZONS_S = (30.0, 300.0)
"""Seconds from the accept to each measurement."""
SURVIVED_FRACTION = 0.5
"""An edit counts as kept above this fraction."""


class SurvivalSample(NamedTuple):
    """A measurement of one accepted edit.

    Attributes:
        id: The id of the prediction.
        after_s: The horizon in seconds, one of HORIZONS_S.
        share: The surviving fraction, from 0 to 1.
    """

    id: str
    after_s: float
    share: float


@dataclass
class _TrackedEdit:
    """An accepted edit whose survival is measured.

    Attributes:
        id: The id of the prediction.
        key: The key of the document.
        spans: The spans of the replacements in the present text.
        put: The words that each replacement inserted.
        out: The words that each replacement removed.
        at: The time of the accept in seconds.
        measured: The number of horizons measured so far.
    """

    id: str
    key: str
    spans: list[tuple[int, int]]
    put: list[list[str]]
    out: list[list[str]]
    at: float
    measured: int = 0


class SurvivalTracker:
    """A tracker of the accepted edits of all documents. Times are seconds of the caller's clock."""

    def __init__(self) -> None:
        self._followed: list[_TrackedEdit] = []

    def is_tracking(self, id: str) -> bool:
        """Return whether measurements of a prediction's edit are still due."""
        return any(followed.id == id for followed in self._followed)

    def track(self, id: str, key: str, before: Snapshot, edit: Edit, at: float) -> None:
        """Start to track an accepted edit that was just made.

        Args:
            id: The id of the prediction.
            key: The key of the document.
            before: The document before the edit.
            edit: The accepted edit.
            at: The present time in seconds.
        """
        edit = normalise(edit, before.text)
        put = [_words(r.text) for r in edit.replacements]
        out = [_words(before.text[r.start : r.end]) for r in edit.replacements]
        if any(put) or any(out):
            self._followed.append(_TrackedEdit(id, key, list(edit.result_spans()), put, out, at))

    def on_change(self, key: str, change: AppliedChange) -> None:
        """Rebase the tracked spans of a document over a change."""
        for followed in self._followed:
            if followed.key == key:
                map_ = change.edit.map_offset
                followed.spans = [
                    (map_(start, "before"), map_(end, "after")) for start, end in followed.spans
                ]

    def on_close(self, key: str) -> None:
        """Stop to track the edits of a closed document: later changes of its text are unknown."""
        self._followed = [followed for followed in self._followed if followed.key != key]

    def collect_due(self, now: float, text_of: Callable[[str], str]) -> list[SurvivalSample]:
        """Return the measurements that are due. Call it before each change and before a document is closed.

        Args:
            now: The present time in seconds.
            text_of: Returns the present text of a document by its key.
        """
        found = [measured for followed in self._followed for measured in _due(followed, now, text_of)]
        if found:
            self._followed = [followed for followed in self._followed if followed.measured < len(HORIZONS_S)]
        return found


def _due(followed: _TrackedEdit, now: float, text_of: Callable[[str], str]) -> Iterator[SurvivalSample]:
    while followed.measured < len(HORIZONS_S) and now >= followed.at + HORIZONS_S[followed.measured]:
        after_s = HORIZONS_S[followed.measured]
        followed.measured += 1
        text = text_of(followed.key)
        present = [_words(text[start:end]) for start, end in followed.spans]
        share = (
            _common_fraction(followed.put, present)
            if any(followed.put)
            else 1 - _common_fraction(followed.out, present)
        )
        yield SurvivalSample(followed.id, after_s, share)


def _common_fraction(wanted: Sequence[Sequence[str]], present: Sequence[Sequence[str]]) -> float:
    there = sum(LCSseq.similarity(some, other) for some, other in zip(wanted, present, strict=True))
    return there / sum(map(len, wanted))


def _words(text: str) -> list[str]:
    return [token for token in tokenize(text) if not token.isspace()]
