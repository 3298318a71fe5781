"""`editahead.apply`: a sketch of a change becomes the exact edit, or a refusal that says why."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams

from editahead_inference.apply.planner import FileChange
from editahead_inference.errors import ApplyRefusedError
from editahead_inference.predictors.model.predictor import ModelPredictor
from editahead_lsp.apply import to_lsp
from editahead_lsp.apply.linters import new_problems
from editahead_lsp.apply.partial_results import PartialResult
from editahead_lsp.apply.service import ApplyJob, ApplyPlan, partial_change
from editahead_lsp.apply.to_lsp import RebasedChange
from editahead_lsp.protocol.apply_messages import (
    AppliedHunk,
    ApplyArgument,
    ApplyResult,
    ApplyStats,
    PartialHunks,
    Problem,
)
from editahead_lsp.protocol.client_capabilities import get_nested
from editahead_lsp.protocol.lsp_types import WorkspaceEdit

if TYPE_CHECKING:
    from editahead_lsp.server import Server
    from editahead_lsp.session.session import Session
    from editahead_lsp.transport.json_rpc import JsonRpcProtocol

REQUEST_FAILED = -32803
"""LSP: a request that was well put failed."""


def apply_sketch(server: Server, arguments: list[Any]) -> Coroutine[Any, Any, ApplyResult]:
    if not arguments:
        raise JsonRpcInvalidParams("The argument is the sketch, and what it is for.")
    argument: ApplyArgument = server.protocol.structure(arguments[0], ApplyArgument)
    started = server.clock()
    job = server.apply_service.create_job(
        argument.sketch,
        argument.uri,
        argument.range,
        apply_model(server, dry_run=argument.dry_run),
        argument.instruction or "",
    )
    return _finish(server, argument, job, started)


def work_done_progress_cancel(server: Server, params: Any) -> None:
    token = get_nested(params, "token")
    task = server.progress_tasks.get(token) if isinstance(token, int | str) else None
    if task is not None:
        task.cancel()


async def _finish(server: Server, argument: ApplyArgument, job: ApplyJob, started: float) -> ApplyResult:
    token = argument.work_done_token
    task = asyncio.current_task()
    if isinstance(token, int | str) and task is not None:
        server.progress_tasks[token] = task
    _progress(server.protocol, token, {"kind": "begin", "title": "Apply sketch", "cancellable": True})
    said = "Refused"
    try:
        result = await _result(server, argument, job, started)
        said = f"{len(result.hunks)} hunks" if result.hunks else "Nothing to change"
        return result
    except ApplyRefusedError as refused:
        raise to_rpc_error(server.protocol, refused) from None
    except asyncio.CancelledError:
        said = "Cancelled"
        raise
    finally:
        if isinstance(token, int | str):
            server.progress_tasks.pop(token, None)
        _progress(server.protocol, token, {"kind": "end", "message": said})


async def _result(server: Server, argument: ApplyArgument, job: ApplyJob, started: float) -> ApplyResult:
    encoding = server.session.encoding
    planned = await server.apply_service.plan(job, partial(_send_partial_result, server, argument, job))
    problems: list[Problem] | None = None
    if argument.check:
        problems = await new_problems(planned.changes, server.apply_service.folders, encoding)
    placed = server.apply_service.rebase(job, planned.changes)
    edit = to_lsp.to_workspace_edit(placed, server.client, encoding)
    hunks: list[AppliedHunk] = [hunk for file in placed for hunk in to_lsp.to_applied_hunks(file, encoding)]
    applied, reason = None, None
    took_ms = (server.clock() - started) * 1000
    if placed and not argument.dry_run:
        if problems:
            applied, reason = False, f"It would bring new problems: {len(problems)}."
        else:
            applied, reason = await _apply(server, edit, placed)
    elif placed:
        mark_expected_change(server.session, placed)
    return ApplyResult(
        edit,
        hunks,
        planned.sketch.files[0].kind,
        apply_method(planned.changes),
        apply_stats(planned, took_ms, started),
        applied,
        reason,
        problems,
    )


def _send_partial_result(server: Server, argument: ApplyArgument, job: ApplyJob, news: PartialResult) -> None:
    placed = partial_change(job, news.change)
    uri = placed.snapshot.uri
    report = {"kind": "report", "message": uri.rpartition("/")[2]}
    _progress(server.protocol, argument.work_done_token, report)
    hunks = PartialHunks(
        to_lsp.to_applied_hunks(placed, server.session.encoding), uri if news.withdrawn else None
    )
    _progress(server.protocol, argument.partial_result_token, server.protocol.unstructure(hunks))


async def _apply(
    server: Server, edit: WorkspaceEdit, placed: list[RebasedChange]
) -> tuple[bool | None, str | None]:
    """Return whether the client declined the edit, and why."""
    if not server.client.applies_edits:
        return False, "The editor cannot be asked to apply an edit."
    mark_expected_change(server.session, placed)
    params = {"label": "Apply sketch", "edit": server.protocol.unstructure(edit)}
    try:
        answer = await asyncio.wrap_future(server.protocol.send_request(types.WORKSPACE_APPLY_EDIT, params))
    except JsonRpcException as error:
        return False, error.message
    if get_nested(answer, "applied") is True:
        return None, None
    why = get_nested(answer, "failureReason")
    return False, why if isinstance(why, str) else "The editor did not apply the edit."


def _progress(protocol: JsonRpcProtocol, token: Any, value: dict[str, Any]) -> None:
    if isinstance(token, int | str):
        protocol.notify(types.PROGRESS, {"token": token, "value": value})


def to_rpc_error(protocol: JsonRpcProtocol, refused: ApplyRefusedError) -> JsonRpcException:
    """Return the error for a refusal; its message also says what came of asking a model."""
    found = refused.refusal
    message = f"{found.detail} {found.model}" if found.model else found.detail
    return JsonRpcException(message, REQUEST_FAILED, protocol.unstructure(to_lsp.to_refusal_data(found)))


def apply_model(server: Server, *, dry_run: bool = False) -> ModelPredictor | None:
    """Return the model for what the merge is not sure of, if a person confirms each hunk that the model wrote."""
    return server.predictions.models.model if dry_run or server.client.annotates_edits else None


def apply_method(changes: Sequence[FileChange]) -> Literal["merge", "model", "none"]:
    if any(change.origin == "model" for change in changes):
        return "model"
    return "merge" if changes else "none"


def apply_stats(planned: ApplyPlan, ms: float, started: float) -> ApplyStats:
    """started: on the clock."""
    used, first = planned.used, planned.first
    return ApplyStats(
        round(ms, 3),
        None if first is None else round((first - started) * 1000, 3),
        sum(usage.completion for usage in used),
        sum(usage.drafted for usage in used),
        sum(usage.accepted for usage in used),
    )


def mark_expected_change(session: Session, placed: list[RebasedChange]) -> None:
    """Mark what the edit makes of each document as accepted: nobody typed that text."""
    for file in placed:
        document = session.documents.get(file.snapshot.uri)
        if (
            document is not None
            and document.snapshot is file.snapshot
            and session.disabled_reason(document) is None
        ):
            session.history.mark_accepted(file.snapshot, file.edit)


HANDLERS = {types.WINDOW_WORK_DONE_PROGRESS_CANCEL: work_done_progress_cancel}
