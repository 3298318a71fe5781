"""The figures of next edits on real commits, all of which is JSON, too."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from editahead_evals.data.commit_replay import HUNK_KINDS
from editahead_evals.metrics.bootstrap import Bootstrap, Interval, Statistic, percentile, percentiles, ratio
from editahead_evals.metrics.confidence_curve import SHOW_RATES, Bin, ConfidenceCurve, OperatingPoint
from editahead_evals.metrics.import_metrics import ImportCounts
from editahead_evals.metrics.metrics import (
    DISTANCES,
    GROUP_METRICS,
    METRICS,
    SERVER,
    TYPING_METRICS,
    Counts,
    FileResult,
    Row,
    TypingCounts,
    group_rows,
    statistic,
    total,
)
from editahead_evals.replay.baselines import BASELINES

from .comparison import Comparison, compare_results, in_order
from .output import Calibration, JsonObject, Measured, Provenance

NOTE = (
    "Commits are not keystrokes: the order of the hunks and the typing are made up, and what the person "
    "would have accepted is unknown."
)
FAILED = ("engine-unavailable", "cancelled")
"""The unintended reasons of a silence: an error, or a machine too busy for the server's deadline."""

EQUAL = "coverage at equal precision"
"""With thresholds at which both are as precise as theirs is with the default one: who only shows more, or less, gains
nothing by that."""
THRESHOLD = 0.3
"""The default one."""


@dataclass(frozen=True)
class Confidence(JsonObject):
    """What the answers at eagerness 1 say about confidence, and about what could be reached.

    Attributes:
        precision_at_show_rate: By show rate.
        some_alternative_right: Opportunities at which one of the (at most five) alternatives was correct.
        some_candidate_right: Those at which one of all candidates was, before gate and checks; None where candidates are
            not known.
    """

    precision_at_show_rate: Mapping[float, Interval]
    calibration_error: Calibration
    some_alternative_right: Interval
    some_candidate_right: Interval
    thresholds: Sequence[OperatingPoint]
    bins: Sequence[Bin]
    risk_coverage: Sequence[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class NextHit(Interval):
    """The share of accepts after which the next answer was there already."""

    accepts: int = 0


@dataclass(frozen=True, kw_only=True)
class Report(Measured):
    """The output for real commits.

    Attributes:
        predictors: Counts and figures with their intervals, as in the other tables.
        imports: Shown edits that import names, and how many are right by three definitions.
        latency_ms: The first answer is that of a session that has just begun.
        silences: How often nothing was predicted, by reason.
        against: The comparison with another revision, or with the rules alone.
    """

    predictors: Mapping[str, Row]
    typing: Mapping[str, Row]
    languages: Mapping[str, Row]
    kinds: Mapping[str, Row]
    distances: Mapping[str, Row]
    confidence: Confidence
    imports: ImportCounts
    latency_ms: Mapping[str, Mapping[str, float | None]]
    next_hit: NextHit
    silences: Mapping[str, int]
    files: Sequence[FileResult]
    against: Comparison | None = None


def summarize(
    results: Sequence[FileResult], provenance: Provenance, against: Comparison | None = None
) -> Report:
    """Return the report of a run; the results may be in any order."""
    files = in_order(results)
    bootstrap = Bootstrap(len(files), provenance.seed)
    predictors = (SERVER, *BASELINES)
    languages = sorted({result.language for result in files})
    hit = bootstrap.interval(statistics(files)["next hit"])
    return Report(
        **provenance.head("next edit on real commits", NOTE),
        predictors=group_rows(
            files, {name: partial(_predicted, name) for name in predictors}, Counts, bootstrap
        ),
        typing=group_rows(
            files,
            {name: partial(_typed, name) for name in predictors},
            TypingCounts,
            bootstrap,
            TYPING_METRICS,
        ),
        languages=group_rows(files, {name: partial(_only, name) for name in languages}, Counts, bootstrap),
        kinds=group_rows(
            files, {name: partial(_of_kind, name) for name in HUNK_KINDS}, Counts, bootstrap, GROUP_METRICS
        ),
        distances=group_rows(
            files, {name: partial(_at, name) for name in DISTANCES}, Counts, bootstrap, GROUP_METRICS
        ),
        confidence=_confidence(files, bootstrap, provenance.seed),
        imports=total([result.imports for result in files], ImportCounts),
        latency_ms=_latency(files),
        next_hit=NextHit(hit.value, hit.low, hit.high, sum(result.accepts for result in files)),
        silences=Counter(moment.silence for result in files for moment in result.moments if moment.silence),
        files=files,
        against=against,
    )


def compare_files(
    ours: Sequence[FileResult], theirs: Sequence[FileResult], against: str, seed: int
) -> Comparison:
    """Compare two runs over the files that both have."""
    return compare_results(ours, theirs, statistics, against, seed, _equally_precise)


def _equally_precise(
    ours: Sequence[FileResult], theirs: Sequence[FileResult]
) -> dict[str, tuple[Statistic, Statistic]]:
    """Return the coverage of both at the lowest thresholds with the precision of theirs at `THRESHOLD`."""
    mine, other = (ConfidenceCurve([result.answers for result in results]) for results in (ours, theirs))
    (level,) = other.levels([THRESHOLD])
    wanted = level.precision or 1.0
    one, two = (curve.coverage_above(curve.threshold_for_precision(wanted)) for curve in (mine, other))
    return {EQUAL: (one, two)}


def _predicted(predictor: str, result: FileResult) -> Counts:
    return result.counts[predictor]


def _typed(predictor: str, result: FileResult) -> TypingCounts | None:
    return result.typing.get(predictor)


def _only(language: str, result: FileResult) -> Counts | None:
    return result.counts[SERVER] if result.language == language else None


def _of_kind(kind: str, result: FileResult) -> Counts:
    return result.kinds[kind]


def _at(distance: str, result: FileResult) -> Counts:
    return result.distances[distance]


def _latency(files: Sequence[FileResult]) -> dict[str, dict[str, float | None]]:
    """Return the times of answers and of changes, of which the first answer of a file has its own."""
    return {
        "answer": percentiles([moment.ms for result in files for moment in result.moments[1:]]),
        "first answer": percentiles([moment.ms for result in files for moment in result.moments[:1]]),
        "didChange": percentiles(_change_ms(files)),
    }


def statistics(files: Sequence[FileResult]) -> dict[str, Statistic]:
    """Return Editahead's metrics over all files, by name, as statistics for a bootstrap."""
    counts = [result.counts[SERVER] for result in files]
    typing = [_typed(SERVER, result) or TypingCounts() for result in files]
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


def _confidence(files: Sequence[FileResult], bootstrap: Bootstrap, seed: int) -> Confidence:
    curve = ConfidenceCurve([result.answers for result in files])
    known = statistics(files)
    return Confidence(
        precision_at_show_rate={
            rate: bootstrap.interval(known[f"precision at show rate {rate:.0%}"]) for rate in SHOW_RATES
        },
        calibration_error=Calibration.of(curve, bootstrap, seed),
        some_alternative_right=bootstrap.interval(known["some alternative right"]),
        some_candidate_right=bootstrap.interval(known["some candidate right"]),
        thresholds=curve.levels(),
        bins=curve.bins(),
        risk_coverage=curve.risk_coverage(),
    )


def _change_ms(files: Sequence[FileResult]) -> list[float]:
    """Return the time to handle a keystroke: its addition to the median response of an idle server to a cheap request.

    This is an estimate: what is below the noise of the response is 0, and the p99 contains the noise.
    """
    idle = percentile([ms for result in files for ms in result.idle_ms], 50) or 0.0
    return [max(0.0, ms - idle) for result in files for ms in result.change_ms]
