"""The exceptions of the package.

* Exception
  - IndexUnusableError: the index cannot be used, whatever is tried.
    - IndexFullError: there is no room for more of it.
  - UnreadableFileError
"""

from __future__ import annotations


class IndexUnusableError(Exception):
    """An index that cannot be opened, read or written, with the reason for a person."""


class IndexFullError(IndexUnusableError):
    """An index that cannot grow: the disk is full, or a limit is reached. What it holds is whole."""


class UnreadableFileError(Exception):
    """A file of a repository that is not read, with the reason in a few words."""
