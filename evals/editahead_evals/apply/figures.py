"""How well sketches were applied: exact, refused and wrong by style and by damage, as tables and as JSON."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from math import sqrt
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from editahead_evals.intervals import Bootstrap, Interval, percentile, ratio
from editahead_evals.report import Provenance
from editahead_evals.tables import PLAIN_WIDTH, cell

from .bench import Outcome
from .generator import VERSION

ABOUT_A_THOUSAND = range(800, 1201)
"""Lines of the files whose times are given by themselves."""

NOTE = (
    "Sketches are made from real commits; how often models write which of them is not measured here. Where a sketch has "
    "two places, only a refusal is right; these cases have rows of their own."
)


@dataclass(frozen=True, slots=True)
class Row:
    """Cases of one kind. exact: their share, over sketches; None of it where only a refusal is right."""

    name: str
    cases: int
    exact: Interval
    refused: int
    wrong: int


@dataclass(frozen=True)
class Figures:
    """offered: edits that were offered as sure. wrong_at_most: the upper end of the 95% interval (Wilson) of the share of
    them that was wrong. latency: milliseconds of those."""

    provenance: Provenance
    styles: Sequence[Row]
    variants: Sequence[Row]
    damages: Sequence[Row]
    both: Sequence[Row]
    ambiguous: Sequence[Row]
    offered: int
    wrong: int
    wrong_at_most: float
    latency: dict[str, float | None]
    reasons: dict[str, int]


def summarize(outcomes: Sequence[Outcome], provenance: Provenance) -> Figures:
    fair = [outcome for outcome in outcomes if not outcome.case.only_refusal]
    undamaged = [outcome for outcome in fair if not outcome.case.damage]
    damaged = [outcome for outcome in fair if outcome.case.damage]
    offered = [outcome for outcome in outcomes if outcome.ms is not None]
    wrong = sum(outcome.verdict == "wrong" for outcome in offered)
    seed = provenance.seed
    about = [
        outcome.ms for outcome in offered if outcome.ms is not None and outcome.lines in ABOUT_A_THOUSAND
    ]
    everything = [outcome.ms for outcome in offered if outcome.ms is not None]
    return Figures(
        provenance,
        styles=_rows(undamaged, lambda outcome: outcome.case.style, seed),
        variants=_rows(
            [outcome for outcome in undamaged if outcome.case.variant],
            lambda outcome: f"{outcome.case.style}: {outcome.case.variant.split('/')[0]}",
            seed,
        ),
        damages=_rows(damaged, lambda outcome: outcome.case.damage, seed),
        both=_rows(damaged, lambda outcome: f"{outcome.case.damage}: {outcome.case.style}", seed),
        ambiguous=_rows(
            [outcome for outcome in outcomes if outcome.case.only_refusal],
            lambda outcome: outcome.case.style,
            seed,
        ),
        offered=len(offered),
        wrong=wrong,
        wrong_at_most=wilson_upper(wrong, len(offered)),
        latency={
            "p50": percentile(everything, 50),
            "p95": percentile(everything, 95),
            "p50 of 800 to 1200 lines": percentile(about, 50),
            "p95 of 800 to 1200 lines": percentile(about, 95),
        },
        reasons=dict(Counter(outcome.reason for outcome in fair if outcome.verdict == "refused")),
    )


def wilson_upper(hits: int, of: int) -> float:
    """The upper end of the 95% interval of a share (Wilson's score interval); 1 of nothing."""
    if not of:
        return 1.0
    z = 1.959964
    share, square = hits / of, z * z / of
    return (share + square / 2 + z * sqrt(share * (1 - share) / of + square / (4 * of))) / (1 + square)


def _rows(outcomes: Sequence[Outcome], key: Callable[[Outcome], str], seed: int) -> list[Row]:
    """A row for each key, the keys sorted. Records are drawn again for the intervals: one may have given several cases."""
    names = sorted(set(map(key, outcomes)))
    return [_row(name, [outcome for outcome in outcomes if key(outcome) == name], seed) for name in names]


def _row(name: str, outcomes: Sequence[Outcome], seed: int) -> Row:
    counts = Counter(outcome.verdict for outcome in outcomes)
    records = sorted({_record(outcome) for outcome in outcomes})
    exact, cases = Counter[str](), Counter[str]()
    for outcome in outcomes:
        cases[_record(outcome)] += 1
        exact[_record(outcome)] += outcome.verdict == "exact"
    share = ratio([exact[record] for record in records], [cases[record] for record in records])
    interval = Bootstrap(len(records), seed).interval(share)
    if all(outcome.case.only_refusal for outcome in outcomes):
        interval = Interval(None)
    return Row(name, len(outcomes), interval, counts["refused"], counts["wrong"])


def _record(outcome: Outcome) -> str:
    return outcome.case.id.split("#")[0]


def as_json(figures: Figures) -> dict[str, Any]:
    where = figures.provenance

    def table(rows: Sequence[Row]) -> dict[str, Any]:
        return {
            row.name: {
                "cases": row.cases,
                "exact": asdict(row.exact),
                "refused": row.refused,
                "wrong": row.wrong,
            }
            for row in rows
        }

    return {
        "measure": "apply on sketches of real commits, without a model",
        "note": NOTE,
        "commit": where.commit,
        "machine": where.machine,
        "data": where.data,
        "seed": where.seed,
        "generator": VERSION,
        "styles": table(figures.styles),
        "variants": table(figures.variants),
        "damages": table(figures.damages),
        "damagesByStyle": table(figures.both),
        "ambiguous": table(figures.ambiguous),
        "offered": figures.offered,
        "wrong": figures.wrong,
        "wrongAtMost": figures.wrong_at_most,
        "latencyMs": figures.latency,
        "refusals": figures.reasons,
    }


def render(figures: Figures, console: Console) -> None:
    if not console.is_terminal:
        console = Console(file=console.file, width=PLAIN_WIDTH, color_system=None, highlight=False)
    for title, rows in (
        ("Sketches as they are, by style", figures.styles),
        ("The same, by variant", figures.variants),
        ("Damaged sketches, by damage", figures.damages),
        ("The same, by damage and style", figures.both),
        ("Two places: only a refusal is right", figures.ambiguous),
    ):
        if rows:
            console.print(_table(title, rows), end="\n\n")
    console.print(
        f"{figures.offered} edits offered, {figures.wrong} of them wrong "
        f"(at most {figures.wrong_at_most:.2%} with 95% confidence)",
        style="bold red" if figures.wrong else "bold",
    )
    console.print(
        "Milliseconds of these: "
        + ", ".join(f"{name} {value:.1f}" for name, value in figures.latency.items() if value is not None)
    )
    console.print(
        "Refused otherwise: "
        + ", ".join(
            f"{reason} {count}"
            for reason, count in sorted(figures.reasons.items(), key=lambda item: -item[1])
        )
    )
    where = figures.provenance
    console.print()
    console.print(NOTE)
    console.print(
        f"commit {where.commit}; {where.machine}; {where.data}; seed {where.seed}; generator {VERSION}; "
        f"value and 95% interval, by bootstrap over records"
    )


def _table(title: str, rows: Sequence[Row]) -> Table:
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD)
    table.add_column("")
    for name in ("cases", "exact", "refused", "wrong"):
        table.add_column(name, justify="right")
    for row in rows:
        style = "red" if row.wrong else ""
        table.add_row(
            row.name, str(row.cases), cell(row.exact), str(row.refused), str(row.wrong), style=style
        )
    return table


def to_read(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """What was refused or wrong and should not be, as text: the sketch, and how the result differs. It holds code."""
    for outcome in outcomes:
        case = outcome.case
        if outcome.verdict == "exact" or (case.only_refusal and outcome.verdict == "refused"):
            continue
        kind = f"{case.style}, {case.variant or 'plain'}, {case.damage or 'as it is'}"
        yield f"{'=' * 100}\n{case.id}\n{kind}: {outcome.verdict} {outcome.reason}\n{'-' * 100}\n{case.sketch}"
        for file, got in zip(case.files, outcome.got, strict=False):
            right = file.accepted[0] if file.accepted else file.before
            lines = difflib.unified_diff(
                right.splitlines(), got.splitlines(), f"right: {file.path}", f"got: {file.path}", lineterm=""
            )
            yield "".join(f"{line}\n" for line in lines)
