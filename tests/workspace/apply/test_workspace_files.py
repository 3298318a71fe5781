"""The files that a sketch may change."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from editahead_inference.errors import ApplyRefusedError
from editahead_prompts.text.snapshot import Snapshot
from editahead_workspace import uris
from editahead_workspace.apply.workspace_files import WorkspaceFiles
from editahead_workspace.file_exclusion import FileExclusion

TEXT = "x = 1\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    (folder / "lib").mkdir(parents=True)
    (folder / "a.py").write_text(TEXT)
    (folder / "lib" / "b.py").write_text("y = 1\n")
    (tmp_path / "outside.py").write_text("secret\n")
    return folder


def files(
    *folders: Path, uri: str | None = None, opened: dict[str, str] | None = None, max_bytes: int = 1000
) -> WorkspaceFiles:
    documents = {uris.canonical_key(u): Snapshot.from_text(text, uri=u) for u, text in (opened or {}).items()}
    return WorkspaceFiles(folders, documents, FileExclusion(folders, ["*.skip"]), max_bytes, uri)


def reason(found: WorkspaceFiles, path: str | None, *, new: bool = False) -> str:
    with pytest.raises(ApplyRefusedError) as caught:
        found.create(path or "") if new else found.resolve(path)
    assert caught.value.refusal.detail
    return caught.value.refusal.reason


def text(found: WorkspaceFiles, path: str | None) -> str | None:
    snapshot = found.resolve(path)
    return None if snapshot is None else snapshot.text


def test_paths_lead_to_files(folder: Path) -> None:
    found = files(folder)
    assert text(found, "a.py") == TEXT
    assert text(found, "./lib/../a.py") == TEXT
    assert text(found, str(folder / "a.py")) == TEXT
    assert text(found, "lib/b.py") == "y = 1\n"
    assert text(found, "b.py") is None
    assert text(found, None) is None
    snapshot = found.resolve("a.py")
    assert snapshot is not None
    assert (snapshot.uri, snapshot.language) == ((folder / "a.py").as_uri(), "python")


def test_paths_from_where_one_is(folder: Path) -> None:
    found = files(folder, uri=(folder / "lib" / "b.py").as_uri())
    assert text(found, None) == "y = 1\n"
    assert text(found, "b.py") == "y = 1\n"
    assert text(found, "../a.py") == TEXT
    (folder / "lib" / "a.py").write_text("another\n")
    assert reason(found, "a.py") == "ambiguous"


def test_a_path_that_leads_nowhere_may_mean_the_file_one_is_in(folder: Path) -> None:
    found = files(folder, uri=(folder / "lib" / "b.py").as_uri())
    assert text(found, "src/lib/b.py") == "y = 1\n"
    assert text(found, "src/lib/c.py") is None


def test_open_documents_are_as_the_client_has_them(folder: Path) -> None:
    a, fresh = (folder / "a.py").as_uri(), (folder / "fresh.py").as_uri()
    found = files(folder, opened={a: "open\n", fresh: "not saved\n"})
    assert text(found, "a.py") == "open\n"
    assert text(found, "fresh.py") == "not saved\n"
    assert text(files(uri="untitled:1", opened={"untitled:1": "x\n"}), None) == "x\n"
    assert reason(files(folder, uri="untitled:1"), None) == "unplaced"


def test_nothing_outside_of_the_workspace(folder: Path) -> None:
    outside = folder.parent / "outside.py"
    found = files(folder)
    for path in ("../outside.py", str(outside), "/etc/passwd", "lib/../../outside.py", "../nowhere.py"):
        assert reason(found, path) == "outside-workspace"
        assert reason(found, path, new=True) == "outside-workspace"
    assert reason(files(folder, uri=outside.as_uri()), None) == "outside-workspace"
    opened = files(folder, uri=outside.as_uri(), opened={outside.as_uri(): "open\n"})
    assert reason(opened, None) == "outside-workspace"
    assert text(files(uri=outside.as_uri(), opened={outside.as_uri(): "open\n"}), None) == "open\n"
    assert reason(files(uri=outside.as_uri()), None) == "outside-workspace"


def test_links_lead_where_they_lead(folder: Path) -> None:
    (folder / "link.py").symlink_to(folder.parent / "outside.py")
    (folder / "dir").symlink_to(folder.parent)
    (folder / "inner.py").symlink_to("a.py")
    found = files(folder)
    assert reason(found, "link.py") == "outside-workspace"
    assert reason(found, "dir/outside.py") == "outside-workspace"
    assert reason(found, "dir/new.py", new=True) == "outside-workspace"
    assert text(found, "inner.py") == TEXT
    link = (folder / "link.py").as_uri()
    assert reason(files(folder, uri=link, opened={link: "x\n"}), None) == "outside-workspace"


def test_what_is_left_alone(folder: Path) -> None:
    (folder / ".gitignore").write_text("ignored.py\n")
    for name in ("ignored.py", "named.skip", ".env"):
        (folder / name).write_text("x\n")
    (folder / "plain.py").symlink_to(".env")
    found = files(folder)
    for name in ("ignored.py", "named.skip", ".env", "plain.py"):
        assert reason(found, name) == "outside-workspace"
    for name in ("new.skip", ".git/hooks/pre-commit"):
        assert reason(found, name, new=True) == "outside-workspace"
    ignored = (folder / "ignored.py").as_uri()
    assert text(files(folder, uri=ignored, opened={ignored: "open\n"}), None) == "open\n"


def test_what_is_left_alone_behind_links(folder: Path) -> None:
    (folder / ".git" / "hooks").mkdir(parents=True)
    (folder / "hooks").symlink_to(".git/hooks")
    linked = folder.parent / "linked"
    linked.symlink_to(folder)
    for root in (folder, linked):
        assert reason(files(root), "hooks/pre-commit", new=True) == "outside-workspace"
        assert text(files(root), "a.py") == TEXT


def test_what_is_no_text(folder: Path) -> None:
    (folder / "latin.py").write_bytes(b"# \xe9\n")
    (folder / "binary.py").write_bytes(b"a\0b")
    os.mkfifo(folder / "pipe.py")
    found = files(folder)
    for name in ("latin.py", "binary.py", "pipe.py", "lib"):
        assert reason(found, name) == "unparsed"
    (folder / "gone.py").symlink_to("nowhere")
    assert reason(found, "gone.py") == "unplaced"
    assert reason(found, "a\0b") == reason(found, "") == "unplaced"


def test_what_is_too_large(folder: Path) -> None:
    uri = (folder / "a.py").as_uri()
    assert reason(files(folder, max_bytes=5), "a.py") == "too-large"
    assert reason(files(folder, uri=uri, opened={uri: "é" * 3}, max_bytes=5), None) == "too-large"


def test_a_byte_order_mark_is_no_text(folder: Path) -> None:
    (folder / "a.py").write_bytes(b"\xef\xbb\xbfx = 1\r\n")
    found = files(folder)
    assert text(found, "a.py") == "x = 1\r\n"
    assert found.with_bom == {(folder / "a.py").as_uri()}


def test_files_that_are_made(folder: Path) -> None:
    made = files(folder).create("deep/er/c.rs")
    assert (made.uri, made.language, made.text) == ((folder / "deep/er/c.rs").as_uri(), "rust", "")
    assert reason(files(folder), "a.py", new=True) == "would-lose-code"
    (folder / "gone").symlink_to("nowhere")
    assert reason(files(folder), "gone", new=True) == "would-lose-code"
    assert reason(files(), "c.py", new=True) == "outside-workspace"


def test_the_same_path_in_two_folders(folder: Path) -> None:
    other = folder.parent / "other"
    other.mkdir()
    assert text(files(other, folder), "a.py") == TEXT
    (other / "a.py").write_text("other\n")
    assert reason(files(other, folder), "a.py") == "ambiguous"
    assert text(files(other, folder), str(other / "a.py")) == "other\n"


@pytest.mark.parametrize("name", [".GIT", "git~1", ".g\u200cit", ".git.", ".git::$INDEX_ALLOCATION"])
def test_names_for_git_s_own_folder(folder: Path, name: str) -> None:
    (folder / name).mkdir()
    (folder / name / "config").write_text("x\n")
    for path in (f"{name}/config", f"lib/../{name}/config", str(folder / name / "config")):
        assert reason(files(folder), path) == "outside-workspace"
    for path in (f"{name}/hooks/pre-commit", f"lib/{name}", f"lib/{name}/x"):
        assert reason(files(folder), path, new=True) == "outside-workspace"


def test_files_that_programs_run_are_flagged(folder: Path) -> None:
    inner = folder / ".claude" / "worktrees"
    inner.mkdir(parents=True)
    assert files(folder).find_flag((folder / ".envrc").as_uri()) is not None
    assert files(folder).find_flag((inner / "a.py").as_uri()) is not None
    assert files(inner).find_flag((inner / "a.py").as_uri()) is None
    assert files(inner).find_flag((inner / ".vscode/tasks.json").as_uri()) is not None
    assert files(folder).find_flag("untitled:1") is None
