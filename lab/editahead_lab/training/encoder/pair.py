"""Pairs of texts that belong together, and files of them."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from editahead_lab.errors import DatasetError

KINDS = ("documentation", "subject", "rewrite", "hunk", "search")
"""What a pair is of: documentation and its code; a commit's subject and a chunk that it changes; a chunk before and after;
the first hunk of a commit and another chunk that it changes; a question and what a person opened then."""
_TEXTS = ("kind", "repo", "language", "query", "document", "place")


@dataclass(frozen=True, slots=True)
class Pair:
    """A question and the text that answers it.

    Attributes:
        kind: One of `KINDS`.
        repo: The repository or package.
        language: The LSP language id of the document.
        query: The question.
        document: The text that answers it.
        place: The repository and the path of the document, and for a declaration its name.
        negatives: The numbers of pairs of the same file whose documents are near to the question, but do not answer it.
    """

    kind: str
    repo: str
    language: str
    query: str
    document: str
    place: str
    negatives: tuple[int, ...] = ()

    def with_negatives(self, negatives: tuple[int, ...]) -> Pair:
        """Return the pair with other negatives."""
        return replace(self, negatives=negatives)


def write_pairs(path: Path, pairs: Iterable[Pair]) -> int:
    """Write pairs to a file, all or none, and return how many.

    Raises:
        OSError: The file cannot be written.
    """
    import zstandard

    staged = path.with_name(f"{path.name}.part")
    count = 0
    with staged.open("wb") as file, zstandard.ZstdCompressor(level=6).stream_writer(file) as packed:
        for pair in pairs:
            packed.write((json.dumps(asdict(pair), ensure_ascii=True) + "\n").encode())
            count += 1
    staged.replace(path)
    return count


def read_pairs(path: Path) -> list[Pair]:
    """Return the pairs of a file.

    Raises:
        DatasetError: The file is missing, damaged, or holds no pairs.
    """
    try:
        pairs = list(_read(path))
    except OSError as error:
        raise DatasetError(f"{path}: {error.strerror or error}") from None
    if not pairs:
        raise DatasetError(f"{path}: there are no pairs in it")
    count = len(pairs)
    for number, pair in enumerate(pairs):
        if any(not 0 <= other < count for other in pair.negatives):
            raise DatasetError(
                f"{path}, line {number + 1}: a negative is not in the file; make the pairs again"
            )
    return pairs


def _read(path: Path) -> Iterator[Pair]:
    import zstandard

    number = 0
    try:
        with path.open("rb") as file:
            reader = zstandard.ZstdDecompressor().stream_reader(file)
            for line in io.TextIOWrapper(reader, "utf-8", newline="\n"):
                number += 1
                yield _pair(json.loads(line))
    except (zstandard.ZstdError, UnicodeDecodeError) as error:
        raise DatasetError(f"{path}: not a file of pairs, or a damaged one ({error})") from None
    except (ValueError, KeyError, TypeError) as error:
        raise DatasetError(f"{path}, line {number}: not a pair ({error})") from None


def _pair(value: Any) -> Pair:
    if not isinstance(value, dict):
        raise TypeError("not an object")
    texts = {name: value[name] for name in _TEXTS}
    if not all(isinstance(text, str) for text in texts.values()) or texts["kind"] not in KINDS:
        raise TypeError("a field is of another type")
    negatives = value["negatives"]
    if not isinstance(negatives, list) or not all(type(number) is int for number in negatives):
        raise TypeError("the negatives are no numbers")
    return Pair(**texts, negatives=tuple(negatives))
