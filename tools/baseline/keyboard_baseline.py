"""The parts of the quality baseline that people notice at the keyboard: recordings, typed commits and ordered edits.

Each part holds counts by session or pull request of a small fixed sample, in the order of `columns`, and no text.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import Any

from editahead_evals.data.edit_records import read_records, sample
from editahead_evals.data.own_checkout import present_commit
from editahead_evals.data.recordings import read_recordings
from editahead_evals.metrics.key_metrics import SURFACES, KeyCounts, SessionResult, SurfaceResult
from editahead_evals.replay.key_replay import KeyPlan
from editahead_evals.replay.parallel import evaluate
from editahead_evals.report import key_report
from editahead_evals.report.comparison import Comparison, Difference
from editahead_lab.commits.typed_commits import typed_commit
from editahead_lab.ordered import ordered_report
from editahead_lab.ordered.ordered_edits import read_pull_requests
from editahead_lab.ordered.ordered_metrics import OrderedCounts, PullRequestResult
from editahead_lab.ordered.ordered_replay import OrderedPlan

DATA = Path(__file__).parents[3] / "shared" / "data"
SEED, JOBS = 5, 2
TYPED_FILES, MAX_TYPED_KEYS = 20, 120
"""The number of typed files, and the most keys of each: a key costs two requests, and CI has two minutes."""
PULL_REQUESTS = 20

KEY_FIGURES = tuple(
    f"{surface}: {figure}" for surface in SURFACES for figure in ("time saved", "wrong/100", "flickered/100")
)
ORDERED_FIGURES = ("coverage", "precision", "next", "wrong/100", "false end", "reversal")

Counts = dict[str, list[int]]


@dataclass(frozen=True)
class BaselinePart:
    """One part of the baseline.

    Attributes:
        name: its key in the file.
        data: what it is measured on.
        columns: the names of the stored counts.
        figures: the figures that must not become significantly worse.
        measure: returns the counts of each item, by id.
        compare: compares our and their counts.
    """

    name: str
    data: Path
    columns: tuple[str, ...]
    figures: tuple[str, ...]
    measure: Callable[[Path], Counts]
    compare: Callable[[Counts, Counts, str], Comparison]

    def differences(self, counts: Counts, baseline: Mapping[str, Any]) -> Sequence[Difference]:
        """Return the differences of the figures, paired by item.

        Raises:
            ValueError: an item of the baseline was not measured.
        """
        known = baseline[self.name]
        ours = {_digest(id): row for id, row in counts.items()}
        if missing := known["counts"].keys() - ours.keys():
            raise ValueError(f"{len(missing)} items of the baseline were not measured")
        found = self.compare(ours, known["counts"], known["commit"])
        return [each for each in found.figures.values() if each.figure in self.figures]

    def written(self, counts: Counts) -> dict[str, Any]:
        """Return what the file holds of this part."""
        return {
            "commit": present_commit(),
            "data": self.data.name,
            "seed": SEED,
            "columns": list(self.columns),
            "counts": dict(sorted((_digest(id), row) for id, row in counts.items())),
        }


def _digest(id: str) -> str:
    return blake2b(id.encode(), digest_size=6).hexdigest()


def _measure_recordings(folder: Path) -> Counts:
    return _key_counts(evaluate(read_recordings(folder), JOBS, KeyPlan()))


def _measure_typing(path: Path) -> Counts:
    sessions = map(typed_commit, sample(read_records(path), None, SEED))
    short = list(islice((session for session in sessions if session.keys <= MAX_TYPED_KEYS), TYPED_FILES))
    return _key_counts(evaluate(short, JOBS, KeyPlan()))


def _measure_ordered(path: Path) -> Counts:
    requests = read_pull_requests(path)
    random.Random(SEED).shuffle(requests)
    results = evaluate(requests[:PULL_REQUESTS], JOBS, OrderedPlan())
    return {each.id: [each.files, *astuple(each.counts)] for each in results}


def _key_counts(results: Any) -> Counts:
    return {
        each.id: [count for surface in SURFACES for count in astuple(each.faces[surface].counts)]
        for each in results
    }


def _compare_keys(ours: Counts, theirs: Counts, commit: str) -> Comparison:
    return key_report.compare(_sessions(ours), _sessions(theirs), commit, SEED)


def _sessions(counts: Counts) -> list[SessionResult]:
    width = len(fields(KeyCounts))
    return [
        SessionResult(
            id,
            "",
            {
                surface: SurfaceResult(KeyCounts(*row[n * width : (n + 1) * width]))
                for n, surface in enumerate(SURFACES)
            },
        )
        for id, row in counts.items()
    ]


def _compare_ordered(ours: Counts, theirs: Counts, commit: str) -> Comparison:
    mine, other = (
        [PullRequestResult(id, files, OrderedCounts(*row)) for id, (files, *row) in counts.items()]
        for counts in (ours, theirs)
    )
    return ordered_report.compare(mine, other, commit, SEED)


_KEY_COLUMNS = tuple(f"{surface} {column.name}" for surface in SURFACES for column in fields(KeyCounts))

PARTS = (
    BaselinePart("keys", DATA / "recordings", _KEY_COLUMNS, KEY_FIGURES, _measure_recordings, _compare_keys),
    BaselinePart(
        "typing",
        DATA / "edits" / "dev.jsonl.zst",
        _KEY_COLUMNS,
        KEY_FIGURES,
        _measure_typing,
        _compare_keys,
    ),
    BaselinePart(
        "ordered",
        DATA / "ordered-edits" / "dev.jsonl.zst",
        ("files", *(column.name for column in fields(OrderedCounts))),
        ORDERED_FIGURES,
        _measure_ordered,
        _compare_ordered,
    ),
)
