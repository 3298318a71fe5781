"""Counting, intervals, and the report made of them."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from editahead_evals.data.commit_replay import HUNK_KINDS, ReplayMoment, replay
from editahead_evals.metrics.bootstrap import Bootstrap, Interval, percentile, ratio
from editahead_evals.metrics.confidence_curve import Answer
from editahead_evals.metrics.judge import EditJudgement, judge
from editahead_evals.metrics.metrics import (
    SERVER,
    Counts,
    FileResult,
    MomentResult,
    TypingCounts,
    count_distances,
    count_kinds,
    figures,
    total,
)
from editahead_evals.replay.baselines import BASELINES
from editahead_evals.report.output import Provenance, to_json
from editahead_evals.report.report import NOTE, summarize
from editahead_evals.report.terminal_tables import cell, print_tables

RIGHT = EditJudgement(correct=True, location=True, jump=True, reversal=False, likeness=1.0, kept=8, changed=8)
WRONG = EditJudgement(
    correct=False, location=False, jump=False, reversal=True, likeness=0.5, kept=2, changed=12
)
OPPORTUNITY, END = (step.moment for step in replay("a\nx\nb\n", "A\nx\nB\n"))


def counted(*answers: tuple[ReplayMoment, EditJudgement | None]) -> Counts:
    counts = Counts()
    for moment, shown in answers:
        counts.add(moment, shown, jump=shown is not None and shown.jump)
    return counts


def test_answers_are_counted_where_they_belong() -> None:
    counts = counted(
        (OPPORTUNITY, RIGHT), (OPPORTUNITY, WRONG), (OPPORTUNITY, None), (END, WRONG), (END, None)
    )
    assert counts == Counts(
        opportunities=3,
        covered=1,
        shown=2,
        correct=1,
        located=1,
        likeness=1.5,
        kept=10,
        changed=20,
        jumps=1,
        ends=2,
        false_ends=1,
        reversals=2,
    )
    values = {name: interval.value for name, interval in figures([counts], Bootstrap(1, seed=0)).items()}
    assert values == {
        "coverage": 1 / 3,
        "precision": 1 / 2,
        "location": 1 / 2,
        "false end": 1 / 2,
        "jump": 1 / 3,
        "deltaChrF": 3 / 4,
        "kept": 1 / 2,
        "reversal": 2 / 3,
    }


def test_nothing_shown_has_coverage_but_no_precision() -> None:
    values = figures([counted((OPPORTUNITY, None))], Bootstrap(1, seed=0))
    assert values["coverage"] == Interval(0.0, 0.0, 0.0)
    assert values["precision"] == Interval(None)


def test_kinds_are_counted_by_opportunity_and_by_prediction() -> None:
    kinds = {kind: Counts() for kind in HUNK_KINDS}
    moment = next(replay("a\nx\nb\ny\nz\n", "A\nx\nB\ny\nnew\nz\n")).moment
    count_kinds(kinds, moment, judge(moment, "A\nx\nB\ny\nz\n"))
    assert (kinds["replace line"].opportunities, kinds["replace line"].covered) == (1, 1)
    assert (kinds["replace line"].shown, kinds["replace line"].correct) == (1, 1)
    assert (kinds["insert"].opportunities, kinds["insert"].covered, kinds["insert"].shown) == (1, 0, 0)
    assert kinds["delete"] == Counts()


def test_distances_are_counted_from_the_cursor() -> None:
    distances = {name: Counts() for name in ("0 to 2 lines", "3 to 10 lines", "11 to 50 lines", "more lines")}
    lines = [f"line {n}" for n in range(100)]
    after = list(lines)
    for n in (0, 2, 13, 99):
        after[n] = after[n].upper()
    moment = next(replay("\n".join(lines), "\n".join(after))).moment
    shown = list(moment.lines)
    shown[13] = after[13]
    count_distances(distances, moment, judge(moment, "\n".join(shown)))
    assert {name: (c.opportunities, c.covered, c.shown, c.correct) for name, c in distances.items()} == {
        "0 to 2 lines": (1, 0, 0, 0),
        "3 to 10 lines": (0, 0, 0, 0),
        "11 to 50 lines": (1, 1, 1, 1),
        "more lines": (1, 0, 0, 0),
    }


@pytest.mark.slow
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=30), st.integers(0, 9))
def test_an_interval_lies_around_its_value(pairs: list[tuple[int, int]], seed: int) -> None:
    parts = [min(pair) for pair in pairs]
    wholes = [max(pair) for pair in pairs]
    interval = Bootstrap(len(pairs), seed, resamples=100).interval(ratio(parts, wholes))
    if interval.value is None:
        assert sum(wholes) == 0
    else:
        assert interval.low is not None
        assert interval.high is not None
        assert 0 <= interval.low <= interval.high <= 1


def test_intervals_are_the_same_for_the_same_seed() -> None:
    parts, wholes = [0, 1, 2, 0, 1], [2, 2, 2, 2, 2]
    interval = Bootstrap(5, seed=1).interval(ratio(parts, wholes))
    assert interval == Bootstrap(5, seed=1).interval(ratio(parts, wholes))
    assert interval.low is not None
    assert interval.high is not None
    assert interval.low < 0.4 < interval.high


def test_percentiles_are_nearest_ranks() -> None:
    values = [float(n) for n in range(1, 101)]
    assert [percentile(values, p) for p in (0, 2.5, 50, 99, 100)] == [1.0, 3.0, 50.0, 99.0, 100.0]
    assert percentile([], 50) is None


def results() -> list[FileResult]:
    def file(name: str, language: str, shown: EditJudgement | None) -> FileResult:
        counts = {predictor: Counts() for predictor in (SERVER, *BASELINES)}
        counts[SERVER] = counted((OPPORTUNITY, shown), (END, None))
        moments = [
            MomentResult(True, shown, bool(shown), None if shown else "no-candidate", None, None, None, ms)
            for ms in (20.0, 1.0, 3.0)
        ]
        result = FileResult(name, language, 10, counts, moments=moments, idle_ms=[0.5], change_ms=[0.7, 0.1])
        result.typing = {SERVER: TypingCounts(keystrokes=50, characters=200, requests=10, shown=2, wrong=1)}
        result.answers = [
            Answer(True, shown is RIGHT, shown is RIGHT, 0.5, "propagation") if shown else Answer(True),
            Answer(False),
        ]
        result.candidates, result.reachable = 1, int(shown is not None)
        if shown is RIGHT:
            result.accepts, result.next_hits = 4, 3
        return result

    return [file("b", "go", None), file("a", "python", RIGHT), file("c", "python", WRONG)]


def test_the_report_names_where_its_figures_are_from() -> None:
    report = to_json(summarize(results(), Provenance("abc123", "dev.jsonl.zst", 7)))
    assert json.loads(json.dumps(report))["note"] == NOTE
    assert (report["commit"], report["data"], report["seed"], report["note"]) == (
        "abc123",
        "dev.jsonl.zst",
        7,
        NOTE,
    )
    assert report["predictors"][SERVER]["figures"]["coverage"]["value"] == 1 / 3
    assert set(report["predictors"]) == {SERVER, *BASELINES}
    assert report["languages"]["python"]["counts"]["opportunities"] == 2
    assert report["latencyMs"]["answer"] == {"p50": 1.0, "p99": 3.0}
    assert report["latencyMs"]["first answer"] == {"p50": 20.0, "p99": 20.0}
    assert report["latencyMs"]["didChange"] == {"p50": 0.0, "p99": pytest.approx(0.2)}
    assert report["silences"] == {"no-candidate": 3}
    assert (report["nextHit"]["accepts"], report["nextHit"]["value"]) == (4, 0.75)
    assert [file["id"] for file in report["files"]] == ["a", "b", "c"]
    assert total([Counts(shown=1), Counts(shown=2)], Counts).shown == 3
    assert report["typing"][SERVER]["figures"]["wrong/100"]["value"] == 2.0
    assert report["confidence"]["precisionAtShowRate"]["0.5"]["value"] == pytest.approx(2 / 3)
    assert report["confidence"]["someAlternativeRight"]["value"] == 1 / 3
    assert report["confidence"]["someCandidateRight"]["value"] == 2 / 3
    assert report["confidence"]["calibrationError"]["value"] == pytest.approx(0.5)


def rendered(files: list[FileResult] | None = None, **options: Any) -> str:
    stream = io.StringIO()
    report = summarize(files or results(), Provenance("abc123", "dev.jsonl.zst", 7))
    print_tables(report, Console(file=stream, **options))
    return stream.getvalue()


def test_a_piped_table_is_plain_text_with_a_row_for_each_predictor() -> None:
    text = rendered()
    assert text.isascii()
    assert "\x1b" not in text
    row = next(line for line in text.splitlines() if line.startswith(SERVER + " "))
    assert "0.333 .00-1.00" in row
    assert all(any(line.startswith(name) for line in text.splitlines()) for name in BASELINES)
    assert NOTE in text.replace("\n", " ")
    assert "abc123" in text
    assert "dev.jsonl.zst; seed 7; 3 files" in text


def test_a_terminal_gets_colour() -> None:
    assert "\x1b[1m" in rendered(force_terminal=True, width=200)


def test_nothing_is_cut_off_on_a_narrow_terminal() -> None:
    text = rendered(force_terminal=True, width=80, color_system=None)
    assert "…" not in text
    assert text.splitlines()[2].split()[-1] == "reversal"


@pytest.mark.parametrize(
    ("interval", "text"),
    [
        (Interval(None), "-"),
        (Interval(0.5), "0.500"),
        (Interval(-0.125, -0.25, 0.05), "-0.125 -.25-.05"),
        (Interval(10.5, 10.05, 100.0), "10.500 10.05-100.00"),
    ],
)
def test_cells(interval: Interval, text: str) -> None:
    assert cell(interval) == text


@pytest.mark.slow
def test_failed_predictions_are_not_passed_over() -> None:
    files = results()
    assert "failed" not in rendered(files)
    for reason in ("engine-unavailable", "cancelled"):
        files[0].moments.append(MomentResult(True, None, False, reason, None, None, None, 1.0))
    assert "2 predictions failed or took too long" in rendered(files)
