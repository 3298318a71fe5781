"""The report of pull requests that were replayed edit by edit: tables and JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rich.console import Console

from editahead_evals.metrics.bootstrap import Bootstrap, Interval, Statistic, percentile
from editahead_evals.metrics.confidence_curve import ConfidenceCurve
from editahead_evals.metrics.import_metrics import ImportCounts, import_line
from editahead_evals.metrics.metrics import SERVER, figures, statistic, total
from editahead_evals.report.comparison import Comparison, compare_statistics
from editahead_evals.report.comparison import as_json as comparison_as_json
from editahead_evals.report.report import Provenance, busy_warning
from editahead_evals.report.terminal_tables import cell, difference_table, figure_table, wide_console
from editahead_lab.json_types import EvalOrderedOutput
from editahead_lab.ordered.ordered_metrics import ORDERED_METRICS, OrderedCounts, PullRequestResult

NOTE = "The order is that of the benchmark, not a recording. Edits are judged against the final texts, as with commits."
GROUPS = {"one file": 1, "several files": None}
"""Pull requests by their number of files: groups by name, each with the most files that belong to it."""

OrderedRow = tuple[str, OrderedCounts, dict[str, Interval]]


@dataclass(frozen=True)
class OrderedReport:
    """The figures of one run.

    Attributes:
        rows: of all pull requests, and of those of one and of several files.
        calibration: the calibration error of shown edits.
        chance: what it would be if every confidence were true.
        imports: of the shown edits, those that import names.
        latency: percentiles of the answers, in milliseconds.
    """

    provenance: Provenance
    requests: Sequence[PullRequestResult]
    rows: Sequence[OrderedRow]
    calibration: Interval
    chance: float | None
    imports: ImportCounts
    latency: dict[str, float | None]


def summarize(results: Sequence[PullRequestResult], provenance: Provenance) -> OrderedReport:
    """Return the report of a run; the results may be in any order."""
    requests = sorted(results, key=lambda result: result.id)
    bootstrap = Bootstrap(len(requests), provenance.seed)

    def row(name: str, counts: Sequence[OrderedCounts]) -> OrderedRow:
        return name, total(counts, OrderedCounts), figures(counts, bootstrap, ORDERED_METRICS)

    curve = ConfidenceCurve([each.answers for each in requests])
    ms = [ms for each in requests for ms in each.ms]
    return OrderedReport(
        provenance,
        requests,
        [
            row(SERVER, [each.counts for each in requests]),
            *(
                row(name, [each.counts if _group(each) == name else OrderedCounts() for each in requests])
                for name in GROUPS
            ),
        ],
        bootstrap.interval(curve.calibration_error),
        curve.chance_error(provenance.seed),
        total([each.imports for each in requests], ImportCounts),
        {"p50": percentile(ms, 50), "p99": percentile(ms, 99)},
    )


def compare(
    ours: Sequence[PullRequestResult], theirs: Sequence[PullRequestResult], against: str, seed: int
) -> Comparison:
    """Compare two runs over the pull requests that both have."""
    return compare_statistics(ours, theirs, ordered_statistics, against, seed)


def ordered_statistics(requests: Sequence[PullRequestResult]) -> dict[str, Statistic]:
    """Return the metrics over all pull requests, as statistics for a bootstrap."""
    counts = [each.counts for each in requests]
    curve = ConfidenceCurve([each.answers for each in requests])
    return {
        **{name: statistic(counts, metric) for name, metric in ORDERED_METRICS.items()},
        "calibration error": curve.calibration_error,
    }


def as_json(report: OrderedReport, comparison: Comparison | None = None) -> EvalOrderedOutput:
    def row(counts: OrderedCounts, values: dict[str, Interval]) -> dict[str, Any]:
        return {"counts": asdict(counts), "figures": {key: asdict(value) for key, value in values.items()}}

    return {
        **report.provenance.measured("ordered edits of pull requests", NOTE),
        "groups": {name: row(counts, values) for name, counts, values in report.rows},
        "calibrationError": asdict(report.calibration) | {"byChance": report.chance},
        "imports": asdict(report.imports),
        "latencyMs": report.latency,
        "requests": [asdict(each) for each in report.requests],
        "against": None if comparison is None else comparison_as_json(comparison),
    }


def render(report: OrderedReport, console: Console, comparison: Comparison | None = None) -> None:
    console = wide_console(console)
    sums = {"moments": "opportunities", "shown": "shown"}
    title = "Ordered edits of pull requests, all files open"
    console.print(figure_table(title, "", report.rows, sums, ORDERED_METRICS, console), end="\n\n")
    if comparison is not None:
        console.print(difference_table(comparison, console), end="\n\n")
    console.print(
        f"calibration error: {cell(report.calibration)} (by chance: {cell(Interval(report.chance))})"
    )
    console.print(import_line(report.imports))
    times = ", ".join(f"{p} {'-' if ms is None else f'{ms:.1f} ms'}" for p, ms in report.latency.items())
    console.print(f"answer: {times}")
    if warning := busy_warning(ms for each in report.requests for ms in each.ms):
        console.print(warning, style="bold red")
    where = report.provenance
    console.print()
    console.print(NOTE)
    console.print(
        f"commit {where.commit}; {where.machine}; {where.data}; seed {where.seed}; {len(report.requests)} pull requests; "
        "value and 95% interval, by bootstrap over pull requests"
    )


def _group(request: PullRequestResult) -> str:
    return next(name for name, max_files in GROUPS.items() if max_files is None or request.files <= max_files)
