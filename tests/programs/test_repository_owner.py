"""Whose repository it may be, as git defines it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from changed_repository import change_of
from editahead_evals.data.git_records import recent_records
from editahead_evals.errors import GitError
from editahead_programs.git_command import GitCommand, GitCommandError
from editahead_workspace.errors import ChangeError
from git_repository import make_repository
from hostile_repository import find_gits, set_config, use_git, version_of

GITS = [git for git in find_gits() if tuple(map(int, version_of(git).split(".")[:2])) >= (2, 30)]
OTHER = 4711
"""The number of another user."""

pytestmark = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files to another user"
)


@pytest.fixture(params=GITS, ids=[version_of(program) for program in GITS], autouse=True)
def home(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let the test run with one of the gits, and return a home without a configuration."""
    use_git(request.param, monkeypatch)
    for name in ("SUDO_UID", "XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "work", {"a.py": "a = 1\n"})


def give(path: Path, user: int = OTHER) -> None:
    """Give a path, and all that is in it, to a user."""
    for each in (path, *path.rglob("*")):
        os.chown(each, user, -1, follow_symlinks=False)


def is_taken(root: Path) -> bool:
    try:
        return bool(GitCommand(root).run("ls-files"))
    except GitCommandError as error:
        assert "another user's" in str(error) and "safe.directory" in str(error)
        return False


def trust(home: Path, *folders: str) -> None:
    lines = "".join(f"\tdirectory = {folder}\n" for folder in folders)
    (home / ".gitconfig").write_text(f"[safe]\n{lines}")


def test_a_neighbours_repository_is_not_taken(root: Path) -> None:
    assert is_taken(root)
    give(root)
    assert not is_taken(root)
    with pytest.raises(ChangeError, match="another user's"):
        change_of(root)
    with pytest.raises(GitError, match="another user's"):
        list(recent_records(root))


@pytest.mark.parametrize("part", [".git", "."])
def test_the_folder_and_the_repository_count(root: Path, part: str) -> None:
    os.chown(root / part, OTHER, -1)
    assert not is_taken(root)


def test_a_repository_above_the_own_folder(tmp_path: Path, root: Path) -> None:
    """As `/tmp/.git` of a neighbour, above a folder of one's own."""
    own = root / "own"
    own.mkdir()
    give(root / ".git")
    with pytest.raises(GitError, match="another user's"):
        list(recent_records(own))


@pytest.mark.parametrize("theirs", ["file", "folder", "neither"])
def test_a_git_file(tmp_path: Path, root: Path, theirs: str) -> None:
    linked = tmp_path / "linked"
    linked.mkdir()
    (linked / ".git").write_text(f"gitdir: {root / '.git'}\n")
    if theirs == "file":
        os.chown(linked / ".git", OTHER, -1)
    elif theirs == "folder":
        give(root / ".git")
    assert is_taken(linked) == (theirs == "neither")


def test_a_linked_folder(tmp_path: Path, root: Path) -> None:
    (tmp_path / "link").symlink_to(root)
    assert is_taken(tmp_path / "link")
    give(root)
    assert not is_taken(tmp_path / "link")


def test_the_user_names_the_folder(root: Path, home: Path) -> None:
    give(root)
    trust(home, str(root))
    assert is_taken(root)
    trust(home, str(root.parent))
    assert not is_taken(root)
    trust(home, "*")
    assert is_taken(root)
    trust(home, "*", "")
    assert not is_taken(root), "an empty value empties the list"


def test_the_user_names_all_below_a_folder(root: Path, home: Path) -> None:
    give(root)
    trust(home, f"{root.parent}/*")
    version = tuple(map(int, os.environ["PYTEST_CURRENT_TEST"].split("[")[1].split("]")[0].split(".")[:2]))
    assert is_taken(root) == (version >= (2, 46)), "git takes it from 2.46 on"
    trust(home, f"{root.parent}/wor*")
    assert not is_taken(root)


def test_another_configuration_of_the_user(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    give(root)
    (tmp_path / "own.config").write_text(f"[safe]\n\tdirectory = {root}\n")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "xdg"))
    assert not is_taken(root)
    (tmp_path / "xdg" / "git").mkdir(parents=True)
    (tmp_path / "own.config").rename(tmp_path / "xdg" / "git" / "config")
    assert is_taken(root)


def test_the_repository_cannot_name_itself(root: Path) -> None:
    set_config(root, [("safe.directory", "*"), ("safe.directory", str(root)), ("safe.bareRepository", "all")])
    give(root)
    assert not is_taken(root)


def test_the_environment_cannot_name_it(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What another git leaves in the environment of a hook is no configuration of the user."""
    give(root)
    monkeypatch.setenv("GIT_CONFIG_PARAMETERS", "'safe.directory=*'")
    assert not is_taken(root)


def test_root_by_sudo_takes_the_repositories_of_both(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUDO_UID", str(OTHER))
    assert is_taken(root)
    give(root)
    assert is_taken(root)
    monkeypatch.setenv("SUDO_UID", str(OTHER + 1))
    assert not is_taken(root)
