"""The choice of the candidates that are shown: the best ones, and for a task also files that are not there yet.

A question where something is done is for the piece. A task is for all of its files: the best pieces alone would fill an
answer with a few of them, and would leave out the tests and documents, as these are ordered behind the code.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from . import path_kinds
from .features import Candidate
from .places import Place

MAX_PER_FILE = 3
"""Results of one file among the best ones."""
BEST_SHARE = 0.6
"""The share of the results that are the best pieces, whatever their files."""
ANY_KIND_SHARE = 0.2
"""The share of the results, the last ones, for new files of any kind: tests, examples, prose and data as well as code."""

MIN_COVERAGE = 0.5
"""The share of the question, by the rarity of its words, that a piece of code has that is put first."""
_STEP = 0.01
"""The log-odds by which the first one is ahead."""


def put_code_first(candidates: Sequence[Candidate]) -> None:
    """Raise the best code above tests, examples and prose, which repeat a question in its own words.

    Args:
        candidates: The candidates in any order; `raised` is set for one of them at most.
    """
    best = max(candidates, key=_rank, default=None)
    if best is None or not _is_repetition(best.place.path):
        return
    code = [found for found in candidates if path_kinds.is_code(found.place.path)]
    first = max(
        (found for found in code if found.values["coverage"] >= MIN_COVERAGE), key=_rank, default=None
    )
    if first is not None:
        first.raised = best.log_odds - first.log_odds + _STEP


def _rank(candidate: Candidate) -> tuple[float, Place]:
    return candidate.log_odds, candidate.place


def _is_repetition(path: str) -> bool:
    return path_kinds.is_test(path) or path_kinds.is_example(path) or path_kinds.is_prose(path)


def choose_shown(candidates: Sequence[Candidate], limit: int, *, more_files: bool) -> list[Candidate]:
    """Return the candidates that are shown, the best first.

    Args:
        candidates: The candidates, the best first.
        limit: The number of results at most.
        more_files: Keep room at the end for files that the best pieces are not of.
    """
    chosen: dict[Place, Candidate] = {}
    of_file: Counter[str] = Counter()

    def take(more: Iterable[Candidate], count: int, per_file: int) -> None:
        for candidate in more:
            if len(chosen) >= count:
                return
            place = candidate.place
            if of_file[place.path] < per_file and place not in chosen:
                of_file[place.path] += 1
                chosen[place] = candidate

    if more_files:
        take(candidates, round(BEST_SHARE * limit), MAX_PER_FILE)
        take(candidates, limit - int(ANY_KIND_SHARE * limit), 1)
        take(sorted(candidates, key=lambda found: (-found.log_odds_of_any_kind, found.place)), limit, 1)
    take(candidates, limit, MAX_PER_FILE)
    return sorted(chosen.values(), key=lambda found: (-found.score, found.place))
