"""The exceptions of the package.

* RetrievalError
  - IndexUnusableError: the index cannot be used, whatever is tried.
    - IndexDamagedError: its file is damaged, or of another version; another one must be built.
    - IndexFullError: there is no room for more of it.
  - EncoderError
  - SearchLogError
  - TeamIndexError
  - UnreadableFileError
    - FileTooLargeError
    - NotRegularFileError
"""

from __future__ import annotations


class RetrievalError(Exception):
    """The base class of the package's errors."""


class IndexUnusableError(RetrievalError):
    """An index that cannot be opened, read or written, with the reason for a person."""


class IndexDamagedError(IndexUnusableError):
    """An index whose file is damaged, or of another version of the tables."""


class IndexFullError(IndexUnusableError):
    """An index that cannot grow: the disk is full, or a limit is reached. What it holds is whole."""


class EncoderError(RetrievalError):
    """An encoder, or a server of embeddings, that cannot be used, with the reason for a person."""


class SearchLogError(RetrievalError):
    """A log of searches that cannot be read or written, with the reason for a person."""


class TeamIndexError(RetrievalError):
    """A team's index that cannot be used now, with the reason for a person."""


class UnreadableFileError(RetrievalError):
    """A file of a repository that is not read, with the reason in a few words."""


class FileTooLargeError(UnreadableFileError):
    """A file above the limit, in bytes."""

    def __init__(self, max_bytes: int) -> None:
        super().__init__(f"larger than {max_bytes} bytes")


class NotRegularFileError(UnreadableFileError):
    """A folder, a pipe or a device in the place of a file."""

    def __init__(self) -> None:
        super().__init__("not a regular file")
