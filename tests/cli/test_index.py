"""`editahead index`."""

from __future__ import annotations

from pathlib import Path

import pytest

from command_line import CommandLine
from editahead_cli.main import main
from editahead_retrieval.files.walk import Walk
from editahead_retrieval.index import location
from editahead_retrieval.process.writer_lock import WriterLock
from git_repository import write


@pytest.fixture
def root(work: Path) -> Path:
    write(work, {"a.py": "def alpha(): pass\n", "sub/b.ts": "export const beta = 1\n", ".env": "x"})
    return work


def database(tmp_path: Path) -> Path:
    (found,) = (tmp_path / "cache").rglob(location.DATABASE)
    return found


def test_build_status_clear(root: Path, tmp_path: Path, editahead: CommandLine) -> None:
    assert editahead.json("index", "status", str(root))["state"] == "missing"
    built = editahead.json("index", "build", str(root))
    assert (built["root"], built["files"], built["state"], built["vectors"]) == (str(root), 2, "ready", 0)
    assert built["bytes"] > 0 and built["builtAt"].endswith("+00:00")
    assert editahead.json("index", "status", str(root))["symbols"] == 2
    assert str(root) not in str(database(tmp_path))
    assert editahead.json("index", "clear", str(root)) == editahead.json("index", "status", str(root))
    assert list((tmp_path / "cache").rglob("*.sqlite*")) == []


@pytest.mark.usefixtures("open_files_stay")
def test_clear_removes_no_file_that_is_open(root: Path, tmp_path: Path, editahead: CommandLine) -> None:
    editahead.json("index", "build", str(root))
    folder = database(tmp_path).parent
    editahead("index", "clear", str(root))
    assert not folder.exists()


def test_words_for_people(root: Path, editahead: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)
    assert main(["index", "status"]) == 0
    assert main(["index", "build"]) == 0
    out = editahead("index", "clear").out.splitlines()
    assert out[0] == out[2] == f"{root} has no index. `editahead index build` builds one."
    assert out[1].startswith(f"The index of {root}: 2 files, 2 chunks, 2 symbols, ")


def test_build_reads_files_whose_time_lies(root: Path, tmp_path: Path, editahead: CommandLine) -> None:
    editahead.json("index", "build", str(root))
    reads: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        real = Walk.read
        patch.setattr(Walk, "read", lambda walk, path: (reads.append(path), real(walk, path))[1])
        editahead.json("index", "build", str(root))
    assert sorted(reads) == ["a.py", "sub/b.ts"]


def test_a_damaged_index(root: Path, tmp_path: Path, editahead: CommandLine) -> None:
    editahead.json("index", "build", str(root))
    database(tmp_path).write_bytes(b"rubbish " * 1000)
    assert editahead.json("index", "status", str(root))["state"] == "damaged"
    assert editahead.json("index", "build", str(root))["state"] == "ready"


@pytest.mark.parametrize("action", ["build", "clear"])
def test_an_index_that_a_server_writes_is_left_alone(
    root: Path, tmp_path: Path, editahead: CommandLine, action: str
) -> None:
    editahead.json("index", "build", str(root))
    lock = WriterLock(database(tmp_path).with_name(location.LOCK))
    assert lock.acquire()
    assert "A running server" in editahead.error("index", action, root)
    assert database(tmp_path).exists()
    lock.release()


def test_a_path_that_is_no_folder(root: Path, editahead: CommandLine) -> None:
    assert "no folder" in editahead.error("index", "status", root / "a.py")


def test_a_build_says_why_there_are_no_vectors(
    root: Path, editahead: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("numpy")
    monkeypatch.setenv("EDITAHEAD_SEARCH_ENCODER", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("EDITAHEAD_SEARCH_MODEL", "m")
    printed = editahead("index", "build", root)
    assert "2 files" in printed.out
    assert "The index is whole, but the server of embeddings cannot be reached" in printed.err
