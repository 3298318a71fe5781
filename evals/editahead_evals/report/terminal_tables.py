"""A report as tables on a terminal, or as aligned text elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from editahead_evals.metrics.bootstrap import Interval
from editahead_evals.metrics.import_metrics import import_line
from editahead_evals.metrics.metrics import GROUP_METRICS, METRICS, SERVER, TYPING_METRICS, Row

from .comparison import Comparison
from .output import Calibration, latency_text
from .report import FAILED, Report

ROOMY = 100
"""Columns from which on a table gets rules."""
PLAIN_WIDTH = 180
"""Columns of a table that goes to a file or a pipe."""
OPTIONAL_COLUMNS = {"deltaChrF", "kept", "shown/100"}
"""Columns that are left out of a table on a terminal with little room."""
LEVELS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
"""Confidences that the table of thresholds has a row for; the JSON has more."""


def print_tables(report: Report, console: Console) -> None:
    console = wide_console(console)
    opportunities, keystrokes = {"moments": "opportunities", "shown": "shown"}, {"keystrokes": "keystrokes"}
    for title, what, rows, sums, metrics in (
        ("Next edit, on real commits", "predictor", report.predictors, opportunities, METRICS),
        ("While typing", "predictor", report.typing, keystrokes | {"shown": "shown"}, TYPING_METRICS),
        ("Editahead by language", "language", report.languages, opportunities, METRICS),
        ("Editahead by kind of hunk", "kind", report.kinds, opportunities, GROUP_METRICS),
        ("Editahead by distance from the cursor", "distance", report.distances, opportunities, GROUP_METRICS),
    ):
        console.print(figure_table(title, what, rows, sums, metrics, console), end="\n\n")
    console.print(_levels(report, console), end="\n\n")
    print_comparison(report.against, console)
    for line in _lines(report):
        console.print(line)
    if failed := sum(report.silences.get(reason, 0) for reason in FAILED):
        console.print(
            f"{failed} predictions failed or took too long: these figures are not what the code can do",
            style="bold red",
        )
    report.print_where(console, f"{len(report.files)} files; moments: opportunities", "files")


def wide_console(console: Console) -> Console:
    """Return a console for tables: a terminal as it is, or plain text of a fixed width."""
    if console.is_terminal:
        return console
    return type(console)(file=console.file, width=PLAIN_WIDTH, color_system=None, highlight=False)


def cell(interval: Interval, gap: str = " ") -> str:
    if interval.value is None:
        return "-"
    if interval.low is None or interval.high is None:
        return f"{interval.value:.3f}"
    low, high = (re.sub(r"^(-?)0\.", r"\1.", f"{bound:.2f}") for bound in (interval.low, interval.high))
    return f"{interval.value:.3f}{gap}{low}-{high}"


def new_table(title: str, console: Console) -> Table:
    box = SIMPLE_HEAD if console.is_terminal and console.width >= ROOMY else None
    return Table(
        title=title, box=box, title_justify="left", title_style="bold", pad_edge=False, padding=(0, 1, 0, 0)
    )


def figure_table(
    title: str,
    what: str,
    rows: Mapping[str, Row],
    sums: Mapping[str, str],
    metrics: Iterable[str],
    console: Console,
) -> Table:
    """Return a table with intervals beside their values, or below them where the width is small."""
    gap = " " if console.width >= PLAIN_WIDTH else "\n"
    table = new_table(title, console)
    metrics = [metric for metric in metrics if console.width >= ROOMY or metric not in OPTIONAL_COLUMNS]
    table.add_column(what, min_width=len("substitution"))
    for column in (*sums, *metrics):
        table.add_column(column.replace(" ", gap), justify="right", no_wrap=True)
    for name, row in rows.items():
        style = "bold" if name == SERVER else ""
        cells = [cell(row.figures[metric], gap) for metric in metrics]
        table.add_row(name, *(str(getattr(row.counts, each)) for each in sums.values()), *cells, style=style)
    return table


def _levels(report: Report, console: Console) -> Table:
    table = new_table("What other thresholds would give (from the answers at eagerness 1)", console)
    for column in ("confidence", "show rate", "coverage", "precision", "false end"):
        table.add_column(column, justify="right")
    for level in report.confidence.thresholds:
        if level.confidence in LEVELS:
            values = (level.rate, level.coverage, level.precision, level.false_end)
            table.add_row(
                f"> {level.confidence:.2f}", *("-" if value is None else f"{value:.3f}" for value in values)
            )
    return table


def print_comparison(comparison: Comparison | None, console: Console) -> None:
    """Print the figures of two runs over the same files, and their differences, if there is something to compare with."""
    if comparison is None:
        return
    table = new_table(f"Against {comparison.commit}, on the same files", console)
    table.add_column("figure")
    for column in ("here", comparison.commit, "difference"):
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("")
    for figure, each in comparison.figures.items():
        mark = "better" if each.is_better else "worse" if each.is_worse else ""
        table.add_row(figure, cell(each.ours), cell(each.theirs), cell(each.difference), mark)
    console.print(table, end="\n\n")


def calibration_text(error: Calibration) -> str:
    return f"{cell(error)} (by chance: {cell(Interval(error.by_chance))})"


def _lines(report: Report) -> list[str]:
    confidence = report.confidence
    rates = (f"{rate:.0%} {cell(value)}" for rate, value in confidence.precision_at_show_rate.items())
    times = (f"{name + ':':24}{latency_text(values)}" for name, values in report.latency_ms.items())
    reasons = sorted(report.silences.items(), key=lambda item: -item[1])
    return [
        f"{'precision at show rate:':24}{'; '.join(rates)}",
        f"{'calibration error:':24}{calibration_text(confidence.calibration_error)}",
        f"{'some alternative right:':24}{cell(confidence.some_alternative_right)} (of up to five at eagerness 1)",
        f"{'some candidate right:':24}{cell(confidence.some_candidate_right)} (of all, before gate and checks: the ceiling)",
        f"{'next hit:':24}{cell(report.next_hit)}; accepts of correct edits: {report.next_hit.accepts}",
        import_line(report.imports),
        *times,
        f"{'silence:':24}{', '.join(f'{reason} {count}' for reason, count in reasons)}",
    ]
