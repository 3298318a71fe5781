"""Simulated users who accept and reject predictions by a known taste.

A seed gives the opportunities. The shipped gate's probabilities are right for the average user; the log-odds of a single
user differ. A policy shows what it considers likelier than the threshold, and learns only the outcomes of what it shows.
Rewards count edits of full size: weight x (share kept - threshold) for each shown edit. The oracle, which knows the user's
probabilities, therefore shows exactly what is likelier than the threshold.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from editahead_inference.gate.decision_trees import sigmoid
from editahead_inference.gate.personalization import OutcomeFeatures, PreferenceLearner, log_loss

THRESHOLD = 0.30
"""The threshold at the default eagerness."""
BETWEEN_S = 60.0


@dataclass(frozen=True)
class Opportunity:
    number: int
    traits: OutcomeFeatures
    shipped: float


@dataclass(frozen=True)
class Person:
    """A simulated user.

    Attributes:
        wants: Returns the true probability that an opportunity's edit is wanted.
        answers: Returns the kept share of a shown edit, by whether the edit is wanted, the expected answer, and chance. Most
            users keep what they want.
    """

    name: str
    wants: Callable[[Opportunity], float]
    answers: Callable[[Opportunity, float, float, random.Random], float] = (
        lambda opportunity, wanted, expected, rng: float(rng.random() < wanted)
    )


@dataclass
class Course:
    """The results of one policy, by opportunity.

    These are the expected rewards of what it showed, and the losses and errors of its probabilities on the outcomes.
    """

    opportunities: int = 0
    reward: float = 0.0
    shown: int = 0
    small: int = 0
    loss: float = 0.0
    bins: list[list[float]] = field(default_factory=lambda: [[0.0] * 3 for _ in range(10)])
    """By tenth of the probability: the sums of weight, weight x probability, and weight x kept share."""

    def sees(self, opportunity: Opportunity, wanted: float, expected: float) -> bool:
        """Add an opportunity, and return whether the policy shows it."""
        self.opportunities += 1
        if expected <= THRESHOLD:
            return False
        self.shown += 1
        self.small += opportunity.traits.size == 1
        self.reward += opportunity.traits.weight * (wanted - THRESHOLD)
        return True

    def hears(self, opportunity: Opportunity, expected: float, kept: float) -> None:
        weight = opportunity.traits.weight
        self.loss += weight * log_loss(expected, kept)
        row = self.bins[min(int(10 * expected), 9)]
        for number, value in enumerate((1.0, expected, kept)):
            row[number] += weight * value

    @property
    def calibration_error(self) -> float:
        """Return the expected calibration error over ten bins of equal width, by weight."""
        off = sum(abs(expected - kept) for _, expected, kept in self.bins)
        return off / max(sum(weight for weight, _, _ in self.bins), 1e-9)


def opportunities(rng: random.Random, count: int) -> Iterator[Opportunity]:
    for number in range(count):
        seen = OutcomeFeatures(
            source="completion" if rng.random() < 0.2 else "propagation",
            kind=rng.choice(["rename", "rename", "line", "block", "argument-add", "import"]),
            language=rng.choice(["python", "python", "python", "typescript", "markdown"]),
            distance=rng.choice([0, 1, 3, 12, 60, 300, None]),
            size=rng.choice([1, 1, 4, 8, 10, 12, 20, 45]),
        )
        yield Opportunity(number, seen, sigmoid(rng.gauss(-0.9, 1.2)))


def tastes(by_feature: Mapping[str, float]) -> Callable[[Opportunity], float]:
    """Return the true probabilities of a user with this taste, in log-odds by feature."""

    def wants(opportunity: Opportunity) -> float:
        features = opportunity.traits.features()
        shift = sum(by_feature.get(name, 0.0) * value for name, value in features.items())
        return sigmoid(_log_odds(opportunity.shipped) + shift)

    return wants


@dataclass(frozen=True)
class Story:
    """The results with the shipped gate, with the learned one, and with an oracle.

    Attributes:
        late: The same three results for the opportunities after the learner knows the user.
        worst: The largest lag of the learned policy's reward behind the shipped one's at any time.
        learner: The learner at the end.
    """

    shipped: Course
    learned: Course
    oracle: Course
    late: tuple[Course, Course, Course]
    worst: float
    learner: PreferenceLearner


def live(person: Person, *, seed: int, count: int = 4000, known_after: int = 600) -> Story:
    """Simulate a user over a number of opportunities.

    The learner gets the outcomes of what the learned policy shows. The losses of the shipped probabilities count the same
    outcomes.
    """
    rng, learner = random.Random(seed), PreferenceLearner()
    whole = tuple(Course() for _ in range(3))
    late = tuple(Course() for _ in range(3))
    worst = 0.0
    for opportunity in opportunities(rng, count):
        wanted = person.wants(opportunity)
        mine = learner.probability(opportunity.traits, opportunity.shipped)
        parts = (whole, late) if learner.outcomes >= known_after else (whole,)
        for part in parts:
            shows = [
                course.sees(opportunity, wanted, expected)
                for course, expected in zip(part, (opportunity.shipped, mine, wanted), strict=True)
            ]
        worst = max(worst, whole[0].reward - whole[1].reward)
        if not shows[1]:
            continue
        kept = person.answers(opportunity, wanted, mine, rng)
        for part in parts:
            part[0].hears(opportunity, opportunity.shipped, kept)
            part[1].hears(opportunity, mine, kept)
        learner.learn(opportunity.traits, opportunity.shipped, kept=kept, at=opportunity.number * BETWEEN_S)
    return Story(whole[0], whole[1], whole[2], (late[0], late[1], late[2]), worst, learner)


def _log_odds(p: float) -> float:
    return math.log(p / (1 - p))


AVERAGE = Person("average: the shipped gate is right", lambda opportunity: opportunity.shipped)
STEADY = Person(
    "steady", tastes({"always": -0.5, "kind:import": -0.8, "language:python": 0.9, "distance:far": -0.4})
)
RELUCTANT = Person("reluctant: wants little", tastes({"always": -1.2}))


def _turned(opportunity: Opportunity) -> float:
    turn = 1 if opportunity.number < 2000 else -1
    return tastes({"always": -0.4 * turn, "language:python": 0.8 * turn, "kind:rename": -0.7 * turn})(
        opportunity
    )


DRIFTING = Person("drifting: the opposite from the middle on", _turned)
MISLEADING = Person(
    "misleading: at first does the opposite",
    lambda opportunity: opportunity.shipped,
    lambda o, wanted, expected, rng: float((rng.random() < wanted) == (o.number > 1500)),
)
OPPOSING = Person(
    "opposing: always does what is less expected",
    lambda opportunity: opportunity.shipped,
    lambda o, wanted, expected, rng: float(expected < 0.5),
)
GAMING = Person(
    "gaming: takes every edit of one character", lambda o: 0.98 if o.traits.size == 1 else o.shipped
)
PEOPLE = (AVERAGE, STEADY, RELUCTANT, DRIFTING, MISLEADING, OPPOSING, GAMING)
