"""Settings: the allowed values, the sources, and the order of the sources.

A source has options as written. `resolve_settings` turns sources into `Settings`, in which every value is valid. A wrong
value gives one message and is ignored; the rest of its source still counts. No function here raises for wrong input.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal

from editahead_inference.backends.openai.server_url import ServerUrl
from editahead_retrieval.errors import UnreadableFileError
from editahead_retrieval.files.bounded_files import read_bounded_file
from editahead_retrieval.team.address import TeamAddress
from editahead_workspace.errors import SettingError

FILE_NAME = "editahead.toml"
ENVIRONMENT_PREFIX = "EDITAHEAD_"

USER_ONLY = frozenset(
    {"backend", "url", "model", "api_key_env", "telemetry", "record", "log_level"}
    | {"search_encoder", "search_model", "search_api_key_env", "search_log"}
    | {"team_index", "team_index_key_env", "team_index_password_env"}
)
"""Settings that neither a workspace file nor a client over TCP can set: only the user chooses where code is sent, with which
key, and what is kept on the machine."""
_NOT_SETTINGS = frozenset(["crossFile", "placesLeft", "token"])
"""Keys of the client's options that concern the connection only."""

MAX_WHOLE = 10**12
"""The largest whole number: a terabyte."""
MAX_KEY_PARTS = 16
"""Parts of a dotted key in a file. The time to parse a key grows with the square of its parts; our own have two."""
MAX_KEYS = 1_000
"""Keys of a file, with those of its tables."""
MAX_NAME_LENGTH = 60
"""Characters of a name to which a like setting is looked for."""
MAX_SHOWN_DIGITS = 30
"""Digits of a number in a message."""
MAX_MESSAGES = 10
"""Problems of one source that are named; the others are counted."""

_TOKEN = re.compile(
    r"""(?P<part>[\w-]++|"(?:[^"\\\n]|\\.)*+"?|'[^'\n]*+'?)|(?P<dot>\.)|(?P<space>[ \t]++)|.""", re.DOTALL
)
"""Pattern of the tokens of TOML, as far as dotted keys need them. The tokens of a text are found in linear time."""

SettingsLevel = Literal["environment", "client", "network", "workspace", "user", "default"]
"""The kind of a source. network: a client over TCP."""


@dataclass(frozen=True)
class Settings:
    """The valid values of all settings. `debounce_ms` is in milliseconds, `max_file_bytes` in bytes of UTF-8."""

    backend: str = "embedded"
    url: str | None = None
    model: str | None = None
    api_key_env: str | None = None
    format: str = "auto"
    related_code: str = "auto"
    eagerness: float = 0.5
    debounce_ms: float | Literal["auto"] = "auto"
    languages: Mapping[str, bool] = field(default_factory=dict)
    exclude: tuple[str, ...] = ()
    max_file_bytes: int = 1_000_000
    index: str = "auto"
    index_max_files: int = 200_000
    index_max_bytes: int = 2_000_000_000
    search_encoder: str = "auto"
    search_model: str | None = None
    search_api_key_env: str | None = None
    search_log: str = "off"
    team_index: str | None = None
    team_index_key_env: str | None = None
    team_index_password_env: str | None = None
    hints: str = "auto"
    completion_item: str = "auto"
    comments: bool = True
    apply_check: bool = True
    learning: bool = True
    telemetry: str = "local"
    record: str = "off"
    log_level: str = "warning"


@dataclass(frozen=True)
class SettingsSource:
    """The options of one source, as written. `name` names the source in messages, such as the path of a file."""

    level: SettingsLevel
    name: str
    options: Any


@dataclass(frozen=True)
class ResolvedSettings:
    """The settings of all sources together.

    Attributes:
        settings: The valid values.
        origins: The name of the source of each value, by setting.
        messages: One sentence for the user about each wrong value or source.
    """

    settings: Settings
    origins: Mapping[str, str]
    messages: tuple[str, ...] = ()


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


def _encoder(value: Any) -> str:
    return _url(value) if "://" in _text(value) else _text(value)


def _team(value: Any) -> str:
    url = _text(value)
    try:
        TeamAddress.parse(url)
    except ValueError:
        raise SettingError from None
    return url


_VALUE_TYPES: Mapping[str, _ValueType] = {
    "backend": _one_of("embedded", "local", "openai", "engine"),
    "url": _ValueType(
        "an https URL, or an http URL of this machine, without a password, query or fragment", _url
    ),
    "model": _ValueType("a model's name, or the folder of one", _text),
    "api_key_env": _ValueType("the name of an environment variable", _text),
    "format": _ValueType('"auto" or the name of a prompt format', _text),
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
    "hints": _one_of("auto", "off", "diagnostic", "inlay"),
    "completion_item": _one_of("auto", "on", "off"),
    "comments": _ValueType("true or false", _boolean),
    "apply_check": _ValueType("true or false", _boolean),
    "learning": _ValueType("true or false", _boolean),
    "telemetry": _one_of("local", "off"),
    "record": _one_of("off", "on"),
    "log_level": _one_of("debug", "info", "warning", "error"),
}
SETTING_NAMES = tuple(f.name for f in fields(Settings))
_TEXT_SETTINGS = frozenset(
    ["backend", "url", "model", "api_key_env", "format", "related_code", "hints", "completion_item"]
) | {
    "index",
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


def resolve_settings(sources: Sequence[SettingsSource]) -> ResolvedSettings:
    """Return the settings of all sources; the first source that sets a value wins.

    A workspace cannot weaken what the user has set: see `NARROWED`.
    """
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    narrowing: list[tuple[str, SettingsSource, Any]] = []
    messages: list[str] = []
    for source in sources:
        if source.options is None:
            continue
        if not isinstance(source.options, Mapping):
            messages.append(
                f"{source.name}: the settings are ignored; they must be a table of names and values."
            )
            continue
        problems: list[str] = []
        for name, value in source.options.items():
            if name in _NOT_SETTINGS or value is None:
                continue
            problem = _problem(source, name, value, suggest=len(problems) < MAX_MESSAGES)
            if problem is not None:
                problems.append(problem)
            elif (source.level == "workspace" and name in NARROWED) or (name in values and name == "exclude"):
                narrowing.append((name, source, _VALUE_TYPES[name].read(value)))
            elif name not in values:
                values[name] = _VALUE_TYPES[name].read(value)
                origins[name] = source.name
        messages += problems[:MAX_MESSAGES]
        if len(problems) > MAX_MESSAGES:
            messages.append(f"{source.name}: {len(problems) - MAX_MESSAGES} more settings are ignored.")
    defaults = Settings()
    for name, source, value in sorted(narrowing, key=lambda each: each[1].level == "workspace"):
        before = values.get(name, getattr(defaults, name))
        values[name] = NARROWED[name](before, value)
        if values[name] != before:
            origins[name] = f"{origins[name]}, {source.name}" if name in origins else source.name
    return ResolvedSettings(
        Settings(**values), {name: origins.get(name, "default") for name in SETTING_NAMES}, tuple(messages)
    )


def _both(one: bool, other: bool) -> bool:
    return one and other


def _union(globs: tuple[str, ...], more: tuple[str, ...]) -> tuple[str, ...]:
    """Return the globs of both. The last one that matches decides, so that `!` in the weaker ones takes nothing back."""
    return (*more, *globs)


def _switched_off(languages: Mapping[str, bool], more: Mapping[str, bool]) -> Mapping[str, bool]:
    return {**languages, **{name: on and languages.get(name, True) for name, on in more.items()}}


def _lower_mode(one: str, other: str) -> str:
    return min(one, other, key=("off", "auto", "on").index)


NARROWED: Mapping[str, Callable[[Any, Any], Any]] = {
    "exclude": _union,
    "max_file_bytes": min,
    "related_code": _lower_mode,
    "index": _lower_mode,
    "index_max_files": min,
    "index_max_bytes": min,
    "languages": _switched_off,
    "comments": _both,
    "apply_check": _both,
    "learning": _both,
}
"""Settings that a workspace can only narrow: what becomes of the user's value, or the default, and the workspace's."""


def _problem(source: SettingsSource, name: Any, value: Any, *, suggest: bool) -> str | None:
    if name not in _VALUE_TYPES:
        suggestion = f"{_suggest(name) if suggest else ''} `editahead config` lists all settings."
        return f"{source.name}: the setting {_short(name)} is unknown and ignored.{suggestion}"
    if source.level in ("workspace", "network") and name in USER_ONLY:
        whose = "workspace" if source.level == "workspace" else "client over TCP"
        return f"{source.name}: a {whose} may not set `{name}`; the value is ignored. Set `{name}` in your own settings."
    value_type = _VALUE_TYPES[name]
    try:
        value_type.read(value)
    except SettingError:
        return f"{source.name}: `{name}` cannot be {_short(value)}; allowed: {value_type.allowed}. The value is ignored."
    return None


def _suggest(name: Any) -> str:
    """Return the question whether a setting with a like name is meant, behind a space; "" where none is alike."""
    found = _like(name.lower()) if isinstance(name, str) and len(name) <= MAX_NAME_LENGTH else []
    return f" Do you mean `{found[0]}`?" if found else ""


def _like(name: str) -> list[str]:
    return get_close_matches(name, SETTING_NAMES, n=1, cutoff=0.8)


def _short(value: Any) -> str:
    if isinstance(value, int) and abs(value) >= 10**MAX_SHOWN_DIGITS:
        return f"a number of more than {MAX_SHOWN_DIGITS} digits"
    try:
        text = json.dumps(value, ensure_ascii=False, default=str)
    except (ValueError, RecursionError, TypeError):
        text = type(value).__name__
    return text if len(text) <= 80 else text[:77] + "..."


def sources_from_environment(environment: Mapping[str, str]) -> list[SettingsSource]:
    """Return one source for each variable that names a setting, or nearly does, so that messages contain its name."""
    sources = []
    for name in SETTING_NAMES:
        variable = ENVIRONMENT_PREFIX + name.upper()
        text = environment.get(variable)
        if not text:
            continue
        value: Any = text
        if name not in _TEXT_SETTINGS:
            try:
                value = json.loads(text)
            except (ValueError, RecursionError):
                value = text
        sources.append(SettingsSource("environment", f"environment variable {variable}", {name: value}))
    sources += (
        SettingsSource("environment", f"environment variable {variable}", {name: text})
        for variable, text in environment.items()
        if variable.startswith(ENVIRONMENT_PREFIX)
        and len(name := variable.removeprefix(ENVIRONMENT_PREFIX).lower()) <= MAX_NAME_LENGTH
        and name not in SETTING_NAMES
        and _like(name)
    )
    return sources


def source_from_file(path: Path, level: SettingsLevel) -> tuple[SettingsSource | None, str | None]:
    """Return the options of a settings file, or None without a file, and a message if the file cannot be read."""
    try:
        folders = [path.parent] if level == "workspace" else []
        options = _parse(read_bounded_file(path, folders).decode("utf-8"))
    except FileNotFoundError:
        return None, None
    except (UnreadableFileError, ValueError, RecursionError) as error:  # or not UTF-8, or not TOML
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        return None, f"{path}: the file cannot be read and is ignored: {reason}. Correct the file."
    return SettingsSource(level, str(path), options), None


def _parse(text: str) -> dict[str, Any]:
    """Return the options of a file's text, in a time that is bounded by its length.

    Raises:
        ValueError: The text is not TOML, or has too many keys.
        RecursionError: Its tables are nested too deeply.
    """
    _check_key_parts(text)
    options = tomllib.loads(text)
    if _count_keys(options) > MAX_KEYS:
        raise ValueError(f"the file has more than {MAX_KEYS} keys")
    return options


def _check_key_parts(text: str) -> None:
    """Raise ValueError for a dotted key with too many parts."""
    dots, is_part = 0, False
    for token in _TOKEN.finditer(text):
        if token.lastgroup == "dot" and is_part:
            dots, is_part = dots + 1, False
            if dots >= MAX_KEY_PARTS:
                raise ValueError(f"a key has more than {MAX_KEY_PARTS} parts")
        elif token.lastgroup == "part":
            dots, is_part = (0 if is_part else dots), True
        elif token.lastgroup != "space":
            dots, is_part = 0, False


def _count_keys(table: Mapping[str, Any]) -> int:
    return len(table) + sum(_count_keys(value) for value in table.values() if isinstance(value, Mapping))


def load_settings(
    environment: Mapping[str, str],
    client: Any,
    workspace_folders: Sequence[Path],
    user_folder: Path,
    *,
    over_network: bool = False,
) -> ResolvedSettings:
    """Return the settings of all levels, first the environment, then client, workspace and user.

    Args:
        environment: The environment variables.
        client: The client's options, as received.
        over_network: Whether the client came over TCP.
        workspace_folders: Folders whose settings file counts, the first one most.
        user_folder: The user's configuration folder.
    """
    sources = sources_from_environment(environment)
    sources.append(SettingsSource("network" if over_network else "client", "the editor's settings", client))
    messages = []
    files: list[tuple[Path, SettingsLevel]] = [
        (folder / FILE_NAME, "workspace") for folder in workspace_folders
    ]
    files.append((user_folder / FILE_NAME, "user"))
    for path, level in files:
        source, message = source_from_file(path, level)
        if source is not None:
            sources.append(source)
        if message is not None:
            messages.append(message)
    resolved = resolve_settings(sources)
    return ResolvedSettings(resolved.settings, resolved.origins, (*resolved.messages, *messages))
