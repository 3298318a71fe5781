"""Atomic writes: either all files are written or none."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from editahead_cli import atomic_write
from editahead_cli.atomic_write import FileWrite, write_all
from editahead_cli.errors import WriteError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a").write_bytes(b"old a")
    (tmp_path / "b").write_bytes(b"old b")
    return tmp_path


def held(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def change(folder: Path) -> list[FileWrite]:
    return [
        FileWrite(folder / "a", b"old a", b"new a"),
        FileWrite(folder / "sub" / "dir" / "c", None, b"new c"),
        FileWrite(folder / "b", b"old b", None),
    ]


def test_all_of_it(folder: Path) -> None:
    write_all(change(folder))
    assert held(folder) == {"a": b"new a", "sub/dir/c": b"new c"}


def test_what_was_there_is_kept_on_demand(folder: Path) -> None:
    write_all(change(folder), backup=True)
    assert held(folder) == {
        "a": b"new a",
        "a.orig": b"old a",
        "b.orig": b"old b",
        "sub/dir/c": b"new c",
    }


def test_permissions_are_kept(folder: Path) -> None:
    (folder / "a").chmod(0o751)
    write_all(change(folder))
    assert (folder / "a").stat().st_mode & 0o777 == 0o751
    mask = os.umask(0o022)
    try:
        write_all([FileWrite(folder / "d", None, b"")])
    finally:
        os.umask(mask)
    assert (folder / "d").stat().st_mode & 0o777 == 0o644


def test_a_link_stays_a_link(folder: Path) -> None:
    (folder / "link").symlink_to("a")
    write_all([FileWrite(folder / "link", b"old a", b"new a")])
    assert (folder / "link").is_symlink()
    assert (folder / "a").read_bytes() == b"new a"


@pytest.mark.parametrize("wrong", [b"changed", None])
def test_a_file_that_is_not_as_it_was(folder: Path, wrong: bytes | None) -> None:
    if wrong is None:
        (folder / "b").unlink()
    else:
        (folder / "b").write_bytes(wrong)
    before = held(folder)
    with pytest.raises(WriteError):
        write_all(change(folder))
    assert held(folder) == before
    assert not (folder / "sub").exists()


def test_a_file_that_is_there_already(folder: Path) -> None:
    (folder / "sub" / "dir").mkdir(parents=True)
    (folder / "sub" / "dir" / "c").write_bytes(b"here")
    before = held(folder)
    with pytest.raises(WriteError):
        write_all(change(folder))
    assert held(folder) == before


@pytest.mark.parametrize("fails_at", range(4))
def test_what_fails_on_the_way_is_taken_back(
    folder: Path, fails_at: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = held(folder)
    replace, unlink, count = Path.replace, Path.unlink, iter(range(10))

    def failing_replace(path: Path, target: Path) -> Path:
        if next(count) == fails_at:
            raise OSError(28, "No space left on device", str(target))
        return replace(path, target)

    def failing_unlink(path: Path, missing_ok: bool = False) -> None:
        if not missing_ok and next(count) == fails_at:
            raise OSError(13, "Permission denied", str(path))
        unlink(path, missing_ok=missing_ok)

    monkeypatch.setattr(Path, "replace", failing_replace)
    monkeypatch.setattr(Path, "unlink", failing_unlink)
    if fails_at < 3:
        with pytest.raises(WriteError, match=r"No space|Permission"):
            write_all(change(folder))
        assert held(folder) == before
        assert not (folder / "sub").exists()
    else:
        write_all(change(folder))
        assert held(folder) != before


def test_a_disk_that_is_full_before_anything_is_put_in_place(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = held(folder)

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(atomic_write.os, "fsync", full)
    with pytest.raises(WriteError, match="No space"):
        write_all(change(folder))
    assert held(folder) == before
