"""The change between two folders, and files that moved."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from changed_repository import as_values, texts_of
from editahead_retrieval.files.ignore_patterns import IgnorePatterns
from editahead_workspace.changes.folder_change import read_folder_change
from editahead_workspace.changes.renames import find_renames
from editahead_workspace.errors import ChangeError
from git_repository import write


def test_folders(tmp_path: Path) -> None:
    before, root = tmp_path / "before", tmp_path / "work"
    same = {"same.py": "s\n", "sub/same.py": "s\n", "moved.py": "one\ntwo\nthree\n", "own.py": "1\n"}
    write(before, {**same, "a.py": "a = 1\n", "gone.py": "g\n", ".env": "1"})
    write(root, {**same, "a.py": "a = 2\n", "new.py": "n\n", ".env": "2", "own.py": "2\n"})
    (root / "moved.py").rename(root / "sub" / "moved.py")
    change = read_folder_change(before, texts_of(root), IgnorePatterns(("own.*",)))
    assert as_values(change, root) == [
        ("a.py", "a = 1\n", "a.py", "a = 2\n"),
        ("gone.py", "g\n", "", None),
        ("", None, "new.py", "n\n"),
        ("moved.py", "one\ntwo\nthree\n", "sub/moved.py", "one\ntwo\nthree\n"),
    ]


@pytest.mark.parametrize("place", [".", "inner", "..", "missing"])
def test_a_folder_that_cannot_be_compared(tmp_path: Path, place: str) -> None:
    write(tmp_path / "work", {"inner/a.py": "a\n"})
    with pytest.raises(ChangeError, match="folder"):
        read_folder_change(tmp_path / "work" / place, texts_of(tmp_path / "work"), IgnorePatterns(()))


texts = st.dictionaries(
    st.sampled_from(["a/x.py", "b/x.py", "y.py", "z.py"]),
    st.lists(st.sampled_from(["def f():", "    return 1", "", "x = 2"]), max_size=5).map("\n".join),
)


@given(texts, texts)
def test_renames_are_one_to_one_and_of_like_files(deleted: dict[str, str], added: dict[str, str]) -> None:
    renames = find_renames(deleted, added)
    assert renames.keys() <= deleted.keys() and set(renames.values()) <= added.keys()
    assert len(set(renames.values())) == len(renames)
    for old, new in renames.items():
        assert {line.strip() for line in deleted[old].split("\n")} & {
            line.strip() for line in added[new].split("\n")
        }
    for text in {text for text in deleted.values() if text.strip()} & set(added.values()):
        paths = [path for path in deleted if deleted[path] == text]
        assert any(path in renames for path in paths)


def test_the_likest_file_is_the_moved_one() -> None:
    text = "".join(f"line {number}\n" for number in range(10))
    other = text.replace("line 1\n", "").replace("line 2\n", "")
    added = {"p.py": other, "q.py": text.replace("line 1\n", ""), "unlike.py": "x\n" * 10}
    assert find_renames({"a.py": text}, added) == {"a.py": "q.py"}
    assert find_renames({"sub/p.py": text}, {"q.py": text, "p.py": text}) == {"sub/p.py": "p.py"}
    assert find_renames({"a.py": " \n"}, {"b.py": " \n"}) == {}
