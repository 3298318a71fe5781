"""The exceptions of the package.

* Exception
  - UnreadableFileError
"""

from __future__ import annotations


class UnreadableFileError(Exception):
    """A file of a repository that is not read, with the reason in a few words."""
