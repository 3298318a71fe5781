"""The report of sessions that were replayed key by key: tables and JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from rich.console import Console

from editahead_evals.metrics.bootstrap import Bootstrap, Interval, Statistic, percentile
from editahead_evals.metrics.confidence_curve import ConfidenceCurve
from editahead_evals.metrics.key_metrics import (
    KEY_METRICS,
    SURFACES,
    KeyCounts,
    SessionResult,
    SurfaceResult,
)
from editahead_evals.metrics.metrics import figures, statistic, total

from .comparison import Comparison, compare_statistics
from .comparison import as_json as comparison_as_json
from .json_types import EvalKeysOutput
from .report import Provenance, busy_warning
from .terminal_tables import cell, difference_table, figure_table, wide_console

Source = Literal["recordings", "commits"]

TITLES: dict[Source, str] = {
    "recordings": "Recorded sessions, key by key",
    "commits": "New code of commits, typed key by key",
}
NOTES: dict[Source, str] = {
    "recordings": "The person saw other suggestions, and was not asked what they would have accepted.",
    "commits": "Commits are not keystrokes: the order of the hunks and the typing are made up.",
}
KeyRow = tuple[str, KeyCounts, dict[str, Interval]]


@dataclass(frozen=True)
class KeyReport:
    """The figures of one run.

    Attributes:
        faces: by surface.
        groups: by surface, of each recording or of each language of the commits.
        calibration: the calibration error by surface, and what it would be by chance if every confidence were true.
        latency: percentiles of each surface's answers, in milliseconds.
    """

    source: Source
    provenance: Provenance
    sessions: Sequence[SessionResult]
    faces: Sequence[KeyRow]
    groups: dict[str, Sequence[KeyRow]]
    calibration: dict[str, tuple[Interval, float | None]]
    latency: dict[str, dict[str, float | None]]


def summarize(results: Sequence[SessionResult], source: Source, provenance: Provenance) -> KeyReport:
    """Return the report of a run; the results may be in any order."""
    sessions = sorted(results, key=lambda result: result.id)
    bootstrap = Bootstrap(len(sessions), provenance.seed)

    def group_of(session: SessionResult) -> str:
        return session.id if source == "recordings" else session.language

    names = sorted({group_of(each) for each in sessions})

    def row(name: str, counts: Sequence[KeyCounts]) -> KeyRow:
        return name, total(counts, KeyCounts), figures(counts, bootstrap, KEY_METRICS)

    def curve(surface: str) -> ConfidenceCurve:
        return ConfidenceCurve([_of_surface(each, surface).answers for each in sessions])

    return KeyReport(
        source,
        provenance,
        sessions,
        [row(surface, [_of_surface(each, surface).counts for each in sessions]) for surface in SURFACES],
        {
            surface: [
                row(
                    name,
                    [
                        _of_surface(each, surface).counts if group_of(each) == name else KeyCounts()
                        for each in sessions
                    ],
                )
                for name in names
            ]
            for surface in SURFACES
        },
        {
            surface: (
                bootstrap.interval(curve(surface).calibration_error),
                curve(surface).chance_error(provenance.seed),
            )
            for surface in SURFACES
        },
        {
            surface: _percentiles([ms for each in sessions for ms in _of_surface(each, surface).ms])
            for surface in SURFACES
        },
    )


def compare(
    ours: Sequence[SessionResult], theirs: Sequence[SessionResult], against: str, seed: int
) -> Comparison:
    """Compare two runs over the sessions that both have."""
    return compare_statistics(ours, theirs, key_statistics, against, seed)


def key_statistics(sessions: Sequence[SessionResult]) -> dict[str, Statistic]:
    """Return the metrics of each surface over all sessions, as statistics for a bootstrap."""
    found: dict[str, Statistic] = {}
    for surface in SURFACES:
        counts = [_of_surface(each, surface).counts for each in sessions]
        curve = ConfidenceCurve([_of_surface(each, surface).answers for each in sessions])
        found |= {f"{surface}: {name}": statistic(counts, metric) for name, metric in KEY_METRICS.items()}
        found[f"{surface}: calibration error"] = curve.calibration_error
    return found


def as_json(report: KeyReport, comparison: Comparison | None = None) -> EvalKeysOutput:
    def table(rows: Sequence[KeyRow]) -> dict[str, Any]:
        return {
            name: {"counts": asdict(counts), "figures": {key: asdict(value) for key, value in row.items()}}
            for name, counts, row in rows
        }

    return {
        **report.provenance.measured(TITLES[report.source], NOTES[report.source]),
        "faces": table(report.faces),
        "groups": {surface: table(rows) for surface, rows in report.groups.items()},
        "calibrationError": {
            surface: asdict(error) | {"byChance": chance}
            for surface, (error, chance) in report.calibration.items()
        },
        "latencyMs": report.latency,
        "sessions": [asdict(each) for each in report.sessions],
        "against": None if comparison is None else comparison_as_json(comparison),
    }


def render(report: KeyReport, console: Console, comparison: Comparison | None = None) -> None:
    console = wide_console(console)
    sums = {"keys": "keys", "shown": "shown"}
    console.print(
        figure_table(TITLES[report.source], "face", report.faces, sums, KEY_METRICS, console), end="\n\n"
    )
    group = "session" if report.source == "recordings" else "language"
    for surface, rows in report.groups.items():
        console.print(
            figure_table(f"{surface}, by {group}", group, rows, sums, KEY_METRICS, console), end="\n\n"
        )
    if comparison is not None:
        console.print(difference_table(comparison, console), end="\n\n")
    for surface, (error, chance) in report.calibration.items():
        console.print(f"{surface}: calibration error {cell(error)} (by chance: {cell(Interval(chance))})")
    for surface, times in report.latency.items():
        latencies = ", ".join(f"{name} {'-' if ms is None else f'{ms:.1f} ms'}" for name, ms in times.items())
        console.print(f"{surface}: {latencies}")
    if warning := busy_warning(
        ms for each in report.sessions for surface in SURFACES for ms in _of_surface(each, surface).ms
    ):
        console.print(warning, style="bold red")
    where = report.provenance
    console.print()
    console.print(NOTES[report.source])
    console.print(
        f"commit {where.commit}; {where.machine}; {where.data}; seed {where.seed}; {len(report.sessions)} sessions; "
        "value and 95% interval, by bootstrap over sessions"
    )


def _of_surface(session: SessionResult, surface: str) -> SurfaceResult:
    return session.faces.get(surface) or SurfaceResult(KeyCounts())


def _percentiles(values: Sequence[float]) -> dict[str, float | None]:
    return {"p50": percentile(values, 50), "p99": percentile(values, 99)}
