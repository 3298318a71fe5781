"""Trains our own vocabulary on real code, and writes it as a small file (`editahead-lab train tokenizer`).

Byte-level BPE over the words of `vocabulary.WORDS`. What is in few repositories stays out: a word counts only where
`REPOSITORIES` of them have it, and no token is longer than `MAX_TOKEN_BYTES` bytes, so the file tells nothing of any one
source. The same data and seed give the same file.

Needs the extra `train`.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from editahead_prompts.composition.hf_tokenizer import WORDS, build_bpe, configure
from editahead_prompts.formats.next_edit.editahead_2611 import SPECIAL

from .shards import sample, train_shards

SIZE = 8192
"""Tokens in all: the special ones, 256 bytes, and merges."""

MAX_TOKEN_BYTES = 16
"""Bytes of a token."""

REPOSITORIES = 8
"""Repositories, at least, that must use a word."""

_MAX_WORD = 40
"""Longer words hardly have anything in common with others."""


def train(edits: Path, out: Path, *, files: int, seed: int, commit: str) -> dict[str, Any]:
    """Train on `files` records of each `train-*` shard, write the vocabulary to `out`, and return its provenance.

    `commit` is the commit of the code that trains.

    Raises:
        FileNotFoundError: there are no shards.
    """
    shards = train_shards(edits, min_count=1)
    counted, records, size = _words(shards, files, seed)
    merges = _merges(counted)
    vocabulary = build_bpe(SPECIAL, merges)
    provenance = {
        "made by": f"editahead-lab train tokenizer files={files} seed={seed}",
        "commit": commit,
        "trained on": [shard.name for shard in shards],
        "records": records,
        "bytes": size,
        "words": len(counted),
        "repositories a word": REPOSITORIES,
        "longest token": MAX_TOKEN_BYTES,
        "tokens": vocabulary.encoder.get_vocab_size(),
    }
    out.write_text(as_text(provenance, merges), "utf-8")
    return provenance


def as_text(provenance: Mapping[str, Any], merges: list[str]) -> str:
    """Return the file's text: JSON with many merges on a line."""
    rows = [merges[at : at + 16] for at in range(0, len(merges), 16)]
    lines = ",\n".join(json.dumps(row, ensure_ascii=False, separators=(",", ":"))[1:-1] for row in rows)
    head = json.dumps({"provenance": provenance, "special": SPECIAL}, indent=1)
    return f'{head[:-2]},\n "merges": [\n{lines}\n]}}\n'


def _words(shards: list[Path], files: int, seed: int) -> tuple[Counter[str], int, int]:
    """Count the words that enough repositories use; return the counts, the records and the bytes read.

    With fewer repositories than `REPOSITORIES`, a word must be in all of them.
    """
    counted: Counter[str] = Counter()
    users: defaultdict[str, set[int]] = defaultdict(set)
    repositories: dict[str, int] = {}
    records = size = 0
    cut = re.compile(WORDS)
    for shard in shards:
        for record in sample(shard, files, seed):
            text = record["after"]
            records += 1
            size += len(text.encode("utf-8", "replace"))
            repository = repositories.setdefault(record["repo"], len(repositories))
            for word, times in Counter(cut.findall(text)).items():
                if len(word) <= _MAX_WORD:
                    counted[word] += times
                    users[word].add(repository)
    needed = min(REPOSITORIES, len(repositories))
    kept = Counter({word: times for word, times in counted.items() if len(users[word]) >= needed})
    return kept, records, size


def _merges(counted: Counter[str]) -> list[str]:
    """Return the merges, the most frequent first, as "left right"."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    encoder = Tokenizer(models.BPE())
    configure(encoder)
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    trainer = trainers.BpeTrainer(
        vocab_size=SIZE - len(SPECIAL),
        initial_alphabet=alphabet,
        max_token_length=MAX_TOKEN_BYTES,
        show_progress=False,
    )
    encoder.train_from_iterator(_repeated(counted), trainer)
    return [" ".join(merge) for merge in json.loads(encoder.to_str())["model"]["merges"]]


def _repeated(counted: Counter[str]) -> Iterator[str]:
    """Yield each word in proportion to its count: rare ones once, the most frequent ones about 100,000 times."""
    scale = max(max(counted.values(), default=1) // 100_000, 1)
    for word, times in sorted(counted.items()):
        for _ in range(-(-times // scale)):
            yield word
