"""Names for git's own files, in all their spellings."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_prompts.text.file_names import fold_name, is_git_folder
from history_typist import PROPERTY

GIT = [
    *(
        ".git",
        ".GIT",
        ".Git",
        "git~1",
        "GIT~1",
        ".git ",
        ".git.",
        ".git . .",
        ".git::$INDEX_ALLOCATION",
        ".git:x",
    ),
    *(".g\u200cit", "\ufeff.git", ".git\u200d", ".\u202egit", ".gi\u206at", "a\\.git\\x", "x\\git~1"),
]
OTHERS = [
    ".gitignore",
    ".github",
    "git",
    "a.git",
    ".gitx",
    "git~",
    ".",
    "..",
    "x:.git",
    "git~1x",
    "agit~1",
    ".it",
]


@pytest.mark.parametrize("name", GIT)
def test_git_s_own_names(name: str) -> None:
    assert is_git_folder(name)


@pytest.mark.parametrize("name", OTHERS)
def test_other_names(name: str) -> None:
    assert not is_git_folder(name)


def test_what_git_rejects_is_rejected(tmp_path: Path) -> None:
    git = ["git", "-c", "core.protectHFS=true", "-c", "core.protectNTFS=true"]
    environment = os.environ | {"GIT_CONFIG_NOSYSTEM": "1", "HOME": str(tmp_path)}
    subprocess.run([*git, "init", "-q", str(tmp_path)], check=True, env=environment)
    entry = f"100644,{'1' * 40}"
    for name in GIT:
        command = [*git, "-C", str(tmp_path), "update-index", "--add", "--cacheinfo", f"{entry},d/{name}/x"]
        done = subprocess.run(command, env=environment, capture_output=True, check=False)
        assert done.returncode != 0, name


@pytest.mark.slow
@PROPERTY
@given(
    st.lists(st.tuples(st.sampled_from(".git"), st.text("\u200b\u200c\u200e\u2060\ufeff\u202d", max_size=2)))
)
def test_ignored_characters_change_nothing(chars: list[tuple[str, str]]) -> None:
    plain = "".join(char for char, _ in chars)
    assert is_git_folder("".join(char + ignored for char, ignored in chars)) == is_git_folder(plain)


@PROPERTY
@given(st.text(max_size=12))
def test_folding_is_stable(name: str) -> None:
    assert fold_name(fold_name(name)) == fold_name(name)
