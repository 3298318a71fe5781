"""Writes of several files: all or none, with their permissions, links and attributes."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from editahead_workspace.errors import WriteError
from editahead_workspace.file_writes import attributes, folders, step
from editahead_workspace.file_writes.transaction import BACKUP_SUFFIX, FileWrite, write_all

Write = Callable[..., str | None]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "a").write_bytes(b"old a")
    (folder / "b").write_bytes(b"old b")
    return folder


@pytest.fixture
def journals(tmp_path: Path) -> Path:
    return tmp_path / "journals"


@pytest.fixture
def write(folder: Path, journals: Path) -> Write:
    def write(writes: Sequence[FileWrite], **options: object) -> str | None:
        return write_all(writes, [folder], journals, **options)

    return write


def held(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def change(folder: Path) -> list[FileWrite]:
    return [
        FileWrite(folder / "a", b"old a", b"new a"),
        FileWrite(folder / "sub" / "dir" / "c", None, b"new c"),
        FileWrite(folder / "b", b"old b", None),
    ]


CHANGED = {"a": b"new a", "sub/dir/c": b"new c"}


def test_all_of_it(folder: Path, write: Write, journals: Path) -> None:
    assert write(change(folder)) is None
    assert held(folder) == CHANGED
    assert not list(journals.iterdir())


def test_what_was_there_is_kept_on_demand(folder: Path, write: Write) -> None:
    (folder / "a").chmod(0o751)
    write(change(folder), backup=True)
    assert held(folder) == {**CHANGED, "a.orig": b"old a", "b.orig": b"old b"}
    assert (folder / "a.orig").stat().st_mode & 0o777 == 0o751
    write([FileWrite(folder / "a", b"new a", b"newer")], backup=True)
    assert (folder / "a.orig").read_bytes() == b"new a"


def test_permissions_are_kept(folder: Path, write: Write) -> None:
    (folder / "a").chmod(0o751)
    write(change(folder))
    assert (folder / "a").stat().st_mode & 0o777 == 0o751
    mask = os.umask(0o022)
    try:
        write([FileWrite(folder / "d", None, b"")])
    finally:
        os.umask(mask)
    assert (folder / "d").stat().st_mode & 0o777 == 0o644
    write(
        [FileWrite(folder / "e", None, b"x", folder / "a"), FileWrite(folder / "a", b"new a", None)]
    )  # moved
    assert (folder / "e").stat().st_mode & 0o777 == 0o751


def test_owner_and_attributes_are_kept(folder: Path, write: Write) -> None:
    if os.geteuid() == 0:
        os.chown(folder / "a", 1234, 4321)
    try:
        os.setxattr(folder / "a", "user.note", b"read me")
    except (OSError, AttributeError):
        pytest.skip("no extended attributes here")
    before = (folder / "a").stat()
    write(change(folder))
    after = (folder / "a").stat()
    assert (after.st_uid, after.st_gid) == (before.st_uid, before.st_gid)
    assert os.getxattr(folder / "a", "user.note") == b"read me"


@pytest.mark.parametrize("target", ["/dev/zero", "pipe"])
def test_a_backup_is_not_made_over_what_is_no_file(folder: Path, write: Write, target: str) -> None:
    os.mkfifo(folder.parent / "pipe")
    (folder / f"a{BACKUP_SUFFIX}").symlink_to(folder.parent / target)
    with pytest.raises(WriteError, match="not a regular file"):
        write([FileWrite(folder / "a", b"old a", b"new a")], backup=True)
    assert (folder / "a").read_bytes() == b"old a"


def test_a_link_stays_a_link(folder: Path, write: Write) -> None:
    (folder / "link").symlink_to("a")
    write([FileWrite(folder / "link", b"old a", b"new a")])
    assert (folder / "link").is_symlink()
    assert (folder / "a").read_bytes() == b"new a"


@pytest.mark.parametrize("new", [b"new a", None])
def test_a_read_only_file_is_written_only_with_force(folder: Path, write: Write, new: bytes | None) -> None:
    (folder / "a").chmod(0o444)
    before = held(folder)
    writes = [FileWrite(folder / "b", b"old b", b"new b"), FileWrite(folder / "a", b"old a", new)]
    with pytest.raises(WriteError, match=r"work/a is read-only"):
        write(writes)
    assert held(folder) == before
    write(writes, force=True)
    assert held(folder).get("a") == new
    if new is not None:
        assert (folder / "a").stat().st_mode & 0o777 == 0o444


def test_a_file_that_another_transaction_is_writing_is_left_alone(folder: Path, write: Write) -> None:
    os.link(folder / "a", folder / f"{step.PREFIX}1.old")
    before = held(folder)
    for force in (False, True):
        with pytest.raises(WriteError, match="work/a is just being written by another Editahead"):
            write(change(folder), force=force)
    assert held(folder) == before


def test_a_file_with_two_names_is_written_only_with_force(folder: Path, write: Write) -> None:
    os.link(folder / "a", folder / "twin")
    with pytest.raises(WriteError, match=r"work/a has 2 names \(hard links\)"):
        write(change(folder))
    assert (folder / "a").samefile(folder / "twin")
    write([FileWrite(folder / "twin", b"old a", None)])
    os.link(folder / "a", folder / "twin")
    write(change(folder), force=True)
    assert held(folder) == {**CHANGED, "twin": b"old a"}


def test_another_users_file(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    found = (folder / "a").stat()
    monkeypatch.setattr(os, "geteuid", lambda: found.st_uid + 1)
    assert "another user" in str(attributes.objection(found, writable=True))
    assert attributes.objection(found, writable=False) == "is read-only"


@pytest.mark.parametrize("wrong", [b"changed", b"old c", None])
def test_a_file_that_is_not_as_it_was(folder: Path, write: Write, wrong: bytes | None) -> None:
    (folder / "b").unlink()
    if wrong is not None:
        (folder / "b").write_bytes(wrong)
    before = held(folder)
    with pytest.raises(WriteError, match="work/b"):
        write(change(folder))
    assert held(folder) == before
    assert not (folder / "sub").exists()


def test_a_file_that_is_there_already(folder: Path, write: Write) -> None:
    (folder / "sub" / "dir").mkdir(parents=True)
    (folder / "sub" / "dir" / "c").write_bytes(b"here")
    before = held(folder)
    with pytest.raises(WriteError, match="dir/c already exists"):
        write(change(folder))
    assert held(folder) == before


@pytest.mark.parametrize("name", ["sub/dir/c", "a", "b"])
def test_a_file_that_changes_between_staging_and_renaming(folder: Path, write: Write, name: str) -> None:
    before = held(folder)

    def meddle(point: str) -> None:
        if point == "committed":
            (folder / name).write_bytes(b"someone else's")

    with pytest.raises(WriteError, match=name):
        write(change(folder), on_step=meddle)
    assert held(folder) == {**before, name: b"someone else's"}


def test_a_file_that_changes_again_before_it_is_taken_back(folder: Path, write: Write) -> None:
    put = iter(range(9))

    def meddle(point: str) -> None:
        if point == "put" and next(put) == 0:
            (folder / "a").write_bytes(b"someone else's")
            (folder / "b").write_bytes(b"changed")

    with pytest.raises(WriteError, match=r"work/b changed.*work/a could not be restored") as caught:
        write(change(folder), on_step=meddle)
    after = held(folder)
    assert (after.pop("a"), after.pop("b")) == (b"someone else's", b"changed")
    ((kept, text),) = after.items()
    assert (kept in str(caught.value), text) == (True, b"old a")


@pytest.mark.parametrize(
    "function", ["link", "rename", "fsync", "open", "fchmod", "mkdir", "unlink", "write", "stat", "fstat"]
)
@pytest.mark.parametrize("links", [True, False])
def test_what_fails_on_the_way_is_taken_back(
    folder: Path, write: Write, journals: Path, function: str, links: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Let each call of a function fail in turn, on file systems with hard links and without."""
    before = held(folder)
    if not links:
        monkeypatch.setattr(os, "link", _no_links)
    for fails_at in range(99):
        calls = iter(range(999))
        with monkeypatch.context() as patch:
            real = getattr(os, function)

            def failing(*arguments: object, **more: object) -> object:
                if next(calls) == fails_at:  # noqa: B023 - called in this turn only
                    raise OSError(28, "No space left on device")
                return real(*arguments, **more)  # noqa: B023  # called in this turn only

            patch.setattr(os, function, failing)
            try:
                write(change(folder))
            except WriteError as error:
                assert "No space left on device" in str(error)
                assert str(folder.parent) in str(error)  # the file is named
                failed = True
            else:
                failed = False
            done = next(calls) <= fails_at
        after = {name: text for name, text in held(folder).items() if not name.startswith(".editahead-")}
        assert after == (before if failed else CHANGED), fails_at
        if failed:
            assert not (folder / "sub").exists()
        for path in list(folder.rglob("*")) + list(journals.glob("*")):
            if path.is_file():
                path.unlink()
        for path in (folder / "sub" / "dir", folder / "sub"):
            if path.exists():
                path.rmdir()
        for name, text in before.items():
            (folder / name).write_bytes(text)
        if done:
            break
    assert done


def _no_links(*arguments: object, **more: object) -> None:
    raise PermissionError(1, "Operation not permitted")


def test_without_hard_links_nothing_is_different(
    folder: Path, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "link", _no_links)
    write(change(folder))
    assert held(folder) == CHANGED


def test_a_folder_that_becomes_a_link_leads_nowhere(folder: Path, write: Write) -> None:
    outside = folder.parent / "outside"
    outside.mkdir()
    (outside / "c").write_bytes(b"old c")
    (folder / "sub").mkdir()
    (folder / "sub" / "c").write_bytes(b"old c")
    real_opened = folders.FolderHandles.open

    def swap(self: folders.FolderHandles, root: str, path: str) -> int:
        if (folder / "sub").is_dir() and not (folder / "sub").is_symlink():
            (folder / "sub").rename(folder / "was")
            (folder / "sub").symlink_to(outside)
        return real_opened(self, root, path)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(folders.FolderHandles, "open", swap)
        with pytest.raises(WriteError, match="sub/c"):
            write([FileWrite(folder / "sub" / "c", b"old c", b"new c")])
    assert (outside / "c").read_bytes() == (folder / "was" / "c").read_bytes() == b"old c"
    assert sorted(p.name for p in outside.iterdir()) == ["c"]


@pytest.mark.parametrize("point", ["planned", "staged", "committed", "put"])
@pytest.mark.parametrize("replaced", [False, True])
def test_a_folder_that_is_moved_out_takes_no_file_with_it(
    folder: Path, write: Write, point: str, replaced: bool
) -> None:
    outside = folder.parent / "outside"
    outside.mkdir()
    (folder / "sub").mkdir()
    (folder / "sub" / "kept").write_bytes(b"old kept")
    seen: list[str] = []

    def move(now: str) -> None:
        if now == point and now not in seen:
            (folder / "sub").rename(outside / "sub")
            if replaced:
                (folder / "sub").mkdir()
        seen.append(now)

    writes = [
        FileWrite(folder / "sub" / "c", None, b"new c"),
        FileWrite(folder / "sub" / "kept", b"old kept", b"new kept"),
        FileWrite(folder / "a", b"old a", b"new a"),
    ]
    with pytest.raises(WriteError, match=r"sub|moved"):
        write(writes, on_step=move)
    assert held(outside) == {"sub/kept": b"old kept"}
    assert held(folder) == {"a": b"old a", "b": b"old b"}


def test_nothing_outside_the_roots_is_written(folder: Path, write: Write) -> None:
    outside = folder.parent / "c"
    with pytest.raises(WriteError, match="outside of the workspace"):
        write([FileWrite(outside, None, b"new")])
    (folder / "up").symlink_to("..")
    with pytest.raises(WriteError, match="outside of the workspace"):
        write([FileWrite(folder / "up" / "c", None, b"new")])
    assert not outside.exists()


def test_without_a_journal_the_caller_hears_of_it(folder: Path, write: Write, journals: Path) -> None:
    journals.write_text("no folder")
    assert write([FileWrite(folder / "a", b"old a", b"newer")]) is None
    why = write([FileWrite(folder / "a", b"newer", b"old a"), *change(folder)[1:]])
    assert why is not None
    assert str(journals) in why
    assert held(folder) == {"a": b"old a", "sub/dir/c": b"new c"}


def test_old_leftovers_are_swept(folder: Path, write: Write) -> None:
    old, young, other = (
        folder / ".editahead-abcd_123",
        folder / ".editahead-0123456789abcdef.new",
        folder / ".editahead-mine",
    )
    for path in (old, young, other):
        path.write_bytes(b"")
    for path in (old, other):
        os.utime(path, (1, 1))
    write(change(folder))
    assert not old.exists()
    assert young.exists()
    assert other.exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("point", ["planned", "staged", "committed", "put", "all put", "cleared"])
def test_a_signal_is_held_back_until_all_or_none_is_written(
    folder: Path, write: Write, journals: Path, number: signal.Signals, point: str
) -> None:
    """The signal comes at one point; its own handler runs at the end."""
    before, came = held(folder), []

    def send(reached: str) -> None:
        if reached == point and not came:
            signal.raise_signal(number)
            assert not came

    previous = signal.signal(number, lambda *_: came.append(held(folder)))
    try:
        if point in ("planned", "staged"):
            with pytest.raises(WriteError, match=number.name):
                write(change(folder), on_step=send)
            assert came == [before]
        else:
            write(change(folder), on_step=send)
            assert came[0] == CHANGED
        assert not list(journals.iterdir())
        assert signal.getsignal(number) is not signal.SIG_DFL
    finally:
        signal.signal(number, previous)


def test_another_thread_can_write(folder: Path, write: Write) -> None:
    thread = threading.Thread(target=write, args=(change(folder),))
    thread.start()
    thread.join()
    assert held(folder) == CHANGED


def test_names_are_hidden_and_unlike() -> None:
    steps = [step.Step("create", "/w", "a/b") for _ in range(9)]
    assert len({one.new_name for one in steps}) == 9
    assert all(one.new_name.startswith(".editahead-") for one in steps)


@pytest.mark.parametrize("name", [".git", ".GIT", "git~1", ".git\u200b", ".git "])
def test_git_s_own_files_are_never_written(folder: Path, write: Write, name: str) -> None:
    before = held(folder)
    with pytest.raises(WriteError, match="git's own"):
        write([*change(folder), FileWrite(folder / name / "hooks" / "pre-commit", None, b"#!/bin/sh\n")])
    assert held(folder) == before
