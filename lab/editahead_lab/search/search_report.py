"""The report of questions with known answers: tables and JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from rich.console import Console

from editahead_evals.metrics.bootstrap import Bootstrap, Interval, Statistic, Weights, percentile, ratio
from editahead_evals.metrics.metrics import Ratio, figures, total
from editahead_evals.report.report import Provenance
from editahead_evals.report.terminal_tables import figure_table, wide_console
from editahead_lab.commits.commit_groups import groups_as_json, print_latency, print_provenance
from editahead_lab.json_types import EvalSearchOutput
from editahead_lab.search.replay import BM25, JOINED, JOINED_VECTORS, Outcome, SearchOutcome
from editahead_lab.search.tasks import KINDS

METRICS = {"MRR@10": Ratio("reciprocal", "questions"), "recall@10": Ratio("recall", "questions")}
NOTE = (
    "The answers are the chunk of the function that lost its documentation, the chunks that a commit changed, or the other "
    "files that it changed. recall@10: the share of the answers among the best ten, of ten at most. BM25 is a baseline of "
    "its own, over the same chunks; the other rows are parts of the search."
)

SearchRow = tuple[str, Outcome, dict[str, Interval]]


@dataclass(frozen=True)
class SearchReport:
    """The figures of one run.

    Attributes:
        provenance: What was measured, and where.
        results: The outcomes of all questions.
        rows: By kind of question and way to search.
        gains: The recall of the joined search divided by that of BM25, by kind of question.
        by_vectors: What vectors add to the joined search: the paired difference of each figure, by kind of question.
        latency: Percentiles of the joined search in milliseconds.
    """

    provenance: Provenance
    results: Sequence[SearchOutcome]
    rows: Sequence[SearchRow]
    gains: dict[str, Interval]
    by_vectors: dict[str, dict[str, Interval]]
    latency: dict[str, float | None]


def summarize(results: Sequence[SearchOutcome], provenance: Provenance) -> SearchReport:
    """Return the report of a run; the results may be in any order."""
    ordered = sorted(results, key=lambda result: (result.kind, result.id))
    rows: list[SearchRow] = []
    gains: dict[str, Interval] = {}
    by_vectors: dict[str, dict[str, Interval]] = {}
    for kind in KINDS:
        found = [result for result in ordered if result.kind == kind]
        if not found:
            continue
        bootstrap = Bootstrap(len(found), provenance.seed)
        for way in found[0].ways:
            counts = [result.ways[way] for result in found]
            rows.append((f"{kind}: {way}", total(counts, Outcome), figures(counts, bootstrap, METRICS)))
        gains[kind] = _gain(found, bootstrap)
        if JOINED_VECTORS in found[0].ways:
            by_vectors[kind] = {
                name: bootstrap.difference(*(_mean(found, way, metric) for way in (JOINED_VECTORS, JOINED)))
                for name, metric in METRICS.items()
            }
    ms = [result.ms for result in ordered]
    return SearchReport(
        provenance, ordered, rows, gains, by_vectors, {"p50": percentile(ms, 50), "p95": percentile(ms, 95)}
    )


def _mean(found: Sequence[SearchOutcome], way: str, metric: Ratio) -> Statistic:
    outcomes = [asdict(result.ways[way]) for result in found]
    return ratio([each[metric.part] for each in outcomes], [each[metric.whole] for each in outcomes])


def _gain(found: Sequence[SearchOutcome], bootstrap: Bootstrap) -> Interval:
    ours, theirs = (
        ratio([result.ways[way].recall for result in found], [1.0] * len(found)) for way in (JOINED, BM25)
    )

    def gain(weights: Weights) -> float | None:
        a, b = ours(weights), theirs(weights)
        return a / b if a is not None and b else None

    return bootstrap.interval(gain)


def as_json(report: SearchReport) -> EvalSearchOutput:
    return {
        **report.provenance.measured("search", NOTE),
        "groups": groups_as_json(report.rows),
        "gains": {kind: asdict(gain) for kind, gain in report.gains.items()},
        "byVectors": {
            kind: {name: asdict(value) for name, value in found.items()}
            for kind, found in report.by_vectors.items()
        },
        "latencyMs": report.latency,
        "questions": [asdict(each) for each in report.results],
    }


def render(report: SearchReport, console: Console) -> None:
    console = wide_console(console)
    title = "What search finds of what answers a question"
    console.print(
        figure_table(title, "", report.rows, {"questions": "questions"}, METRICS, console), end="\n\n"
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
    print_latency(console, "search", report.latency, [each.ms for each in report.results])
    print_provenance(console, NOTE, report.provenance, len(report.results))
