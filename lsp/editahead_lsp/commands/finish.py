"""`editahead.finish`: what the change of the working tree still lacks, with unsaved documents; `editahead.commitMessage`."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import attrs
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from editahead_lsp.finish.finish_counter import places_message
from editahead_lsp.finish.service import FinishJob
from editahead_lsp.finish.to_lsp import to_result
from editahead_lsp.protocol.finish_messages import (
    CommitMessageArgument,
    CommitMessageResult,
    FinishArgument,
    FinishResult,
)
from editahead_workspace.errors import ChangeError
from editahead_workspace.finish.messages import Found, Progress

from .apply_choices import REQUEST_FAILED

if TYPE_CHECKING:
    from editahead_lsp.server import Server


def finish(server: Server, arguments: list[Any]) -> Coroutine[Any, Any, FinishResult]:
    """Handle the command `editahead.finish`."""
    argument: FinishArgument = server.protocol.structure(arguments[0] if arguments else None, FinishArgument)
    server.finish_counter.pause()
    try:
        job = server.finish_service.create_job(argument.uri)
    except ChangeError as error:
        raise _failed(error) from None
    if not arguments and server.client.capabilities.diagnostics and not server.client.renders_edits:
        argument = attrs.evolve(argument, show=True)
    return _finish(server, argument, job, server.clock())


async def commit_message(server: Server, arguments: list[Any]) -> CommitMessageResult:
    """Handle the command `editahead.commitMessage`."""
    argument: CommitMessageArgument = server.protocol.structure(
        arguments[0] if arguments else None, CommitMessageArgument
    )
    try:
        composed = await server.finish_service.compose(argument.uri)
    except ChangeError as error:
        raise _failed(error) from None
    return CommitMessageResult(composed.text, composed.subject, list(composed.body), composed.source)


async def _finish(server: Server, argument: FinishArgument, job: FinishJob, started: float) -> FinishResult:
    token = argument.work_done_token
    task = asyncio.current_task()
    if isinstance(token, int | str) and task is not None:
        server.progress_tasks[token] = task
    begin = {"kind": "begin", "title": "Looking for what is left", "cancellable": True, "percentage": 0}
    _progress(server, token, begin)
    message = ""
    try:
        found = await server.finish_service.find(job, lambda done: _report(server, token, done))
        result = _result(server, argument, job, found, started)
        count = sum(place.likely for place in result.places)
        message = _count_message(count, len(result.uses), result.complete)
        server.finish_counter.report(Path(job.task.root), count)
        if argument.show:
            server.finish_diagnostics.show(job, found)
            server.window_show_message(_message(result, message))
        return result
    except ChangeError as error:
        message = "Failed"
        raise _failed(error) from None
    except asyncio.CancelledError:
        message = "Cancelled"
        raise
    finally:
        if isinstance(token, int | str):
            server.progress_tasks.pop(token, None)
        _progress(server, token, {"kind": "end", "message": message})


def _count_message(places: int, uses: int, is_complete: bool) -> str:
    """Return what was found in words."""
    if is_complete:
        return "Complete"
    look = f"{uses} {'use' if uses == 1 else 'uses'} to look at" if uses else ""
    return (
        ", ".join(filter(None, (places_message(places) if places else "", look)))
        or "Not all files were looked at"
    )


def _message(result: FinishResult, message: str) -> types.ShowMessageParams:
    """Return what tells a person where the places are."""
    uris = (*(place.uri for place in result.places if place.likely), *(use.uri for use in result.uses))
    names = dict.fromkeys(uri.rpartition("/")[2] for uri in uris)
    where = f" in {', '.join(map(unquote, names))}" if names else ""
    return types.ShowMessageParams(types.MessageType.Info, f"Editahead: {message}{where}.")


def _result(
    server: Server, argument: FinishArgument, job: FinishJob, found: Found, started: float
) -> FinishResult:
    wanted = [place for place in found.places if place.likely or argument.all]
    places = server.finish_service.to_current(job, wanted)
    uses = server.finish_service.uses_now(job, found.uses)
    ms = 1000 * (server.clock() - started)
    return to_result(found, places, uses, server.client.capabilities, ms)


def _report(server: Server, token: Any, done: Progress) -> None:
    report: dict[str, Any] = {"kind": "report", "message": done.what}
    if done.total:
        report["percentage"] = min(100, 100 * done.done // done.total)
        report["message"] = f"{done.what}: {done.done} of {done.total}"
    _progress(server, token, report)


def _progress(server: Server, token: Any, value: dict[str, Any]) -> None:
    if isinstance(token, int | str):
        server.protocol.notify(types.PROGRESS, {"token": token, "value": value})


def _failed(error: ChangeError) -> JsonRpcException:
    reason = str(error)
    return JsonRpcException(f"{reason[:1].upper()}{reason[1:]}.", REQUEST_FAILED, None)
