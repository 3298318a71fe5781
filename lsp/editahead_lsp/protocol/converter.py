"""The converter from JSON values to objects of the protocol's classes, and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from types import ModuleType
from typing import Any

import attrs
import cattrs
from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn, override
from lsprotocol import types
from pygls.protocol import default_converter

from . import (
    accept_all_messages,
    apply_messages,
    copilot_messages,
    custom_messages,
    evidence_messages,
    finish_messages,
    lsp_types,
    notebook_messages,
    status_messages,
)
from .field_metadata import OMIT_IF_NONE

PARAMS_BY_METHOD: Mapping[str, type] = {
    types.SET_TRACE: types.SetTraceParams,
    types.INITIALIZE: custom_messages.InitializeParams,
    types.TEXT_DOCUMENT_DID_OPEN: custom_messages.DidOpenParams,
    types.TEXT_DOCUMENT_DID_CHANGE: custom_messages.DidChangeParams,
    types.TEXT_DOCUMENT_DID_CLOSE: custom_messages.DidCloseParams,
    types.TEXT_DOCUMENT_DID_SAVE: custom_messages.DidSaveParams,
    types.NOTEBOOK_DOCUMENT_DID_OPEN: notebook_messages.DidOpenNotebookParams,
    types.NOTEBOOK_DOCUMENT_DID_CHANGE: notebook_messages.DidChangeNotebookParams,
    types.NOTEBOOK_DOCUMENT_DID_SAVE: notebook_messages.NotebookParams,
    types.NOTEBOOK_DOCUMENT_DID_CLOSE: notebook_messages.NotebookParams,
    types.WORKSPACE_DID_CHANGE_WATCHED_FILES: custom_messages.DidChangeWatchedFilesParams,
    types.WORKSPACE_DID_RENAME_FILES: custom_messages.DidRenameFilesParams,
    types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS: custom_messages.DidChangeWorkspaceFoldersParams,
    types.WORKSPACE_DID_CHANGE_CONFIGURATION: custom_messages.DidChangeConfigurationParams,
    types.WORKSPACE_EXECUTE_COMMAND: custom_messages.ExecuteCommandParams,
    types.TEXT_DOCUMENT_INLINE_COMPLETION: custom_messages.InlineCompletionParams,
    types.TEXT_DOCUMENT_CODE_ACTION: lsp_types.CodeActionParams,
    types.TEXT_DOCUMENT_COMPLETION: lsp_types.CompletionParams,
    types.TEXT_DOCUMENT_INLAY_HINT: lsp_types.InlayHintParams,
    custom_messages.INLINE_EDIT: custom_messages.InlineCompletionParams,
    custom_messages.NEXT_EDIT: custom_messages.NextEditParams,
    custom_messages.OUTCOME: custom_messages.OutcomeParams,
    custom_messages.DID_SHOW_INLINE_EDIT: custom_messages.DidShowParams,
    custom_messages.DID_SHOW_COMPLETION: custom_messages.DidShowParams,
    custom_messages.DID_PARTIALLY_ACCEPT_COMPLETION: custom_messages.DidShowParams,
    copilot_messages.REPORT_CACHED_INLINE_EDIT: copilot_messages.ReportCachedInlineEditParams,
    copilot_messages.CHECK_STATUS: copilot_messages.AccountParams,
    copilot_messages.SIGN_IN: copilot_messages.AccountParams,
    custom_messages.DID_FOCUS: custom_messages.DidFocusParams,
    custom_messages.DID_OPEN_SEARCH_RESULT: custom_messages.DidOpenSearchResultParams,
    custom_messages.SESSION_TIME: custom_messages.SessionTimeParams,
    evidence_messages.EVIDENCE: evidence_messages.EvidenceParams,
    evidence_messages.DID_COPY: evidence_messages.DidCopyParams,
}
"""The class of each method's params. The params of other methods are not converted."""

_SENT_UNIONS = (
    lsp_types.MarkupContent | str,
    lsp_types.TextDocumentEdit | lsp_types.CreateFile | lsp_types.RenameFile | lsp_types.DeleteFile,
    custom_messages.TextEdit | lsp_types.AnnotatedTextEdit,
    lsp_types.PredictionActionData | lsp_types.SketchActionData | None,
)
"""Unions in messages that are only sent: cattrs cannot tell their classes apart, and never has to."""


@cache
def make_converter(*more: ModuleType) -> cattrs.Converter:
    """Return lsprotocol's converter, with the classes of our protocol and of `more` modules.

    All servers of a process share one: making it takes longer than anything else that a new connection needs.
    """
    converter: cattrs.Converter = default_converter()  # type: ignore[no-untyped-call]  # pygls has no types there
    for union in _SENT_UNIONS:
        converter.register_structure_hook(union, lambda value, _: value)
    modules = (
        custom_messages,
        lsp_types,
        accept_all_messages,
        evidence_messages,
        apply_messages,
        copilot_messages,
        finish_messages,
        notebook_messages,
        status_messages,
        *more,
    )
    classes = [(cls, module) for module in modules for cls in _classes(module)]
    for cls, module in classes:
        attrs.resolve_types(cls, vars(module))
    for cls, _ in classes:
        structure: Callable[[Mapping[str, Any], Any], Any] = make_dict_structure_fn(
            cls, converter, **_field_names(cls)
        )
        converter.register_structure_hook(cls, _lenient(structure))
        converter.register_unstructure_hook(
            cls, make_dict_unstructure_fn(cls, converter, **_field_names(cls))
        )
    return converter


def to_camel_case(name: str) -> str:
    """Return the name on the wire of a field."""
    head, *rest = name.split("_")
    return head + "".join(map(str.capitalize, rest))


def _classes(module: ModuleType) -> list[type]:
    return [
        cls
        for cls in vars(module).values()
        if isinstance(cls, type) and cls.__module__ == module.__name__ and attrs.has(cls)
    ]


def _field_names(cls: type) -> Any:
    return {
        field.name: override(
            rename=to_camel_case(field.name),
            omit_if_default=field.metadata.get(OMIT_IF_NONE, False),
        )
        for field in attrs.fields(cls)
    }


def _lenient(structure: Callable[[Mapping[str, Any], Any], Any]) -> Callable[[Any, Any], Any]:
    """Return a hook for which a null field is a missing field, and null is an object without fields."""

    def structure_leniently(value: Any, cls: Any) -> Any:
        if value is None:
            value = {}
        if not isinstance(value, Mapping):
            raise ValueError(f"expected an object, got {type(value).__name__}")
        return structure({k: v for k, v in value.items() if v is not None}, cls)

    return structure_leniently
