"""Examples as files of tokens that are read without any work: what a training run on another machine needs.

A file is safetensors: `tokens` (uint16, or uint32 for a large vocabulary: all examples one after another), `weights` (uint8:
of the token in the loss, in hundredths; 0 = it is only read), `ends` (int64: where each example ends) and `tasks` (uint8:
the number of its task in `examples.TASKS`). Where examples of one moment begin alike, there are `groups` (int64: a number
that they share) and `hard` (uint8), too. Its metadata has the provenance, and the fingerprint of the vocabulary.

Needs the extra `train`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

from editahead_prompts.composition.hf_tokenizer import VOCABULARY_FILE, HfTokenizer
from editahead_training.errors import DatasetError

from .example import TASKS, Example

if TYPE_CHECKING:
    import numpy as np

    Numbers = np.ndarray[Any, Any]

_NEEDED = ("tokens", "weights", "ends", "tasks")
_ARRAYS = (*_NEEDED, "groups", "hard")


def fingerprint(vocabulary: HfTokenizer | None = None) -> str:
    """Return the hash of a vocabulary, by default of Editahead's own."""
    data = VOCABULARY_FILE.read_bytes() if vocabulary is None else vocabulary.encoder.to_str().encode()
    return blake2b(data, digest_size=8).hexdigest()


@dataclass(frozen=True)
class PackedDataset:
    """Examples in arrays.

    Attributes:
        tokens: the tokens of all examples, one after another.
        weights: the weights of `tokens`.
        ends: the end of each example in `tokens`.
        tasks: the task of each example, as an index into `TASKS`.
        groups: a number for each example, equal for neighbours whose prompts begin alike.
        hard: 1 for each example that rules alone would not solve.
    """

    tokens: Numbers
    weights: Numbers
    ends: Numbers
    tasks: Numbers
    provenance: Mapping[str, Any]
    groups: Numbers | None = None
    hard: Numbers | None = None

    def __len__(self) -> int:
        return len(self.ends)

    def span(self, number: int) -> tuple[int, int]:
        """Return the start and the end of an example."""
        return (int(self.ends[number - 1]) if number else 0), int(self.ends[number])


def write(
    path: Path,
    examples: Iterable[Example],
    provenance: Mapping[str, Any],
    *,
    vocabulary: HfTokenizer | None = None,
    groups: Sequence[int] = (),
    hard: Sequence[bool] = (),
) -> PackedDataset:
    """Write the examples in their order, and return them as a dataset. `vocabulary`: None for Editahead's own."""
    import numpy as np
    from safetensors.numpy import save_file

    kind = np.uint16 if vocabulary is None or vocabulary.encoder.get_vocab_size() <= 2**16 else np.uint32
    tokens: list[Numbers] = []
    weights: list[Numbers] = []
    ends: list[int] = []
    tasks: list[int] = []
    at = 0
    for example in examples:
        tokens.append(np.array(example.prompt + example.answer, kind))
        weights.append(np.array((0,) * len(example.prompt) + example.weights, np.uint8))
        at += example.tokens
        ends.append(at)
        tasks.append(TASKS.index(example.task))
    if not ends:
        raise ValueError("there are no examples")
    packed = PackedDataset(
        np.concatenate(tokens),
        np.concatenate(weights),
        np.array(ends),
        np.array(tasks, np.uint8),
        provenance,
        np.array(groups, np.int64) if groups else None,
        np.array(hard, np.uint8) if hard else None,
    )
    arrays = {name: array for name in _ARRAYS if (array := getattr(packed, name)) is not None}
    save_file(arrays, path, {"vocabulary": fingerprint(vocabulary), "provenance": json.dumps(provenance)})
    return packed


def read(path: Path, vocabulary: HfTokenizer | None = None) -> PackedDataset:
    """Return the dataset in a file. `vocabulary`: None for Editahead's own.

    Raises:
        DatasetError: the file cannot be read, or was made with another vocabulary.
    """
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, "numpy") as file:
            told = file.metadata() or {}
            names = set(file.keys())
            arrays = {name: file.get_tensor(name) for name in _ARRAYS if name in names or name in _NEEDED}
            provenance = json.loads(told["provenance"])
    except (OSError, SafetensorError, KeyError, ValueError) as error:
        raise DatasetError(f"{path}: no packed examples ({error})") from error
    if told.get("vocabulary") != fingerprint(vocabulary):
        raise DatasetError(f"{path}: made with another vocabulary")
    return PackedDataset(**arrays, provenance=provenance)


def pack_batches(parts: Iterable[tuple[int, int]], most: int) -> Iterator[list[int]]:
    """Yield groups of example numbers, in order, whose tokens together are at most `most`.

    An example that is longer is left out. `parts` holds pairs of an example's number and its tokens.
    """
    row: list[int] = []
    size = 0
    for number, tokens in parts:
        if tokens > most:
            continue
        if size + tokens > most:
            yield row
            row, size = [], 0
        row.append(number)
        size += tokens
    if row:
        yield row
