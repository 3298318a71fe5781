"""What we read is never what git ignores: random trees, with the real git as the judge."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import given, settings

from editahead_retrieval.files.exclusion_rules import ExclusionRules
from editahead_retrieval.files.ignore_patterns import IgnorePatterns
from editahead_retrieval.files.walk import Walk
from ignore_trees import PLANS, IgnoreTree, TreePlan, ignored_by_git, make_tree

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is the judge")


def read_by_us(tree: IgnoreTree, workspace: Path) -> set[str]:
    """Return the files, as paths from `top`, whose text may enter a prompt or the index of a workspace."""
    rules = ExclusionRules([workspace], IgnorePatterns(()))
    paths = (tree.top / name for name in tree.files)
    found = {path for path in paths if path.is_relative_to(workspace) and rules.reason(path) is None}
    walked = {workspace / file.path for file in Walk(workspace, rules, 1_000_000)}
    return {path.relative_to(tree.top).as_posix() for path in found | walked}


def find_leaks(plan: TreePlan) -> list[tuple[str, set[str]]]:
    """Return the files of a tree that we read although git ignores them, by workspace."""
    with tempfile.TemporaryDirectory() as folder:
        tree = make_tree(Path(folder).resolve(), plan)
        with mock.patch.dict("os.environ", tree.environment, clear=True):
            workspaces = {tree.top, *tree.repositories, tree.top / "a", tree.top / "Sub"}
            leaks = [
                (
                    str(workspace.relative_to(tree.top)),
                    read_by_us(tree, workspace) & ignored_by_git(tree, workspace),
                )
                for workspace in sorted(workspaces)
                if workspace.is_dir()
            ]
        return [(workspace, names) for workspace, names in leaks if names]


@pytest.mark.slow
@settings(max_examples=60, deadline=None, derandomize=True, database=None)
@given(plan=PLANS)
def test_what_git_ignores_is_never_read(plan: TreePlan) -> None:
    assert find_leaks(plan) == []
