"""The walk: what it finds, and what it leaves alone."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from editahead_retrieval.files import walk as walk_module
from editahead_retrieval.files.exclusion_rules import ExclusionRules
from editahead_retrieval.files.ignore_patterns import IgnorePatterns
from editahead_retrieval.files.walk import Walk
from git_repository import write


def make_walk(root: Path, exclude: tuple[str, ...] = (), max_file_bytes: int = 1000) -> Walk:
    return Walk(root, ExclusionRules([root], IgnorePatterns(exclude)), max_file_bytes)


def paths(walk: Walk) -> list[str]:
    return [found.path for found in walk]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    files = dict.fromkeys(("a.py", "sub/b.py", "sub/deep/c.py", "sub/skip.log", ".env", "sub/key.pem"), "x\n")
    files |= {".git/config": "", "build/made.py": "", "sub/.GIT/hooks/x": "", ".gitignore": "build/\n*.log\n"}
    write(tmp_path / "work", files)
    return tmp_path / "work"


def test_ignored_and_secret_files_are_left_out(root: Path) -> None:
    assert paths(make_walk(root)) == [".gitignore", "a.py", "sub/b.py", "sub/deep/c.py"]
    assert paths(make_walk(root, ("deep", "/a.py"))) == [".gitignore", "sub/b.py"]


def test_links_pipes_and_large_files_are_left_out(root: Path, tmp_path: Path) -> None:
    write(tmp_path, {"outside/secret.py": "x", "work/large.py": "x" * 1001})
    (root / "link.py").symlink_to(tmp_path / "outside" / "secret.py")
    (root / "folder").symlink_to(tmp_path / "outside")
    (root / "loop").symlink_to(root)
    os.mkfifo(root / "pipe.py")
    walk = make_walk(root)
    assert paths(walk) == [".gitignore", "a.py", "sub/b.py", "sub/deep/c.py"]
    for name in ("link.py", "folder/secret.py", "loop/a.py", "pipe.py", "large.py"):
        assert walk.find(name) is None


def test_one_file_is_found_if_the_walk_finds_it(root: Path) -> None:
    walk = make_walk(root)
    found = {file.path: file for file in walk}
    every = [path.relative_to(root).as_posix() for path in root.rglob("*")]
    assert {path: file for path in every if (file := walk.find(path)) is not None} == found
    for name in ("", "/a.py", "sub/../a.py", "./a.py", "gone.py", "a.py/b", "a\0b"):
        assert walk.find(name) is None


def test_a_huge_file_is_not_read(root: Path) -> None:
    with (root / "huge.py").open("wb") as out:
        out.truncate(2 * 1024**3)  # sparse: no block of the disk is used
    assert "huge.py" not in paths(make_walk(root, max_file_bytes=10**9))


def test_a_folder_that_cannot_be_listed_is_named(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = walk_module.scan_without_links

    def opening(path: str) -> object:
        if path.endswith("/deep"):
            raise PermissionError
        return real(path)

    monkeypatch.setattr(walk_module, "scan_without_links", opening)
    walk = make_walk(root)
    assert "sub/b.py" in paths(walk)
    assert walk.unreadable == ["sub/deep/"]


def test_a_name_that_is_no_text_is_left_out(root: Path) -> None:
    (root / os.fsdecode(b"bad\xff.py")).write_text("x")
    assert all(path.isascii() for path in paths(make_walk(root)))
