"""Processes that are killed while they write several files, and what the next start makes of it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import interrupted_write
from editahead_workspace import user_dirs
from editahead_workspace.file_writes.journal import SUFFIX, find_abandoned
from editahead_workspace.file_writes.recovery import recover
from editahead_workspace.file_writes.step import digest
from editahead_workspace.file_writes.transaction import FileWrite, write_all
from interrupted_write import NEW, OLD, held
from server_harness import ServerHarness
from small_disk import small_disk

pytestmark = pytest.mark.slow


MOMENTS = 160
"""More than the calls of the system that the write makes."""


def interrupt(number: signal.Signals, folder: Path, first: int = 1, last: int = MOMENTS) -> list[int]:
    """Interrupt a write at every moment, and return the moments that it did not reach."""
    command = [
        sys.executable,
        interrupted_write.__file__,
        str(number.value),
        str(first),
        str(last),
        str(folder),
    ]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return [int(line) for line in done.stdout.split()]


def test_a_killed_write_is_finished_or_taken_back_at_every_moment(tmp_path: Path) -> None:
    survived = interrupt(signal.SIGKILL, tmp_path)
    assert survived
    assert survived == list(range(survived[0], MOMENTS + 1))
    said, torn = set(), 0
    for moment in range(1, MOMENTS + 1):
        folder = tmp_path / str(moment)
        visible = {name: text for name, text in held(folder).items() if ".editahead-" not in name}
        torn += visible not in (OLD, NEW)
        messages = recover([folder / "work"], folder / "journals")
        assert held(folder) in (OLD, NEW), moment
        assert not list((folder / "journals").glob("*.journal")), moment
        assert recover([folder / "work"], folder / "journals") == []
        said |= set(messages)
    assert torn >= 4  # kills between renames did occur
    assert said == {"finished an interrupted change of 5 files"}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_leaves_all_or_none_at_every_moment(tmp_path: Path, number: signal.Signals) -> None:
    interrupt(number, tmp_path)
    seen = []
    for moment in range(1, MOMENTS + 1):
        folder = tmp_path / str(moment)
        assert held(folder) in (OLD, NEW), moment
        assert not list((folder / "journals").glob("*.journal")), moment
        seen.append(held(folder) == NEW)
    assert True in seen
    assert False in seen
    assert seen == sorted(seen)  # once it is decided, it stays


def killed_midway(folder: Path) -> int:
    """Kill a write between its renames, and return the moment."""
    interrupt(signal.SIGKILL, folder, 50, 70)
    for moment in range(50, 71):
        names = held(folder / str(moment))
        waiting = sum(name.endswith(".new") for name in names)
        if names["deep/old1"] == b"new 1" and waiting:
            return moment
    raise AssertionError("it was never killed between two renames")


def test_a_recovery_that_is_killed_is_recovered(tmp_path: Path) -> None:
    folder = tmp_path / str(killed_midway(tmp_path))
    command = (
        "import os, sys; from pathlib import Path; sys.path.insert(0, sys.argv[1]); import interrupted_write;"
        "from editahead_workspace.file_writes.recovery import recover; folder = Path(sys.argv[3]);"
        "interrupted_write._interrupt_at(int(sys.argv[2]), 9); recover([folder / 'work'], folder / 'journals')"
    )
    support = str(Path(interrupted_write.__file__).parent)
    moment = 1
    while list((folder / "journals").glob("*.journal")):
        subprocess.run([sys.executable, "-c", command, support, str(moment), str(folder)], check=False)
        moment += 1
        assert moment < MOMENTS
    assert held(folder) == NEW
    assert moment > 3


def test_a_file_that_was_changed_after_the_crash_is_not_overwritten(tmp_path: Path) -> None:
    folder = tmp_path / str(killed_midway(tmp_path))
    texts = held(folder)
    pending = next(name for name in OLD if texts.get(name) == OLD[name])
    (folder / "work" / pending).write_bytes(b"mine")
    (message,) = recover([folder / "work"], folder / "journals")
    assert message == "took back an interrupted change of 5 files"
    after = {name: text for name, text in held(folder).items() if ".editahead-" not in name}
    assert after == {**OLD, pending: b"mine"}


def test_a_file_that_was_put_in_place_and_then_changed_is_left_alone(tmp_path: Path) -> None:
    folder = tmp_path / str(killed_midway(tmp_path))
    texts = held(folder)
    pending = next(name for name in OLD if texts.get(name) == OLD[name])
    for name in (pending, "deep/old1"):
        (folder / "work" / name).write_bytes(b"mine")
    took_back, left = recover([folder / "work"], folder / "journals")
    assert took_back.startswith("took back")
    assert "deep/old1 was changed meanwhile and is left as it is" in left
    after = held(folder)
    kept = next(name for name in after if name.endswith(".old"))
    assert after[kept] == OLD["deep/old1"]
    assert kept.rpartition("/")[2] in left


def test_another_workspaces_files_are_left_alone(tmp_path: Path) -> None:
    folder = tmp_path / str(killed_midway(tmp_path))
    before = held(folder)
    other = tmp_path / "other"
    other.mkdir()
    assert recover([other], folder / "journals") == []
    assert held(folder) == before
    assert recover([folder / "work" / "deep"], folder / "journals") == []
    assert len(recover([folder], folder / "journals")) == 1
    assert held(folder) == NEW


HOSTILE_PLANS: dict[str, dict[str, Any]] = {
    "a file outside": {"path": "../outside/a"},
    "a file outside, through a folder": {"path": "deep/../../outside/a"},
    "a file of git": {"path": ".git/hooks/pre-commit"},
    "an absolute path": {"path": "/etc/passwd"},
    "no file": {"path": "deep//a"},
    "a root with dots": {"root": "{work}/../outside", "path": "a"},
    "a name beside the file": {"id": "x/../../../outside/a"},
    "an unknown field": {"mode": 1},
    "a field of another type": {"path": 1},
}


@pytest.mark.parametrize("changed", HOSTILE_PLANS.values(), ids=HOSTILE_PLANS)
@pytest.mark.parametrize("state", ["staging", "committed", "taking back", "done"])
def test_a_journal_settles_nothing_outside(tmp_path: Path, changed: dict[str, Any], state: str) -> None:
    work, journals, identifier = tmp_path / "work", tmp_path / "journals", "0" * 16
    for folder in (work / "deep", work / ".git/hooks", tmp_path / "outside", journals):
        folder.mkdir(parents=True)
    for folder in (work / "deep", work / ".git/hooks", tmp_path / "outside"):
        for name in ("a", f".editahead-{identifier}.new", f".editahead-{identifier}.old"):
            (folder / name).write_bytes(b"theirs")
    step = {"action": "replace", "root": str(work), "path": "deep/a", "id": identifier}
    step |= {"old": digest(b"theirs"), "new": digest(b"theirs")}
    step |= {key: str(value).format(work=work) if key == "root" else value for key, value in changed.items()}
    lines = [{"version": 1, "steps": [step], "folders": []}, {"state": state}]
    (journals / f"x{SUFFIX}").write_text("".join(json.dumps(line) + "\n" for line in lines))
    before = {
        path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file() and path.parent != journals
    }
    assert recover([work], journals) == []
    after = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert after == before  # and the journal is gone


def test_a_journal_creates_no_folder_outside(tmp_path: Path) -> None:
    work, journals = tmp_path / "work", tmp_path / "journals"
    for folder in (work, tmp_path / "outside", journals):
        folder.mkdir()
    for folders in ([[str(work), "../outside"]], [[str(tmp_path), "outside"]]):
        plan = {"version": 1, "steps": [], "folders": folders}
        (journals / f"x{SUFFIX}").write_text(json.dumps(plan) + "\n")
        assert recover([work], journals) == []
        assert (tmp_path / "outside").is_dir()


def test_a_missing_workspace_is_kept_for_later(tmp_path: Path) -> None:
    folder = tmp_path / str(killed_midway(tmp_path))
    (folder / "work").rename(folder / "away")
    (message,) = recover([folder / "work"], folder / "journals")
    assert "could not be finished: No such file or directory" in message
    (folder / "away").rename(folder / "work")
    recover([folder / "work"], folder / "journals")
    assert held(folder) == NEW


def test_a_process_at_work_is_not_disturbed(tmp_path: Path) -> None:
    interrupted_write.set_up(tmp_path)
    work, journals = tmp_path / "work", tmp_path / "journals"
    found = []

    def look(point: str) -> None:
        found.append((recover([work], journals), list(find_abandoned(journals))))

    write_all([FileWrite(work / "old0", b"old 0", b"new 0")], [work], journals, on_step=look)
    assert found
    assert all(one == ([], []) for one in found)
    assert held(tmp_path)["old0"] == b"new 0"


@pytest.mark.parametrize("text", [b"", b"{", b"{}\n", b"[]\n", b"\0\0\n", b'{"version": 99}\n'])
def test_a_journal_that_is_damaged_or_not_known_changes_nothing(tmp_path: Path, text: bytes) -> None:
    interrupted_write.set_up(tmp_path)
    journals = tmp_path / "journals"
    journals.mkdir()
    (journals / "1.journal").write_bytes(text)
    assert recover([tmp_path / "work"], journals) == []
    assert held(tmp_path) == OLD
    assert (journals / "1.journal").exists() == (b"99" in text)


async def test_the_server_recovers_its_workspace_at_the_start(
    tmp_path: Path, connect: Callable[..., ServerHarness]
) -> None:
    folder = tmp_path / str(killed_midway(tmp_path))
    (folder / "journals").rename(user_dirs.journal_folder(folder))
    harness = connect(state_folder=folder)
    folders = [{"uri": (folder / "work").as_uri(), "name": "work"}]
    await harness.request("initialize", {"processId": None, "capabilities": {}, "workspaceFolders": folders})
    harness.notify("initialized", {})
    message = await harness.take(lambda m: m.get("method") == "window/showMessage")
    assert message["params"]["message"] == "Editahead: Finished an interrupted change of 5 files."
    assert held(folder) == NEW


@pytest.mark.skipif(sys.platform != "linux", reason="the disk is made full by Linux's means")
def test_a_disk_without_room_for_the_journal_leaves_no_part_of_one(tmp_path: Path) -> None:
    """The files themselves have room: they are written whole, and the caller hears that there was no journal."""
    interrupted_write.set_up(tmp_path)
    with small_disk(10):
        interrupted_write.write(tmp_path)
    assert held(tmp_path) == NEW
    assert not list((tmp_path / "journals").glob("*.journal"))
