"""The syntax of data files that the standard library reads: JSON and TOML."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Mapping
from typing import Any

from editahead_prompts.text.snapshot import Snapshot

_READERS: Mapping[str, Callable[[str], Any]] = {"json": json.loads, "toml": tomllib.loads}


def breaks_data(original: Snapshot, guess: str) -> bool:
    """Return whether a file of data can be read before a change, and not after it."""
    read = _READERS.get(original.uri.rsplit(".", 1)[-1].lower())
    return read is not None and not _is_readable(read, guess) and _is_readable(read, original.text)


def _is_readable(read: Callable[[str], Any], text: str) -> bool:
    try:
        read(text)
    except (ValueError, RecursionError):
        return False
    return True
