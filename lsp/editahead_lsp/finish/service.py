"""`finish` inside the server: what is asked for is frozen, found by a process, and moved to the present texts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from editahead_lsp.heavy_jobs import HEAVY_JOBS
from editahead_lsp.presentation.to_lsp import text_edits, to_range
from editahead_lsp.protocol.custom_messages import Position, Range, TextEdit
from editahead_lsp.protocol.finish_messages import LeftUse
from editahead_lsp.session.frozen_texts import FrozenTexts
from editahead_lsp.session.session import Session
from editahead_prompts.text.edits import Edit, Replacement, rebase
from editahead_retrieval.files.file_identity import path_from_folder
from editahead_workspace import uris
from editahead_workspace.errors import ChangeError
from editahead_workspace.finish.finish_process import run_compose, run_finish
from editahead_workspace.finish.messages import (
    Composed,
    FinishTask,
    Found,
    FoundPlace,
    FoundUse,
    Progress,
    settings_fields,
    text_digest,
)

TIMEOUT_S = 300.0
"""Seconds of one search, the wait for its place included. A person has long given up by then."""
NICENESS = 5
"""How far a search that a person waits for makes room for the editor."""
IDLE_NICENESS = 15
"""How far a search without anyone who waits makes room."""
MAX_DOCUMENTS_CHARS = 20_000_000
"""Characters of all open documents together that a process gets, the most recently used first."""


@dataclass(frozen=True)
class FinishJob:
    """A frozen request.

    Attributes:
        task: What the process gets.
        texts: The open documents. Those that are opened later join them, if their text is the searched one.
    """

    task: FinishTask
    texts: FrozenTexts


@dataclass(frozen=True)
class CurrentPlace:
    """A place in the texts that the client has now.

    Attributes:
        found: What the process found.
        uri: The file, as the client writes it.
        version: The document's version; None for a file that is not open.
        range: The lines that change.
        edits: The edit.
    """

    found: FoundPlace
    uri: str
    version: int | None
    range: Range
    edits: tuple[TextEdit, ...]


class FinishService:
    """The searches of one client. Call its methods on the event loop.

    Args:
        session: The session.
        cache: The folder of all indexes.
        state: The folder of the user's secret.
    """

    def __init__(self, session: Session, cache: Path, state: Path) -> None:
        self._session, self._cache, self._state = session, cache, state
        self.folders: tuple[Path, ...] = ()
        """The workspace folders."""

    def create_job(self, uri: str | None, *, is_idle: bool = False) -> FinishJob:
        """Return the frozen request.

        Args:
            uri: A document or folder of the repository that is meant; None = the document in focus.
            is_idle: Whether the search is for a count only, which may take long.

        Raises:
            ChangeError: There is no such folder in the workspace.
        """
        session = self._session
        root, folder = self.find_folder(uri)
        texts = FrozenTexts.of(session.documents)
        sent: list[tuple[str, str, str]] = []
        size = 0
        for document in reversed(texts.documents.values()):
            silence = session.disabled_reason(document)
            if silence is not None and silence.reason != "language-off":
                continue
            size += document.snapshot.length
            if size > MAX_DOCUMENTS_CHARS:
                break
            sent.append((document.uri, document.snapshot.language, document.snapshot.text))
        task = FinishTask(
            str(folder),
            str(root),
            str(self._cache),
            str(self._state),
            tuple(session.settings.exclude),
            settings_fields(session.settings),
            tuple(sent),
            session.encoding,
            IDLE_NICENESS if is_idle else NICENESS,
        )
        return FinishJob(task, texts)

    def find_folder(self, uri: str | None) -> tuple[Path, Path]:
        """Return the workspace folder, and the folder in it, of a document or folder; by default, of the focused document.

        Raises:
            ChangeError: It is outside of the workspace, or none is meant.
        """
        focused = self._session.focused_document
        meant = uri if uri is not None else None if focused is None else focused.uri
        if meant is None and len(self.folders) == 1:
            return self.folders[0], self.folders[0]
        path = None if meant is None else uris.uri_to_path(meant)
        if path is None or ".." in path.parts:
            raise ChangeError("open a file of the repository first")
        roots = [
            (root, found) for root in self.folders if (found := path_from_folder(path, root)) is not None
        ]
        if not roots:
            raise ChangeError("the file is in no folder that is open in the editor; open its folder first")
        root, inner = min(roots, key=lambda each: len(each[1].parts))
        return root, (root / inner).parent if inner.parts else root

    async def find(
        self, job: FinishJob, on_progress: Callable[[Progress], None] = lambda progress: None
    ) -> Found:
        """Return what the change lacks, once this process has a place for the search.

        Raises:
            ChangeError: The change cannot be read, there is no index, or it takes too long.
        """
        try:
            async with asyncio.timeout(TIMEOUT_S), HEAVY_JOBS.place(self):
                return await run_finish(job.task, on_progress)
        except TimeoutError:
            raise ChangeError(f"the search took longer than {TIMEOUT_S:.0f} s") from None

    async def compose(self, uri: str | None) -> Composed:
        """Return a commit message for what is staged in a document's or folder's repository, or for all that is saved.

        Raises:
            ChangeError: The change cannot be read, nothing in it has a name, or it takes too long.
        """
        task = replace(self.create_job(uri).task, documents=(), composes=True)
        try:
            async with asyncio.timeout(TIMEOUT_S), HEAVY_JOBS.place(self):
                return await run_compose(task)
        except TimeoutError:
            raise ChangeError(f"the change took longer than {TIMEOUT_S:.0f} s to read") from None

    def to_current(self, job: FinishJob, places: Sequence[FoundPlace]) -> list[CurrentPlace]:
        """Return places in the texts that the client has now. Those whose lines were edited meanwhile are left out."""
        current = (self._to_current(job, place) for place in places)
        return [place for place in current if place is not None]

    def uses_now(self, job: FinishJob, uses: Sequence[FoundUse]) -> list[LeftUse]:
        """Return uses in the texts that the client has now. Those whose names were edited meanwhile are left out."""
        current = (self._use_now(job, use) for use in uses)
        return [use for use in current if use is not None]

    def _use_now(self, job: FinishJob, use: FoundUse) -> LeftUse | None:
        present = job.texts.follow(use.uri, self._session.documents)
        if present is None:
            return None
        snapshot, start = present.snapshot, use.start
        if snapshot is None:
            return _left_use(use, use.uri, None, _range(use.range))
        if present.since is not None:
            start = _moved(start, present.since)
        elif text_digest(snapshot.text) != use.digest:
            return None
        end = start + len(use.name)
        if snapshot.text[start:end] != use.name:
            return None
        place = to_range(snapshot, Replacement(start, end, ""), self._session.encoding)
        return _left_use(use, snapshot.uri, snapshot.version, place)

    def _to_current(self, job: FinishJob, place: FoundPlace) -> CurrentPlace | None:
        # A document that was closed meanwhile is on disk as it was saved, which may be another text.
        present = job.texts.follow(place.uri, self._session.documents)
        if present is None:
            return None
        snapshot, since = present.snapshot, present.since
        if snapshot is None:
            edits = tuple(
                TextEdit(_range(numbers), text)
                for numbers, (_, _, text) in zip(place.ranges, place.replacements, strict=True)
            )
            return CurrentPlace(place, place.uri, None, _range(place.lines), edits)
        edit = Edit(tuple(Replacement(start, end, text) for start, end, text in place.replacements))
        first, count = place.lines[0], place.lines[2] - place.lines[0]
        if since is not None:
            before = job.texts.before(place.uri)
            moved = rebase(edit, since)
            if before is None or moved is None:
                return None
            start = _moved(before.starts[first], since)
            first, edit = snapshot.line_at(start), moved
            if snapshot.starts[first] != start and count:
                return None
        elif text_digest(snapshot.text) != place.digest:
            return None
        else:  # opened since then, as it was on disk
            job.texts.adopt(place.uri, self._session.documents)
        last = min(first + count, len(snapshot.lines))
        if "".join(snapshot.lines[first:last]) != place.old:
            return None
        span = Replacement(snapshot.starts[first], snapshot.starts[last], "")
        encoding = self._session.encoding
        made = tuple(text_edits(snapshot, edit, encoding))
        return CurrentPlace(place, snapshot.uri, snapshot.version, to_range(snapshot, span, encoding), made)


def _left_use(use: FoundUse, uri: str, version: int | None, place: Range) -> LeftUse:
    return LeftUse(uri, version, place, use.text, use.name, use.new, use.why)


def _range(numbers: tuple[int, int, int, int]) -> Range:
    return Range(Position(*numbers[:2]), Position(*numbers[2:]))


def _moved(offset: int, since: Edit) -> int:
    """Return where an offset is after an edit that does not change its line."""
    return offset + sum(
        len(one.text) - (one.end - one.start) for one in since.replacements if one.end <= offset
    )
