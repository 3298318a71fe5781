"""What `apply --write` writes only with `--yes`, and the MCP server not at all: what other programs run or obey."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from command_line import CommandLine
from editahead_cli.agent_tools.workspace_tools import ToolRefusedError, WorkspaceTools
from editahead_inference.apply.review.file_names import FILES, FOLDERS
from git_repository import git, make_repository, write

NEW = [
    *("sub/HEAD", "HEAD", "sub/head", "sub/Head.", ".hg/hgrc", "sub/.hg/hgrc", ".pylintrc", ".luarc.json"),
    *(".eslintrc.js", "web/eslint.config.mjs", "CLAUDE.md", "docs/AGENTS.md", "Claude.MD", ".cursorrules"),
    *(".windsurf/rules/a.md", ".roo/rules.md", ".pdbrc", ".Rprofile", "tests/conftest.py", "package.json"),
    *(
        ".github/workflows/ci.yml",
        ".vscode/tasks.json",
        ".envrc",
        ".pre-commit-config.yaml",
        ".husky/pre-commit",
    ),
    *("setup.py", "pyproject.toml", ".clinerules/a.md", ".aider.conf.yml", "sub/.gdbinit", "x.pth"),
]
ORDINARY = [
    *("a.py", "src/config.py", "src/config", "heads.txt", "docs/claude.py", "Makefile", "src/objects/a.py"),
    *("refs/a.txt", "src/hooks/use.ts", "package.py", "conftest.md", "tests/test_conftest.py", "README.md"),
]


@pytest.fixture
def root(work: Path) -> Path:
    return make_repository(work, {"a.txt": "a\n"})


Apply = Callable[..., int]


@pytest.fixture
def apply(editahead: CommandLine) -> Apply:
    """Return a function that applies a sketch and returns the exit code."""
    return lambda sketch, *options: editahead.run("apply", "--write", *options, stdin=sketch)[0]


def addition(path: str, text: str = "x = 1") -> str:
    return f"*** Begin Patch\n*** Add File: {path}\n+{text}\n*** End Patch\n"


def change(path: str, old: str, new: str) -> str:
    return f"*** Begin Patch\n*** Update File: {path}\n@@\n-{old}\n+{new}\n*** End Patch\n"


@pytest.mark.parametrize("path", ["sub/HEAD", "sub/Head.", ".hg/hgrc", "CLAUDE.md", "tests/conftest.py"])
def test_a_new_file_needs_a_yes(root: Path, path: str, apply: Apply, editahead: CommandLine) -> None:
    code, _, err = editahead.run("apply", "--write", stdin=addition(path))
    assert code == 1 and "--yes" in err
    assert not (root / path).exists()
    if not path.endswith("."):
        assert apply(addition(path), "--yes") == 0
        assert (root / path).read_text() == "x = 1\n"


def test_an_agent_has_no_yes(root: Path) -> None:
    for path in NEW:
        with pytest.raises(ToolRefusedError, match="a person must write it"):
            apply_as_agent(root, addition(path))
        assert not (root / path).exists()
    write(root, {"CLAUDE.md": "old\n"})
    with pytest.raises(ToolRefusedError, match="a person must write it"):
        apply_as_agent(root, change("CLAUDE.md", "old", "new"))
    apply_as_agent(root, addition("src/config"))
    assert (root / "src" / "config").exists()


def apply_as_agent(root: Path, sketch: str) -> None:
    WorkspaceTools(root).apply_sketch(lambda: None, lambda *progress: None, sketch=sketch, write=True)


def test_ordinary_files_need_none(root: Path, apply: Apply) -> None:
    for path in ORDINARY:
        assert apply(addition(path)) == 0
        assert (root / path).exists()


@pytest.mark.parametrize("path", [".pylintrc", "CLAUDE.md", ".github/workflows/ci.yml", ".hg/hgrc"])
def test_a_change_of_what_is_there_needs_a_yes(root: Path, path: str, apply: Apply) -> None:
    write(root, {path: "old\n"})
    assert apply(change(path, "old", "new")) == 1
    assert (root / path).read_text() == "old\n"
    assert apply(change(path, "old", "new"), "--yes") == 0


@pytest.mark.parametrize("path", ["tests/conftest.py", "setup.py", "pyproject.toml"])
def test_the_code_of_the_project_is_changed_without(root: Path, path: str, apply: Apply) -> None:
    write(root, {path: "old = 1\n"})
    assert apply(change(path, "old = 1", "new = 1")) == 0


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ('  "version": "1"', '  "version": "2"', 0),
        ('  "scripts": {"test": "jest"},', '  "scripts": {"test": "jest", "postinstall": "x"},', 1),
        ('  "version": "1"', '  "version": "1", "gypfile": true', 1),
        ('  "version": "1"', '  "version": "1"}', 1),
    ],
)
def test_scripts_of_a_package(root: Path, old: str, new: str, code: int, apply: Apply) -> None:
    write(root, {"web/package.json": '{\n  "scripts": {"test": "jest"},\n  "version": "1"\n}\n'})
    assert apply(change("web/package.json", old, new)) == code


@pytest.mark.parametrize(
    "path", ["config", "hooks/post-checkout", "objects/info/alternates", "refs/heads/main", "Config"]
)
def test_what_lies_beside_a_head_needs_a_yes(root: Path, path: str, apply: Apply) -> None:
    git(root, "init", "-q", "--bare", "fixtures/repo")
    (root / "fixtures" / "repo" / "config").unlink()
    assert apply(addition(f"fixtures/repo/{path}")) == 1
    (root / "other").symlink_to(root / "fixtures" / "repo")
    assert apply(addition(f"other/{path}")) == 1
    assert not (root / "fixtures" / "repo" / path).exists()


def test_a_whole_repository_needs_a_yes(root: Path, apply: Apply) -> None:
    """In a sketch of several files, and by a move."""
    files = {"HEAD": "ref: refs/heads/main", "config": "[core]", "objects/x": "x", "refs/x": "x"}
    parts = "".join(f"*** Add File: sub/{path}\n+{text}\n" for path, text in files.items())
    assert apply(f"*** Begin Patch\n{parts}*** End Patch\n") == 1
    assert not (root / "sub").exists()
    move = "*** Begin Patch\n*** Update File: a.txt\n*** Move to: sub/HEAD\n@@\n-a\n+ref: refs/heads/main\n*** End Patch\n"
    assert apply(move) == 1
    assert (root / "a.txt").exists() and not (root / "sub").exists()


def test_links_lead_past_no_rule(root: Path, apply: Apply) -> None:
    (root / ".vscode").mkdir()
    (root / "innocent").symlink_to(".vscode")
    assert apply(addition("innocent/tasks.json")) == 1
    assert not any((root / ".vscode").iterdir())
    write(root, {"CLAUDE.md": "old\n"})
    (root / "notes.md").symlink_to("CLAUDE.md")
    assert apply(change("notes.md", "old", "new")) == 1
    assert (root / "CLAUDE.md").read_text() == "old\n"


def test_each_row_has_its_reason_and_folded_names() -> None:
    for row in (*FOLDERS, *FILES):
        assert len(row.reason) > 10 and row.names == row.names.casefold() and row.names.split()
    names = [name for row in FILES for name in row.names.split()]
    assert len(names) == len(set(names))
