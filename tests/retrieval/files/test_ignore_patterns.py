"""Patterns of ignore files: as git matches them, and in linear time."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from editahead_retrieval.files import ignore_patterns
from editahead_retrieval.files.ignore_patterns import MAX_LINES, MAX_PATTERN_CHARS, IgnorePatterns

PIECES = st.sampled_from(
    ["a", "b", "ab", ".", "*", "**", "/", "**/", "/**/", "?", "[ab]", "[!a]", "[a-b]", "\\*", "\\ ", "!"]
)
PATTERN = st.lists(PIECES, min_size=1, max_size=7).map("".join)
NAME = st.text("ab*. ", min_size=1, max_size=3).filter(lambda name: name.strip(".") != "")
PATHS = st.lists(st.lists(NAME, min_size=1, max_size=4).map("/".join), min_size=1, max_size=20, unique=True)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("repository")
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    return folder


def ignored_by_git(folder: Path, lines: Sequence[str], paths: Sequence[str]) -> set[str]:
    (folder / ".gitignore").write_text("\n".join(lines) + "\n")
    command = ["git", "-C", str(folder), "check-ignore", "--no-index", "--stdin", "-z"]
    done = subprocess.run(command, input="\0".join(paths) + "\0", capture_output=True, text=True, check=False)
    return set(filter(None, done.stdout.split("\0")))


def ancestors(path: str) -> Iterator[tuple[str, bool]]:
    parts = path.split("/")
    for depth in range(1, len(parts) + 1):
        yield "/".join(parts[:depth]), depth < len(parts)


def ignored_by_us(lines: Sequence[str], paths: Sequence[str]) -> set[str]:
    patterns = IgnorePatterns.from_text("\n".join(lines) + "\n")
    return {p for p in paths if any(patterns.decide(part, is_folder=f) for part, f in ancestors(p))}


@pytest.mark.slow
@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines=st.lists(PATTERN, min_size=1, max_size=3), paths=PATHS)
def test_the_decisions_are_git_s(repository: Path, lines: list[str], paths: list[str]) -> None:
    assert ignored_by_us(lines, paths) == ignored_by_git(repository, lines, paths)


@pytest.mark.parametrize(
    "lines",
    [
        ["# comment", "\\#a", "", "   "],
        ["a  ", "b\\ ", "c\\  "],
        ["\ufeffa", "b\r"],
        ["[[:digit:]]", "[[:alpha:]b]c"],
        ["[", "a[", "b\\", "[]a]", "[]", "[!]]", "[^a]x", "[a", "[[:none:]]"],
        ["[b-a]", "[a-]", "[--a]", "[\\]]", "[a\\-b]x"],
        ["a**/b", "x/**", "**/y", "/**/z", "*q", "r/**/s/**/t"],
        ["*", "!*/", "!*.py"],
        ["/a/", "!/a/b", "c/d/"],
    ],
)
def test_special_lines(repository: Path, lines: list[str]) -> None:
    names = [*"abc1x]-[", "ab", "bc", "ax", "b ", "c ", "#a", "a-", "-x", "a[", "b\\", "ay"]
    deep = ["a/b", "ab/b", "x/y", "x/y/z", "z", "s/q", "r/s/t", "r/1/s/2/t", "c/d/e", "c/d", "a.py", "x/a.py"]
    assert ignored_by_us(lines, names + deep) == ignored_by_git(repository, lines, names + deep)


@pytest.mark.parametrize(
    "pattern",
    ["*a*a*a*a*b", "*a" * 40 + "*b", "**/" + "a*" * 40 + "/x", "[ab]*" * 40 + "c", "**/a*b/" * 15 + "c"],
)
@pytest.mark.parametrize("path", ["a" * 4000, "/".join(["a" * 50] * 70), "/".join(["aab"] * 900)])
def test_a_match_gives_nothing_back(pattern: str, path: str) -> None:
    """Without atomic groups, each of these takes minutes at least: this test then hangs."""
    assert IgnorePatterns([pattern]).decide(path, is_folder=False) is None


def test_stars_are_in_atomic_groups() -> None:
    for pattern in ("*a*b*c", "x/*a*b*/**/c*d*/e"):
        regex = ignore_patterns._to_regex(ignore_patterns._parse(pattern))
        assert re.sub(r"\(\?>", "", regex).count("*") and regex.count("(?>") >= 2


def test_patterns_beyond_the_limits_only_exclude() -> None:
    for pattern in ("x" * (MAX_PATTERN_CHARS + 1), "*a" * 51):
        assert IgnorePatterns([pattern]).decide("b", is_folder=False) is True
        assert IgnorePatterns([f"!{pattern}"]).decide("b", is_folder=False) is None
    long = IgnorePatterns.from_text("!*\n" * (MAX_LINES + 1))
    assert long.is_too_long
    assert long.decide("b", is_folder=False) is True


def test_the_time_is_checked() -> None:
    class LateError(Exception):
        pass

    def check() -> None:
        raise LateError

    with pytest.raises(LateError):
        IgnorePatterns(["a"] * 100).decide("b", is_folder=False, check=check)
