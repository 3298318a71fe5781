"""Figures of the log of outcomes."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, timedelta, tzinfo
from pathlib import Path

from editahead_inference.gate.personalization import PreferenceLearner
from editahead_lsp.protocol.status_messages import LatencyStatus
from editahead_lsp.session.edit_survival import SURVIVED_FRACTION
from editahead_lsp.session.outcome_tracker import train_learner
from editahead_workspace.outcome_log import MAX_LEARNING_ROWS, Outcome, TypedCharacters

from .json_output import (
    CharacterFigures,
    CharactersOutput,
    LearningFigures,
    OutcomeFigures,
    StatsOutput,
    SurvivalOutput,
)

_OF_SOURCE = {
    "completion": "text at the cursor",
    "diagnostic": "reported problems",
    "local": "the model",
    "engine": "the model",
}
_OF_KIND = (
    (re.compile(r"(typed-|sibling-)?rename|case"), "renames"),
    (re.compile(r"argument|call|signature|mirror-argument|passed|await"), "calls and arguments"),
    (re.compile(r"(missing-)?import|unused|moved-file"), "imports"),
    (re.compile(r"insert|mirror|missing|copy|variant|new-field"), "lines beside like ones"),
    (re.compile(r"delete"), "removed lines"),
    (re.compile(r"move"), "moved lines"),
    (re.compile(r"literal|message"), "texts and numbers"),
    (re.compile(r"extract"), "what got a name"),
)
_LIKE = "the same change elsewhere"


def predictor_name(source: str, kind: str) -> str:
    """Return in words what made a prediction: its source, or what its kind of rule follows."""
    if source in _OF_SOURCE:
        return _OF_SOURCE[source]
    return next((name for pattern, name in _OF_KIND if pattern.match(kind)), _LIKE)


def summarize_outcomes(
    file: Path,
    outcomes: Sequence[Outcome],
    zone: tzinfo | None = None,
    counted: Sequence[TypedCharacters] = (),
) -> StatsOutput:
    """Return the figures of all outcomes.

    Args:
        file: The log.
        outcomes: The oldest first.
        zone: The time zone of days; the machine's by default.
        counted: The characters that were typed and made, by day and language.
    """
    return StatsOutput(
        file=str(file),
        total=summarize(outcomes),
        languages=_group(outcomes, lambda one: one.language),
        predictors=_group(outcomes, lambda one: predictor_name(one.source, one.kind)),
        days=_group(outcomes, lambda one: datetime.fromtimestamp(one.at, zone).date().isoformat()),
        weeks=_group(outcomes, lambda one: _monday(datetime.fromtimestamp(one.at, zone).date())),
        characters=_characters(outcomes, counted),
        learning=_learning_figures(outcomes),
    )


def _characters(outcomes: Sequence[Outcome], counted: Sequence[TypedCharacters]) -> CharactersOutput:
    def figures(chosen: Sequence[TypedCharacters], accepted: Sequence[Outcome]) -> CharacterFigures:
        known = [(one.size, one.kept_300) for one in accepted if one.kept_300 is not None]
        size = sum(size for size, _ in known)
        kept = round(sum(size * share for size, share in known) / size, 3) if size else None
        return CharacterFigures(sum(one.typed for one in chosen), sum(one.made for one in chosen), kept)

    languages = sorted({one.language for one in counted})
    weeks = sorted({_monday(date.fromisoformat(one.day)) for one in counted})
    return CharactersOutput(
        figures(counted, outcomes),
        {
            name: figures(
                [one for one in counted if one.language == name],
                [one for one in outcomes if one.language == name],
            )
            for name in languages
        },
        {
            week: figures(
                [one for one in counted if _monday(date.fromisoformat(one.day)) == week],
                [one for one in outcomes if _monday(datetime.fromtimestamp(one.at, UTC).date()) == week],
            )
            for week in weeks
        },
    )


def _monday(day: date) -> str:
    return (day - timedelta(days=day.weekday())).isoformat()


def _group(outcomes: Sequence[Outcome], name: Callable[[Outcome], str]) -> dict[str, OutcomeFigures]:
    groups: dict[str, list[Outcome]] = {}
    for one in outcomes:
        groups.setdefault(name(one), []).append(one)
    return {key: summarize(groups[key]) for key in sorted(groups)}


def summarize(outcomes: Sequence[Outcome]) -> OutcomeFigures:
    """Return the counts of outcomes."""

    def count(*events: str) -> int:
        return sum(one.event in events for one in outcomes)

    latencies = sorted(one.latency_ms for one in outcomes)
    return OutcomeFigures(
        shown=len(outcomes),
        seen=sum(one.seen for one in outcomes),
        accepted=count("accepted", "typed"),
        typed=count("typed"),
        partial=count("partial"),
        rejected=count("rejected"),
        ignored=count("ignored"),
        kept30=_survival([one.kept_30 for one in outcomes]),
        kept300=_survival([one.kept_300 for one in outcomes]),
        latency=LatencyStatus(_quantile(latencies, 0.50), _quantile(latencies, 0.95)),
    )


def _survival(shares: Sequence[float | None]) -> SurvivalOutput:
    known = [share for share in shares if share is not None]
    return SurvivalOutput(len(known), sum(share > SURVIVED_FRACTION for share in known))


def _quantile(ordered: Sequence[float], quantile: float) -> float:
    return round(ordered[min(int(quantile * len(ordered)), len(ordered) - 1)], 1) if ordered else 0.0


def _learning_figures(outcomes: Sequence[Outcome]) -> LearningFigures:
    """Return the preferences that a server learns from the log when it starts."""
    learner = PreferenceLearner()
    lessons = [one for one in outcomes if one.shipped is not None and one.seen]
    train_learner(learner, lessons[-MAX_LEARNING_ROWS:])
    preferences = learner.snapshot(0.0)
    return LearningFigures(learner.outcomes, preferences.trust, dict(preferences.weights))
