"""Git in a stranger's repository: nothing of it runs, with each git that this machine has."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from changed_repository import change_of
from editahead_evals.data.git_records import recent_records
from editahead_evals.errors import GitError
from editahead_programs import git_command
from editahead_programs.git_command import GitCommand, make_environment
from editahead_workspace.errors import ChangeError
from git_repository import commit, git, make_repository, write
from hostile_repository import find_gits, lose_objects, make_trap, set_config, use_git, version_of

GITS = find_gits()

HOSTILE_URLS = [
    "none::x",
    "::x",
    "never::x",
    "false::x",
    "remote-none::x",
    "trap://x/y",
    "ext::{trap} x",
    "fd::7",
    "ssh://host/x",
    "host:x",
    "git://localhost:1/x",
    "file://{folder}/served",
    "{folder}/served",
    "http://localhost:1/x",
]
NAMES = ("none", "never", "false", "remote-none", "trap", "ext", "file", "user", "")


def hostile_settings(trap: Path, url: str) -> list[tuple[str, str]]:
    """Return settings that run a program where anything at all is fetched from an address."""
    return [
        ("remote.origin.url", url.format(trap=trap, folder=trap.parent)),
        ("remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*"),
        ("remote.origin.uploadpack", str(trap)),
        ("protocol.allow", "always"),
        *((f"protocol.{name}.allow", "always") for name in NAMES if name),
        *((f"alias.remote-{name}", f"!{trap}") for name in NAMES),
        ("alias.fetch", f"!{trap}"),
        ("core.sshCommand", str(trap)),
        ("core.gitProxy", str(trap)),
        ("core.askPass", str(trap)),
        ("core.alternateRefsCommand", str(trap)),
        ("credential.helper", f"!{trap}"),
        ("credential.http://localhost:1.helper", f"!{trap}"),
        ("fetch.bundleURI", f"{trap.parent}/bundle"),
        ("uploadpack.packObjectsHook", str(trap)),
        ("hook.evil.command", str(trap)),
        ("hook.evil.event", "reference-transaction"),
        ("hook.evil.event", "post-index-change"),
    ]


@pytest.fixture(params=GITS, ids=[version_of(program) for program in GITS])
def any_git(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the test run with one of the gits."""
    use_git(request.param, monkeypatch)


@pytest.fixture(params=["as it is", "that fetches"])
def lazy_git(request: pytest.FixtureRequest, any_git: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the test run with a git that fetches what is missing, as those before 2.39.4, 2.43.4 and 2.44.1 do."""
    if request.param == "that fetches":

        def make(root: Path, environment: dict[str, str]) -> dict[str, str]:
            made = make_environment(root, environment)
            del made["GIT_NO_LAZY_FETCH"]
            return made

        monkeypatch.setattr(git_command, "make_environment", make)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "work", {"a.py": "a = 1\n"})


def read_change(root: Path) -> None:
    """Read a change of which a text is missing."""
    with suppress(ChangeError):
        change_of(root)


def read_all(root: Path) -> None:
    """Read all that any part of Editahead reads from a repository, and pass over what cannot be read."""
    readers: list[Callable[[], object]] = [
        lambda: change_of(root),
        lambda: change_of(root, "staged"),
        lambda: change_of(root, base="HEAD~1"),
        lambda: list(recent_records(root)),
        lambda: GitCommand(root).run("status", "--porcelain"),
        lambda: GitCommand(root).run("archive", "HEAD"),
    ]
    for read in readers:
        with suppress(ChangeError, GitError, git_command.GitCommandError):
            read()


@pytest.mark.parametrize("url", HOSTILE_URLS)
def test_a_partial_clone_fetches_nothing(root: Path, tmp_path: Path, url: str, lazy_git: None) -> None:
    trap, mark = make_trap(tmp_path)
    make_repository(tmp_path / "served", {"b.py": "b\n"})
    write(root, {"a.py": "a = 2\n"})
    head = commit(root)
    write(root, {"a.py": "a = 3\n"})
    set_config(root, hostile_settings(trap, url))
    lose_objects(root, [head, git(root, "rev-parse", "HEAD^{tree}")])
    read_change(root)
    assert not mark.exists()


@pytest.mark.parametrize("vcs", ["none", "", "x/y", "/", "../trap.sh", "ext"])
def test_a_remote_with_a_helper_of_its_own(root: Path, tmp_path: Path, vcs: str, lazy_git: None) -> None:
    trap, mark = make_trap(tmp_path)
    (root / "git-remote-x").mkdir()
    (root / "git-remote-x" / "y").symlink_to(trap)
    set_config(root, [*hostile_settings(trap, "x"), ("remote.origin.vcs", vcs)])
    lose_objects(root, [git(root, "rev-parse", "HEAD")])
    read_change(root)
    assert not mark.exists()


def test_what_a_configuration_names_is_not_run(root: Path, tmp_path: Path, any_git: None) -> None:
    trap, mark = make_trap(tmp_path)
    attributes = "*.py filter=evil diff=evil merge=evil\n*.txt filter=a.b diff=evil\n"
    write(root, {".gitattributes": attributes, "b.txt": "t\n"})
    commit(root)
    settings = [
        *((f"core.{key}", str(trap)) for key in ("fsmonitor", "pager", "editor", "sshCommand", "askPass")),
        *((f"{key}.external", str(trap)) for key in ("diff",)),
        *((f"diff.evil.{key}", str(trap)) for key in ("command", "textconv")),
        *((f"filter.evil.{key}", str(trap)) for key in ("clean", "smudge", "process")),
        *((f"filter.a.b.{key}", str(trap)) for key in ("clean", "smudge", "process")),
        *((f"pager.{key}", str(trap)) for key in ("log", "status", "diff-index", "config")),
        *((f"alias.{key}", f"!{trap}") for key in ("log", "status", "cat-file", "rev-parse", "config")),
        ("filter.evil.required", "true"),
        ("gpg.program", str(trap)),
        ("gpg.ssh.program", str(trap)),
        ("log.showSignature", "true"),
        ("diff.submodule", "log"),
        ("merge.evil.driver", str(trap)),
        ("tar.tar.command", str(trap)),
        ("hook.evil.command", str(trap)),
        ("hook.evil.event", "post-index-change"),
        ("core.hooksPath", str(tmp_path / "hooks")),
        ("include.path", str(tmp_path / "included")),
    ]
    set_config(root, settings)
    (tmp_path / "included").write_text(f'[filter "late"]\n\tclean = {trap}\n[core]\n\tfsmonitor = {trap}\n')
    for folder in (tmp_path / "hooks", root / ".git" / "hooks"):
        folder.mkdir(exist_ok=True)
        for name in ("post-index-change", "reference-transaction", "pre-auto-gc", "fsmonitor-watchman"):
            (folder / name).unlink(missing_ok=True)
            (folder / name).symlink_to(trap)
    write(
        root,
        {
            "a.py": "a = 2\n",
            "n.py": "n\n",
            "b.txt": "u\n",
            ".gitattributes": attributes + "*.md filter=late\n",
        },
    )
    os.utime(root / "b.txt", (1, 1))
    read_all(root)
    assert not mark.exists()


def test_a_submodule_runs_nothing(root: Path, tmp_path: Path, any_git: None) -> None:
    trap, mark = make_trap(tmp_path)
    inner = make_repository(root / "inner", {"b.py": "b\n", ".gitattributes": "* filter=evil\n"})
    (root / ".gitmodules").write_text(
        '[submodule "inner"]\n\tpath = inner\n\turl = ./inner\n\tignore = none\n'
    )
    commit(root)
    write(inner, {"b.py": "c\n"})
    set_config(inner, [("core.fsmonitor", str(trap)), ("filter.evil.clean", str(trap))])
    set_config(
        root, [("status.submoduleSummary", "true"), ("submodule.recurse", "true"), ("diff.submodule", "diff")]
    )
    read_all(root)
    assert not mark.exists()


def test_the_environment_of_git_is_not_kept(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, any_git: None
) -> None:
    trap, mark = make_trap(tmp_path)
    for name in ("GIT_EXTERNAL_DIFF", "GIT_SSH_COMMAND", "GIT_PROXY_COMMAND", "GIT_ASKPASS", "GIT_PAGER"):
        monkeypatch.setenv(name, str(trap))
    monkeypatch.setenv("GIT_CONFIG_PARAMETERS", f"'core.fsmonitor={trap}'")
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.fsmonitor")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", str(trap))
    monkeypatch.setenv("GIT_ALLOW_PROTOCOL", "none:ext")
    monkeypatch.setenv("GIT_DIR", str(tmp_path))
    made = make_environment(root, os.environ)
    assert not {name for name in made if name.startswith("GIT_")} - {
        *("GIT_NO_LAZY_FETCH", "GIT_ALLOW_PROTOCOL", "GIT_TERMINAL_PROMPT"),
        *("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"),
    }
    GitCommand(root).run("status", "--porcelain")
    assert not mark.exists()


def test_no_protocol_can_be_named(root: Path) -> None:
    names = {make_environment(root, {})["GIT_ALLOW_PROTOCOL"] for _ in range(9)}
    assert len(names) == 9 and all(len(name) == 32 and name.isalnum() for name in names)


def test_a_section_that_cannot_be_switched_off_is_refused(root: Path) -> None:
    set_config(root, [("filter.a=b.clean", "x")])
    with pytest.raises(git_command.GitCommandError, match="filter that cannot be switched off"):
        GitCommand(root)


@pytest.mark.parametrize("section", ["filter", "hook", "protocol"])
def test_more_names_than_a_person_has_are_refused(root: Path, section: str) -> None:
    """Git takes 33 s for 3,000 names, and no command line holds 60,000."""

    def configure(numbers: range) -> None:
        with (root / ".git/config").open("a") as config:
            config.writelines(f'[{section} "f{number}"]\n\tx = y\n' for number in numbers)

    most = git_command.MAX_NAMES
    configure(range(most - 1))
    GitCommand(root)
    configure(range(most, most + 2))
    with pytest.raises(git_command.GitCommandError, match=f"more than {most} names of a {section}"):
        GitCommand(root)


def test_only_known_commands_are_run(root: Path) -> None:
    with pytest.raises(KeyError):
        GitCommand(root).run("fetch", "origin")


@pytest.mark.parametrize("inside", [True, False])
def test_a_git_file_leads_to_a_folder_that_is_checked(
    root: Path, tmp_path: Path, inside: bool, any_git: None
) -> None:
    trap, mark = make_trap(tmp_path)
    other = make_repository((root if inside else tmp_path) / "other", {"b.py": "b\n"})
    set_config(other, [("core.fsmonitor", str(trap)), ("core.worktree", str(tmp_path))])
    linked = root / "linked"
    linked.mkdir()
    (linked / ".git").write_text(f"gitdir: {other / '.git'}\n")
    assert GitCommand(linked).run("ls-files") == b"b.py\n"
    assert not mark.exists()


def test_a_repository_around_does_not_count(root: Path, any_git: None) -> None:
    (root / "sub" / ".git").mkdir(parents=True)
    (root / "elsewhere").mkdir()
    with pytest.raises(git_command.GitCommandError, match="not a git repository"):
        GitCommand(root / "sub")
    with pytest.raises(git_command.GitCommandError, match="not a git repository"):
        GitCommand(root / "elsewhere")


def test_a_repository_without_a_working_tree(tmp_path: Path, any_git: None) -> None:
    make_repository(tmp_path / "work", {"a.py": "a\n"})
    set_config(tmp_path / "work", [("core.bare", "true")])
    (tmp_path / "work" / ".git").rename(tmp_path / "bare.git")
    assert GitCommand(tmp_path / "bare.git").run("ls-tree", "--name-only", "HEAD") == b"a.py\n"
