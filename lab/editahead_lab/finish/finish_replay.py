"""The replay of commits with hunks left out: what `finish` and two baselines tell of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

from editahead_inference.finish.file_kinds import file_kind
from editahead_inference.finish.finisher import Finisher
from editahead_inference.finish.names import left_places, replaced_names
from editahead_inference.finish.taught_rules import past_edits
from editahead_lab.commits.commit_records import Workspace
from editahead_lab.commits.commit_replay import CommitPlan
from editahead_lab.finish.finish_metrics import FINDERS, FINISH, GREP, SAME_FILES, FinishCounts, FinishResult
from editahead_lab.training.data.commit_codebase import CommitCodebase
from editahead_prompts.syntax.languages import PARSED_LANGUAGES
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot

from .dropped_hunks import MODES, Trial, make_trial, snapshot
from .judge import judge_place

Place = tuple[Snapshot, Edit]


class FinishPlan(CommitPlan[FinishResult]):
    """The replay of commits of several files with hunks left out."""

    def start(self) -> Callable[[Workspace], FinishResult]:
        codebase = CommitCodebase(code_only=False)
        return lambda workspace: replay_workspace(workspace, codebase)


def replay_workspace(workspace: Workspace, codebase: CommitCodebase) -> FinishResult:
    """Look for what was left out of a commit, in each way, and for what the whole commit lacks."""
    commit = workspace.commit
    languages = tuple(sorted({file.language or "" for file in commit.modified_code}))
    result = FinishResult(commit.id, languages, len(workspace.files), {})
    for name in FINDERS:
        result.counts[name] = FinishCounts(1)
    for mode in MODES:
        trial = make_trial(workspace, mode)
        if trial is None:
            continue
        codebase.update(trial.files)
        started = time.perf_counter()
        reported = _reported(Finisher(codebase), trial)
        result.ms.append(1000 * (time.perf_counter() - started))
        _count(result, FINISH, trial, reported)
        _count(result, SAME_FILES, trial, _reported(Finisher(), trial))
        _count(result, GREP, trial, list(_left_names(trial, codebase)))
    return result


def _reported(finisher: Finisher, trial: Trial) -> list[Place]:
    report = finisher.find(trial.change)
    snapshots = {snapshot.uri: snapshot for snapshot in report.snapshots}
    return [(snapshots[place.uri], place.edit) for place in report.likely]


def _left_names(trial: Trial, codebase: CommitCodebase) -> Iterator[Place]:
    """Yield each line that still has a name that the change replaced, as grep finds it."""
    names = replaced_names(trial.change, past_edits(trial.change))
    for path, text in trial.files.items():
        wanted = [name for name in names if name.old in text]
        document = (snapshot(path, text) if wanted else None) or None
        for name in wanted if document is not None else ():
            assert document is not None
            for _, edit in left_places(name, document):
                yield document, edit


def _count(result: FinishResult, name: str, trial: Trial, reported: Sequence[Place]) -> None:
    """Add what a finder told of a trial."""
    if trial.mode == "none":
        result.counts[name].whole += 1
        result.counts[name].alarms += any(judge_place(trial, *place).is_known for place in reported)
        return
    reached: set[tuple[str, int]] = set()
    groups = [result.counts[name], result.counts.setdefault(f"{name}: {trial.mode} left out", FinishCounts())]
    for document, edit in reported:
        judged = judge_place(trial, document, edit)
        reached.update(judged.made)
        kind = file_kind(document.uri, is_code=document.language in PARSED_LANGUAGES)
        for counts in (*groups, result.counts.setdefault(f"{name}: in {kind}", FinishCounts())):
            counts.told += judged.is_known
            counts.unknown += not judged.is_known
            counts.right += bool(judged.made)
            counts.exact += judged.exact
    for counts in groups:
        counts.dropped += sum(map(len, trial.dropped.values()))
        counts.repeating += len(trial.repeating)
        counts.reached += len(trial.repeating & reached)
