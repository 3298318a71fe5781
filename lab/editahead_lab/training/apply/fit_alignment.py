"""Fits the weights of the alignment (`editahead-lab train alignment`) to sketches of commits.

The best alignments under the present weights are compared with those that make the commit's text. Each sketch moves the
weights along the gradient of the probability of the right ones, with AdaGrad (Duchi et al. 2011), and the weights of all
steps are averaged (Collins 2002). Where no alignment is right, the best one that keeps and deletes what the commit does is
looked for.
"""

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import accumulate, islice
from math import exp, sqrt
from pathlib import Path
from typing import Any

from editahead_evals.data.edit_records import read_records
from editahead_inference.apply.alignment.align import align, to_splices
from editahead_inference.apply.alignment.lattice import Lattice
from editahead_inference.apply.alignment.lines import Line, describe_lines
from editahead_inference.apply.alignment.operations import OperationModel, Pairs
from editahead_inference.apply.alignment.path_features import PathFeatures
from editahead_inference.apply.alignment.spacing import Spacing
from editahead_inference.apply.alignment.tokens import SketchTokens, read_tokens
from editahead_inference.apply.alignment.weights import Features, Weights, add_features, fitted_weights

from .prepared_sketches import PreparedSketch, filled_lines, prepared_sketches

_MARGIN = 1.0
"""How much higher than the others a right alignment has to score."""
_ENOUGH = 0.98
"""The probability of the right alignments from which nothing is learned."""
_DECAY = 1e-4
_SMALLEST = 0.01
"""Weights below it are left out."""
_FORBIDDEN = -1000.0
_LIMIT = 10
_MAX_TRIES = 5
_NEVER_POSITIVE = "hide."
"""Features of many lines at once: a positive weight would reward a marker for hiding all of a large file."""


@dataclass(frozen=True)
class FitSettings:
    """How the weights are fitted.

    Attributes:
        sketches: Sketches made of each file of edits.
        epochs: How often each sketch is seen.
        rate: The first step; it gets smaller with each epoch.
    """

    sketches: int = 4_000
    epochs: int = 2
    seed: int = 5
    rate: float = 0.12


def train(edits: Sequence[Path], judged: Path, out: Path, settings: FitSettings) -> dict[str, Any]:
    """Fit the weights, write them to a file, and return the figures on edits that nothing was fitted to.

    Args:
        edits: Files of edits.
        judged: Another file of edits.
        out: The file of weights.
        settings: How.
    """
    read = (read_records(path) for path in edits)
    sketches = [
        sketch
        for records in read
        for sketch in prepared_sketches(list(records), settings.sketches, settings.seed)
    ]
    fit = AlignmentTrainer(fitted_weights().values, settings.rate)
    for epoch in range(settings.epochs):
        random.Random(settings.seed + epoch).shuffle(sketches)
        for sketch in sketches:
            fit.learn(sketch)
        fit.rate *= 0.6
    weights = fit.averaged()
    out.write_text(json.dumps(weights, indent=1) + "\n", encoding="utf-8")
    held_out = prepared_sketches(list(read_records(judged)), settings.sketches // 4, settings.seed)
    return {
        "fitted on": [path.name for path in edits],
        "sketches": len(sketches),
        "figures": judge(list(held_out), Weights(weights)),
    }


def judge(sketches: Sequence[PreparedSketch], weights: Weights) -> dict[str, float]:
    """Return in which share of sketches the first, one of three and any of the alignments is right."""
    ranks = [_rank(each, weights) for each in sketches]
    return {
        name: round(sum(rank < count for rank in ranks) / max(len(ranks), 1), 4)
        for name, count in (("first", 1), ("three", 3), ("any", _LIMIT))
    }


def _rank(sketch: PreparedSketch, weights: Weights) -> int:
    """Return the number of the first alignment that is right; the number of all if none is."""
    found = align(sketch.snippet, sketch.target, _LIMIT, weights)
    return next((rank for rank, each in enumerate(found) if sketch.accepts(each.splices)), _LIMIT)


class AlignmentTrainer:
    """Stochastic gradient descent over sketches.

    Args:
        weights: The weights to begin with.
        rate: The size of the steps.
    """

    def __init__(self, weights: Mapping[str, float], rate: float) -> None:
        self.rate = rate
        self._weights = defaultdict(float, weights)
        self._squares: defaultdict[str, float] = defaultdict(lambda: 0.05)
        self._sums: defaultdict[str, float] = defaultdict(float)
        self._steps = 0

    def learn(self, sketch: PreparedSketch) -> None:
        """Move the weights towards the right alignments of a sketch."""
        weights = Weights(self._weights)
        found = align(sketch.snippet, sketch.target, _LIMIT, weights)
        candidates: list[tuple[Features, bool]] = [
            (each.features, sketch.accepts(each.splices)) for each in found
        ]
        if candidates and not any(right for _, right in candidates):
            forced = right_alignment(sketch, weights)
            candidates = [*candidates, (forced, True)] if forced is not None else []
        if candidates:
            self._step(candidates, weights)

    def _step(self, candidates: Sequence[tuple[Features, bool]], weights: Weights) -> None:
        scores = [weights.score(features) + (0.0 if right else _MARGIN) for features, right in candidates]
        best = max(scores)
        odds = [exp(score - best) for score in scores]
        total = sum(odds)
        rights = sum(odd for odd, (_, right) in zip(odds, candidates, strict=True) if right)
        self._steps += 1
        if rights < _ENOUGH * total:
            gradient: defaultdict[str, float] = defaultdict(float)
            for odd, (features, right) in zip(odds, candidates, strict=True):
                share = odd / total - (odd / max(rights, 1e-12) if right else 0.0)
                for name, value in features.items():
                    gradient[name] += share * value
            self._descend(gradient)
        for name, weight in self._weights.items():
            self._sums[name] += weight

    def _descend(self, gradient: Mapping[str, float]) -> None:
        for name, slope in gradient.items():
            slope += _DECAY * self._weights[name]
            self._squares[name] += slope * slope
            self._weights[name] -= self.rate * slope / sqrt(self._squares[name])
            if name.startswith(_NEVER_POSITIVE):
                self._weights[name] = min(self._weights[name], 0.0)

    def averaged(self) -> dict[str, float]:
        """Return the average of the weights of all steps, by name."""
        steps = max(self._steps, 1)
        means = ((name, round(total / steps, 4)) for name, total in sorted(self._sums.items()))
        return {name: mean for name, mean in means if abs(mean) >= _SMALLEST}


def right_alignment(sketch: PreparedSketch, weights: Weights) -> Features | None:
    """Return the features of an alignment that makes the right text, if one of the best that may be right does."""
    target = sketch.target
    language = target.original.language
    lines = describe_lines(target.lines.bodies, language)
    spacing = Spacing(lines, language)
    strict = Weights({**weights.values, "forbidden": _FORBIDDEN, "hide.limit": _FORBIDDEN * 1000})
    kept = _kept_lines(target.lines.bodies, filled_lines(sketch.accepted[0].split("\n")))
    for tokens in read_tokens(sketch.snippet, target.lines, language):
        lattice = Lattice(_GoldModel(tokens, lines, strict, kept))
        for _, path in islice(lattice.paths(3.0), _MAX_TRIES):
            if sketch.accepts(to_splices(path, tokens, target, spacing)):
                features: dict[str, float] = {}
                add_features(features, PathFeatures(lattice).of(path))
                features.pop("forbidden", None)
                return features
    return None


class _GoldModel(OperationModel):
    """Operations of which those are forbidden that do not keep or delete what the commit does."""

    def __init__(
        self, sketch: SketchTokens, lines: Sequence[Line], weights: Weights, kept: Sequence[bool]
    ) -> None:
        super().__init__(sketch, lines, weights)
        self._kept = kept
        forbidden = accumulate((_FORBIDDEN * stays for stays in kept), initial=0.0)
        self._deleted = [a + b for a, b in zip(self._deleted, forbidden, strict=True)]

    def match(self, number: int, place: int) -> Pairs:
        yield from super().match(number, place)
        yield "forbidden", float(not self._kept[place])

    def change(self, number: int, place: int, similarity: float) -> Pairs:
        yield from super().change(number, place, similarity)
        yield "forbidden", float(self._kept[place])

    def hidden(self, depth: int) -> list[float]:
        if depth not in self._hidden:
            forbidden = accumulate((_FORBIDDEN * (not stays) for stays in self._kept), initial=0.0)
            scores = super().hidden(depth)
            self._hidden[depth] = [a + b for a, b in zip(scores, forbidden, strict=True)]
        return self._hidden[depth]


def _kept_lines(before: Sequence[str], after: Sequence[str]) -> list[bool]:
    """Return for each line of a file whether the text after a commit has it; blank lines stay where lines around do."""
    kept = [not line.strip() for line in before]
    filled = [(number, line.rstrip()) for number, line in enumerate(before) if line.strip()]
    for start, _, size in _matching([line for _, line in filled], after):
        for number, _ in filled[start : start + size]:
            kept[number] = True
    return kept


def _matching(before: Sequence[str], after: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    yield from SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks()
