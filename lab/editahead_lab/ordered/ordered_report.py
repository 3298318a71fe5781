"""The report of pull requests that were replayed edit by edit: tables, JSON and a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from rich.console import Console

from editahead_evals.metrics.bootstrap import Bootstrap, Statistic, percentiles
from editahead_evals.metrics.confidence_curve import ConfidenceCurve
from editahead_evals.metrics.import_metrics import ImportCounts, import_line
from editahead_evals.metrics.metrics import SERVER, Row, group_rows, statistic, total
from editahead_evals.report import html_parts as html
from editahead_evals.report.comparison import Comparison, compare_results, in_order
from editahead_evals.report.output import Calibration, Measured, Provenance, print_latency
from editahead_evals.report.terminal_tables import (
    calibration_text,
    figure_table,
    print_comparison,
    wide_console,
)

from .ordered_metrics import ORDERED_METRICS, OrderedCounts, PullRequestResult

NOTE = "The order is that of the benchmark, not a recording. Edits are judged against the final texts, as with commits."
TITLE = "Ordered edits of pull requests"
GROUPS = (SERVER, "one file", "several files")
ORDERED_GLOSSARY = {
    "coverage": "moments at which the edit shown made remaining changes of its file, and nothing else",
    "precision": "edits shown that did, of those shown while changes remained",
    "next": "moments at which the edit shown was part of a step that may come next",
    "elsewhere": "edits shown for another file than the one with the cursor",
    "wrong/100": "edits shown that were not correct, per 100 requests",
    "false end": "pull requests after whose last step an edit was shown",
    "reversal": "requests at which the edit shown undid the last step",
}


@dataclass(frozen=True, kw_only=True)
class OrderedReport(Measured):
    """The output for ordered edits of pull requests.

    Attributes:
        groups: Of all pull requests, and of those of one and of several files.
        calibration_error: Of shown edits.
        imports: Shown edits that import names, and how many are right by three definitions.
        latency_ms: Percentiles of the answers.
        requests: Counts, answers with their confidence, latencies.
        against: The comparison with another revision, or with the rules alone.
    """

    groups: Mapping[str, Row]
    calibration_error: Calibration
    imports: ImportCounts
    latency_ms: Mapping[str, float | None]
    requests: Sequence[PullRequestResult]
    against: Comparison | None = None


def summarize(
    results: Sequence[PullRequestResult], provenance: Provenance, against: Comparison | None = None
) -> OrderedReport:
    """Return the report of a run; the results may be in any order."""
    requests = in_order(results)
    bootstrap = Bootstrap(len(requests), provenance.seed)
    groups = {name: partial(_of_group, name) for name in GROUPS}
    return OrderedReport(
        **provenance.head("ordered edits of pull requests", NOTE),
        groups=group_rows(requests, groups, OrderedCounts, bootstrap, ORDERED_METRICS),
        calibration_error=Calibration.of(_curve(requests), bootstrap, provenance.seed),
        imports=total([each.imports for each in requests], ImportCounts),
        latency_ms=percentiles([ms for each in requests for ms in each.ms]),
        requests=requests,
        against=against,
    )


def compare(
    ours: Sequence[PullRequestResult], theirs: Sequence[PullRequestResult], against: str, seed: int
) -> Comparison:
    """Compare two runs over the pull requests that both have."""
    return compare_results(ours, theirs, ordered_statistics, against, seed)


def ordered_statistics(requests: Sequence[PullRequestResult]) -> dict[str, Statistic]:
    """Return the metrics over all pull requests, as statistics for a bootstrap."""
    counts = [each.counts for each in requests]
    return {
        **{name: statistic(counts, metric) for name, metric in ORDERED_METRICS.items()},
        "calibration error": _curve(requests).calibration_error,
    }


def print_tables(report: OrderedReport, console: Console) -> None:
    console = wide_console(console)
    sums = {"moments": "opportunities", "shown": "shown"}
    title = f"{TITLE}, all files open"
    console.print(figure_table(title, "", report.groups, sums, ORDERED_METRICS, console), end="\n\n")
    print_comparison(report.against, console)
    console.print(f"calibration error: {calibration_text(report.calibration_error)}")
    console.print(import_line(report.imports))
    ms = (ms for each in report.requests for ms in each.ms)
    print_latency(console, "answer", report.latency_ms, ms)
    report.print_where(console, f"{len(report.requests)} pull requests", "pull requests")


def as_html(report: OrderedReport) -> str:
    sums = {"moments": "opportunities"}
    return html.page(
        "Editahead: ordered edits",
        [
            *html.page_head(TITLE, report, f"{len(report.requests)} pull requests"),
            html.section("All files open", html.figure_table("", report.groups, sums, ORDERED_METRICS)),
            *html.compared_sections(report.against),
            html.section(
                "Calibration error", html.named_intervals({"of edits shown": report.calibration_error})
            ),
            html.section("What the figures mean", html.glossary(ORDERED_GLOSSARY)),
        ],
    )


def _of_group(name: str, request: PullRequestResult) -> OrderedCounts | None:
    own = "one file" if request.files <= 1 else "several files"
    return request.counts if name in (SERVER, own) else None


def _curve(requests: Sequence[PullRequestResult]) -> ConfidenceCurve:
    return ConfidenceCurve([each.answers for each in requests])
