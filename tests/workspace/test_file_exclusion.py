"""Excluded files: patterns, git-ignored files, and names that suggest secrets."""

from __future__ import annotations

import itertools
import os
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from editahead_retrieval.files import exclusion_rules
from editahead_retrieval.files.bounded_files import MAX_BYTES
from editahead_retrieval.files.exclusion_rules import DEADLINE_S, ExclusionRules
from editahead_retrieval.files.ignore_patterns import MAX_LINES, IgnorePatterns
from editahead_workspace import file_exclusion, uris
from editahead_workspace.file_exclusion import MAX_THREADS, FileExclusion


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


def reason(folder: Path, name: str, **options: Any) -> str | None:
    return FileExclusion([folder], **options).exclusion_reason(uris.path_to_uri(folder / name))


@pytest.mark.parametrize("kind", ["pipe", "device", "outside", "large", "folder", "lines"])
def test_an_ignore_file_that_cannot_be_read_excludes_everything_below(tmp_path: Path, kind: str) -> None:
    folder = tmp_path / "work"
    (folder / "sub").mkdir(parents=True)
    path = folder / "sub" / ".gitignore"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "large":
        path.write_bytes(b"\n" * (MAX_BYTES + 1))
    elif kind == "lines":
        path.write_text("a\n" * (MAX_LINES + 1))
    else:
        (tmp_path / "patterns").write_text("*.log\n")
        path.symlink_to("/dev/zero" if kind == "device" else "../../patterns")
    found = reason(folder, "sub/a.py")
    assert found is not None and str(path) in found
    assert reason(folder, "a.py") is None


@pytest.mark.parametrize("on_thread", [False, True])
def test_patterns_that_take_too_long_exclude(tmp_path: Path, on_thread: bool) -> None:
    (tmp_path / ".gitignore").write_text("a\n" * 1000)
    times = itertools.count(0.0, DEADLINE_S / 2)
    found = reason(tmp_path, "a.py", on_thread=on_thread, clock=lambda: next(times))
    assert found is not None and "longer than" in found


def test_a_path_that_no_system_opens_is_excluded(tmp_path: Path) -> None:
    assert reason(tmp_path, "a/" * 3000) is not None


def test_an_error_on_the_thread_excludes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: object, path: Path) -> None:
        raise RuntimeError

    monkeypatch.setattr(ExclusionRules, "reason", fail)
    assert reason(tmp_path, "a.py", on_thread=True) is not None


class Held:
    """An ignore file that does not answer until `go` is set."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.go = threading.Event()
        self.asked = 0
        monkeypatch.setattr(exclusion_rules, "read_patterns", self._read)
        monkeypatch.setattr(file_exclusion, "MAX_WAIT_S", 0.0)

    def _read(self, path: Path, root: Path) -> IgnorePatterns:
        self.asked += 1
        assert self.go.wait(60)
        return IgnorePatterns(["*.log"])


def test_a_late_answer_excludes_until_it_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    held = Held(monkeypatch)
    exclusion = FileExclusion([tmp_path], on_thread=True)
    uri = uris.path_to_uri(tmp_path / "a.py")
    assert exclusion.exclusion_reason(uri) is not None
    monkeypatch.setattr(file_exclusion, "MAX_WAIT_S", 3_600)  # nothing waits for the same answer again
    assert exclusion.exclusion_reason(uri) is not None
    assert exclusion.is_late(uri)
    held.go.set()
    while exclusion.exclusion_reason(uri) is not None:
        time.sleep(0)
    assert not exclusion.is_late(uri)
    assert held.asked == 1


def test_late_answers_keep_few_threads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    held = Held(monkeypatch)
    exclusion = FileExclusion([tmp_path], on_thread=True)
    for number in range(50):
        assert exclusion.exclusion_reason(uris.path_to_uri(tmp_path / f"{number}.py")) is not None
    assert held.asked <= MAX_THREADS + 1
    held.go.set()
