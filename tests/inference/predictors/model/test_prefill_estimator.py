"""The estimate of prefill speed from requests that also wait for other things."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from editahead_inference.predictors.model.prefill_estimator import (
    MIN_PAIRS,
    MIN_TOKENS_APART,
    PrefillEstimator,
)


def test_nothing_is_known_of_a_few_requests_or_of_equal_ones() -> None:
    pace = PrefillEstimator()
    assert pace.estimate_s(1000) is None
    for _ in range(100):
        pace.record(300, 0.2)
    assert pace.estimate_s(1000) is None
    pace = PrefillEstimator()
    for number in range(4):  # six pairs
        pace.record(number * MIN_TOKENS_APART, 0.1 * number)
    assert pace.estimate_s(1000) is None and MIN_PAIRS > 6


@given(
    st.floats(0, 0.01), st.floats(0, 1), st.lists(st.integers(0, 4000), min_size=24, max_size=60, unique=True)
)
def test_a_steady_server(each: float, beside: float, asked: list[int]) -> None:
    pace = PrefillEstimator()
    for tokens in asked:
        pace.record(tokens, beside + tokens * each)
    known = pace.estimate_s(500)
    assert known is None or abs(known - 500 * each) < 1e-6


@given(st.lists(st.floats(0, 30), max_size=5))
def test_a_few_requests_that_had_to_wait_change_little(waits: list[float]) -> None:
    pace = PrefillEstimator()
    for number in range(24 - len(waits)):
        pace.record(number % 4 * 250, 0.02 + number % 4 * 250 * 0.001)
    for number, wait in enumerate(waits):
        pace.record(number * 200, wait)
    known = pace.estimate_s(100)
    assert known is not None and abs(known - 0.1) < 0.05


def test_a_server_that_becomes_faster_is_found_to_be() -> None:
    pace = PrefillEstimator()
    for each in (0.01, 0.0001):
        for number in range(24):
            pace.record(number % 4 * 250, number % 4 * 250 * each)
        known = pace.estimate_s(100)
        assert known is not None and abs(known - 100 * each) < 1e-9
