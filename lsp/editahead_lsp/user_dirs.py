"""The user's folders for settings and for state."""

from __future__ import annotations

from pathlib import Path

import platformdirs


def config_folder() -> Path:
    """Return the folder of the user's settings file."""
    return platformdirs.user_config_path("editahead", appauthor=False)


def state_folder() -> Path:
    """Return the folder of the outcome log and of the secret."""
    return platformdirs.user_state_path("editahead", appauthor=False)
