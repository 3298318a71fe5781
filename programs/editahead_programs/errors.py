"""The exceptions of the package.

* Exception
  - GitCommandError
"""

from __future__ import annotations


class GitCommandError(Exception):
    """A git command that failed, with the reason for a person. The reason begins in lower case and has no last dot."""
