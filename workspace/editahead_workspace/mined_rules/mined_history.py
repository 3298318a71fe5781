"""The mined rules of a repository: read from its history, kept in the user's state, and given to `finish`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

from editahead_inference.mined_rules.commits import MinedCommit
from editahead_inference.mined_rules.repository import RepositoryRules
from editahead_inference.mined_rules.rules import MinedRule, keep_choices, mine
from editahead_retrieval.files.exclusion_rules import ExclusionRules
from editahead_retrieval.files.file_identity import path_from_folder
from editahead_retrieval.files.ignore_patterns import IgnorePatterns
from editahead_workspace import uris
from editahead_workspace.changes.git_command import GitCommand
from editahead_workspace.changes.git_history import DEFAULT_COMMITS, read_history

from .rules_file import load_rules, rules_path, save_rules


def read_commits(
    root: Path,
    exclude: Sequence[str],
    count: int = DEFAULT_COMMITS,
    check: Callable[[], None] = lambda: None,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[MinedCommit]:
    """Return the last commits of a repository, without the files that may not be read.

    Args:
        root: The root of the repository.
        exclude: The setting `exclude`.
        count: How many commits.
        check: Raises to cancel.
        on_progress: Called with the number of commits that are done, and of all.

    Raises:
        ChangeError: The history cannot be read.
    """
    rules = ExclusionRules([root], IgnorePatterns(tuple(exclude)))
    allowed: dict[str, bool] = {}

    def is_allowed(path: str) -> bool:
        if path not in allowed:
            parts = path.split("/")
            bad = any(part in ("", ".", "..") for part in parts)
            allowed[path] = not bad and rules.reason(root / path) is None
        return allowed[path]

    return [
        replace(
            commit,
            hunks=tuple(hunk for hunk in commit.hunks if is_allowed(hunk.path)),
            new_files=tuple(path for path in commit.new_files if is_allowed(path)),
        )
        for commit in read_history(GitCommand(root, check), count, "HEAD", check, on_progress)
    ]


def mine_repository(root: Path, state: Path, commits: Sequence[MinedCommit]) -> list[MinedRule]:
    """Mine the rules of a repository, keep them, and return them.

    Args:
        root: The root of the repository.
        state: The folder of the user's state.
        commits: The commits.

    Raises:
        ChangeError: The rules of before cannot be read, or those of now not be written.
    """
    path = rules_path(root, state)
    rules = keep_choices(mine(commits), load_rules(path))
    save_rules(path, root, rules)
    return rules


def repository_rules(root: Path, state: Path) -> RepositoryRules | None:
    """Return the rules of a repository for `finish`; None where none are mined, or all are off.

    Raises:
        ChangeError: They cannot be read.
    """
    rules = [rule for rule in load_rules(rules_path(root, state)) if not rule.is_off]
    if not rules:
        return None

    def path_of(uri: str) -> str | None:
        path = uris.uri_to_path(uri)
        inner = None if path is None or ".." in path.parts else path_from_folder(path, root)
        return None if inner is None else inner.as_posix()

    base = uris.path_to_uri(root)
    return RepositoryRules(rules, path_of, lambda path: f"{base}/{quote(path)}")
