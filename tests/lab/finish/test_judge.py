"""Which places of a change the records of a repository's commits can judge."""

from __future__ import annotations

from dataclasses import replace

import pytest

from editahead_lab.commits.commit_records import CommitRecord, FileChange, Workspace, workspaces
from editahead_lab.finish.dropped_hunks import make_trial, snapshot
from editahead_lab.finish.judge import judge_place
from editahead_prompts.text.edits import Edit, Replacement

OWN = FileChange(
    "own.py",
    "M",
    "a = load()\nb = 1\nc = load()\nd = 1\ne = load()\n",
    "a = read()\nb = 1\nc = read()\nd = 1\ne = read()\n",
)
EARLIER = FileChange("other.py", "M", "", "x = load()\ny = load()\n")
LATER = replace(EARLIER, before="x = load()\ny = read()\n", after="x = read()\ny = read()\n")


def history(*, is_named_later: bool) -> list[CommitRecord]:
    commits = [CommitRecord("1", "r", 1, (EARLIER,)), CommitRecord("2", "r", 2, (OWN,))]
    return [*commits, CommitRecord("3", "r", 3, (LATER,))] if is_named_later else commits


def judge(path: str, line: int, *, is_named_later: bool = True) -> tuple[bool, bool]:
    """Judge the edit of a line from `load` to `read`: whether it is made, and whether the data can tell."""
    for workspace in workspaces(history(is_named_later=is_named_later)):
        if workspace.commit.id == "2":
            trial = make_trial(workspace, "hunks")
            assert trial is not None
            document = snapshot(path, trial.files[path])
            assert document is not None
            at = document.text.find("load", document.starts[line])
            judged = judge_place(trial, document, Edit((Replacement(at, at + 4, "read"),)))
            return bool(judged.made), judged.is_known
    raise AssertionError


def test_a_line_that_still_stands_there_later_is_wrong() -> None:
    assert judge("other.py", 0) == (False, True)


def test_the_data_reveals_no_line_that_another_commit_changed_in_between() -> None:
    assert judge("other.py", 1) == (False, False)


def test_the_data_reveals_no_file_that_no_later_commit_names() -> None:
    assert judge("other.py", 0, is_named_later=False) == (False, False)


@pytest.mark.parametrize("draw", range(3))
def test_a_file_of_the_commit_is_always_judged(draw: int) -> None:
    workspace = Workspace(
        CommitRecord(str(draw), "r", 2, (OWN, replace(OWN, path="two.py"))), {"own.py": OWN.before or ""}, {}
    )
    trial = make_trial(workspace, "hunks", draw)
    assert trial is not None
    for path, hunks in trial.dropped.items():
        document = snapshot(path, trial.files[path])
        assert document is not None
        for number, hunk in enumerate(hunks):
            at = document.starts[hunk.start]
            edit = Edit((Replacement(at, at + len("".join(hunk.old)), "".join(hunk.new)),))
            judged = judge_place(trial, document, edit)
            assert (path, number) in judged.made and judged.exact and judged.is_known
        at = document.text.find("b = 1")
        assert judge_place(trial, document, Edit((Replacement(at, at + 1, "e"),))) == judge_place(
            trial, document, Edit(())
        )
