"""What is learned of a person, and how much worse than the shipped gate it can get."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_inference.candidates import Candidate
from editahead_inference.gate import personalization
from editahead_inference.gate.decision_trees import sigmoid
from editahead_inference.gate.gate import Gate
from editahead_inference.gate.personalization import (
    FIXED_SHARE,
    MAX_LOGIT_SHIFT,
    OutcomeFeatures,
    PreferenceLearner,
    log_loss,
)
from editahead_prompts.state import EditorState, UserPreferences
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot
from history_typist import PROPERTY
from simulated_users import (
    AVERAGE,
    DRIFTING,
    GAMING,
    MISLEADING,
    OPPOSING,
    PEOPLE,
    RELUCTANT,
    STEADY,
    THRESHOLD,
    Person,
    Story,
    live,
    opportunities,
)

LINE = OutcomeFeatures("propagation", "line", "python", 3, 10)
SEEN = st.builds(
    OutcomeFeatures,
    source=st.sampled_from(["propagation", "completion"]),
    kind=st.sampled_from(["rename", "line", "import"]),
    language=st.sampled_from(["python", "typescript", "markdown", "cobol"]),
    distance=st.none() | st.integers(0, 500),
    size=st.integers(0, 60),
    recent=st.floats(-1, 1),
)
OUTCOMES = st.lists(st.tuples(SEEN, st.floats(0.001, 0.999), st.floats(0, 1), st.floats(0, 1e7)), max_size=40)


def log_odds(p: float) -> float:
    return math.log(p / (1 - p))


@cache
def story(person: Person, seed: int = 1) -> Story:
    return live(person, seed=seed, count=3000)


def taught(outcomes: list[tuple[OutcomeFeatures, float, float, float]]) -> PreferenceLearner:
    learner = PreferenceLearner()
    for seen, shipped, kept, at in outcomes:
        learner.learn(seen, shipped, kept=kept, at=at)
    return learner


# Bounds, whatever happens


@pytest.mark.slow
@PROPERTY
@given(OUTCOMES, SEEN, st.floats(0, 1))
def test_the_correction_is_bounded(
    outcomes: list[tuple[OutcomeFeatures, float, float, float]], seen: OutcomeFeatures, p: float
) -> None:
    expected = taught(outcomes).probability(seen, p)
    assert 0 <= expected <= 1
    inside = min(max(p, 1e-4), 1 - 1e-4)
    odds = math.log(inside / (1 - inside))
    assert sigmoid(odds - MAX_LOGIT_SHIFT) - 2e-4 <= expected <= sigmoid(odds + MAX_LOGIT_SHIFT) + 2e-4


@pytest.mark.slow
@PROPERTY
@given(OUTCOMES)
def test_the_losses_are_bounded_by_the_shipped_gates(
    outcomes: list[tuple[OutcomeFeatures, float, float, float]],
) -> None:
    learner, mine, theirs = PreferenceLearner(), 0.0, 0.0
    for seen, shipped, kept, at in outcomes:
        mine += seen.weight * log_loss(learner.probability(seen, shipped), kept)
        theirs += seen.weight * log_loss(shipped, kept)
        learner.learn(seen, shipped, kept=kept, at=at)
        assert mine <= theirs + math.log(2) - learner.outcomes * math.log(1 - FIXED_SHARE) + 1e-9


@pytest.mark.parametrize("person", [MISLEADING, OPPOSING], ids=["misleading", "opposing"])
def test_who_misleads_it_gains_little(person: Person) -> None:
    """For them the shipped gate is right, so that all that is lost against it is the harm done."""
    lives = story(person)
    outcomes = lives.learner.outcomes
    assert outcomes > 1000
    assert lives.learned.loss - lives.shipped.loss <= math.log(2) - outcomes * math.log(1 - FIXED_SHARE)
    # At most what lies between the threshold and as far as the bound lets it wander, at each opportunity.
    wander = sigmoid(math.log(THRESHOLD / (1 - THRESHOLD)) + MAX_LOGIT_SHIFT) - THRESHOLD
    assert lives.worst <= wander * lives.shipped.opportunities
    assert lives.worst <= 0.003 * lives.shipped.opportunities
    assert lives.learned.reward >= 0.97 * lives.shipped.reward


# What it gains


def test_a_person_for_whom_the_gate_is_right_loses_nothing() -> None:
    lives = story(AVERAGE)
    assert lives.learned.reward >= 0.99 * lives.shipped.reward
    assert lives.learned.calibration_error <= lives.shipped.calibration_error + 0.01


@pytest.mark.slow
@pytest.mark.parametrize(
    ("person", "left"),
    [(STEADY, 0.85), (RELUCTANT, 0.25), (DRIFTING, 1.0)],
    ids=["steady", "reluctant", "drifting"],
)
def test_regret_and_calibration_get_better(person: Person, left: float) -> None:
    """left: how much of the shipped gate's regret against the oracle is left; over five lives."""
    lives = [story(person, seed) for seed in range(5)]
    shipped = sum(one.oracle.reward - one.shipped.reward for one in lives)
    learned = sum(one.oracle.reward - one.learned.reward for one in lives)
    assert 0 <= learned <= left * shipped
    late = [sum(one.late[number].calibration_error for one in lives) for number in (0, 1)]
    assert late[1] <= late[0]


@pytest.mark.slow
def test_nobody_is_much_worse_off() -> None:
    for person in PEOPLE:
        lives = story(person)
        assert lives.learned.reward >= 0.97 * lives.shipped.reward, person.name


@pytest.mark.slow
def test_the_shipped_gate_dominates_until_about_200_outcomes() -> None:
    def met(outcomes: int) -> float:
        """The share of a difference of 1 in log-odds that was learned from so many outcomes of usual size."""
        rng, shares = random.Random(3), []
        for _ in range(4):
            learner = PreferenceLearner()
            for seen in [replace(one.traits, size=10) for one in opportunities(rng, outcomes)]:
                learner.learn(seen, 0.3, kept=float(rng.random() < sigmoid(log_odds(0.3) + 1)), at=0.0)
            shares += [
                log_odds(learner.probability(replace(one.traits, size=10), 0.3)) - log_odds(0.3)
                for one in opportunities(rng, 50)
            ]
        return sum(shares) / len(shares)

    assert met(50) < 0.3
    assert 0.3 <= met(200) <= 0.6
    assert met(1000) > 0.6


# Kept characters are what counts


def test_one_character_edits_do_not_win(monkeypatch: pytest.MonkeyPatch) -> None:
    def small_shown(lives: Story) -> float:
        return lives.learned.small / lives.shipped.small

    assert small_shown(story(GAMING)) <= 1.02
    assert story(GAMING).learned.reward >= 0.99 * story(GAMING).shipped.reward
    # 200 of them tell as much as ten edits of 20 characters, and one that is refused outweighs ten.
    few, full = replace(LINE, size=1), replace(LINE, size=20)
    ten = taught([(full, 0.4, 1.0, 0.0)] * 10).probability(LINE, 0.4)
    assert taught([(few, 0.4, 1.0, 0.0)] * 200).probability(LINE, 0.4) == pytest.approx(ten, abs=0.01)
    mostly = ([(few, 0.4, 1.0, 0.0)] * 10 + [(full, 0.4, 0.0, 0.0)]) * 20
    assert taught(mostly).probability(LINE, 0.4) < 0.4
    monkeypatch.setattr(OutcomeFeatures, "weight", property(lambda self: 1.0))  # if accepts counted alone
    assert taught(mostly).probability(LINE, 0.4) > 0.5


def test_what_is_kept_in_part_counts_in_part() -> None:
    ps = [taught([(LINE, 0.4, kept, 0.0)] * 50).probability(LINE, 0.4) for kept in (0.0, 0.4, 0.7, 1.0)]
    assert ps == sorted(ps)
    assert ps[1] == pytest.approx(0.4, abs=1e-6)


def test_a_mere_place_teaches_nothing() -> None:
    learner = taught([(replace(LINE, size=0), 0.4, 1.0, 0.0)] * 50)
    assert learner.outcomes == 0
    assert learner.snapshot(0.0) == UserPreferences(trust=0.5)


# Forgetting


def test_what_is_not_shown_any_more_comes_back_with_time() -> None:
    refused = [(LINE, 0.35, 0.0, 0.0)] * 300
    other = replace(LINE, source="completion", kind="import", language="go", distance=None, size=30)
    learner = taught(refused)
    assert learner.probability(LINE, 0.35) < 0.25
    learner.learn(other, 0.5, kept=0.5, at=180 * 24 * 3600.0)
    assert learner.probability(LINE, 0.35) > 0.32


def test_a_clock_that_goes_back_does_no_harm() -> None:
    assert taught([(LINE, 0.4, 1.0, 1e9), (LINE, 0.4, 1.0, 5.0)]).probability(LINE, 0.4) > 0.4


# In states


def candidate(rule: str = "a secret name", **features: float) -> Candidate:
    return Candidate("file:///a.py", Edit.replace(0, 1, "account"), 0, 7, "propagation", "", rule, features)


STATE = EditorState(Snapshot.from_text("x\ny\nz\n", uri="file:///a.py", language="python"), 4)


def test_traits_have_no_code() -> None:
    seen = personalization.outcome_features(
        STATE, candidate(**{"support": 2.0, "kind:line": 1.0, "kind:rename": 1.0})
    )
    assert seen == OutcomeFeatures("propagation", "line", "python", 2, 8)
    assert personalization.outcome_features(STATE, candidate()).kind == "propagation"
    assert not any("secret" in name for name in seen.features())


def test_another_document_is_no_distance() -> None:
    other = Snapshot.from_text("x\n", uri="file:///b.ts", language="typescript")
    seen = personalization.outcome_features(
        replace(STATE, other_documents=(other,)), replace(candidate(), uri="file:///b.ts")
    )
    assert (seen.distance, seen.language) == (None, "typescript")


def test_the_gate_shows_what_the_person_takes() -> None:
    lives = replace(candidate(), confidence=0.25)

    def decided(state: EditorState) -> tuple[float, float | None, bool]:
        (decision,), silence = Gate().decide(state, [lives], 0.5, lambda: None)
        return decision.confidence, decision.shipped, silence is None

    assert decided(STATE) == (0.25, 0.25, False)
    assert decided(replace(STATE, taste=UserPreferences())) == (0.25, 0.25, False)
    eager = UserPreferences((("always", 0.6),), trust=0.9)
    confidence, shipped, shown = decided(replace(STATE, taste=eager))
    assert (shipped, shown) == (0.25, True)
    assert confidence == pytest.approx(0.25 + 0.9 * (sigmoid(math.log(1 / 3) + 0.6) - 0.25))


def test_a_taste_changes_the_key_and_nothing_else_does() -> None:
    learner = taught([(LINE, 0.4, 1.0, 0.0)] * 30)
    tasting = replace(STATE, taste=learner.snapshot(0.2))
    assert tasting.cache_key != STATE.cache_key
    assert (
        tasting.cache_key
        == replace(STATE, taste=taught([(LINE, 0.4, 1.0, 0.0)] * 30).snapshot(0.2)).cache_key
    )
    assert hash(tasting.cache_key) is not None


@pytest.mark.slow
@PROPERTY
@given(OUTCOMES, SEEN, st.floats(0.01, 0.99))
def test_states_carry_what_was_learned(
    outcomes: list[tuple[OutcomeFeatures, float, float, float]], seen: OutcomeFeatures, p: float
) -> None:
    learner = taught(outcomes)
    taste = learner.snapshot(seen.recent)
    shift = personalization._shift(dict(taste.weights), seen)
    assert personalization._mixed(taste.trust, p, shift) == pytest.approx(
        learner.probability(seen, p), abs=0.005
    )


def test_recent_outcomes() -> None:
    recent = personalization.update_recency(
        personalization.update_recency(0.0, accepted=True), accepted=False
    )
    assert recent == pytest.approx(-0.04)
