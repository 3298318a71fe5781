"""The exceptions of the language server.

* LspError
  - ChangeError
  - IndexNotReadyError
  - MessageTooLargeError
  - NotLoopbackError
  - OutcomeLogError
  - SettingError
  - WriteError
    - NeedsForceError

Errors that a request is answered with are `JsonRpcException` of pygls.
"""

from __future__ import annotations


class LspError(Exception):
    """The base class of the errors of the language server."""


class ChangeError(LspError):
    """A change that cannot be read, with the reason for a person. The reason begins in lower case and has no last dot."""


class IndexNotReadyError(LspError):
    """An index of a workspace that is not whole, and cannot be built now, with the reason for a person."""


class MessageTooLargeError(LspError):
    """A message that would take too much memory, with the reason for a person."""


class NotLoopbackError(LspError):
    """An address to listen on that other machines can reach."""


class OutcomeLogError(LspError):
    """An outcome log that is damaged, or that a newer Editahead wrote."""


class SettingError(LspError):
    """A value that a setting does not allow."""


class WriteError(LspError):
    """Files that could not be written, with the reason for a person. None of them was changed."""


class NeedsForceError(WriteError):
    """A file that is only written when a person insists: it is read-only, or would lose an owner or a hard link."""
