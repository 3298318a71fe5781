"""Names of files that run by themselves, in all their spellings."""

from __future__ import annotations

from pathlib import PurePosixPath

import pytest

from editahead_inference.apply.review.file_names import runs_by_itself


@pytest.mark.parametrize(
    "path",
    [
        *(
            ".vscode/tasks.json",
            "sub/.vscode/x",
            ".github/workflows/ci.yml",
            ".envrc",
            "sub/.envrc",
            ".EnvRC",
        ),
        *(".idea/x.xml", ".husky/pre-commit", ".gitattributes", ".gitmodules", "x.code-workspace", "a.pth"),
        *(
            ".vscode /tasks.json",
            ".VSC\u200bode/tasks.json",
            ".envrc.",
            "VSCODE~1/tasks.json",
            ".envrc::$DATA",
        ),
        *(".devcontainer/devcontainer.json", ".cargo/config.toml", ".mcp.json", ".claude/settings.json"),
    ],
)
def test_files_that_run_by_themselves(path: str) -> None:
    assert runs_by_itself(PurePosixPath(path))


@pytest.mark.parametrize(
    "path", ["a.py", "vscode/tasks.json", "src/github/x", "envrc", "docs/.keep", "", "Makefile"]
)
def test_files_that_do_not(path: str) -> None:
    assert not runs_by_itself(PurePosixPath(path))
