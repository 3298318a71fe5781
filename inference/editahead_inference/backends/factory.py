"""The backend that the settings name."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from .base import Backend
from .engine import EngineBackend
from .local.backend import LocalBackend
from .local.small_model import NAME, small_model_folder
from .openai.backend import OpenAIBackend


def create_backend(
    backend: str,
    *,
    url: str | None,
    model: str | None,
    api_key_env: str | None,
    environment: Mapping[str, str],
    engine: Path,
    secret: bytes | None = None,
) -> Backend | None:
    """Return the backend for the settings of these names, or None for "embedded", which needs no model.

    The backend sends and loads nothing before its first request.

    Args:
        backend: "embedded", "local", "engine" or "openai".
        url: The server's address, for "openai".
        model: A model's name, or for "local" its folder; None there for the installed small model.
        api_key_env: The environment variable with the key, for "openai".
        environment: The environment variables.
        engine: The runfile of the supervised engine.
        secret: As for `OpenAIBackend`.

    Raises:
        ValueError: The settings do not fit together. The message is one sentence for the user, without the key.
    """
    if backend == "embedded":
        return None
    if backend == "local":
        return _local(model)
    if backend == "engine":
        return EngineBackend(engine, model=model, secret=secret)
    if url is None:
        raise ValueError('The backend "openai" needs a `url`.')
    key = None
    if api_key_env is not None:
        key = environment.get(api_key_env, "").strip() or None
        if key is None:
            raise ValueError(f"`api_key_env` names the environment variable {api_key_env}, which is not set.")
    return OpenAIBackend(url, model=model, key=key, secret=secret)


def _local(model: str | None) -> LocalBackend:
    """Return the backend for a folder. A relative path is rejected: any repository could have such a folder."""
    if model is None:
        folder = small_model_folder()
        if not (folder / "config.json").is_file():
            raise ValueError(
                f"No model is installed; `editahead models use {NAME}` installs one, or `model` has to name a folder."
            )
        return LocalBackend(folder)
    try:
        folder = Path(model).expanduser()
    except RuntimeError:  # the home folder of an unknown user
        folder = Path(model)
    if not folder.is_absolute():
        raise ValueError('For the backend "local", `model` has to be the whole path of a folder.')
    return LocalBackend(folder)
