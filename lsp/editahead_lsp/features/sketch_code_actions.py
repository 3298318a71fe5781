"""Code actions that apply a sketch in the document: selected text, or a fenced block in a comment.

If the client cannot confirm each hunk, each hunk has an action of its own, too. So has each choice of a sketch that is not
certain; other clients let the person choose when the action is resolved.
"""

from __future__ import annotations

from collections.abc import Coroutine, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from attrs import evolve
from pygls.exceptions import JsonRpcContentModified

from editahead_inference.apply.results import Choice
from editahead_inference.errors import ApplyRefusedError
from editahead_lsp.apply import to_lsp
from editahead_lsp.apply.embedded_sketch import EmbeddedSketch, sketch_in_comment, sketch_in_selection
from editahead_lsp.apply.service import ApplyJob
from editahead_lsp.apply.to_lsp import RebasedChange
from editahead_lsp.commands.apply_choices import ask_choice, to_rpc_error
from editahead_lsp.commands.apply_sketch import apply_model, mark_expected_change, send_partial_result
from editahead_lsp.protocol.custom_messages import APPLY_KIND, Range
from editahead_lsp.protocol.lsp_types import (
    CodeAction,
    CodeActionDisabled,
    CodeActionParams,
    SketchActionData,
)
from editahead_prompts.text.snapshot import Snapshot
from editahead_workspace.apply.blocking_model import Check
from editahead_workspace.positions import Encoding, offset_at

if TYPE_CHECKING:
    from editahead_lsp.server import Server

IN_SELECTION, IN_COMMENT = "Apply sketch in selection", "Apply sketch in comment"
_FENCES = ("```", "~~~")
_MAX_HUNKS = 9
"""Actions for single hunks in one menu, so that the menu stays short."""


def start_sketch_actions(
    server: Server, params: CodeActionParams
) -> Coroutine[Any, Any, list[CodeAction]] | None:
    """Return a coroutine that finds the actions; None if there cannot be a sketch in that range."""
    document = server.session.documents.get(params.text_document.uri)
    if document is None:
        return None
    snapshot = document.snapshot
    start, end = _offsets(snapshot, params.range, server.session.encoding)
    if start == end and not any(fence in snapshot.text for fence in _FENCES):
        return None
    data = SketchActionData(document.uri, snapshot.version, params.range)
    return _actions(server, snapshot, data)


def resolve_sketch_action(server: Server, params: dict[str, Any]) -> Coroutine[Any, Any, dict[str, Any]]:
    """Return a coroutine that adds its edit to the action."""
    data: SketchActionData = server.protocol.structure(params["data"], SketchActionData)
    document = server.session.documents.get(data.uri)
    if document is None or document.snapshot.version != data.version:
        raise JsonRpcContentModified(
            "The document has changed since the code action was shown. Request the code actions again."
        )
    return _resolved(server, params, document.snapshot, data)


async def _resolved(
    server: Server, params: dict[str, Any], snapshot: Snapshot, data: SketchActionData
) -> dict[str, Any]:
    sketch = await _find_sketch(server, snapshot, data)
    if sketch is None:
        raise JsonRpcContentModified("The sketch is gone from the document. Request the code actions again.")
    service = server.apply_service
    job = service.create_embedded_job(sketch, apply_model(server), data.choice)
    try:
        try:
            send = partial(send_partial_result, server, data.partial_result_token, job)
            plan = await service.plan(job, send)
        except ApplyRefusedError as error:
            chosen = await ask_choice(server, error.refusal) if data.ask else None
            if chosen is None:
                raise
            plan = await service.plan(replace(job, choice=chosen.id))
        rebased = service.rebase(job, plan.changes)
        to_lsp.check_review(rebased, server.client.capabilities)
        edit = to_lsp.to_workspace_edit(rebased, server.client.capabilities, server.session.encoding)
    except ApplyRefusedError as error:
        raise to_rpc_error(server, job, error) from None
    mark_expected_change(server.session, rebased)
    data = evolve(data, plan=service.keep_plan(plan.changes))
    return {**params, "data": server.protocol.unstructure(data), "edit": server.protocol.unstructure(edit)}


async def _actions(server: Server, snapshot: Snapshot, data: SketchActionData) -> list[CodeAction]:
    sketch = await _find_sketch(server, snapshot, data)
    if sketch is None:
        return []
    client = server.client.capabilities
    title = IN_COMMENT if data.comment else IN_SELECTION
    later = CodeAction(title, APPLY_KIND, data=data)
    if client.resolves_actions and client.annotates_edits:
        return [later]
    service = server.apply_service
    job = service.create_embedded_job(
        sketch
    )  # without a model: editors request the actions at every move of the cursor
    try:
        rebased = service.rebase(job, (await service.plan(job)).changes)
        to_lsp.check_review(rebased, client)
        edit = to_lsp.to_workspace_edit(rebased, client, server.session.encoding)
    except ApplyRefusedError as error:
        if error.refusal.choices and not client.annotates_edits:
            return _choice_actions(server, job, title, error.refusal.choices)
        if client.resolves_actions:
            return [later]  # `codeAction/resolve` returns the reason
        disabled = CodeActionDisabled(error.refusal.detail)
        return [CodeAction(title, APPLY_KIND, disabled=disabled)] if client.disables_actions else []
    hunk_actions = [] if client.annotates_edits else _hunk_actions(server, rebased, sketch)
    if client.resolves_actions:
        return [later, *hunk_actions]
    mark_expected_change(server.session, rebased)
    return [CodeAction(title, APPLY_KIND, edit=edit), *hunk_actions]


def _hunk_actions(server: Server, rebased: list[RebasedChange], sketch: EmbeddedSketch) -> list[CodeAction]:
    """Return an action for each hunk. The sketch stays in the document, so that the other hunks can be applied later."""
    single = []
    for file in rebased:
        for hunk in file.hunks:
            removal = not sketch.keep and hunk.replacement == sketch.removal_edit.replacements[0]
            if file.change.action == "edit" and not removal:
                single.append((replace(file, hunks=(hunk,)), hunk))
    if len(single) < 2:
        return []
    actions = []
    for number, (file, hunk) in enumerate(single[:_MAX_HUNKS], 1):
        notes = " ".join(flag.sentence for flag in hunk.flags)
        description = f"{to_lsp.hunk_title(hunk, file.snapshot)}{'. ' if notes else ''}{notes}"
        edit = to_lsp.to_workspace_edit([file], server.client.capabilities, server.session.encoding)
        mark_expected_change(server.session, [file])
        actions.append(
            CodeAction(f"Apply hunk {number} of {len(single)}: {description}", APPLY_KIND, edit=edit)
        )
    return actions


def _choice_actions(server: Server, job: ApplyJob, title: str, choices: Sequence[Choice]) -> list[CodeAction]:
    """Return an action for each choice, likeliest first."""
    actions = []
    for choice in choices:
        with suppress(ApplyRefusedError):  # the document was changed there meanwhile
            rebased = server.apply_service.rebase(job, choice.changes)
            to_lsp.check_review(rebased, server.client.capabilities)
            edit = to_lsp.to_workspace_edit(rebased, server.client.capabilities, server.session.encoding)
            mark_expected_change(server.session, rebased)
            actions.append(CodeAction(f"{title}: {to_lsp.choice_title(choice)}", APPLY_KIND, edit=edit))
    return actions


async def _find_sketch(server: Server, snapshot: Snapshot, data: SketchActionData) -> EmbeddedSketch | None:
    start, end = _offsets(snapshot, data.sketch, server.session.encoding)
    trees = server.apply_service.sketch_trees

    def find(check: Check) -> EmbeddedSketch | None:
        found = (
            sketch_in_comment(snapshot, snapshot.line_at(start), trees)
            if data.comment
            else sketch_in_selection(snapshot, start, end)
        )
        return found if found is not None and found.sketch() is not None else None

    return await server.apply_service.run_in_thread(find)


def _offsets(snapshot: Snapshot, selection: Range, encoding: Encoding) -> tuple[int, int]:
    start, end = (
        offset_at(snapshot, p.line, p.character, encoding) for p in (selection.start, selection.end)
    )
    return min(start, end), max(start, end)
