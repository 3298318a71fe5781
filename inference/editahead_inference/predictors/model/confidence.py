"""How likely it is that a model's change is what the person does next.

No shipped weights know models yet, so this is a formula that can be read, with constants that are choices until outcomes
have been fitted. Log-odds are added up: what is known of a change speaks for it or against it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from editahead_inference.gate.decision_trees import sigmoid

PLAIN = -0.2
"""Of a change about which nothing else is known: 0.45. Next-edit models are right at about half of the places at which they
say anything."""
CERTAIN = 1.1
"""The same when the model was sure of every token of it: 0.75."""
MEAN, LEAST = 2.0, 0.25
"""What the mean log-probability of its tokens counts, and the lowest one (to `FLOOR`)."""
FLOOR = -8.0
AGREE = 1.5
"""From an answer that no other agrees with to one that all agree with, where several were asked for."""
LINE, MOST_LINES = -0.1, 10
"""For each new line after the first: all of them have to be right."""
EDGE = 0.02
"""No change is taken for likelier than 1 - EDGE, or less likely than EDGE."""


@dataclass(frozen=True, slots=True)
class ChangeEvidence:
    """What is known of one change. logprobs: of its tokens; () when they are not told. agree, answers: how many of the
    answers have it. lines: new ones."""

    logprobs: Sequence[float] = ()
    agree: int = 1
    answers: int = 1
    lines: int = 1


def confidence(known: ChangeEvidence) -> float:
    log_odds = PLAIN
    if known.logprobs:
        mean = sum(known.logprobs) / len(known.logprobs)
        log_odds = CERTAIN + MEAN * max(mean, FLOOR) + LEAST * max(min(known.logprobs), FLOOR)
    if known.answers > 1:
        log_odds += AGREE * (known.agree / known.answers - 0.5)
    log_odds += LINE * min(max(known.lines - 1, 0), MOST_LINES)
    return min(max(sigmoid(log_odds), EDGE), 1 - EDGE)


def noisy_or(one: float, other: float) -> float:
    """Of what two predictors propose for reasons of their own: wrong only where both are."""
    return min(1 - (1 - one) * (1 - other), 1 - EDGE)
