from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from editahead_evals.data.commit_replay import replay
from editahead_evals.data.edit_records import Record
from editahead_evals.metrics.bootstrap import Interval
from editahead_evals.metrics.confidence_curve import Answer
from editahead_evals.metrics.example_cases import ExampleCase, best, case, worst
from editahead_evals.metrics.judge import judge
from editahead_evals.metrics.metrics import SERVER, Counts, FileResult, TypingCounts
from editahead_evals.replay.baselines import BASELINES
from editahead_evals.report.html_page import METRIC_GLOSSARY, as_html
from editahead_evals.report.output import Provenance
from editahead_evals.report.report import Report, compare_files, summarize
from editahead_evals.report.svg_plots import bars, line_plot

BEFORE = "a <b>\nx\n" + "y\n" * 5 + "b <b>\nz\n"
RECORD = Record("r@1:a.py", "r", "1", "Say & show", "a.py", "python", BEFORE, BEFORE.replace("<b>", "<c>"))
FIRST = {"confidence": 0.75, "source": "propagation", "label": "<b> -> <c>"}


def cases() -> list[ExampleCase]:
    moment, end = (step.moment for step in replay(RECORD.before, RECORD.after))
    shown = [(moment, RECORD.after), (moment, moment.text.replace("x", "w")), (end, RECORD.after + "more\n")]
    return [case(RECORD, at, text, judge(at, text), FIRST) for at, text in shown]


def report() -> Report:
    result = FileResult(RECORD.id, "python", 9, {name: Counts() for name in (SERVER, *BASELINES)})
    result.counts[SERVER] = Counts(opportunities=2, covered=1, shown=2, correct=1, ends=1, false_ends=1)
    result.typing = {SERVER: TypingCounts(keystrokes=10, characters=40)}
    result.answers = [Answer(True, True, True, 0.75, "propagation"), Answer(False)]
    result.cases = cases()
    return summarize([result], Provenance("abc123", "dev <1>", 7))


class Checked(HTMLParser):
    """Counts tags, and raises for any that is not closed, or that fetches or runs something."""

    VOID = ("meta", "br")

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag not in ("script", "link", "img", "iframe")
        assert not {name for name, _ in attrs} & {"src", "href", "onclick", "onload", "style"}
        self.seen.append(tag)
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_a_page_needs_nothing_else_and_is_well_formed() -> None:
    page = as_html(report())
    seen = Checked(page).seen
    assert seen.count("svg") == 4
    assert seen.count("details") == 2
    assert "url(" not in page
    assert "@import" not in page
    assert "://" not in page
    assert "prefers-color-scheme: dark" in page


def test_what_comes_from_code_is_text() -> None:
    page = as_html(report())
    assert "<b>" not in page
    assert "a &lt;b&gt;" in page
    assert "Say &amp; show" in page
    assert "dev &lt;1&gt;" in page


@pytest.mark.slow
def test_a_comparison_is_a_section() -> None:
    result = report()
    page = as_html(replace(result, against=compare_files(result.files, result.files, "4711abc", seed=0)))
    Checked(page)
    assert "<h2>Against 4711abc</h2>" in page
    assert "Against" not in as_html(result)


def test_an_empty_report_has_a_page() -> None:
    nothing = FileResult("r", "go", 1, {name: Counts() for name in (SERVER, *BASELINES)})
    assert "None." in as_html(summarize([nothing], Provenance("abc", "data", 0)))


def test_every_column_has_a_meaning() -> None:
    row, typing = report().predictors[SERVER], report().typing[SERVER]
    assert {*row.figures, *typing.figures} <= {*METRIC_GLOSSARY, "shown/100"}


def test_cases_say_what_was_shown_and_what_came() -> None:
    right, wrong, end = cases()
    assert [each.status for each in (right, wrong, end)] == ["right", "wrong", "after the last edit"]
    assert right.done[:3] == (("@", "line 1"), ("-", "a <b>"), ("+", "a <c>"))
    assert right.shown == right.wanted
    assert ("+", "w") in wrong.shown
    assert ("+", "b <c>") in wrong.wanted
    assert end.wanted == ()


def test_the_best_are_large_and_the_worst_are_sure() -> None:
    def made(id: str, status: str, confidence: float, size: int) -> ExampleCase:
        return ExampleCase(id, "", "go", status, confidence, "propagation", "", size, (), (), ())

    all_cases = [
        made("a", "right", 0.5, 3),
        made("a", "right", 0.5, 9),
        made("b", "right", 0.9, 5),
        made("c", "wrong", 0.6, 5),
        made("d", "after the last edit", 0.9, 5),
    ]
    assert [(each.id, each.size) for each in best(all_cases, 8)] == [("a", 9), ("b", 5)]
    assert [each.id for each in worst(all_cases, 8)] == ["d", "c"]
    assert [each.id for each in worst(all_cases, 1)] == ["d"]


@pytest.mark.parametrize(
    "plot",
    [
        line_plot([], x="x", y="y"),
        line_plot(
            [(0.1, 0.5), (0.2, 1)], x="a & b", y="y", widest=0.2, marks=[(0.1, 0.1, "<here>")], dots=True
        ),
        bars([], "none"),
        bars([("go", Interval(0.5, 0.25, 1.0), "of 4"), ("c++ & c", Interval(None), "of 0")], "languages"),
    ],
)
def test_plots_are_well_formed(plot: str) -> None:
    assert ElementTree.fromstring(plot).tag == "svg"
