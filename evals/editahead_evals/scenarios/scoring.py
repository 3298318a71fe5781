"""Scenarios as a score: how close what is shown comes to what is expected, and how well silence is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console

from editahead_evals.client.editor import Editor
from editahead_evals.errors import ScenarioFailure
from editahead_evals.metrics.judge import changes
from editahead_evals.metrics.similarity import delta_chrf
from editahead_evals.report.output import JsonObject
from editahead_prompts.text.snapshot import split_lines

from .player import SETTINGS, ScenarioPlayer, play_scenario
from .scenario_file import Scenario, Silent

TABS = 6
"""Predictions accepted in a scenario, at most."""

Session = Callable[[Mapping[str, Any]], Editor]
"""A new session with these settings."""


@dataclass(frozen=True, slots=True)
class ScenarioResult:
    """The result of one scenario.

    Attributes:
        failure: how the answer differs from the expectation; None when it does not.
        shown: whether anything was shown, where something is expected.
        likeness: deltaChrF of the text after up to `TABS` accepts and the expected one, from 0 to 1; None
            where no text is expected.
        positions: cursor positions in a text in which silence is expected.
        quiet: those of `positions` at which nothing was shown.
    """

    name: str
    failure: str | None
    shown: bool = False
    likeness: float | None = None
    positions: int = 0
    quiet: int = 0

    @property
    def met(self) -> bool:
        return self.failure is None

    @property
    def is_silent(self) -> bool:
        return self.positions > 0


@dataclass(frozen=True)
class ScenarioReport(JsonObject):
    """The output for scenarios.

    Attributes:
        score: Likeness times the harmonic mean of show rate and quiet rate, all from 0 to 1.
        delta_chrf: The mean likeness; an expected edit that was not shown counts as 0.
        met: The scenarios whose expectation was met.
    """

    measure: str
    commit: str
    data: str
    score: float
    delta_chrf: float
    show_rate: float
    quiet_rate: float
    met: int
    scenarios: Sequence[ScenarioResult]


def summarize(commit: str, data: str, results: Sequence[ScenarioResult]) -> ScenarioReport:
    """Return the report of all scenarios of a folder."""
    likeness = _mean(result.likeness for result in results if result.likeness is not None)
    show_rate = _mean(result.shown for result in results if not result.is_silent)
    positions = sum(result.positions for result in results)
    quiet_rate = sum(result.quiet for result in results) / positions if positions else 0.0
    both = show_rate + quiet_rate
    score = likeness * 2 * show_rate * quiet_rate / both if both else 0.0
    met = sum(result.met for result in results)
    figures = (score, likeness, show_rate, quiet_rate, met)
    return ScenarioReport("next edit on scenarios", commit, data, *figures, results)


def score(session: Session, scenario: Scenario) -> ScenarioResult:
    """Play a scenario in a session of its own, and again for its score.

    Raises:
        ScenarioError: the steps do not fit the text.
    """
    failure = None
    try:
        with session(SETTINGS) as editor:
            play_scenario(editor, scenario)
    except ScenarioFailure as unmet:
        failure = str(unmet)
    with session(SETTINGS) as editor, ScenarioPlayer(editor, scenario) as player:
        try:
            player.make_steps()
        except ScenarioFailure:  # a step needs a prediction, and there is none
            likeness = None if player.wanted() is None else 0.0
            return ScenarioResult(scenario.name, failure, likeness=likeness)
        if isinstance(scenario.expected, Silent):
            places = [None, *_positions(player.document.text)]
            quiet = [player.is_quiet_at(place) for place in places]
            return ScenarioResult(scenario.name, failure, positions=len(quiet), quiet=sum(quiet))
        before, wanted = player.document, player.wanted()
        shown = player.press_tab()
        if shown and scenario.after is not None:
            for _ in range(TABS - 1):
                if not player.press_tab():
                    break
        if wanted is None:
            return ScenarioResult(scenario.name, failure, shown)
        after = editor.documents[before.uri]  # an accept may have led to another
        return ScenarioResult(scenario.name, failure, shown, text_likeness(before.text, wanted, after.text))


def print_tables(report: ScenarioReport, console: Console) -> None:
    for result in report.scenarios:
        if not result.met or (result.is_silent and result.quiet < result.positions):
            what = "not met" if not result.met else f"quiet at {result.quiet} of {result.positions} places"
            console.print(f"{result.name}: {what}", markup=False, highlight=False)
    figures = (
        ("score", report.score),
        ("deltaChrF", report.delta_chrf),
        ("show rate", report.show_rate),
        ("quiet rate", report.quiet_rate),
    )
    for name, value in figures:
        console.print(f"{name + ':':12}{value:.3f}", highlight=False)
    console.print(f"{'met:':12}{report.met} of {len(report.scenarios)}", highlight=False)
    console.print(f"commit {report.commit}; {report.data}", markup=False, highlight=False)


def _positions(text: str) -> list[int]:
    """Return further positions of expected silence: the start, the middle line's start, and the end."""
    lines = split_lines(text)
    return [0, sum(map(len, lines[: len(lines) // 2])), len(text)]


def text_likeness(before: str, wanted: str, got: str) -> float:
    """Return deltaChrF of the resulting and the wanted change of a text, from 0 to 1."""
    old, expected, shown = (split_lines(text) for text in (before, wanted, got))
    if shown == old:
        return float(expected == old)
    return delta_chrf(changes(old, expected), changes(old, shown))


def _mean(values: Iterable[float]) -> float:
    given = list(values)
    return sum(given) / len(given) if given else 0.0
