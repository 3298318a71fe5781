"""JSON values to objects of the protocol's classes, and back."""

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

from . import protocol, standard
from .applying import messages

PARAMS: Mapping[str, type] = {
    types.INITIALIZE: protocol.InitializeParams,
    types.TEXT_DOCUMENT_DID_OPEN: protocol.DidOpenParams,
    types.TEXT_DOCUMENT_DID_CHANGE: protocol.DidChangeParams,
    types.TEXT_DOCUMENT_DID_CLOSE: protocol.DidCloseParams,
    types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS: protocol.DidChangeFoldersParams,
    types.WORKSPACE_DID_CHANGE_CONFIGURATION: protocol.DidChangeConfigurationParams,
    types.WORKSPACE_EXECUTE_COMMAND: protocol.ExecuteCommandParams,
    types.TEXT_DOCUMENT_INLINE_COMPLETION: protocol.InlineParams,
    types.TEXT_DOCUMENT_CODE_ACTION: standard.CodeActionParams,
    types.TEXT_DOCUMENT_COMPLETION: standard.CompletionParams,
    types.TEXT_DOCUMENT_INLAY_HINT: standard.InlayHintParams,
    protocol.INLINE_EDIT: protocol.InlineParams,
    protocol.NEXT_EDIT: protocol.NextEditParams,
    protocol.OUTCOME: protocol.OutcomeParams,
    protocol.DID_SHOW_INLINE_EDIT: protocol.DidShowParams,
    protocol.DID_SHOW_COMPLETION: protocol.DidShowParams,
    protocol.DID_PARTIALLY_ACCEPT_COMPLETION: protocol.DidShowParams,
    protocol.DID_FOCUS: protocol.DidFocusParams,
}
"""What each method's params are read as. Of other methods the params are left as they came."""

_ONLY_SENT = (
    standard.MarkupContent | str,
    standard.TextDocumentEdit | standard.CreateFile | standard.RenameFile | standard.DeleteFile,
    protocol.TextEdit | standard.AnnotatedTextEdit,
    standard.ActionData | standard.SketchData | None,
)
"""What cattrs cannot tell apart, and need not."""


@cache
def make_converter(*more: ModuleType) -> cattrs.Converter:
    """Return lsprotocol's converter, taught the classes of our protocol and of `more` modules.

    All servers of a process share one: making it takes longer than anything else that a new connection needs.
    """
    converter: cattrs.Converter = default_converter()  # type: ignore[no-untyped-call]  # pygls has no types there
    for either in _ONLY_SENT:
        converter.register_structure_hook(either, lambda value, _: value)
    modules = (protocol, standard, messages, *more)
    classes = [(cls, module) for module in modules for cls in _classes(module)]
    for cls, module in classes:
        attrs.resolve_types(cls, vars(module))
    for cls, _ in classes:
        read: Callable[[Mapping[str, Any], Any], Any] = make_dict_structure_fn(cls, converter, **_names(cls))
        converter.register_structure_hook(cls, _lenient(read))
        converter.register_unstructure_hook(cls, make_dict_unstructure_fn(cls, converter, **_names(cls)))
    return converter


def camel(name: str) -> str:
    """A field's name on the wire."""
    head, *rest = name.split("_")
    return head + "".join(map(str.capitalize, rest))


def _classes(module: ModuleType) -> list[type]:
    return [
        cls
        for cls in vars(module).values()
        if isinstance(cls, type) and cls.__module__ == module.__name__ and attrs.has(cls)
    ]


def _names(cls: type) -> Any:
    return {
        field.name: override(
            rename=camel(field.name), omit_if_default=field.metadata.get(standard.LEFT_OUT, False)
        )
        for field in attrs.fields(cls)
    }


def _lenient(read: Callable[[Mapping[str, Any], Any], Any]) -> Callable[[Any, Any], Any]:
    """null is the same as missing; nothing at all is the same as an object without fields."""

    def structure(value: Any, cls: Any) -> Any:
        if value is None:
            value = {}
        if not isinstance(value, Mapping):
            raise ValueError(f"expected an object, got {type(value).__name__}")
        return read({k: v for k, v in value.items() if v is not None}, cls)

    return structure
