"""`editahead.search`: find code in the workspace, over the open documents as they are."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams

from editahead_inference.errors import DeadlineError
from editahead_inference.worker_thread import CancellableJob
from editahead_lsp.protocol.custom_messages import Position, Range
from editahead_lsp.protocol.search_messages import MatchingLine, SearchArgument, SearchPlace, SearchResult
from editahead_prompts.text.snapshot import Snapshot, line_body, split_lines
from editahead_workspace import uris
from editahead_workspace.codebase.team_search import find_first_answer
from editahead_workspace.codebase.workspace_codebase import IndexedFolder
from editahead_workspace.codebase.workspace_search import FoundPlace
from editahead_workspace.open_files import OpenFiles

from .apply_choices import REQUEST_FAILED

if TYPE_CHECKING:
    from editahead_lsp.server import Server

MAX_PLACES = 100
"""Places of one answer, at most."""
MAX_LINE_CHARS = 400
"""Characters of a matching line that are sent."""
DEADLINE_S = 60.0
"""Limits the seconds of one search."""


def search(server: Server, arguments: list[Any]) -> Coroutine[Any, Any, SearchResult]:
    """Handle the command `editahead.search`."""
    argument: SearchArgument = server.protocol.structure(arguments[0] if arguments else None, SearchArgument)
    if not argument.query.strip():
        raise JsonRpcInvalidParams("The query is empty.")
    if not server.index.service.folders:
        raise JsonRpcException(
            "No workspace folder has an index: see the setting `index`.", REQUEST_FAILED, None
        )
    return _search(server, argument)


async def _search(server: Server, argument: SearchArgument) -> SearchResult:
    settings = server.session.settings
    snapshots = {document.key: document.snapshot for document in server.session.documents}

    open_files = OpenFiles(lambda: {key: snapshot.uri for key, snapshot in snapshots.items()})

    def open_snapshot(uri: str) -> Snapshot | None:
        return snapshots.get(open_files.find(uri) or "")

    def open_text(uri: str) -> str | None:
        snapshot = open_snapshot(uri)
        return None if snapshot is None else snapshot.text

    folders, service = server.index.service.folders, server.search_service
    search, team = service.workspace, service.team
    limit = max(1, min(argument.limit, MAX_PLACES))
    notices: list[str] = []
    problems: list[str] = []

    def find(check: Callable[[], None]) -> list[FoundPlace]:
        encoder = search.open_encoder(settings)
        found: list[FoundPlace] = []
        own: list[IndexedFolder] = []
        for folder in folders:
            ask = partial(find_first_answer, folder, settings, argument.query, limit, within=folder.root)
            answer = team.find(
                folder, settings, partial(ask, encoder=encoder, open_texts=open_text, check=check)
            )
            notices.append(answer.notice)
            found += answer.answer or ()
            if answer.answer is None:
                own.append(folder)
        found += search.search(
            own,
            argument.query,
            limit,
            max_file_bytes=settings.max_file_bytes,
            open_texts=open_text,
            open_uris=[snapshot.uri for snapshot in snapshots.values()],
            check=check,
            encoder=encoder,
            on_problem=problems.append,
        )
        return sorted(found, key=lambda place: -place.result.score)[:limit]

    try:
        found = await CancellableJob(service.worker, server.clock, DEADLINE_S).run(find)
    except DeadlineError:
        reason = f"The search took longer than {DEADLINE_S:.0f} s."
        raise JsonRpcException(reason, REQUEST_FAILED, None) from None
    notice = " ".join(filter(None, [*notices, _notice(server, problems)]))
    return SearchResult([_to_place(place, open_snapshot) for place in found], notice)


def _to_place(place: FoundPlace, open_snapshot: Callable[[str], Snapshot | None]) -> SearchPlace:
    result = place.result
    uri = uris.path_to_uri(place.root / result.path)
    known = open_snapshot(uri)
    texts = [line_body(line) for line in split_lines(result.text)]
    lines = [
        MatchingLine(line, texts[line - result.line][:MAX_LINE_CHARS])
        for line in result.matches
        if line - result.line < len(texts)
    ]
    whole = Range(Position(result.line, 0), Position(result.end_line, 0))
    shown_uri = uri if known is None else known.uri
    return SearchPlace(shown_uri, result.path, whole, lines, round(result.score, 4), list(result.why))


def _notice(server: Server, problems: Sequence[str]) -> str:
    for root, report in server.index.service.reports.items():
        if report.state in ("looking", "building") and report.total:
            return f"{root.name} is being indexed: {report.done} of {report.total} files."
        if report.state in ("full", "failed", "ended"):
            return f"The index of {root.name} may be out of date: {report.detail or report.state}."
    return "".join(f"The search is by words only: {problem}." for problem in problems[:1])
