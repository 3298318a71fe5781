"""The report of sessions that were replayed key by key, as one HTML page."""

from __future__ import annotations

from editahead_evals.metrics.key_metrics import KEY_METRICS

from . import key_report
from .comparison import Comparison
from .html_parts import compared_sections, figure_table, glossary, named_intervals, page, page_head, section
from .key_report import KeyReport

KEY_GLOSSARY = {
    "saved": "keys that taking the edits that came true would have saved, less one for each accept, of all keys",
    "wrong/100": "edits shown that the person did not make, neither whole nor in part, per 100 keys",
    "shown/100": "edits shown, each counted once, per 100 keys",
    "came true": "edits shown whose place held exactly their text within the next 60 changes and 3 minutes",
    "partly": "edits shown of which one of several hunks came true, or half of the text was typed",
    "flickered/100": "edits that changed or vanished under a key that typed their text, per 100 keys",
}


def keys_as_html(report: KeyReport, comparison: Comparison | None = None) -> str:
    """Return the page of sessions that were replayed key by key."""
    sums = {"keys": "keys"}
    title = key_report.TITLES[report.source]
    group = "session" if report.source == "recordings" else "language"
    errors = {surface: error for surface, (error, _) in report.calibration.items()}
    return page(
        f"Editahead: {title}",
        [
            *page_head(
                title, key_report.NOTES[report.source], report.provenance, f"{len(report.sessions)} sessions"
            ),
            section("By face", figure_table("face", report.faces, sums, KEY_METRICS)),
            *compared_sections(comparison),
            *(
                section(f"{surface}, by {group}", figure_table(group, rows, sums, KEY_METRICS))
                for surface, rows in report.groups.items()
            ),
            section("Calibration error", named_intervals(errors)),
            section("What the figures mean", glossary(KEY_GLOSSARY)),
        ],
    )
