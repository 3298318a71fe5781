"""The exceptions of the workspace.

* WorkspaceError
  - ChangeError
  - IndexNotReadyError
  - OutcomeLogError
  - SettingError
  - WriteError
    - NeedsForceError
"""

from __future__ import annotations


class WorkspaceError(Exception):
    """The base class of the errors of the workspace."""


class ChangeError(WorkspaceError):
    """A change that cannot be read, with the reason for a person. The reason begins in lower case and has no last dot."""


class IndexNotReadyError(WorkspaceError):
    """An index of a workspace that is not whole, and cannot be built now, with the reason for a person."""


class OutcomeLogError(WorkspaceError):
    """An outcome log that is damaged, or that a newer Editahead wrote."""


class SettingError(WorkspaceError):
    """A value that a setting does not allow."""


class WriteError(WorkspaceError):
    """Files that could not be written, with the reason for a person. None of them was changed."""


class NeedsForceError(WriteError):
    """A file that is only written when a person insists: it is read-only, or would lose an owner or a hard link."""
