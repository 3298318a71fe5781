"""How much of an accepted edit is still there, half a minute and five minutes later.

The stretches that the edit put into the text are moved along with later changes; what was written inside or beside them
belongs to them from then on. Kept is the share of the edit's words (identifiers, numbers, other characters; white space
does not count) that is still there in the same order: their longest common subsequence. What is written in between counts
neither way, since going on from an accepted edit is not taking it back. An edit that only removes is kept as far as what it
removed has not come back.

Nothing here waits. A text changes only when a change arrives, so it is measured before the first change that comes after
the time, and gives what a clock would have given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rapidfuzz.distance import LCSseq

from editahead_lsp.workspace.documents import AppliedChange
from editahead_prompts.text.edits import Edit, normalise
from editahead_prompts.text.identifiers import tokenize
from editahead_prompts.text.snapshot import Snapshot

HORIZONS_S = (30.0, 300.0)
SURVIVED_FRACTION = 0.5
"""An edit counts as kept when more than this share of it is."""


class SurvivalSample(NamedTuple):
    """id: of the prediction. after_s: one of `AFTER_S`. share: 0..1."""

    id: str
    after_s: float
    share: float


@dataclass
class _Followed:
    """spans: where its replacements are in the present text. put, out: their words, and those that they replaced."""

    id: str
    key: str
    spans: list[tuple[int, int]]
    put: list[list[str]]
    out: list[list[str]]
    at: float
    measured: int = 0


class SurvivalTracker:
    """By the keys of documents; times are the caller's clock's."""

    def __init__(self) -> None:
        self._followed: list[_Followed] = []

    def is_tracking(self, id: str) -> bool:
        """Whether more is to be measured of it."""
        return any(followed.id == id for followed in self._followed)

    def track(self, id: str, key: str, before: Snapshot, edit: Edit, at: float) -> None:
        """A predicted edit of `before` was just made as it was accepted."""
        edit = normalise(edit, before.text)
        put = [_words(r.text) for r in edit.replacements]
        out = [_words(before.text[r.start : r.end]) for r in edit.replacements]
        if any(put) or any(out):
            self._followed.append(_Followed(id, key, list(edit.result_spans()), put, out, at))

    def on_change(self, key: str, made: AppliedChange) -> None:
        for followed in self._followed:
            if followed.key == key:
                map_ = made.edit.map_offset
                followed.spans = [
                    (map_(start, "before"), map_(end, "after")) for start, end in followed.spans
                ]

    def on_close(self, key: str) -> None:
        """What happens to its text from now on is unknown."""
        self._followed = [followed for followed in self._followed if followed.key != key]

    def collect_due(self, now: float, text_of: Callable[[str], str]) -> list[SurvivalSample]:
        """What was due by now. To be asked before each change, and before a document is closed. text_of: the present text
        by key."""
        found = [measured for followed in self._followed for measured in _due(followed, now, text_of)]
        if found:
            self._followed = [followed for followed in self._followed if followed.measured < len(HORIZONS_S)]
        return found


def _due(followed: _Followed, now: float, text_of: Callable[[str], str]) -> Iterator[SurvivalSample]:
    while followed.measured < len(HORIZONS_S) and now >= followed.at + HORIZONS_S[followed.measured]:
        after_s = HORIZONS_S[followed.measured]
        followed.measured += 1
        text = text_of(followed.key)
        present = [_words(text[start:end]) for start, end in followed.spans]
        share = _share(followed.put, present) if any(followed.put) else 1 - _share(followed.out, present)
        yield SurvivalSample(followed.id, after_s, share)


def _share(wanted: Sequence[Sequence[str]], present: Sequence[Sequence[str]]) -> float:
    there = sum(LCSseq.similarity(some, other) for some, other in zip(wanted, present, strict=True))
    return there / sum(map(len, wanted))


def _words(text: str) -> list[str]:
    return [token for token in tokenize(text) if not token.isspace()]
