"""The changelog, and the fragments for its next version."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import editahead_lsp

ROOT = Path(__file__).parent.parent
CONFIG = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["towncrier"]
CATEGORIES = [category["directory"] for category in CONFIG["type"]]
FRAGMENTS = sorted(path for path in (ROOT / CONFIG["directory"]).iterdir() if path.name != "README.md")

_NAME = re.compile(rf"(?:\d+|\+[a-z0-9]+(?:-[a-z0-9]+)*)\.(?:{'|'.join(CATEGORIES)})\.md")
_SENTENCE = re.compile(r"[A-Z`](?:(?![.!?]\s).)*\.\n", re.DOTALL)


def problem(name: str, text: str) -> str | None:
    """Return what is wrong with a fragment, or None."""
    if not _NAME.fullmatch(name):
        return f"name it ISSUE.CATEGORY.md or +SLUG.CATEGORY.md; the categories are {', '.join(CATEGORIES)}"
    if not _SENTENCE.fullmatch(text):
        return "write one sentence: a capital letter or code first, a full stop and a line end last"
    return None


@pytest.mark.parametrize("path", FRAGMENTS, ids=lambda path: path.name)
def test_a_fragment_has_a_category_and_one_sentence(path: Path) -> None:
    assert problem(path.name, path.read_text("utf-8")) is None


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("16.added.md", "`make docs` shows the\nnext version's changes in 0.1 s.\n", None),
        ("+next-edit.fixed.md", "Tab stays Tab.\n", None),
        ("16.feature.md", "Tab stays Tab.\n", "name it"),
        ("next-edit.fixed.md", "Tab stays Tab.\n", "name it"),
        ("16.fixed.md", "tab stays Tab.\n", "write one"),
        ("16.fixed.md", "Tab stays Tab. So does Esc.\n", "write one"),
        ("16.fixed.md", "Tab stays Tab\n", "write one"),
        ("16.fixed.md", "", "write one"),
    ],
)
def test_what_is_wrong_with_a_fragment(name: str, text: str, reason: str | None) -> None:
    found = problem(name, text)
    assert found is None if reason is None else found is not None and found.startswith(reason)


def test_the_changelog_knows_the_version() -> None:
    changelog = (ROOT / CONFIG["filename"]).read_text("utf-8")
    released = re.search(rf"^## \[{re.escape(editahead_lsp.__version__)}\]", changelog, re.MULTILINE)
    assert released
    assert changelog.count(CONFIG["start_string"]) == 1


def test_the_next_version_is_built_from_the_fragments(tmp_path: Path) -> None:
    pytest.importorskip("towncrier", reason="towncrier builds the changelog (it comes with the group `dev`)")
    changelog = (ROOT / CONFIG["filename"]).read_text("utf-8")
    (tmp_path / CONFIG["filename"]).write_text(changelog, "utf-8")
    (tmp_path / "pyproject.toml").write_text((ROOT / "pyproject.toml").read_text("utf-8"), "utf-8")
    folder = tmp_path / CONFIG["directory"]
    folder.mkdir()
    for number, category in enumerate(CATEGORIES, 1):
        (folder / f"{number}.{category}.md").write_text(f"The change {number}.\n", "utf-8")
    (folder / "+slug.added.md").write_text("Another one.\n", "utf-8")
    options = ["--version", "9.9.9", "--date", "2030-01-02", "--keep"]
    command = [sys.executable, "-m", "towncrier", "build", *options]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)

    before, after = changelog.split(CONFIG["start_string"])
    built = (tmp_path / CONFIG["filename"]).read_text("utf-8")
    assert built.startswith(before) and built.rstrip().endswith(after.rstrip())
    added = built.removeprefix(before).removesuffix(after.lstrip()).split()
    assert " ".join(added).endswith(
        "## [9.9.9] - 2030-01-02 "
        "### Added - The change 1. (#1) - Another one. "
        "### Changed - The change 2. (#2) "
        "### Fixed - The change 3. (#3) "
        "### Removed - The change 4. (#4)"
    )


def test_the_first_version_is_described_in_sixty_lines() -> None:
    changelog = (ROOT / CONFIG["filename"]).read_text("utf-8")
    (entry,) = re.findall(r"^## \[0\.1\.0\].*?(?=^## |\Z)", changelog, re.MULTILINE | re.DOTALL)
    assert len(entry.splitlines()) <= 60
