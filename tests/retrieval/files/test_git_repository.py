"""What git ignores beyond the workspace's own ignore files, against git itself; and configurations that run nothing."""

from __future__ import annotations

import getpass
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from editahead_retrieval.files.exclusion_rules import ExclusionRules
from editahead_retrieval.files.git_repository import open_repository
from editahead_retrieval.files.ignore_patterns import IgnorePatterns
from git_repository import git
from ignore_trees import find_prefix


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Set a home folder of this test, for git and for us."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.delenv("GIT_CONFIG_GLOBAL", raising=False)
    return home


@pytest.fixture
def repository(tmp_path: Path, home: Path) -> Path:
    root = tmp_path / "repo"
    (root / "app" / "src").mkdir(parents=True)
    git(root, "init", "-q")
    return root


def ignored(workspace: Path, path: Path) -> bool:
    return ExclusionRules([workspace], IgnorePatterns(())).reason(path) is not None


def same_as_git(root: Path, workspace: Path, *names: str) -> list[str]:
    """Return the names that are ignored, after comparing with git."""
    found = [name for name in names if ignored(workspace, workspace / name)]
    asked = subprocess.run(
        ["git", "check-ignore", "--no-index", *names],
        cwd=workspace,
        capture_output=True,
        text=True,
        check=False,
    )
    assert asked.stdout.split() == found
    return found


def test_ignore_files_of_the_folders_above(repository: Path) -> None:
    workspace = repository / "app"
    (repository / ".gitignore").write_text("*.log\n/app/private/\nnotes.txt\n", "utf-8")
    (workspace / ".gitignore").write_text("!notes.txt\n", "utf-8")
    names = ("a.log", "src/a.log", "private/x.py", "notes.txt", "a.py")
    assert same_as_git(repository, workspace, *names) == ["a.log", "src/a.log", "private/x.py"]
    rules = ExclusionRules([workspace], IgnorePatterns(()))
    assert rules.excludes_entry(workspace, "private", is_folder=True)
    assert not rules.excludes_entry(workspace, "src", is_folder=True)


def test_a_workspace_inside_an_ignored_folder(repository: Path) -> None:
    (repository / ".gitignore").write_text("/app/\n", "utf-8")
    workspace = repository / "app" / "src"
    assert same_as_git(repository, workspace, "a.py") == ["a.py"]
    assert ExclusionRules([workspace], IgnorePatterns(())).excludes_entry(workspace, "a.py", is_folder=False)


def test_info_exclude_and_excludes_file(repository: Path, home: Path) -> None:
    (repository / ".git" / "info").mkdir(exist_ok=True)
    (repository / ".git" / "info" / "exclude").write_text("mine.py\n!kept.tmp\n", "utf-8")
    (home / ".gitconfig").write_text('[core]\n\texcludesFile = "~/ig nore" ; comment\n', "utf-8")
    (home / "ig nore").write_text("*.tmp\n*.swp\n", "utf-8")
    (repository / "app" / ".gitignore").write_text("!kept.swp\n", "utf-8")
    names = ("mine.py", "a.tmp", "kept.tmp", "src/a.swp", "kept.swp", "a.py")
    assert same_as_git(repository, repository / "app", *names) == ["mine.py", "a.tmp", "src/a.swp"]


@pytest.mark.parametrize("place", [".config/git/ignore", "xdg/git/ignore"])
def test_the_default_excludes_file(
    repository: Path, home: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    if place.startswith("xdg"):
        monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "xdg"))
    (home / place).parent.mkdir(parents=True)
    (home / place).write_text("*.mine\n", "utf-8")
    assert same_as_git(repository, repository, "a.mine", "a.py") == ["a.mine"]


def test_an_included_configuration(repository: Path, home: Path) -> None:
    (home / ".gitconfig").write_text("[include]\n\tpath = more\n", "utf-8")
    (home / "more").write_text(f"[core]\nexcludesfile = {home / 'ig'}\n", "utf-8")
    (home / "ig").write_text("*.mine\n", "utf-8")
    assert same_as_git(repository, repository, "a.mine", "a.py") == ["a.mine"]
    with (home / "more").open("a", encoding="utf-8") as file:
        file.write("[include]\n\tpath = .gitconfig\n")
    assert ignored(repository, repository / "a.mine"), "git does not even start; here a circle ends"


def test_a_worktree_shares_info_exclude(repository: Path, tmp_path: Path) -> None:
    git(repository, "commit", "-q", "--allow-empty", "-m", "a")
    git(repository, "worktree", "add", "-q", str(tmp_path / "tree"))
    (repository / ".git" / "info").mkdir(exist_ok=True)
    (repository / ".git" / "info" / "exclude").write_text("mine.py\n", "utf-8")
    assert same_as_git(tmp_path / "tree", tmp_path / "tree", "mine.py", "a.py") == ["mine.py"]


def test_a_repository_inside_the_workspace(repository: Path) -> None:
    inner = repository / "app" / "inner"
    inner.mkdir()
    git(inner, "init", "-q")
    (inner / ".git" / "info").mkdir(exist_ok=True)
    (inner / ".git" / "info" / "exclude").write_text("mine.py\n", "utf-8")
    assert ignored(repository, inner / "mine.py") and not ignored(repository, inner / "a.py")


def test_a_file_outside_of_all_workspaces(repository: Path, tmp_path: Path) -> None:
    (repository / ".gitignore").write_text("*.log\n", "utf-8")
    other = tmp_path / "other"
    assert ignored(other, repository / "app" / "a.log") and not ignored(other, repository / "app" / "a.py")


def test_a_link_is_what_it_leads_to(repository: Path, tmp_path: Path) -> None:
    (repository / ".gitignore").write_text("*.log\n/private/\n", "utf-8")
    (repository / "private").mkdir()
    for name in (".env", "a.log", "private/b.py", "open.py"):
        (repository / name).write_text("x", "utf-8")
        (repository / f"to_{Path(name).stem.strip('.')}.py").symlink_to(repository / name)
    (repository / "folder").symlink_to(repository / "private", target_is_directory=True)
    names = ("to_env.py", "to_a.py", "to_b.py", "to_open.py", "folder/b.py")
    assert [ignored(repository, repository / name) for name in names] == [True, True, True, False, True]
    link = tmp_path / "link"
    link.symlink_to(repository, target_is_directory=True)
    assert ignored(link, link / "a.log") and not ignored(link, link / "open.py")


@pytest.mark.parametrize("pointer", ["gitdir: /dev", "gitdir:", "nothing", "gitdir: " + "x/" * 5000])
def test_a_broken_git_file(repository: Path, pointer: str) -> None:
    inner = repository / "app"
    (inner / ".git").write_text(pointer, "utf-8")
    (inner / ".gitignore").write_text("*.log\n", "utf-8")
    assert ignored(inner, inner / "a.log") and not ignored(inner, inner / "a.py")


def test_a_git_file_with_an_impossible_path_excludes(repository: Path) -> None:
    (repository / "app" / ".git").write_text("gitdir: \0", "utf-8")
    assert ignored(repository / "app", repository / "app" / "a.py")


def test_no_command_of_a_configuration_runs(repository: Path, home: Path, tmp_path: Path) -> None:
    proof = tmp_path / "proof"
    hook = f"!touch {proof}"
    config = f'[core]\nfsmonitor = "touch {proof}"\nsshCommand = {hook}\npager = touch {proof}\n[alias]\nx = {hook}\n'
    (repository / ".git" / "config").write_text(config + "[include]\npath = /dev/zero\n", "utf-8")
    assert not ignored(repository, repository / "a.py") and not proof.exists()
    assert open_repository(repository).root == repository


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="a named pipe")
def test_a_pipe_as_a_file_of_git_does_not_wait(repository: Path, home: Path) -> None:
    (repository / ".git" / "info").mkdir(exist_ok=True)
    (repository / ".git" / "info" / "exclude").unlink(missing_ok=True)
    os.mkfifo(repository / ".git" / "info" / "exclude")
    os.mkfifo(home / ".gitconfig")
    assert ignored(repository, repository / "a.py"), "what cannot be read excludes"


@pytest.mark.parametrize(
    "value", ["ig", "./ig", "app/../ig", "~/ig", "~{user}/{from_user}/ig", "%(prefix)/{from_prefix}/ig"]
)
def test_forms_of_excludes_file(repository: Path, home: Path, value: str) -> None:
    user = getpass.getuser()
    value = value.format(
        user=user,
        from_user=os.path.relpath(home, Path(f"~{user}").expanduser()),
        from_prefix=os.path.relpath(home, find_prefix()),
    )
    for place in (home / "ig", repository / "ig"):
        place.write_text("*.mine\n", "utf-8")
    git(repository, "config", "core.excludesFile", value)
    assert same_as_git(repository, repository, "a.mine", "app/b.mine", "a.py") == ["a.mine", "app/b.mine"]


def test_configuration_of_the_environment(
    repository: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "ig").write_text("*.mine\n", "utf-8")
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.excludesFile")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", str(home / "ig"))
    assert same_as_git(repository, repository, "a.mine", "a.py") == ["a.mine"]
    monkeypatch.delenv("GIT_CONFIG_COUNT")
    monkeypatch.setenv("GIT_CONFIG_PARAMETERS", f"'core.excludesFile'='{home / 'ig'}'")
    assert same_as_git(repository, repository, "a.mine", "a.py") == ["a.mine"]


def test_the_system_s_configuration(repository: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "false")
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", str(home / "system"))
    (home / "system").write_text("[core]\nexcludesFile = ~/ig\n", "utf-8")
    (home / "ig").write_text("*.mine\n", "utf-8")
    assert same_as_git(repository, repository, "a.mine", "a.py") == ["a.mine"]


def test_byte_order_marks(repository: Path, home: Path) -> None:
    (home / ".gitconfig").write_text("\ufeff[core]\nexcludesFile = ~/ig\n", "utf-8")
    for place in (home / "ig", repository / ".gitignore", repository / ".git" / "info" / "exclude"):
        place.parent.mkdir(exist_ok=True)
        place.write_text(f"\ufeff{place.name}.x\n", "utf-8")
    names = ("ig.x", ".gitignore.x", "exclude.x", "a.py")
    assert same_as_git(repository, repository, *names) == list(names[:3])


def test_ignored_case(repository: Path) -> None:
    names = ("BUILD", "build", "A.LOG", "b.log", "kept.log", "KEPT.log", "x.md")
    (repository / ".gitignore").write_text("Build\n*.[L]og\n*.log\n!kept.log\n", "utf-8")
    assert same_as_git(repository, repository, *names) == ["b.log", "KEPT.log"]
    git(repository, "config", "core.ignoreCase", "true")
    assert same_as_git(repository, repository, *names[:4]) == ["BUILD", "build", "A.LOG", "b.log"]
    assert not ignored(repository, repository / "kept.log") and not ignored(repository, repository / "x.md")


@pytest.mark.parametrize("kind", ["empty", "garbage", "dangling", "no objects"])
def test_what_is_no_repository_hides_no_rules(repository: Path, kind: str) -> None:
    (repository / ".gitignore").write_text("*.log\n/app/private/\n", "utf-8")
    inner = repository / "app"
    (inner / ".gitignore").write_text("*.tmp\n", "utf-8")
    if kind in ("empty", "no objects"):
        (inner / ".git").mkdir()
        if kind == "no objects":
            (inner / ".git" / "HEAD").write_text("ref: refs/heads/main\n", "utf-8")
    else:
        (inner / ".git").write_text("gitdir: /nowhere\n" if kind == "dangling" else "x", "utf-8")
    for workspace in (inner, repository):
        found = [
            name for name in ("a.log", "private/b.py", "c.tmp", "d.py") if ignored(workspace, inner / name)
        ]
        assert found == ["a.log", "private/b.py", "c.tmp"]


def test_a_repository_inside_has_rules_of_its_own(repository: Path, home: Path) -> None:
    """Nothing around it takes back what it ignores, nor the other way round."""
    inner = repository / "app" / "inner"
    inner.mkdir()
    git(inner, "init", "-q", "--separate-git-dir", str(home / "elsewhere"))
    git(inner, "config", "core.excludesFile", "rules")
    git(inner, "config", "core.ignoreCase", "true")
    (inner / "rules").write_text("*.Mine\n", "utf-8")
    (home / "elsewhere" / "info" / "exclude").write_text("/own.py\n", "utf-8")
    (repository / ".gitignore").write_text("!own.py\n!*.mine\n*.outer\n", "utf-8")
    names = ("own.py", "a.mine", "A.MINE", "b.outer", "c.py")
    assert [ignored(repository, inner / name) for name in names] == [True, True, True, True, False]
    assert same_as_git(inner, inner, *names) == ["own.py", "a.mine", "A.MINE"]


def test_a_working_tree_with_a_configuration_of_its_own(repository: Path, tmp_path: Path) -> None:
    git(repository, "commit", "-q", "--allow-empty", "-m", "a")
    git(repository, "worktree", "add", "-q", str(tmp_path / "tree"))
    git(repository, "config", "extensions.worktreeConfig", "true")
    git(tmp_path / "tree", "config", "--worktree", "core.excludesFile", "rules")
    (tmp_path / "tree" / "rules").write_text("*.mine\n", "utf-8")
    assert same_as_git(tmp_path / "tree", tmp_path / "tree", "a.mine", "a.py") == ["a.mine"]


def test_the_root_that_a_configuration_names(repository: Path) -> None:
    """A repository whose working tree begins further up reads the ignore files there."""
    inner = repository / "app"
    shutil.rmtree(repository / ".git")
    git(inner, "init", "-q")
    git(inner, "config", "core.worktree", "../..")
    (repository / ".gitignore").write_text("/app/*.log\n", "utf-8")
    assert same_as_git(inner, inner, "a.log", "a.py") == ["a.log"]


@pytest.mark.skipif(os.name != "posix", reason="links")
def test_a_linked_ignore_file_takes_nothing_back(repository: Path) -> None:
    (repository / ".gitignore").write_text("*.log\n", "utf-8")
    (repository / "app" / "rules").write_text("!a.log\n*.tmp\n", "utf-8")
    (repository / "app" / ".gitignore").symlink_to("rules")
    for name in ("app/a.log", "app/b.tmp"):  # git before 2.32 follows the link
        assert ignored(repository, repository / name)


def test_bytes_as_git_sees_them(repository: Path) -> None:
    lines = b"?.a\n??.b\n[\xc3]\xa9.c\nx.d\0y\n*.e\n!?.e\n[[:no such class:]].f\n"
    (repository / ".gitignore").write_bytes(lines)
    git(repository, "config", "core.quotePath", "false")
    names = ("é.a", "é.b", "é.c", "x.d", "é.e", ":.f")
    assert same_as_git(repository, repository, *names) == ["é.b", "é.c", "x.d", "é.e"]


def test_composed_names_where_git_composes_them(repository: Path) -> None:
    """macOS gives `é` as two characters, which git joins before it matches."""
    (repository / ".gitignore").write_text("é.log\n!e\u0301.py\n", "utf-8")
    assert ignored(repository, repository / "e\u0301.log") and not ignored(
        repository, repository / "e\u0301.py"
    )
