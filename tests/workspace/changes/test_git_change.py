"""The change of a git repository, read by the real git."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from changed_repository import MAX_FILE_BYTES, as_values, change_of, texts_of
from editahead_workspace.changes.git_change import read_git_change
from editahead_workspace.changes.git_command import GitCommand
from editahead_workspace.errors import ChangeError
from git_repository import commit, git, make_repository, write

LINES = "".join(f"line {number}\n" for number in range(20))


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.delenv("GIT_INDEX_FILE", raising=False)
    return make_repository(
        tmp_path / "work",
        {"a.py": "a = 1\n", "b.py": "b = 1\n", "sub/c.py": "c = 1\n", ".gitignore": "*.log\n"},
    )


def test_the_working_tree(root: Path) -> None:
    write(root, {"a.py": "a = 2\n", "new ü\n.py": "n = 1\n", "x.log": "no\n"})
    (root / "b.py").unlink()
    change = change_of(root)
    assert change.source == "the working tree against HEAD" and change.is_on_disk
    assert as_values(change, root) == [
        ("a.py", "a = 1\n", "a.py", "a = 2\n"),
        ("b.py", "b = 1\n", "", None),
        ("", None, "new ü\n.py", "n = 1\n"),
    ]


def test_nothing_is_changed_by_a_look(root: Path) -> None:
    write(root, {"a.py": "a = 2\n"})
    before = (root / ".git" / "index").read_bytes()
    os.utime(root / "b.py", (1, 1))
    assert [file[0] for file in as_values(change_of(root), root)] == ["a.py"]
    assert (root / ".git" / "index").read_bytes() == before


def test_what_is_staged(root: Path) -> None:
    write(root, {"a.py": "a = 2\n", "n.py": "n\n"})
    git(root, "add", "a.py")
    write(root, {"a.py": "a = 3\n"})
    change = change_of(root, "staged")
    assert change.source == "what is staged against HEAD"
    assert as_values(change, root) == [("a.py", "a = 1\n", "a.py", "a = 2\n")]
    git(root, "rm", "-q", "--cached", "b.py")
    assert as_values(change_of(root, "staged"), root)[1] == ("b.py", "b = 1\n", "", None)
    assert [file[0] for file in as_values(change_of(root), root)] == ["a.py", ""]


def test_the_index_of_a_hook_is_the_one_that_counts(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(root, {"a.py": "a = 2\n"})
    other = root / ".git" / "other-index"
    other.write_bytes((root / ".git" / "index").read_bytes())
    git(root, "add", "a.py")
    assert len(change_of(root, "staged").files) == 1
    monkeypatch.setenv("GIT_INDEX_FILE", str(other))
    assert change_of(root, "staged").files == ()


def test_a_base_is_where_the_history_left_it(root: Path) -> None:
    git(root, "branch", "topic")
    write(root, {"b.py": "b = 2\n"})
    commit(root)
    git(root, "checkout", "-q", "topic")
    write(root, {"a.py": "a = 2\n"})
    commit(root)
    write(root, {"sub/c.py": "c = 2\n"})
    change = change_of(root, base="main")
    assert change.source == "the working tree against the commit where it left main"
    assert [file[0] for file in as_values(change, root)] == ["a.py", "sub/c.py"]
    git(root, "checkout", "-q", "--orphan", "alone")
    commit(root)
    with pytest.raises(ChangeError, match="no commit in common"):
        change_of(root, base="main")


@pytest.mark.parametrize("name", ["nowhere", "--output=x", "-h", "HEAD:a.py", "main..HEAD", ""])
def test_a_base_that_is_no_commit(root: Path, name: str) -> None:
    with pytest.raises(ChangeError, match="neither a revision"):
        change_of(root, base=name)
    assert not (root / "x").exists()


def test_before_the_first_commit(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    git(tmp_path / "work", "init", "-q")
    write(tmp_path / "work", {"a.py": "a\n"})
    change = change_of(tmp_path / "work")
    assert as_values(change, tmp_path / "work") == [("", None, "a.py", "a\n")]
    with pytest.raises(ChangeError, match="revision"):
        change_of(tmp_path / "work", base="main")


def test_moves(root: Path) -> None:
    write(root, {"long.py": LINES})
    commit(root)
    (root / "long.py").unlink()
    write(root, {"sub/long.py": LINES.replace("line 3", "row 3")})
    assert as_values(change_of(root), root) == [
        ("long.py", LINES, "sub/long.py", LINES.replace("line 3", "row 3"))
    ]
    git(root, "add", "-A")
    assert [file[::2] for file in as_values(change_of(root, "staged"), root)] == [("long.py", "sub/long.py")]


def test_what_does_not_take_part(root: Path, tmp_path: Path) -> None:
    write(
        root, {".env": "KEY=1\n", "large.py": "1\n", "bin.py": "1\n", "tracked.log": "1\n", "own.py": "1\n"}
    )
    git(root, "add", "-f", ".")
    git(root, "commit", "-qm", "more")
    write(
        root,
        {".env": "KEY=2\n", "large.py": "x" * (MAX_FILE_BYTES + 1), "tracked.log": "2\n", "own.py": "2\n"},
    )
    (root / "bin.py").write_bytes(b"\0\1")
    (root / "latin.py").write_bytes(b"\xff")
    (root / "link.py").symlink_to(tmp_path / "outside.py")
    write(tmp_path, {"outside.py": "secret\n"})
    git(root, "init", "-q", "inner")
    write(root, {"inner/a.py": "x\n"})
    change = read_git_change(GitCommand(root), texts_of(root, ["own.*"]))
    assert change.files == ()
    assert {file.path: file.reason for file in change.left_out} == {
        ".env": "The file's name is one of a file with secrets.",
        "bin.py": "The file is not text in UTF-8.",
        "large.py": f"The file cannot be read: larger than {MAX_FILE_BYTES} bytes.",
        "latin.py": "The file is not text in UTF-8.",
        "link.py": "The file cannot be read: the link leads out of the workspace.",
        "own.py": "The setting `exclude` matches the file.",
        "tracked.log": "A `.gitignore` file excludes the file.",
    }


def test_a_folder_that_became_a_link_leads_nowhere(root: Path, tmp_path: Path) -> None:
    write(tmp_path / "outside", {"c.py": "secret\n"})
    (root / "sub" / "c.py").unlink()
    (root / "sub").rmdir()
    (root / "sub").symlink_to(tmp_path / "outside")
    assert "secret" not in str(change_of(root).files)


def test_conflicts_are_left_out(root: Path) -> None:
    git(root, "checkout", "-qb", "topic")
    write(root, {"a.py": "a = 2\n"})
    commit(root)
    git(root, "checkout", "-q", "main")
    write(root, {"a.py": "a = 3\n"})
    commit(root)
    with pytest.raises(Exception, match="merge"):
        git(root, "merge", "topic")
    change = change_of(root)
    assert change.files == () and [file.reason for file in change.left_out] == ["The file has a conflict."]


def test_line_ends_that_git_converts(root: Path) -> None:
    git(root, "config", "core.autocrlf", "true")
    (root / "a.py").write_bytes(b"a = 1\r\nb = 2\r\n")
    (root / "b.py").write_bytes(b"b = 1\r\n")
    assert as_values(change_of(root), root) == [("a.py", "a = 1\r\n", "a.py", "a = 1\r\nb = 2\r\n")]


@pytest.mark.slow
def test_a_repository_runs_nothing(root: Path, tmp_path: Path) -> None:
    trap = tmp_path / "trap.sh"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\ncat\n")
    trap.chmod(0o755)
    write(root, {".gitattributes": "*.py filter=evil diff=evil\n*.txt filter=other\n", "b.txt": "t\n"})
    commit(root)
    for key in (
        *("core.fsmonitor", "core.pager", "core.editor", "core.sshCommand", "core.askPass"),
        *("diff.external", "diff.evil.command", "diff.evil.textconv"),
        *(
            "filter.evil.clean",
            "filter.evil.smudge",
            "filter.evil.process",
            "gpg.program",
            "pager.diff-index",
        ),
    ):
        git(root, "config", key, str(trap))
    git(root, "config", "filter.evil.required", "true")
    git(root, "config", "core.hooksPath", str(tmp_path))
    (tmp_path / "post-index-change").symlink_to(trap)
    write(root, {"a.py": "a = 2\n", "n.py": "n\n", "b.txt": "u\n"})
    os.utime(root / "b.py", (1, 1))
    for change in (change_of(root), change_of(root, "staged"), change_of(root, base="main")):
        assert {file.reason for file in change.left_out} <= {"The filter evil of git converts the file."}
    assert [file[0] for file in as_values(change_of(root), root)] == ["b.txt"]
    assert not (tmp_path / "sprung").exists()


def test_a_work_tree_elsewhere_is_not_read(root: Path, tmp_path: Path) -> None:
    write(tmp_path / "other", {"private.py": "p\n"})
    git(root, "config", "core.worktree", str(tmp_path / "other"))
    assert change_of(root).files == ()


def test_a_linked_worktree(root: Path, tmp_path: Path) -> None:
    git(root, "worktree", "add", "-q", str(tmp_path / "linked"))
    write(tmp_path / "linked", {"a.py": "a = 2\n"})
    assert len(change_of(tmp_path / "linked").files) == 1 and change_of(root).files == ()


def test_git_of_the_workspace_is_not_run(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "git").write_text("#!/bin/sh\n")
    (root / "git").chmod(0o755)
    monkeypatch.setenv("PATH", str(root))
    with pytest.raises(ChangeError, match="not installed"):
        GitCommand(root)


def test_cancellation_ends_git(root: Path) -> None:
    class StoppedError(Exception):
        pass

    def stop() -> None:
        raise StoppedError

    with pytest.raises(StoppedError):
        GitCommand(root, stop)


def test_a_damaged_repository(root: Path) -> None:
    (root / ".git" / "HEAD").write_text("rubbish")
    with pytest.raises(ChangeError, match="git: "):
        change_of(root)
