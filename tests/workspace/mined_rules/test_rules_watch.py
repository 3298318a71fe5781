"""Mined rules inside the server: read when it starts, and again when their file has changed."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from editahead_inference.mined_rules.repository import RepositoryRules
from editahead_inference.mined_rules.rewrites import Rewrite
from editahead_inference.mined_rules.rules import MinedRule, content_id
from editahead_workspace.mined_rules.rules_file import rules_path, save_rules
from editahead_workspace.mined_rules.rules_watch import RulesWatch
from git_repository import make_repository

WHAT = Rewrite(".py", "assertEquals", "assertEqual", 5, 0, ())
RULE = MinedRule(WHAT, id=content_id(WHAT))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "work", {"a.py": "x = 1\n"})


def test_rules_are_read_when_they_change(root: Path, tmp_path: Path) -> None:
    state = tmp_path / "state"
    used: list[list[str]] = []

    def at_once(read: Callable[[], Any], use: Callable[[Any], None]) -> None:
        use(read())

    def use(repositories: Sequence[RepositoryRules]) -> None:
        used.append([rule.id for one in repositories for rule in one.rules])

    watch = RulesWatch(state, at_once, use)
    watch.look([root, tmp_path])
    assert used == []
    path = rules_path(root, state)
    save_rules(path, root, [RULE])
    watch.look()
    watch.look()
    assert used == [[RULE.id]]
    path.write_text("[[rule")
    watch.look()
    assert used == [[RULE.id], []]
    save_rules(path, root, [RULE])
    os.utime(path, ns=(1, 1))
    watch.look()
    path.unlink()
    watch.look()
    assert used[2:] == [[RULE.id], []]
