"""`editahead.apply`: a sketch of a change becomes the exact edit, or a refusal that says why."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from typing import TYPE_CHECKING, Any, Literal

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams

from editahead_inference.apply.plan import FileChange, Refused
from editahead_inference.modelling.predictor import ModelPredictor
from editahead_lsp.applying import terms
from editahead_lsp.applying.messages import (
    AppliedHunk,
    ApplyArgument,
    ApplyResult,
    ApplyStats,
    PartialHunks,
    Problem,
)
from editahead_lsp.applying.problems import new_problems
from editahead_lsp.applying.telling import News
from editahead_lsp.applying.terms import Placed
from editahead_lsp.applying.work import Job, Planned, settled_so_far
from editahead_lsp.client import at
from editahead_lsp.standard import WorkspaceEdit

if TYPE_CHECKING:
    from editahead_lsp.server import Server

REQUEST_FAILED = -32803
"""LSP: a request that was well put failed."""


def refusal(server: Server, refused: Refused) -> JsonRpcException:
    """The error that a refusal is answered with; its message also says what came of asking a model."""
    found = refused.refusal
    message = f"{found.detail} {found.model}" if found.model else found.detail
    return JsonRpcException(message, REQUEST_FAILED, server.protocol.write(terms.error_data(found)))


class ApplyCommand:
    def __init__(self, server: Server) -> None:
        self._server = server
        self._under_way: dict[int | str, asyncio.Task[Any]] = {}
        """By the token of their progress."""

    def apply(self, arguments: list[Any]) -> Coroutine[Any, Any, ApplyResult]:
        if not arguments:
            raise JsonRpcInvalidParams("The argument is the sketch, and what it is for.")
        argument: ApplyArgument = self._server.protocol.read(arguments[0], ApplyArgument)
        started = self._server.clock()
        job = self._server.applying.begin(
            argument.sketch,
            argument.uri,
            argument.range,
            model_for(self._server, dry_run=argument.dry_run),
            argument.instruction or "",
        )
        return self._finish(argument, job, started)

    def cancel(self, token: int | str) -> None:
        """Stop the one that reports its progress under this token."""
        task = self._under_way.get(token)
        if task is not None:
            task.cancel()

    async def _finish(self, argument: ApplyArgument, job: Job, started: float) -> ApplyResult:
        token = argument.work_done_token
        task = asyncio.current_task()
        if isinstance(token, int | str) and task is not None:
            self._under_way[token] = task
        self._progress(token, {"kind": "begin", "title": "Apply sketch", "cancellable": True})
        said = "Refused"
        try:
            result = await self._result(argument, job, started)
            said = f"{len(result.hunks)} hunks" if result.hunks else "Nothing to change"
            return result
        except Refused as refused:
            raise refusal(self._server, refused) from None
        except asyncio.CancelledError:
            said = "Cancelled"
            raise
        finally:
            self._under_way.pop(token, None) if isinstance(token, int | str) else None
            self._progress(token, {"kind": "end", "message": said})

    async def _result(self, argument: ApplyArgument, job: Job, started: float) -> ApplyResult:
        server = self._server
        encoding, token = server.session.encoding, argument.partial_result_token

        def tell(news: News) -> None:
            placed = settled_so_far(job, news.change)
            uri = placed.snapshot.uri
            self._progress(argument.work_done_token, {"kind": "report", "message": uri.rpartition("/")[2]})
            partial = PartialHunks(terms.hunks(placed, encoding), uri if news.withdrawn else None)
            self._progress(token, server.protocol.write(partial))

        planned = await server.applying.plan(job, tell)
        problems: list[Problem] | None = None
        if argument.check:
            problems = await new_problems(planned.changes, server.applying.folders, encoding)
        placed = server.applying.place(job, planned.changes)
        edit = terms.workspace_edit(placed, server.client, encoding)
        hunks: list[AppliedHunk] = [hunk for file in placed for hunk in terms.hunks(file, encoding)]
        applied, reason = None, None
        took_ms = (server.clock() - started) * 1000
        if placed and not argument.dry_run:
            if problems:
                applied, reason = False, f"It would bring new problems: {len(problems)}."
            else:
                applied, reason = await self._apply(edit, placed)
        elif placed:
            expect(server, placed)
        return ApplyResult(
            edit,
            hunks,
            planned.sketch.files[0].kind,
            method_of(planned.changes),
            stats_of(planned, took_ms, started),
            applied,
            reason,
            problems,
        )

    async def _apply(self, edit: WorkspaceEdit, placed: list[Placed]) -> tuple[bool | None, str | None]:
        """Whether it was declined, and why."""
        server = self._server
        if not server.client.applies_edits:
            return False, "The editor cannot be asked to apply an edit."
        expect(server, placed)
        params = {"label": "Apply sketch", "edit": server.protocol.write(edit)}
        try:
            answer = await asyncio.wrap_future(
                server.protocol.send_request(types.WORKSPACE_APPLY_EDIT, params)
            )
        except JsonRpcException as error:
            return False, error.message
        if at(answer, "applied") is True:
            return None, None
        why = at(answer, "failureReason")
        return False, why if isinstance(why, str) else "The editor did not apply the edit."

    def _progress(self, token: Any, value: dict[str, Any]) -> None:
        if isinstance(token, int | str):
            self._server.protocol.notify(types.PROGRESS, {"token": token, "value": value})


def model_for(server: Server, *, dry_run: bool = False) -> ModelPredictor | None:
    """The model that may be asked where the merge is not sure: one whose hunks a person is asked about."""
    return server.predictions.models.model if dry_run or server.client.annotates_edits else None


def method_of(changes: Sequence[FileChange]) -> Literal["merge", "model", "none"]:
    if any(change.origin == "model" for change in changes):
        return "model"
    return "merge" if changes else "none"


def stats_of(planned: Planned, ms: float, started: float) -> ApplyStats:
    """started: on the clock."""
    used, first = planned.used, planned.first
    return ApplyStats(
        round(ms, 3),
        None if first is None else round((first - started) * 1000, 3),
        sum(usage.completion for usage in used),
        sum(usage.drafted for usage in used),
        sum(usage.accepted for usage in used),
    )


def expect(server: Server, placed: list[Placed]) -> None:
    """What this makes of a document was not typed."""
    session = server.session
    for file in placed:
        document = session.documents.get(file.snapshot.uri)
        if document is not None and document.snapshot is file.snapshot and session.off(document) is None:
            session.history.mark_accepted(file.snapshot, file.edit)
