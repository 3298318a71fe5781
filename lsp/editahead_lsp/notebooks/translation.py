"""Messages about cells as messages about the parts of their notebooks, and back.

In both directions an object's positions are those of the document that it or an object around it names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from editahead_prompts.text.snapshot import line_body
from editahead_workspace.positions import code_unit_length
from editahead_workspace.uris import CELLS

from .notebook import Cell, NotebookPart
from .notebook_store import NotebookStore

_DIAGNOSTICS = "textDocument/publishDiagnostics"
_SYNCED = frozenset(f"textDocument/did{event}" for event in ("Open", "Change", "Close"))
"""What no client sends of a cell whose notebook it has opened. The server ignores it."""
_END = 2**31 - 1
"""A character behind the end of each line."""
_Place = tuple[NotebookPart, Cell]


class NotebookTranslation:
    """The translation of a client's messages.

    Args:
        notebooks: The open notebooks.
    """

    def __init__(self, notebooks: NotebookStore) -> None:
        self._notebooks = notebooks
        self._asked: dict[int | str, _Place] = {}
        """The cell that each request is about which is not answered yet."""
        self._diagnosed: dict[str, set[str]] = {}
        """The cells with diagnostics, by the URI of their part."""

    def to_server(self, id: int | str | None, method: str, params: Any) -> Any:
        """Return the params of a client's message as the server reads them.

        Args:
            id: The id of a request; None for a notification.
            method: The method.
            params: The params, in JSON.
        """
        if not self._notebooks or method in _SYNCED or method.startswith("notebookDocument/"):
            return params
        met: list[_Place] = []
        try:
            translated = self._inward(params, None, met)
        except RecursionError:
            return params
        if met:
            met[0][0].recent = met[0][1]
            if id is not None:
                self._asked[id] = met[0]
        return translated

    def to_client(self, message: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        """Yield the messages that say to the client what the server says in one. message: in JSON."""
        asked = self._asked.pop(message["id"], None) if "method" not in message and "id" in message else None
        if asked is not None and asked[1] not in asked[0]:
            asked = None
        if message.get("method") == _DIAGNOSTICS and CELLS in message["params"]["uri"]:
            yield from self._diagnostics(message)
        else:
            yield self._outward(message, asked)

    @property
    def is_idle(self) -> bool:
        """Whether no message to the client can be about a cell."""
        return not (self._notebooks or self._asked or self._diagnosed)

    def _inward(self, value: Any, place: _Place | None, met: list[_Place]) -> Any:
        if isinstance(value, list):
            return [self._inward(one, place, met) for one in value]
        if isinstance(value, str):
            found = self._notebooks.cell(value)
            met += [] if found is None else [found]
            return value if found is None else found[0].uri
        if not isinstance(value, dict):
            return value
        if (uri := _own_uri(value)) is not None:
            place = self._notebooks.cell(uri)
            met += [] if place is None else [place]
        if place is None:
            return {name: self._inward(one, None, met) for name, one in value.items()}
        if _is_position(value):
            return _moved_in(value, *place)
        out = {name: self._inward(one, place, met) for name, one in value.items()}
        if "uri" in value and isinstance(version := value.get("version"), int):
            part, cell = place
            present = cell.document.snapshot.version
            out["version"] = part.version + (version > present) - (version < present)
        return out

    def _outward(self, value: Any, place: _Place | None) -> Any:
        if isinstance(value, list):
            return [self._outward(one, place) for whole in value for one in self._split(whole)]
        if isinstance(value, str):
            part = self._notebooks.part(value)
            return value if part is None else _recent(part, place).uri
        if not isinstance(value, dict):
            return value
        if (uri := _own_uri(value)) is not None:
            part = self._notebooks.part(uri)
            place = None if part is None else (part, self._cell_of(value, part, place))
        if place is not None and _is_place(value):
            part, cell = place
            line = min(max(value["line"] - part.start(cell), 0), len(cell.document.snapshot.lines))
            value = {**value, "line": line}
        if place is not None and value.keys() >= {"range", "newText"}:
            value = self._within(value, *place)
        out = {name: self._outward(one, place) for name, one in value.items()}
        if isinstance(changes := value.get("changes"), dict):
            out["changes"] = self._by_cell(changes)
        if place is not None and "uri" in value:
            part, cell = place
            out["uri"] = cell.uri
            if isinstance(version := value.get("version"), int):
                out["version"] = cell.document.snapshot.version - (version != part.version)
        return out

    def _within(self, edit: Mapping[str, Any], part: NotebookPart, cell: Cell) -> Mapping[str, Any]:
        """Return an edit that reaches to the empty line behind a cell as one within the cell, where that is the same."""
        start, end, text = edit["range"]["start"], edit["range"]["end"], edit["newText"]
        lines = cell.document.snapshot.lines
        if end != {"line": part.start(cell) + len(lines), "character": 0}:
            return edit

        def end_of(line: int) -> dict[str, int]:
            length = code_unit_length(line_body(lines[line]), self._notebooks.encoding)
            return {"line": part.start(cell) + line, "character": length}

        last = end_of(len(lines) - 1)
        if text.endswith("\n"):
            at, text = (last, f"\n{text[:-1]}") if start == end else (start, text[:-1])
            return {**edit, "range": {"start": at, "end": last}, "newText": text}
        first = start["line"] - part.start(cell)
        if text == "" and start["character"] == 0 and first > 0:
            return {**edit, "range": {"start": end_of(first - 1), "end": last}}
        return edit

    def _cell_of(self, value: Mapping[str, Any], part: NotebookPart, place: _Place | None) -> Cell:
        """Return the cell of an object that names a part: that of its first position."""
        line = _first_line(value)
        return _recent(part, place) if line is None else part.cell_at(line)

    def _split(self, value: Any) -> Iterator[Any]:
        """Yield the edits of one document as those of its cells."""
        part = self._notebooks.part(uri) if isinstance(value, dict) and (uri := _own_uri(value)) else None
        if part is None or set(value) != {"textDocument", "edits"}:
            yield value
            return
        for edits in _grouped(part, value["edits"]).values():
            yield {**value, "edits": edits}

    def _by_cell(self, changes: Mapping[str, Any]) -> dict[str, Any]:
        out: dict[str, Any] = {}
        for uri, edits in changes.items():
            part = self._notebooks.part(uri)
            if part is None:
                out[uri] = edits
                continue
            for cell, own in _grouped(part, edits).items():
                out[cell.uri] = self._outward(own, (part, cell))
        return out

    def _diagnostics(self, message: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        """Yield the diagnostics of each cell that has some or had some."""
        params = message["params"]
        part = self._notebooks.part(params["uri"])
        cells = {} if part is None else _grouped(part, params["diagnostics"])
        found: dict[str, dict[str, Any]] = {
            uri: {"uri": uri, "diagnostics": []} for uri in self._diagnosed.pop(params["uri"], ())
        }
        for cell, own in cells.items():
            version = cell.document.snapshot.version
            diagnostics = own if part is None else self._outward(own, (part, cell))
            found[cell.uri] = {"uri": cell.uri, "version": version, "diagnostics": diagnostics}
        yield from ({**message, "params": changed} for changed in found.values())
        if cells:
            self._diagnosed[params["uri"]] = {cell.uri for cell in cells}


def _recent(part: NotebookPart, place: _Place | None) -> Cell:
    """Return the cell of a part that a message without a position is about."""
    if place is not None and place[1] in part:
        return place[1]
    return part.recent if part.recent is not None and part.recent in part else part.cells[0]


def _own_uri(value: Mapping[str, Any]) -> str | None:
    """Return the URI of the document that an object names itself."""
    document = value.get("textDocument")
    uri = value.get("uri", document.get("uri") if isinstance(document, dict) else None)
    return uri if isinstance(uri, str) else None


def _is_position(value: Mapping[str, Any]) -> bool:
    return value.keys() == {"line", "character"} and isinstance(value["line"], int)


def _is_place(value: Mapping[str, Any]) -> bool:
    """Return whether an object is a position, or a document with a line of it."""
    return isinstance(value.get("line"), int) and ("character" in value or "uri" in value)


def _first_line(value: Any) -> int | None:
    """Return the line of the first position in a value that names no document of its own."""
    if isinstance(value, dict) and _is_place(value):
        line: int = value["line"]
        return line
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    found = (_first_line(one) for one in inner if not (isinstance(one, dict) and _own_uri(one)))
    return next((line for line in found if line is not None), None)


def _moved_in(position: Mapping[str, Any], part: NotebookPart, cell: Cell) -> dict[str, Any]:
    """Return a position in a cell as one in its part. What is behind the cell's end is at its end."""
    last = len(cell.document.snapshot.lines) - 1
    line, character = position["line"], position["character"]
    if line > last:
        line, character = last, _END
    elif line < 0:
        line, character = 0, 0
    return {"line": part.start(cell) + line, "character": character}


def _grouped(part: NotebookPart, objects: list[Any]) -> dict[Cell, list[Any]]:
    """Return objects with a range by the cell of their first position."""
    found: dict[Cell, list[Any]] = {}
    for one in objects:
        found.setdefault(part.cell_at(_first_line(one) or 0), []).append(one)
    return found
