"""The report of commits that were replayed over their workspaces: tables and JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from rich.console import Console

from editahead_evals.metrics.bootstrap import Bootstrap, Interval, percentile
from editahead_evals.metrics.metrics import SERVER, figures, total
from editahead_evals.report.report import Provenance
from editahead_evals.report.terminal_tables import figure_table, wide_console
from editahead_lab.commits.commit_groups import groups_as_json, print_latency, print_provenance
from editahead_lab.json_types import EvalWorkspaceOutput
from editahead_lab.workspace.workspace_metrics import WORKSPACE_METRICS, WorkspaceCounts, WorkspaceResult
from editahead_lab.workspace.workspace_replay import GREP

NOTE = (
    "One file of each commit is open, chosen by chance, and gets its changes; all others are closed. "
    "With open documents alone nothing can be shown in other files: coverage 0."
)

WorkspaceRow = tuple[str, WorkspaceCounts, dict[str, Interval]]


@dataclass(frozen=True)
class WorkspaceReport:
    """The figures of one run.

    Attributes:
        rows: of all commits, of the baseline, and of the languages of the open files.
        latency: percentiles of the answers, in milliseconds.
    """

    provenance: Provenance
    results: Sequence[WorkspaceResult]
    rows: Sequence[WorkspaceRow]
    latency: dict[str, float | None]


def summarize(results: Sequence[WorkspaceResult], provenance: Provenance) -> WorkspaceReport:
    """Return the report of a run; the results may be in any order."""
    ordered = sorted(results, key=lambda result: result.id)
    bootstrap = Bootstrap(len(ordered), provenance.seed)

    def row(name: str, counts: Sequence[WorkspaceCounts]) -> WorkspaceRow:
        return name, total(counts, WorkspaceCounts), figures(counts, bootstrap, WORKSPACE_METRICS)

    ms = [ms for each in ordered for ms in each.ms]
    return WorkspaceReport(
        provenance,
        ordered,
        [
            *(row(name, [each.counts[name] for each in ordered]) for name in (SERVER, GREP)),
            *(
                row(
                    language,
                    [
                        each.counts[SERVER] if each.language == language else WorkspaceCounts()
                        for each in ordered
                    ],
                )
                for language in sorted({each.language for each in ordered})
            ),
        ],
        {"p50": percentile(ms, 50), "p99": percentile(ms, 99)},
    )


def as_json(report: WorkspaceReport) -> EvalWorkspaceOutput:
    return {
        **report.provenance.measured("edits in closed files", NOTE),
        "groups": groups_as_json(report.rows),
        "latencyMs": report.latency,
        "commits": [asdict(each) for each in report.results],
    }


def render(report: WorkspaceReport, console: Console) -> None:
    console = wide_console(console)
    sums = {"commits": "commits", "requests": "requests", "shown": "shown"}
    title = "Edits in files that are not open"
    console.print(figure_table(title, "", report.rows, sums, WORKSPACE_METRICS, console), end="\n\n")
    ms = [ms for each in report.results for ms in each.ms]
    print_latency(console, "answer", report.latency, ms)
    print_provenance(console, NOTE, report.provenance, len(report.results))
