"""Changes of a few settings in the user's file, which leave all other text as it is."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

from .errors import SettingsWriteError


def set_values(text: str, values: Mapping[str, str | None]) -> str:
    """Return the text of a settings file with these values at its top level.

    Comments and all other text stay.

    Args:
        text: The present text of the file.
        values: None removes a setting.

    Raises:
        SettingsWriteError: The text is not TOML, or the change would break it.
    """
    try:
        before = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingsWriteError(f"the file is not valid TOML ({error})") from None
    lines = text.splitlines(keepends=True)
    top = next((number for number, line in enumerate(lines) if re.match(r"\s*\[", line)), len(lines))
    kept = [line for line in lines[:top] if not _assigns(line, values)]
    if kept and not kept[-1].endswith(("\n", "\r")):
        kept[-1] += "\n"
    added = [f'{name} = "{_escape(value)}"\n' for name, value in values.items() if value is not None]
    changed = "".join([*added, *kept, *lines[top:]])
    wanted = {name: value for name, value in before.items() if name not in values}
    wanted |= {name: value for name, value in values.items() if value is not None}
    try:
        after = tomllib.loads(changed)
    except tomllib.TOMLDecodeError:
        after = None
    if after != wanted:
        raise SettingsWriteError("the file is written in a way that cannot be changed without risk")
    return changed


def update_settings_file(file: Path, values: Mapping[str, str | None]) -> None:
    """Change settings in a file, which is created when it does not exist and is replaced as a whole.

    Raises:
        SettingsWriteError: The file is not UTF-8 or TOML, or the change would break it.
        OSError: The file cannot be read or written.
    """
    try:
        text = file.read_bytes().decode("utf-8")
    except FileNotFoundError:
        text = ""
    except UnicodeDecodeError:
        raise SettingsWriteError("the file is not UTF-8") from None
    changed = set_values(text, values)
    file = file.resolve()  # the file may be a link into a folder of dotfiles
    file.parent.mkdir(parents=True, exist_ok=True)
    beside = file.with_name(f".{file.name}.{os.getpid()}")
    beside.write_bytes(changed.encode())
    beside.replace(file)


def _assigns(line: str, values: Mapping[str, str | None]) -> bool:
    found = re.match(r"""\s*["']?([A-Za-z_]+)["']?\s*=""", line)
    return found is not None and found[1] in values


def _escape(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"')
