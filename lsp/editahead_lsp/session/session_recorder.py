"""A recording of the session on this machine, for `editahead eval --keys`. Off by default.

The file is a JSON object whose `log` holds entries in order, in the format of VS Code's Copilot Chat
(`workspaceRecording@1.0`): documents with their texts, changes with their times, cursors. Each write leaves a whole JSON
object behind. A thread converts and writes, so that a slow disk cannot block the event loop. What the user excludes is
never recorded, and secrets are recorded as placeholders of the same length.
"""

from __future__ import annotations

import io
import json
import logging
import os
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from editahead_inference.worker_thread import WorkerThread
from editahead_prompts.text.diff import diff
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot
from editahead_retrieval.files.file_identity import path_from_folder
from editahead_workspace.private_files import make_private_folder
from editahead_workspace.uris import uri_to_path

if TYPE_CHECKING:
    from editahead_prompts.secrets.masking import SecretMasker

log = logging.getLogger(__name__)

FOLDER_NAME = "recordings"
"""The folder of recordings in the user's state folder."""
SUFFIX = ".recording.w.json"
MAX_FILE_BYTES = 20_000_000
"""Bytes of one recording, about a day of typing. What follows is not recorded."""
MAX_FILES = 50
"""Recordings that are kept. A new one deletes the oldest."""
MAX_WAITING_CHARS = 8_000_000
"""Characters of texts and changes that wait for the disk. More are left out, and each document begins anew with its text."""
STOP_S = 2.0
"""Seconds to wait for the disk at the end."""

_EMPTY = b'{"log": [\n'
_END = b"\n]}\n"


@dataclass
class _Recorded:
    """A document in the recording."""

    number: int
    snapshot: Snapshot


class SessionRecorder:
    """A recorder of one client's session. Its methods return at once; the first entry creates the file.

    Args:
        folder: The folder of the recordings.
        now: Returns Unix seconds.
        run: A unique name of this session.
    """

    def __init__(self, folder: Path, now: Callable[[], float], run: str) -> None:
        self.folder, self._now, self._run = folder, now, run
        self.is_on = False
        self._roots: tuple[Path, ...] = ()
        self._numbers: dict[str, int] = {}
        self._known: dict[str, _Recorded] = {}
        self._cursor: tuple[str, int] | None = None
        self._worker: WorkerThread | None = None
        self._lock = threading.Lock()
        self._waiting = 0
        self._file = _RecordingFile(folder, run)
        self._written: dict[int, Snapshot] = {}
        """The documents as recorded last, by number. Only the recorder's thread uses them."""

    @property
    def path(self) -> Path | None:
        """The file that is being written; None while nothing is recorded."""
        return self._file.path if self.is_on and not self._file.has_ended else None

    def configure(self, *, on: bool, roots: Sequence[Path]) -> None:
        """Start or stop recording. Documents that are open already enter a recording with their next change.

        Args:
            on: Whether the user wants recordings.
            roots: The workspace folders; paths are recorded relative to them.
        """
        self._roots = tuple(roots)
        if self.is_on and not on:
            self._known.clear()
        self.is_on = on

    def on_open(self, key: str, snapshot: Snapshot) -> None:
        """Record a document that was opened, and that the user does not exclude."""
        if self.is_on:
            self._record(key, snapshot)

    def on_change(self, key: str, before: Snapshot, after: Snapshot, edit: Edit) -> None:
        """Record a change of a document that the user does not exclude."""
        if not self.is_on:
            return
        recorded = self._known.get(key)
        if recorded is None or recorded.snapshot is not before:
            recorded = self._record(key, before)
        size = sum(len(replacement.text) for replacement in edit.replacements)
        change = partial(self._change, recorded.number, before, after, edit)
        if recorded is self._known.get(key) and self._submit(size, change):
            recorded.snapshot = after

    def on_cursor(self, key: str, snapshot: Snapshot, cursor: int) -> None:
        """Record where the cursor is, as an offset in code points."""
        recorded = self._known.get(key)
        if not self.is_on or recorded is None or recorded.snapshot is not snapshot:
            return
        if self._cursor != (key, cursor):
            self._cursor = key, cursor
            self._submit(0, partial(_selected, recorded.number, snapshot, cursor))

    def on_close(self, key: str) -> None:
        """Record that a document was closed."""
        recorded = self._known.pop(key, None)
        if self.is_on and recorded is not None:
            self._submit(0, partial(self._end, recorded.number))

    def stop(self) -> None:
        """Write what waits, for `STOP_S` seconds at most, and end."""
        self.is_on = False
        if self._worker is not None:
            self._worker.stop(STOP_S)
            self._worker = None

    def _record(self, key: str, snapshot: Snapshot) -> _Recorded:
        """Record the whole text of a document."""
        recorded = _Recorded(self._numbers.setdefault(key, len(self._numbers)), snapshot)
        if self._submit(snapshot.length, partial(self._begin, recorded.number, snapshot)):
            self._known[key] = recorded
        return recorded

    def _submit(self, size: int, entries: Callable[[int], Sequence[Any]]) -> bool:
        """Let the thread write entries, and return whether there is room for them.

        Args:
            size: The characters that the entries keep in memory.
            entries: Returns the entries for a time in Unix milliseconds.
        """
        if self._waiting + size > MAX_WAITING_CHARS:
            self._known.clear()
            return False
        if self._worker is None:
            self._worker = WorkerThread("editahead-recorder")
        with self._lock:
            self._waiting += size
        self._worker.submit(partial(self._write, size, entries, int(1000 * self._now())))
        return True

    def _write(self, size: int, entries: Callable[[int], Sequence[Any]], time_ms: int) -> None:
        """Write entries. Runs on the recorder's thread."""
        try:
            self._file.append(entries(time_ms))
        except (OSError, UnicodeError) as error:
            self._file.fail(error)
        finally:
            with self._lock:
                self._waiting -= size

    def _begin(self, number: int, snapshot: Snapshot, time_ms: int) -> Sequence[Any]:
        path = _relative(snapshot.uri, self._roots)
        snapshot = self._written[number] = self._mask(snapshot)
        return (
            {"kind": "documentEncountered", "id": number, "time": time_ms, "relativePath": path},
            {
                "kind": "setContent",
                "id": number,
                "time": time_ms,
                "v": snapshot.version,
                "content": snapshot.text,
            },
        )

    def _change(
        self, number: int, before: Snapshot, after: Snapshot, edit: Edit, time_ms: int
    ) -> Sequence[Any]:
        written, masked = self._written.get(number, before), self._mask(after)
        if written is not before or masked is not after:
            before, edit = written, diff(written.text, masked.text)
        self._written[number] = masked
        return _changed(number, before, after.version, edit, time_ms)

    def _end(self, number: int, time_ms: int) -> Sequence[Any]:
        self._written.pop(number, None)
        return _closed(number, time_ms)

    @cached_property
    def _masker(self) -> SecretMasker:
        from editahead_prompts.secrets.masking import SecretMasker

        return SecretMasker()

    def _mask(self, snapshot: Snapshot) -> Snapshot:
        return self._masker.masks_for([snapshot]).mask_snapshot(snapshot)


class _RecordingFile:
    """The file of one recording. Only the recorder's thread uses its methods."""

    def __init__(self, folder: Path, run: str) -> None:
        self.path = folder / f"{run}{SUFFIX}"
        self._folder = folder
        self._end = 0
        self.has_ended = False

    def append(self, entries: Sequence[Any]) -> None:
        """Add entries; a text that would make the file larger than `MAX_FILE_BYTES` ends the recording.

        Raises:
            OSError: The file cannot be written.
        """
        if self.has_ended:
            return
        lines = ",\n".join(json.dumps(entry, ensure_ascii=True) for entry in entries).encode()
        if self._end + len(lines) > MAX_FILE_BYTES:
            self.has_ended = True
            log.warning("the recording is full; the rest of the session is not recorded")
            return
        if not self._end:
            self._create()
        separator = b",\n" if self._end > len(_EMPTY) else b""
        descriptor = os.open(self.path, os.O_WRONLY | getattr(os, "O_BINARY", 0))
        with os.fdopen(descriptor, "wb", buffering=0) as file:
            try:
                _write_at(file, self._end, separator + lines + _END)
            except OSError:  # such as a full disk: what is there stays a whole JSON object
                _write_at(file, self._end, _END)
                file.truncate(self._end + len(_END))
                raise
        self._end += len(separator) + len(lines)

    def fail(self, error: Exception) -> None:
        """Record nothing any more, and say so once in the log."""
        self.has_ended = True
        log.warning("the session cannot be recorded: %s", type(error).__name__)

    def _create(self) -> None:
        make_private_folder(self._folder.parent)
        make_private_folder(self._folder)
        others = sorted(self._folder.glob(f"*{SUFFIX}"), key=lambda path: path.stat().st_mtime)
        for path in others[: max(0, len(others) - MAX_FILES + 1)]:
            path.unlink(missing_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        try:
            with os.fdopen(os.open(self.path, flags, 0o600), "wb", buffering=0) as file:
                _write_at(file, 0, _EMPTY + _END)
        except OSError:
            self.path.unlink(missing_ok=True)
            raise
        self._end = len(_EMPTY)


def _write_at(file: io.FileIO, at: int, data: bytes) -> None:
    """Write all bytes at a place.

    Raises:
        OSError: There is no room for all of them.
    """
    file.seek(at)
    left = memoryview(data)
    while left:
        left = left[file.write(left) :]


def _changed(number: int, before: Snapshot, version: int, edit: Edit, time_ms: int) -> Sequence[Any]:
    replacements = [
        [_units(before.text, each.start), _units(before.text, each.end), each.text]
        for each in edit.replacements
    ]
    return ({"kind": "changed", "id": number, "time": time_ms, "v": version, "edit": replacements},)


def _selected(number: int, snapshot: Snapshot, cursor: int, time_ms: int) -> Sequence[Any]:
    at = _units(snapshot.text, cursor)
    return ({"kind": "selectionChanged", "id": number, "time": time_ms, "selection": [[at, at]]},)


def _closed(number: int, time_ms: int) -> Sequence[Any]:
    return ({"kind": "closed", "id": number, "time": time_ms},)


def _units(text: str, offset: int) -> int:
    """Return an offset in UTF-16 units."""
    return offset + sum(character > "\uffff" for character in text[:offset]) if not text.isascii() else offset


def _relative(uri: str, roots: Sequence[Path]) -> str:
    """Return the path of a document within the workspace; outside of it, only its name."""
    path = uri_to_path(uri)
    if path is None:
        return uri.rpartition("/")[2]
    inside = next(filter(None, (path_from_folder(path, root) for root in roots)), None)
    return path.name if inside is None else inside.as_posix()
