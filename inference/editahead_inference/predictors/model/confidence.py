"""The probability that a model's change is the next edit.

The shipped weights do not cover models, so this is a readable formula. Its constants are choices until outcomes have been
fitted. It adds up log-odds of the evidence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from editahead_inference.gate.decision_trees import sigmoid

BASE_LOG_ODDS = -0.2
"""Log-odds of a change without other evidence: 0.45. Next-edit models are right at about half of the places at which they
propose a change."""
CERTAIN_LOG_ODDS = 1.1
"""Log-odds of a change of which the model was sure of every token: 0.75."""
MEAN_WEIGHT, MIN_WEIGHT = 2.0, 0.25
"""The weights of the mean and of the lowest log-probability of its tokens (at least `MIN_LOGPROB`)."""
MIN_LOGPROB = -8.0
AGREEMENT_LOG_ODDS = 1.5
"""Log-odds between a change that no other answer has and one that all answers have, with several answers."""
EXTRA_LINE_LOG_ODDS, MAX_EXTRA_LINES = -0.1, 10
"""Log-odds for each new line after the first, and the most lines that count: all lines have to be right."""
PROBABILITY_MARGIN = 0.02
"""The least distance of the probability from 0 and 1."""


@dataclass(frozen=True, slots=True)
class ChangeEvidence:
    """The evidence for one change.

    Attributes:
        logprobs: The log-probabilities of its tokens, or () if unknown.
        agree: The number of answers that have the change.
        answers: The number of all answers.
        lines: The number of new lines.
    """

    logprobs: Sequence[float] = ()
    agree: int = 1
    answers: int = 1
    lines: int = 1


def confidence(known: ChangeEvidence) -> float:
    log_odds = BASE_LOG_ODDS
    if known.logprobs:
        mean = sum(known.logprobs) / len(known.logprobs)
        log_odds = (
            CERTAIN_LOG_ODDS
            + MEAN_WEIGHT * max(mean, MIN_LOGPROB)
            + MIN_WEIGHT * max(min(known.logprobs), MIN_LOGPROB)
        )
    if known.answers > 1:
        log_odds += AGREEMENT_LOG_ODDS * (known.agree / known.answers - 0.5)
    log_odds += EXTRA_LINE_LOG_ODDS * min(max(known.lines - 1, 0), MAX_EXTRA_LINES)
    return min(max(sigmoid(log_odds), PROBABILITY_MARGIN), 1 - PROBABILITY_MARGIN)


def noisy_or(one: float, other: float) -> float:
    """Return the probability of what two independent predictors propose: it is wrong only if both are wrong."""
    return min(1 - (1 - one) * (1 - other), 1 - PROBABILITY_MARGIN)
