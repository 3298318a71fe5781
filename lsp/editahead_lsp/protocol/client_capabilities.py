"""What the client said of itself when it connected, resolved once into flat values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .custom_messages import InitializeParams

FILE_OPERATIONS = frozenset(("create", "rename", "delete"))


@dataclass(frozen=True)
class ClientCapabilities:
    """name: in the client's own words. copilot: it, or the plugin for which it speaks, is called so. encodings: of
    positions, its favourite first. options:
    `initializationOptions.editahead`, as it came. folders: URIs of the workspace.
    shows_edits: whether it has a way of its own to show an edit before it is made, as far as it says.
    action_literals: code actions that are more than commands. resolves_actions: their edits may be given later.
    disables_actions: they may be shown with the reason why they cannot be taken.
    document_changes: it can take such edits, though it need not say so: what it does to files is part of them.
    annotates_edits: edits may say what they are, and ask for confirmation. file_operations: what an edit may do to files:
    "create", "rename", "delete"."""

    name: str = ""
    copilot: bool = False
    encodings: tuple[str, ...] = ()
    cross_file: bool = False
    shows_documents: bool = False
    applies_edits: bool = False
    versioned_edits: bool = False
    document_changes: bool = False
    annotates_edits: bool = False
    file_operations: frozenset[str] = frozenset()
    configurable: bool = False
    shows_edits: bool = False
    action_literals: bool = False
    resolves_actions: bool = False
    disables_actions: bool = False
    markdown: bool = False
    diagnostics: bool = False
    refreshes_inlay_hints: bool = False
    options: Any = None
    folders: tuple[str, ...] = ()

    @classmethod
    def from_initialize(cls, params: InitializeParams) -> ClientCapabilities:
        capabilities = params.capabilities
        workspace_edit = get_nested(capabilities, "workspace", "workspaceEdit")
        listed = get_nested(workspace_edit, "resourceOperations")
        file_operations = frozenset(o for o in FILE_OPERATIONS if isinstance(listed, list) and o in listed)
        document_changes = get_nested(workspace_edit, "documentChanges") is True or bool(file_operations)
        encodings = get_nested(capabilities, "general", "positionEncodings")
        document = get_nested(capabilities, "textDocument")
        action = get_nested(document, "codeAction")
        resolved = get_nested(action, "resolveSupport", "properties")
        formats = get_nested(document, "completion", "completionItem", "documentationFormat")
        options = get_nested(params.initialization_options, "editahead")
        plugin = get_nested(params.initialization_options, "editorPluginInfo", "name")
        names = (params.client_info.name, plugin)
        copilot = any(isinstance(name, str) and "copilot" in name.lower() for name in names)
        folders = tuple(folder.uri for folder in params.workspace_folders)
        if not folders and params.root_uri:
            folders = (params.root_uri,)
        return cls(
            name=params.client_info.name,
            copilot=copilot,
            encodings=tuple(e for e in encodings if isinstance(e, str))
            if isinstance(encodings, list)
            else (),
            cross_file=get_nested(options, "crossFile") is True,
            shows_documents=get_nested(capabilities, "window", "showDocument", "support") is True,
            applies_edits=get_nested(capabilities, "workspace", "applyEdit") is True,
            versioned_edits=get_nested(workspace_edit, "documentChanges") is True,
            document_changes=document_changes,
            annotates_edits=document_changes
            and get_nested(workspace_edit, "changeAnnotationSupport") is not None,
            file_operations=file_operations,
            configurable=get_nested(capabilities, "workspace", "configuration") is True,
            shows_edits=get_nested(document, "inlineCompletion") is not None or copilot,
            action_literals=get_nested(action, "codeActionLiteralSupport") is not None,
            resolves_actions=get_nested(action, "dataSupport") is True
            and isinstance(resolved, list)
            and "edit" in resolved,
            disables_actions=get_nested(action, "disabledSupport") is True,
            markdown=isinstance(formats, list) and "markdown" in formats,
            diagnostics=get_nested(document, "publishDiagnostics") is not None,
            refreshes_inlay_hints=get_nested(capabilities, "workspace", "inlayHint", "refreshSupport")
            is True,
            options=options,
            folders=folders,
        )


def get_nested(value: Any, *names: str) -> Any:
    """The value under nested names, or None where the way there ends."""
    for name in names:
        if not isinstance(value, Mapping):
            return None
        value = value.get(name)
    return value
