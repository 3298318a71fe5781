"""The exceptions of the language server.

* LspError
  - MessageTooLargeError
  - NotLoopbackError

Errors that a request is answered with are `JsonRpcException` of pygls.
"""

from __future__ import annotations


class LspError(Exception):
    """The base class of the errors of the language server."""


class MessageTooLargeError(LspError):
    """A message that would take too much memory, with the reason for a person."""


class NotLoopbackError(LspError):
    """An address to listen on that other machines can reach."""
