"""Small files of a repository: nothing but regular files of the workspace, and no more than a limit."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from editahead_retrieval.errors import UnreadableFileError
from editahead_retrieval.files.bounded_files import MAX_BYTES, read_bounded_file


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


def problem(path: Path, *folders: Path) -> str:
    with pytest.raises(UnreadableFileError) as caught:
        read_bounded_file(path, folders)
    return str(caught.value)


def test_a_file_and_links_to_it(folder: Path) -> None:
    (folder / "file").write_bytes(b"x" * MAX_BYTES)
    (folder / "link").symlink_to("file")
    (folder.parent / "linked").symlink_to(folder)
    for path in (folder / "file", folder / "link", folder.parent / "linked" / "link"):
        assert len(read_bounded_file(path, [folder])) == MAX_BYTES


def test_what_is_no_regular_file(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    (folder / "dir").mkdir()
    (folder / "device").symlink_to("/dev/zero")
    for name in ("pipe", "dir"):
        assert problem(folder / name, folder) == "not a regular file"
    assert problem(folder / "device", folder) == "the link leads out of the workspace"
    assert problem(folder / "device") == "not a regular file"


def test_what_is_outside(folder: Path) -> None:
    (folder.parent / "file").write_bytes(b"x")
    (folder / "link").symlink_to("../file")
    (folder / "dir").symlink_to("..")
    assert problem(folder / "link", folder) == "the link leads out of the workspace"
    assert problem(folder / "dir" / "file", folder) == "the link leads out of the workspace"
    assert read_bounded_file(folder / "link", [folder, folder.parent]) == b"x"
    assert read_bounded_file(folder / "link") == b"x"


def test_what_is_too_large(folder: Path) -> None:
    with (folder / "file").open("wb") as file:
        file.truncate(2 << 30)  # a sparse file of 2 GB
    assert problem(folder / "file", folder) == f"larger than {MAX_BYTES} bytes"
    (folder / "file").write_bytes(b"x" * (MAX_BYTES + 1))
    assert problem(folder / "file", folder) == f"larger than {MAX_BYTES} bytes"


def test_a_file_that_grows_while_it_is_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "file").write_bytes(b"x")
    monkeypatch.setattr(
        "editahead_retrieval.files.bounded_files.os.read", lambda handle, count: b"x" * min(count, 1000)
    )
    assert problem(folder / "file", folder) == f"larger than {MAX_BYTES} bytes"


def test_what_is_not_there(folder: Path) -> None:
    (folder / "gone").symlink_to("nowhere")
    (folder / "file").write_bytes(b"x")
    for name in ("missing", "gone", "file/below"):
        with pytest.raises(FileNotFoundError):
            read_bounded_file(folder / name, [folder])


def test_no_handle_is_left_open(folder: Path) -> None:
    (folder / "dir").mkdir()
    first = os.open(folder, os.O_RDONLY)
    os.close(first)
    problem(folder / "dir", folder)
    again = os.open(folder, os.O_RDONLY)
    os.close(again)
    assert again == first
