"""An evaluation's figures, and all of it as JSON."""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from editahead_evals.data.commit_replay import HUNK_KINDS
from editahead_evals.metrics.bootstrap import Bootstrap, Interval, Statistic, percentile, ratio
from editahead_evals.metrics.confidence_curve import SHOW_RATES, Bin, ConfidenceCurve, OperatingPoint
from editahead_evals.metrics.import_metrics import ImportCounts
from editahead_evals.metrics.metrics import (
    DISTANCES,
    GROUP_METRICS,
    METRICS,
    SERVER,
    TYPING_METRICS,
    AnyCounts,
    Counts,
    FileResult,
    Ratio,
    TypingCounts,
    figures,
    statistic,
    total,
)
from editahead_evals.replay.baselines import BASELINES

from .json_types import EvalOutput, Measured

NOTE = (
    "Commits are not keystrokes: the order of the hunks and the typing are made up, and what the person "
    "would have accepted is unknown."
)
FAILED = ("engine-unavailable", "cancelled")
"""The unintended reasons of a silence: an error, or a machine too busy for the server's deadline."""

LATE_MS = 2000
"""Milliseconds after which the server gives up a prediction, and a busy machine makes it silent."""

Row = tuple[str, Counts, dict[str, Interval]]
TypingRow = tuple[str, TypingCounts, dict[str, Interval]]


@dataclass(frozen=True, slots=True)
class Provenance:
    """What every figure must name. commit: of the code that was measured; "unknown" outside of a checkout."""

    commit: str
    data: str
    seed: int

    @property
    def machine(self) -> str:
        return f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"

    def measured(self, measure: str, note: str) -> Measured:
        """Return the head of a report as JSON. note: what the figures cannot say."""
        return {
            "measure": measure,
            "note": note,
            "commit": self.commit,
            "machine": self.machine,
            "data": self.data,
            "seed": self.seed,
        }


@dataclass(frozen=True)
class Confidence:
    """What the answers at eagerness 1 say about confidence, and about what could be reached.

    precision_at: by show rate. error: of the calibration (ECE); chance_error: what it would be if every confidence were
    true. some_shown: opportunities at which one of the (at most
    five) alternatives was correct. ceiling: those at which one of all candidates was, before gate and checks; None where
    candidates are not known.
    """

    precision_at: dict[float, Interval]
    error: Interval
    chance_error: float | None
    some_shown: Interval
    ceiling: Interval
    levels: Sequence[OperatingPoint]
    bins: Sequence[Bin]
    risk_coverage: Sequence[tuple[float, float]]


@dataclass(frozen=True)
class Report:
    provenance: Provenance
    files: Sequence[FileResult]
    predictors: Sequence[Row]
    typing: Sequence[TypingRow]
    languages: Sequence[Row]
    kinds: Sequence[Row]
    distances: Sequence[Row]
    confidence: Confidence
    latency: dict[str, dict[str, float | None]]
    """Milliseconds. The first answer is that of a session that has just begun."""
    imports: ImportCounts
    accepts: int
    next_hit: Interval
    """After an accept the next answer was there already."""
    silences: dict[str, int]
    """How often nothing was predicted for which reason."""


def summarize(results: Sequence[FileResult], provenance: Provenance) -> Report:
    """Return the report of a run; the results may be in any order."""
    files = in_order(results)
    bootstrap = Bootstrap(len(files), provenance.seed)
    languages = sorted({result.language for result in files})
    predictors = (SERVER, *BASELINES)

    def group(name: str, counts: Sequence[Counts]) -> Row:
        return _row(name, counts, Counts, bootstrap, GROUP_METRICS)

    return Report(
        provenance=provenance,
        files=files,
        predictors=[
            _row(name, [result.counts[name] for result in files], Counts, bootstrap, METRICS)
            for name in predictors
        ],
        typing=[
            _row(name, [_typing(result, name) for result in files], TypingCounts, bootstrap, TYPING_METRICS)
            for name in predictors
        ],
        languages=[
            _row(language, [_only(result, language) for result in files], Counts, bootstrap, METRICS)
            for language in languages
        ],
        kinds=[group(kind, [result.kinds[kind] for result in files]) for kind in HUNK_KINDS],
        distances=[group(name, [result.distances[name] for result in files]) for name in DISTANCES],
        confidence=_confidence(files, bootstrap, provenance.seed),
        latency=_latency(files),
        imports=total([result.imports for result in files], ImportCounts),
        accepts=sum(result.accepts for result in files),
        next_hit=bootstrap.interval(statistics(files)["next hit"]),
        silences=_silences(files),
    )


def _silences(files: Sequence[FileResult]) -> dict[str, int]:
    """Return how often the server was silent for each reason."""
    return dict(Counter(moment.silence for result in files for moment in result.moments if moment.silence))


def _latency(files: Sequence[FileResult]) -> dict[str, dict[str, float | None]]:
    """Return the times of answers and of changes, of which the first answer of a file has its own."""
    return {
        "answer": _percentiles([moment.ms for result in files for moment in result.moments[1:]]),
        "first answer": _percentiles([moment.ms for result in files for moment in result.moments[:1]]),
        "didChange": _percentiles(_change_ms(files)),
    }


def busy_warning(ms: Iterable[float]) -> str | None:
    """Return a warning if the machine was too busy for some of the answers, given by their latencies."""
    late = sum(each >= LATE_MS for each in ms)
    if not late:
        return None
    return f"{late} answers took {LATE_MS / 1000:.0f} s or longer: these figures are not what the code can do"


def in_order(results: Iterable[FileResult]) -> list[FileResult]:
    return sorted(results, key=lambda result: result.id)


def statistics(files: Sequence[FileResult]) -> dict[str, Statistic]:
    """Return Editahead's metrics over all files, by name, as statistics for a bootstrap."""
    counts = [result.counts[SERVER] for result in files]
    typing = [_typing(result, SERVER) for result in files]
    curve = ConfidenceCurve([result.answers for result in files])
    opportunities = [sum(answer.opportunity for answer in result.answers) for result in files]
    return {
        **{name: statistic(counts, metric) for name, metric in METRICS.items()},
        **{f"typing: {name}": statistic(typing, metric) for name, metric in TYPING_METRICS.items()},
        "next hit": ratio([result.next_hits for result in files], [result.accepts for result in files]),
        **{f"precision at show rate {rate:.0%}": curve.precision_at(rate) for rate in SHOW_RATES},
        "calibration error": curve.calibration_error,
        "some alternative right": ratio(
            [sum(answer.opportunity and answer.some for answer in result.answers) for result in files],
            opportunities,
        ),
        "some candidate right": ratio(
            [result.reachable for result in files], [result.candidates for result in files]
        ),
    }


def as_json(report: Report, against: dict[str, Any] | None = None) -> EvalOutput:
    """Return everything except the example cases, which hold code. `against` comes from `comparison.as_json`."""

    def table(rows: Sequence[Row] | Sequence[TypingRow]) -> dict[str, Any]:
        return {
            name: {
                "counts": asdict(counts),
                "figures": {figure: asdict(interval) for figure, interval in row.items()},
            }
            for name, counts, row in rows
        }

    confidence = report.confidence
    return {
        **report.provenance.measured("next edit on real commits", NOTE),
        "predictors": table(report.predictors),
        "typing": table(report.typing),
        "languages": table(report.languages),
        "kinds": table(report.kinds),
        "distances": table(report.distances),
        "confidence": {
            "precisionAtShowRate": {
                str(rate): asdict(interval) for rate, interval in confidence.precision_at.items()
            },
            "calibrationError": asdict(confidence.error) | {"byChance": confidence.chance_error},
            "someAlternativeRight": asdict(confidence.some_shown),
            "someCandidateRight": asdict(confidence.ceiling),
            "thresholds": [asdict(level) for level in confidence.levels],
            "bins": [asdict(each) for each in confidence.bins],
            "riskCoverage": confidence.risk_coverage,
        },
        "imports": asdict(report.imports),
        "latencyMs": report.latency,
        "nextHit": {"accepts": report.accepts, **asdict(report.next_hit)},
        "silences": report.silences,
        "files": [asdict(replace(result, cases=[])) for result in report.files],
        "against": against,
    }


def _confidence(files: Sequence[FileResult], bootstrap: Bootstrap, seed: int) -> Confidence:
    curve = ConfidenceCurve([result.answers for result in files])
    known = statistics(files)
    return Confidence(
        precision_at={
            rate: bootstrap.interval(known[f"precision at show rate {rate:.0%}"]) for rate in SHOW_RATES
        },
        error=bootstrap.interval(known["calibration error"]),
        chance_error=curve.chance_error(seed),
        some_shown=bootstrap.interval(known["some alternative right"]),
        ceiling=bootstrap.interval(known["some candidate right"]),
        levels=curve.levels(),
        bins=curve.bins(),
        risk_coverage=curve.risk_coverage(),
    )


def _row(
    name: str,
    counts: Sequence[AnyCounts],
    empty: type[AnyCounts],
    bootstrap: Bootstrap,
    metrics: Mapping[str, Ratio],
) -> tuple[str, AnyCounts, dict[str, Interval]]:
    return name, total(counts, empty), figures(counts, bootstrap, metrics)


def _only(result: FileResult, language: str) -> Counts:
    return result.counts[SERVER] if result.language == language else Counts()


def _typing(result: FileResult, predictor: str) -> TypingCounts:
    return result.typing.get(predictor) or TypingCounts()


def _change_ms(files: Sequence[FileResult]) -> list[float]:
    """Return the time to handle a keystroke: its addition to the median response of an idle server to a cheap request.

    This is an estimate: what is below the noise of the response is 0, and the p99 contains the noise.
    """
    idle = percentile([ms for result in files for ms in result.idle_ms], 50) or 0.0
    return [max(0.0, ms - idle) for result in files for ms in result.change_ms]


def _percentiles(values: Sequence[float]) -> dict[str, float | None]:
    return {"p50": percentile(values, 50), "p99": percentile(values, 99)}
