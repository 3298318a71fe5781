"""Files in TOML that a person or a repository provides, read in a time that is bounded by their size."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from editahead_retrieval.errors import UnreadableFileError
from editahead_retrieval.files.bounded_files import read_bounded_file

MAX_KEY_PARTS = 16
"""Parts of a dotted key in a file. The time to parse a key grows with the square of its parts; our own have two."""
MAX_KEYS = 1_000
"""Keys of a file, with those of its tables."""

_TOKEN = re.compile(
    r"""(?P<part>[\w-]++|"(?:[^"\\\n]|\\.)*+"?|'[^'\n]*+'?)|(?P<dot>\.)|(?P<space>[ \t]++)|.""", re.DOTALL
)
"""Pattern of the tokens of TOML, as far as dotted keys need them. The tokens of a text are found in linear time."""


def read_toml_file(path: Path, folders: Sequence[Path] = ()) -> dict[str, Any]:
    """Return what a file holds.

    Args:
        path: The file.
        folders: The folders in one of which the file must be, wherever links lead; empty for any place.

    Raises:
        FileNotFoundError: There is no such file.
        UnreadableFileError: The file cannot be read, or is not TOML in UTF-8; the message is a reason on one line.
    """
    data = read_bounded_file(path, folders)
    try:
        return _parse(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise UnreadableFileError(
            str(error).splitlines()[0] if str(error) else type(error).__name__
        ) from None


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
