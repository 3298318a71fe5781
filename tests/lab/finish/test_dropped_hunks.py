"""Hunks left out of commits, and the judgement of what is told of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_evals.data.commit_replay import Hunk, diff
from editahead_lab.commits.commit_records import CommitRecord, FileChange, Workspace
from editahead_lab.finish.dropped_hunks import MODES, is_on_the_way, make_trial, rewrites
from editahead_prompts.text.snapshot import split_lines

TEXTS = st.lists(st.sampled_from("abcdef"), max_size=12).map(
    lambda lines: "".join(f"{line}\n" for line in lines)
)


def made(lines: tuple[str, ...], hunks: tuple[Hunk, ...]) -> str:
    out: list[str] = []
    at = 0
    for hunk in hunks:
        out += (*lines[at : hunk.start], *hunk.new)
        at = hunk.end
    return "".join((*out, *lines[at:]))


@pytest.mark.slow
@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=4), st.sampled_from(MODES), st.text(max_size=3))
def test_what_is_left_out_completes_the_commit(texts: list[tuple[str, str]], mode: str, commit: str) -> None:
    files = tuple(FileChange(f"{number}.py", "M", *both) for number, both in enumerate(texts))
    workspace = Workspace(
        CommitRecord(commit, "r", 0.0, files), {file.path: file.before or "" for file in files}, {}
    )
    trial = make_trial(workspace, mode)
    if trial is None:
        return
    for file in files:
        present = split_lines(trial.files[file.path])
        hunks = trial.dropped.get(file.path, ())
        assert all(present[hunk.start : hunk.end] == hunk.old for hunk in hunks)
        assert made(present, hunks) == file.after
    assert (mode == "none") == (not trial.dropped)


@given(TEXTS, TEXTS)
def test_each_hunk_is_on_the_way_and_its_reverse_is_not(before: str, after: str) -> None:
    old, new = split_lines(before), split_lines(after)
    hunks = diff(old, new)
    for hunk in hunks:
        assert is_on_the_way(old, hunk, hunks)
    for hunk in diff(new, old):
        assert not is_on_the_way(new, hunk, ())


def test_a_line_of_a_hunk_is_on_the_way_and_a_half_made_line_is_not() -> None:
    lines = ("a(x, y)\n", "b(x, y)\n", "c\n")
    (hunk,) = diff(lines, ("a(z, w)\n", "b(z, w)\n", "c\n"))
    assert is_on_the_way(lines, Hunk(1, 2, lines[1:2], ("b(z, w)\n",)), (hunk,))
    assert not is_on_the_way(lines, Hunk(1, 2, lines[1:2], ("b(z, y)\n",)), (hunk,))


def test_what_two_hunks_have_in_common() -> None:
    one = Hunk(0, 1, ("  load(user)\n",), ("  fetch(user)\n",))
    other = Hunk(5, 6, ("x = load(1)\n",), ("x = fetch(1)\n",))
    assert rewrites(one) & rewrites(other) == {("load", "fetch")}
    assert rewrites(Hunk(0, 0, (), ("import json\n", "}\n"))) == {("", "import json")}
