"""`editahead.acceptAll`: one edit that makes all places that are left of the rule of a prediction."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from editahead_inference.apply.file_change import FileChange
from editahead_inference.apply.review.review import Hunk, group_hunks
from editahead_inference.candidates import Candidate
from editahead_inference.rest_of_rule import rule_label
from editahead_lsp.presentation.to_lsp import text_edits
from editahead_lsp.protocol.accept_all_messages import AcceptAllArgument, AcceptAllResult
from editahead_lsp.protocol.client_capabilities import ClientCapabilities, get_nested
from editahead_lsp.protocol.custom_messages import TextEdit, VersionedTextDocument
from editahead_lsp.protocol.lsp_types import (
    AnnotatedTextEdit,
    ChangeAnnotation,
    TextDocumentEdit,
    WorkspaceEdit,
)
from editahead_prompts.state import EditorState
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot
from editahead_workspace.apply.annotated_diff import diff_lines
from editahead_workspace.positions import Encoding

from .apply_choices import REQUEST_FAILED

if TYPE_CHECKING:
    from editahead_lsp.server import Server

_ANNOTATION = "1"
"""The id of the annotation of all edits."""
_CHANGED = "The text has changed meanwhile. Ask again."
_TOO_LONG = "The search for the other places took too long."


@dataclass(frozen=True)
class _FileEdit:
    """The places of one file. `version` is None for a file that is not open."""

    snapshot: Snapshot
    edit: Edit
    version: int | None

    @property
    def places(self) -> int:
        return len({self.snapshot.line_at(r.start) for r in self.edit.replacements})


def accept_all(server: Server, arguments: list[Any]) -> Coroutine[Any, Any, AcceptAllResult]:
    """Handle the command `editahead.acceptAll`."""
    argument: AcceptAllArgument = server.protocol.structure(
        arguments[0] if arguments else None, AcceptAllArgument
    )
    return _finish(server, argument)


async def _finish(server: Server, argument: AcceptAllArgument) -> AcceptAllResult:
    id = argument.id or await _next_id(server)
    shown = server.session.shown_predictions.get_prediction(id) if id is not None else None
    document = server.session.focused_document
    if shown is None or id is None or document is None:
        raise JsonRpcException("No next edit is shown whose rule could be followed.", REQUEST_FAILED, None)
    state = server.session.build_state(document, server.session.cursor(document)).after_pause()
    found = await server.predictions.rest_of_rule(
        state, shown.candidate, lambda: document.snapshot is state.document
    )
    if found is None:
        is_stale = document.snapshot is not state.document
        raise JsonRpcException(_CHANGED if is_stale else _TOO_LONG, REQUEST_FAILED, None)
    files = _files(server, found[0], shown.candidate, shown.edit, found[1])
    if not files:
        raise JsonRpcException("No place is left to which the edit applies.", REQUEST_FAILED, None)
    label = rule_label(shown.candidate.label)
    edit = _to_workspace_edit(files, label, server.client.capabilities, server.session.encoding)
    places = sum(file.places for file in files)
    applied, reason = (None, None) if argument.dry_run else await _apply(server, id, label, edit, files)
    if argument.dry_run:
        _expect(server, files)
    return AcceptAllResult(
        label,
        _message(places, len(files)),
        places,
        len(files),
        edit,
        _diff(files, server.workspace_paths),
        applied,
        reason,
    )


async def _next_id(server: Server) -> str | None:
    """Return the next edit of the focused document, for a client that names none."""
    document = server.session.focused_document
    if document is None:
        return None
    request = server.coordinator.start(
        "command", document.uri, None, None, immediate=True, paused=True, max_suggestions=1
    )
    answer = await server.coordinator.answer(request)
    return answer.suggestions[0].id if answer.suggestions else None


def _files(
    server: Server, state: EditorState, shown: Candidate, left: Edit | None, found: Mapping[str, Edit]
) -> list[_FileEdit]:
    """Return the files with places, that of the prediction first.

    Raises:
        JsonRpcException: A document was changed meanwhile.
    """
    if not found and left and state.snapshot(shown.uri) is not None:
        found = {shown.uri: left}  # no rule that has other places
    files = []
    for uri in sorted(found, key=lambda uri: (uri != shown.uri, uri != state.document.uri, uri)):
        snapshot, document = state.snapshot(uri), server.session.documents.get(uri)
        if snapshot is None:
            continue
        if document is not None and document.snapshot is not snapshot:
            raise JsonRpcException(_CHANGED, REQUEST_FAILED, None)
        edit = server.session.notebooks.fit_each(snapshot, found[uri])
        files.append(_FileEdit(snapshot, edit, None if document is None else snapshot.version))
    return files


def _to_workspace_edit(
    files: Sequence[_FileEdit], label: str, client: ClientCapabilities, encoding: Encoding
) -> WorkspaceEdit:
    """Return the edit. A client that can shows it before it is made, and asks."""
    edits = {file.snapshot.uri: text_edits(file.snapshot, file.edit, encoding) for file in files}
    if not client.document_changes:
        return WorkspaceEdit(changes=edits)

    def annotated(edit: TextEdit) -> TextEdit | AnnotatedTextEdit:
        return AnnotatedTextEdit(edit.range, edit.new_text, _ANNOTATION) if client.annotates_edits else edit

    changes = [
        TextDocumentEdit(
            VersionedTextDocument(file.snapshot.uri, file.version),
            [annotated(edit) for edit in edits[file.snapshot.uri]],
        )
        for file in files
    ]
    notes = {_ANNOTATION: ChangeAnnotation(label, True)} if client.annotates_edits else None
    return WorkspaceEdit([*changes], change_annotations=notes)


async def _apply(
    server: Server, id: str, label: str, edit: WorkspaceEdit, files: Sequence[_FileEdit]
) -> tuple[bool, str | None]:
    """Send the edit to the client, and return whether it was made, or else why not."""
    if not server.client.capabilities.applies_edits:
        return False, "The editor does not support `workspace/applyEdit`. Request the edit with `dryRun`."
    _expect(server, files)
    params = {"label": label, "edit": server.protocol.unstructure(edit)}
    try:
        answer = await asyncio.wrap_future(server.protocol.send_request(types.WORKSPACE_APPLY_EDIT, params))
    except JsonRpcException as error:
        return False, error.message
    if get_nested(answer, "applied") is True:
        server.session.shown_predictions.record_outcome(id, "accepted")
        return True, None
    why = get_nested(answer, "failureReason")
    return False, why if isinstance(why, str) else "The editor did not apply the edit."


def _expect(server: Server, files: Sequence[_FileEdit]) -> None:
    """Mark the edit as accepted, so that the edit history does not count its text as typed."""
    for file in files:
        if file.version is not None:
            server.session.history.mark_accepted(file.snapshot, file.edit)


def _message(places: int, files: int) -> str:
    """Return how much it is, in words."""
    edits = "1 edit" if places == 1 else f"{places} edits"
    return f"{edits} in 1 file" if files == 1 else f"{edits} in {files} files"


def _diff(files: Sequence[_FileEdit], folders: Sequence[Path]) -> str:
    """Return the unified diff of all files."""
    lines: list[str] = []
    for file in files:
        hunks = [Hunk(r, "semantic", 1.0) for r in group_hunks(file.edit, file.snapshot)]
        change = FileChange("edit", file.snapshot, file.edit, 1.0, "unified-diff")
        lines += (f"{line.text}\n" for line in diff_lines(change, file.snapshot, hunks, folders))
    return "".join(lines)
