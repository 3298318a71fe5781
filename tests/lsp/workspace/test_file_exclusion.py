"""Excluded files: patterns, git-ignored files, and names that suggest secrets."""

from __future__ import annotations

from pathlib import Path

import pytest

from editahead_lsp.workspace import uris
from editahead_lsp.workspace.file_exclusion import FileExclusion


@pytest.mark.parametrize(
    ("name", "secret"),
    [
        (".env", True),
        ("sub/.env.local", True),
        (".env.example", False),
        ("server.PEM", True),
        ("id_rsa", True),
        (".ssh/config", True),
        ("key.py", False),
        ("environment.py", False),
        ("monkey.ts", False),
    ],
)
def test_names_of_secrets(tmp_path: Path, name: str, secret: bool) -> None:
    for exclusion in (FileExclusion(), FileExclusion([tmp_path])):
        assert (exclusion.exclusion_reason(uris.path_to_uri(tmp_path / name)) is not None) == secret


def test_globs_are_relative_to_the_folder(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    exclusion = FileExclusion([one, other], ["/generated/", "*.min.js"])
    assert exclusion.exclusion_reason(uris.path_to_uri(one / "generated" / "a.py"))
    assert exclusion.exclusion_reason(uris.path_to_uri(other / "deep" / "a.min.js"))
    assert not exclusion.exclusion_reason(uris.path_to_uri(one / "src" / "generated" / "a.py"))
    assert not exclusion.exclusion_reason("untitled:generated/a.py")


def test_ignore_files_as_git_reads_them(tmp_path: Path) -> None:
    (tmp_path / "sub" / "build").mkdir(parents=True)
    (tmp_path / ".gitignore").write_text("*.log\nbuild/\n", "utf-8")
    (tmp_path / "sub" / ".gitignore").write_text("!keep.log\n", "utf-8")
    (tmp_path / "sub" / "build" / ".gitignore").write_text("!*\n", "utf-8")
    exclusion = FileExclusion([tmp_path])

    def ignored(name: str) -> bool:
        return exclusion.exclusion_reason(uris.path_to_uri(tmp_path / name)) is not None

    assert ignored("a.log")
    assert ignored("sub/a.log")
    assert not ignored("sub/keep.log")
    assert ignored("sub/build/a.py"), "nothing below an ignored folder can be taken back"
    assert not ignored("sub/a.py")
    assert ignored(".git/COMMIT_EDITMSG")


def test_broken_patterns_and_missing_folders_count_as_none(tmp_path: Path) -> None:
    exclusion = FileExclusion([tmp_path / "missing"], ["a[", "!", ""])
    assert exclusion.exclusion_reason(uris.path_to_uri(tmp_path / "missing" / "a.py")) is None
    assert exclusion.exclusion_reason("file:///a%00b") is None
