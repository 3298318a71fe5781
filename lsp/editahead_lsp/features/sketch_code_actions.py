"""Code actions for a sketch that stands in the document: selected, or fenced in a comment.

Where the client cannot ask for a confirmation of each hunk, each is offered as an action of its own, too.
"""

from __future__ import annotations

from collections.abc import Coroutine
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pygls.exceptions import JsonRpcContentModified

from editahead_inference.errors import ApplyRefusedError
from editahead_inference.predictors.model.predictor import ModelPredictor
from editahead_lsp.apply import to_lsp
from editahead_lsp.apply.blocking_model import Check
from editahead_lsp.apply.embedded_sketch import EmbeddedSketch, sketch_in_comment, sketch_in_selection
from editahead_lsp.apply.service import ApplyService
from editahead_lsp.apply.to_lsp import RebasedChange
from editahead_lsp.protocol.custom_messages import APPLY_KIND, Range
from editahead_lsp.protocol.lsp_types import (
    CodeAction,
    CodeActionDisabled,
    CodeActionParams,
    SketchActionData,
)
from editahead_lsp.workspace.positions import Encoding, offset_at
from editahead_prompts.text.snapshot import Snapshot

from .apply_sketch import apply_model, mark_expected_change, to_rpc_error

if TYPE_CHECKING:
    from editahead_lsp.server import Server

IN_SELECTION, IN_COMMENT = "Apply sketch in selection", "Apply sketch in comment"
_FENCES = ("```", "~~~")
_MAX_HUNKS = 9


def begin_sketch_actions(
    server: Server, params: CodeActionParams
) -> Coroutine[Any, Any, list[CodeAction]] | None:
    """Return what finds the actions; None when the document cannot hold a sketch there."""
    document = server.session.documents.get(params.text_document.uri)
    if document is None:
        return None
    snapshot = document.snapshot
    start, end = _offsets(snapshot, params.range, server.session.encoding)
    if start == end and not any(fence in snapshot.text for fence in _FENCES):
        return None
    data = SketchActionData(document.uri, snapshot.version, params.range, comment=start == end)
    return _actions(server, snapshot, data)


def resolve_sketch_action(server: Server, params: dict[str, Any]) -> Coroutine[Any, Any, dict[str, Any]]:
    """Return what adds its edit to the action."""
    data: SketchActionData = server.protocol.structure(params["data"], SketchActionData)
    document = server.session.documents.get(data.uri)
    if document is None or document.snapshot.version != data.version:
        raise JsonRpcContentModified("The document was changed meanwhile.")
    return _resolved(server, params, document.snapshot, data)


async def _resolved(
    server: Server, params: dict[str, Any], snapshot: Snapshot, data: SketchActionData
) -> dict[str, Any]:
    extract = await _extract(server, snapshot, data)
    if extract is None:
        raise JsonRpcContentModified("There is no sketch there any more.")
    try:
        placed = await _placed(server.apply_service, extract, apply_model(server))
        edit = to_lsp.to_workspace_edit(placed, server.client, server.session.encoding)
    except ApplyRefusedError as refused:
        raise to_rpc_error(server.protocol, refused) from None
    mark_expected_change(server.session, placed)
    return {**params, "edit": server.protocol.unstructure(edit)}


async def _actions(server: Server, snapshot: Snapshot, data: SketchActionData) -> list[CodeAction]:
    extract = await _extract(server, snapshot, data)
    if extract is None:
        return []
    client = server.client
    title = IN_COMMENT if data.comment else IN_SELECTION
    later = CodeAction(title, APPLY_KIND, data=data)
    if client.resolves_actions and client.annotates_edits:
        return [later]
    try:
        placed = await _placed(server.apply_service, extract)
        edit = to_lsp.to_workspace_edit(placed, client, server.session.encoding)
    except ApplyRefusedError as refused:
        if client.resolves_actions:
            return [later]  # which will tell why not
        disabled = CodeActionDisabled(refused.refusal.detail)
        return [CodeAction(title, APPLY_KIND, disabled=disabled)] if client.disables_actions else []
    each = [] if client.annotates_edits else _each(server, placed, extract)
    if client.resolves_actions:
        return [later, *each]
    mark_expected_change(server.session, placed)
    return [CodeAction(title, APPLY_KIND, edit=edit), *each]


def _each(server: Server, placed: list[RebasedChange], extract: EmbeddedSketch) -> list[CodeAction]:
    """Return an action for each hunk, with the sketch left where it is: the rest can be applied afterwards."""
    alone = []
    for file in placed:
        for hunk in file.hunks:
            removal = not extract.keep and hunk.replacement == extract.removal_edit.replacements[0]
            if file.change.action == "edit" and not removal:
                alone.append((replace(file, hunks=(hunk,)), hunk))
    if len(alone) < 2:
        return []
    out = []
    for number, (file, hunk) in enumerate(alone[:_MAX_HUNKS], 1):
        said = " ".join(flag.sentence for flag in hunk.flags)
        what = f"{to_lsp.hunk_title(hunk, file.snapshot)}{'. ' if said else ''}{said}"
        edit = to_lsp.to_workspace_edit([file], server.client, server.session.encoding)
        mark_expected_change(server.session, [file])
        out.append(CodeAction(f"Apply hunk {number} of {len(alone)}: {what}", APPLY_KIND, edit=edit))
    return out


async def _extract(server: Server, snapshot: Snapshot, data: SketchActionData) -> EmbeddedSketch | None:
    start, end = _offsets(snapshot, data.sketch, server.session.encoding)
    trees = server.apply_service.sketch_trees

    def look(check: Check) -> EmbeddedSketch | None:
        found = (
            sketch_in_comment(snapshot, snapshot.line_at(start), trees)
            if data.comment
            else sketch_in_selection(snapshot, start, end)
        )
        return found if found is not None and found.sketch() is not None else None

    return await server.apply_service.run_in_thread(look)


async def _placed(
    applying: ApplyService, extract: EmbeddedSketch, model: ModelPredictor | None = None
) -> list[RebasedChange]:
    """Plan the sketch over the text as it is now.

    Args:
        model: Only once the action is taken: editors request the actions at every move of the cursor.
    """
    job = applying.create_embedded_job(extract, model)
    planned = await applying.plan(job)
    return applying.rebase(job, planned.changes)


def _offsets(snapshot: Snapshot, selection: Range, encoding: Encoding) -> tuple[int, int]:
    start, end = (
        offset_at(snapshot, p.line, p.character, encoding) for p in (selection.start, selection.end)
    )
    return min(start, end), max(start, end)
