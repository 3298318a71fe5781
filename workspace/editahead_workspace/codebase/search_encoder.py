"""The encoder of the search by meaning, as the settings name it."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from editahead_inference.backends.openai.server_url import ServerUrl
from editahead_retrieval.errors import EncoderError
from editahead_retrieval.vectors.shipped import SHIPPED
from editahead_workspace.settings import Settings

if TYPE_CHECKING:
    from editahead_retrieval.vectors.encoders import TextEncoder


@dataclass(frozen=True)
class SearchEncoder:
    """The encoder of a search.

    Attributes:
        encoder: The encoder; None without one.
        problem: Why the one that is configured cannot be used, for a person; "" if it can.
    """

    encoder: TextEncoder | None = None
    problem: str = ""


NO_ENCODER = SearchEncoder()


def encoder_options(settings: Settings) -> tuple[str, str, str]:
    """Return the encoder's file or URL, its model, and the environment variable with its key; "" for none.

    Args:
        settings: The settings.
    """
    where = settings.search_encoder
    if where == "auto":
        where = str(SHIPPED) if SHIPPED.exists() and find_spec("numpy") is not None else ""
    elif where == "off":
        where = ""
    elif "://" in where:
        where = ServerUrl.parse(where).api
    return where, settings.search_model or "", settings.search_api_key_env or ""


def encoder_source(settings: Settings) -> object:
    """Return what the encoder is read from: two equal values mean that it has not changed.

    Args:
        settings: The settings.
    """
    options = encoder_options(settings)
    try:
        found = Path(options[0]).expanduser().stat()
    except (OSError, RuntimeError, ValueError):
        return options, None
    return options, (found.st_mtime_ns, found.st_size, found.st_ino)


def open_search_encoder(settings: Settings) -> SearchEncoder:
    """Return the encoder for questions.

    Args:
        settings: The settings.
    """
    where, model, key_env = encoder_options(settings)
    if not where:
        return SearchEncoder()
    from editahead_retrieval.vectors.encoders import open_encoder

    try:
        return SearchEncoder(open_encoder(where, model, key_env))
    except EncoderError as error:
        return SearchEncoder(problem=str(error))
