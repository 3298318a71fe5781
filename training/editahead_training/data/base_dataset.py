"""Real edits as packed examples for a base that has read code (`editahead train data --base`).

Needs the extra `train`.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from itertools import chain
from pathlib import Path
from typing import Any, cast

from editahead_prompts.composition.hf_tokenizer import HfTokenizer, load
from editahead_prompts.formats.next_edit import editahead_2611, editahead_lines_2611
from editahead_training.errors import DatasetError

from .build_dataset import HELD_OUT_EVERY
from .lines_examples import FormatName, GroupedExample, examples_of_commit
from .packed_dataset import PackedDataset, write
from .shards import sample_commits, train_shards

BUDGETS: dict[FormatName, tuple[int, ...]] = {
    "editahead-lines": (320, 384, 448),
    "editahead": (512, 640, 736),
}
"""Tokens of prompts by format."""
MAX_FILES = 4
"""Files of a commit that become examples."""


@cache
def vocabulary_of(base: Path, format: FormatName) -> HfTokenizer:
    """Return the tokenizer of a base, to which markers of the format that it lacks were added.

    Raises:
        TokenizerUnavailableError: the folder has none.
    """
    vocabulary = load(base)
    markers = (
        (*editahead_lines_2611.MARKERS, editahead_lines_2611.END)
        if format == "editahead-lines"
        else editahead_2611.SPECIAL
    )
    vocabulary.encoder.add_special_tokens(list(markers))
    return vocabulary


def format_of(path: Path) -> FormatName:
    """Return the format that a file of examples was written in.

    Raises:
        DatasetError: it is no such file.
    """
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, "numpy") as file:
            name = json.loads((file.metadata() or {})["provenance"]).get("format")
    except (OSError, SafetensorError, KeyError, ValueError, AttributeError) as error:
        raise DatasetError(f"{path}: no packed examples ({error})") from error
    if name not in BUDGETS:
        raise DatasetError(f"{path}: not made for a base; see `editahead train data --base`")
    return cast(FormatName, name)


def build_base_dataset(
    edits: Path,
    base: Path,
    out: Path,
    *,
    format: FormatName,
    commits: int,
    seed: int,
    jobs: int,
    commit: str,
    report: Callable[[str], None] = lambda line: None,
) -> Mapping[str, PackedDataset]:
    """Write `train.tokens` and `held.tokens` to the folder `out`, and return a summary of them.

    `edits` is a folder with train-* shards; the last two are held out. `base` is the folder of a language model, whose
    tokenizer counts. `commits` is the number of commits of each shard. `report` receives a line of progress from time to
    time.

    Raises:
        FileNotFoundError: the folder has too few shards.
        ShardError: a shard is damaged.
        TokenizerUnavailableError: `base` has no tokenizer.
    """
    out.mkdir(parents=True, exist_ok=True)
    vocabulary = vocabulary_of(base, format)
    shards = train_shards(edits, least=3)
    made: dict[str, PackedDataset] = {}
    for name, chosen in (("train", shards[:-2]), ("held", shards[-2:])):
        count = commits if name == "train" else max(commits // HELD_OUT_EVERY, 1)
        records = list(chain.from_iterable(sample_commits(shard, count, seed) for shard in chosen))
        random.Random(seed).shuffle(records)
        groups = list(_made(records, base, format, seed, jobs, name, report))
        examples = [grouped.example for group in groups for grouped in group]
        provenance = {
            "made by": f"editahead train data --base {base.name} --format {format} --files {commits} --seed {seed}",
            "commit": commit,
            "format": format,
            "edits": [shard.name for shard in chosen],
            "commits": len(records),
            "examples": dict(Counter(example.task for example in examples)),
            "hard": sum(grouped.hard for group in groups for grouped in group),
        }
        made[name] = write(
            out / f"{name}.tokens",
            examples,
            provenance,
            vocabulary=vocabulary,
            groups=[number for number, group in enumerate(groups) for _ in group],
            hard=[grouped.hard for group in groups for grouped in group],
        )
    return made


def _made(
    commits: Sequence[list[dict[str, Any]]],
    base: Path,
    format: FormatName,
    seed: int,
    jobs: int,
    name: str,
    report: Callable[[str], None],
) -> Iterator[list[GroupedExample]]:
    work = partial(_examples, base=base, format=format, seed=seed)
    with ProcessPoolExecutor(jobs) as pool:
        for number, groups in enumerate(pool.map(work, commits, chunksize=4)):
            if number % 200 == 0:
                report(f"{name}: {number} of {len(commits)} commits")
            yield from groups


def _examples(
    records: list[dict[str, Any]], base: Path, format: FormatName, seed: int
) -> list[list[GroupedExample]]:
    rng = random.Random(f"{seed}:{records[0]['id']}")
    vocabulary = vocabulary_of(base, format)
    return list(examples_of_commit(records[:MAX_FILES], rng, vocabulary, rng.choice(BUDGETS[format]), format))
