"""The user's folders for settings, for state and for what can be made again."""

from __future__ import annotations

from pathlib import Path

import platformdirs

from editahead_workspace.private_files import tighten_folder


def config_folder() -> Path:
    """Return the folder of the user's settings file."""
    return platformdirs.user_config_path("editahead", appauthor=False)


def state_folder() -> Path:
    """Return the folder of the outcome log, of the secret and of the journals."""
    return platformdirs.user_state_path("editahead", appauthor=False)


def tighten_state_folder() -> None:
    """Take the rights of others from what earlier versions left in the state folder."""
    tighten_folder(state_folder())


def journal_folder(state: Path | None = None) -> Path:
    """Return the folder of the journals of writes that have not ended.

    Args:
        state: The folder of the user's state; None = the platform's.
    """
    return (state_folder() if state is None else state) / "writes"


def scenario_folder(state: Path | None = None) -> Path:
    """Return the folder of the scenario files that a person had made.

    Args:
        state: The folder of the user's state; None = the platform's.
    """
    return (state_folder() if state is None else state) / "scenarios"


def index_folder(cache: Path | None = None) -> Path:
    """Return the folder of the indexes of workspaces.

    Args:
        cache: The folder of what can be made again; None = the platform's.
    """
    return (platformdirs.user_cache_path("editahead", appauthor=False) if cache is None else cache) / "index"
