"""What git's configuration says about ignored files, in all places that git reads it from.

git takes the last of several values, and some files only under a condition. Here all count: they can only exclude more.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from editahead_programs.git_command import find_configuration
from editahead_retrieval.errors import UnreadableFileError

from .bounded_files import read_bounded_file

MAX_FILES = 100
"""Configuration files of one repository, those that others include among them."""
MAX_FILE_BYTES = 4_000_000
"""Bytes of a configuration file. A repository with 20,000 branches has as many."""
VARIABLES = frozenset(
    {
        "HOME",
        "USERPROFILE",
        "XDG_CONFIG_HOME",
        "GIT_CONFIG_GLOBAL",
        "GIT_CONFIG_SYSTEM",
        "GIT_CONFIG_NOSYSTEM",
    }
)
"""Environment variables that say where the user's configuration is."""

_Variable: TypeAlias = tuple[str, str | None]
"""A variable by its section and name, in lower case, and its value; None where no value is assigned."""

_TOKEN = re.compile(
    r"""[ \t\r\n]++ | [#;][^\n]*+
    | \[ \s*+ (?P<section>[A-Za-z0-9.-]*+) (?P<subsection>\s*+"(?:[^"\\\n]|\\.)*+")? \s*+ \]
    | (?P<name>[A-Za-z][A-Za-z0-9-]*+) [ \t\r]*+ (?: = (?P<value>(?:"(?:[^"\\\n]|\\.)*+"|\\.|[^"\\\n\#;])*+) )?
    | [^\n]++""",
    re.VERBOSE | re.DOTALL,
)
"""What a configuration consists of. Nothing is given back, so the time is linear."""
_PART = re.compile(r'\\\n|\\(.)|(")|(.)', re.DOTALL)
_SPACES = " \t\r\n"
_ESCAPES = {"n": "\n", "t": "\t", "b": "\b"}
_FALSE = frozenset({"", "0", "false", "no", "off"})
_FILE_KEYS = ("core.excludesfile", "core.ignorecase", "core.worktree")


@dataclass
class GitConfiguration:
    """The values that matter.

    Attributes:
        excludes_files: What `core.excludesFile` names, unless empty. A relative path begins at the working tree's root.
        ignores_case: Whether a `core.ignoreCase` is true.
        work_trees: What `core.worktree` names. A relative path begins at the folder of git.
        problem: Why some of the configuration is unknown; "" if none is.
    """

    excludes_files: list[Path] = field(default_factory=list)
    ignores_case: bool = False
    work_trees: list[Path] = field(default_factory=list)
    problem: str = ""


def read_configuration(files: Iterable[Path], root: Path, environment: Mapping[str, str]) -> GitConfiguration:
    """Return what the user's configuration and that of a repository say.

    Args:
        files: The configuration files of the repository.
        root: The folder in which nothing is run.
        environment: The environment variables.
    """
    places = find_configuration(root, environment)
    home = _home(environment)
    reader = _Reader(places.prefix, home)
    for variable in _variables_of_environment(environment):
        reader.add(variable, None)
    reader.read([*_personal_files(environment), *places.files, *files])
    return reader.found


def config_home(environment: Mapping[str, str]) -> Path:
    """Return the folder of the user's configuration, in which git has a folder."""
    return Path(environment.get("XDG_CONFIG_HOME") or _home(environment) / ".config")


def keep_variables(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment variables that say what git ignores. Others of git's may hold keys."""
    kept = {name: value for name, value in environment.items() if name in VARIABLES}
    ours = [
        (key, "true" if value is None else value)
        for key, value in _variables_of_environment(environment)
        if key in _FILE_KEYS or _is_include(key)
    ]
    for number, (key, value) in enumerate(ours):
        kept |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    return {**kept, "GIT_CONFIG_COUNT": str(len(ours))} if ours else kept


class _Reader:
    """A reader of configuration files, and of those that they include.

    Args:
        prefix: What `%(prefix)` is for git; "" if that is unknown.
        home: The user's home folder.
    """

    def __init__(self, prefix: str, home: Path) -> None:
        self._prefix, self._home = prefix, home
        self._waiting: list[Path] = []
        self.found = GitConfiguration()

    def read(self, files: Iterable[Path]) -> None:
        self._waiting += files
        seen = set[Path]()
        while self._waiting:
            file = self._waiting.pop()
            if file in seen:
                continue
            seen.add(file)
            if len(seen) > MAX_FILES:
                self.found.problem = f"the configuration of git has more than {MAX_FILES} files"
                return
            for variable in parse_configuration(self._read(file)):
                self.add(variable, file)

    def add(self, variable: _Variable, file: Path | None) -> None:
        """Take a variable of a file, or of the environment."""
        key, value = variable
        if key == "core.ignorecase":
            self.found.ignores_case |= value is None or value.lower() not in _FALSE
        elif not value:
            return
        elif key == "core.excludesfile":
            self.found.excludes_files.append(self._expand(value))
        elif key == "core.worktree":
            self.found.work_trees.append(Path(value))
        elif _is_include(key):
            path = self._expand(value)
            # git begins at the file, by newer versions where a link leads to.
            places = () if file is None else (file.parent, Path(os.path.realpath(file)).parent)
            self._waiting += [place / path for place in places] if places else [path]

    def _expand(self, value: str) -> Path:
        value = value.removeprefix(":(optional)")
        if value.startswith("%(prefix)/") and self._prefix:
            return Path(self._prefix, value.removeprefix("%(prefix)/"))
        if value == "~" or value.startswith("~/"):
            return self._home / value[2:]
        with suppress(RuntimeError):  # of an unknown user, at which git ends
            return Path(value).expanduser()
        return Path(value)

    def _read(self, file: Path) -> str:
        try:
            return read_bounded_file(file, max_bytes=MAX_FILE_BYTES).decode("utf-8", "surrogateescape")
        except FileNotFoundError:
            return ""
        except UnreadableFileError as error:
            # git itself waits for a pipe, and does not read a folder or what it may not.
            if file.is_file() and os.access(file, os.R_OK):
                self.found.problem = f"{file} cannot be read ({error})"
            return ""


def parse_configuration(text: str) -> Iterator[_Variable]:
    """Yield the variables of a configuration file. What git rejects is skipped."""
    section = ""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    for token in _TOKEN.finditer(text):
        if token["section"] is not None:
            section = token["section"] + (".*." if token["subsection"] else ".")
        elif token["name"] is not None:
            value = token["value"]
            yield (section + token["name"]).lower(), None if value is None else _value(value)


def _value(text: str) -> str:
    """Return a value without quotes and escapes, and without the spaces around it."""
    out, is_quoted, end = "", False, 0
    for part in _PART.finditer(text):
        escaped, quote, char = part[1], part[2], part[3]
        if quote:
            is_quoted = not is_quoted
            continue
        if escaped is not None:
            out += _ESCAPES.get(escaped, escaped)
        elif char is not None and (out or is_quoted or char not in _SPACES):
            out += char
        if escaped is not None or is_quoted or (char is not None and char not in _SPACES):
            end = len(out)
    return out[:end]


def _is_include(key: str) -> bool:
    return key == "include.path" or (key.startswith("includeif.") and key.endswith(".path"))


def _variables_of_environment(environment: Mapping[str, str]) -> Iterator[_Variable]:
    """Yield the variables that the environment sets, as `git -c` does for the programs that it starts."""
    with suppress(ValueError):
        for part in shlex.split(environment.get("GIT_CONFIG_PARAMETERS", "")):
            key, equals, value = part.partition("=")
            yield key.lower(), value if equals else None
    with suppress(ValueError, KeyError):
        for number in range(int(environment.get("GIT_CONFIG_COUNT", "0"))):
            yield environment[f"GIT_CONFIG_KEY_{number}"].lower(), environment[f"GIT_CONFIG_VALUE_{number}"]


def _personal_files(environment: Mapping[str, str]) -> list[Path]:
    system = Path(environment.get("GIT_CONFIG_SYSTEM") or "/etc/gitconfig")
    files = [] if environment.get("GIT_CONFIG_NOSYSTEM", "").lower() not in _FALSE else [system]
    chosen = environment.get("GIT_CONFIG_GLOBAL")
    if chosen is not None:
        return [*files, Path(chosen)]
    return [*files, config_home(environment) / "git" / "config", _home(environment) / ".gitconfig"]


def _home(environment: Mapping[str, str]) -> Path:
    return Path(environment.get("HOME") or Path.home())
