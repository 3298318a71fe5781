from __future__ import annotations

from pathlib import Path

import pytest

import git_repository
from editahead_evals.data.git_records import recent_records
from editahead_evals.errors import GitError
from git_repository import git, make_repository, write


def commit(repository: Path, subject: str, files: dict[str, str | bytes]) -> None:
    write(repository, files)
    git_repository.commit(repository, subject)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "shop")


def test_recent_changes_become_records_newest_first(repository: Path) -> None:
    commit(repository, "Begin", {"a.py": "a\n", "sub/ü b.ts": "x\n", "notes.txt": "n\n"})
    commit(
        repository,
        "Change | both",
        {"a.py": "b\n", "sub/ü b.ts": "y\n", "notes.txt": "m\n", "new.py": "new\n"},
    )
    commit(repository, "Again", {"a.py": "c\n"})
    records = list(recent_records(repository))
    assert [(r.path, r.language, r.subject, r.before, r.after) for r in records] == [
        ("a.py", "python", "Again", "b\n", "c\n"),
        ("a.py", "python", "Change | both", "a\n", "b\n"),
        ("sub/ü b.ts", "typescript", "Change | both", "x\n", "y\n"),
    ]
    assert records[0].repo == "shop"
    assert records[0].id == f"shop@{records[0].commit[:12]}:a.py"
    assert [r.subject for r in recent_records(repository, commits=1)] == ["Again"]


def test_changes_can_be_had_in_another_order(repository: Path) -> None:
    commit(repository, "Begin", {f"{n}.py": "a\n" for n in range(9)})
    commit(repository, "Change", {f"{n}.py": "b\n" for n in range(9)})
    orders = [[r.path for r in recent_records(repository, shuffle=seed)] for seed in (1, 1, 2)]
    assert orders[0] == orders[1] != orders[2]
    assert sorted(orders[2]) == [r.path for r in recent_records(repository)]


def test_what_is_not_plain_text_or_too_large_is_left_out(repository: Path) -> None:
    names = ["crlf.py", "binary.py", "latin.py", "many.py", "good.py"]
    commit(repository, "Begin", dict.fromkeys(names, "a\n"))
    changed: dict[str, str | bytes] = {
        "crlf.py": "a\r\nb\r\n",
        "binary.py": b"\0\n",
        "latin.py": b"\xe9\n",
        "many.py": "x\n" * 101,
        "good.py": "b\n",
    }
    (repository / "link.py").symlink_to("good.py")
    commit(repository, "Change", changed)
    (repository / "link.py").unlink()
    (repository / "link.py").symlink_to("many.py")
    commit(repository, "Move the link", {})
    assert [r.path for r in recent_records(repository)] == ["good.py"]
    assert {r.path for r in recent_records(repository, max_changed=200)} == {"good.py", "many.py"}


def test_merges_are_left_out(repository: Path) -> None:
    commit(repository, "Begin", {"a.py": "a\n", "b.py": "b\n"})
    git(repository, "checkout", "-b", "side")
    commit(repository, "Side", {"a.py": "A\n"})
    git(repository, "checkout", "main")
    commit(repository, "Main", {"b.py": "B\n"})
    git(repository, "merge", "--no-edit", "side")
    assert {r.subject for r in recent_records(repository)} == {"Side", "Main"}


def test_what_cannot_be_read_is_said(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(GitError, match="no commits yet"):
        list(recent_records(repository))
    with pytest.raises(GitError, match="missing"):
        list(recent_records(tmp_path / "missing"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(GitError, match="git is not installed"):
        list(recent_records(repository))


def test_the_repositorys_configuration_runs_nothing(repository: Path) -> None:
    commit(repository, "Begin", {"a.py": "a\n"})
    commit(repository, "Change", {"a.py": "b\n", ".gitattributes": "*.py diff=trap\n"})
    trap = repository / "trapped"
    for key in (
        "core.fsmonitor",
        "diff.external",
        "diff.trap.textconv",
        "diff.trap.command",
        "gpg.program",
        "core.pager",
    ):
        git(repository, "config", key, f"touch {trap}; true")
    git(repository, "config", "log.showSignature", "true")
    assert len(list(recent_records(repository))) == 1
    assert not trap.exists()
