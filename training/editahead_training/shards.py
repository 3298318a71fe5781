"""Files of real edits (`train-*.jsonl.zst`), and fair samples of them."""

from __future__ import annotations

import io
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

MAX_CHARACTERS = 40_000
"""Longer files are left out, as in the evaluation."""


def train_shards(edits: Path, least: int) -> list[Path]:
    """The `train-*` files of a folder by name. FileNotFoundError when there are fewer than `least`."""
    shards = sorted(edits.glob("train-*.jsonl.zst"))
    if len(shards) < least:
        raise FileNotFoundError(
            f"{edits} holds {len(shards)} train-*.jsonl.zst files; at least {least} are needed"
        )
    return shards


def sample(path: Path, files: int, seed: int) -> Iterator[dict[str, Any]]:
    """A fair sample of one shard's records, by reservoir: the shard is read once and never held whole."""
    import zstandard

    rng = random.Random(f"{seed}:{path.name}")
    kept: list[str] = []
    with path.open("rb") as file:
        reader = zstandard.ZstdDecompressor(max_window_size=2**31).stream_reader(file)
        for number, line in enumerate(io.TextIOWrapper(reader, "utf-8", newline="\n")):
            if number < files:
                kept.append(line)
            elif (place := rng.randrange(number + 1)) < files:
                kept[place] = line
    for line in kept:
        record = json.loads(line)
        if len(record["before"]) < MAX_CHARACTERS:
            yield record
