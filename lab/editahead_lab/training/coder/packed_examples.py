"""Examples as files of tokens that are read without any work, and rows of them.

A file is safetensors: `tokens` (uint32: prompt and answer of all examples, one after another), `ends` (int64: where each
example ends), `answers` (uint16: the tokens of its answer) and `kinds` (uint8: its place in `KINDS`). Its metadata has the
provenance, and the fingerprint of the vocabulary.

Needs the extra `train`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from editahead_lab.errors import DatasetError
from editahead_prompts.composition.hf_tokenizer import HfTokenizer

from .examples import KINDS, Example

Numbers: TypeAlias = "np.ndarray[Any, Any]"
_ARRAYS = ("tokens", "ends", "answers", "kinds")


@dataclass(frozen=True)
class PackedExamples:
    """Examples in arrays; see the module."""

    tokens: Numbers
    ends: Numbers
    answers: Numbers
    kinds: Numbers
    provenance: Mapping[str, Any]

    def __len__(self) -> int:
        return len(self.ends)

    def example(self, number: int) -> tuple[Numbers, Numbers]:
        """Return the prompt and the answer of an example."""
        start, end = int(self.ends[number - 1]) if number else 0, int(self.ends[number])
        middle = end - int(self.answers[number])
        return self.tokens[start:middle], self.tokens[middle:end]

    def kind(self, number: int) -> str:
        """Return the kind of an example."""
        return KINDS[int(self.kinds[number])]

    @property
    def lengths(self) -> Numbers:
        """The tokens of each example that a row takes: the last one is only said."""
        return np.diff(self.ends, prepend=0) - 1


def fingerprint(vocabulary: HfTokenizer) -> str:
    """Return the hash of a vocabulary."""
    return blake2b(vocabulary.encoder.to_str().encode(), digest_size=8).hexdigest()


def write(
    path: Path, examples: Iterable[Example], provenance: Mapping[str, Any], vocabulary: HfTokenizer
) -> PackedExamples:
    """Write the examples in their order, and return them.

    Raises:
        DatasetError: There are none.
    """
    from safetensors.numpy import save_file

    known = list(examples)
    if not known:
        raise DatasetError("there are no examples")
    tokens = [np.array(one.prompt + one.answer, np.uint32) for one in known]
    packed = PackedExamples(
        np.concatenate(tokens),
        np.cumsum([len(one) for one in tokens]),
        np.array([len(one.answer) for one in known], np.uint16),
        np.array([KINDS.index(one.kind) for one in known], np.uint8),
        provenance,
    )
    arrays = {name: getattr(packed, name) for name in _ARRAYS}
    save_file(arrays, path, {"vocabulary": fingerprint(vocabulary), "provenance": json.dumps(provenance)})
    return packed


def read(path: Path, vocabulary: HfTokenizer) -> PackedExamples:
    """Return the examples in a file.

    Raises:
        DatasetError: The file cannot be read, or was made with another vocabulary.
    """
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, "numpy") as file:
            header = file.metadata() or {}
            arrays = {name: file.get_tensor(name) for name in _ARRAYS}
            provenance = json.loads(header["provenance"])
    except (OSError, SafetensorError, KeyError, ValueError) as error:
        raise DatasetError(f"{path}: no packed examples ({error})") from error
    if header.get("vocabulary") != fingerprint(vocabulary):
        raise DatasetError(f"{path}: made with another vocabulary")
    return PackedExamples(**arrays, provenance=provenance)


@dataclass
class RowOrder:
    """The rows of a run, as numbers of examples: epoch after epoch, each in an order of its own.

    Args:
        tokens: The most tokens of a row. Longer examples are left out.
        epoch: The epoch to start in; a run that starts there has the same rows as one that arrived there.
        at: The place within the epoch.

    Raises:
        DatasetError: No example fits a row.
    """

    packed: PackedExamples
    tokens: int
    seed: int
    epoch: int = 0
    at: int = 0

    def __post_init__(self) -> None:
        self._lengths = self.packed.lengths
        if not (self._lengths <= self.tokens).any():
            raise DatasetError(f"there are no examples of at most {self.tokens} tokens")

    def __iter__(self) -> Iterator[list[int]]:
        while True:
            order = np.random.default_rng((self.seed, self.epoch)).permutation(len(self.packed))
            order = order[self._lengths[order] <= self.tokens]
            for numbers in fill_rows(order[self.at :].tolist(), self._lengths, self.tokens):
                self.at += len(numbers)
                yield numbers
            self.epoch, self.at = self.epoch + 1, 0


def fill_rows(numbers: Iterable[int], lengths: Numbers, max_tokens: int) -> Iterator[list[int]]:
    """Yield the examples in order, in groups of at most `max_tokens` tokens. None is longer."""
    row: list[int] = []
    size = 0
    for number in numbers:
        if row and size + lengths[number] > max_tokens:
            yield row
            row, size = [], 0
        row.append(number)
        size += int(lengths[number])
    if row:
        yield row


def used_tokens(datasets: Sequence[PackedExamples], always: Iterable[int]) -> Numbers:
    """Return the ids of the tokens that examples have, and others, in order."""
    return np.unique(np.concatenate([*(data.tokens for data in datasets), np.array([*always])])).astype(
        np.int64
    )
