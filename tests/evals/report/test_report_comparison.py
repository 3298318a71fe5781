from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from editahead_evals.metrics.confidence_curve import Answer
from editahead_evals.metrics.metrics import SERVER, Counts, FileResult
from editahead_evals.replay.baselines import BASELINES
from editahead_evals.report.comparison import Difference
from editahead_evals.report.output import LATE_MS, busy_warning, to_json
from editahead_evals.report.report import EQUAL, compare_files

pytestmark = pytest.mark.slow


def files(covered: Callable[[int], int], false_ends: Callable[[int], int] = lambda n: 0) -> list[FileResult]:
    out = []
    for n in range(40):
        result = FileResult(f"file {n:02}", "go", 1, {name: Counts() for name in (SERVER, *BASELINES)})
        result.counts[SERVER] = Counts(
            opportunities=10,
            covered=covered(n),
            shown=10,
            correct=covered(n),
            ends=1,
            false_ends=false_ends(n),
        )
        out.append(result)
    return out


def by_figure(ours: list[FileResult], theirs: list[FileResult]) -> Mapping[str, Difference]:
    return compare_files(ours, theirs, "abc", seed=0).figures


def test_pairs_show_a_difference_that_two_intervals_hide() -> None:
    better, before = files(lambda n: n % 10 + n % 2), files(lambda n: n % 10)
    coverage = by_figure(better, before)["coverage"]
    assert coverage.ours.low is not None
    assert coverage.theirs.high is not None
    assert coverage.ours.low < coverage.theirs.high
    assert coverage.difference.value == pytest.approx(0.05)
    assert (coverage.is_better, coverage.is_worse) == (True, False)
    assert by_figure(before, better)["coverage"].is_worse


def test_no_difference_is_none() -> None:
    found = by_figure(files(lambda n: n % 5), files(lambda n: n % 5))
    assert not any(each.significant or each.is_better or each.is_worse for each in found.values())
    assert found["next hit"].difference.value is None


def test_of_some_figures_less_is_better() -> None:
    found = by_figure(files(lambda n: 1, lambda n: 1), files(lambda n: 1, lambda n: n % 2))
    assert found["false end"].is_worse
    assert by_figure(files(lambda n: 1, lambda n: n % 2), files(lambda n: 1, lambda n: 1))[
        "false end"
    ].is_better


def test_only_files_that_both_have_are_compared() -> None:
    ours = files(lambda n: 10)
    found = compare_files(ours, files(lambda n: 0)[:3], "abc", seed=0)
    assert found.files == 3
    assert to_json(found)["figures"]["coverage"]["difference"]["value"] == 1.0


def test_showing_more_gains_nothing_at_equal_precision() -> None:
    def with_answers(shown: list[tuple[float, bool]]) -> list[FileResult]:
        out = files(lambda n: 1)
        for result in out:
            result.answers = [Answer(True, right, right, sure, "local") for sure, right in shown]
        return out

    theirs = [(0.9, True), (0.5, False), (0.2, True), (0.1, False)]
    bolder = [(sure + 0.09, right) for sure, right in theirs]
    assert by_figure(with_answers(bolder), with_answers(theirs))[EQUAL].difference.value == pytest.approx(0)
    better = [(0.9, True), (0.5, True), (0.2, True), (0.1, False)]
    found = by_figure(with_answers(better), with_answers(theirs))[EQUAL]
    assert found.is_better and found.difference.value == pytest.approx(0.25)


def test_late_answers_make_figures_doubtful() -> None:
    assert busy_warning([1.0, LATE_MS - 1]) is None
    assert busy_warning([1.0, LATE_MS, 9000]) == (
        "2 answers took 2 s or longer: these figures are not what the code can do"
    )
