"""`editahead.report`: a scenario file of what should have been predicted, or of what was wrong."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pygls.exceptions import JsonRpcInvalidParams

from editahead_lsp.protocol.status_messages import ReportResult
from editahead_workspace.private_files import make_private_folder
from editahead_workspace.scenario_file import Cursor, EditsBefore, take_back, write_scenario

if TYPE_CHECKING:
    from editahead_lsp.server import Server

MAX_FILES = 1_000
"""Scenario files of a person. More than anyone reads are a key that is stuck."""
_ABOUT = {
    "missed": "a person expected this edit after these",
    "wrong": "a person found wrong what was shown after these edits",
}


async def report(server: Server, arguments: list[Any]) -> ReportResult:
    """Handle the command `editahead.report`: write the scenario file, and record a wrong prediction as rejected."""
    kind = arguments[0] if arguments else None
    if not isinstance(kind, str) or kind not in _ABOUT:
        raise JsonRpcInvalidParams('The first argument must be "missed" or "wrong".')
    policy = server.policy
    if policy is not None and policy.limits.get("record") == "off":
        return ReportResult(reason=policy.refusal("files with code of a session"))
    found = _missed(server) if kind == "missed" else _wrong(server)
    if isinstance(found, str):
        return ReportResult(reason=found)
    before, cursor = found
    name = time.strftime(f"%Y-%m-%d-%H%M%S-{kind}.txt", time.localtime(server.now()))
    file, roots = server.scenario_folder / name, server.workspace_paths
    return await asyncio.to_thread(_write, file, before, roots, _ABOUT[kind], cursor)


def _missed(server: Server) -> tuple[EditsBefore, Cursor | None] | str:
    """Return the last edits of the person, of which the last one was expected; or why there are none."""
    session = server.session
    enabled = [d.snapshot for d in session.documents if session.disabled_reason(d) is None]
    before = take_back(enabled, session.history.edits)
    if len(before.edits) < 2:
        return (
            "Make the edit that you expected by hand, after the one that it follows from, and report it then."
        )
    return before, None


def _wrong(server: Server) -> tuple[EditsBefore, Cursor] | str:
    """Return the last edits before the last prediction was shown, and the cursor; or why there are none."""
    last = server.coordinator.last_shown
    if last is None:
        return "Nothing has been shown in an open document yet."
    state = last.prediction.state
    session = server.session
    documents = (state.document, *state.other_documents)
    enabled = [each for each in documents if session.find_disabled_reason(each) is None]
    before = take_back(enabled, state.history)
    for id in last.shown[:1]:
        session.shown_predictions.record_outcome(id, "rejected")
    if not before.edits or state.document not in enabled:
        return "The edits before it are not known any more."
    line = state.document.line_at(state.cursor)
    return before, Cursor(state.document.uri, line, state.cursor - state.document.starts[line])


def _write(
    file: Path, before: EditsBefore, roots: tuple[Path, ...], about: str, cursor: Cursor | None
) -> ReportResult:
    """Write the file, which only the person can read."""
    text = write_scenario(before, roots, about=about, cursor=cursor)
    if text is None:
        return ReportResult(reason="The documents are too large for a scenario file.")
    try:
        make_private_folder(file.parent.parent)
        make_private_folder(file.parent)
        if sum(1 for _ in file.parent.iterdir()) >= MAX_FILES:
            return ReportResult(reason=f"{file.parent} holds {MAX_FILES} files; delete some.")
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        with os.fdopen(
            os.open(file, flags, 0o600), "w", encoding="utf-8", errors="replace", newline="\n"
        ) as out:
            out.write(text)
    except FileExistsError:
        return ReportResult(file=str(file))  # the same key again, within the same second
    except OSError as error:
        return ReportResult(reason=f"{file} cannot be written: {error.strerror or error}.")
    return ReportResult(file=str(file))
