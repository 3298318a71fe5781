"""The values of settings: which ones are allowed, how a message shows one, and how one narrows another."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from editahead_inference.backends.openai.server_url import ServerUrl
from editahead_retrieval.team.address import TeamAddress
from editahead_workspace.errors import SettingError

MAX_WHOLE = 10**12
"""The largest whole number: a terabyte."""
MAX_SHOWN_DIGITS = 30
"""Digits of a number in a message."""
MODEL_SETTINGS = frozenset(["backend", "url", "model", "api_key_env", "format"])
"""Settings that name a model."""
COMPARABLE = MODEL_SETTINGS | {"related_code", "eagerness", "debounce_ms", "learning"}
"""Settings that the second arm of a comparison may have otherwise: those of the model, and those of what is shown."""


@dataclass(frozen=True)
class _ValueType:
    """A type of values: the allowed values in words, and a function that checks and converts a value.

    `read` raises SettingError for a value that is not allowed.
    """

    allowed: str
    read: Callable[[Any], Any]


def _one_of(*values: str) -> _ValueType:
    def read(value: Any) -> Any:
        if value not in values:
            raise SettingError
        return value

    return _ValueType(" or ".join(f'"{value}"' for value in values), read)


def _number(low: float, high: float) -> Callable[[Any], float]:
    def read(value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise SettingError
        if not low <= value <= high:  # also "not a number"
            raise SettingError
        return value

    return read


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MAX_WHOLE:
        raise SettingError
    return value


def _debounce(value: Any) -> Any:
    return value if value == "auto" else _number(0, 60_000)(value)


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise SettingError
    return value


def _boolean(value: Any) -> bool:
    if not isinstance(value, bool):
        raise SettingError
    return value


def _languages(value: Any) -> Mapping[str, bool]:
    if not isinstance(value, Mapping) or not all(
        isinstance(k, str) and isinstance(v, bool) for k, v in value.items()
    ):
        raise SettingError
    return dict(value)


def _globs(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not all(isinstance(glob, str) for glob in value):
        raise SettingError
    return tuple(value)


def _url(value: Any) -> str:
    url = _text(value)
    try:
        ServerUrl.parse(url)
    except ValueError:
        raise SettingError from None
    return url


def _second_arm(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping) or not value.keys() <= COMPARABLE:
        raise SettingError
    return {name: VALUE_TYPES[name].read(one) for name, one in value.items()}


def _apply_model(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping) or not value.keys() <= MODEL_SETTINGS:
        raise SettingError
    return {name: VALUE_TYPES[name].read(one) for name, one in value.items()}


def with_apply_model(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings with those of `apply_model` in place of those of the model for predictions.

    A table with a backend or a URL of its own inherits nothing: the key of one server is not for another.
    """
    own: Mapping[str, Any] = values.get("apply_model", {})
    kept = dict(values)
    if own.keys() & {"backend", "url"}:
        kept = {name: value for name, value in values.items() if name not in MODEL_SETTINGS}
        kept["backend"] = "openai"
    return {**kept, **own, "apply_model": {}}


def _encoder(value: Any) -> str:
    return _url(value) if "://" in _text(value) else _text(value)


def _team(value: Any) -> str:
    url = _text(value)
    try:
        TeamAddress.parse(url)
    except ValueError:
        raise SettingError from None
    return url


VALUE_TYPES: Mapping[str, _ValueType] = {
    "backend": _one_of("embedded", "local", "openai", "engine"),
    "url": _ValueType(
        "an https URL, or an http URL of this machine, without a password, query or fragment", _url
    ),
    "model": _ValueType("a model's name, or the folder of one", _text),
    "api_key_env": _ValueType("the name of an environment variable", _text),
    "format": _ValueType('"auto" or the name of a prompt format', _text),
    "apply_model": _ValueType(f"a table of {', '.join(sorted(MODEL_SETTINGS))}", _apply_model),
    "related_code": _one_of("auto", "on", "off"),
    "eagerness": _ValueType("a number from 0 to 1", _number(0, 1)),
    "debounce_ms": _ValueType('"auto" or a number of milliseconds from 0 to 60000', _debounce),
    "languages": _ValueType("a table of language ids with true or false", _languages),
    "exclude": _ValueType("a list of globs", _globs),
    "max_file_bytes": _ValueType(f"a whole number of bytes from 0 to {MAX_WHOLE}", _whole),
    "index": _one_of("auto", "on", "off"),
    "index_max_files": _ValueType(f"a whole number of files from 0 to {MAX_WHOLE}", _whole),
    "index_max_bytes": _ValueType(f"a whole number of bytes from 0 to {MAX_WHOLE}", _whole),
    "search_encoder": _ValueType(
        '"auto" or "off", the path of an encoder, or a URL as that of `url`', _encoder
    ),
    "search_model": _ValueType("a model's name", _text),
    "search_api_key_env": _ValueType("the name of an environment variable", _text),
    "search_log": _one_of("off", "on"),
    "team_index": _ValueType(
        "a URL postgresql://USER@HOST/DATABASE without a password, of this machine or with checked TLS", _team
    ),
    "team_index_key_env": _ValueType("the name of an environment variable", _text),
    "team_index_password_env": _ValueType("the name of an environment variable", _text),
    "trigger": _one_of("automatic", "manual"),
    "hints": _one_of("auto", "off", "diagnostic", "inlay"),
    "completion_item": _one_of("auto", "on", "off"),
    "comments": _ValueType("true or false", _boolean),
    "apply_check": _ValueType("true or false", _boolean),
    "learning": _ValueType("true or false", _boolean),
    "compare": _ValueType(f"a table of {', '.join(sorted(COMPARABLE))}", _second_arm),
    "telemetry": _one_of("local", "off"),
    "record": _one_of("off", "on"),
    "log_level": _one_of("debug", "info", "warning", "error"),
}
TEXT_SETTINGS = frozenset(
    ["backend", "url", "model", "api_key_env", "format", "related_code", "hints", "completion_item"]
) | {
    "index",
    "trigger",
    "telemetry",
    "record",
    "log_level",
    "search_encoder",
    "search_model",
    "search_api_key_env",
    "search_log",
    "team_index",
    "team_index_key_env",
    "team_index_password_env",
}
"""Settings whose environment variables are text; the variables of other settings are parsed as JSON if possible."""


def _both(one: bool, other: bool) -> bool:
    return one and other


def _union(globs: tuple[str, ...], more: tuple[str, ...]) -> tuple[str, ...]:
    """Return the globs of both. The last one that matches decides, so that `!` in the weaker ones takes nothing back."""
    return (*more, *globs)


def _switched_off(languages: Mapping[str, bool], more: Mapping[str, bool]) -> Mapping[str, bool]:
    return {**languages, **{name: on and languages.get(name, True) for name, on in more.items()}}


def lower_of(*modes: str) -> Callable[[str, str], str]:
    """Return the function that returns the lower one of two modes, which are given from the lowest up."""
    return lambda one, other: min(one, other, key=modes.index)


_lower_mode = lower_of("off", "auto", "on")


NARROWED: Mapping[str, Callable[[Any, Any], Any]] = {
    "exclude": _union,
    "max_file_bytes": min,
    "related_code": _lower_mode,
    "index": _lower_mode,
    "index_max_files": min,
    "index_max_bytes": min,
    "languages": _switched_off,
    "trigger": lower_of("manual", "automatic"),
    "comments": _both,
    "apply_check": _both,
    "learning": _both,
}
"""Settings that a workspace can only narrow: what becomes of the user's value, or the default, and the workspace's."""


def shorten(value: Any) -> str:
    if isinstance(value, int) and abs(value) >= 10**MAX_SHOWN_DIGITS:
        return f"a number of more than {MAX_SHOWN_DIGITS} digits"
    try:
        text = json.dumps(value, ensure_ascii=False, default=str)
    except (ValueError, RecursionError, TypeError):
        text = type(value).__name__
    return text if len(text) <= 80 else text[:77] + "..."
