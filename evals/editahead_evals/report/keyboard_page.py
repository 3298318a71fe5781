"""Reports of sessions key by key, and of ordered edits, as one HTML page."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from editahead_evals.metrics.bootstrap import Interval
from editahead_evals.metrics.key_metrics import KEY_METRICS
from editahead_evals.metrics.ordered_metrics import ORDERED_METRICS

from . import key_report, ordered_report
from .comparison import Comparison
from .html_parts import comparison_table, figure_table, interval_value, page, section, table_rows
from .key_report import KeyReport
from .ordered_report import OrderedReport
from .report import Provenance

KEY_GLOSSARY = {
    "saved": "keys that taking the edits that came true would have saved, less one for each accept, of all keys",
    "wrong/100": "edits shown that the person did not make, neither whole nor in part, per 100 keys",
    "shown/100": "edits shown, each counted once, per 100 keys",
    "came true": "edits shown whose place held exactly their text within the next 60 changes and 3 minutes",
    "partly": "edits shown of which one of several hunks came true, or half of the text was typed",
    "flickered/100": "edits that changed or vanished under a key that typed their text, per 100 keys",
}
ORDERED_GLOSSARY = {
    "coverage": "moments at which the edit shown made remaining changes of its file, and nothing else",
    "precision": "edits shown that did, of those shown while changes remained",
    "next": "moments at which the edit shown was part of the very next step",
    "elsewhere": "edits shown for another file than the one with the cursor",
    "wrong/100": "edits shown that were not correct, per 100 requests",
    "false end": "pull requests after whose last step an edit was shown",
    "reversal": "requests at which the edit shown undid the last step",
}


def keys_as_html(report: KeyReport, comparison: Comparison | None = None) -> str:
    """Return the page of sessions that were replayed key by key."""
    sums = {"keys": "keys"}
    title = key_report.TITLES[report.source]
    group = "session" if report.source == "recordings" else "language"
    errors = {face: error for face, (error, _) in report.calibration.items()}
    return page(
        f"Editahead: {title}",
        [
            *_head(
                title, key_report.NOTES[report.source], report.provenance, f"{len(report.sessions)} sessions"
            ),
            section("By face", figure_table("face", report.faces, sums, KEY_METRICS)),
            *_compared(comparison),
            *(
                section(f"{face}, by {group}", figure_table(group, rows, sums, KEY_METRICS))
                for face, rows in report.groups.items()
            ),
            section("Calibration error", _named(errors)),
            section("What the figures mean", _meanings(KEY_GLOSSARY)),
        ],
    )


def ordered_as_html(report: OrderedReport, comparison: Comparison | None = None) -> str:
    """Return the page of pull requests that were replayed edit by edit."""
    sums = {"moments": "opportunities"}
    return page(
        "Editahead: ordered edits",
        [
            *_head(
                "Ordered edits of pull requests",
                ordered_report.NOTE,
                report.provenance,
                f"{len(report.requests)} pull requests",
            ),
            section("All files open", figure_table("", report.rows, sums, ORDERED_METRICS)),
            *_compared(comparison),
            section("Calibration error", _named({"of edits shown": report.calibration})),
            section("What the figures mean", _meanings(ORDERED_GLOSSARY)),
        ],
    )


def _head(title: str, note: str, where: Provenance, items: str) -> list[str]:
    measured = f"commit {where.commit}; {where.machine}; {where.data}; seed {where.seed}; {items}"
    return [f"<h1>{escape(title)}</h1>", f'<p class="note">{escape(note)}<br>{escape(measured)}</p>']


def _compared(comparison: Comparison | None) -> list[str]:
    if comparison is None:
        return []
    return [section(f"Against {comparison.against}", comparison_table(comparison))]


def _named(values: Mapping[str, Interval]) -> str:
    rows = (("", [escape(name), interval_value(value)]) for name, value in values.items())
    return table_rows(["figure", "value"], rows)


def _meanings(glossary: Mapping[str, str]) -> str:
    rows = (f"<dt>{escape(name)}</dt><dd>{escape(meaning)}</dd>" for name, meaning in glossary.items())
    return f"<dl>{''.join(rows)}</dl>"
