"""`editahead index`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from editahead_cli.main import main
from editahead_retrieval.files.walk import Walk
from editahead_retrieval.index import location
from editahead_retrieval.process.writer_lock import WriterLock
from git_repository import write


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    write(
        tmp_path / "work", {"a.py": "def alpha(): pass\n", "sub/b.ts": "export const beta = 1\n", ".env": "x"}
    )
    return tmp_path / "work"


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    assert main(["index", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def database(tmp_path: Path) -> Path:
    (found,) = (tmp_path / "XDG_CACHE_HOME").rglob(location.DATABASE)
    return found


def test_build_status_clear(root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "status", str(root))["state"] == "missing"
    built = run(capsys, "build", str(root))
    assert (built["root"], built["files"], built["state"], built["vectors"]) == (str(root), 2, "ready", 0)
    assert built["bytes"] > 0 and built["builtAt"].endswith("+00:00")
    assert run(capsys, "status", str(root))["symbols"] == 2
    assert str(root) not in str(database(tmp_path))
    assert run(capsys, "clear", str(root)) == run(capsys, "status", str(root))
    assert list((tmp_path / "XDG_CACHE_HOME").rglob("*.sqlite*")) == []


def test_words_for_people(
    root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(root)
    assert main(["index", "status"]) == 0
    assert main(["index", "build"]) == 0
    assert main(["index", "clear"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0] == out[2] == f"{root} has no index. `editahead index build` builds one."
    assert out[1].startswith(f"The index of {root}: 2 files, 2 chunks, 2 symbols, ")


def test_build_reads_files_whose_time_lies(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(capsys, "build", str(root))
    reads: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        real = Walk.read
        patch.setattr(Walk, "read", lambda walk, path: (reads.append(path), real(walk, path))[1])
        run(capsys, "build", str(root))
    assert sorted(reads) == ["a.py", "sub/b.ts"]


def test_a_damaged_index(root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "build", str(root))
    database(tmp_path).write_bytes(b"rubbish " * 1000)
    assert run(capsys, "status", str(root))["state"] == "damaged"
    assert run(capsys, "build", str(root))["state"] == "ready"


@pytest.mark.parametrize("action", ["build", "clear"])
def test_an_index_that_a_server_writes_is_left_alone(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], action: str
) -> None:
    run(capsys, "build", str(root))
    lock = WriterLock(database(tmp_path).with_name(location.LOCK))
    assert lock.acquire()
    assert main(["index", action, str(root)]) == 1
    assert "A running server" in capsys.readouterr().err
    assert database(tmp_path).exists()
    lock.release()


def test_a_path_that_is_no_folder(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["index", "status", str(root / "a.py")]) == 1
    assert "no folder" in capsys.readouterr().err


def test_a_build_says_why_there_are_no_vectors(
    root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("numpy")
    monkeypatch.setenv("EDITAHEAD_SEARCH_ENCODER", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("EDITAHEAD_SEARCH_MODEL", "m")
    assert main(["index", "build", str(root)]) == 0
    printed = capsys.readouterr()
    assert "2 files" in printed.out
    assert "The index is whole, but the server of embeddings cannot be reached" in printed.err
