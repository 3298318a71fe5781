"""Recordings of a session: what the file holds at any time, what never enters it, and its bounds."""

from __future__ import annotations

import json
import stat
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_evals.data.key_sessions import Change, Open, apply_replacements
from editahead_evals.data.recordings import read_recordings
from editahead_lsp.session import session_recorder
from editahead_lsp.session.session_recorder import SUFFIX, SessionRecorder
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot
from secret_corpus import PlacedSecret, placed_secrets
from small_disk import small_disk

URI = "file:///project/shop/a.py"


class Typist:
    """A document that is changed while a recorder looks on."""

    def __init__(self, recorder: SessionRecorder, text: str, uri: str = URI) -> None:
        self.recorder, self.uri = recorder, uri
        self.snapshot = Snapshot.from_text(text, uri=uri, language="python", version=1)

    def change(self, start: int, end: int, text: str, *, recorded: bool = True) -> None:
        before, edit = self.snapshot, Edit.replace(start, end, text)
        new = edit.apply(before.text)
        self.snapshot = Snapshot.from_text(new, uri=self.uri, language="python", version=before.version + 1)
        if recorded:
            self.recorder.on_change(self.uri, before, self.snapshot, edit)


@pytest.fixture
def recorder(tmp_path: Path) -> SessionRecorder:
    made = SessionRecorder(tmp_path / "recordings", lambda: 12.5, "run")
    made.configure(on=True, roots=[Path("/project")])
    return made


def entries(recorder: SessionRecorder) -> list[dict[str, Any]]:
    recorder.stop()
    files = list(recorder.folder.glob(f"*{SUFFIX}"))
    log: list[dict[str, Any]] = json.loads(files[0].read_bytes())["log"] if files else []
    return log


def test_documents_changes_and_cursors_in_order(recorder: SessionRecorder) -> None:
    typist = Typist(recorder, "𝒳 = 1\n")
    recorder.on_open(URI, typist.snapshot)
    typist.change(5, 5, "2")
    recorder.on_cursor(URI, typist.snapshot, 6)
    recorder.on_cursor(URI, typist.snapshot, 6)
    recorder.on_close(URI)
    assert recorder.path is not None
    assert entries(recorder) == [
        {"kind": "documentEncountered", "id": 0, "time": 12500, "relativePath": "shop/a.py"},
        {"kind": "setContent", "id": 0, "time": 12500, "v": 1, "content": "𝒳 = 1\n"},
        {"kind": "changed", "id": 0, "time": 12500, "v": 2, "edit": [[6, 6, "2"]]},
        {"kind": "selectionChanged", "id": 0, "time": 12500, "selection": [[7, 7]]},
        {"kind": "closed", "id": 0, "time": 12500},
    ]


def test_nothing_is_written_while_it_is_off(recorder: SessionRecorder) -> None:
    recorder.configure(on=False, roots=())
    typist = Typist(recorder, "a")
    recorder.on_open(URI, typist.snapshot)
    typist.change(0, 0, "b")
    recorder.on_cursor(URI, typist.snapshot, 0)
    assert recorder.path is None
    assert entries(recorder) == []
    assert not recorder.folder.exists()


def test_a_document_that_was_left_out_for_a_while_begins_anew(recorder: SessionRecorder) -> None:
    typist = Typist(recorder, "a")
    typist.change(1, 1, "b")
    typist.change(2, 2, "secret", recorded=False)
    typist.change(0, 8, "")
    typist.change(0, 0, "c")
    log = entries(recorder)
    assert [entry["kind"] for entry in log] == [
        "documentEncountered",
        "setContent",
        "changed",
        "documentEncountered",
        "setContent",
        "changed",
        "changed",
    ]
    assert {entry["id"] for entry in log} == {0}


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")
def test_only_the_user_can_read_it(recorder: SessionRecorder) -> None:
    Typist(recorder, "a").change(0, 0, "b")
    path = recorder.path
    recorder.stop()
    assert path is not None
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_paths_outside_of_the_workspace_are_names(recorder: SessionRecorder) -> None:
    for uri in ("file:///elsewhere/b.py", "untitled:Untitled-1"):
        Typist(recorder, "", uri).change(0, 0, "x")
    paths = [entry["relativePath"] for entry in entries(recorder) if "relativePath" in entry]
    assert paths == ["b.py", "untitled:Untitled-1"]


def test_a_full_recording_ends_and_stays_valid(
    recorder: SessionRecorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_recorder, "MAX_FILE_BYTES", 600)
    typist = Typist(recorder, "a")
    for _ in range(50):
        typist.change(0, 0, "b")
    recorder.stop()
    assert 1 <= len(entries(recorder)) < 20
    recorder.is_on = True
    assert recorder.path is None


def test_the_oldest_recordings_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_recorder, "MAX_FILES", 3)
    (tmp_path / "mine.txt").touch()
    for run in range(5):
        recorder = SessionRecorder(tmp_path, lambda: 0.0, f"run-{run}")
        recorder.configure(on=True, roots=())
        Typist(recorder, "a").change(0, 0, "b")
        recorder.stop()
    left = sorted(path.name for path in tmp_path.iterdir())
    assert left[0] == "mine.txt"
    assert len(left) == 4
    assert f"run-4{SUFFIX}" in left


def test_a_folder_that_cannot_be_written_is_said_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").touch()
    recorder = SessionRecorder(tmp_path / "file" / "recordings", lambda: 0.0, "run")
    recorder.configure(on=True, roots=())
    typist = Typist(recorder, "a")
    typist.change(0, 0, "b")
    typist.change(0, 0, "b")
    recorder.stop()
    assert caplog.text.count("cannot be recorded") == 1


def test_what_does_not_fit_into_memory_is_left_out(
    recorder: SessionRecorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_recorder, "MAX_WAITING_CHARS", 100)
    Typist(recorder, "a" * 200).change(0, 0, "b")
    Typist(recorder, "", "file:///project/b.py").change(0, 0, "b")
    kinds = [(entry["kind"], entry["id"]) for entry in entries(recorder)]
    assert kinds == [("documentEncountered", 1), ("setContent", 1), ("changed", 1)]


@pytest.mark.slow
@given(text=st.text("ab𝒳é\n", max_size=10), data=st.data())
def test_the_entries_lead_to_the_text(
    text: str, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    recorder = SessionRecorder(tmp_path_factory.mktemp("recordings"), lambda: 1.0, "run")
    recorder.configure(on=True, roots=())
    typist = Typist(recorder, text)
    recorder.on_open(URI, typist.snapshot)
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, typist.snapshot.length))
        end = data.draw(st.integers(start, typist.snapshot.length))
        typist.change(start, end, data.draw(st.text("ab𝒳\n", max_size=3)))
    recorder.stop()
    (session,) = read_recordings(recorder.folder)
    replayed = ""
    for event in session.events:
        if isinstance(event, Open):
            replayed = event.text
        elif isinstance(event, Change):
            replayed = apply_replacements(replayed, event.replacements)
    assert replayed == typist.snapshot.text


def test_secrets_are_recorded_as_placeholders_and_the_recording_still_plays(
    recorder: SessionRecorder,
) -> None:
    secret = "Zk3mQ9vT2xLw8RbN4cHs7YpD1fGj6A0uEo5i"
    typist = Typist(recorder, f'a = "ghp_{secret}"\nb = 1\n')
    recorder.on_open(URI, typist.snapshot)
    typist.change(typist.snapshot.length, typist.snapshot.length, "c = 2\n")
    typist.change(0, 0, f'd = "{secret}"\n')
    for at, char in enumerate(f'token = "{secret}"\n'):
        typist.change(at, at, char)
    typist.change(0, 5, "key")
    log = entries(recorder)
    written = json.dumps(log)
    text = ""
    for entry in log:
        if entry["kind"] == "setContent":
            text = entry["content"]
        elif entry["kind"] == "changed":
            text = apply_replacements(text, entry["edit"])
    assert secret not in written and secret[12:20] not in written
    assert len(text) == typist.snapshot.length
    assert text.replace("\n", "").count("c = 2") == 1 and text.startswith("key = ")


@pytest.mark.skipif(sys.platform != "linux", reason="the disk is made full by Linux's means")
@pytest.mark.parametrize("max_file_bytes", [0, 5, 200, 701, 950])
def test_a_full_disk_ends_the_recording_and_what_it_holds_plays(tmp_path: Path, max_file_bytes: int) -> None:
    recorder = SessionRecorder(tmp_path, lambda: 0.0, "run")
    with small_disk(max_file_bytes):
        recorder.configure(on=True, roots=())
        typist = Typist(recorder, "a" * 100)
        recorder.on_open(URI, typist.snapshot)
        for _ in range(20):
            typist.change(0, 0, "b")
        recorder.stop()
    files = list(tmp_path.glob(f"*{SUFFIX}"))
    assert bool(files) == (max_file_bytes >= 200)
    for file in files:
        log = json.loads(file.read_bytes())["log"]
        assert len(log) < 21
        assert file.stat().st_size <= max_file_bytes


def test_a_clock_that_goes_backwards_keeps_the_order(tmp_path: Path) -> None:
    times = iter(range(1_000, 0, -100))
    recorder = SessionRecorder(tmp_path, lambda: float(next(times)), "run")
    recorder.configure(on=True, roots=())
    typist = Typist(recorder, "")
    for number in range(4):
        typist.change(number, number, str(number))
    log = entries(recorder)
    assert [entry["edit"][0][2] for entry in log if entry["kind"] == "changed"] == ["0", "1", "2", "3"]
    (session,) = read_recordings(tmp_path)
    seconds = [event.at for event in session.events if isinstance(event, Change)]
    assert len(seconds) == 4 and seconds == sorted(seconds)


CORPUS = list(placed_secrets(seed=5))
PIECE = 8
"""Characters of a secret that a recording may not hold."""


@pytest.mark.slow
@pytest.mark.parametrize("way", ["opened", "pasted", "edited around"])
def test_no_recording_holds_a_secret_of_the_corpus(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    monkeypatch.setattr(session_recorder, "STOP_S", 600)
    assert len(CORPUS) == 365
    for first in range(0, len(CORPUS), 20):
        recorder = SessionRecorder(tmp_path / str(first), lambda: 0.0, "run")
        recorder.configure(on=True, roots=())
        inside = CORPUS[first : first + 20]
        for number, each in enumerate(inside):
            record_secret(recorder, each, f"file:///project/{number}/{each.place}", way)
        written = json.dumps(entries(recorder))
        assert written.count("documentEncountered") == len(inside)
        for each in inside:
            for secret in each.secrets:
                pieces = (secret[at : at + PIECE] for at in range(max(1, len(secret) - PIECE + 1)))
                assert not any(piece in written for piece in pieces), (each.place, each.kind)


def record_secret(recorder: SessionRecorder, each: PlacedSecret, uri: str, way: str) -> None:
    """Record a document with a secret that is there, is pasted, or stands beside other edits."""
    typist = Typist(recorder, "" if way == "pasted" else f"one = 1\n{each.text}two = 2\n", uri)
    recorder.on_open(uri, typist.snapshot)
    if way == "pasted":
        typist.change(0, 0, each.text)
    if way == "edited around":
        typist.change(0, 3, "three")
        typist.change(typist.snapshot.length, typist.snapshot.length, "\nfour = 4\n")
    recorder.on_close(uri)
