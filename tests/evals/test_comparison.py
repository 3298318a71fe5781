from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from editahead_evals.baselines import BASELINES
from editahead_evals.comparison import Difference, as_json, compare_files
from editahead_evals.metrics import SERVER, Counts, FileResult


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


def by_figure(ours: list[FileResult], theirs: list[FileResult]) -> dict[str, Difference]:
    return {each.figure: each for each in compare_files(ours, theirs, "abc", seed=0).differences}


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
    assert not any(each.is_significant or each.is_better or each.is_worse for each in found.values())
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
    assert json.loads(json.dumps(as_json(found)))["figures"]["coverage"]["difference"]["value"] == 1.0
