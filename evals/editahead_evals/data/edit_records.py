"""Records of real edits: one file as one commit changed it, one JSON object per line, zstd-compressed."""

from __future__ import annotations

import io
import json
import random
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from editahead_evals.errors import RecordError

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

MAX_FILE_CHARACTERS = 40_000
"""Characters of a file from which on a sample leaves it out."""

_WINDOW_LOG = 31
"""The binary logarithm of the largest window that is accepted: records are packed with long-distance matching."""


Line = TypeVar("Line")


@dataclass(frozen=True, slots=True)
class Record:
    """One file before and after one commit. Texts have LF line ends only."""

    id: str
    repo: str
    commit: str
    subject: str
    path: str
    language: str
    before: str
    after: str


def read_records(path: Path) -> Iterator[Record]:
    """Yield the records of a `*.jsonl.zst` file.

    Raises:
        RecordError: the file cannot be read, or is damaged.
    """
    return read_json_lines(path, _record)


def read_json_lines(path: Path, parse: Callable[[Any], Line]) -> Iterator[Line]:
    """Yield what `parse` makes of each line of a `*.jsonl.zst` file.

    Args:
        path: the file.
        parse: raises ValueError or TypeError for a wrong value.

    Raises:
        RecordError: the file cannot be read, or is damaged.
    """
    number = 0
    try:
        options: dict[int, int] = {zstd.DecompressionParameter.window_log_max: _WINDOW_LOG}
        with zstd.open(path, "rb", options=options) as file:
            for line in io.TextIOWrapper(file, "utf-8", newline="\n"):
                number += 1
                if line.strip():
                    yield parse(json.loads(line))
    except OSError as error:
        raise RecordError(f"{path}: {error.strerror or error}") from error
    except (zstd.ZstdError, EOFError) as error:
        raise RecordError(f"{path}: not a zstd file, or a damaged one ({error})") from error
    except UnicodeDecodeError as error:
        raise RecordError(f"{path}: not UTF-8 after line {number}") from error
    except (ValueError, TypeError) as error:
        raise RecordError(f"{path}, line {number}: not a record ({error})") from error


def sample(records: Iterable[Record], files: int | None, seed: int) -> list[Record]:
    """Return the first `files` (None: all) of the records shorter than `MAX_FILE_CHARACTERS`, shuffled with `seed`."""
    chosen = [record for record in records if len(record.before) < MAX_FILE_CHARACTERS]
    random.Random(seed).shuffle(chosen)
    return chosen if files is None else chosen[:files]


def _record(value: Any) -> Record:
    if not isinstance(value, dict):
        raise ValueError("not a JSON object")
    fields = {}
    for name in Record.__slots__:
        if name not in value:
            raise ValueError(f"no field {name!r}")
        if not isinstance(value[name], str):
            raise ValueError(f"field {name!r} is not a string")
        fields[name] = value[name]
    for name in ("before", "after"):
        if "\r" in fields[name]:
            raise ValueError(f"{name!r} has line ends other than LF")
    return Record(**fields)
