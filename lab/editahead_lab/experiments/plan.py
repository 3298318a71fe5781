"""Plans: the settings of an experiment, from a file in TOML and from words `key=value`."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, fields
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from editahead_cli.parser import suggest
from editahead_lab.errors import PlanError

from .experiment import Experiment

_Experiment = TypeVar("_Experiment", bound=Experiment)

_SCALARS: Mapping[type, tuple[str, str]] = {
    bool: ("true|false", "must be true or false"),
    int: ("N", "must be a whole number"),
    float: ("X", "must be a number"),
    str: ("TEXT", "must be a text"),
    Path: ("PATH", "must be a path"),
}
"""How the help calls a value of each type, and what is wrong with another value."""


def read_plan(kind: type[_Experiment], file: Path | None, words: Sequence[str]) -> _Experiment:
    """Return an experiment with the settings of a plan.

    Args:
        kind: The class of the experiment.
        file: The plan in TOML; None where there is none.
        words: Settings as `key=value`, which go before those of the file.

    Raises:
        PlanError: The file cannot be read, a setting is unknown, missing or has a wrong value, or two contradict each other.
    """
    known = {one.name: one for one in fields(kind)}
    types = get_type_hints(kind)
    values: dict[str, Any] = {}
    for source, key, value in (*_of_file(file), *_of_words(words)):
        if key not in known:
            raise PlanError(f"{source}there is no setting {key!r}{suggest(key, known)}")
        try:
            values[key] = _convert(types[key], value)
            minimum = known[key].metadata.get("minimum")
            if minimum is not None and values[key] < minimum:
                raise ValueError(f"must be {minimum} or more")
        except ValueError as error:
            raise PlanError(f"{source}{key} {error}, not {value!r}") from None
    missing = [one.name for one in known.values() if _is_required(one) and one.name not in values]
    if missing:
        raise PlanError(f"missing: {', '.join(f'{name}=...' for name in missing)}")
    experiment = kind(**values)
    if (problem := experiment.problem()) is not None:
        raise PlanError(problem)
    return experiment


def _of_file(file: Path | None) -> Iterator[tuple[str, str, Any]]:
    """Yield each setting of a file: where it is, for messages, its key and its value."""
    if file is None:
        return
    try:
        table = tomllib.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise PlanError(f"{file}: {error}") from None
    for key, value in table.items():
        yield f"{file}: ", key, value


def _of_words(words: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    for word in words:
        key, separator, value = word.partition("=")
        if not separator:
            raise PlanError(f"{word!r} is no setting: write key=value")
        yield "", key.replace("-", "_"), value


def _convert(kind: Any, value: Any) -> Any:
    """Return a value as one of a type; a text may stand for a value of any type.

    Raises:
        ValueError: The value is not of the type. The message says what it must be.
    """
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return _convert(next(one for one in arguments if one is not NoneType), value)
    if origin is tuple:
        items = value.split(",") if isinstance(value, str) else value
        if not isinstance(items, list):
            raise ValueError("must be a list")
        return tuple(_convert(arguments[0], item) for item in items)
    if origin is Literal:
        if value not in arguments:
            raise ValueError(f"must be {' or '.join(repr(one) for one in arguments)}")
        return value
    try:
        return _scalar(kind, value)
    except (KeyError, TypeError, ValueError):
        raise ValueError(_SCALARS[kind][1]) from None


def _scalar(kind: Any, value: Any) -> Any:
    if isinstance(value, str):
        if kind is bool:
            return {"true": True, "false": False}[value]
        return Path(value).expanduser() if kind is Path else kind(value)
    if kind is float and type(value) is int:
        return float(value)
    if type(value) is not kind:
        raise TypeError
    return value


def _is_required(one: Field[Any]) -> bool:
    return one.default is MISSING and one.default_factory is MISSING


@dataclass(frozen=True)
class SettingHelp:
    """A setting, as the help and the reference show it.

    Attributes:
        key: Its name.
        value: What a value is called.
        default: The default, in words; "required" where there is none.
        about: What it does.
    """

    key: str
    value: str
    default: str
    about: str


def settings_of(kind: type[Experiment]) -> list[SettingHelp]:
    """Return the settings of an experiment, the required ones first."""
    types = get_type_hints(kind)
    found = sorted(fields(kind), key=lambda one: not _is_required(one))
    return [
        SettingHelp(one.name, _value_name(types[one.name]), _default(one), one.metadata["about"])
        for one in found
    ]


def _value_name(kind: Any) -> str:
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return _value_name(next(one for one in arguments if one is not NoneType))
    if origin is tuple:
        return f"{_value_name(arguments[0])},..."
    return "|".join(arguments) if origin is Literal else _SCALARS[kind][0]


def _default(one: Field[Any]) -> str:
    if _is_required(one):
        return "required"
    if "default" in one.metadata:
        return str(one.metadata["default"])
    if one.default in (None, "", ()):
        return ""
    return str(one.default).lower() if isinstance(one.default, bool) else str(one.default)
