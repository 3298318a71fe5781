"""Reads of many files of one folder: the same verdicts as for each file by itself, wherever links lead."""

from __future__ import annotations

from pathlib import Path

import pytest

from editahead_retrieval.errors import UnreadableFileError
from editahead_retrieval.files.exclusion_rules import ExclusionRules
from editahead_retrieval.files.folder_reader import FolderReader
from editahead_retrieval.files.ignore_patterns import IgnorePatterns
from git_repository import write

FILES = {
    ".gitignore": "build/\n*.log\n",
    "src/.gitignore": "!kept.log\n",
    "src/shop.py": "shop",
    "src/kept.log": "kept",
    "src/lost.log": "lost",
    "build/out.py": "out",
    "src/.env": "KEY=1",
    ".ssh/notes.txt": "notes",
    "docs/guide.md": "guide",
    "docs/deep/er/page.md": "page",
    "generated/a/b.py": "b",
    "grüße.py": "hallo",
}


def make(root: Path, max_file_bytes: int = 1_000) -> tuple[FolderReader, ExclusionRules]:
    rules = ExclusionRules([root], IgnorePatterns(("generated/",)))
    return FolderReader(root, rules, max_file_bytes), rules


def test_decisions_are_those_of_the_rules(tmp_path: Path) -> None:
    write(tmp_path, FILES)
    reader, rules = make(tmp_path)
    decisions = {path: reader.excludes(path) for path in FILES}
    assert decisions == {path: rules.reason(tmp_path / path) is not None for path in FILES}
    assert [path for path, excluded in decisions.items() if not excluded] == [
        *(".gitignore", "src/.gitignore", "src/shop.py", "src/kept.log"),
        *("docs/guide.md", "docs/deep/er/page.md", "grüße.py"),
    ]
    assert reader.read("docs/deep/er/page.md") == b"page"


def test_links_are_what_they_lead_to(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    write(root, FILES)
    write(outside, {"secret.py": "secret"})
    links = {
        "src/link.py": root / "src/shop.py",
        "src/ignored.py": root / "src/lost.log",
        "src/out.py": outside / "secret.py",
        "elsewhere": outside,
        "pages": root / "docs",
    }
    for path, target in links.items():
        (root / path).symlink_to(target)
    reader, _ = make(root)
    assert not reader.excludes("src/link.py")
    assert reader.read("src/link.py") == b"shop"
    assert reader.excludes("src/ignored.py")
    assert reader.read("pages/guide.md") == b"guide"
    for path in ("src/out.py", "elsewhere/secret.py", "../outside/secret.py", "src/../../outside/secret.py"):
        with pytest.raises(UnreadableFileError):
            reader.read(path)


def test_a_root_that_is_a_link(tmp_path: Path) -> None:
    write(tmp_path / "real", FILES)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    reader, _ = make(tmp_path / "link")
    assert reader.excludes("build/out.py")
    assert not reader.excludes("src/shop.py")
    assert reader.read("src/shop.py") == b"shop"


def test_what_cannot_be_read(tmp_path: Path) -> None:
    write(tmp_path, {"small.py": "1", "large.py": "1" * 100})
    reader, _ = make(tmp_path, max_file_bytes=10)
    assert reader.read("small.py") == b"1"
    with pytest.raises(UnreadableFileError):
        reader.read("large.py")
    with pytest.raises(FileNotFoundError):
        reader.read("gone.py")
    with pytest.raises(FileNotFoundError):
        reader.read("small.py/below.py")
