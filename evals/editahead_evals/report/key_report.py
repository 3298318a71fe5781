"""The report of sessions that were replayed key by key: tables, JSON and a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from rich.console import Console

from editahead_evals.metrics.bootstrap import Bootstrap, Statistic, percentiles
from editahead_evals.metrics.confidence_curve import ConfidenceCurve
from editahead_evals.metrics.key_metrics import (
    KEY_METRICS,
    SURFACES,
    KeyCounts,
    SessionResult,
    SurfaceResult,
)
from editahead_evals.metrics.metrics import Row, group_rows, statistic

from .comparison import Comparison, compare_results, in_order
from .html_parts import compared_sections, glossary, named_intervals, page, page_head, section
from .html_parts import figure_table as html_table
from .output import Calibration, Measured, Provenance, busy_warning, latency_text
from .terminal_tables import calibration_text, figure_table, print_comparison, wide_console

Source = Literal["recordings", "commits"]

TITLES: dict[Source, str] = {
    "recordings": "Recorded sessions, key by key",
    "commits": "New code of commits, typed key by key",
}
NOTES: dict[Source, str] = {
    "recordings": "The person saw other suggestions, and was not asked what they would have accepted.",
    "commits": "Commits are not keystrokes: the order of the hunks and the typing are made up.",
}
KEY_GLOSSARY = {
    "saved": "keys that taking the edits that came true would have saved, less one for each accept, of all keys",
    "wrong/100": "edits shown that the person did not make, neither whole nor in part, per 100 keys",
    "shown/100": "edits shown, each counted once, per 100 keys",
    "came true": "edits shown whose place held exactly their text within the next 60 changes and 3 minutes",
    "partly": "edits shown of which one of several hunks came true, or half of the text was typed",
    "flickered/100": "edits that changed or vanished under a key that typed their text, per 100 keys",
}


@dataclass(frozen=True, kw_only=True)
class KeyReport(Measured):
    """The output for sessions that are replayed key by key.

    Attributes:
        faces: By surface.
        groups: By surface, of each recording or of each language of the commits.
        latency_ms: Percentiles of each surface's answers.
        sessions: Counts, answers with their confidence, latencies.
    """

    faces: Mapping[str, Row]
    groups: Mapping[str, Mapping[str, Row]]
    calibration_error: Mapping[str, Calibration]
    latency_ms: Mapping[str, Mapping[str, float | None]]
    sessions: Sequence[SessionResult]
    against: Comparison | None = None

    @property
    def group(self) -> str:
        """What the groups are."""
        return "session" if self.measure == TITLES["recordings"] else "language"


def summarize(
    results: Sequence[SessionResult],
    source: Source,
    provenance: Provenance,
    against: Comparison | None = None,
) -> KeyReport:
    """Return the report of a run; the results may be in any order."""
    sessions, seed = in_order(results), provenance.seed
    bootstrap = Bootstrap(len(sessions), seed)

    def group_of(session: SessionResult) -> str:
        return session.id if source == "recordings" else session.language

    def in_group(surface: str, name: str, session: SessionResult) -> KeyCounts | None:
        return _of_surface(session, surface).counts if group_of(session) == name else None

    names = sorted({group_of(each) for each in sessions})
    by_surface = {name: partial(_counts, name) for name in SURFACES}
    return KeyReport(
        **provenance.head(TITLES[source], NOTES[source]),
        faces=group_rows(sessions, by_surface, KeyCounts, bootstrap, KEY_METRICS),
        groups={
            surface: group_rows(
                sessions,
                {name: partial(in_group, surface, name) for name in names},
                KeyCounts,
                bootstrap,
                KEY_METRICS,
            )
            for surface in SURFACES
        },
        calibration_error={
            surface: Calibration.of(_curve(sessions, surface), bootstrap, seed) for surface in SURFACES
        },
        latency_ms={
            surface: percentiles([ms for each in sessions for ms in _of_surface(each, surface).ms])
            for surface in SURFACES
        },
        sessions=sessions,
        against=against,
    )


def compare(
    ours: Sequence[SessionResult], theirs: Sequence[SessionResult], against: str, seed: int
) -> Comparison:
    """Compare two runs over the sessions that both have."""
    return compare_results(ours, theirs, key_statistics, against, seed)


def key_statistics(sessions: Sequence[SessionResult]) -> dict[str, Statistic]:
    """Return the metrics of each surface over all sessions, as statistics for a bootstrap."""
    found: dict[str, Statistic] = {}
    for surface in SURFACES:
        counts = [_counts(surface, each) for each in sessions]
        found |= {f"{surface}: {name}": statistic(counts, metric) for name, metric in KEY_METRICS.items()}
        found[f"{surface}: calibration error"] = _curve(sessions, surface).calibration_error
    return found


def print_tables(report: KeyReport, console: Console) -> None:
    console = wide_console(console)
    sums = {"keys": "keys", "shown": "shown"}
    console.print(figure_table(report.measure, "face", report.faces, sums, KEY_METRICS, console), end="\n\n")
    for surface, rows in report.groups.items():
        title = f"{surface}, by {report.group}"
        console.print(figure_table(title, report.group, rows, sums, KEY_METRICS, console), end="\n\n")
    print_comparison(report.against, console)
    for surface, error in report.calibration_error.items():
        console.print(f"{surface}: calibration error {calibration_text(error)}")
    for surface, times in report.latency_ms.items():
        console.print(f"{surface}: {latency_text(times)}")
    if warning := busy_warning(
        ms for each in report.sessions for surface in SURFACES for ms in _of_surface(each, surface).ms
    ):
        console.print(warning, style="bold red")
    report.print_where(console, f"{len(report.sessions)} sessions", "sessions")


def as_html(report: KeyReport) -> str:
    sums = {"keys": "keys"}
    return page(
        f"Editahead: {report.measure}",
        [
            *page_head(report.measure, report, f"{len(report.sessions)} sessions"),
            section("By face", html_table("face", report.faces, sums, KEY_METRICS)),
            *compared_sections(report.against),
            *(
                section(f"{surface}, by {report.group}", html_table(report.group, rows, sums, KEY_METRICS))
                for surface, rows in report.groups.items()
            ),
            section("Calibration error", named_intervals(report.calibration_error)),
            section("What the figures mean", glossary(KEY_GLOSSARY)),
        ],
    )


def _of_surface(session: SessionResult, surface: str) -> SurfaceResult:
    return session.faces.get(surface) or SurfaceResult(KeyCounts())


def _counts(surface: str, session: SessionResult) -> KeyCounts:
    return _of_surface(session, surface).counts


def _curve(sessions: Sequence[SessionResult], surface: str) -> ConfidenceCurve:
    return ConfidenceCurve([_of_surface(each, surface).answers for each in sessions])
