"""Pull requests as small edits in the order in which they are made: one JSON object for each file, zstd-compressed.

`id` names the pull request; files with the same one belong together. `steps` holds a file's texts, the first one before
any edit. `numbers` holds the place of each step in the order of the whole pull request.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any

from editahead_evals.data.edit_records import read_json_lines
from editahead_evals.data.languages import language_of
from editahead_evals.errors import RecordError


@dataclass(frozen=True, slots=True)
class FileSteps:
    """One file of a pull request: its texts, and the number of the step to each text but the first."""

    id: str
    path: str
    texts: tuple[str, ...]
    numbers: tuple[int, ...]

    @property
    def language(self) -> str:
        return language_of(self.path) or "plaintext"


@dataclass(frozen=True, slots=True)
class OrderedStep:
    """One step: the text of a file becomes another."""

    path: str
    old: str
    new: str


@dataclass(frozen=True)
class PullRequest:
    """The files of a pull request.

    Attributes:
        orders: Pairs of numbers of steps, of which the second may follow once the first is made; None where each step
            follows the one before it.
    """

    id: str
    files: Sequence[FileSteps]
    orders: frozenset[tuple[int, int]] | None = None

    @property
    def steps(self) -> list[OrderedStep]:
        """The steps of all files in order, without those that change nothing."""
        return [step for _, step in self._numbered]

    def may_follow(self, made: int) -> list[OrderedStep]:
        """Return the steps that may come next, once the first `made` ones are."""
        before, left = self._numbered[:made], self._numbered[made:]
        if self.orders is None:
            return [step for _, step in left[:1]]
        return [step for number, step in left if any((first, number) in self.orders for first, _ in before)]

    @cached_property
    def _numbered(self) -> list[tuple[int, OrderedStep]]:
        found = [
            (number, file.path, texts)
            for file in self.files
            for number, texts in zip(file.numbers, pairwise(file.texts), strict=True)
        ]
        found.sort(key=lambda step: step[:2])
        return [(number, OrderedStep(path, old, new)) for number, path, (old, new) in found if old != new]


def read_pull_requests(path: Path) -> list[PullRequest]:
    """Return the pull requests of a `*.jsonl.zst` file, by id.

    Raises:
        RecordError: the file cannot be read, is damaged, or holds none.
    """
    found = group_files(read_json_lines(path, _file_steps))
    if not found:
        raise RecordError(f"{path}: no ordered edits")
    return found


def group_files(files: Iterable[FileSteps]) -> list[PullRequest]:
    ordered = sorted(files, key=lambda file: (file.id, file.path))
    return [PullRequest(id, list(those)) for id, those in groupby(ordered, key=lambda file: file.id)]


def _file_steps(value: Any) -> FileSteps:
    if not isinstance(value, dict):
        raise ValueError("not a JSON object")
    for name in ("id", "path", "steps", "numbers"):
        if name not in value:
            raise ValueError(f"no field {name!r}")
    id, path, texts, numbers = value["id"], value["path"], value["steps"], value["numbers"]
    if not isinstance(id, str) or not isinstance(path, str):
        raise ValueError("`id` or `path` is not a string")
    if not isinstance(texts, list) or not all(isinstance(text, str) and "\r" not in text for text in texts):
        raise ValueError("`steps` is not a list of texts with LF line ends")
    if not isinstance(numbers, list) or not all(type(number) is int for number in numbers):
        raise ValueError("`numbers` is not a list of whole numbers")
    if len(texts) != len(numbers) + 1:
        raise ValueError(f"{len(texts)} texts need {len(texts) - 1} numbers, not {len(numbers)}")
    return FileSteps(id, path, tuple(texts), tuple(numbers))
