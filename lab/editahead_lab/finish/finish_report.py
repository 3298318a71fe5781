"""The report of commits with hunks left out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from editahead_evals.report.output import Provenance
from editahead_lab.commits.commit_groups import CommitMeasure, CommitReport
from editahead_lab.finish.finish_metrics import FINDERS, FINISH, FINISH_METRICS, FinishCounts, FinishResult

NOTE = (
    "Some hunks of each commit are left out, then all hunks of one file, then none. A hunk repeats others if each run of "
    "tokens that it replaces, or line that it adds or removes, is replaced by the same, added or removed there. "
    "False alarms are whole commits in which something is found. A place in a file that the commit leaves alone counts only "
    "where a later text of the file still has these lines: the data has few of a repository's commits, so that else it "
    "does not tell whether they stood there then; these places are `unknown`."
)

SUMS = {
    "left out": "dropped",
    "repeating": "repeating",
    "found": "told",
    "unknown": "unknown",
    "whole": "whole",
}
MEASURE = CommitMeasure(
    name="what finish finds",
    title="What `finish` finds of what was left out of commits",
    note=NOTE,
    timed="search",
    percents=(50, 95),
    counts=FinishCounts,
    metrics=FINISH_METRICS,
    sums=SUMS,
)


def summarize(results: Sequence[FinishResult], provenance: Provenance) -> CommitReport:
    """Return the report of a run: by finder, by what was left out and kind of place, and by language."""
    others = sorted({name for each in results for name in each.counts} - set(FINDERS))
    groups: dict[str, Callable[[FinishResult], FinishCounts | None]] = {
        name: partial(_of_group, name) for name in (*FINDERS, *others)
    }
    for language in sorted({language for each in results for language in each.languages}):
        groups[language] = partial(_of_language, language)
    return MEASURE.summarize(results, provenance, groups)


def _of_group(name: str, result: FinishResult) -> FinishCounts | None:
    return result.counts.get(name)


def _of_language(language: str, result: FinishResult) -> FinishCounts | None:
    return result.counts[FINISH] if language in result.languages else None
