"""What the reports of whole commits have in common: groups with figures as JSON, and the lines below their tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from rich.console import Console

from editahead_evals.metrics.bootstrap import Bootstrap, Interval, percentile
from editahead_evals.metrics.metrics import Ratio, figures, total
from editahead_evals.report.report import Provenance, busy_warning
from editahead_evals.report.terminal_tables import figure_table, wide_console
from editahead_lab.json_types import EvalCommitsOutput

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


def groups_as_json(rows: Iterable[tuple[str, DataclassInstance, dict[str, Interval]]]) -> dict[str, Any]:
    """Return counts and figures by the name of their group."""
    return {
        name: {
            "counts": asdict(counts),
            "figures": {key: asdict(value) for key, value in values.items()},
        }
        for name, counts, values in rows
    }


def print_latency(console: Console, what: str, latency: dict[str, float | None], ms: Sequence[float]) -> None:
    """Print percentiles, and a warning where the machine was too busy for them.

    Args:
        console: Where to print.
        what: What took that long.
        latency: The percentiles in milliseconds, by name.
        ms: All times in milliseconds.
    """
    times = ", ".join(f"{p} {'-' if value is None else f'{value:.1f} ms'}" for p, value in latency.items())
    console.print(f"{what}: {times}")
    if warning := busy_warning(ms):
        console.print(warning, style="bold red")


def print_provenance(console: Console, note: str, where: Provenance, commits: int) -> None:
    """Print what was measured, and on what."""
    console.print()
    console.print(note)
    console.print(
        f"commit {where.commit}; {where.machine}; {where.data}; seed {where.seed}; {commits} commits; "
        "value and 95% interval, by bootstrap over commits"
    )


class CommitResult(Protocol):
    """The result of one commit: a dataclass with its id and the times of what was measured."""

    id: str
    ms: list[float]


_Result = TypeVar("_Result", bound=CommitResult)


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


@dataclass(frozen=True)
class CommitReport(Generic[_Result]):
    """The figures of one run.

    Attributes:
        groups: A function for each row, by name: it returns the counts of a commit, None where it does not belong there.
    """

    measure: CommitMeasure
    results: Sequence[_Result]
    provenance: Provenance
    groups: Mapping[str, Callable[[_Result], Any]]

    def as_json(self) -> EvalCommitsOutput:
        ordered = self._ordered()
        return {
            **self.provenance.measured(self.measure.name, self.measure.note),
            "groups": groups_as_json(self._rows(ordered)),
            "latencyMs": self._latency(ordered),
            "commits": [asdict(each) for each in ordered],  # type: ignore[call-overload]  # all are dataclasses
        }

    def render(self, console: Console) -> None:
        """Print the tables."""
        console = wide_console(console)
        ordered, measure = self._ordered(), self.measure
        rows = self._rows(ordered)
        table = figure_table(measure.title, "", rows, measure.sums, measure.metrics, console)
        console.print(table, end="\n\n")
        print_latency(console, measure.timed, self._latency(ordered), _times(ordered))
        print_provenance(console, measure.note, self.provenance, len(ordered))

    def _ordered(self) -> list[_Result]:
        return sorted(self.results, key=lambda result: result.id)

    def _rows(self, ordered: Sequence[_Result]) -> list[tuple[str, Any, dict[str, Interval]]]:
        bootstrap = Bootstrap(len(ordered), self.provenance.seed)
        rows = []
        for name, select in self.groups.items():
            counts = [select(each) or self.measure.counts() for each in ordered]
            values = figures(counts, bootstrap, self.measure.metrics)
            rows.append((name, total(counts, self.measure.counts), values))
        return rows

    def _latency(self, ordered: Sequence[_Result]) -> dict[str, float | None]:
        ms = _times(ordered)
        return {f"p{percent}": percentile(ms, percent) for percent in self.measure.percents}


def _times(results: Iterable[CommitResult]) -> list[float]:
    return [ms for each in results for ms in each.ms]
