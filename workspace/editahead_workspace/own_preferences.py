"""The preferences that `editahead train mine` fitted to a person's own recordings: where learning from outcomes begins."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from editahead_retrieval.errors import UnreadableFileError
from editahead_retrieval.files.bounded_files import read_bounded_file
from editahead_workspace.private_files import create_private_file, make_private_folder

FILE_NAME = "preferences.json"
"""The file in the person's state folder."""
VERSION = 1
MAX_WEIGHTS = 500
"""Weights that count. There are about a hundred kinds, languages and the like."""


class OwnPreferences:
    """The file of fitted preferences, and the one before it.

    Args:
        folder: The person's state folder.
    """

    def __init__(self, folder: Path) -> None:
        self.file = folder / FILE_NAME
        self._before = folder / f"{FILE_NAME}.before"

    def read(self) -> dict[str, float]:
        """Return the log-odds by the name of a feature; none where there is no file, or a damaged one."""
        try:
            value = json.loads(read_bounded_file(self.file))
        except (FileNotFoundError, UnreadableFileError, ValueError, RecursionError):
            return {}
        weights = (
            value.get("weights") if isinstance(value, dict) and value.get("version") == VERSION else None
        )
        if not isinstance(weights, dict) or len(weights) > MAX_WEIGHTS:
            return {}
        return {name: float(one) for name, one in weights.items() if _is_weight(one)}

    def write(self, weights: Mapping[str, float], about: Mapping[str, Any]) -> None:
        """Write new preferences, and keep those before.

        Raises:
            OSError: The file cannot be written.
        """
        make_private_folder(self.file.parent)
        new = self.file.with_suffix(".new")
        create_private_file(new)
        new.write_text(json.dumps({"version": VERSION, "weights": weights, **about}, indent=1), "utf-8")
        if self.file.exists():
            self.file.replace(self._before)
        new.replace(self.file)

    def revert(self) -> bool:
        """Bring back the preferences before, or none, and return whether there was anything to take back.

        Raises:
            OSError: The file cannot be written.
        """
        if not self.file.exists():
            return False
        if self._before.exists():
            self._before.replace(self.file)
        else:
            self.file.unlink()
        return True

    def remove(self) -> None:
        """Forget all.

        Raises:
            OSError: A file cannot be deleted.
        """
        self.file.unlink(missing_ok=True)
        self._before.unlink(missing_ok=True)


def _is_weight(value: Any) -> bool:
    """Return whether a value is a number that a float can hold."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:
        return False
