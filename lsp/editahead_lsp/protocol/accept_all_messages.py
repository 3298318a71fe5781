"""The messages of `editahead.acceptAll`."""

from __future__ import annotations

import attrs

from .lsp_types import WorkspaceEdit


@attrs.frozen
class AcceptAllArgument:
    """The argument of the command `editahead.acceptAll`.

    Attributes:
        id: The prediction whose rule is meant; by default, the next edit of the document in focus.
        dry_run: Whether the server only returns the edit. The client makes it, and reports the prediction as accepted.
    """

    id: str | None = None
    dry_run: bool = False


@attrs.frozen
class AcceptAllResult:
    """The result of the command `editahead.acceptAll`.

    Attributes:
        label: The rule.
        message: How much it is, such as "12 edits in 4 files".
        places: The number of places.
        files: The number of files.
        edit: All places as one edit. Where the client can, it has an annotation that asks for confirmation.
        diff: The same as a unified diff.
        applied: Whether the client made the edit; null for a dry run.
        failure_reason: Why it did not.
    """

    label: str
    message: str
    places: int
    files: int
    edit: WorkspaceEdit
    diff: str
    applied: bool | None = None
    failure_reason: str | None = None
