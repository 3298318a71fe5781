"""The exceptions of the package.

- InferenceError: a request that failed.
  - ApplyRefusedError: Apply declines a sketch, with the reason.
  - BackendError: a model's backend could not answer.
    - HttpStatusError: its server answered with another status than success.
  - SmallModelError: the small model cannot be made of the files that there are.
- Cancelled: control flow, not an error: the result of a job is no longer wanted.
  - DeadlineError: the job ran longer than it may.
  - PreemptedError: the job made room for an urgent one.

Data that cannot be read (weights of a gate, a server's URL, the engine's runfile) raises `ValueError`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from .apply.results import Refusal

FailureKind: TypeAlias = Literal[
    "unreachable",  # there is no connection, or the connection ended
    "timeout",  # no answer, or no further part of an answer, came in time
    "refused",  # the server rejects the request: its key, its model, its size
    "broken",  # the answer is not what the protocol allows
    "suspended",  # the circuit breaker is open: nothing was sent
]


class InferenceError(Exception):
    """The base class of the package's errors."""


class ApplyRefusedError(InferenceError):
    """Apply changes nothing; `refusal` holds the reason."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.detail)
        self.refusal = refusal


class BackendError(InferenceError):
    """A request to a backend failed.

    Args:
        failure: What kind of failure it was.
        detail: One sentence for the user. It quotes neither prompt nor key.
    """

    def __init__(self, failure: FailureKind, detail: str) -> None:
        super().__init__(detail)
        self.failure = failure
        self.detail = detail


class HttpStatusError(BackendError):
    """A server answered with another status than success. Only some statuses speak against the server."""

    def __init__(self, status: int, failure: FailureKind, detail: str) -> None:
        super().__init__(failure, detail)
        self.status = status


class SmallModelError(InferenceError):
    """Editahead's small model cannot be made of the files that there are. The message is for the user."""


class Cancelled(Exception):
    """The result of a job is no longer wanted."""


class DeadlineError(Cancelled):
    """The job ran longer than its deadline allows."""


class PreemptedError(Cancelled):
    """The job made room for an urgent one. The job can be run again."""
