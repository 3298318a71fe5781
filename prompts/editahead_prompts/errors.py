"""The exceptions of the package.

* PromptsError
  - InvalidStateError (ValueError)
  - PromptTooLongError (ValueError)
  - SketchError (ValueError)
    - InvalidNameError
    - UnfitSketchError
  - TokenizerUnavailableError
  - UnknownFormatError (ValueError)
  - UnreadablePromptError (ValueError)
    - UnmarkedPromptError
"""

from __future__ import annotations

from typing import Literal


class PromptsError(Exception):
    """The base of the errors of this package."""


class InvalidStateError(PromptsError, ValueError):
    """A JSON value that is not a stored state, or a state of another version. The message is for the user."""


class PromptTooLongError(PromptsError, ValueError):
    """The required parts of a prompt have more tokens than the budget."""


class SketchError(PromptsError, ValueError):
    """A text without a sketch of a change. The message says why, for the user.

    Attributes:
        at: The first of the lines that the message is about, 0-based.
        end: The line after the last of these lines.
    """

    def __init__(self, message: str, at: int = 0, end: int = 0) -> None:
        super().__init__(message)
        self.at = at
        self.end = end


class InvalidNameError(SketchError):
    """A patch with a file's name that cannot be decoded or shown. None of its files may change."""


class UnfitSketchError(SketchError):
    """A part of a sketch that does not fit its file as the part itself says.

    Attributes:
        reason: "unplaced" if the file lacks the part's old text, "ambiguous" if the file has several places for it.
    """

    def __init__(self, reason: Literal["unplaced", "ambiguous"], message: str, at: int, end: int) -> None:
        super().__init__(message, at, end)
        self.reason = reason


class TokenizerUnavailableError(PromptsError):
    """A tokenizer that cannot be loaded. The message is for the user."""


class UnknownFormatError(PromptsError, ValueError):
    """A setting or a model without a prompt format for the task. The message is for the user."""


class UnreadablePromptError(PromptsError, ValueError):
    """A prompt of an unknown format, or without a part that its format needs. The message is for the user."""


class UnmarkedPromptError(UnreadablePromptError):
    """A prompt with the marks of no format."""
