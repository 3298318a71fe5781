"""A report as one HTML page that needs nothing else: no network, no scripts; light or dark as the reader has it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

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

from .comparison import Comparison
from .report import NOTE, Report
from .svg_plots import bars, line_plot
from .terminal_tables import cell

CASES = 8
"""Of the best, and of the worst."""

STYLE = """
:root { color-scheme: light dark; --ground: #fff; --ink: #1c1e21; --faint: #9aa0a6; --line: #e3e5e8; --blue: #2563c9;
  --red: #b3261e; --green: #1a7f37; --red-ground: #fdecea; --green-ground: #e6f4ea; }
@media (prefers-color-scheme: dark) { :root { --ground: #16181b; --ink: #e4e6e9; --faint: #80868d; --line: #31353a;
  --blue: #7cacf8; --red: #f2b8b5; --green: #86d993; --red-ground: #41211f; --green-ground: #1d3524; } }
body { background: var(--ground); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; max-width: 88rem;
  margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2.2rem; } p.note { color: var(--faint); }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .2rem .7rem; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap; }
th:first-child, td:first-child { text-align: left; } tr.us { font-weight: 600; }
td small { color: var(--faint); font-weight: 400; } td.better { color: var(--green); } td.worse { color: var(--red); }
.plots { display: flex; flex-wrap: wrap; gap: 2rem; } figure { margin: 0; } figcaption { font-weight: 600; }
svg { max-width: 100%; height: auto; } svg text { font: 11px system-ui, sans-serif; fill: var(--ink); }
svg .middle { text-anchor: middle; } svg .end { text-anchor: end; }
svg .axis, svg .whisker { stroke: var(--ink); } svg .grid { stroke: var(--line); }
svg .faint { stroke: var(--faint); stroke-dasharray: 4 4; } svg .curve { fill: none; stroke: var(--blue); stroke-width: 2; }
svg .dot { fill: var(--blue); } svg .mark { fill: var(--red); } svg .track { fill: var(--line); }
svg .bar { fill: var(--blue); opacity: .75; }
dt { font-weight: 600; float: left; clear: left; width: 9rem; } dd { margin-left: 9.5rem; }
details { border: 1px solid var(--line); border-radius: 6px; margin: .6rem 0; padding: .5rem .8rem; }
summary { cursor: pointer; }
.case { display: flex; flex-wrap: wrap; gap: 1rem; } .case > div { flex: 1 1 20rem; min-width: 0; }
pre { overflow-x: auto; margin: .3rem 0; font: 12.5px/1.45 ui-monospace, monospace; } pre span { display: block; }
.minus { background: var(--red-ground); } .plus { background: var(--green-ground); } .at { color: var(--faint); }
"""

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


def as_html(report: Report, comparison: Comparison | None = None) -> str:
    where = report.provenance
    cases = [case for result in report.files for case in result.cases]
    provenance = (
        f"commit {where.commit}; {where.machine}; {where.data}; seed {where.seed}; {len(report.files)} files; "
        "values with 95% intervals, by bootstrap over files"
    )
    parts = [
        "<h1>How well Editahead predicts the next edit</h1>",
        f'<p class="note">{escape(NOTE)}<br>{escape(provenance)}</p>',
        _section("Next edit", _table("predictor", report.predictors, {"moments": "opportunities"}, METRICS)),
        _section(
            "While typing", _table("predictor", report.typing, {"keystrokes": "keystrokes"}, TYPING_METRICS)
        ),
        _section("Confidence", _plots(report) + _confidence(report)),
        _section("What other thresholds would give, from the answers at eagerness 1", _levels(report)),
        _section("By language", _table("language", report.languages, {"moments": "opportunities"}, METRICS)),
        _section(
            "By kind of hunk", _table("kind", report.kinds, {"moments": "opportunities"}, GROUP_METRICS)
        ),
        _section(
            "By distance from the cursor",
            _table("distance", report.distances, {"moments": "opportunities"}, GROUP_METRICS),
        ),
        _section("What the figures mean", _meanings()),
        _section("Best cases: the largest edits that were right", _cases(best(cases, CASES))),
        _section("Worst cases: the surest ones that were not", _cases(worst(cases, CASES))),
    ]
    if comparison is not None:
        parts.insert(4, _section(f"Against {comparison.against}", _comparison(comparison)))
    title = "Editahead: next edit"
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{title}</title>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<style>{STYLE}</style>\n</head>\n<body>\n" + "\n".join(parts) + "\n</body>\n</html>\n"
    )


def _section(title: str, content: str) -> str:
    return f"<h2>{escape(title)}</h2>\n{content}"


def _rows(head: Iterable[str], rows: Iterable[tuple[str, Sequence[str]]]) -> str:
    """Return table rows, each given as its class and its cells in HTML."""
    out = ['<div class="wide"><table><tr>', *(f"<th>{escape(each)}</th>" for each in head), "</tr>"]
    for kind, cells in rows:
        out.append(f'<tr class="{kind}">')
        out += [each if each.startswith("<td") else f"<td>{each}</td>" for each in cells]
        out.append("</tr>")
    return "".join([*out, "</table></div>"])


def _value(interval: Interval) -> str:
    value, _, bounds = cell(interval).partition(" ")
    return f"{value} <small>{bounds}</small>" if bounds else value


def _table(
    what: str,
    rows: Sequence[tuple[str, Any, Mapping[str, Interval]]],
    sums: Mapping[str, str],
    metrics: Iterable[str],
) -> str:
    return _rows(
        [what, *sums, "shown", *metrics],
        (
            (
                "us" if name == SERVER else "",
                [
                    escape(name),
                    *(str(getattr(counts, each)) for each in (*sums.values(), "shown")),
                    *(_value(row[metric]) for metric in metrics),
                ],
            )
            for name, counts, row in rows
        ),
    )


def _comparison(comparison: Comparison) -> str:
    rows = []
    for each in comparison.differences:
        shade = "worse" if each.is_worse else "better" if each.is_better else ""
        difference = f'<td class="{shade}">{_value(each.difference)}</td>'
        rows.append(("", [escape(each.figure), _value(each.ours), _value(each.theirs), difference]))
    return _rows(["figure", "here", comparison.against, "difference"], rows)


def _plots(report: Report) -> str:
    confidence = report.confidence
    _, counts, row = report.predictors[0]
    curve = confidence.risk_coverage
    widest = max([rate for rate, _ in curve], default=1.0) or 1.0
    precision = row["precision"].value
    marks = []
    if precision is not None and counts.opportunities:
        marks.append((counts.shown / counts.opportunities, 1 - precision, "default eagerness"))
    bins = [(each.confidence, each.correct) for each in reversed(confidence.bins)]
    languages = [(name, row["precision"], f"of {counts.shown}") for name, counts, row in report.languages]
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
    bootstrap = Bootstrap(len(report.files), report.provenance.seed)
    out = []
    for source in sorted({case.source for result in report.files for case in result.cases}):
        counts = [_of_source(result, source) for result in report.files]
        interval = bootstrap.interval(statistic(counts, METRICS["precision"]))
        out.append((source, interval, f"of {sum(each.shown for each in counts)}"))
    return out


def _of_source(result: FileResult, source: str) -> Counts:
    those = [case for case in result.cases if case.source == source and case.verdict != "after the last edit"]
    return Counts(shown=len(those), correct=sum(case.verdict == "right" for case in those))


def _confidence(report: Report) -> str:
    confidence = report.confidence
    figures = [
        *((f"precision at show rate {rate:.0%}", value) for rate, value in confidence.precision_at.items()),
        ("calibration error", confidence.error),
        ("what it would be, by chance, if every confidence were true", Interval(confidence.chance_error)),
        ("some alternative right, of up to five at eagerness 1", confidence.some_shown),
        ("some candidate right, of all, before gate and checks (the ceiling)", confidence.ceiling),
        ("next hit", report.next_hit),
    ]
    return _rows(["figure", "value"], (("", [escape(name), _value(value)]) for name, value in figures))


def _levels(report: Report) -> str:
    """Return the table of other thresholds."""
    return _rows(
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
            for level in report.confidence.levels
        ),
    )


def _meanings() -> str:
    rows = (f"<dt>{escape(name)}</dt><dd>{escape(meaning)}</dd>" for name, meaning in METRIC_GLOSSARY.items())
    return f"<dl>{''.join(rows)}</dl>"


def _cases(cases: Sequence[ExampleCase]) -> str:
    return "".join(map(_case, cases)) or "<p>None.</p>"


def _case(case: ExampleCase) -> str:
    title = f"{case.verdict}, {case.confidence:.2f}: {case.label} ({case.source})"
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
