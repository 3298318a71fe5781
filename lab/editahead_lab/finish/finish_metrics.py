"""From what `finish` told of commits with hunks left out to figures."""

from __future__ import annotations

from dataclasses import dataclass, field

from editahead_evals.metrics.metrics import Ratio

FINISH = "finish"
SAME_FILES = "only the files of the change"
GREP = "grep for the replaced name"
FINDERS = (FINISH, SAME_FILES, GREP)
"""What looks for what was left out: `finish`, and two baselines."""


@dataclass(slots=True)
class FinishCounts:
    """The sums over the trials of one commit.

    Attributes:
        commits: 1.
        dropped: hunks that were left out.
        repeating: those of `dropped` that repeat a hunk that was left in.
        reached: those of `repeating` of which a told place makes all, or a part.
        told: places that were told where something was left out, and of which the data tells what stood there.
        unknown: the other places that were told: the file is not of the commit, and no later text of it has these lines.
        right: those of `told` that make what was left out, or a part of it, and nothing else.
        exact: those of `right` that make whole lines of it.
        whole: 1 if the whole commit was looked at.
        alarms: 1 if something was told of the whole commit, and the data tells what stood there.
    """

    commits: int = 0
    dropped: int = 0
    repeating: int = 0
    reached: int = 0
    told: int = 0
    unknown: int = 0
    right: int = 0
    exact: int = 0
    whole: int = 0
    alarms: int = 0


FINISH_METRICS = {
    "recall of repeating": Ratio("reached", "repeating"),
    "precision": Ratio("right", "told"),
    "exactly": Ratio("exact", "told"),
    "false alarms": Ratio("alarms", "whole"),
}


@dataclass(slots=True)
class FinishResult:
    """The result of one commit.

    Attributes:
        languages: the LSP language ids of its changed code.
        files: the number of files of the workspace.
        counts: the counts by finder, by finder and what was left out ("hunks", "file"), and by finder and kind of place.
        ms: the time of each search, in milliseconds.
    """

    id: str
    languages: tuple[str, ...]
    files: int
    counts: dict[str, FinishCounts]
    ms: list[float] = field(default_factory=list)
