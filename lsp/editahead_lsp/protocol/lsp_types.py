"""The parts of LSP that code actions, completions and hints are made of, as far as they are used here.

As lenient on input as `protocol`. On output, what LSP lets a server leave out is left out when it is None.

lsprotocol has these types too. Ours are kept for three reasons. The schemas in docs say exactly which fields the server
sends, and lsprotocol's types have every optional field of LSP. lsprotocol refuses values that LSP does not list, such as
an unknown severity. Its hooks are made at the first use: the first completion item takes about 30 ms, and each later one
takes three times as long as ours.
"""

from __future__ import annotations

from typing import Literal

import attrs

from .custom_messages import ClientDiagnostic, Command, Position, Range, TextEdit, VersionedTextDocument

OMIT_IF_NONE = "left out"
"""In the metadata of fields that are not sent when they are None."""


_MAY = {OMIT_IF_NONE: True}


@attrs.frozen
class WorkspaceEdit:
    """`document_changes` for clients that have them: they name the version that the edit is for. change_annotations: by
    the ids that edits name."""

    document_changes: list[TextDocumentEdit | CreateFile | RenameFile | DeleteFile] | None = attrs.field(
        default=None, metadata=_MAY
    )
    changes: dict[str, list[TextEdit]] | None = attrs.field(default=None, metadata=_MAY)
    change_annotations: dict[str, ChangeAnnotation] | None = attrs.field(default=None, metadata=_MAY)


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
    """needs_confirmation: the person is to be asked before it is done."""

    label: str
    needs_confirmation: bool
    description: str | None = attrs.field(default=None, metadata=_MAY)


@attrs.frozen
class CreateFile:
    uri: str
    annotation_id: str | None = attrs.field(default=None, metadata=_MAY)
    kind: Literal["create"] = "create"


@attrs.frozen
class RenameFile:
    old_uri: str
    new_uri: str
    annotation_id: str | None = attrs.field(default=None, metadata=_MAY)
    kind: Literal["rename"] = "rename"


@attrs.frozen
class DeleteFile:
    uri: str
    annotation_id: str | None = attrs.field(default=None, metadata=_MAY)
    kind: Literal["delete"] = "delete"


# Code actions


@attrs.frozen
class CodeActionContext:
    """only: the kinds that are asked for; each stands for those below it, too. diagnostics: what the client shows of the
    range, whoever says it."""

    only: list[str] | None = None
    diagnostics: list[ClientDiagnostic] = attrs.field(factory=list)


@attrs.frozen
class CodeActionParams:
    text_document: VersionedTextDocument
    range: Range
    context: CodeActionContext = CodeActionContext()


@attrs.frozen
class PredictionActionData:
    """id: of the prediction whose edit is still to be given."""

    id: str


@attrs.frozen
class CodeActionDisabled:
    """Why the action cannot be taken."""

    reason: str


@attrs.frozen
class SketchActionData:
    """sketch: the selection, or the place in a comment, in that version of the document. comment: which of the two."""

    uri: str
    version: int
    sketch: Range
    comment: bool


@attrs.frozen
class CodeAction:
    """The client makes the edit and then runs the command, if there is one."""

    title: str
    kind: str
    command: Command | None = attrs.field(default=None, metadata=_MAY)
    edit: WorkspaceEdit | None = attrs.field(default=None, metadata=_MAY)
    data: PredictionActionData | SketchActionData | None = attrs.field(default=None, metadata=_MAY)
    disabled: CodeActionDisabled | None = attrs.field(default=None, metadata=_MAY)


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
    """insert_text_format 1: plain text. insert_text_mode 1: as it is, without indenting it again."""

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
    """severity 4: a hint."""

    range: Range
    message: str
    severity: int = 4
    source: str = "editahead"


@attrs.frozen
class PublishDiagnosticsParams:
    uri: str
    version: int | None = attrs.field(default=None, metadata=_MAY)
    diagnostics: list[Diagnostic] = attrs.field(factory=list)


@attrs.frozen
class InlayHintParams:
    text_document: VersionedTextDocument
    range: Range


@attrs.frozen
class InlayHint:
    """text_edits: what a client makes when the person picks the hint."""

    position: Position
    label: str
    tooltip: str
    text_edits: list[TextEdit] | None = attrs.field(default=None, metadata=_MAY)
    padding_left: bool = True
    padding_right: bool = True
