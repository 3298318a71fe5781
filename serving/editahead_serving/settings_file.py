"""Changing a few settings in a person's file, and nothing else in it."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path


class SettingsWriteError(Exception):
    """Why the file is as it was; one sentence."""


def with_settings(text: str, values: Mapping[str, str | None]) -> str:
    """The text of a settings file with these at its top level; None takes one away. Comments and all else stay. `NotChanged`
    when it is no TOML, or is written in a way that this would break."""
    try:
        before = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingsWriteError(f"it is no valid TOML ({error})") from None
    lines = text.splitlines(keepends=True)
    top = next((number for number, line in enumerate(lines) if re.match(r"\s*\[", line)), len(lines))
    kept = [line for line in lines[:top] if not _sets(line, values)]
    if kept and not kept[-1].endswith(("\n", "\r")):
        kept[-1] += "\n"
    added = [f'{name} = "{_escaped(value)}"\n' for name, value in values.items() if value is not None]
    changed = "".join([*added, *kept, *lines[top:]])
    wanted = {name: value for name, value in before.items() if name not in values}
    wanted |= {name: value for name, value in values.items() if value is not None}
    try:
        after = tomllib.loads(changed)
    except tomllib.TOMLDecodeError:
        after = None
    if after != wanted:
        raise SettingsWriteError("it is written in a way that cannot be changed without risk")
    return changed


def update_settings_file(file: Path, values: Mapping[str, str | None]) -> None:
    """`change`, in the file, which is made when there is none. It is replaced as a whole. `NotChanged`, OSError."""
    try:
        text = file.read_bytes().decode("utf-8")
    except FileNotFoundError:
        text = ""
    except UnicodeDecodeError:
        raise SettingsWriteError("it is not UTF-8") from None
    changed = with_settings(text, values)
    file = file.resolve()  # it may be a link into a folder of dotfiles
    file.parent.mkdir(parents=True, exist_ok=True)
    beside = file.with_name(f".{file.name}.{os.getpid()}")
    beside.write_bytes(changed.encode())
    beside.replace(file)


def _sets(line: str, values: Mapping[str, str | None]) -> bool:
    found = re.match(r"""\s*["']?([A-Za-z_]+)["']?\s*=""", line)
    return found is not None and found[1] in values


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"')
