"""Real edits as packed examples of all tasks, shards mixed side by side (`editahead train data`).

Needs the extra `train`.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from editahead_evals.data.git_records import recent_records
from editahead_prompts.composition.hf_tokenizer import HfTokenizer, bundled_tokenizer

from . import apply_examples, code_examples, next_edit_examples, repair_examples
from .example import TASKS, Example
from .packed_dataset import PackedDataset, write
from .shards import sample, train_shards

MAX_EXAMPLE_TOKENS = 1024
"""Tokens of an example."""
HELD_OUT_EVERY = 8
"""Of a shard held out, so much fewer records than of one to learn from."""
BUDGETS = (512, 640, 736)
"""Tokens of prompts. Short ones teach as much for less; a document in use has the longest."""

Source = Callable[[dict[str, Any], random.Random, HfTokenizer, int], Iterable[Example]]

SOURCES: tuple[tuple[Source, float, tuple[int, ...]], ...] = (
    (next_edit_examples.examples_of, 1.0, BUDGETS),
    (repair_examples.examples_of, 0.4, BUDGETS),
    (apply_examples.examples_of, 0.4, (MAX_EXAMPLE_TOKENS,)),
    (code_examples.middle_of, 0.6, (320, 512)),
    (code_examples.code_of, 0.5, (512, MAX_EXAMPLE_TOKENS)),
)
"""Where examples come from, how many of the records each is asked for, and with which budgets of tokens."""


def examples_of(record: dict[str, Any], seed: int) -> list[Example]:
    """Return all examples of one record, the same for the same seed."""
    rng = random.Random(f"{seed}:{record['id']}")
    vocabulary = bundled_tokenizer()
    out: list[Example] = []
    for source, share, budgets in SOURCES:
        if rng.random() < share:
            out += source(record, rng, vocabulary, rng.choice(budgets))
    return [example for example in out if example.tokens <= MAX_EXAMPLE_TOKENS]


def build_dataset(
    edits: Path | None,
    repository: Path | None,
    out: Path,
    *,
    files: int,
    seed: int,
    jobs: int,
    commit: str,
    report: Callable[[str], None] = lambda line: None,
) -> Mapping[str, PackedDataset]:
    """Write `train.tokens` and `held.tokens` to the folder `out`, and return a summary of them.

    `edits` is a folder with train-* shards; the last two are held out, as by `train gate`. `repository` is a
    git repository of the user's own instead of or besides them; every tenth of its records is held out.
    `files` is the number of records of each. `report` receives a line of progress from time to time.

    Raises:
        FileNotFoundError: the folder has too few shards.
        GitError: the repository cannot be read.
    """
    out.mkdir(parents=True, exist_ok=True)
    shards = train_shards(edits, least=3) if edits is not None else []
    train = [record for shard in shards[:-2] for record in sample(shard, files, seed)]
    held = [
        record for shard in shards[-2:] for record in sample(shard, max(files // HELD_OUT_EVERY, 1), seed)
    ]
    if repository is not None:
        records = enumerate(asdict(record) for record in recent_records(repository, files))
        for number, record in records:
            (held if number % 10 == 9 else train).append(record)
    random.Random(seed).shuffle(train)
    made: dict[str, PackedDataset] = {}
    for name, records_of in (("train", train), ("held", held)):
        made_of = list(_make_examples(records_of, seed, jobs, name, report))
        random.Random(seed).shuffle(made_of)
        provenance = {
            "made by": f"editahead train data --files {files} --seed {seed}",
            "commit": commit,
            "edits": [shard.name for shard in (shards[:-2] if name == "train" else shards[-2:])],
            "repository": repository is not None,
            "records": len(records_of),
            "examples": dict(Counter(example.task for example in made_of)),
            "tokens": {task: sum(e.tokens for e in made_of if e.task == task) for task in TASKS},
        }
        made[name] = write(out / f"{name}.tokens", made_of, provenance)
    return made


def _make_examples(
    records: list[dict[str, Any]], seed: int, jobs: int, name: str, report: Callable[[str], None]
) -> Iterator[Example]:
    with ProcessPoolExecutor(jobs) as pool:
        for number, examples in enumerate(pool.map(partial(examples_of, seed=seed), records, chunksize=8)):
            if number % 500 == 0:
                report(f"{name}: {number} of {len(records)} records")
            yield from examples
