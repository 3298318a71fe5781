"""The exceptions of the workspace.

* WorkspaceError
  - ChangeError
  - IndexNotReadyError
  - NothingToChooseError
  - OutcomeLogError
  - SettingError
  - UnreadableSketchError
  - WriteError
    - NeedsForceError
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from editahead_inference.apply.results import Refusal


class WorkspaceError(Exception):
    """The base class of the errors of the workspace."""


class ChangeError(WorkspaceError):
    """A change that cannot be read, with the reason for a person. The reason begins in lower case and has no last dot."""


class IndexNotReadyError(WorkspaceError):
    """An index of a workspace that is not whole, and cannot be built now, with the reason for a person."""


class NothingToChooseError(WorkspaceError):
    """A choice was asked for, and there is one reading only. The reason begins in lower case and has no last dot."""


class OutcomeLogError(WorkspaceError):
    """An outcome log that is damaged, or that a newer Editahead wrote."""


class SettingError(WorkspaceError):
    """A value that a setting does not allow."""


class UnreadableSketchError(WorkspaceError):
    """A text that is no sketch, or is too large.

    Attributes:
        refusal: What is wrong with it.
    """

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.detail)
        self.refusal = refusal


class WriteError(WorkspaceError):
    """Files that could not be written, with the reason for a person. None of them was changed."""


class NeedsForceError(WriteError):
    """A file that is only written when a person insists: it is read-only, or would lose an owner or a hard link."""
