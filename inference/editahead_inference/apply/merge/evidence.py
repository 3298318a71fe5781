"""The evidence for and against a reading: each row has a name and a number, and a fitted weight.

A row is what one check finds, how well the alignment of the lines fits, or how the reading fits what the sketch shows around
each change. The weights are those of a conditional logit over the readings of a sketch, fitted on sketches of commits.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import exp, log1p

from editahead_inference.apply.alignment.align import Alignment
from editahead_inference.apply.placement.placement import Target
from editahead_inference.apply.placement.splices import Splice
from editahead_inference.apply.results import RefusalReason
from editahead_prompts.sketches.sketch import Elision, Snippet

from .checks import DOUBTS, OTHER_MEANINGS
from .placed_runs import PlacedRuns
from .reading_features import ReadingFeatures
from .shown_neighbours import encloses_all

NONE = "none of the readings"
"""The name of the weight of no reading being meant."""

PATH = "path: "
"""The beginning of the names of what an alignment does with the lines, which only the certainty reads."""

_UNALIGNED = -10.0
"""The score, against the best, of a reading that is none of the best alignments."""

COUNTED = frozenset({"changes", "gone", "lost declarations", "repeats"})
"""Features that count as the logarithm of one more."""

MAX_VALUE = 3
"""The most that any other feature counts."""

Row = tuple[str, float]


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a reading comes from.

    Attributes:
        ways: The ways to place a part by rules that make it; empty for one that only an alignment makes.
        certain_ways: Those of them that are certain of it.
        failure: Why the first check that it does not pass refuses it; None if it passes all.
    """

    ways: tuple[str, ...] = ()
    certain_ways: tuple[str, ...] = ()
    failure: RefusalReason | None = None

    @property
    def is_aligned(self) -> bool:
        """Whether it is an alignment of the lines, and no placement."""
        return not self.ways


class ReadingEvidence:
    """The evidence about the readings of one snippet.

    Args:
        snippet: The snippet.
        target: The file.
        alignments: The best alignments, best first.
    """

    def __init__(self, snippet: Snippet, target: Target, alignments: Sequence[Alignment]) -> None:
        self._snippet, self._target = snippet, target
        self._features = ReadingFeatures(snippet, target)
        self._has_markers = any(isinstance(piece, Elision) for piece in snippet.parts)
        self._aligned = {self._text(each.splices): each for each in reversed(alignments)}
        self._best = alignments[0].score if alignments else 0.0

    def rows(self, splices: Sequence[Splice], source: Provenance) -> dict[str, float]:
        """Return the rows of a reading that are not 0, by name.

        Args:
            splices: What the reading changes.
            source: Where it comes from.
        """
        rows = (
            self._alignment_rows(splices),
            _source_rows(source),
            self._feature_rows(splices),
            self._findings(splices),
            self._run_rows(PlacedRuns(self._snippet, splices, self._target)),
        )
        return {name: value for group in rows for name, value in group if value}

    def _alignment_rows(self, splices: Sequence[Splice]) -> Iterator[Row]:
        aligned = self._aligned.get(self._text(splices))
        yield "not aligned", float(aligned is None)
        if aligned is None:
            yield "alignment", _UNALIGNED
            return
        yield "alignment", max(aligned.score - self._best, _UNALIGNED)
        yield "best alignment", float(aligned.score == self._best)
        yield "no line aligned", float(not aligned.is_anchored)
        for name, value in aligned.features.items():
            yield f"{PATH}{name}", value

    def _feature_rows(self, splices: Sequence[Splice]) -> Iterator[Row]:
        counts = self._features.count(splices)
        for name, count in counts.items():
            yield name, log1p(count) if name in COUNTED else float(min(count, MAX_VALUE))
        if not self._has_markers:
            yield "gone without markers", log1p(counts["gone"])
            yield "lost declarations without markers", log1p(counts["lost declarations"])
        yield "shown neighbours", float(encloses_all(self._snippet, self._target, splices))

    def _findings(self, splices: Sequence[Splice]) -> Iterator[Row]:
        for check in (*OTHER_MEANINGS, *DOUBTS):
            found = next(iter(check.find(self._snippet, self._target, splices)), None)
            yield check.name, float(found is not None)

    def _run_rows(self, runs: PlacedRuns) -> Iterator[Row]:
        ends = runs.told_ends()
        yield "unexplained runs", float(not runs.explain_all)
        yield "framed runs", float(runs.are_framed)
        yield "other blank lines", float(not runs.have_blank_lines)
        yield "beheaded block", float(runs.behead)
        yield "moved lines of runs", float(runs.move_lines)
        yield "one known end", float(ends == 1)
        yield "two known ends", float(ends == 2)

    def _text(self, splices: Sequence[Splice]) -> tuple[str, ...]:
        """Return the lines after splices that are not blank."""
        return tuple(line.rstrip() for line in self._target.lines_after(splices) if line.strip())


def _source_rows(source: Provenance) -> Iterator[Row]:
    yield "only aligned", float(source.is_aligned)
    yield "certain ways", float(len(source.certain_ways))
    for way in source.ways:
        yield f"by {way}", 1.0
    for way in source.certain_ways:
        yield f"certain by {way}", 1.0
    if source.failure is not None:
        yield f"fails: {source.failure}", 1.0


def likelihoods(readings: Iterable[Mapping[str, float]]) -> list[float]:
    """Return the probabilities of readings with these rows. Their sum is less than 1, as none may be meant."""
    weights = _weights()
    scores = [sum(weights.get(name, 0.0) * value for name, value in rows.items()) for rows in readings]
    return softmax(scores, weights[NONE])


def softmax(scores: Sequence[float], none: float) -> list[float]:
    """Return the probabilities of readings by their scores, where `none` is the score of none of them."""
    best = max([none, *scores])
    odds = [exp(score - best) for score in scores]
    total = sum(odds) + exp(none - best)
    return [each / total for each in odds]


@cache
def _weights() -> dict[str, float]:
    weights: dict[str, float] = json.loads(
        files(__package__).joinpath("evidence.json").read_text(encoding="utf-8")
    )
    return weights
