"""The replay of commits over the workspaces that the commits before them left."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from .commit_records import CommitRecord, Workspace, read_commits, workspaces

_Result = TypeVar("_Result")


@dataclass(frozen=True)
class CommitPlan(ABC, Generic[_Result]):
    """The replay of commits of several files.

    Attributes:
        commits: The file of all commits, from which workspaces are made.
    """

    commits: Path

    @abstractmethod
    def start(self) -> Callable[[Workspace], _Result]:
        """Start what one process needs, and return the replay of one commit."""

    @contextmanager
    def replays(self) -> Iterator[Callable[[CommitRecord], _Result]]:
        """Return the replay of one commit. The commits must come in the order of `choose`."""
        known = workspaces(read_commits(self.commits))
        replay = self.start()
        yield lambda commit: replay(next(one for one in known if one.commit.id == commit.id))


def choose(commits: Path, count: int | None, seed: int, *, with_code: bool) -> list[CommitRecord]:
    """Return commits in the order in which their workspaces come.

    Args:
        commits: The file of commits.
        count: The number of commits; None = all.
        seed: The seed of the choice.
        with_code: Whether to choose only among those with modified code.

    Raises:
        RecordError: The file cannot be read.
    """
    found = [one.commit for one in workspaces(read_commits(commits))]
    found = [commit for commit in found if commit.modified_code or not with_code]
    chosen = set(random.Random(seed).sample(range(len(found)), min(count or len(found), len(found))))
    return [commit for number, commit in enumerate(found) if number in chosen]
