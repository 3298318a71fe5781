"""Code actions for a sketch that stands in the document: selected, or fenced in a comment.

Where the client cannot ask for a confirmation of each hunk, each is offered as an action of its own, too.
"""

from __future__ import annotations

from collections.abc import Coroutine
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pygls.exceptions import JsonRpcContentModified

from editahead_inference.apply.planner import Refused
from editahead_inference.predictors.model.predictor import ModelPredictor
from editahead_lsp.apply import to_lsp
from editahead_lsp.apply.blocking_model import Check
from editahead_lsp.apply.embedded_sketch import Extract, in_comment, selected
from editahead_lsp.apply.service import Applying
from editahead_lsp.apply.to_lsp import Placed
from editahead_lsp.protocol.custom_messages import APPLY_KIND, Range
from editahead_lsp.protocol.lsp_types import CodeAction, CodeActionParams, Disabled, SketchData
from editahead_lsp.workspace.positions import Encoding, offset_at
from editahead_prompts.text.snapshot import Snapshot

from .apply_sketch import expect, model_for, refusal

if TYPE_CHECKING:
    from editahead_lsp.server import Server

IN_SELECTION, IN_COMMENT = "Apply sketch in selection", "Apply sketch in comment"
_FENCES = ("```", "~~~")
_MOST_HUNKS = 9


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
    data = SketchData(document.uri, snapshot.version, params.range, comment=start == end)
    return _actions(server, snapshot, data)


def resolve_sketch_action(server: Server, params: dict[str, Any]) -> Coroutine[Any, Any, dict[str, Any]]:
    """Return what adds its edit to the action."""
    data: SketchData = server.protocol.read(params["data"], SketchData)
    document = server.session.documents.get(data.uri)
    if document is None or document.snapshot.version != data.version:
        raise JsonRpcContentModified("The document was changed meanwhile.")
    return _resolved(server, params, document.snapshot, data)


async def _resolved(
    server: Server, params: dict[str, Any], snapshot: Snapshot, data: SketchData
) -> dict[str, Any]:
    extract = await _extract(server, snapshot, data)
    if extract is None:
        raise JsonRpcContentModified("There is no sketch there any more.")
    try:
        placed = await _placed(server.applying, extract, model_for(server))
        edit = to_lsp.workspace_edit(placed, server.client, server.session.encoding)
    except Refused as refused:
        raise refusal(server.protocol, refused) from None
    expect(server.session, placed)
    return {**params, "edit": server.protocol.write(edit)}


async def _actions(server: Server, snapshot: Snapshot, data: SketchData) -> list[CodeAction]:
    extract = await _extract(server, snapshot, data)
    if extract is None:
        return []
    client = server.client
    title = IN_COMMENT if data.comment else IN_SELECTION
    later = CodeAction(title, APPLY_KIND, data=data)
    if client.resolves_actions and client.annotates_edits:
        return [later]
    try:
        placed = await _placed(server.applying, extract)
        edit = to_lsp.workspace_edit(placed, client, server.session.encoding)
    except Refused as refused:
        if client.resolves_actions:
            return [later]  # which will tell why not
        disabled = Disabled(refused.refusal.detail)
        return [CodeAction(title, APPLY_KIND, disabled=disabled)] if client.disables_actions else []
    each = [] if client.annotates_edits else _each(server, placed, extract)
    if client.resolves_actions:
        return [later, *each]
    expect(server.session, placed)
    return [CodeAction(title, APPLY_KIND, edit=edit), *each]


def _each(server: Server, placed: list[Placed], extract: Extract) -> list[CodeAction]:
    """Return an action for each hunk, with the sketch left where it is: the rest can be applied afterwards."""
    alone = []
    for file in placed:
        for hunk in file.hunks:
            removal = not extract.stays and hunk.replacement == extract.taken_out.replacements[0]
            if file.change.action == "edit" and not removal:
                alone.append((replace(file, hunks=(hunk,)), hunk))
    if len(alone) < 2:
        return []
    out = []
    for number, (file, hunk) in enumerate(alone[:_MOST_HUNKS], 1):
        said = " ".join(flag.sentence for flag in hunk.flags)
        what = f"{to_lsp.title(hunk, file.snapshot)}{'. ' if said else ''}{said}"
        edit = to_lsp.workspace_edit([file], server.client, server.session.encoding)
        expect(server.session, [file])
        out.append(CodeAction(f"Apply hunk {number} of {len(alone)}: {what}", APPLY_KIND, edit=edit))
    return out


async def _extract(server: Server, snapshot: Snapshot, data: SketchData) -> Extract | None:
    start, end = _offsets(snapshot, data.sketch, server.session.encoding)
    trees = server.applying.sketch_trees

    def look(check: Check) -> Extract | None:
        found = (
            in_comment(snapshot, snapshot.line_at(start), trees)
            if data.comment
            else selected(snapshot, start, end)
        )
        return found if found is not None and found.sketch() is not None else None

    return await server.applying.off_the_loop(look)


async def _placed(applying: Applying, extract: Extract, model: ModelPredictor | None = None) -> list[Placed]:
    """Plan the sketch over the text as it is now.

    Args:
        model: Only once the action is taken: editors request the actions at every move of the cursor.
    """
    job = applying.begin_in(extract, model)
    planned = await applying.plan(job)
    return applying.place(job, planned.changes)


def _offsets(snapshot: Snapshot, selection: Range, encoding: Encoding) -> tuple[int, int]:
    start, end = (
        offset_at(snapshot, p.line, p.character, encoding) for p in (selection.start, selection.end)
    )
    return min(start, end), max(start, end)
