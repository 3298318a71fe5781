"""The user's secret. Pseudonyms that model servers see instead of the user's name are derived from it."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path

FILE_NAME = "secret"
"""The file in the user's state folder."""
SECRET_BYTES = 32


def load_or_create_user_secret(folder: Path) -> bytes:
    """Return the secret in `folder`; create a file that only the user can read if there is none.

    If the file cannot be written, each call returns a new secret. Then only caches of model servers are lost.
    """
    file = folder / FILE_NAME
    temporary = file.with_name(f"{FILE_NAME}.{os.getpid()}")
    new = secrets.token_bytes(SECRET_BYTES)
    try:
        if not file.exists():
            folder.mkdir(parents=True, exist_ok=True)
            with suppress(FileNotFoundError):
                temporary.unlink()
            descriptor = os.open(
                temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600
            )
            with os.fdopen(descriptor, "wb") as out:
                out.write(new)
            with suppress(FileExistsError):  # another process created it first
                os.link(temporary, file)
            temporary.unlink()
        stored = file.read_bytes()
    except OSError:
        return new
    return stored if len(stored) == SECRET_BYTES else new
