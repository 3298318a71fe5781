"""The identity of files: one file by several names."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from editahead_retrieval.files.exclusion_rules import ExclusionRules
from editahead_retrieval.files.file_identity import (
    KnownFiles,
    distinct_folders,
    is_same_file,
    path_from_folder,
)
from editahead_retrieval.files.ignore_patterns import IgnorePatterns

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs links")


@pytest.fixture
def real(tmp_path: Path) -> Path:
    (tmp_path / "real" / "src").mkdir(parents=True)
    (tmp_path / "real" / "src" / "a.py").write_text("a\n")
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "other").symlink_to(tmp_path / "link")
    return tmp_path / "real"


def test_a_path_from_a_folder_is_the_same_by_all_names(real: Path) -> None:
    names = [real, real.parent / "link", real.parent / "other"]
    for folder in names:
        for name in names:
            assert path_from_folder(name / "src" / "a.py", folder) == Path("src/a.py")
            assert path_from_folder(name / "src" / "missing.py", folder) == Path("src/missing.py")
            assert path_from_folder(name, folder) == Path()
        assert path_from_folder(real.parent / "real2" / "a.py", folder) is None
        assert path_from_folder(real.parent, folder) is None


def test_a_file_is_found_by_its_links(real: Path) -> None:
    (real / "b.py").symlink_to(real / "src" / "a.py")
    (real / "src" / "same.py").hardlink_to(real / "src" / "a.py")
    (real / "src" / "copy.py").write_text("a\n")
    opened = real.parent / "link" / "src" / "a.py"
    known = KnownFiles([opened, real / "src" / "new.py"])
    for name in ("src/a.py", "b.py", "src/same.py"):
        assert known.find(real / name) == opened
        assert known.find(real.parent / "other" / name) == opened
    assert known.find(real / "src" / "copy.py") is None
    assert known.find(real.parent / "link" / "src" / "new.py") == real / "src" / "new.py"


def test_a_name_that_is_free_again_is_another_file(real: Path) -> None:
    one, two = real / "src" / "a.py", real / "src" / "two.py"
    two.hardlink_to(one)
    known = KnownFiles([one])
    two.unlink()
    two.write_text("two\n")
    assert known.find(two) is None


def test_folders_with_two_names_are_there_once(real: Path) -> None:
    link = real.parent / "link"
    assert distinct_folders([link, real, real / "src", link / "src"]) == (link, real / "src")


def test_letter_case_counts_where_the_file_system_says_so(real: Path) -> None:
    upper = Path(str(real).replace("real", "REAL"))
    is_same = upper.exists()
    assert is_same_file(real / "src", upper / "src") is is_same
    assert (KnownFiles([real / "src"]).find(upper / "src") is not None) is is_same
    assert (path_from_folder(upper / "src", real) is not None) is is_same


@pytest.mark.parametrize("excluded", ["src/*.py", "/src", "a.py"])
def test_exclusions_hold_by_all_names(real: Path, excluded: str) -> None:
    names = [real, real.parent / "link", real.parent / "other"]
    for folder in names:
        rules = ExclusionRules([folder], IgnorePatterns((excluded,)))
        for name in names:
            assert rules.reason(name / "src" / "a.py") is not None
            assert rules.reason(name / "b.py") is None
