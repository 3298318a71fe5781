"""The report of commits with hunks left out: tables and JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from rich.console import Console

from editahead_evals.metrics.bootstrap import Bootstrap, Interval, percentile
from editahead_evals.metrics.metrics import figures, total
from editahead_evals.report.report import Provenance
from editahead_evals.report.terminal_tables import figure_table, wide_console
from editahead_lab.commits.commit_groups import groups_as_json, print_latency, print_provenance
from editahead_lab.finish.finish_metrics import FINDERS, FINISH, FINISH_METRICS, FinishCounts, FinishResult
from editahead_lab.json_types import EvalFinishOutput

NOTE = (
    "Some hunks of each commit are left out, then all hunks of one file, then none. A hunk repeats others if each run of "
    "tokens that it replaces, or line that it adds or removes, is replaced by the same, added or removed there. "
    "False alarms are whole commits in which something is found. A place in a file that the commit leaves alone counts only "
    "where a later text of the file still has these lines: the data has few of a repository's commits, so that else it "
    "does not tell whether they stood there then; these places are `unknown`."
)

FinishRow = tuple[str, FinishCounts, dict[str, Interval]]


@dataclass(frozen=True)
class FinishReport:
    """The figures of one run.

    Attributes:
        rows: of all finders, of what was left out, of kinds of places, and of languages.
        latency: percentiles of the searches, in milliseconds.
    """

    provenance: Provenance
    results: Sequence[FinishResult]
    rows: Sequence[FinishRow]
    latency: dict[str, float | None]


def summarize(results: Sequence[FinishResult], provenance: Provenance) -> FinishReport:
    """Return the report of a run; the results may be in any order."""
    ordered = sorted(results, key=lambda result: result.id)
    bootstrap = Bootstrap(len(ordered), provenance.seed)
    groups = sorted({name for each in ordered for name in each.counts} - set(FINDERS))
    languages = sorted({language for each in ordered for language in each.languages})

    def row(name: str, counts: Sequence[FinishCounts]) -> FinishRow:
        return name, total(counts, FinishCounts), figures(counts, bootstrap, FINISH_METRICS)

    ms = [ms for each in ordered for ms in each.ms]
    return FinishReport(
        provenance,
        ordered,
        [
            *(
                row(name, [each.counts.get(name, FinishCounts()) for each in ordered])
                for name in (*FINDERS, *groups)
            ),
            *(
                row(
                    language,
                    [
                        each.counts[FINISH] if language in each.languages else FinishCounts()
                        for each in ordered
                    ],
                )
                for language in languages
            ),
        ],
        {"p50": percentile(ms, 50), "p95": percentile(ms, 95)},
    )


def as_json(report: FinishReport) -> EvalFinishOutput:
    return {
        **report.provenance.measured("what finish finds", NOTE),
        "groups": groups_as_json(report.rows),
        "latencyMs": report.latency,
        "commits": [asdict(each) for each in report.results],
    }


def render(report: FinishReport, console: Console) -> None:
    console = wide_console(console)
    sums = {
        "left out": "dropped",
        "repeating": "repeating",
        "found": "told",
        "unknown": "unknown",
        "whole": "whole",
    }
    title = "What `finish` finds of what was left out of commits"
    console.print(figure_table(title, "", report.rows, sums, FINISH_METRICS, console), end="\n\n")
    ms = [ms for each in report.results for ms in each.ms]
    print_latency(console, "search", report.latency, ms)
    print_provenance(console, NOTE, report.provenance, len(report.results))
