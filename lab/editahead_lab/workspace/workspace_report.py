"""The report of commits that were replayed over their workspaces."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from editahead_evals.metrics.metrics import SERVER
from editahead_evals.report.output import Provenance
from editahead_lab.commits.commit_groups import CommitMeasure, CommitReport
from editahead_lab.workspace.workspace_metrics import WORKSPACE_METRICS, WorkspaceCounts, WorkspaceResult
from editahead_lab.workspace.workspace_replay import GREP

NOTE = (
    "One file of each commit is open, chosen by chance, and gets its changes; all others are closed. "
    "With open documents alone nothing can be shown in other files: coverage 0."
)

MEASURE = CommitMeasure(
    name="edits in closed files",
    title="Edits in files that are not open",
    note=NOTE,
    timed="answer",
    percents=(50, 99),
    counts=WorkspaceCounts,
    metrics=WORKSPACE_METRICS,
    sums={"commits": "commits", "requests": "requests", "shown": "shown"},
)


def summarize(results: Sequence[WorkspaceResult], provenance: Provenance) -> CommitReport:
    """Return the report of a run: all commits, the baseline, and by language of the open file."""
    groups: dict[str, Callable[[WorkspaceResult], WorkspaceCounts | None]] = {
        name: partial(_of_predictor, name) for name in (SERVER, GREP)
    }
    for language in sorted({each.language for each in results}):
        groups[language] = partial(_of_language, language)
    return MEASURE.summarize(results, provenance, groups)


def _of_predictor(name: str, result: WorkspaceResult) -> WorkspaceCounts | None:
    return result.counts[name]


def _of_language(language: str, result: WorkspaceResult) -> WorkspaceCounts | None:
    return result.counts[SERVER] if result.language == language else None
