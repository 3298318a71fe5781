"""A folder that becomes a link just before something is opened: what a repository can do while its files are read."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock


def swap(folder: Path, target: Path) -> None:
    """Put a link to the target in the place of a folder."""
    folder.rename(folder.with_name(f"{folder.name}.away"))
    folder.symlink_to(target)


@contextmanager
def swapped_at_open(folder: Path, target: Path) -> Iterator[None]:
    """Swap a folder for a link at the first opening: after all checks of the path, before any read."""
    real = os.open

    def opening(*arguments: Any, **options: Any) -> int:
        patched.stop()
        swap(folder, target)
        return real(*arguments, **options)

    patched = mock.patch.object(os, "open", opening)
    patched.start()
    try:
        yield
    finally:
        mock.patch.stopall()
