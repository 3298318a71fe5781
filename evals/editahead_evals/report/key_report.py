"""The report of sessions that were replayed key by key: tables and JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from rich.console import Console

from editahead_evals.metrics.bootstrap import Bootstrap, Interval, Statistic, percentile
from editahead_evals.metrics.confidence_curve import ConfidenceCurve
from editahead_evals.metrics.key_metrics import (
    FACES,
    KEY_METRICS,
    FaceResult,
    KeyCounts,
    SessionResult,
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
        faces: by face.
        groups: by face, of each recording or of each language of the commits.
        calibration: the calibration error by face, and what it would be by chance if every confidence were true.
        latency: percentiles of each face's answers, in milliseconds.
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

    def curve(face: str) -> ConfidenceCurve:
        return ConfidenceCurve([_face(each, face).answers for each in sessions])

    return KeyReport(
        source,
        provenance,
        sessions,
        [row(face, [_face(each, face).counts for each in sessions]) for face in FACES],
        {
            face: [
                row(
                    name,
                    [
                        _face(each, face).counts if group_of(each) == name else KeyCounts()
                        for each in sessions
                    ],
                )
                for name in names
            ]
            for face in FACES
        },
        {
            face: (
                bootstrap.interval(curve(face).calibration_error),
                curve(face).chance_error(provenance.seed),
            )
            for face in FACES
        },
        {face: _percentiles([ms for each in sessions for ms in _face(each, face).ms]) for face in FACES},
    )


def compare(
    ours: Sequence[SessionResult], theirs: Sequence[SessionResult], against: str, seed: int
) -> Comparison:
    """Compare two runs over the sessions that both have."""
    return compare_statistics(ours, theirs, key_statistics, against, seed)


def key_statistics(sessions: Sequence[SessionResult]) -> dict[str, Statistic]:
    """Return the metrics of each face over all sessions, as statistics for a bootstrap."""
    found: dict[str, Statistic] = {}
    for face in FACES:
        counts = [_face(each, face).counts for each in sessions]
        curve = ConfidenceCurve([_face(each, face).answers for each in sessions])
        found |= {f"{face}: {name}": statistic(counts, metric) for name, metric in KEY_METRICS.items()}
        found[f"{face}: calibration error"] = curve.calibration_error
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
        "groups": {face: table(rows) for face, rows in report.groups.items()},
        "calibrationError": {
            face: asdict(error) | {"byChance": chance} for face, (error, chance) in report.calibration.items()
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
    for face, rows in report.groups.items():
        console.print(
            figure_table(f"{face}, by {group}", group, rows, sums, KEY_METRICS, console), end="\n\n"
        )
    if comparison is not None:
        console.print(difference_table(comparison, console), end="\n\n")
    for face, (error, chance) in report.calibration.items():
        console.print(f"{face}: calibration error {cell(error)} (by chance: {cell(Interval(chance))})")
    for face, times in report.latency.items():
        latencies = ", ".join(f"{name} {'-' if ms is None else f'{ms:.1f} ms'}" for name, ms in times.items())
        console.print(f"{face}: {latencies}")
    if warning := busy_warning(
        ms for each in report.sessions for face in FACES for ms in _face(each, face).ms
    ):
        console.print(warning, style="bold red")
    where = report.provenance
    console.print()
    console.print(NOTES[report.source])
    console.print(
        f"commit {where.commit}; {where.machine}; {where.data}; seed {where.seed}; {len(report.sessions)} sessions; "
        "value and 95% interval, by bootstrap over sessions"
    )


def _face(session: SessionResult, face: str) -> FaceResult:
    return session.faces.get(face) or FaceResult(KeyCounts())


def _percentiles(values: Sequence[float]) -> dict[str, float | None]:
    return {"p50": percentile(values, 50), "p99": percentile(values, 99)}
