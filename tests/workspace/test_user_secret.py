"""The user's secrets: the same for all servers of the user, and private."""

from __future__ import annotations

import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from editahead_workspace.user_secret import (
    FILE_NAME,
    SECRET_BYTES,
    TOKEN_FILE_NAME,
    load_or_create_token,
    load_or_create_user_secret,
)


def test_it_is_made_once_and_only_for_its_person(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    found = load_or_create_user_secret(folder)
    assert len(found) == SECRET_BYTES and load_or_create_user_secret(folder) == found
    assert load_or_create_user_secret(tmp_path / "another") != found
    assert [path.name for path in folder.iterdir()] == [FILE_NAME]
    if os.name == "posix":
        assert stat.S_IMODE((folder / FILE_NAME).stat().st_mode) == 0o600


def test_several_servers_that_start_at_once_agree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of them find none; one is quicker than the others."""
    monkeypatch.setattr(os, "getpid", iter(range(1, 100)).__next__)
    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(load_or_create_user_secret, [tmp_path / "state"] * 32))) == 1


@pytest.mark.parametrize("is_there", [False, True])
def test_what_a_killed_process_left_goes(is_there: bool, tmp_path: Path) -> None:
    if is_there:
        load_or_create_user_secret(tmp_path)
    for name in (f"{FILE_NAME}.4711", f"{FILE_NAME}.4712", f"{FILE_NAME}.mine"):
        (tmp_path / name).write_bytes(b"x" * SECRET_BYTES)
    assert load_or_create_user_secret(tmp_path) != b"x" * SECRET_BYTES
    assert {path.name for path in tmp_path.iterdir()} == {FILE_NAME, f"{FILE_NAME}.mine"}


def test_another_process_may_take_the_leftovers_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another one makes the secret between our look and our link, and takes our temporary file for one that was left."""
    real = os.link

    def overtaken(source: Path, target: Path) -> None:
        monkeypatch.setattr(os, "link", real)
        load_or_create_user_secret(tmp_path)
        assert not source.exists()
        real(source, target)

    monkeypatch.setattr(os, "link", overtaken)
    monkeypatch.setattr(os, "getpid", iter(range(1, 100)).__next__)
    found = load_or_create_user_secret(tmp_path)
    assert found == load_or_create_user_secret(tmp_path)


@pytest.mark.parametrize("kept", [b"", b"short"])
def test_where_none_can_be_kept_there_is_another_each_time(kept: bytes, tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(kept)
    assert len({load_or_create_user_secret(tmp_path), load_or_create_user_secret(tmp_path)}) == 2
    assert len(load_or_create_user_secret(tmp_path / FILE_NAME / "no folder")) == SECRET_BYTES


def test_a_token_is_made_once_and_only_for_its_person(tmp_path: Path) -> None:
    file = tmp_path / "state" / TOKEN_FILE_NAME
    token = load_or_create_token(file)
    assert len(token) >= 32 and load_or_create_token(file) == token
    file.chmod(0o644)
    file.write_text("mine\n", "utf-8")
    assert load_or_create_token(file) == "mine"
    if os.name == "posix":
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_an_empty_file_is_no_token(tmp_path: Path) -> None:
    (tmp_path / TOKEN_FILE_NAME).write_bytes(b"\n")
    with pytest.raises(OSError, match="empty"):
        load_or_create_token(tmp_path / TOKEN_FILE_NAME)
