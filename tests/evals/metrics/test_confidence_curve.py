from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_evals.metrics.confidence_curve import BINS, Answer, ConfidenceCurve


def shown(confidence: float, correct: bool, opportunity: bool = True) -> Answer:
    return Answer(opportunity, correct and opportunity, correct, confidence, "propagation")


ANSWERS = st.builds(shown, st.floats(0, 1), st.booleans(), st.booleans()) | st.builds(Answer, st.booleans())
FILES = st.lists(st.lists(ANSWERS, max_size=6), min_size=1, max_size=6)

TWO_FILES = [
    [shown(0.9, True), shown(0.6, True), Answer(True), shown(0.7, False, opportunity=False)],
    [shown(0.8, False), Answer(True), Answer(True), Answer(False)],
]


def test_precision_is_that_of_the_surest_answers() -> None:
    curve = ConfidenceCurve(TWO_FILES)
    assert curve.precision_at(1 / 6)([1, 1]) == 1.0
    assert curve.precision_at(2 / 6)([1, 1]) == pytest.approx(1 / 2)
    assert curve.precision_at(3 / 6)([1, 1]) == pytest.approx(2 / 3)
    assert curve.precision_at(4 / 6)([1, 1]) is None
    assert curve.precision_at(2 / 6)([2, 0]) == 1.0


def test_a_rate_that_falls_within_an_answer_takes_its_share() -> None:
    assert ConfidenceCurve([[shown(0.9, True), shown(0.8, False)]]).precision_at(0.75)([1]) == pytest.approx(
        2 / 3
    )


def test_levels_are_what_a_threshold_gives() -> None:
    (level,) = ConfidenceCurve(TWO_FILES).levels([0.65])
    assert (level.rate, level.coverage, level.precision) == (2 / 6, 1 / 6, 0.5)
    assert level.false_end == 0.5
    (none,) = ConfidenceCurve(TWO_FILES).levels([0.95])
    assert (none.rate, none.precision, none.false_end) == (0, None, 0)


def test_risk_grows_with_what_is_shown() -> None:
    assert ConfidenceCurve(TWO_FILES).risk_coverage() == [
        (1 / 6, 0),
        (2 / 6, 1 / 2),
        (3 / 6, pytest.approx(1 / 3)),
    ]


def test_confidence_that_comes_true_has_no_error() -> None:
    meant = [shown(0.8, number % 5 != 0) for number in range(1000)]
    too_sure = [shown(0.9, number % 2 == 0) for number in range(1000)]
    assert ConfidenceCurve([meant]).calibration_error([1]) == pytest.approx(0)
    assert ConfidenceCurve([too_sure]).calibration_error([1]) == pytest.approx(0.4)
    assert ConfidenceCurve([[Answer(True)]]).calibration_error([1]) is None


@pytest.mark.slow
def test_of_few_answers_chance_alone_makes_an_error() -> None:
    few, many = (ConfidenceCurve([[shown(0.5, True)] * count]).chance_error(seed=0) for count in (50, 2000))
    assert few is not None
    assert many is not None
    assert 0.1 < few < 0.3
    assert many < 0.04
    assert ConfidenceCurve([[Answer(True)]]).chance_error(seed=0) is None


def test_an_answer_after_the_end_is_wrong() -> None:
    assert ConfidenceCurve([[shown(0.5, True, opportunity=False)] * 10]).calibration_error(
        [1]
    ) == pytest.approx(0.5)


@pytest.mark.slow
@given(FILES)
def test_bins_are_of_equal_mass(files: list[list[Answer]]) -> None:
    given = [answer for those in files for answer in those if answer.confidence is not None]
    bins = ConfidenceCurve(files).bins()
    assert len(bins) == (BINS if given else 0)
    assert all(each.answers == pytest.approx(len(given) / BINS) for each in bins)
    assert [each.confidence for each in bins] == pytest.approx(
        sorted((each.confidence for each in bins), reverse=True)
    )


@pytest.mark.slow
@given(FILES, st.lists(st.integers(0, 3), min_size=6, max_size=6), st.sampled_from([0.1, 0.25, 0.5]))
def test_weights_are_files_that_are_there_several_times(
    files: list[list[Answer]], weights: list[int], rate: float
) -> None:
    weights = weights[: len(files)]
    written_out = [those for those, weight in zip(files, weights, strict=True) for _ in range(weight)]
    one, other = ConfidenceCurve(files), ConfidenceCurve(written_out)
    once = [1] * len(written_out)
    for ours, theirs in (
        (one.calibration_error(weights), other.calibration_error(once)),
        (one.precision_at(rate)(weights), other.precision_at(rate)(once)),
    ):
        assert (ours is None) == (theirs is None)


def test_the_threshold_for_a_precision_is_the_lowest() -> None:
    answers = [shown(0.9, True), shown(0.8, False), shown(0.7, True), shown(0.6, True), shown(0.5, False)]
    curve = ConfidenceCurve([[*answers, Answer(True)]])
    assert curve.coverage_above(curve.threshold_for_precision(0.75))([1]) == pytest.approx(3 / 6)
    assert curve.coverage_above(curve.threshold_for_precision(1.0))([1]) == pytest.approx(1 / 6)
    assert curve.coverage_above(curve.threshold_for_precision(0.1))([1]) == pytest.approx(3 / 6)
    assert ConfidenceCurve([[shown(0.9, False)]]).threshold_for_precision(0.5) == 1.0


@pytest.mark.slow
@given(FILES, st.floats(0.01, 1))
def test_what_is_above_the_threshold_is_so_precise(files: list[list[Answer]], precision: float) -> None:
    curve = ConfidenceCurve(files)
    (level,) = curve.levels([curve.threshold_for_precision(precision)])
    assert level.precision is None or level.precision >= precision - 1e-6
    assert curve.coverage_above(curve.threshold_for_precision(precision))([1] * len(files)) in (
        None,
        pytest.approx(level.coverage),
    )
