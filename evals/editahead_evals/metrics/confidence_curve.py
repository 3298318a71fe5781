"""The confidence of answers: metrics at other thresholds, and calibration.

Made from answers that were given at the highest eagerness, each with its confidence: to show only the surest of them is
nearly what a lower eagerness does (there the gate may also prefer another place of the same rule).
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .bootstrap import Weights, ratio

SHOW_RATES = (0.10, 0.25, 0.50)
THRESHOLDS = tuple(percent / 100 for percent in range(5, 100, 5))
BINS = 10
CHANCE_SAMPLES = 200
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Answer:
    """The first prediction shown at one moment.

    Attributes:
        some: one of all the alternatives shown was correct.
        confidence: None when nothing was shown.
        source: None when nothing was shown.
    """

    opportunity: bool
    correct: bool = False
    some: bool = False
    confidence: float | None = None
    source: str | None = None


@dataclass(frozen=True, slots=True)
class OperatingPoint:
    """The metrics of showing only answers above a confidence.

    Attributes:
        rate: the share of opportunities with an answer shown.
        precision: None when no answer is shown.
    """

    confidence: float
    rate: float
    coverage: float
    precision: float | None
    false_end: float


@dataclass(frozen=True, slots=True)
class Bin:
    """Answers of similar confidence: the mean of it, the share of correct ones, and their number.

    An answer on the border of two bins belongs to both in parts.
    """

    confidence: float
    correct: float
    answers: float


class ConfidenceCurve:
    """The answers of a replay, ranked by confidence; equal ones in the files' order.

    Args:
        answers: the answers by file.
    """

    def __init__(self, answers: Sequence[Sequence[Answer]]) -> None:
        self._given = sorted(
            (
                (answer.confidence, file, answer)
                for file, those in enumerate(answers)
                for answer in those
                if answer.confidence is not None
            ),
            key=lambda given: -given[0],
        )
        self._opportunities = [sum(answer.opportunity for answer in those) for those in answers]
        self._ends = [sum(not answer.opportunity for answer in those) for those in answers]

    def precision_at(self, rate: float) -> Callable[[Weights], float | None]:
        """Return the precision of the surest answers that make up this share of the opportunities.

        None when fewer answers were shown.
        """

        def value(weights: Weights) -> float | None:
            wanted = rate * sum(map(int.__mul__, weights, self._opportunities))
            shown = right = 0.0
            for _, file, answer in self._given:
                if shown >= wanted:
                    break
                if answer.opportunity and weights[file]:
                    some = min(weights[file], wanted - shown)
                    shown += some
                    right += some * answer.correct
            return right / wanted if wanted and shown >= wanted else None

        return value

    def levels(self, confidences: Sequence[float] = THRESHOLDS) -> list[OperatingPoint]:
        """Return the operating point of each threshold."""
        opportunities, ends = max(sum(self._opportunities), 1), max(sum(self._ends), 1)
        out = []
        for threshold in confidences:
            above = [answer for confidence, _, answer in self._given if confidence > threshold]
            shown = [answer for answer in above if answer.opportunity]
            right = sum(answer.correct for answer in shown)
            out.append(
                OperatingPoint(
                    confidence=threshold,
                    rate=len(shown) / opportunities,
                    coverage=right / opportunities,
                    precision=right / len(shown) if shown else None,
                    false_end=(len(above) - len(shown)) / ends,
                )
            )
        return out

    def threshold_for_precision(self, precision: float) -> float:
        """Return the lowest threshold above which the answers at opportunities reach a precision; 1 if none does."""
        threshold, shown, right = 1.0, 0, 0
        given = [(confidence, answer) for confidence, _, answer in self._given if answer.opportunity]
        for number, (confidence, answer) in enumerate(given, 1):
            shown, right = shown + 1, right + answer.correct
            is_last = number == len(given) or given[number][0] < confidence
            if is_last and right >= (precision - _ROUNDING) * shown:
                threshold = math.nextafter(confidence, -math.inf)
        return threshold

    def coverage_above(self, threshold: float) -> Callable[[Weights], float | None]:
        """Return the share of opportunities with a correct answer of a confidence above `threshold`."""
        right = [0] * len(self._opportunities)
        for confidence, file, answer in self._given:
            right[file] += answer.opportunity and answer.correct and confidence > threshold
        return ratio(right, self._opportunities)

    def risk_coverage(self) -> list[tuple[float, float]]:
        """Return show rate and risk (the share of wrong answers shown) after each further answer by confidence."""
        opportunities = sum(self._opportunities)
        out, wrong = [], 0
        for number, answer in enumerate((a for _, _, a in self._given if a.opportunity), 1):
            wrong += not answer.correct
            out.append((number / opportunities, wrong / number))
        return out

    def bins(self, weights: Weights | None = None) -> list[Bin]:
        """Return `BINS` bins of equally many answers, the surest first; after the last hunk every answer is wrong."""
        return _bins(
            [
                (1 if weights is None else weights[file], confidence, answer.correct)
                for confidence, file, answer in self._given
            ]
        )

    def calibration_error(self, weights: Weights) -> float | None:
        """Return the mean distance of confidence and correctness over the `bins` (expected calibration error, ECE)."""
        return _error(self.bins(weights))

    def chance_error(self, seed: int) -> float | None:
        """Return the calibration error that these answers would have if every confidence were true.

        The mean of `CHANCE_SAMPLES` draws; for few answers it is far from 0.
        """
        rng = random.Random(seed)
        errors = []
        for _ in range(CHANCE_SAMPLES if self._given else 0):
            drawn = [(1, confidence, rng.random() < confidence) for confidence, _, _ in self._given]
            errors.append(_error(_bins(drawn)) or 0.0)
        return sum(errors) / len(errors) if errors else None


def _bins(counted: Sequence[tuple[int, float, bool]]) -> list[Bin]:
    """Return the bins of answers, the surest first, each given as weight, confidence and correctness."""
    size = sum(count for count, _, _ in counted) / BINS
    out: list[Bin] = []
    held = sure = right = 0.0
    for count, confidence, correct in counted:
        left = float(count)
        while left > 0:
            some = min(left, size - held)
            left -= some
            held, sure, right = held + some, sure + some * confidence, right + some * correct
            if held >= size - _ROUNDING:
                out.append(Bin(sure / held, right / held, held))
                held = sure = right = 0.0
    return out


def _error(bins: Sequence[Bin]) -> float | None:
    return sum(abs(each.confidence - each.correct) for each in bins) / len(bins) if bins else None
