"""Vectors from a server with OpenAI's protocol (`POST /v1/embeddings`), such as vLLM, llama.cpp or Ollama.

A text that is longer than the model's context is cut: some servers refuse it, and do not say which text of a batch it is.

Vectors of any length are turned into as many numbers as those of other encoders by a fixed random projection, which keeps
the angles between them nearly as they are, also in its first 64 numbers.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from editahead_prompts.text.control_characters import escape_line
from editahead_retrieval.errors import EncoderError
from editahead_retrieval.index.content import blank_secrets

from .static_encoder import DIMENSIONS, DOCUMENT
from .words import MAX_CHARS

if TYPE_CHECKING:
    import numpy as np

    Numbers = np.ndarray[Any, Any]

TIMEOUT_S = 30.0
"""Seconds that a whole answer may take, from the connection on. A small model on a CPU encodes a batch in a few."""
MAX_ANSWER_BYTES = 20_000_000
"""Bytes of an answer."""
MAX_NUMBERS = 16_384
"""Numbers of a vector that a server may return."""
MIN_CHARS = 200
"""Characters to which a text is cut at most, where a server refuses it. Every model reads as much."""
_REFUSES = frozenset({400, 413, 422})
"""The statuses of servers that refuse a text as too long."""
_TOO_LONG = re.compile(r"too (?:large|long)", re.IGNORECASE)
"""What llama.cpp says with the status of a fault of its own."""
_MAX_REASON_BYTES, _MAX_REASON_CHARS = 4_000, 200
_SEED = 20_261


class _RefusedError(EncoderError):
    """A server refused the texts, perhaps as one of them is too long."""


class EmbeddingsServer:
    """An encoder that asks a server. No text is sent before the first call of `encode`, and none with its secrets.

    Args:
        url: The URL with the version, such as "http://localhost:8000/v1".
        model: The name of the model.
        key_env: The environment variable with the key; "" for none.

    Raises:
        EncoderError: The model is not named, or numpy is missing.
    """

    def __init__(self, url: str, model: str, key_env: str = "") -> None:
        if not model:
            raise EncoderError("a server of embeddings needs the name of its model")
        try:
            import numpy  # noqa: F401  # whether it is there
        except ImportError:
            raise EncoderError("the search by meaning needs numpy: pip install 'editahead[search]'") from None
        self._url, self._model, self._key_env = f"{url.rstrip('/')}/embeddings", model, key_env
        digest = blake2b(f"{self._url}\0{model}".encode("utf-8", "replace"), digest_size=6).hexdigest()
        self.name = f"server-{digest}"
        self._projection: Numbers | None = None
        self._max_chars = MAX_CHARS

    def encode(self, texts: Sequence[str], role: int = DOCUMENT) -> Numbers:
        """Return the vectors of texts, one a row, as signed bytes. The role makes no difference.

        Raises:
            EncoderError: The server does not answer, or not as it should.
        """
        import numpy as np

        if not texts:
            return np.zeros((0, DIMENSIONS), np.int8)
        # Servers refuse empty texts.
        sent = [blank_secrets(text[:MAX_CHARS]).strip() or "-" for text in texts]
        vectors = self._vectors(sent)
        largest = np.maximum(np.abs(vectors).max(axis=1, keepdims=True), 1e-9)
        rounded: Numbers = np.rint(vectors * (127 / largest)).astype(np.int8)
        return rounded

    def _vectors(self, texts: Sequence[str]) -> Numbers:
        """Return the vectors of texts, and cut those that are too long for the server, as all later ones."""
        import numpy as np

        sent = [text[: self._max_chars] for text in texts]
        try:
            return self._project(self._parse(self._ask(sent), len(sent)))
        except _RefusedError:
            if len(sent) == 1:
                if len(sent[0]) <= MIN_CHARS:
                    raise
                self._max_chars = max(len(sent[0]) // 2, MIN_CHARS)
                return self._vectors(sent)
        half = len(sent) // 2
        return np.concatenate([self._vectors(sent[:half]), self._vectors(sent[half:])])

    def _ask(self, texts: Sequence[str]) -> bytes:
        import asyncio

        import httpx2

        key = os.environ.get(self._key_env, "") if self._key_env else ""
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        body = {"model": self._model, "input": list(texts), "encoding_format": "float"}
        try:
            status, answer = asyncio.run(self._answer(body, headers))
        except TimeoutError:
            raise EncoderError(f"the server of embeddings did not answer within {TIMEOUT_S:.0f} s") from None
        except (httpx2.HTTPError, httpx2.InvalidURL, ValueError) as error:
            reason = str(error) or type(error).__name__
            raise EncoderError(f"the server of embeddings cannot be reached: {reason}") from None
        if status != 200:
            raise _refusal(status, answer)
        if len(answer) > MAX_ANSWER_BYTES:
            raise EncoderError("the answer of the server of embeddings is too large")
        return answer

    async def _answer(self, body: dict[str, Any], headers: dict[str, str]) -> tuple[int, bytes]:
        """Return the status and the answer, no more of it than may be. The time is that of the whole, however it drips.

        The answer is taken as it comes, not unpacked: a small one may unpack to a large one.
        """
        import asyncio

        import httpx2

        client = httpx2.AsyncClient(timeout=None, follow_redirects=False, trust_env=False)
        headers = {**headers, "Accept-Encoding": "identity"}
        async with (
            asyncio.timeout(TIMEOUT_S),
            client,
            client.stream("POST", self._url, json=body, headers=headers) as response,
        ):
            answer = bytearray()
            max_bytes = MAX_ANSWER_BYTES if response.status_code == 200 else _MAX_REASON_BYTES
            async for part in response.aiter_raw():
                answer += part
                if len(answer) > max_bytes:
                    break
            return response.status_code, bytes(answer)

    def _parse(self, answer: bytes, count: int) -> Numbers:
        import numpy as np

        try:
            rows = sorted(json.loads(answer)["data"], key=lambda row: int(row["index"]))
            vectors = np.array([row["embedding"] for row in rows], np.float32)
            numbers = [int(row["index"]) for row in rows]
        except (ValueError, KeyError, TypeError, RecursionError, OverflowError) as error:
            raise EncoderError(
                f"the answer of the server of embeddings is no list of vectors: {error}"
            ) from None
        is_table = vectors.ndim == 2 and 1 <= vectors.shape[1] <= MAX_NUMBERS
        if not is_table or numbers != list(range(count)) or not np.isfinite(vectors).all():
            raise EncoderError("the answer of the server of embeddings has not one vector for each text")
        return vectors

    def _project(self, vectors: Numbers) -> Numbers:
        import numpy as np

        length = vectors.shape[1]
        if self._projection is None:
            random = np.random.RandomState(_SEED)  # noqa: TID251  # seeded
            self._projection = random.standard_normal((length, DIMENSIONS)).astype(np.float32)
        if len(self._projection) != length:
            raise EncoderError("the server of embeddings changed the length of its vectors")
        return vectors @ self._projection


def _refusal(status: int, body: bytes) -> EncoderError:
    """Return the error for an answer with another status than 200, with what the server says."""
    try:
        said = json.loads(body)
        said = said.get("error", said) if isinstance(said, dict) else said
        reason = str(said.get("message", "") if isinstance(said, dict) else said)
    except (ValueError, RecursionError):
        reason = ""
    shown = escape_line(" ".join(reason.split()))[:_MAX_REASON_CHARS]
    text = f"the server of embeddings answers with status {status}{shown and f': {shown}'}"
    is_refusal = status in _REFUSES or (status == 500 and _TOO_LONG.search(reason) is not None)
    return _RefusedError(text) if is_refusal else EncoderError(text)
