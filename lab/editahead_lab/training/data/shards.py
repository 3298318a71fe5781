"""Files of real edits (`train-*.jsonl.zst`), and fair samples of them."""

from __future__ import annotations

import io
import json
import random
import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any, TypeVar

from editahead_lab.errors import ShardError

MAX_CHARACTERS = 40_000
"""Longer files are left out, as in the evaluation."""


FIELDS = ("id", "repo", "path", "language", "before", "after")
"""What of a record is used; texts."""
_ID = re.compile(r'\{"id": ?"([^":]*):')
"""The start of a record: its id is `owner/name@commit:path`."""

T = TypeVar("T")


def train_shards(edits: Path, min_count: int) -> list[Path]:
    """Return the `train-*` files of a folder by name.

    Raises:
        FileNotFoundError: there are fewer than `min_count`.
    """
    shards = sorted(edits.glob("train-*.jsonl.zst"))
    if len(shards) < min_count:
        raise FileNotFoundError(
            f"{edits} holds {len(shards)} train-*.jsonl.zst files; at least {min_count} are needed"
        )
    return shards


def sample(path: Path, files: int, seed: int) -> Iterator[dict[str, Any]]:
    """Yield a fair sample of one shard's records, by reservoir: the shard is read once and never held whole.

    Raises:
        ShardError: the shard is damaged.
    """
    for number, line in _reservoir(_lines(path), files, random.Random(f"{seed}:{path.name}")):
        record = _record(path, number, line)
        if len(record["before"]) < MAX_CHARACTERS:
            yield record


def sample_commits(path: Path, commits: int, seed: int) -> Iterator[list[dict[str, Any]]]:
    """Yield the records of each commit of a fair sample of one shard's commits, except too long ones.

    Raises:
        ShardError: the shard is damaged.
    """
    for group in _reservoir(_grouped(path), commits, random.Random(f"{seed}:{path.name}")):
        records = [_record(path, number, line) for number, line in group]
        if kept := [record for record in records if len(record["before"]) < MAX_CHARACTERS]:
            yield kept


def read_commits(path: Path) -> Iterator[list[dict[str, Any]]]:
    """Yield the records of each commit of a shard.

    Raises:
        ShardError: the shard is damaged.
    """
    for group in _grouped(path):
        yield [_record(path, number, line) for number, line in group]


def _grouped(path: Path) -> Iterator[list[tuple[int, str]]]:
    """Yield the numbered lines of each commit."""
    return (list(lines) for _, lines in groupby(_lines(path), lambda numbered: _commit(numbered[1])))


def _reservoir(items: Iterable[T], count: int, rng: random.Random) -> list[T]:
    """Return a fair sample of the items."""
    kept: list[T] = []
    for number, item in enumerate(items):
        if number < count:
            kept.append(item)
        elif (place := rng.randrange(number + 1)) < count:
            kept[place] = item
    return kept


def _commit(line: str) -> str:
    """Return the part of a record's id that names the commit, without reading all of the record."""
    found = _ID.match(line)
    return found[1] if found is not None else line


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines of a shard with their numbers, from 0.

    Raises:
        ShardError: the shard is damaged.
    """
    import zstandard

    number, line = 0, "\n"
    try:
        with path.open("rb") as file:
            reader = zstandard.ZstdDecompressor(max_window_size=2**31).stream_reader(file)
            for number, line in enumerate(io.TextIOWrapper(reader, "utf-8", newline="\n")):
                yield number, line
    except zstandard.ZstdError as error:
        raise ShardError(f"{path}: not a zstd file, or a damaged one ({error})") from error
    except UnicodeDecodeError as error:
        raise ShardError(f"{path}: not UTF-8 text") from error
    if not line.endswith("\n"):
        _record(
            path, number, line
        )  # a file that was cut off ends in the middle of one, and zstd does not say so


def _record(path: Path, number: int, line: str) -> dict[str, Any]:
    try:
        record: dict[str, Any] = json.loads(line)
        missing = [name for name in FIELDS if not isinstance(record[name], str)]
    except ValueError as error:
        raise ShardError(f"{path}, line {number + 1}: not JSON ({error})") from error
    except (KeyError, TypeError) as error:
        raise ShardError(f"{path}, line {number + 1}: not a record ({error})") from error
    if missing:
        raise ShardError(f"{path}, line {number + 1}: not a record ({missing[0]} is no text)")
    return record
