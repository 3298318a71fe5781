"""The user's secrets: one for pseudonyms that model servers see instead of the user's name, and a token for clients."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path

from editahead_workspace.private_files import create_private_file, make_private_folder

FILE_NAME = "secret"
"""The file in the user's state folder."""
TOKEN_FILE_NAME = "token"
"""The file with the token of clients over TCP, in the user's state folder."""
SECRET_BYTES = 32
MAX_TOKEN_BYTES = 1_000


def load_or_create_user_secret(folder: Path) -> bytes:
    """Return the secret in `folder`; create a file that only the user can read if there is none.

    If the file cannot be written, each call returns a new secret. Then only caches of model servers are lost.
    """
    file = folder / FILE_NAME
    new = secrets.token_bytes(SECRET_BYTES)
    try:
        stored = _read_or_create(file, new)
    except OSError:
        return new
    return stored if len(stored) == SECRET_BYTES else new


def load_or_create_token(file: Path) -> str:
    """Return the token in a file; create one that only the user can read if there is none.

    Raises:
        OSError: The file cannot be read or written, or holds no token.
    """
    text = _read_or_create(file, secrets.token_urlsafe(SECRET_BYTES).encode())[:MAX_TOKEN_BYTES]
    token = text.decode("ascii", "replace").strip()
    if not token:
        raise OSError("the file is empty; delete it")
    return token


def _read_or_create(file: Path, new: bytes) -> bytes:
    """Return what a private file holds; create it with new contents if there is none."""
    temporary = file.with_name(f"{file.name}.{os.getpid()}")
    if not file.exists():
        make_private_folder(file.parent)
        with suppress(FileNotFoundError):
            temporary.unlink()
        descriptor = os.open(
            temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600
        )
        with os.fdopen(descriptor, "wb") as out:
            out.write(new)
        with suppress(FileExistsError, FileNotFoundError):  # another process created it first
            os.link(temporary, file)
    create_private_file(file)
    _remove_temporaries(file)
    return file.read_bytes()


def _remove_temporaries(file: Path) -> None:
    """Remove the temporary files of all processes, which are of no use once the file is there. Some were killed."""
    for other in file.parent.glob(f"{file.name}.*"):
        if other.suffix[1:].isdecimal():
            with suppress(OSError):
                other.unlink()
