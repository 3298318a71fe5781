"""The exceptions of this package.

CommandError
├── SketchInputError
├── ToolRefusedError
├── DiffMismatchError
├── SessionMismatchError
├── HttpError
└── NothingToReplayError
"""


class CommandError(Exception):
    """The base of this package's exceptions. The message is for a person."""


class SketchInputError(CommandError):
    """A sketch that cannot be read. The message quotes none of it."""


class ToolRefusedError(CommandError):
    """A request of an agent that cannot be done."""


class DiffMismatchError(CommandError):
    """A diff that does not belong to the file, or a file that changed after the diff was made."""


class SessionMismatchError(CommandError):
    """A demo session that does not fit its project."""


class NothingToReplayError(CommandError):
    """A repository without commits that the demo can replay."""


class HttpError(CommandError):
    """A request that the endpoint refuses.

    Attributes:
        status: The status of the answer.
        code: A word for programs.
    """

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status, self.code = status, code
