"""Curves turn what predictors state into what came true; without one they are taken at their word."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_inference.gate.calibration import Calibration
from history_typist import PROPERTY

CURVE = Calibration(
    {"x": {"knots": [[0.2, 0.1], [0.5, 0.4], [0.9, 0.7]]}, "without": {"knots": [], "why": "no data"}}
)
STATED = st.floats(0.01, 0.99)


@PROPERTY
@given(STATED, STATED)
def test_a_curve_ascends(one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert 0 < CURVE.calibrate("x", low) <= CURVE.calibrate("x", high) < 1


@pytest.mark.parametrize(("stated", "measured"), [(0.2, 0.1), (0.5, 0.4), (0.9, 0.7)])
def test_it_goes_through_its_knots(stated: float, measured: float) -> None:
    assert CURVE.calibrate("x", stated) == pytest.approx(measured)


@PROPERTY
@given(STATED)
def test_who_has_no_curve_is_taken_at_their_word(stated: float) -> None:
    assert CURVE.calibrate("without", stated) == CURVE.calibrate("never heard of", stated) == stated


def test_one_knot_moves_all_log_odds_alike() -> None:
    assert Calibration({"x": {"knots": [[0.5, 0.8]]}}).calibrate("x", 0.8) == pytest.approx(16 / 17)


@pytest.mark.parametrize(
    "knots", [[[0.5, 0.4], [0.2, 0.1]], [[0.5, 0.4], [0.5, 0.6]], [[0.2, 0.5], [0.5, 0.4]], [[1]]]
)
def test_what_is_no_curve_is_refused(knots: list[list[float]]) -> None:
    with pytest.raises(ValueError, match="not a calibration"):
        Calibration({"x": {"knots": knots}})
