"""Settings: the allowed values, the sources, and the order of the sources.

A source has options as written. `resolve_settings` turns sources into `Settings`, in which every value is valid. A wrong
value gives one message and is ignored; the rest of its source still counts. No function here raises for wrong input.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal

from editahead_retrieval.errors import UnreadableFileError
from editahead_workspace.errors import SettingError
from editahead_workspace.policy import POLICY_LIMITS, Policy, anywhere, read_machine_policy
from editahead_workspace.setting_values import NARROWED, TEXT_SETTINGS, VALUE_TYPES, shorten, with_apply_model
from editahead_workspace.toml_file import read_toml_file

FILE_NAME = "editahead.toml"
ENVIRONMENT_PREFIX = "EDITAHEAD_"

USER_ONLY = frozenset(
    {"backend", "url", "model", "api_key_env", "apply_model", "compare", "telemetry", "record", "log_level"}
    | {"search_encoder", "search_model", "search_api_key_env", "search_log"}
    | {"team_index", "team_index_key_env", "team_index_password_env"}
)
"""Settings that neither a workspace file nor a client over TCP can set: only the user chooses where code is sent, with which
key, and what is kept on the machine."""
_NAMING_A_MODEL = frozenset(["backend", "url", "model"])
"""Settings that say which model is asked, and where."""
_NOT_SETTINGS = frozenset(["crossFile", "placesLeft", "token"])
"""Keys of the client's options that concern the connection only."""

MAX_NAME_LENGTH = 60
"""Characters of a name to which a like setting is looked for."""
MAX_MESSAGES = 10
"""Problems of one source that are named; the others are counted."""

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
    apply_model: Mapping[str, Any] = field(default_factory=dict)
    related_code: str = "auto"
    trigger: str = "automatic"
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
    compare: Mapping[str, Any] = field(default_factory=dict)
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
        policy: The policy within which the settings are.
        second_arm: The settings of every other day, where `compare` names any.
    """

    settings: Settings
    origins: Mapping[str, str]
    messages: tuple[str, ...] = ()
    policy: Policy | None = None
    second_arm: Settings | None = None


SETTING_NAMES = tuple(f.name for f in fields(Settings))


def resolve_settings(sources: Sequence[SettingsSource], policy: Policy | None = None) -> ResolvedSettings:
    """Return the settings of all sources; the first source that sets a value wins.

    A workspace cannot weaken what the user has set: see `NARROWED`. Nothing can weaken the policy: see `POLICY_LIMITS`.
    """
    values, origins, messages = _merge_sources(sources)
    second = _second_arm(values, policy) if values.get("compare") else None
    if policy is not None:
        messages += _apply_policy(policy, values, origins)
    origins = {name: origins.get(name, "default") for name in SETTING_NAMES}
    return ResolvedSettings(Settings(**values), origins, tuple(messages), policy, second)


def _second_arm(values: Mapping[str, Any], policy: Policy | None) -> Settings:
    """Return the settings with those of `compare` over them. They weaken neither a workspace's settings nor the policy."""
    defaults = Settings()
    second = dict(values)
    for name, value in values["compare"].items():
        before = values.get(name, getattr(defaults, name))
        second[name] = NARROWED[name](before, value) if name in NARROWED else value
    if policy is not None:
        _apply_policy(policy, second, {})
    return Settings(**second)


def _merge_sources(sources: Sequence[SettingsSource]) -> tuple[dict[str, Any], dict[str, str], list[str]]:
    """Return the values that the sources set, the names of their sources, and what to tell the user."""
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
                narrowing.append((name, source, VALUE_TYPES[name].read(value)))
            elif name not in values:
                values[name] = VALUE_TYPES[name].read(value)
                origins[name] = source.name
        messages += problems[:MAX_MESSAGES]
        if len(problems) > MAX_MESSAGES:
            messages.append(f"{source.name}: {len(problems) - MAX_MESSAGES} more settings are ignored.")
    defaults = Settings()
    narrowing = _without_taking_back(narrowing)
    for name, source, value in sorted(narrowing, key=lambda each: each[1].level == "workspace"):
        before = values.get(name, getattr(defaults, name))
        values[name] = NARROWED[name](before, value)
        if values[name] != before:
            origins[name] = f"{origins[name]}, {source.name}" if name in origins else source.name
    return values, origins, messages


def _without_taking_back(
    narrowing: list[tuple[str, SettingsSource, Any]],
) -> list[tuple[str, SettingsSource, Any]]:
    """Return the values so that no workspace folder takes files back that another one excludes."""
    is_own = [name == "exclude" and source.level == "workspace" for name, source, _ in narrowing]
    if sum(is_own) < 2:
        return narrowing
    return [
        (name, source, tuple(glob for glob in value if not glob.startswith("!")) if own else value)
        for (name, source, value), own in zip(narrowing, is_own, strict=True)
    ]


def _apply_policy(policy: Policy, values: dict[str, Any], origins: dict[str, str]) -> list[str]:
    """Bring the values within the policy, and return what to tell the user about it."""
    messages = [] if policy.problem is None else [policy.problem]
    defaults = Settings()
    within = {name: getattr(defaults, name) for name in policy.denied_settings(values)}
    for name, limit in policy.limits.items():
        before = values.get(name, getattr(defaults, name))
        within[name] = POLICY_LIMITS[name](before, anywhere(limit) if name == "exclude" else limit)
    if values.get("apply_model"):
        asked = with_apply_model({**values, **within})
        if not _NAMING_A_MODEL.isdisjoint(policy.denied_settings(asked)):
            within["apply_model"] = {}
    for name, value in within.items():
        if value == values.get(name, getattr(defaults, name)):
            continue
        if name in origins and name != "exclude" and policy.problem is None:
            messages.append(
                f"{origins[name]}: the policy {policy.name} does not allow `{name}` = {shorten(values[name])}; "
                f"{shorten(value)} is used."
            )
        is_added = name == "exclude" and name in origins
        origins[name] = f"{origins[name]}, {policy.name}" if is_added else policy.name
        values[name] = value
    return messages


def _problem(source: SettingsSource, name: Any, value: Any, *, suggest: bool) -> str | None:
    if name not in VALUE_TYPES:
        suggestion = f"{_suggest(name) if suggest else ''} `editahead config` lists all settings."
        return f"{source.name}: the setting {shorten(name)} is unknown and ignored.{suggestion}"
    if source.level in ("workspace", "network") and name in USER_ONLY:
        whose = "workspace" if source.level == "workspace" else "client over TCP"
        return f"{source.name}: a {whose} may not set `{name}`; the value is ignored. Set `{name}` in your own settings."
    value_type = VALUE_TYPES[name]
    try:
        value_type.read(value)
    except SettingError:
        return f"{source.name}: `{name}` cannot be {shorten(value)}; allowed: {value_type.allowed}. The value is ignored."
    return None


def _suggest(name: Any) -> str:
    """Return the question whether a setting with a like name is meant, behind a space; "" where none is alike."""
    found = _like(name.lower()) if isinstance(name, str) and len(name) <= MAX_NAME_LENGTH else []
    return f" Do you mean `{found[0]}`?" if found else ""


def _like(name: str) -> list[str]:
    return get_close_matches(name, SETTING_NAMES, n=1, cutoff=0.8)


def sources_from_environment(environment: Mapping[str, str]) -> list[SettingsSource]:
    """Return one source for each variable that names a setting, or nearly does, so that messages contain its name."""
    sources = []
    for name in SETTING_NAMES:
        variable = ENVIRONMENT_PREFIX + name.upper()
        text = environment.get(variable)
        if not text:
            continue
        value: Any = text
        if name not in TEXT_SETTINGS:
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
        options = read_toml_file(path, folders)
    except FileNotFoundError:
        return None, None
    except UnreadableFileError as error:
        return None, f"{path}: the file cannot be read and is ignored: {error}. Correct the file."
    return SettingsSource(level, str(path), options), None


def load_settings(
    environment: Mapping[str, str],
    client: Any,
    workspace_folders: Sequence[Path],
    user_folder: Path,
    *,
    over_network: bool = False,
) -> ResolvedSettings:
    """Return the settings of all levels, first the environment, then client, workspace and user, within the policy.

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
    resolved = resolve_settings(sources, read_machine_policy())
    return replace(resolved, messages=(*resolved.messages, *messages))
