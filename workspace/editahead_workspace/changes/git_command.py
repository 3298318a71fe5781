"""Git commands for changes, with the errors of changes."""

from __future__ import annotations

from editahead_programs import git_command
from editahead_workspace.errors import ChangeError


class GitCommand(git_command.GitCommand):
    """The git executable, for the repository of a change.

    Raises:
        ChangeError: There is no git or no repository, or it is another user's.
    """

    error = ChangeError
    missing = "git is not installed; compare with a folder instead (`--base FOLDER`)"
