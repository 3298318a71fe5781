"""The secret of the person whose server this is, from which come the names that others see instead of theirs."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path

FILE_NAME = "secret"
"""In the person's state folder."""
SIZE = 32
"""Bytes."""


def load_or_create_user_secret(folder: Path) -> bytes:
    """Made once for each folder, and never readable by others. Where none can be kept it is another one each time: nothing
    is lost but what servers kept for the one before."""
    file = folder / FILE_NAME
    beside = file.with_name(f"{FILE_NAME}.{os.getpid()}")
    fresh = secrets.token_bytes(SIZE)
    try:
        if not file.exists():
            folder.mkdir(parents=True, exist_ok=True)
            with suppress(FileNotFoundError):
                beside.unlink()
            descriptor = os.open(
                beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600
            )
            with os.fdopen(descriptor, "wb") as out:
                out.write(fresh)
            with suppress(FileExistsError):  # another process was quicker
                os.link(beside, file)
            beside.unlink()
        found = file.read_bytes()
    except OSError:
        return fresh
    return found if len(found) == SIZE else fresh
