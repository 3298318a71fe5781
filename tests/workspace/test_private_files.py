"""Files of the user's state that other accounts cannot read."""

from __future__ import annotations

import logging
import os
import stat
from pathlib import Path

import pytest

from editahead_cli.commands.lsp import _log_handlers
from editahead_lsp.session.session_recorder import SessionRecorder
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot
from editahead_workspace.outcome_log import open_database
from editahead_workspace.private_files import create_private_file, make_private_folder, tighten_folder

pytestmark = pytest.mark.skipif(os.name != "posix", reason="rights as POSIX has them")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


@pytest.fixture(autouse=True)
def open_to_others() -> object:
    """Let new files be open to others, as on many machines."""
    before = os.umask(0o000)
    yield
    os.umask(before)


def test_folders_and_files_are_made_private_and_kept_private(tmp_path: Path) -> None:
    folder, file = tmp_path / "state" / "writes", tmp_path / "state" / "writes" / "a"
    for _ in range(2):
        make_private_folder(folder)
        create_private_file(file)
        assert (mode(folder), mode(file)) == (0o700, 0o600)
        folder.chmod(0o755)
        file.chmod(0o664)
    file.write_text("kept", "utf-8")
    create_private_file(file)
    assert file.read_text("utf-8") == "kept"


def test_what_earlier_versions_left_is_tightened_and_no_link_is_followed(tmp_path: Path) -> None:
    state, outside = tmp_path / "state", tmp_path / "outside"
    (state / "recordings").mkdir(parents=True)
    (state / "recordings" / "a.json").write_text("{}", "utf-8")
    outside.write_text("x", "utf-8")
    (state / "link").symlink_to(outside)
    (state / "folder-link").symlink_to(tmp_path, target_is_directory=True)
    tighten_folder(state)
    assert mode(state) == mode(state / "recordings") == 0o700
    assert mode(state / "recordings" / "a.json") == 0o600
    assert mode(outside) == 0o666
    before = mode(tmp_path)
    tighten_folder(state / "folder-link")
    tighten_folder(state / "missing")
    assert mode(tmp_path) == before


def test_a_link_in_a_files_place_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError):
        create_private_file(tmp_path / "link")
    assert not (tmp_path / "elsewhere").exists()


def test_the_outcome_log_and_its_helpers_are_private(tmp_path: Path) -> None:
    database = open_database(tmp_path / "outcomes.db")
    try:
        database.execute("BEGIN IMMEDIATE")
        found = sorted(tmp_path.iterdir())
        assert len(found) == 3 and {mode(path) for path in found} == {0o600}
    finally:
        database.close()


def test_recordings_are_private(tmp_path: Path) -> None:
    recorder = SessionRecorder(tmp_path / "state" / "recordings", lambda: 1.0, "run")
    recorder.configure(on=True, roots=[])
    snapshot = Snapshot.from_text("a")
    recorder.on_open("a", snapshot)
    recorder.on_change("a", snapshot, Snapshot.from_text("ab"), Edit.replace(1, 1, "b"))
    recorder.stop()
    (file,) = recorder.folder.iterdir()
    assert (mode(file), mode(recorder.folder), mode(recorder.folder.parent)) == (0o600, 0o700, 0o700)


@pytest.mark.parametrize("given", [False, True])
def test_the_log_is_private_and_stays_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: bool
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "home"))
    state = tmp_path / "home" / "editahead"
    state.mkdir(parents=True)
    (state / "secret").write_bytes(b"x")
    file = tmp_path / "given" / "a.log" if given else state / "editahead.log"
    stderr, handler = _log_handlers(file if given else None)
    handler.maxBytes = 10
    for _ in range(3):
        handler.emit(logging.LogRecord("a", logging.ERROR, "a.py", 1, "x" * 20, (), None))
    handler.close()
    stderr.close()
    written = sorted(file.parent.glob(f"{file.name}*"))
    assert len(written) == 2 and {mode(path) for path in written} == {0o600}
    assert mode(state) == (0o777 if given else 0o700)
    assert mode(state / "secret") == (0o666 if given else 0o600)
