"""The exceptions of the package.

* ProgramsError
  - GitCommandError
  - ChildError
    + ChildTimeoutError
    + ChildOutputError
"""

from __future__ import annotations


class ProgramsError(Exception):
    """The base class of the package's errors."""


class GitCommandError(ProgramsError):
    """A git command that failed, with the reason for a person. The reason begins in lower case and has no last dot."""


class ChildError(ProgramsError):
    """A child process that was killed before its end, or failed."""


class ChildTimeoutError(ChildError):
    """A child process took too long."""


class ChildOutputError(ChildError):
    """A child process printed too much."""
