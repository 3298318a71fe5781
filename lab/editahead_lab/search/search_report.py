"""The report of questions with known answers: tables and JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rich.console import Console

from editahead_evals.metrics.bootstrap import Bootstrap, Interval, Weights, percentiles
from editahead_evals.metrics.metrics import Ratio, Row, make_row, statistic
from editahead_evals.report.output import Measured, Provenance, print_latency
from editahead_evals.report.terminal_tables import figure_table, wide_console

from .replay import BM25, JOINED, JOINED_VECTORS, Outcome, SearchOutcome
from .tasks import KINDS

METRICS = {"MRR@10": Ratio("reciprocal", "questions"), "recall@10": Ratio("recall", "questions")}
NOTE = (
    "The answers are the chunk of the function that lost its documentation, the chunks that a commit changed, or the other "
    "files that it changed. recall@10: the share of the answers among the best ten, of ten at most. BM25 is a baseline of "
    "its own, over the same chunks; the other rows are parts of the search."
)


@dataclass(frozen=True, kw_only=True)
class SearchReport(Measured):
    """The output for search.

    Attributes:
        groups: Counts and figures with their intervals, by kind of question and way to search.
        gains: The recall of the joined search divided by that of BM25, by kind of question.
        by_vectors: What vectors add to the joined search: the paired difference of each figure, by kind of question; empty
            without an encoder.
        latency_ms: Percentiles of the joined search.
        questions: The outcomes of each.
    """

    groups: Mapping[str, Row]
    gains: Mapping[str, Interval]
    by_vectors: Mapping[str, Mapping[str, Interval]]
    latency_ms: Mapping[str, float | None]
    questions: Sequence[SearchOutcome]


def summarize(results: Sequence[SearchOutcome], provenance: Provenance) -> SearchReport:
    """Return the report of a run; the results may be in any order."""
    questions = sorted(results, key=lambda result: (result.kind, result.id))
    groups: dict[str, Row] = {}
    gains: dict[str, Interval] = {}
    by_vectors: dict[str, dict[str, Interval]] = {}
    for kind in KINDS:
        found = [result for result in questions if result.kind == kind]
        if not found:
            continue
        bootstrap = Bootstrap(len(found), provenance.seed)
        for way in found[0].ways:
            groups[f"{kind}: {way}"] = make_row(_of_way(found, way), Outcome, bootstrap, METRICS)
        gains[kind] = _gain(found, bootstrap)
        if JOINED_VECTORS in found[0].ways:
            pair = [_of_way(found, way) for way in (JOINED_VECTORS, JOINED)]
            by_vectors[kind] = {
                name: bootstrap.difference(*(statistic(counts, metric) for counts in pair))
                for name, metric in METRICS.items()
            }
    return SearchReport(
        **provenance.head("search", NOTE),
        groups=groups,
        gains=gains,
        by_vectors=by_vectors,
        latency_ms=percentiles([result.ms for result in questions], (50, 95)),
        questions=questions,
    )


def _of_way(found: Sequence[SearchOutcome], way: str) -> list[Outcome]:
    return [result.ways[way] for result in found]


def _gain(found: Sequence[SearchOutcome], bootstrap: Bootstrap) -> Interval:
    ours, theirs = (statistic(_of_way(found, way), METRICS["recall@10"]) for way in (JOINED, BM25))

    def gain(weights: Weights) -> float | None:
        a, b = ours(weights), theirs(weights)
        return a / b if a is not None and b else None

    return bootstrap.interval(gain)


def print_tables(report: SearchReport, console: Console) -> None:
    console = wide_console(console)
    title = "What search finds of what answers a question"
    console.print(
        figure_table(title, "", report.groups, {"questions": "questions"}, METRICS, console), end="\n\n"
    )
    for kind, gain in report.gains.items():
        if gain.value is not None:
            console.print(
                f"{kind}: the recall of the joined search is {gain.value:.2f} times that of BM25 "
                f"({gain.low or 0:.2f}-{gain.high or 0:.2f})"
            )
    for kind, found in report.by_vectors.items():
        parts = (
            f"{name} {value.value:+.3f} ({value.low or 0:.3f} to {value.high or 0:.3f})"
            for name, value in found.items()
            if value.value is not None
        )
        console.print(f"{kind}: vectors add {', '.join(parts)}")
    print_latency(console, "search", report.latency_ms, [each.ms for each in report.questions])
    report.print_where(console, f"{len(report.questions)} commits", "commits")
