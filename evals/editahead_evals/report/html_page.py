"""A report as one HTML page that needs nothing else: no network, no scripts; light or dark as the reader has it."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from editahead_evals.metrics.bootstrap import Bootstrap, Interval
from editahead_evals.metrics.example_cases import DiffLine, ExampleCase, best, worst
from editahead_evals.metrics.metrics import (
    GROUP_METRICS,
    METRICS,
    SERVER,
    TYPING_METRICS,
    Counts,
    FileResult,
    statistic,
)

from .html_parts import (
    compared_sections,
    figure_table,
    glossary,
    named_intervals,
    page,
    page_head,
    section,
    table_rows,
)
from .report import Report
from .svg_plots import bars, line_plot
from .terminal_tables import cell

CASES = 8
"""Of the best, and of the worst."""

METRIC_GLOSSARY = {
    "moments": "requests after which hunks of the commit remain in the file",
    "coverage": "moments at which the edit shown made remaining hunks, and nothing else",
    "precision": "edits shown that did, of those shown at such moments",
    "location": "edits shown that lie within 2 lines of remaining hunks",
    "false end": "files after whose last hunk something was shown",
    "jump": "moments at which the first place shown was within 2 lines of a remaining hunk",
    "deltaChrF": "how like what was done there the edits shown are, in character n-grams of what changes",
    "kept": "characters put in or taken out by the edits shown that the person put in or took out there, too",
    "reversal": "edits shown that undo what was just done",
    "wrong/100": "edits shown while typing that are neither typed next nor remaining hunks, per 100 keystrokes of the "
    "replay, which types 4 characters at once and is asked at every third",
    "fresh/100": "the same without those that stood there at the request before",
    "saved": "typed characters that stood there before they were typed",
    "first line": "edits beginning in the cursor's line that make of it what the person does",
    "show rate": "moments at which something is shown",
    "next hit": "accepts after which the next answer was there already",
    "calibration error": "how far confidence is from what comes true",
}

_CLASSES = {"@": "at", "-": "minus", "+": "plus", " ": "same"}


def as_html(report: Report) -> str:
    cases = [case for result in report.files for case in result.cases]
    moments = {"moments": "opportunities"}
    items = f"{len(report.files)} files; values with 95% intervals, by bootstrap over files"
    parts = [
        *page_head("How well Editahead predicts the next edit", report, items),
        section("Next edit", figure_table("predictor", report.predictors, moments, METRICS)),
        section(
            "While typing",
            figure_table("predictor", report.typing, {"keystrokes": "keystrokes"}, TYPING_METRICS),
        ),
        *compared_sections(report.against),
        section("Confidence", _plots(report) + _confidence(report)),
        section("What other thresholds would give, from the answers at eagerness 1", _levels(report)),
        section("By language", figure_table("language", report.languages, moments, METRICS)),
        section("By kind of hunk", figure_table("kind", report.kinds, moments, GROUP_METRICS)),
        section(
            "By distance from the cursor", figure_table("distance", report.distances, moments, GROUP_METRICS)
        ),
        section("What the figures mean", glossary(METRIC_GLOSSARY)),
        section("Best cases: the largest edits that were right", _cases(best(cases, CASES))),
        section("Worst cases: the surest ones that were not", _cases(worst(cases, CASES))),
    ]
    return page("Editahead: next edit", parts)


def _plots(report: Report) -> str:
    confidence = report.confidence
    row = report.predictors[SERVER]
    curve = confidence.risk_coverage
    widest = max([rate for rate, _ in curve], default=1.0) or 1.0
    precision = row.figures["precision"].value
    marks = []
    if precision is not None and row.counts.opportunities:
        marks.append((row.counts.shown / row.counts.opportunities, 1 - precision, "default eagerness"))
    bins = [(each.confidence, each.correct) for each in reversed(confidence.bins)]
    languages = [
        (name, row.figures["precision"], f"of {row.counts.shown}") for name, row in report.languages.items()
    ]
    figures = (
        (
            "Risk and coverage",
            line_plot(curve, x="show rate", y="wrong of shown", widest=widest, marks=marks),
        ),
        ("Reliability", line_plot(bins, x="confidence", y="correct", diagonal=True, dots=True)),
        ("Precision by source", bars(_by_source(report), "precision by source")),
        ("Precision by language", bars(languages, "precision by language")),
    )
    drawn = (f"<figure><figcaption>{title}</figcaption>{plot}</figure>" for title, plot in figures)
    return f'<div class="plots">{"".join(drawn)}</div>'


def _by_source(report: Report) -> list[tuple[str, Interval, str]]:
    bootstrap = Bootstrap(len(report.files), report.seed)
    out = []
    for source in sorted({case.source for result in report.files for case in result.cases}):
        counts = [_of_source(result, source) for result in report.files]
        interval = bootstrap.interval(statistic(counts, METRICS["precision"]))
        out.append((source, interval, f"of {sum(each.shown for each in counts)}"))
    return out


def _of_source(result: FileResult, source: str) -> Counts:
    those = [case for case in result.cases if case.source == source and case.status != "after the last edit"]
    return Counts(shown=len(those), correct=sum(case.status == "right" for case in those))


def _confidence(report: Report) -> str:
    confidence = report.confidence
    error = confidence.calibration_error
    rates = confidence.precision_at_show_rate
    return named_intervals(
        {
            **{f"precision at show rate {rate:.0%}": value for rate, value in rates.items()},
            "calibration error": error,
            "what it would be, by chance, if every confidence were true": Interval(error.by_chance),
            "some alternative right, of up to five at eagerness 1": confidence.some_alternative_right,
            "some candidate right, of all, before gate and checks (the ceiling)": (
                confidence.some_candidate_right
            ),
            "next hit": report.next_hit,
        }
    )


def _levels(report: Report) -> str:
    """Return the table of other thresholds."""
    return table_rows(
        ["confidence", "show rate", "coverage", "precision", "false end"],
        (
            (
                "",
                [
                    f"&gt; {level.confidence:.2f}",
                    *(
                        cell(Interval(value))
                        for value in (level.rate, level.coverage, level.precision, level.false_end)
                    ),
                ],
            )
            for level in report.confidence.thresholds
        ),
    )


def _cases(cases: Sequence[ExampleCase]) -> str:
    return "".join(map(_case, cases)) or "<p>None.</p>"


def _case(case: ExampleCase) -> str:
    title = f"{case.status}, {case.confidence:.2f}: {case.label} ({case.source})"
    sides = (("last edit", case.done), ("shown", case.shown), ("what came next there", case.wanted))
    diffs = "".join(f"<div>{title}{_diff(lines)}</div>" for title, lines in sides)
    return (
        f'<details open><summary>{escape(title)}</summary><p class="note">{escape(case.id)}: '
        f'{escape(case.subject)}</p><div class="case">{diffs}</div></details>'
    )


def _diff(lines: Sequence[DiffLine]) -> str:
    if not lines:
        return "<pre>nothing</pre>"
    spans = (f'<span class="{_CLASSES[sign]}">{escape(f"{sign} {text}")}</span>' for sign, text in lines)
    return f"<pre>{''.join(spans)}</pre>"
