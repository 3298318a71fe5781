"""Commits as files of examples for the adapter of `editahead-coder` (`editahead-lab train coder-examples`).

Needs the extra `train`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache, partial
from itertools import chain, groupby
from pathlib import Path
from typing import Any

from editahead_evals.data.git_records import recent_records
from editahead_inference.backends.local.small_model import CONTEXT, open_base
from editahead_lab.process_pool import process_pool
from editahead_lab.training.data.shards import read_commits, sample_commits, train_shards
from editahead_prompts.composition.hf_tokenizer import HfTokenizer

from .examples import Example, examples_of_commit
from .packed_examples import PackedExamples, write

HELD_OUT_SHARDS, HELD_OUT_EVERY = 2, 10
"""The last shards, which are other repositories, and every tenth commit of a repository of one's own."""
_REPORT_EVERY = 500

Commit = Sequence[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Sources:
    """Where examples come from.

    Attributes:
        edits: A folder with train-* files.
        repository: A git repository of one's own.
        commits: Commits of each file, and records of the repository; None for all, and for as many as are usual.
    """

    edits: Path | None
    repository: Path | None
    commits: int | None

    def chosen(self, seed: int) -> tuple[Iterator[Commit], Iterator[Commit]]:
        """Return the commits to learn from, and those to measure on.

        Raises:
            FileNotFoundError: The folder has too few files.
            GitError: The repository cannot be read.
            ShardError: A file is damaged.
        """
        shards = train_shards(self.edits, min_count=HELD_OUT_SHARDS + 1) if self.edits is not None else []
        own = list(self._own_commits())
        train = (self._read(shard, seed) for shard in shards[:-HELD_OUT_SHARDS])
        held = (self._read(shard, seed) for shard in shards[-HELD_OUT_SHARDS:])
        last = HELD_OUT_EVERY - 1
        return (
            chain(*train, (one for number, one in enumerate(own) if number % HELD_OUT_EVERY != last)),
            chain(*held, (one for number, one in enumerate(own) if number % HELD_OUT_EVERY == last)),
        )

    def _read(self, shard: Path, seed: int) -> Iterator[Commit]:
        return read_commits(shard) if self.commits is None else sample_commits(shard, self.commits, seed)

    def _own_commits(self) -> Iterator[Commit]:
        if self.repository is None:
            return
        few = {} if self.commits is None else {"files": self.commits}
        records = (asdict(record) for record in recent_records(self.repository, **few))
        for _, commit in groupby(records, lambda record: record["commit"]):
            yield list(commit)


def build_examples(
    sources: Sources,
    base: Path,
    out: Path,
    *,
    seed: int,
    jobs: int,
    revision: str,
    report: Callable[[str], None] = lambda line: None,
) -> Mapping[str, PackedExamples]:
    """Write `train.examples` and `held.examples` to the folder `out`, and return both.

    Args:
        sources: The commits.
        base: The base, whose tokenizer is used.
        out: The folder.
        seed: Of all choices.
        jobs: Parallel processes.
        revision: Of Editahead, for the provenance.
        report: Receives a line of progress from time to time.

    Raises:
        DatasetError: There are no examples.
        FileNotFoundError: The folder has too few files.
        GitError: The repository cannot be read.
        ShardError: A file is damaged.
        SmallModelError: The base cannot be read.
    """
    vocabulary = vocabulary_of(base)
    out.mkdir(parents=True, exist_ok=True)
    made: dict[str, PackedExamples] = {}
    for name, commits in zip(("train", "held"), sources.chosen(seed), strict=True):
        examples = list(_made(commits, base, seed, jobs, name, report))
        provenance = {
            "made by": "editahead-lab train coder-examples",
            "revision": revision,
            "seed": seed,
            "commits of each file": sources.commits,
            "own repository": sources.repository is not None,
            "examples": dict(Counter(one.kind for one in examples)),
        }
        made[name] = write(out / f"{name}.examples", examples, provenance, vocabulary)
    return made


@cache
def vocabulary_of(base: Path) -> HfTokenizer:
    """Return the tokenizer of a base.

    Raises:
        SmallModelError: The base cannot be read.
    """
    return HfTokenizer(open_base(base, CONTEXT).tokenizer())


def _made(
    commits: Iterator[Commit], base: Path, seed: int, jobs: int, name: str, report: Callable[[str], None]
) -> Iterator[Example]:
    work = partial(_examples, base=base, seed=seed)
    with process_pool(jobs) as pool:
        for number, examples in enumerate(pool.map(work, commits, chunksize=4)):
            if number % _REPORT_EVERY == 0:
                report(f"{name}: {number} commits")
            yield from examples


def _examples(records: Commit, base: Path, seed: int) -> list[Example]:
    return examples_of_commit(records, seed, vocabulary_of(base))
