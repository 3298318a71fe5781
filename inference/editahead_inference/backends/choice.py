"""Which backend the settings ask for."""

from __future__ import annotations

from collections.abc import Mapping

from .backend import Backend
from .openai import OpenAIBackend


def choose(
    backend: str,
    *,
    url: str | None,
    model: str | None,
    api_key_env: str | None,
    environment: Mapping[str, str],
) -> Backend | None:
    """The backend for the settings of these names; None for "embedded", which needs no model. It does nothing before it is
    asked to. ValueError, with one sentence for a person that holds no key, when it cannot be."""
    if backend == "embedded":
        return None
    if backend != "openai":
        raise ValueError(f'The backend "{backend}" does not exist yet.')
    if url is None:
        raise ValueError('The backend "openai" needs a `url`.')
    key = None
    if api_key_env is not None:
        key = environment.get(api_key_env, "").strip() or None
        if key is None:
            raise ValueError(f"`api_key_env` names the environment variable {api_key_env}, which is not set.")
    return OpenAIBackend(url, model=model, key=key)
