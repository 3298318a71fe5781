"""The replay of questions with known answers, by each way to search."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from editahead_lab.commits.commit_records import CommitRecord, read_commits, workspaces
from editahead_retrieval.search.code_search import WAY_WEIGHTS
from editahead_retrieval.search.fusion import fuse
from editahead_retrieval.search.places import Place
from editahead_retrieval.search.question import read_question
from editahead_retrieval.search.shown import choose_shown
from editahead_retrieval.vectors.encoders import open_encoder

from .bm25 import WordBaseline
from .indexed_files import IndexedFiles, indexed_files
from .tasks import Package, SearchTask, tasks_of_commit

BEST = 10
"""Results that count."""
BM25, FUSED, JOINED, JOINED_VECTORS = "BM25", "joined by rank", "joined", "joined with vectors"
BM25_TEN, SHOWN = "BM25, its first ten", "joined, the ten shown"
"""What a person sees: ten pieces, which may be of few files."""
MAX_PLACES = 200
"""Places of a ranking that are looked at, as several of them can be in one file."""


@dataclass
class Outcome:
    """What one way to search found of one question.

    Attributes:
        questions: 1.
        reciprocal: The reciprocal rank of the first answer among the best ten; 0 without one.
        recall: The share of the answers that are among the best ten, of ten at most.
    """

    questions: int = 0
    reciprocal: float = 0.0
    recall: float = 0.0


@dataclass
class SearchOutcome:
    """The outcomes of one question.

    Attributes:
        id: The commit or the function.
        kind: The kind of the question.
        files: The number of files of the workspace.
        ways: The outcome of each way to search.
        ms: The time of the joined search without vectors, in milliseconds.
    """

    id: str
    kind: str
    files: int
    ways: dict[str, Outcome]
    ms: float


@dataclass(frozen=True)
class SearchItem:
    """A commit, or a package whose functions are asked for."""

    commit: CommitRecord | None = None
    package: Package | None = None

    @property
    def id(self) -> str:
        """The name of the commit or of the package."""
        if self.commit is not None:
            return self.commit.id
        return self.package.id if self.package is not None else ""

    @property
    def workspace(self) -> str:
        """The name of the repository or of the package."""
        return self.commit.repo if self.commit is not None else self.id


@dataclass(frozen=True)
class SearchPlan:
    """The replay of questions.

    Attributes:
        commits: The file of all commits, from which workspaces are made; None without commits.
        encoder: The file of the encoder of the search with vectors; "" for none.
    """

    commits: Path | None = None
    encoder: str = ""

    @contextmanager
    def replays(self) -> Iterator[Callable[[SearchItem], list[SearchOutcome]]]:
        """Return the replay of one item. Commits must come in the order of their workspaces.

        Raises:
            EncoderError: The encoder cannot be used.
        """
        encoder = open_encoder(self.encoder) if self.encoder else None
        known = workspaces(read_commits(self.commits)) if self.commits is not None else iter(())
        baseline = WordBaseline()
        with ExitStack() as opened:
            indexed: IndexedFiles | None = None
            name = ""

            def replay_one(item: SearchItem) -> list[SearchOutcome]:
                nonlocal indexed, name
                if item.package is not None:
                    files, tasks = item.package.files, item.package.tasks
                else:
                    workspace = next(one for one in known if one.commit.id == item.id)
                    files, tasks = workspace.files, list(tasks_of_commit(workspace.commit))
                if not tasks:
                    return []
                if indexed is None or item.workspace != name:
                    # An index keeps the vectors of what is gone, which only one repository may share.
                    opened.close()
                    indexed, name = opened.enter_context(indexed_files(encoder)), item.workspace
                indexed.update(files)
                baseline.update(files)
                return list(_replay_tasks(tasks, indexed, baseline))

            yield replay_one


def last_commits(commits: Path, per_repository: int) -> list[CommitRecord]:
    """Return the last commits of each repository, whose workspaces know the most files, in the order of `workspaces`.

    Args:
        commits: The file of commits.
        per_repository: The number of commits of each repository.

    Raises:
        RecordError: The file cannot be read.
    """
    by_repository: dict[str, list[CommitRecord]] = {}
    for workspace in workspaces(read_commits(commits)):
        by_repository.setdefault(workspace.commit.repo, []).append(workspace.commit)
    return [commit for found in by_repository.values() for commit in found[-per_repository:]]


def _replay_tasks(
    tasks: Sequence[SearchTask], indexed: IndexedFiles, baseline: WordBaseline
) -> Iterator[SearchOutcome]:
    """Yield the outcome of each task. Tasks with the same question are asked once."""
    asked: dict[str, tuple[dict[str, Sequence[Place]], float]] = {}
    for task in tasks:
        if task.question not in asked:
            asked[task.question] = _rank(task.question, indexed, baseline)
        rankings, ms = asked[task.question]
        ways = {name: score(task, places) for name, places in rankings.items()}
        yield SearchOutcome(task.id, task.kind, len(indexed.files), ways, ms)


def _rank(
    question: str, indexed: IndexedFiles, baseline: WordBaseline
) -> tuple[dict[str, Sequence[Place]], float]:
    """Return what each way to search finds, the best first, and the milliseconds of the joined search."""
    rankings: dict[str, Sequence[Place]] = {BM25: baseline.rank(question, MAX_PLACES)}
    rankings[BM25_TEN] = rankings[BM25][:BEST]
    alone = indexed.search.rankings(question)
    joined = indexed.search_with_vectors
    rankings |= alone if joined is None else joined.rankings(question)
    rankings[FUSED] = list(fuse((WAY_WEIGHTS[name], places) for name, places in alone.items()))
    started = time.perf_counter()
    candidates = indexed.search.candidates(question)
    ms = 1000 * (time.perf_counter() - started)
    rankings[JOINED] = [candidate.place for candidate in candidates]
    shown = choose_shown(candidates, BEST, more_files=not read_question(question).asks)
    rankings[SHOWN] = [candidate.place for candidate in shown]
    if joined is not None:
        rankings[JOINED_VECTORS] = [candidate.place for candidate in joined.candidates(question)]
    return rankings, ms


def score(task: SearchTask, places: Sequence[Place]) -> Outcome:
    """Return what the best places are worth for a question.

    Args:
        task: The question.
        places: The places, the best first.
    """
    if task.files:
        named = dict.fromkeys(place.path for place in places if place.path != task.asked_in)
        right = [path in task.files for path in list(named)[:BEST]]
        count = len(task.files)
    else:
        right = [(place.path, place.line) in task.chunks for place in places[:BEST]]
        count = len(task.chunks)
    first = right.index(True) + 1 if any(right) else 0
    return Outcome(1, 1 / first if first else 0.0, sum(right) / min(count, BEST))
