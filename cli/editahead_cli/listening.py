"""What commands share that listen for clients: the token that clients need, and the signals that end them."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

from .console import fail, print_note

TOKEN_VARIABLE = "EDITAHEAD_TOKEN"


def load_token(file: Path | None = None) -> str | None:
    """Return the token of clients; None after a message that it cannot be read.

    It is in the environment, or in a file, which is made if there is none. A note says where the file is.

    Args:
        file: The file, before the environment; None for the one in the state folder.
    """
    from editahead_workspace import user_dirs
    from editahead_workspace.user_secret import TOKEN_FILE_NAME, load_or_create_token

    if file is None:
        if token := os.environ.get(TOKEN_VARIABLE):
            return token
        file = user_dirs.state_folder() / TOKEN_FILE_NAME
    try:
        token = load_or_create_token(file)
    except OSError as error:
        fail(f"{file}: the token of clients cannot be read: {error.strerror or error}. Set {TOKEN_VARIABLE}.")
        return None
    print_note(f"editahead: clients need the token in {file}")
    return token


def stop_on_signals(stop: asyncio.Event) -> None:
    """Set an event once a signal asks this process to end."""
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        try:
            loop.add_signal_handler(number, stop.set)
        except NotImplementedError:  # on Windows
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(stop.set))
