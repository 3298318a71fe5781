"""How well sketches were applied: exact, refused and wrong by style and by damage, as tables and as JSON."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from editahead_evals.metrics.bootstrap import Bootstrap, Interval, percentile, ratio
from editahead_evals.report.output import JsonObject, Measured, Provenance
from editahead_evals.report.terminal_tables import cell, wide_console

from .runner import CaseResult
from .sketch_generator import VERSION

_LOOKED_AT = 3
"""Choices, at most, that a person looks at."""

ABOUT_A_THOUSAND = range(800, 1201)
"""Lines of the files whose times are given by themselves."""

NOTE = (
    "Sketches are made from real commits; how often models write which of them is not measured here. Where a sketch has "
    "two places, only a refusal is right; these cases have rows of their own."
)


@dataclass(frozen=True, slots=True)
class Row(JsonObject):
    """The results of sketches of one kind.

    Attributes:
        exact: The share of exact results over all sketches; None where only a refusal is right.
        among_three: Exact results and refusals whose first three choices hold the right one.
        refused: Refusals, with choices or without.
        without_choices: Those of `refused` that offer no choice.
    """

    cases: int
    exact: Interval
    among_three: int
    refused: int
    without_choices: int
    wrong: int


@dataclass(frozen=True, slots=True)
class ByModel(JsonObject):
    """The model's results for the sketches that were refused without it. None where there are no values.

    Attributes:
        refused: Sketches refused without the model for which an edit exists.
        solved: Those of `refused` that the model solved.
        wrong: Wrong edits that were offered for confirmation, also where only a refusal is right.
        tokens_per_step: Tokens of the offered answers by decoding step: one from the model and those that
            drafts predicted.
        first_hunk_ms: Median time until the first hunk was decided, in milliseconds.
        ms: Median time until the edit arrived, in milliseconds.
        choices: Those of `refused` that were refused with the model, too, with the right choice among several.
        first_by_rules: Those of `choices` whose right choice is the likeliest by the rules.
        first: Those of `choices` whose right choice came first.
    """

    refused: int
    solved: int
    wrong: int
    tokens_per_step: float | None
    first_hunk_ms: float | None
    ms: float | None
    choices: int = 0
    first_by_rules: int = 0
    first: int = 0


@dataclass(frozen=True, kw_only=True)
class ApplyReport(Measured):
    """The output of `eval apply`. All except `by_model` are without a model.

    Attributes:
        generator: The version of what makes the sketches.
        offered: Edits that were offered as certain.
        max_wrong_share: Upper end of the 95% interval (Wilson) of the share of wrong ones among them.
        latency_ms: Their times.
        refusals: Reasons, how often.
    """

    generator: int
    styles: Mapping[str, Row]
    variants: Mapping[str, Row]
    damages: Mapping[str, Row]
    damages_by_style: Mapping[str, Row]
    ambiguous: Mapping[str, Row]
    offered: int
    wrong: int
    max_wrong_share: float = field(metadata={"json": "wrongAtMost"})
    latency_ms: Mapping[str, float | None]
    refusals: Mapping[str, int]
    by_model: ByModel | None = None


def summarize(
    outcomes: Sequence[CaseResult], provenance: Provenance, *, with_model: bool = False
) -> ApplyReport:
    """Return the figures of a run. `with_model` says whether a model was called where the merge was not sure."""
    by_model = _by_model(outcomes) if with_model else None
    outcomes = [_without_model(outcome) for outcome in outcomes]
    ambiguous, fair = _divided(outcomes, lambda outcome: outcome.case.only_refusal)
    damaged, undamaged = _divided(fair, lambda outcome: bool(outcome.case.damage))
    offered = [outcome for outcome in outcomes if outcome.ms is not None]
    wrong = sum(outcome.status == "wrong" for outcome in offered)
    seed = provenance.seed
    return ApplyReport(
        **provenance.head("apply on sketches of real commits, without a model", NOTE),
        generator=VERSION,
        styles=_rows(undamaged, lambda outcome: outcome.case.style, seed),
        variants=_rows(
            [outcome for outcome in undamaged if outcome.case.variant],
            lambda outcome: f"{outcome.case.style}: {outcome.case.variant.split('/')[0]}",
            seed,
        ),
        damages=_rows(damaged, lambda outcome: outcome.case.damage, seed),
        damages_by_style=_rows(damaged, lambda outcome: f"{outcome.case.damage}: {outcome.case.style}", seed),
        ambiguous=_rows(ambiguous, lambda outcome: outcome.case.style, seed),
        offered=len(offered),
        wrong=wrong,
        max_wrong_share=wilson_upper(wrong, len(offered)),
        latency_ms=_latency(offered),
        refusals=Counter(outcome.reason for outcome in fair if outcome.status == "refused"),
        by_model=by_model,
    )


def _divided(
    outcomes: Iterable[CaseResult], holds: Callable[[CaseResult], bool]
) -> tuple[list[CaseResult], list[CaseResult]]:
    """Return the outcomes for which something holds, and the others."""
    divided: tuple[list[CaseResult], list[CaseResult]] = [], []
    for outcome in outcomes:
        divided[not holds(outcome)].append(outcome)
    return divided


def _latency(offered: Iterable[CaseResult]) -> dict[str, float | None]:
    """Return percentiles of the times in milliseconds: of all edits, and of those in files of about a thousand lines."""
    everything = [(outcome.lines, outcome.ms) for outcome in offered if outcome.ms is not None]
    about = [ms for lines, ms in everything if lines in ABOUT_A_THOUSAND]
    samples = {"": [ms for _, ms in everything], " of 800 to 1200 lines": about}
    return {
        f"p{share}{name}": percentile(some, share) for name, some in samples.items() for share in (50, 95)
    }


def _without_model(outcome: CaseResult) -> CaseResult:
    if not outcome.by_model:
        return outcome
    return CaseResult(outcome.case, "refused", "not told, as the model was asked")


def _by_model(outcomes: Sequence[CaseResult]) -> ByModel:
    from_model = [outcome for outcome in outcomes if outcome.by_model]
    refused = [o for o in outcomes if (o.by_model or o.status == "refused") and not o.case.only_refusal]
    tokens = sum(outcome.tokens for outcome in from_model)
    steps = tokens - sum(outcome.drafted for outcome in from_model)
    chosen = [outcome for outcome in refused if outcome.right_choice]
    return ByModel(
        len(refused),
        sum(outcome.status == "exact" for outcome in from_model),
        sum(outcome.status == "wrong" for outcome in from_model),
        tokens / steps if steps else None,
        percentile([outcome.first_ms for outcome in from_model if outcome.first_ms is not None], 50),
        percentile([outcome.ms for outcome in from_model if outcome.ms is not None], 50),
        len(chosen),
        sum(outcome.right_by_rules == 1 for outcome in chosen),
        sum(outcome.right_choice == 1 for outcome in chosen),
    )


def wilson_upper(hits: int, of: int) -> float:
    """Return the upper end of the 95% interval of a share (Wilson's score interval); 1 for no cases."""
    if not of:
        return 1.0
    z = 1.959964
    share, square = hits / of, z * z / of
    return (share + square / 2 + z * sqrt(share * (1 - share) / of + square / (4 * of))) / (1 + square)


def _rows(outcomes: Sequence[CaseResult], key: Callable[[CaseResult], str], seed: int) -> dict[str, Row]:
    """Return a row for each key, sorted by key.

    The bootstrap resamples records, because one record may give several cases.
    """
    names = sorted(set(map(key, outcomes)))
    return {name: _row([outcome for outcome in outcomes if key(outcome) == name], seed) for name in names}


def _row(outcomes: Sequence[CaseResult], seed: int) -> Row:
    counts = Counter(outcome.status for outcome in outcomes)
    records = sorted({_record(outcome) for outcome in outcomes})
    exact, cases = Counter[str](), Counter[str]()
    for outcome in outcomes:
        cases[_record(outcome)] += 1
        exact[_record(outcome)] += outcome.status == "exact"
    share = ratio([exact[record] for record in records], [cases[record] for record in records])
    interval = Bootstrap(len(records), seed).interval(share)
    if all(outcome.case.only_refusal for outcome in outcomes):
        interval = Interval(None)
    return Row(
        len(outcomes),
        interval,
        counts["exact"] + sum(1 <= outcome.right_choice <= _LOOKED_AT for outcome in outcomes),
        counts["refused"],
        sum(outcome.status == "refused" and not outcome.choices for outcome in outcomes),
        counts["wrong"],
    )


def _record(outcome: CaseResult) -> str:
    return outcome.case.id.split("#")[0]


def print_tables(report: ApplyReport, console: Console) -> None:
    console = wide_console(console)
    for title, rows in (
        ("Sketches as they are, by style", report.styles),
        ("The same, by variant", report.variants),
        ("Damaged sketches, by damage", report.damages),
        ("The same, by damage and style", report.damages_by_style),
        ("Two places: only a refusal is right", report.ambiguous),
    ):
        if rows:
            console.print(_table(title, rows), end="\n\n")
    console.print(
        f"{report.offered} edits offered, {report.wrong} of them wrong "
        f"(at most {report.max_wrong_share:.2%} with 95% confidence)",
        style="bold red" if report.wrong else "bold",
    )
    times = (f"{name} {value:.1f}" for name, value in report.latency_ms.items() if value is not None)
    console.print(f"Milliseconds of these: {', '.join(times)}")
    reasons = sorted(report.refusals.items(), key=lambda item: -item[1])
    console.print(f"Refused otherwise: {', '.join(f'{reason} {count}' for reason, count in reasons)}")
    if (found := report.by_model) is not None:
        steps = "" if found.tokens_per_step is None else f"; {found.tokens_per_step:.1f} tokens a step"
        if found.first_hunk_ms is not None and found.ms is not None:
            steps += f"; the first hunk after {found.first_hunk_ms:.0f} ms, the edit after {found.ms:.0f} ms (medians)"
        share = f" ({found.solved / found.refused:.1%})" if found.refused else ""
        console.print(
            f"By the model, to be confirmed: {found.solved} of {found.refused} refused sketches solved{share}, "
            f"{found.wrong} wrong{steps}"
        )
        console.print(
            f"Of {found.choices} with the right choice among several, it came first in {found.first}; by the rules alone in "
            f"{found.first_by_rules}"
        )
    report.print_where(console, f"generator {VERSION}", "records")


def _table(title: str, rows: Mapping[str, Row]) -> Table:
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD)
    table.add_column("")
    for name in ("cases", "exact", "within 3 choices", "refused", "no choices", "wrong"):
        table.add_column(name, justify="right")
    for name, row in rows.items():
        style = "red" if row.wrong else ""
        counts = (row.among_three, row.refused, row.without_choices, row.wrong)
        table.add_row(name, str(row.cases), cell(row.exact), *map(str, counts), style=style)
    return table


def failure_listing(outcomes: Sequence[CaseResult]) -> Iterator[str]:
    """Yield the refused and wrong cases as text that holds code: each sketch, and how its result differs."""
    for outcome in outcomes:
        case = outcome.case
        if outcome.status == "exact" or (case.only_refusal and outcome.status == "refused"):
            continue
        kind = f"{case.style}, {case.variant or 'plain'}, {case.damage or 'as it is'}"
        yield f"{'=' * 100}\n{case.id}\n{kind}: {outcome.status} {outcome.reason}\n{'-' * 100}\n{case.sketch}"
        for file, got in zip(case.files, outcome.got, strict=False):
            right = file.accepted[0] if file.accepted else file.before
            lines = difflib.unified_diff(
                right.splitlines(), got.splitlines(), f"right: {file.path}", f"got: {file.path}", lineterm=""
            )
            yield "".join(f"{line}\n" for line in lines)
