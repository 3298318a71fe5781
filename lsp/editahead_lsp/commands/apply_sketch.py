"""`editahead.apply`: turn a sketch of a change into an edit, or into a refusal with its reason."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams

from editahead_inference.apply.file_change import FileChange
from editahead_inference.errors import ApplyRefusedError
from editahead_lsp.apply import to_lsp
from editahead_lsp.apply.service import ApplyJob, partial_change
from editahead_lsp.apply.to_lsp import RebasedChange, to_problems
from editahead_lsp.heavy_jobs import HEAVY_JOBS
from editahead_lsp.protocol.apply_messages import (
    AppliedHunk,
    ApplyArgument,
    ApplyResult,
    PartialHunks,
    PlanArgument,
    PlanProblems,
    Problem,
)
from editahead_lsp.protocol.client_capabilities import get_nested
from editahead_lsp.protocol.lsp_types import WorkspaceEdit
from editahead_workspace.apply.linters import find_new_problems
from editahead_workspace.apply.partial_results import PartialResult

from .apply_choices import ask_choice, to_rpc_error

if TYPE_CHECKING:
    from editahead_inference.predictors.model.predictor import ModelPredictor
    from editahead_lsp.server import Server
    from editahead_lsp.session.session import Session
    from editahead_lsp.transport.json_rpc import JsonRpcProtocol


def apply_sketch(server: Server, arguments: list[Any]) -> Coroutine[Any, Any, ApplyResult]:
    """Handle the command `editahead.apply`."""
    if not arguments:
        raise JsonRpcInvalidParams("The command `editahead.apply` needs an argument with a `sketch`.")
    argument: ApplyArgument = server.protocol.structure(arguments[0], ApplyArgument)
    started = server.clock()
    job = server.apply_service.create_job(
        argument.sketch,
        argument.uri,
        argument.range,
        apply_model(server, dry_run=argument.dry_run),
        argument.instruction or "",
        argument.choice,
    )
    return _finish(server, argument, job, started)


def apply_problems(server: Server, arguments: list[Any]) -> Coroutine[Any, Any, PlanProblems]:
    """Handle the command `editahead.applyProblems`."""
    if not arguments:
        raise JsonRpcInvalidParams("The command `editahead.applyProblems` needs an argument with a `plan`.")
    argument: PlanArgument = server.protocol.structure(arguments[0], PlanArgument)
    return _plan_problems(server, argument)


async def _plan_problems(server: Server, argument: PlanArgument) -> PlanProblems:
    return PlanProblems(await _find_problems(server, server.apply_service.find_plan(argument.plan)))


async def _find_problems(server: Server, changes: tuple[FileChange, ...]) -> list[Problem]:
    async with HEAVY_JOBS.place(server.finish_service):
        found = await find_new_problems(changes, server.apply_service.folders, server.session.encoding)
        return to_problems(found)


async def _finish(server: Server, argument: ApplyArgument, job: ApplyJob, started: float) -> ApplyResult:
    token = argument.work_done_token
    task = asyncio.current_task()
    if isinstance(token, int | str) and task is not None:
        server.progress_tasks[token] = task
    _progress(server.protocol, token, {"kind": "begin", "title": "Apply sketch", "cancellable": True})
    end_message = "Refused"
    try:
        result = await _result(server, argument, job, started)
        end_message = f"{len(result.hunks)} hunks" if result.hunks else "Nothing to change"
        return result
    except ApplyRefusedError as error:
        raise to_rpc_error(server, job, error) from None
    except asyncio.CancelledError:
        end_message = "Cancelled"
        raise
    finally:
        if isinstance(token, int | str):
            server.progress_tasks.pop(token, None)
        _progress(server.protocol, token, {"kind": "end", "message": end_message})


async def _result(server: Server, argument: ApplyArgument, job: ApplyJob, started: float) -> ApplyResult:
    encoding = server.session.encoding

    def send_partial(result: PartialResult) -> None:
        uri = send_partial_result(server, argument.partial_result_token, job, result)
        report = {"kind": "report", "message": uri.rpartition("/")[2]}
        _progress(server.protocol, argument.work_done_token, report)

    try:
        plan = await server.apply_service.plan(job, send_partial)
    except ApplyRefusedError as error:
        asked = server.clock()
        chosen = await ask_choice(server, error.refusal) if argument.ask else None
        if chosen is None:
            raise
        started += server.clock() - asked  # the costs leave out the time that a person thinks
        plan = await server.apply_service.plan(replace(job, choice=chosen.id))
    problems: list[Problem] | None = None
    if argument.check:
        problems = await _find_problems(server, plan.changes)
    rebased = server.apply_service.rebase(job, plan.changes)
    if not argument.dry_run:
        to_lsp.check_review(rebased, server.client.capabilities)
    edit = to_lsp.to_workspace_edit(rebased, server.client.capabilities, encoding)
    hunks: list[AppliedHunk] = [hunk for file in rebased for hunk in to_lsp.to_applied_hunks(file, encoding)]
    applied, reason = None, None
    took_ms = (server.clock() - started) * 1000
    if rebased and not argument.dry_run:
        if problems:
            applied, reason = False, f"The edit was not applied: it would bring {len(problems)} new problems."
        else:
            applied, reason = await _apply(server, edit, rebased)
    elif rebased:
        mark_expected_change(server.session, rebased)
    return ApplyResult(
        edit,
        hunks,
        plan.sketch.files[0].kind,
        to_lsp.apply_method(plan.changes),
        to_lsp.apply_stats(plan, took_ms, started),
        applied,
        reason,
        problems,
        None if argument.check else server.apply_service.keep_plan(plan.changes),
    )


def send_partial_result(server: Server, token: Any, job: ApplyJob, result: PartialResult) -> str:
    """Send the hunks that are final, or void those that were sent, if there is a token. Return the URI of the file."""
    rebased = partial_change(job, result.change)
    uri = rebased.snapshot.uri
    hunks = PartialHunks(
        to_lsp.to_applied_hunks(rebased, server.session.encoding), uri if result.withdrawn else None
    )
    _progress(server.protocol, token, server.protocol.unstructure(hunks))
    return uri


async def _apply(
    server: Server, edit: WorkspaceEdit, rebased: list[RebasedChange]
) -> tuple[bool | None, str | None]:
    """Send the edit to the client. Return False and a reason if the client did not apply it, else None twice."""
    if not server.client.capabilities.applies_edits:
        return (
            False,
            "The editor does not support `workspace/applyEdit`. Request the edit with `dryRun` and apply it.",
        )
    mark_expected_change(server.session, rebased)
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


def apply_model(server: Server, *, dry_run: bool = False) -> ModelPredictor | None:
    """Return the model for parts that the merge is not sure of.

    None unless the user confirms each hunk that the model wrote: after a dry run, or by change annotations.
    """
    if not dry_run and not server.client.capabilities.annotates_edits:
        return None
    own = server.apply_model
    return own.model if own.is_separate else server.predictions.models.model


def mark_expected_change(session: Session, rebased: list[RebasedChange]) -> None:
    """Mark the edit of each document as accepted, so that the edit history does not count its text as typed."""
    for file in rebased:
        document = session.documents.get(file.snapshot.uri)
        if (
            document is not None
            and document.snapshot is file.snapshot
            and session.disabled_reason(document) is None
        ):
            session.history.mark_accepted(file.snapshot, file.edit)
