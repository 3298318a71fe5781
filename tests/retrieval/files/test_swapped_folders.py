"""Folders that become links between the check of a path and its reading."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from editahead_retrieval.errors import UnreadableFileError
from editahead_retrieval.files import bounded_files
from editahead_retrieval.files.bounded_files import (
    read_bounded_file,
    read_file_below,
    read_file_without_links,
)
from editahead_retrieval.files.exclusion_rules import ExclusionRules
from editahead_retrieval.files.folder_reader import FolderReader, read_permitted
from editahead_retrieval.files.ignore_patterns import IgnorePatterns
from editahead_retrieval.files.walk import Walk
from git_repository import write
from swapped_folder import swap, swapped_at_open

FILES = {".gitignore": "private/\n", "src/deep/a.py": "ours", "private/deep/a.py": "hidden", "top.py": "top"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write(tmp_path / "work", FILES)
    write(tmp_path / "outside", {"deep/a.py": "outside", "a.py": "outside"})
    (tmp_path / "work" / "link").symlink_to("src")
    return tmp_path / "work"


def rules(root: Path) -> ExclusionRules:
    return ExclusionRules([root], IgnorePatterns(()))


READS: dict[str, Callable[[Path], bytes]] = {
    "bounded": lambda root: read_bounded_file(root / "src/deep/a.py", [root]),
    "bounded, anywhere": lambda root: read_bounded_file(root / "src/deep/a.py"),
    "below": lambda root: read_file_below(root, "src/deep/a.py", 1_000),
    "permitted": lambda root: read_permitted(root / "src/deep/a.py", root, rules(root), 1_000),
    "permitted, by a link": lambda root: read_permitted(root / "link/deep/a.py", root, rules(root), 1_000),
    "folder": lambda root: FolderReader(root, rules(root), 1_000).read("src/deep/a.py"),
    "folder, by a link": lambda root: FolderReader(root, rules(root), 1_000).read("link/deep/a.py"),
    "walk": lambda root: Walk(root, rules(root), 1_000).read("src/deep/a.py"),
}


@pytest.fixture(params=[True, False], ids=["handles", "no handles"])
def folder_handles(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Read as where folders have handles, and as on Windows."""
    if not request.param:
        monkeypatch.setattr(bounded_files, "_HAS_FOLDER_HANDLES", False)


@pytest.mark.usefixtures("folder_handles")
@pytest.mark.parametrize("target", ["../outside", "private"])
@pytest.mark.parametrize("swapped", ["src", "src/deep"])
@pytest.mark.parametrize("read", READS.values(), ids=READS)
def test_a_folder_that_becomes_a_link_is_not_followed(
    root: Path, read: Callable[[Path], bytes], swapped: str, target: str
) -> None:
    assert read(root) == b"ours"
    place = root / target / ("deep" if swapped == "src/deep" else "")
    with swapped_at_open(root / swapped, place), pytest.raises((FileNotFoundError, UnreadableFileError)):
        read(root)
    assert (root / swapped / ("a.py" if swapped == "src/deep" else "deep/a.py")).read_text() != "ours"


def test_a_link_to_an_excluded_file_is_none_that_may_be_read(root: Path) -> None:
    (root / "link").unlink()
    (root / "link").symlink_to("private")
    with pytest.raises(UnreadableFileError, match="gitignore"):
        read_permitted(root / "link/deep/a.py", root, rules(root), 1_000)
    with pytest.raises(UnreadableFileError, match="gitignore"):
        FolderReader(root, rules(root), 1_000).read("link/deep/a.py")


@pytest.mark.usefixtures("folder_handles")
def test_a_walk_does_not_enter_a_folder_that_became_a_link(root: Path) -> None:
    walk = Walk(root, rules(root), 1_000)
    steps = iter(walk)
    found = [next(steps).path]
    swap(root / "src", root.parent / "outside")
    found += [file.path for file in steps]
    assert found == [".gitignore", "top.py"]
    assert walk.unreadable == ["src/"]


@pytest.mark.usefixtures("folder_handles")
def test_the_root_may_be_a_link_and_may_change(root: Path, tmp_path: Path) -> None:
    """Which folder a person means is not the repository's to choose."""
    write(tmp_path / "next", {"src/deep/a.py": "next"})
    (tmp_path / "current").symlink_to("work")
    walk = Walk(tmp_path / "current", rules(tmp_path / "current"), 1_000)
    assert walk.read("src/deep/a.py") == b"ours"
    (tmp_path / "current").unlink()
    (tmp_path / "current").symlink_to("next")
    assert walk.read("src/deep/a.py") == b"next"


@pytest.mark.skipif(os.geteuid() == 0, reason="root passes every folder")
def test_folders_above_need_not_be_listed(root: Path) -> None:
    root.parent.chmod(0o111)
    try:
        assert read_file_without_links(os.path.realpath(root / "top.py"), 1_000) == b"top"
    finally:
        root.parent.chmod(0o755)
