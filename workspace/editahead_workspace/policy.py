"""An organisation's policy: a file of the machine that no person's and no workspace's settings can weaken.

The file has limits, by the names of settings, and lists of what is allowed. `resolve_settings` applies it last. A file that
cannot be trusted or read switches off all that it could have limited: a policy that is not understood is never ignored.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from editahead_retrieval.errors import UnreadableFileError
from editahead_retrieval.files.exclusion_rules import ABSOLUTE
from editahead_retrieval.team.address import TeamAddress
from editahead_workspace.errors import SettingError
from editahead_workspace.setting_values import NARROWED, VALUE_TYPES, lower_of, shorten
from editahead_workspace.toml_file import read_toml_file

FILE_NAME = "policy.toml"
_SHELL_FOLDERS = r"SOFTWARE\Microsoft\Windows\CurrentVersion\Explorer\Shell Folders"
_PROGRAM_DATA = "Common AppData"
"""The value of that key of the registry which names the folder for data of all programs."""
LISTS = ("backends", "models", "servers")
"""The names of the lists of what is allowed. A list that is missing allows everything, and an empty one nothing."""
CLOSED_LIMITS: Mapping[str, Any] = {
    "exclude": ("*",),
    "max_file_bytes": 0,
    "index": "off",
    "related_code": "off",
    "record": "off",
    "search_log": "off",
    "telemetry": "off",
    "learning": False,
    "log_level": "warning",
}
"""The limits where the policy cannot be read: nothing is read, predicted or kept."""

POLICY_LIMITS: Mapping[str, Callable[[Any, Any], Any]] = {
    **NARROWED,
    "telemetry": lower_of("off", "local"),
    "record": lower_of("off", "on"),
    "search_log": lower_of("off", "on"),
    "log_level": lower_of("error", "warning", "info", "debug"),
}
"""Settings that a policy can limit: what becomes of the value of all other sources, and the policy's."""


@dataclass(frozen=True)
class Policy:
    """A policy.

    Attributes:
        name: The path of the file, for messages.
        limits: The values beyond which settings cannot go, by setting.
        backends: The backends that are allowed, beside "embedded"; None for all.
        models: Globs of the models that are allowed, by name or by whole path; None for all.
        servers: Globs of the hosts to which code may be sent; None for all.
        problem: Why the file does not count, so that everything is off; None where it does.
    """

    name: str
    limits: Mapping[str, Any] = field(default_factory=dict)
    backends: tuple[str, ...] | None = None
    models: tuple[str, ...] | None = None
    servers: tuple[str, ...] | None = None
    problem: str | None = None

    @classmethod
    def closed(cls, name: str, reason: str) -> Policy:
        """Return the policy of a file that does not count.

        Args:
            name: The path of the file.
            reason: What is wrong with the file, in lower case and without a dot.
        """
        problem = (
            f"{name}: the policy of this machine does not count as it is: {reason}. Until it is corrected, Editahead reads "
            "no file and keeps nothing. Ask who administers this machine."
        )
        return cls(name, CLOSED_LIMITS, (), (), (), problem)

    @classmethod
    def from_options(cls, name: str, options: Mapping[str, Any]) -> Policy:
        """Return the policy that a file's options state."""
        lists = {key: options[key] for key in LISTS if key in options}
        for key, value in lists.items():
            if not isinstance(value, list) or not all(isinstance(each, str) and each for each in value):
                return cls.closed(name, f"`{key}` has to be a list of texts")
        limits = {}
        for key in options.keys() - set(LISTS):
            if key not in POLICY_LIMITS:
                known = ", ".join((*LISTS, *POLICY_LIMITS))
                return cls.closed(name, f"there is no limit {shorten(key)}, but only {known}")
            try:
                limits[key] = VALUE_TYPES[key].read(options[key])
            except SettingError:
                allowed = VALUE_TYPES[key].allowed
                return cls.closed(name, f"`{key}` cannot be {shorten(options[key])}; allowed: {allowed}")
        if any(glob.startswith("!") for glob in limits.get("exclude", ())):
            return cls.closed(name, "`exclude` cannot take files back with `!`")
        backends, models, servers = (tuple(lists[key]) if key in lists else None for key in LISTS)
        return cls(name, limits, backends, models, servers)

    def allows_backend(self, backend: str) -> bool:
        """Return whether a backend is allowed. "embedded" always is: no model runs there."""
        return backend == "embedded" or self.backends is None or backend in self.backends

    def allows_model(self, model: str | None) -> bool:
        """Return whether a model is allowed, by name or by folder; None where none is named."""
        if self.models is None:
            return True
        if model is None:
            return False
        if _is_path(model):
            return any(fnmatchcase(_real_path(model), glob) for glob in self.models)
        return any(fnmatchcase(model.casefold(), glob.casefold()) for glob in self.models)

    def allows_server(self, url: str) -> bool:
        """Return whether code may be sent to the host of a URL, or to that of a team's index."""
        if self.servers is None:
            return True
        try:
            host = (
                TeamAddress.parse(url).host if url.startswith("postgres") else urlsplit(url.strip()).hostname
            )
        except ValueError:
            return False
        return host is not None and any(fnmatchcase(host.lower(), glob.lower()) for glob in self.servers)

    def denied_settings(self, values: Mapping[str, Any]) -> list[str]:
        """Return which of these values are not allowed, by setting. A setting that is missing has its default."""
        backend, model = values.get("backend", "embedded"), values.get("model")
        named = _small_model() if backend == "local" and model is None else model
        url, encoder = values.get("url"), values.get("search_encoder", "auto")
        denied = {
            "url": url is not None and not self.allows_server(url),
            "model": model is not None and not self.allows_model(model),
            "search_encoder": encoder not in ("auto", "off") and not self._allows_encoder(encoder, values),
            "team_index": values.get("team_index") is not None
            and not self.allows_server(values["team_index"]),
        }
        denied["backend"] = not self.allows_backend(backend) or (
            backend != "embedded"
            and (not self.allows_model(named) or (backend == "openai" and denied["url"]))
        )
        return [name for name, is_denied in denied.items() if is_denied]

    def _allows_encoder(self, encoder: str, values: Mapping[str, Any]) -> bool:
        if "://" not in encoder:
            return self.allows_model(_real_path(encoder))
        return self.allows_server(encoder) and self.allows_model(values.get("search_model"))

    def refusal(self, what: str) -> str:
        """Return the sentence that refuses something."""
        return (
            self.problem or f"The policy {self.name} does not allow {what}. Ask who administers this machine."
        )

    def describe(self) -> str:
        """Return what the policy says, on one line."""
        stated: dict[str, Any] = {name: getattr(self, name) for name in LISTS}
        stated |= {f"{name} at most": value for name, value in self.limits.items() if name != "exclude"}
        stated["exclude"] = self.limits.get("exclude")
        parts = (f"{name}: {_shown(value)}" for name, value in stated.items() if value is not None)
        return "; ".join(parts) or "no limits"


def policy_file() -> Path:
    """Return the place of the policy on this system. No environment variable moves it.

    Raises:
        OSError: The registry of Windows does not name the folder.
    """
    if sys.platform == "win32":
        import winreg

        with winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, _SHELL_FOLDERS) as key:
            folder, _ = winreg.QueryValueEx(key, _PROGRAM_DATA)
        if not isinstance(folder, str) or not Path(folder).is_absolute():
            raise OSError(errno.EINVAL, "it is not the path of a folder")
        return Path(folder, "editahead", FILE_NAME)
    if sys.platform == "darwin":
        return Path("/Library/Application Support/editahead", FILE_NAME)
    return Path("/etc/editahead", FILE_NAME)


def own_account() -> int | None:
    """Return the account that runs this process; None on Windows, where the rights of the folder have to do."""
    return None if sys.platform == "win32" else os.getuid()


def read_machine_policy() -> Policy | None:
    """Return the policy of this machine, if there is one."""
    try:
        file = policy_file()
    except OSError as error:
        value = rf"HKEY_LOCAL_MACHINE\{_SHELL_FOLDERS}, {_PROGRAM_DATA}"
        return Policy.closed(value, f"this value of the registry cannot be read: {error.strerror or error}")
    return read_policy(file, own_account())


def read_policy(path: Path, account: int | None) -> Policy | None:
    """Return the policy in a file; None where there is no such file.

    Args:
        path: The file.
        account: The account that the policy binds. It must not own the file or a folder above it; None to skip that check.
    """
    try:
        options = read_toml_file(path)
        weakness = None if account is None else _find_weakness(path, account)
    except FileNotFoundError:
        return None
    except UnreadableFileError as error:
        return Policy.closed(str(path), str(error))
    except OSError as error:
        return Policy.closed(str(path), error.strerror or type(error).__name__)
    return Policy.closed(str(path), weakness) if weakness else Policy.from_options(str(path), options)


def anywhere(globs: tuple[str, ...]) -> tuple[str, ...]:
    """Return the globs of a policy as patterns for whole paths: they hold with any folder opened."""
    return tuple(f"/{glob}" if glob.startswith("/") else f"{ABSOLUTE}**/{glob}" for glob in globs)


def _find_weakness(path: Path, account: int) -> str | None:
    """Return how others than administrators could change the file; None if they cannot.

    Raises:
        OSError: The file or a folder above it cannot be looked at.
    """
    for place in _places_above(path):
        found = place.stat()
        is_sticky = stat.S_ISDIR(found.st_mode) and found.st_mode & stat.S_ISVTX
        by_group = found.st_mode & stat.S_IWGRP and found.st_gid != 0
        if (by_group or found.st_mode & stat.S_IWOTH) and not is_sticky:
            return f"{place} can be changed by other accounts than the administrator's"
        if found.st_uid == account != 0:
            return f"{place} belongs to your own account"
    return None


def _places_above(path: Path) -> Iterator[Path]:
    """Yield the file and the folders above it, as named and where links lead."""
    real = path.resolve()
    yield from dict.fromkeys((real, *real.parents, *path.absolute().parents))


def _small_model() -> str:
    from editahead_inference.backends.local.small_model import NAME  # its imports are only needed here

    return NAME


def _is_path(model: str) -> bool:
    return model.startswith(("/", "~", ".")) or Path(model).is_absolute()


def _real_path(model: str) -> str:
    try:
        return Path(os.path.realpath(Path(model).expanduser())).as_posix()
    except (RuntimeError, OSError, ValueError):  # the home folder of an unknown user, or no path at all
        return ""


def _shown(value: Any) -> str:
    return (", ".join(value) or "none") if isinstance(value, tuple) else shorten(value)
