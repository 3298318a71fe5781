"""What `editahead eval --json` prints, as types: mypy checks the output against them, and docs/schema is made from them."""

from __future__ import annotations

from typing import Any, TypedDict


class Measured(TypedDict):
    """What was measured, of what and where."""

    measure: str
    note: str
    commit: str
    machine: str
    data: str
    seed: int


class EvalOutput(Measured):
    """The output for real commits.

    predictors, typing, languages, kinds, distances: by name, counts and figures with their intervals. confidence: what
    the answers at eagerness 1 say about thresholds and calibration, and about what could be reached. imports: shown edits
    that import names, and how many are right by three definitions. latencyMs: milliseconds. silences: how often nothing
    was predicted, by reason. against: the figures of another revision, and the differences.
    """

    predictors: dict[str, Any]
    typing: dict[str, Any]
    languages: dict[str, Any]
    kinds: dict[str, Any]
    distances: dict[str, Any]
    confidence: dict[str, Any]
    imports: dict[str, int]
    latencyMs: dict[str, Any]
    nextHit: dict[str, Any]
    silences: dict[str, int]
    files: list[dict[str, Any]]
    against: dict[str, Any] | None


class EvalKeysOutput(Measured):
    """The output for sessions that are replayed key by key.

    faces: by face, counts and figures with their intervals. groups: by face, the same of each recording, or of each language
    of typed commits. calibrationError: by face. latencyMs: milliseconds, by face. sessions: counts, answers with their
    confidence, latencies. against: the figures of another revision, and the differences.
    """

    faces: dict[str, Any]
    groups: dict[str, dict[str, Any]]
    calibrationError: dict[str, Any]
    latencyMs: dict[str, Any]
    sessions: list[dict[str, Any]]
    against: dict[str, Any] | None


class ScenarioResult(TypedDict):
    """The result of one scenario.

    failure: how it was not met. likeness: deltaChrF from 0 to 1, where a text is expected. positions, quiet: cursor
    positions in which silence is expected, and those in which it was kept.
    """

    name: str
    failure: str | None
    shown: bool
    likeness: float | None
    positions: int
    quiet: int


class EvalScenariosOutput(TypedDict):
    """The output of `--scenarios`. score: deltaChrf times the harmonic mean of the rates, all from 0 to 1."""

    measure: str
    commit: str
    data: str
    score: float
    deltaChrf: float
    showRate: float
    quietRate: float
    met: int
    scenarios: list[ScenarioResult]
