"""Benchmark of learning from a user's outcomes: gains and costs with simulated users (`support/simulated_users.py`)."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from functools import partial
from statistics import mean

import pytest

from editahead_inference.gate.decision_trees import sigmoid
from editahead_inference.gate.personalization import FIXED_SHARE, MAX_LOGIT_SHIFT, PreferenceLearner
from figures import ROUNDS, SHORT, p50_p99, show, timed
from simulated_users import PEOPLE, THRESHOLD, Person, Story, live, opportunities

pytestmark = pytest.mark.benchmark

LIVES = 2 if SHORT else 10
COUNT = 1000 if SHORT else 4000


def _row(person: Person) -> list[str]:
    lives = [live(person, seed=seed, count=COUNT) for seed in range(LIVES)]

    def average(value: Callable[[Story], float]) -> float:
        return mean(value(story) for story in lives)

    def regret(story: Story, reward: float) -> float:
        return 100 * (story.oracle.reward - reward) / COUNT

    return [
        person.name.partition(":")[0],
        f"{average(lambda s: s.learner.outcomes):.0f}",
        f"{average(lambda s: regret(s, s.shipped.reward)):.2f}",
        f"{average(lambda s: regret(s, s.learned.reward)):.2f}",
        f"{100 * max(s.worst for s in lives) / COUNT:.2f}",
        f"{average(lambda s: s.late[0].calibration_error):.3f}",
        f"{average(lambda s: s.late[1].calibration_error):.3f}",
        f"{max(s.learned.loss - s.shipped.loss for s in lives):+.2f}",
        f"{average(lambda s: s.learner.trust):.2f}",
    ]


def test_people() -> None:
    headings = ["person", "outcomes", "regret: shipped", "learned", "worst behind", "ECE: shipped", "learned",
                "log-loss behind", "trust"]  # fmt: skip  # a table
    show(
        f"Simulated people, {COUNT} opportunities, {LIVES} lives each: regret against an oracle per 100 opportunities, in "
        "edits of full size; calibration error from the 600th outcome on",
        headings,
        [_row(person) for person in PEOPLE],
    )
    at = math.log(THRESHOLD / (1 - THRESHOLD))
    low, high = sigmoid(at - MAX_LOGIT_SHIFT), sigmoid(at + MAX_LOGIT_SHIFT)
    print(
        f"\nBounds: nothing that the shipped gate holds for likelier than {high:.3f} is hidden, or for less likely than "
        f"{low:.3f} shown, at the threshold {THRESHOLD:.2f}; n outcomes cost at most ln 2 "
        f"+ {-math.log(1 - FIXED_SHARE):.5f} n "
        f"in log-loss."
    )


def test_one_outcome() -> None:
    rng, learner = random.Random(1), PreferenceLearner()
    times = []
    for one in opportunities(rng, max(ROUNDS, 1000)):
        kept = float(rng.random() < one.shipped)
        times.append(timed(partial(learner.learn, one.traits, one.shipped, kept=kept, at=60.0 * one.number)))
    show("One outcome learned (ms)", ["p50", "p99", "times"], [[*p50_p99(times), f"{len(times)}"]])
