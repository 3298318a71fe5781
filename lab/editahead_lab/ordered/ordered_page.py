"""The report of ordered edits as one HTML page."""

from __future__ import annotations

from editahead_evals.report.comparison import Comparison
from editahead_evals.report.html_parts import (
    compared_sections,
    figure_table,
    glossary,
    named_intervals,
    page,
    page_head,
    section,
)

from . import ordered_report
from .ordered_metrics import ORDERED_METRICS
from .ordered_report import OrderedReport

ORDERED_GLOSSARY = {
    "coverage": "moments at which the edit shown made remaining changes of its file, and nothing else",
    "precision": "edits shown that did, of those shown while changes remained",
    "next": "moments at which the edit shown was part of the very next step",
    "elsewhere": "edits shown for another file than the one with the cursor",
    "wrong/100": "edits shown that were not correct, per 100 requests",
    "false end": "pull requests after whose last step an edit was shown",
    "reversal": "requests at which the edit shown undid the last step",
}


def ordered_as_html(report: OrderedReport, comparison: Comparison | None = None) -> str:
    """Return the page of pull requests that were replayed edit by edit."""
    sums = {"moments": "opportunities"}
    return page(
        "Editahead: ordered edits",
        [
            *page_head(
                "Ordered edits of pull requests",
                ordered_report.NOTE,
                report.provenance,
                f"{len(report.requests)} pull requests",
            ),
            section("All files open", figure_table("", report.rows, sums, ORDERED_METRICS)),
            *compared_sections(comparison),
            section("Calibration error", named_intervals({"of edits shown": report.calibration})),
            section("What the figures mean", glossary(ORDERED_GLOSSARY)),
        ],
    )
