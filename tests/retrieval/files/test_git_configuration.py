"""The configuration of git: read as git reads it, and from all places that it reads."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from editahead_retrieval.files import git_configuration
from editahead_retrieval.files.git_configuration import (
    MAX_FILES,
    keep_variables,
    parse_configuration,
    read_configuration,
)

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is the judge")


def read(text: str) -> list[tuple[str, str | None]]:
    return list(parse_configuration(text))


@needs_git
@pytest.mark.parametrize(
    "text",
    [
        "[core]\n\tx = a b  \t\n",
        '[core] x = "a " ; b\n',
        "[a][core]x=1",
        "# a \\\n[core]\nx = 1\n",
        "[core]\nx = a \\\n  b # c \\\ny = 2\n",
        "\ufeff[CORE]\r\nX-y = a\\\r\nb\r\n",
        '[core "a\\"]b"]\n x = 1\n[core]\n y = "#;" z # w\n',
        "[core]\nx\ny =\n z = \\\\ \\t \\n \\\" '\n",
        '[core]\nx = a "b  c" d" "\n',
    ],
)
def test_values_are_git_s(text: str, tmp_path: Path) -> None:
    (tmp_path / "config").write_text(text, "utf-8", newline="")
    command = ["git", "config", "-z", "--list", "--file", str(tmp_path / "config")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    theirs = [entry.partition("\n")[::2] for entry in done.stdout.split("\0") if entry]
    ours = [(key, value or "") for key, value in read(text)]
    assert ours == [(key.replace('a"]b', "*"), value) for key, value in theirs]


def test_what_git_rejects_hides_nothing_behind_it() -> None:
    for broken in ("[core", "=x", '[a "b]', 'x = "y', "\0", "[ ]", '[core]\nz = "', "x = \\q"):
        assert ("core.y", "1") in read(f"{broken}\n[core]\ny = 1\n")


@pytest.mark.parametrize(
    "text", ["[" + " " * 200_000 + "x", '[a "' * 50_000, 'a = "\\\n' * 50_000, "a" * 300_000, "[a]" * 100_000]
)
def test_reading_takes_linear_time(text: str) -> None:
    """With a step back for each character, each of these takes minutes: this test then hangs."""
    read(text)


def test_includes_have_a_limit_that_excludes(tmp_path: Path) -> None:
    environment = {"HOME": str(tmp_path), "GIT_CONFIG_NOSYSTEM": "1", "PATH": ""}
    for number in range(MAX_FILES + 5):
        (tmp_path / f"{number}").write_text(f"[include]\npath = {number + 1}\n")
    assert read_configuration([tmp_path / "0"], tmp_path, environment).problem
    (tmp_path / "3").write_text("")
    assert not read_configuration([tmp_path / "0"], tmp_path, environment).problem


def test_a_configuration_that_is_too_large_excludes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(git_configuration, "MAX_FILE_BYTES", 100)
    (tmp_path / "a").write_text("#" * 101)
    found = read_configuration([tmp_path / "a"], tmp_path, {"HOME": str(tmp_path), "PATH": ""})
    assert "larger than" in found.problem


@pytest.mark.skipif(os.name != "posix", reason="links")
def test_an_include_beside_a_link_and_beside_what_it_leads_to(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "config").write_text("[include]\npath = more\n")
    (tmp_path / ".gitconfig").symlink_to("real/config")
    for folder in (tmp_path, tmp_path / "real"):
        (folder / "more").write_text(f"[core]\nexcludesFile = {folder}/ig\n")
    found = read_configuration([], tmp_path, {"HOME": str(tmp_path), "PATH": ""})
    assert set(found.excludes_files) == {tmp_path / "ig", tmp_path / "real" / "ig"}


def test_a_child_gets_what_says_what_is_ignored_and_no_key() -> None:
    environment = {
        "HOME": "/h",
        "SECRET": "x",
        "XDG_CONFIG_HOME": "/x",
        "GIT_CONFIG_GLOBAL": "/g",
        "GIT_CONFIG_COUNT": "3",
        "GIT_CONFIG_KEY_0": "http.extraHeader",
        "GIT_CONFIG_VALUE_0": "Authorization: secret",
        "GIT_CONFIG_KEY_1": "Core.ExcludesFile",
        "GIT_CONFIG_VALUE_1": "~/ig",
        "GIT_CONFIG_KEY_2": "include.path",
        "GIT_CONFIG_VALUE_2": "/more",
        "GIT_CONFIG_PARAMETERS": "'core.ignorecase' 'user.password=x' 'core.excludesfile'='it'\\''s'",
    }
    kept = keep_variables(environment)
    assert "ecret" not in str(kept) and "password" not in str(kept)
    first, second = (
        read_configuration([], Path("/"), {**each, "PATH": "", "HOME": "/h"}) for each in (environment, kept)
    )
    assert first == second
    assert first.ignores_case and {Path("it's"), Path("/h/ig")} == set(first.excludes_files)
