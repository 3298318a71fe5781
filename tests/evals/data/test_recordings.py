"""Recordings of editing: what is read, what counts as a key, and what is said of a damaged file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from editahead_evals.data.key_sessions import Change, Close, Focus, Open, apply_replacements
from editahead_evals.data.recordings import is_key, read_recording, read_recordings
from editahead_evals.errors import RecordingError

MET = {"kind": "documentEncountered", "id": 0, "time": 9_000_000, "relativePath": "src\\shop.ts"}
SET = {"kind": "setContent", "id": 0, "time": 9_000_000, "content": "let a = 1;\r\n"}


def changed(edit: list[Any], time: int, v: int = 1, id: int = 0) -> dict[str, Any]:
    return {"kind": "changed", "id": id, "time": time, "edit": edit, "v": v}


def selected(at: int, time: int, id: int = 0) -> dict[str, Any]:
    return {"kind": "selectionChanged", "id": id, "time": time, "selection": [[at, at]]}


def write(folder: Path, *log: Any, name: str = "one.recording.w.json") -> Path:
    path = folder / name
    path.write_text(json.dumps({"log": log}))
    return path


def test_opens_changes_and_cursors_are_in_order(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        {"kind": "meta", "data": {}},
        MET,
        SET,
        changed([[4, 5, "b"]], 1000),
        selected(5, 1001),
        changed([[5, 5, "()"]], 2500, 2),
        selected(6, 2501),
        changed([[6, 6, "c"]], 2000, 3),  # a clock that was set back
        selected(0, 9000),
    )
    session = read_recording(path)
    assert (session.id, session.language, session.keys) == ("one", "typescript", 3)
    assert session.events == [
        Open("src/shop.ts", "typescript", "let a = 1;\r\n", 0.0),
        Focus("src/shop.ts", 0.0),
        Change("src/shop.ts", ((4, 5, "b"),), 5, True, 0.0),
        Change("src/shop.ts", ((5, 5, "()"),), 6, True, 1.5),
        Change("src/shop.ts", ((6, 6, "c"),), 7, True, 1.501),
    ]


def test_offsets_are_utf_16_in_the_text_before_the_change(tmp_path: Path) -> None:
    content = "𝒳𝒳 = old + old"
    log = [MET, SET | {"content": content}, changed([[7, 10, "n"], [13, 16, "n"]], 0), selected(8, 1)]
    (change,) = (e for e in read_recording(write(tmp_path, *log)).events if isinstance(e, Change))
    assert apply_replacements(content, change.replacements) == "𝒳𝒳 = n + n"
    assert change.cursor == 6
    assert not change.by_key  # a key does not change two places


def test_a_reason_tells_who_made_a_change(tmp_path: Path) -> None:
    def reason(v: int, **data: str) -> dict[str, Any]:
        known = {"sourceId": "TextModel.setChangeReason", "v": v}
        return {"kind": "documentEvent", "id": 0, "time": 0, "data": known | data}

    path = write(
        tmp_path,
        MET,
        SET,
        changed([[0, 0, "a"]], 0, 1),
        reason(1, source="snippet"),
        changed([[0, 0, "b"]], 0, 2),
        reason(2, source="cursor", kind="type"),
        changed([[0, 0, "c"]], 0, 3),
        reason(3, source="cursor", kind="paste"),
        changed([[0, 0, "d"]], 0, 4),
    )
    changes = [e for e in read_recording(path).events if isinstance(e, Change)]
    assert [change.by_key for change in changes] == [False, True, False, True]


@pytest.mark.parametrize(
    ("new", "key"),
    [("", True), ("x", True), ("()", True), ("\r\n\t\t", True), ("\n", True), ("xy", False), ("\nx", False)],
)
def test_what_one_key_makes(new: str, key: bool) -> None:
    assert is_key(((3, 5, new),), None) == key
    assert not is_key(((3, 5, new), (7, 7, new)), None)


def test_several_documents_that_are_closed_stored_and_set_again(tmp_path: Path) -> None:
    other = {"kind": "documentEncountered", "id": 1, "time": 0, "relativePath": "b.py"}
    path = write(
        tmp_path,
        MET,
        SET,
        {"kind": "storeContent", "id": 0, "time": 0, "contentId": "x", "v": 1},
        selected(0, 10),
        other,
        {"kind": "setContent", "id": 1, "time": 0, "content": ""},
        {"kind": "focused", "id": 1, "time": 20},
        changed([[0, 0, "p"]], 30, id=1),
        changed([], 30, id=1),
        {"kind": "closed", "id": 1, "time": 40},
        {"kind": "opened", "id": 1, "time": 50},
        changed([[0, 1, "q"]], 60),
        {"kind": "restoreContent", "id": 0, "time": 0, "contentId": "x", "v": 3},
    )
    events = read_recording(path).events
    assert [type(event) for event in events] == [
        Open,
        Focus,
        Open,
        Focus,
        Change,
        Close,
        Open,
        Focus,
        Change,
        Change,
    ]
    assert isinstance(events[6], Open)
    assert events[6].text == "p"
    assert isinstance(events[-1], Change)
    assert events[-1].replacements == ((0, 12, "let a = 1;\r\n"),)
    assert not events[-1].by_key


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[]", "no list `log`"),
        ('{"log": 3}', "no list `log`"),
        ('{"log": [3]}', r"log\[0\]"),
        ('{"log": [{"kind": "documentEncountered", "id": 0}]}', r"log\[0\]: no field 'relativePath'"),
        (json.dumps({"log": [MET, changed([[0, 0, ""]], 0)]}), r"log\[1\]: no text of document 0"),
        (json.dumps({"log": [MET, SET, changed([[0, 99, ""]], 0)]}), r"log\[2\]: offset 99 is outside"),
        (json.dumps({"log": [MET, SET, changed([[3, 2, ""]], 0)]}), r"log\[2\]: no such range"),
        (json.dumps({"log": [MET, SET, changed([[0, 2, ""], [1, 3, ""]], 0)]}), r"log\[2\]: no such range"),
        (json.dumps({"log": [MET, SET, changed([["a", 2, ""]], 0)]}), r"log\[2\]: not an offset"),
    ],
)
def test_a_damaged_recording_is_an_error_that_names_it(tmp_path: Path, text: str, reason: str) -> None:
    path = tmp_path / "bad.w.json"
    path.write_text(text)
    with pytest.raises(RecordingError, match=rf"bad\.w\.json: .*{reason}"):
        read_recordings(tmp_path)


def test_a_folder_without_recordings_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="no recordings"):
        read_recordings(tmp_path)
    with pytest.raises(RecordingError, match="gone: No such file"):
        read_recordings(tmp_path / "gone")


def test_one_file_is_read_as_a_folder_of_it(tmp_path: Path) -> None:
    path = write(tmp_path, MET, SET)
    assert [session.id for session in read_recordings(path)] == ["one"]
