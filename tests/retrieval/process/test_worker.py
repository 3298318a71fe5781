"""The process: one writer, damage, a full disk, kills, branches, and several servers."""

from __future__ import annotations

import os
import resource
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from editahead_retrieval.index.location import NUDGE
from editahead_retrieval.index.reader import IndexReader
from editahead_retrieval.process import worker as worker_module
from editahead_retrieval.process.branch_watch import find_git_folder
from editahead_retrieval.process.messages import IndexReport, IndexRequest, IndexTask, decode_report, encode
from editahead_retrieval.process.worker import IndexWorker
from git_repository import git, make_repository, write
from index_workspace import build_index, database_of, dump
from manual_clock import Clock
from open_files import open_files_stay

__all__ = ["open_files_stay"]

FILES = {f"pack{n % 7}/m{n}.py": f"def name_{n}():\n    return other_{n}()\n" for n in range(60)}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write(tmp_path / "work", FILES)
    return tmp_path / "work"


def work(worker: IndexWorker, steps: int = 10_000) -> str:
    """Step until a worker is idle, and return its state."""
    for _ in range(steps):
        if worker.step() > worker_module.COMPACT_PAUSE_S:
            return worker.state
    raise AssertionError("the worker does not come to rest")


def make_worker(root: Path, folder: Path, clock: Clock | None = None) -> IndexWorker:
    return IndexWorker(IndexTask(str(root), str(folder)), lambda report: None, clock or Clock())


def start(root: Path, folder: Path, limit_bytes: int | None = None) -> subprocess.Popen[str]:
    """Start the process, which may write files up to a size only."""
    process = subprocess.Popen(
        [sys.executable, "-m", "editahead_retrieval.process"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    if limit_bytes is not None:
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (limit_bytes, limit_bytes))
    assert process.stdin is not None
    process.stdin.write(encode(IndexTask(str(root), str(folder))))
    process.stdin.flush()
    return process


def reports(process: subprocess.Popen[str]) -> Iterator[IndexReport]:
    assert process.stdout is not None
    return map(decode_report, process.stdout)


def end(process: subprocess.Popen[str]) -> int:
    """Close the process's stdin, as the end of the parent does, and return its exit code."""
    assert process.stdin is not None and process.stdout is not None
    process.stdin.close()
    code = process.wait(60)
    process.stdout.close()
    return code


def test_the_reports_lead_to_ready(root: Path, tmp_path: Path) -> None:
    found = build_index(root, tmp_path / "index")
    assert found[0].state == "looking"
    assert found[-1] == IndexReport("ready")
    assert len(dump(database_of(tmp_path / "index"))) == len(FILES)
    assert (tmp_path / "index").stat().st_mode & 0o077 == 0


def test_one_writes_and_the_other_takes_over(root: Path, tmp_path: Path) -> None:
    one, two = make_worker(root, tmp_path / "index"), make_worker(root, tmp_path / "index")
    assert work(one) == "ready"
    assert work(two) == "waiting"
    write(root, {"new.py": "fresh = 1\n"})
    two.receive(IndexRequest(changed=("new.py",)))
    assert work(one) == "ready"
    reader = IndexReader(database_of(tmp_path / "index"))
    assert reader.files_with(["fresh"], 2) == ["new.py"]
    one.close()
    assert work(two) == "ready"
    two.close()
    reader.close()


def test_two_roots_have_two_indexes(root: Path, tmp_path: Path) -> None:
    write(tmp_path / "second", {"a.py": "lonely = 1\n"})
    one, two = make_worker(root, tmp_path / "one"), make_worker(tmp_path / "second", tmp_path / "two")
    assert (work(one), work(two)) == ("ready", "ready")
    assert dump(database_of(tmp_path / "two")).keys() == {"a.py"}
    one.close()
    two.close()


@pytest.mark.parametrize("kind", ["rubbish", "truncated", "version", "schema"])
def test_a_damaged_or_other_index_is_built_anew(root: Path, tmp_path: Path, kind: str) -> None:
    build_index(root, tmp_path / "index")
    path = database_of(tmp_path / "index")
    before = dump(path)
    data = bytearray(path.read_bytes())
    if kind == "rubbish":
        data[:] = b"rubbish " * 1000
    elif kind == "truncated":
        del data[len(data) // 2 :]
    elif kind == "version":
        data[60:64] = (99).to_bytes(4, "big")
    else:
        data[4096:] = bytes(len(data) - 4096)
    path.write_bytes(data)
    found = build_index(root, tmp_path / "index")
    assert found[-1].state == "ready"
    assert dump(path) == before
    assert path.with_name(path.name + ".damaged").exists()


def test_a_reader_that_sees_damage_has_it_built_anew(root: Path, tmp_path: Path) -> None:
    worker = make_worker(root, tmp_path / "index")
    work(worker)
    worker.receive(IndexRequest(rebuild=True))
    assert work(worker) == "ready"
    assert database_of(tmp_path / "index").with_name("index.sqlite.damaged").exists()
    worker.close()


@pytest.mark.usefixtures("open_files_stay")
def test_a_damaged_index_that_is_open_elsewhere_waits_until_it_is_closed(root: Path, tmp_path: Path) -> None:
    build_index(root, tmp_path / "index")
    path = database_of(tmp_path / "index")
    path.write_bytes(b"rubbish " * 1000)
    worker = make_worker(root, tmp_path / "index")
    with path.open("rb"):
        for _ in range(worker_module.MAX_REBUILDS + 1):
            assert work(worker) == "failed"
    assert work(worker) == "ready"
    worker.close()


@pytest.mark.slow
def test_damage_again_and_again_ends(root: Path, tmp_path: Path) -> None:
    worker = make_worker(root, tmp_path / "index")
    for _ in range(worker_module.MAX_REBUILDS + 1):
        work(worker)
        worker.receive(IndexRequest(rebuild=True))
    assert worker.state == "failed"
    worker.close()


def test_too_much_garbage_is_left_behind(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("editahead_retrieval.index.store.MIN_GARBAGE", 5)
    worker = make_worker(root, tmp_path / "index")
    work(worker)
    for version in range(2):
        write(root, {name: f"version = {version}\n# {name}\n" for name in FILES})
        worker.receive(IndexRequest(look=True))
        work(worker)
    reader = IndexReader(database_of(tmp_path / "index"))
    assert reader.counts().garbage == 0
    assert reader.counts().files == len(FILES)
    reader.close()
    worker.close()


@pytest.mark.slow
def test_a_full_disk_keeps_what_there_is_and_is_tried_again(root: Path, tmp_path: Path) -> None:
    folder = tmp_path / "index"
    build_index(root, folder)
    before = dump(database_of(folder))
    words = "".join(f"word_{n} = {n * n}\n" for n in range(20_000))
    write(root, {f"big{n}.py": words.replace("word", f"w{n}") for n in range(3)})
    process = start(root, folder, limit_bytes=database_of(folder).stat().st_size + 100_000)
    states = []
    for report in reports(process):
        states.append(report.state)
        if report.state == "full":
            assert "disk" in report.detail
            break
    assert "ready" not in states
    assert end(process) == 0
    after = dump(database_of(folder))
    assert {path: after[path] for path in before} == before
    assert build_index(root, folder)[-1].state == "ready"
    assert dump(database_of(folder)).keys() == {*FILES, "big0.py", "big1.py", "big2.py"}


@pytest.mark.slow
def test_a_disk_that_is_full_from_the_start(root: Path, tmp_path: Path) -> None:
    process = start(root, tmp_path / "index", limit_bytes=20_000)
    for report in reports(process):
        assert report.state != "ready"
        if report.state in ("full", "failed"):
            break
    assert end(process) == 0
    assert build_index(root, tmp_path / "index")[-1].state == "ready"
    build_index(root, tmp_path / "whole")
    assert dump(database_of(tmp_path / "index")) == dump(database_of(tmp_path / "whole"))


def test_a_repository_of_one_huge_file(tmp_path: Path) -> None:
    huge = tmp_path / "work" / "huge.py"
    huge.parent.mkdir()
    with huge.open("wb") as file:
        file.truncate(2 << 30)  # without blocks on the disk
    assert build_index(tmp_path / "work", tmp_path / "index")[-1] == IndexReport("ready")
    assert dump(database_of(tmp_path / "index")) == {}


@pytest.mark.slow
@pytest.mark.parametrize("line", [0, 1, 2])
def test_a_kill_leaves_an_index_that_is_whole(root: Path, tmp_path: Path, line: int) -> None:
    build_index(root, tmp_path / "whole")
    process = start(root, tmp_path / "index")
    for number, _ in enumerate(reports(process)):
        if number >= line:
            break
    process.send_signal(signal.SIGKILL)
    end(process)
    build_index(root, tmp_path / "index")
    assert dump(database_of(tmp_path / "index")) == dump(database_of(tmp_path / "whole"))


@pytest.mark.slow
def test_the_process_ends_with_its_parent(root: Path, tmp_path: Path) -> None:
    process = start(root, tmp_path / "index")
    next(reports(process))
    assert end(process) == 0


@pytest.mark.slow
def test_a_saved_file_is_found_without_a_look(root: Path, tmp_path: Path) -> None:
    process = start(root, tmp_path / "index")
    lines = reports(process)
    while next(lines).state != "ready":
        pass
    write(root, {"new.py": "brand_new = 1\n"})
    assert process.stdin is not None
    process.stdin.write(encode(IndexRequest(changed=("new.py",))))
    process.stdin.flush()
    seen = [next(lines).state, next(lines).state]
    assert seen == ["building", "ready"]
    reader = IndexReader(database_of(tmp_path / "index"))
    assert reader.files_with(["brand_new"], 1) == ["new.py"]
    reader.close()
    assert end(process) == 0


def test_a_file_saved_during_a_check_is_reported(root: Path, tmp_path: Path) -> None:
    """Else a server would keep the answers to earlier questions."""
    seen: list[str] = []
    worker = IndexWorker(
        IndexTask(str(root), str(tmp_path / "index")), lambda report: seen.append(report.state), Clock()
    )
    assert work(worker) == "ready"
    seen.clear()
    worker.receive(IndexRequest(look=True))
    while worker.state != "looking":
        worker.step()
    worker.step()
    worker._look = iter([None])  # as when it has passed all folders
    write(root, {"new.py": "brand_new = 1\n"})
    worker.receive(IndexRequest(changed=("new.py",)))
    assert work(worker) == "ready"
    assert "building" in seen
    worker.close()


@pytest.mark.slow
def test_a_switch_of_branches_during_a_build(root: Path, tmp_path: Path) -> None:
    make_repository(root, {})
    git(root, "switch", "-qc", "other")
    write(root, {name: f"other_branch = 1\n# {name}\n" for name in FILES})
    git(root, "commit", "-qam", "two")
    git(root, "switch", "-q", "main")
    clock = Clock()
    worker = make_worker(root, tmp_path / "index", clock)
    while worker.state != "building":
        worker.step()
    worker.step()
    git(root, "switch", "-q", "other")
    work(worker)
    clock.now += worker_module.POLL_S
    assert work(worker) == "ready"
    build_index(root, tmp_path / "anew")
    assert dump(database_of(tmp_path / "index")) == dump(database_of(tmp_path / "anew"))
    worker.close()


def test_the_folder_of_git_of_a_worktree(root: Path) -> None:
    assert find_git_folder(root) is None
    write(root, {".git": "gitdir: ../real\n"})
    assert find_git_folder(root) == root / "../real"
    write(root, {".git": "something else\n"})
    assert find_git_folder(root) is None
    (root / ".git").unlink()
    git(root, "init", "-q")
    assert find_git_folder(root) == root / ".git"


def test_all_files_are_looked_at_now_and_then(root: Path, tmp_path: Path) -> None:
    clock = Clock()
    worker = make_worker(root, tmp_path / "index", clock)
    work(worker)
    write(root, {"late.py": "unreported = 1\n"})
    clock.now += worker_module.LOOK_S - 1
    work(worker)
    assert len(dump(database_of(tmp_path / "index"))) == len(FILES)
    clock.now += 2
    work(worker)
    assert len(dump(database_of(tmp_path / "index"))) == len(FILES) + 1
    worker.close()


def test_an_index_that_cannot_be_created(root: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    worker = make_worker(root, tmp_path / "file" / "index")
    assert work(worker) == "failed"
    worker.close()


def test_a_nudge_is_a_file_of_the_index(root: Path, tmp_path: Path) -> None:
    worker = make_worker(root, tmp_path / "index")
    work(worker)
    other = make_worker(root, tmp_path / "index")
    work(other)
    other.receive(IndexRequest(look=True))
    assert (tmp_path / "index" / NUDGE).exists()
    other.close()
    worker.close()


def test_an_index_that_can_only_be_read_still_answers(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build_index(root, tmp_path / "index")
    write(root, {"new.py": "fresh = 1\n"})
    real = sqlite3.connect

    def connect(path: object, **options: object) -> sqlite3.Connection:
        return real(f"file:{path}?mode=ro", uri=True, **options)

    with monkeypatch.context() as patch:
        patch.setattr("editahead_retrieval.index.schema.sqlite3.connect", connect)
        worker = make_worker(root, tmp_path / "index")
        assert work(worker) == "failed"
        worker.close()
    reader = IndexReader(database_of(tmp_path / "index"))
    assert len(reader.files_with(["name_3"], 5)) == 1
    reader.close()
    assert build_index(root, tmp_path / "index")[-1].state == "ready"


def moves(root: Path, folder: Path, change: Callable[[], None]) -> list[tuple[str, str]]:
    """Return what a worker reports as moved by a look after a change; the files are old enough to be trusted."""
    for path in root.rglob("*.py"):
        os.utime(path, ns=(10**18, 10**18))
    clock, reports = Clock(), list[IndexReport]()
    worker = IndexWorker(IndexTask(str(root), str(folder)), reports.append, clock)
    work(worker)
    reports.clear()
    change()
    clock.now += worker_module.LOOK_S
    work(worker)
    worker.close()
    assert [decode_report(encode(report)) for report in reports] == reports
    return [pair for report in reports for pair in report.moved]


def test_a_look_finds_files_under_their_new_paths(root: Path, tmp_path: Path) -> None:
    """As after `git mv` beside an editor that does not hear of changed files."""

    def change() -> None:
        (root / "pack1/m1.py").rename(root / "pack2/other.py")
        (root / "pack3").rename(root / "pack9")

    found = moves(root, tmp_path / "index", change)
    assert ("pack1/m1.py", "pack2/other.py") in found
    assert ("pack3/m3.py", "pack9/m3.py") in found
    assert len(found) == 1 + len([name for name in FILES if name.startswith("pack3/")])


def test_a_copy_a_new_file_and_one_that_was_deleted_are_not_moved(root: Path, tmp_path: Path) -> None:
    def change() -> None:
        (root / "copy.py").write_text((root / "pack1/m1.py").read_text("utf-8"), "utf-8")
        (root / "new.py").write_text("x = 1\n", "utf-8")
        (root / "pack1/m1.py").unlink()

    assert moves(root, tmp_path / "index", change) == []
