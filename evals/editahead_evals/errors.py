"""The exceptions of the evaluation. Every message is for the person who runs the command.

* EvalError
  - ClientError
    · ServerDiedError
    · ResponseError
  - RecordError
  - RecordingError
  - GitError
  - RevisionError
  - RunError
  - ScenarioError
* AssertionError
  - ScenarioFailure
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class EvalError(Exception):
    """The base of the errors of this package."""


class ClientError(EvalError):
    """A failed connection to the server."""


class ServerDiedError(ClientError):
    """An end of the server before the client requested it."""


class ResponseError(ClientError):
    """An error as the response to a request."""

    def __init__(self, method: str, error: Mapping[str, Any]) -> None:
        super().__init__(f"{method}: {error.get('message')} ({error.get('code')})")
        self.code: int = error["code"]
        self.data: Any = error.get("data")


class RecordError(EvalError):
    """A file of edit records that cannot be read."""


class RecordingError(EvalError):
    """A recording of editing that cannot be read."""


class GitError(EvalError):
    """A git repository that cannot be read."""


class RevisionError(EvalError):
    """A revision of Editahead that cannot be measured."""


class RunError(EvalError):
    """A replay that cannot be finished."""


class ScenarioError(EvalError):
    """A scenario file that makes no sense as it is written."""


class ScenarioFailure(AssertionError):
    """An answer of the server that differs from what a scenario expects. The message shows both, and the reason."""
