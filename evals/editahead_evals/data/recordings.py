"""Recordings of real editing, as VS Code's Copilot Chat writes them (`workspaceRecording@1.0`), and `editahead record`.

A recording is a JSON object whose `log` holds entries in order, each with a `kind`:

- `documentEncountered`: a document's number (`id`) and path. `opened`, `closed`, `focused`: what happens to it.
- `setContent`: a document's whole text. `storeContent`, `restoreContent`: a text is kept, or comes back.
- `changed`: a list of `[start, end, text]` in UTF-16 units of the text before, and a version.
- `selectionChanged`: where the cursor is. `documentEvent`: why the change with that version was made.

The times of `documentEncountered` and `setContent` are those of the export, not of the editing.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from editahead_evals.errors import RecordingError

from .key_sessions import Change, Close, Event, Focus, KeySession, Open, Replacement, apply_replacements
from .languages import language_of

SUFFIXES = (".recording.w.json", ".w.json")
"""The ends of the names of recordings."""

SELECTION_S = 0.1
"""Seconds after a change within which the next selection is where the change left the cursor."""

_CHANGE_REASON = "TextModel.setChangeReason"
_TYPED_BY_CURSOR = frozenset(
    {"type", "compositionType", "compositionEnd", "executeCommand", "executeCommands"}
)
"""The kinds of the reason `cursor` that are keys. Others, such as `paste` and `cut`, are not."""


def read_recordings(folder: Path) -> list[KeySession]:
    """Return the sessions of all recordings in a folder (or of one file), by name.

    Raises:
        RecordingError: there is none, or one of them is damaged; the message names it.
    """
    return [read_recording(path) for path in find_recordings(folder)]


def recorded_at(path: Path) -> float:
    """Return when a recording was last changed, in Unix seconds."""
    return path.stat().st_mtime


def find_recordings(folder: Path) -> list[Path]:
    """Return the recordings in a folder (or the one file), by name.

    Raises:
        RecordingError: there is none.
    """
    if folder.is_file():
        return [folder]
    try:
        paths = sorted(path for path in folder.iterdir() if path.name.endswith(SUFFIXES))
    except OSError as error:
        raise RecordingError(f"{folder}: {error.strerror or error}") from error
    if not paths:
        raise RecordingError(f"{folder}: no recordings (*{SUFFIXES[-1]})")
    return paths


def read_recording(path: Path) -> KeySession:
    """Return the session of one recording.

    Raises:
        RecordingError: the file cannot be read, or is damaged.
    """
    try:
        value = json.loads(path.read_bytes())
    except OSError as error:
        raise RecordingError(f"{path}: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise RecordingError(f"{path}: not JSON ({error})") from error
    log = value.get("log") if isinstance(value, Mapping) else None
    if not isinstance(log, list):
        raise RecordingError(f"{path}: not a recording: no list `log`")
    reader = _Reader(log)
    for number, entry in enumerate(log):
        try:
            reader.read(number, entry)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            reason = f"no field {error}" if isinstance(error, KeyError) else error
            raise RecordingError(f"{path}: log[{number}]: {reason}") from error
    name = path.name.removesuffix(SUFFIXES[0]).removesuffix(SUFFIXES[1])
    return KeySession(name, reader.main_language(), reader.events)


class _Reader:
    """A reader of the entries of one log, which keeps the text of each document."""

    def __init__(self, log: Sequence[Any]) -> None:
        self.events: list[Event] = []
        self._log = log
        self._reasons = dict(_reasons(log))
        self._paths: dict[Any, str] = {}
        self._texts: dict[Any, str] = {}
        self._stored: dict[Any, str] = {}
        self._open: set[Any] = set()
        self._focused: Any = None
        self._start: float | None = None
        self._now = 0.0

    def main_language(self) -> str:
        """Return the language of most changes."""
        changed = Counter(event.path for event in self.events if isinstance(event, Change))
        languages = Counter[str]()
        for path, count in changed.items():
            languages[_language(path)] += count
        return max(sorted(languages), key=lambda name: languages[name], default="plaintext")

    def read(self, number: int, entry: Any) -> None:
        """Read one entry.

        Raises:
            ValueError, TypeError, KeyError, AttributeError: it is damaged.
        """
        kind, id = entry["kind"], entry.get("id")
        if kind == "documentEncountered":
            self._paths[id] = str(entry["relativePath"]).replace("\\", "/").lstrip("/")
        elif kind == "setContent":
            self._set(id, str(entry["content"]))
        elif kind == "storeContent":
            self._stored[entry["contentId"]] = self._texts[id]
        elif kind == "restoreContent":
            self._set(id, self._stored[entry["contentId"]])
        elif kind == "opened":
            self._set(id, self._texts.get(id, ""))
        elif kind == "closed":
            if id in self._open:
                self._open.discard(id)
                self.events.append(Close(self._paths[id], self._tick(entry)))
        elif kind in ("focused", "selectionChanged"):
            if id in self._open:
                self._focus(id, self._tick(entry))
        elif kind == "changed":
            self._change(number, entry)

    def _set(self, id: Any, text: str) -> None:
        """Open a document, or change the open one to `text`, which no key does."""
        path, old = self._paths[id], self._texts.get(id)
        self._texts[id] = text
        if id not in self._open:
            self._open.add(id)
            self.events.append(Open(path, _language(path), text, self._now))
        elif old is not None and old != text:
            self.events.append(Change(path, ((0, len(old), text),), len(text), False, self._now))

    def _focus(self, id: Any, at: float) -> None:
        if id != self._focused:
            self._focused = id
            self.events.append(Focus(self._paths[id], at))

    def _change(self, number: int, entry: Mapping[str, Any]) -> None:
        id = entry["id"]
        if id not in self._open:
            raise ValueError(f"no text of document {id}")
        text, at = self._texts[id], self._tick(entry)
        units = _Units(text)
        replacements = tuple(
            sorted((units.offset(start), units.offset(end), str(new)) for start, end, new in entry["edit"])
        )
        if not replacements:
            return
        after = apply_replacements(text, replacements)
        self._focus(id, at)
        self._texts[id] = after
        cursor = self._cursor(number, entry, after)
        if cursor is None:
            grown = sum(len(new) - (end - start) for start, end, new in replacements[:-1])
            cursor = replacements[-1][0] + grown + len(replacements[-1][2])
        by_key = is_key(replacements, self._reasons.get((id, entry.get("v"))))
        self.events.append(Change(self._paths[id], replacements, cursor, by_key, at))

    def _cursor(self, number: int, changed: Mapping[str, Any], text: str) -> int | None:
        """Return the cursor that was recorded after the change, or None."""
        for entry in self._log[number + 1 :]:
            kind = entry.get("kind")
            if kind == "changed":
                return None
            if kind == "selectionChanged":
                if entry.get("id") != changed["id"] or entry["time"] - changed["time"] > 1000 * SELECTION_S:
                    return None
                return _Units(text).offset(entry["selection"][0][1])
        return None

    def _tick(self, entry: Mapping[str, Any]) -> float:
        """Return the entry's time; it never runs backwards."""
        time = entry["time"] / 1000
        self._start = time if self._start is None else self._start
        self._now = max(self._now, time - self._start)
        return self._now


def is_key(replacements: Sequence[Replacement], reason: Mapping[str, Any] | None) -> bool:
    """Return whether one key made a change.

    The reason says so, if there is one. Without a reason, a key replaces one range by nothing, one character, a
    pair of brackets or quotes, or a line break with its indentation.
    """
    if reason is not None:
        return reason.get("source") == "cursor" and reason.get("kind") in _TYPED_BY_CURSOR
    if len(replacements) != 1:
        return False
    new = replacements[0][2]
    return len(new) <= 1 or new in _PAIRS or (new[0] in "\r\n" and not new.strip())


_PAIRS = frozenset({"()", "[]", "{}", "<>", '""', "''", "``"})


class _Units:
    """A converter of offsets in UTF-16 units to offsets in code points of one text."""

    def __init__(self, text: str) -> None:
        self._length = len(text)
        self._wide = [] if text.isascii() else [n for n, c in enumerate(text) if c > "\uffff"]
        self._at = [offset + before for before, offset in enumerate(self._wide)]

    def offset(self, units: Any) -> int:
        if isinstance(units, bool) or not isinstance(units, int):
            raise ValueError(f"not an offset: {units!r}")
        offset = units - bisect_left(self._at, units)
        if not 0 <= offset <= self._length:
            raise ValueError(f"offset {units} is outside of the text")
        return offset


def _reasons(log: Sequence[Any]) -> Iterator[tuple[tuple[Any, Any], Mapping[str, Any]]]:
    """Yield the reasons of changes by document and version."""
    for entry in log:
        if isinstance(entry, Mapping) and entry.get("kind") == "documentEvent":
            data = entry.get("data")
            if isinstance(data, Mapping) and data.get("sourceId") == _CHANGE_REASON:
                yield (entry.get("id"), data.get("v", entry.get("v"))), data


def _language(path: str) -> str:
    return language_of(path) or "plaintext"
