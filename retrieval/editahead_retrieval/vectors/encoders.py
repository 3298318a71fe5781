"""What turns texts into vectors: the protocol, and the choice between the encoders that there are."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from .static_encoder import DOCUMENT, load_encoder

if TYPE_CHECKING:
    import numpy as np

    Numbers = np.ndarray[Any, Any]


class TextEncoder(Protocol):
    """What turns texts into vectors of signed bytes."""

    @property
    def name(self) -> str:
        """What the vectors of an index are kept under."""

    def encode(self, texts: Sequence[str], role: int = DOCUMENT) -> Numbers:
        """Return the vectors of texts, one a row.

        Args:
            texts: The texts.
            role: `DOCUMENT` or `QUESTION`.

        Raises:
            EncoderError: The texts cannot be encoded now.
        """


def open_encoder(where: str, model: str = "", key_env: str = "") -> TextEncoder:
    """Return the encoder that a person has configured.

    Args:
        where: The file of an encoder, or the URL of a server of embeddings.
        model: The model of that server.
        key_env: The environment variable with the key of that server; "" for none.

    Raises:
        EncoderError: The encoder cannot be used.
    """
    if where.startswith(("http://", "https://")):
        from .embeddings_server import EmbeddingsServer

        return EmbeddingsServer(where, model, key_env)
    return load_encoder(Path(where).expanduser())
