"""From edits shown in closed files to figures."""

from __future__ import annotations

from dataclasses import dataclass, field

from editahead_evals.metrics.metrics import Ratio


@dataclass(slots=True)
class WorkspaceCounts:
    """The sums over the requests of one commit: one after each hunk of the open file.

    Attributes:
        commits: 1.
        met: 1 if a correct edit of another file was shown.
        requests: all requests.
        shown: edits of other files that were shown first.
        correct: those of `shown` that make remaining hunks of their file, and nothing else.
        different: distinct edits of `shown`: one that is shown again counts once.
        different_correct: those of `different` that are correct.
        false_ends: 1 if an edit of another file was shown where all other files had their final texts already.
    """

    commits: int = 0
    met: int = 0
    requests: int = 0
    shown: int = 0
    correct: int = 0
    different: int = 0
    different_correct: int = 0
    false_ends: int = 0


WORKSPACE_METRICS = {
    "coverage": Ratio("met", "commits"),
    "precision": Ratio("correct", "shown"),
    "precision, each once": Ratio("different_correct", "different"),
    "shown/100": Ratio("shown", "requests", 100),
    "false end": Ratio("false_ends", "commits"),
}


@dataclass(slots=True)
class WorkspaceResult:
    """The result of one commit.

    Attributes:
        language: the LSP language id of the open file.
        files: the number of files of the workspace.
        counts: the counts by predictor.
        ms: the latency of each answer, in milliseconds.
    """

    id: str
    language: str
    files: int
    counts: dict[str, WorkspaceCounts]
    ms: list[float] = field(default_factory=list)
