"""An encoder without a network: the vector of a text is the weighted sum of the vectors of its words.

Its file holds small whole numbers: a row of signed bytes for each word of the vocabulary, and rows that all other words
share by their hash. Needs numpy, which is only imported here and in the search for vectors.
"""

from __future__ import annotations

import json
import math
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from editahead_retrieval.errors import EncoderError

from .words import count_rows, find_text_words

if TYPE_CHECKING:
    import numpy as np

    Numbers = np.ndarray[Any, Any]

FORMAT = 1
"""The version of the file."""
DIMENSIONS = 256
"""Numbers of a vector. The first 64 and the first 128 are shorter vectors of the same text."""
MAX_FILE_BYTES = 50_000_000
"""Bytes of a file of weights, and of each array in it."""
DOCUMENT, QUESTION = 0, 1
"""The roles of a text. The words of questions have weights of their own."""


@dataclass(frozen=True)
class StaticEncoder:
    """The vectors and the weights of words.

    Attributes:
        name: What the vectors of an index are kept under. Vectors of another encoder cannot be compared with them.
        rows: The row of each word.
        buckets: The rows behind them for unknown words.
        table: The rows, as signed bytes.
        gains: What each row counts in a document and in a question, as float32.
    """

    name: str
    rows: dict[str, int]
    buckets: int
    table: Numbers
    gains: Numbers

    def encode(self, texts: Sequence[str], role: int = DOCUMENT) -> Numbers:
        """Return the vectors of texts, one a row, as signed bytes. A text without words has zeros.

        Args:
            texts: The texts.
            role: `DOCUMENT` or `QUESTION`.
        """
        import numpy as np

        vectors = np.zeros((len(texts), DIMENSIONS), np.int8)
        gains = self.gains[role]
        for at, text in enumerate(texts):
            counts = count_rows(find_text_words(text), self.rows, self.buckets)
            if counts:
                numbers = np.fromiter(counts, np.int64, len(counts))
                often = np.fromiter(
                    (1 + math.log(count) for count in counts.values()), np.float32, len(counts)
                )
                total = (often * gains[numbers]) @ self.table[numbers].astype(np.float32)
                largest = float(np.abs(total).max())
                if largest > 0:
                    vectors[at] = np.rint(total * (127 / largest)).astype(np.int8)
        return vectors


def load_encoder(file: Path | IO[bytes]) -> StaticEncoder:
    """Return the encoder of a file.

    Raises:
        EncoderError: numpy is missing, or the file is missing, damaged or of another version.
    """
    try:
        import numpy as np
    except ImportError:
        raise EncoderError("the search by meaning needs numpy: pip install 'editahead[search]'") from None
    try:
        _check_size(file)
        with np.load(file, allow_pickle=False) as stored:
            about = json.loads(bytes(stored["about"]).decode())
            words = bytes(stored["words"]).decode().split("\n")
            table, gains = stored["table"], stored["gains"].astype(np.float32)
    except OSError as error:
        raise EncoderError(f"the encoder cannot be read: {error.strerror or error}") from None
    except (ValueError, KeyError, EOFError, zipfile.BadZipFile, TypeError, NotImplementedError) as error:
        raise EncoderError(f"the encoder is damaged: {error}") from None
    if not isinstance(about, dict) or about.get("format") != FORMAT or not isinstance(about.get("name"), str):
        raise EncoderError("the encoder is of another version")
    shape = (len(table), DIMENSIONS)
    buckets = len(table) - len(words)
    if table.dtype != np.int8 or table.shape != shape or gains.shape != (2, len(table)) or buckets < 0:
        raise EncoderError("the encoder is damaged: its arrays do not fit together")
    if not np.isfinite(gains).all() or len(set(words)) != len(words):
        raise EncoderError("the encoder is damaged: its weights are no numbers, or its words occur twice")
    return StaticEncoder(about["name"], {word: row for row, word in enumerate(words)}, buckets, table, gains)


def save_encoder(encoder: StaticEncoder, path: Path) -> None:
    """Write an encoder to a file, all or nothing.

    Raises:
        OSError: The file cannot be written.
    """
    import numpy as np

    about = json.dumps({"format": FORMAT, "name": encoder.name}).encode()
    words = "\n".join(encoder.rows).encode()
    staged = path.with_name(f"{path.name}.part")
    with staged.open("wb") as file:
        np.savez_compressed(
            file,
            about=np.frombuffer(about, np.uint8),
            words=np.frombuffer(words, np.uint8),
            table=encoder.table,
            gains=encoder.gains.astype(np.float16),
        )
    staged.replace(path)


def _check_size(file: Path | IO[bytes]) -> None:
    """Check what a file unpacks to before it is unpacked.

    Raises:
        EncoderError: The file is larger than an encoder is.
    """
    with zipfile.ZipFile(file) as archive:
        if any(member.file_size > MAX_FILE_BYTES for member in archive.infolist()):
            raise EncoderError("the encoder is too large")
    if not isinstance(file, Path):
        file.seek(0)
