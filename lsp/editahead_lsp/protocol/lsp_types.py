"""The parts of LSP for code actions, completions and hints.

Input is read as leniently as `custom_messages`. On output, a field that LSP lets a server omit is omitted when it is None.

lsprotocol has these types too. Ours exist for three reasons. The schemas in docs say exactly which fields the server
sends, and lsprotocol's types have every optional field of LSP. lsprotocol refuses values that LSP does not list, such as
an unknown severity. Its hooks are made at the first use: the first completion item takes about 30 ms, and each later one
takes three times as long as ours.
"""

from __future__ import annotations

from typing import Any, Literal

import attrs

from .custom_messages import (
    ClientDiagnostic,
    Command,
    Position,
    Range,
    TextEdit,
    VersionedTextDocument,
)
from .field_metadata import OPTIONAL


@attrs.frozen
class WorkspaceEdit:
    """The changes of an edit.

    Attributes:
        document_changes: The changes with document versions, for clients that support them.
        changes: The changes by URI, for other clients.
        change_annotations: The annotations by the ids in `document_changes`.
    """

    document_changes: list[TextDocumentEdit | CreateFile | RenameFile | DeleteFile] | None = attrs.field(
        default=None, metadata=OPTIONAL
    )
    changes: dict[str, list[TextEdit]] | None = attrs.field(default=None, metadata=OPTIONAL)
    change_annotations: dict[str, ChangeAnnotation] | None = attrs.field(default=None, metadata=OPTIONAL)


@attrs.frozen
class TextDocumentEdit:
    text_document: VersionedTextDocument
    edits: list[TextEdit | AnnotatedTextEdit]


@attrs.frozen
class AnnotatedTextEdit:
    range: Range
    new_text: str
    annotation_id: str


@attrs.frozen
class ChangeAnnotation:
    """What a change does. With `needs_confirmation` the client asks the user before the change."""

    label: str
    needs_confirmation: bool
    description: str | None = attrs.field(default=None, metadata=OPTIONAL)


@attrs.frozen
class CreateFile:
    uri: str
    annotation_id: str | None = attrs.field(default=None, metadata=OPTIONAL)
    kind: Literal["create"] = "create"


@attrs.frozen
class RenameFile:
    old_uri: str
    new_uri: str
    annotation_id: str | None = attrs.field(default=None, metadata=OPTIONAL)
    kind: Literal["rename"] = "rename"


@attrs.frozen
class DeleteFile:
    uri: str
    annotation_id: str | None = attrs.field(default=None, metadata=OPTIONAL)
    kind: Literal["delete"] = "delete"


# Code actions


@attrs.frozen
class CodeActionContext:
    """The context of a request.

    Attributes:
        only: The requested kinds, with the kinds below them; None = all.
        diagnostics: The diagnostics of all servers in the range.
    """

    only: list[str] | None = None
    diagnostics: list[ClientDiagnostic] = attrs.field(factory=list)


@attrs.frozen
class CodeActionParams:
    text_document: VersionedTextDocument
    range: Range
    context: CodeActionContext = CodeActionContext()


@attrs.frozen
class PredictionActionData:
    """The id of the prediction whose edit `codeAction/resolve` returns."""

    id: str


@attrs.frozen
class CodeActionDisabled:
    """The reason why the action cannot be chosen."""

    reason: str


@attrs.frozen
class SketchActionData:
    """The place of a sketch in a document.

    Attributes:
        uri: The document.
        version: The version that `sketch` is of.
        sketch: The selection, or a position in a comment.
        choice: The id of a choice of a refusal, if one was made.
        ask: Whether the server asks the person where there are choices. Else it refuses, with the choices. None is false:
            lsp-mode returns it in place of false.
        plan: The plan of the resolved edit, for `editahead.applyProblems`.
        partial_result_token: The token of `$/progress` for PartialHunks while the action is resolved.
    """

    uri: str
    version: int
    sketch: Range
    choice: str | None = attrs.field(default=None, metadata=OPTIONAL)
    ask: bool | None = True
    plan: str | None = attrs.field(default=None, metadata=OPTIONAL)
    partial_result_token: Any = attrs.field(default=None, metadata=OPTIONAL)

    @property
    def comment(self) -> bool:
        """Whether the sketch is in a comment."""
        return self.sketch.start == self.sketch.end


@attrs.frozen
class CodeAction:
    """A code action. The client applies the edit and then runs the command, if there is one."""

    title: str
    kind: str
    command: Command | None = attrs.field(default=None, metadata=OPTIONAL)
    edit: WorkspaceEdit | None = attrs.field(default=None, metadata=OPTIONAL)
    data: PredictionActionData | SketchActionData | None = attrs.field(default=None, metadata=OPTIONAL)
    disabled: CodeActionDisabled | None = attrs.field(default=None, metadata=OPTIONAL)


# Completion


@attrs.frozen
class CompletionParams:
    text_document: VersionedTextDocument
    position: Position


@attrs.frozen
class MarkupContent:
    value: str
    kind: Literal["markdown"] = "markdown"


@attrs.frozen
class CompletionItem:
    """A menu item. `insert_text_format` 1 = plain text; `insert_text_mode` 1 = keep the indentation."""

    label: str
    sort_text: str
    filter_text: str
    documentation: MarkupContent | str
    text_edit: TextEdit
    additional_text_edits: list[TextEdit]
    command: Command
    preselect: bool = True
    insert_text_format: int = 1
    insert_text_mode: int = 1


@attrs.frozen
class CompletionList:
    is_incomplete: bool = True
    items: list[CompletionItem] = attrs.field(factory=list)


# Hints


@attrs.frozen
class Diagnostic:
    """A diagnostic of the server. Severity 4 = hint."""

    range: Range
    message: str
    severity: int = 4
    source: str = "editahead"


@attrs.frozen
class PublishDiagnosticsParams:
    uri: str
    version: int | None = attrs.field(default=None, metadata=OPTIONAL)
    diagnostics: list[Diagnostic] = attrs.field(factory=list)


@attrs.frozen
class InlayHintParams:
    text_document: VersionedTextDocument
    range: Range


@attrs.frozen
class InlayHint:
    """A hint. The client applies `text_edits` when the user selects the hint."""

    position: Position
    label: str
    tooltip: str
    text_edits: list[TextEdit] | None = attrs.field(default=None, metadata=OPTIONAL)
    padding_left: bool = True
    padding_right: bool = True
