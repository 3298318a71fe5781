"""An evaluation's figures as JSON and as tables."""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from .baselines import BASELINES
from .intervals import Bootstrap, Interval, percentile
from .metrics import KIND_METRICS, METRICS, SERVER, Counts, FileResult, figures, total
from .replay import HUNK_KINDS

NOTE = (
    "Commits are not keystrokes: the order of the hunks and the typing are made up, and what the person "
    "would have accepted is unknown."
)
FAILED = "engine-unavailable"
"""The reason of a silence that nobody chose."""

ROOMY = 100
"""Columns from which on a table gets rules."""
PLAIN_WIDTH = 160
"""Columns of a table that goes to a file or a pipe."""

Row = tuple[str, Counts, dict[str, Interval]]


@dataclass(frozen=True, slots=True)
class Provenance:
    """What every figure must name. commit: of the code that was measured; "unknown" outside of a checkout."""

    commit: str
    data: str
    seed: int

    @property
    def machine(self) -> str:
        return f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"


@dataclass(frozen=True)
class Report:
    provenance: Provenance
    files: Sequence[FileResult]
    predictors: Sequence[Row]
    languages: Sequence[Row]
    kinds: Sequence[Row]
    latency: dict[str, dict[str, float | None]]
    """Milliseconds. The first answer is that of a server that has just started."""
    accepts: int
    next_hit: Interval
    """After an accept the next answer was there already."""
    silences: dict[str, int]
    """How often nothing was predicted for which reason."""


def summarize(results: Sequence[FileResult], provenance: Provenance) -> Report:
    """The figures of a run; results in any order."""
    files = sorted(results, key=lambda result: result.id)
    bootstrap = Bootstrap(len(files), provenance.seed)
    languages = sorted({result.language for result in files})
    return Report(
        provenance=provenance,
        files=files,
        predictors=[
            _row(name, [result.counts[name] for result in files], bootstrap) for name in (SERVER, *BASELINES)
        ],
        languages=[
            _row(language, [_only(result, language) for result in files], bootstrap) for language in languages
        ],
        kinds=[
            _row(kind, [result.kinds[kind] for result in files], bootstrap, KIND_METRICS)
            for kind in HUNK_KINDS
        ],
        latency={
            "answer": _percentiles([moment.ms for result in files for moment in result.moments[1:]]),
            "first answer": _percentiles([moment.ms for result in files for moment in result.moments[:1]]),
            "didChange": _percentiles(_change_ms(files)),
        },
        accepts=sum(result.accepts for result in files),
        next_hit=bootstrap.ratio(
            [result.next_hits for result in files], [result.accepts for result in files]
        ),
        silences=dict(
            Counter(moment.silence for result in files for moment in result.moments if moment.silence)
        ),
    )


def as_json(report: Report) -> dict[str, Any]:
    def table(rows: Sequence[Row]) -> dict[str, Any]:
        return {
            name: {
                "counts": asdict(counts),
                "figures": {figure: asdict(interval) for figure, interval in row.items()},
            }
            for name, counts, row in rows
        }

    return {
        "measure": "next edit on real commits",
        "note": NOTE,
        "commit": report.provenance.commit,
        "machine": report.provenance.machine,
        "data": report.provenance.data,
        "seed": report.provenance.seed,
        "predictors": table(report.predictors),
        "languages": table(report.languages),
        "kinds": table(report.kinds),
        "latencyMs": report.latency,
        "nextHit": {"accepts": report.accepts, **asdict(report.next_hit)},
        "silences": report.silences,
        "files": [asdict(result) for result in report.files],
    }


def render(report: Report, console: Console) -> None:
    """Tables on a terminal; aligned text elsewhere."""
    if not console.is_terminal:
        console = Console(file=console.file, width=PLAIN_WIDTH, color_system=None, highlight=False)
    for title, what, rows, metrics in (
        ("Next edit, on real commits", "predictor", report.predictors, METRICS),
        ("Editahead by language", "language", report.languages, METRICS),
        ("Editahead by kind of hunk", "kind", report.kinds, KIND_METRICS),
    ):
        console.print(_table(title, what, rows, metrics, console), end="\n\n")
    for name, values in report.latency.items():
        shown = ", ".join(f"{key} {'-' if ms is None else f'{ms:.1f} ms'}" for key, ms in values.items())
        console.print(f"{name + ':':14}{shown}")
    console.print(f"next hit:     {_cell(report.next_hit, ' ')}; accepts of correct edits: {report.accepts}")
    reasons = sorted(report.silences.items(), key=lambda item: -item[1])
    console.print("silence:      " + ", ".join(f"{reason} {count}" for reason, count in reasons))
    if failed := report.silences.get(FAILED):
        console.print(
            f"{failed} predictions failed: these figures are not what the code can do", style="bold red"
        )
    where = report.provenance
    console.print()
    console.print(NOTE)
    console.print(
        f"commit {where.commit}; {where.machine}; {where.data}; seed {where.seed}; "
        f"{len(report.files)} files; moments: opportunities; value and 95% interval, by bootstrap over files"
    )


def _table(
    title: str, what: str, rows: Sequence[Row], metrics: dict[str, tuple[str, str]], console: Console
) -> Table:
    """Intervals stand beside their values, or below them where there is little room."""
    gap = " " if console.width >= PLAIN_WIDTH else "\n"
    box = SIMPLE_HEAD if console.is_terminal and console.width >= ROOMY else None
    table = Table(
        title=title, box=box, title_justify="left", title_style="bold", pad_edge=False, padding=(0, 1, 0, 0)
    )
    table.add_column(what, min_width=len("substitution"))
    for column in ("moments", "shown", *metrics):
        table.add_column(column.replace(" ", gap), justify="right", no_wrap=True)
    for name, counts, row in rows:
        style = "bold" if name == SERVER else ""
        cells = [_cell(row[metric], gap) for metric in metrics]
        table.add_row(name, str(counts.opportunities), str(counts.shown), *cells, style=style)
    return table


def _cell(interval: Interval, gap: str) -> str:
    if interval.value is None:
        return "-"
    if interval.low is None or interval.high is None:
        return f"{interval.value:.3f}"
    low, high = (f"{bound:.2f}".removeprefix("0") for bound in (interval.low, interval.high))
    return f"{interval.value:.3f}{gap}{low}-{high}"


def _row(
    name: str, counts: Sequence[Counts], bootstrap: Bootstrap, metrics: dict[str, tuple[str, str]] = METRICS
) -> Row:
    return name, total(counts), figures(counts, bootstrap, metrics)


def _only(result: FileResult, language: str) -> Counts:
    return result.counts[SERVER] if result.language == language else Counts()


def _change_ms(files: Sequence[FileResult]) -> list[float]:
    """The handling of a keystroke: what it adds to the median answer of an idle server to something cheap.

    An estimate: what is below the noise of that answer is 0, and the p99 has the noise in it.
    """
    idle = percentile([ms for result in files for ms in result.idle_ms], 50) or 0.0
    return [max(0.0, ms - idle) for result in files for ms in result.change_ms]


def _percentiles(values: Sequence[float]) -> dict[str, float | None]:
    return {"p50": percentile(values, 50), "p99": percentile(values, 99)}
