"""Files of real edits (`train-*.jsonl.zst`), and fair samples of them."""

from __future__ import annotations

import io
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from editahead_training.errors import ShardError

MAX_CHARACTERS = 40_000
"""Longer files are left out, as in the evaluation."""


FIELDS = ("id", "repo", "path", "language", "before", "after")
"""What of a record is used; texts."""


def train_shards(edits: Path, least: int) -> list[Path]:
    """Return the `train-*` files of a folder by name.

    Raises:
        FileNotFoundError: there are fewer than `least`.
    """
    shards = sorted(edits.glob("train-*.jsonl.zst"))
    if len(shards) < least:
        raise FileNotFoundError(
            f"{edits} holds {len(shards)} train-*.jsonl.zst files; at least {least} are needed"
        )
    return shards


def sample(path: Path, files: int, seed: int) -> Iterator[dict[str, Any]]:
    """Yield a fair sample of one shard's records, by reservoir: the shard is read once and never held whole.

    Raises:
        ShardError: the shard is damaged.
    """
    import zstandard

    rng = random.Random(f"{seed}:{path.name}")
    kept: list[tuple[int, str]] = []
    number, line = 0, "\n"
    try:
        with path.open("rb") as file:
            reader = zstandard.ZstdDecompressor(max_window_size=2**31).stream_reader(file)
            for number, line in enumerate(io.TextIOWrapper(reader, "utf-8", newline="\n")):
                if number < files:
                    kept.append((number, line))
                elif (place := rng.randrange(number + 1)) < files:
                    kept[place] = number, line
    except zstandard.ZstdError as error:
        raise ShardError(f"{path}: not a zstd file, or a damaged one ({error})") from error
    except UnicodeDecodeError as error:
        raise ShardError(f"{path}: not UTF-8 text") from error
    if not line.endswith("\n"):
        _record(
            path, number, line
        )  # a file that was cut off ends in the middle of one, and zstd does not say so
    for number, line in kept:
        record = _record(path, number, line)
        if len(record["before"]) < MAX_CHARACTERS:
            yield record


def _record(path: Path, number: int, line: str) -> dict[str, Any]:
    try:
        record = json.loads(line)
        missing = [name for name in FIELDS if not isinstance(record[name], str)]
    except ValueError as error:
        raise ShardError(f"{path}, line {number + 1}: not JSON ({error})") from error
    except (KeyError, TypeError) as error:
        raise ShardError(f"{path}, line {number + 1}: not a record ({error})") from error
    if missing:
        raise ShardError(f"{path}, line {number + 1}: not a record ({missing[0]} is no text)")
    return record  # type: ignore[no-any-return]
