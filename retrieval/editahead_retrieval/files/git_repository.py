"""What a git repository says is ignored, read without git: no command runs, whatever a configuration holds."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from editahead_retrieval.errors import UnreadableFileError

from .bounded_files import read_bounded_file
from .ignore_patterns import MAX_LINES, IgnorePatterns

MAX_DEPTH = 64
"""Folders above a workspace in which a repository is looked for."""
MAX_INCLUDES = 20
"""Configuration files that one includes, directly or not."""
MAX_POINTER_BYTES = 4_096
"""Bytes of a file that only names a folder."""

_SECTION = re.compile(r'\[\s*([A-Za-z0-9.-]+)(?:\s+"(?:[^"\\]|\\.)*")?\s*\]')
_VARIABLE = re.compile(r"\s*([A-Za-z][A-Za-z0-9-]*)\s*=\s*(.*)")


@dataclass(frozen=True)
class GitRepository:
    """A repository.

    Attributes:
        root: The folder with `.git`.
        exclude: The patterns of its `info/exclude`, a problem instead of them, or None.
        personal: The patterns of all files that `core.excludesFile` names, or of git's default, or problems.
    """

    root: Path
    exclude: IgnorePatterns | str | None
    personal: tuple[IgnorePatterns | str, ...] = ()


def find_repository(folder: Path, environment: Mapping[str, str] = os.environ) -> GitRepository | None:
    """Return the repository that holds a folder; None without one. The folder may be its root."""
    for place in (folder, *folder.parents)[:MAX_DEPTH]:
        if os.path.lexists(place / ".git"):
            return open_repository(place, environment)
    return None


def open_repository(root: Path, environment: Mapping[str, str] = os.environ) -> GitRepository:
    """Return the repository with its root in a folder that has a `.git`."""
    common = _common_folder(root)
    config = [] if common is None else [common / "config", common / "config.worktree"]
    named = tuple(_excludes_files([*_personal_configs(environment), *config], environment))
    files = named or (_config_home(environment) / "git" / "ignore",)
    personal = (read_patterns(file) for file in dict.fromkeys(files))
    exclude = None if common is None else read_patterns(common / "info" / "exclude")
    return GitRepository(root, exclude, tuple(each for each in personal if each is not None))


def read_patterns(file: Path, folders: tuple[Path, ...] = ()) -> IgnorePatterns | str | None:
    """Return the patterns of an ignore file, or a problem with it; None without a file.

    Args:
        file: The file.
        folders: The folders in one of which it must be, wherever links lead; () for any place.
    """
    try:
        text = read_bounded_file(file, folders).decode("utf-8", "replace")
    except FileNotFoundError:
        return None
    except UnreadableFileError as error:
        return f"{file} cannot be read ({error})"
    patterns = IgnorePatterns.from_text(text)
    return f"{file} has more than {MAX_LINES} lines" if patterns.is_too_long else patterns


def _common_folder(root: Path) -> Path | None:
    """Return the folder that all worktrees of a repository share; None where `.git` leads nowhere."""
    place = root / ".git"
    if not place.is_dir():
        pointer = _read_pointer(place)
        if pointer is None or not pointer.startswith("gitdir:"):
            return None
        place = root / pointer.removeprefix("gitdir:").strip()
    shared = _read_pointer(place / "commondir")
    return place if shared is None else place / shared


def _read_pointer(file: Path) -> str | None:
    try:
        return read_bounded_file(file, max_bytes=MAX_POINTER_BYTES).decode("utf-8", "surrogateescape").strip()
    except (FileNotFoundError, UnreadableFileError):
        return None


def _personal_configs(environment: Mapping[str, str]) -> list[Path]:
    chosen = environment.get("GIT_CONFIG_GLOBAL")
    if chosen is not None:
        return [Path(chosen)]
    personal = [_config_home(environment) / "git" / "config", _home(environment) / ".gitconfig"]
    return personal if "GIT_CONFIG_NOSYSTEM" in environment else [Path("/etc/gitconfig"), *personal]


def _home(environment: Mapping[str, str]) -> Path:
    return Path(environment.get("HOME") or Path.home())


def _config_home(environment: Mapping[str, str]) -> Path:
    return Path(environment.get("XDG_CONFIG_HOME") or _home(environment) / ".config")


def _excludes_files(configs: list[Path], environment: Mapping[str, str]) -> Iterator[Path]:
    """Yield the files that `core.excludesFile` names, in all configurations and in those that they include.

    git takes the last one only, and includes some under a condition. Here all count: they can only exclude more.
    """
    waiting, seen = configs[::-1], set[Path]()
    while waiting and len(seen) < MAX_INCLUDES:
        config = waiting.pop()
        if config in seen:
            continue
        seen.add(config)
        try:
            text = read_bounded_file(config).decode("utf-8", "surrogateescape")
        except (FileNotFoundError, UnreadableFileError):
            continue
        for section, name, value in _variables(text):
            path = _home(environment) / value[2:] if value.startswith("~/") else config.parent / value
            if (section, name) == ("core", "excludesfile") and value:
                yield path
            elif section in ("include", "includeif") and name == "path" and value:
                waiting.append(path)


def _variables(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield section, name and value of each variable, the first two in lower case."""
    section = ""
    for line in text.replace("\\\n", "").split("\n"):
        if header := _SECTION.match(line.strip()):
            section = header[1].lower()
            line = line.strip()[header.end() :]
        if found := _VARIABLE.match(line):
            yield section, found[1].lower(), _value(found[2])


def _value(text: str) -> str:
    """Return a value without quotes, escapes and comment."""
    out, quoted, at = "", False, 0
    while at < len(text):
        char = text[at]
        if char == "\\" and at + 1 < len(text):
            at += 1
            out += {"n": "\n", "t": "\t", "b": "\b"}.get(text[at], text[at])
        elif char == '"':
            quoted = not quoted
        elif char in "#;" and not quoted:
            break
        else:
            out += char
        at += 1
    return out.strip()
