"""What commands print with `--json`, where it is not a message of the protocol. Names are camelCase there, too."""

from __future__ import annotations

from typing import Any

import attrs


@attrs.frozen
class VersionOutput:
    version: str


@attrs.frozen
class Setting:
    """origin: the name of the source, such as a file's path, or "default"."""

    value: Any
    origin: str


@attrs.frozen
class ConfigOutput:
    settings: dict[str, Setting]
    messages: list[str]


@attrs.frozen
class Check:
    """good: None for what is only worth knowing."""

    name: str
    good: bool | None
    detail: str


@attrs.frozen
class DoctorOutput:
    ok: bool
    checks: list[Check]


@attrs.frozen
class DemoOutput:
    """events: each with its kind as "event", and what belongs to that kind."""

    events: list[dict[str, Any]]
    summary: dict[str, Any]


@attrs.frozen
class EvalOutput:
    """predictors, languages, kinds: by name, counts and figures with their intervals. latency_ms: milliseconds.
    silences: how often nothing was predicted, by reason."""

    measure: str
    note: str
    commit: str
    machine: str
    data: str
    seed: int
    predictors: dict[str, Any]
    languages: dict[str, Any]
    kinds: dict[str, Any]
    latency_ms: dict[str, Any]
    next_hit: dict[str, Any]
    silences: dict[str, int]
    files: list[dict[str, Any]]
