"""The checkout that this code runs from: which commit was measured."""

from __future__ import annotations

from pathlib import Path

from editahead_evals.errors import RevisionError
from editahead_programs.git_command import GitCommand, find_root

_HERE = Path(__file__)


def present_commit() -> str:
    """Return the commit of this code's checkout, marked when files differ; "unknown" outside of a checkout."""
    try:
        git = own_repository()
        commit = git.run("rev-parse", "--short", "HEAD").decode().strip()
        return f"{commit}-dirty" if git.run("status", "--porcelain") else commit
    except RevisionError:
        return "unknown"


class _OwnGit(GitCommand):
    """The git executable, for the checkout that this code runs from."""

    error = RevisionError


def own_repository() -> GitCommand:
    """Return the repository around this file, which tracks it, rather than only contains an installation.

    Raises:
        RevisionError: there is none.
    """
    root = find_root(_HERE.parent)
    if root is None:
        raise RevisionError("not a git repository")
    git = _OwnGit(root)
    git.run("rev-parse", f"HEAD:{_HERE.relative_to(root).as_posix()}")
    return git
