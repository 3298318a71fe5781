"""The reports of whole commits: groups with counts and figures, whatever is measured of the commits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from rich.console import Console

from editahead_evals.metrics.bootstrap import Bootstrap, percentiles
from editahead_evals.metrics.metrics import Ratio, Row, group_rows
from editahead_evals.report.comparison import in_order
from editahead_evals.report.output import Measured, Provenance, print_latency
from editahead_evals.report.terminal_tables import figure_table, wide_console


class CommitResult(Protocol):
    """The result of one commit: a dataclass with its id and the times of what was measured."""

    @property
    def id(self) -> str: ...

    @property
    def ms(self) -> list[float]: ...


_Result = TypeVar("_Result", bound=CommitResult)


@dataclass(frozen=True, kw_only=True)
class CommitReport(Measured):
    """The output for whole commits, whatever is measured of them.

    Attributes:
        groups: Counts and figures with their intervals, by name.
        latency_ms: Percentiles of what was timed.
        commits: The counts and the times of each.
    """

    groups: Mapping[str, Row]
    latency_ms: Mapping[str, float | None]
    commits: Sequence[Any]


@dataclass(frozen=True)
class CommitMeasure:
    """What an experiment on whole commits measures, and how its figures are shown.

    Attributes:
        name: What is measured, for JSON.
        title: The title of the table.
        note: What a reader of the figures has to know.
        timed: What the latency is of.
        percents: The percentiles of the latency.
        counts: The class of the counts.
        metrics: The figures by name, from counts.
        sums: The counts in the table, by the title of their column.
    """

    name: str
    title: str
    note: str
    timed: str
    percents: tuple[int, ...]
    counts: type[Any]
    metrics: Mapping[str, Ratio]
    sums: Mapping[str, str]

    def summarize(
        self,
        results: Sequence[_Result],
        provenance: Provenance,
        groups: Mapping[str, Callable[[_Result], Any]],
    ) -> CommitReport:
        """Return the report of a run.

        Args:
            results: The results, in any order.
            provenance: What was measured, and where.
            groups: A function for each row: it returns the counts of a commit, None where it does not belong there.
        """
        commits = in_order(results)
        bootstrap = Bootstrap(len(commits), provenance.seed)
        return CommitReport(
            **provenance.head(self.name, self.note),
            groups=group_rows(commits, groups, self.counts, bootstrap, self.metrics),
            latency_ms=percentiles([ms for each in commits for ms in each.ms], self.percents),
            commits=commits,
        )

    def print_tables(self, report: CommitReport, console: Console) -> None:
        console = wide_console(console)
        console.print(
            figure_table(self.title, "", report.groups, self.sums, self.metrics, console), end="\n\n"
        )
        ms = (ms for each in report.commits for ms in each.ms)
        print_latency(console, self.timed, report.latency_ms, ms)
        report.print_where(console, f"{len(report.commits)} commits", "commits")
