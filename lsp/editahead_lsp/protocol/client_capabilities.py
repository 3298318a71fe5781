"""The client's capabilities and options from `initialize`, as flat values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .custom_messages import InitializeParams

FILE_OPERATIONS = frozenset(("create", "rename", "delete"))


@dataclass(frozen=True)
class ClientCapabilities:
    """What one client can do, and the options that it gave.

    Attributes:
        name: The client's name.
        copilot: Whether the name of the client, or of its plugin, contains "copilot".
        encodings: Encodings of positions, the client's favourite first.
        cross_file: Whether inline edits may be in other documents (option `crossFile`).
        counts_places: The client wants to know how many places a change lacks (option `placesLeft`).
        shows_documents: `window/showDocument` is supported.
        applies_edits: `workspace/applyEdit` is supported.
        versioned_edits: The client says that it supports `documentChanges`.
        document_changes: `documentChanges` are supported; a client with file operations need not say so.
        annotates_edits: Edits may have annotations, and ask for confirmation.
        file_operations: What an edit may do to files: "create", "rename", "delete".
        configurable: `workspace/configuration` is supported.
        shows_edits: The client has, as far as it says, its own way to show an edit before it is made.
        action_literals: Code actions may be more than commands.
        resolves_actions: `codeAction/resolve` may add the edit of a code action.
        runs_action_commands: A code action may have a command behind its edit. A client that says it applies no edits, and
            nothing of commands, is not trusted with both: ALE for Vim runs the command, and drops the edit.
        disables_actions: Code actions may be disabled, with a reason.
        markdown: Documentation of completion items may be Markdown.
        diagnostics: `textDocument/publishDiagnostics` is supported.
        refreshes_inlay_hints: `workspace/inlayHint/refresh` is supported.
        watches_files: The client reports changed files on request.
        syncs_notebooks: The client sends the cells of notebooks together.
        shows_progress: `window/workDoneProgress/create` is supported.
        options: `initializationOptions.editahead`, as received.
        folders: URIs of the workspace folders.
    """

    name: str = ""
    copilot: bool = False
    encodings: tuple[str, ...] = ()
    cross_file: bool = False
    counts_places: bool = False
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
    runs_action_commands: bool = True
    disables_actions: bool = False
    markdown: bool = False
    diagnostics: bool = False
    refreshes_inlay_hints: bool = False
    watches_files: bool = False
    syncs_notebooks: bool = False
    shows_progress: bool = False
    options: Any = None
    folders: tuple[str, ...] = ()

    @classmethod
    def from_initialize(cls, params: InitializeParams) -> ClientCapabilities:
        """Read the capabilities from the params of `initialize`."""
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
            counts_places=get_nested(options, "placesLeft") is True,
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
            runs_action_commands=get_nested(capabilities, "workspace", "applyEdit") is not False
            or get_nested(capabilities, "workspace", "executeCommand") is not None,
            disables_actions=get_nested(action, "disabledSupport") is True,
            markdown=isinstance(formats, list) and "markdown" in formats,
            diagnostics=get_nested(document, "publishDiagnostics") is not None,
            refreshes_inlay_hints=get_nested(capabilities, "workspace", "inlayHint", "refreshSupport")
            is True,
            watches_files=get_nested(
                capabilities, "workspace", "didChangeWatchedFiles", "dynamicRegistration"
            )
            is True,
            syncs_notebooks=get_nested(capabilities, "notebookDocument", "synchronization") is not None,
            shows_progress=get_nested(capabilities, "window", "workDoneProgress") is True,
            options=options,
            folders=folders,
        )


def get_nested(value: Any, *names: str) -> Any:
    """Return the value under nested names; None if one of them is missing."""
    for name in names:
        if not isinstance(value, Mapping):
            return None
        value = value.get(name)
    return value
