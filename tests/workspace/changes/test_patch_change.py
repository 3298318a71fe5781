"""The change in a patch, before and after it is applied."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from changed_repository import as_values, change_of, texts_of
from editahead_workspace.changes.patch_change import read_patch_change
from editahead_workspace.errors import ChangeError
from git_repository import commit, git, make_repository, write

CODE = "def load(path):\n    return open(path).read()\n\n\ndef save(path, text):\n    open(path, 'w').write(text)\n"
OTHER = "".join(f"row {number}\n" for number in range(12))
FILES = {"io.py": CODE, "rows.txt": OTHER, "old/name.py": "x = 1\ny = 2\nz = 3\n", "gone.py": "g = 1\n"}


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    return make_repository(tmp_path / "work", FILES)


def make_edits(root: Path) -> None:
    write(
        root, {"io.py": CODE.replace("path", "file"), "rows.txt": OTHER.replace("row 7\n", "row 7\nmore\n")}
    )
    write(root, {"new.py": "n = 1\n", "old/name.py": "x = 1\ny = 2\nz = 4\n"})
    (root / "old" / "name.py").rename(root / "name.py")
    git(root, "add", "-A")


@pytest.mark.parametrize("context", ["-U0", "-U1", "-U3"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_both_sides_are_the_same_change(root: Path, context: str, line_end: str) -> None:
    for name, text in FILES.items():
        (root / name).write_text(text, newline=line_end)
    commit(root)
    make_edits(root)
    for name in ("io.py", "rows.txt", "new.py", "name.py"):
        text = (root / name).read_text()
        (root / name).write_text(text, newline=line_end)
    git(root, "add", "-A")
    patch = subprocess.run(
        ["git", "diff", "--cached", "-M30", context], cwd=root, check=True, capture_output=True
    ).stdout.decode()
    patch = patch.replace("\r\n", "\n")
    expected = sorted(as_values(change_of(root), root))
    applied = read_patch_change(patch, texts_of(root))
    assert applied.is_on_disk and applied.source == "the patch, which is applied"
    assert sorted(as_values(applied, root)) == expected
    git(root, "reset", "-q", "--hard")
    pending = read_patch_change(patch, texts_of(root))
    assert not pending.is_on_disk and pending.source == "the patch, as if it were applied"
    found = [(*file[:3], file[3] and file[3].replace("\r\n", "\n")) for file in as_values(pending, root)]
    assert sorted(found) == [(*file[:3], file[3] and file[3].replace("\r\n", "\n")) for file in expected]


def test_a_deleted_file(root: Path) -> None:
    (root / "gone.py").unlink()
    write(root, {"io.py": CODE.replace("path", "file")})
    patch = git(root, "diff") + "\n"
    change = read_patch_change(patch, texts_of(root))
    assert [file[0] for file in as_values(change, root)] == ["io.py"]
    assert [file.path for file in change.left_out] == ["gone.py"]
    git(root, "checkout", "-q", ".")
    change = read_patch_change(patch, texts_of(root))
    assert ("gone.py", "g = 1\n", "", None) in as_values(change, root)


def test_wrong_numbers_do_not_matter(root: Path) -> None:
    patch = "--- a/rows.txt\n+++ b/rows.txt\n@@ -90,2 +90,2 @@\n row 3\n-row 4\n+line 4\n"
    pending = read_patch_change(patch, texts_of(root))
    assert as_values(pending, root)[0][3] == OTHER.replace("row 4", "line 4")
    write(root, {"rows.txt": OTHER.replace("row 4", "line 4")})
    applied = read_patch_change(patch, texts_of(root))
    assert applied.is_on_disk and as_values(applied, root)[0][1] == OTHER


def test_an_added_line_that_is_there_twice(root: Path) -> None:
    patch = "--- a/rows.txt\n+++ b/rows.txt\n@@ -2,0 +3 @@\n+row 1\n"
    assert not read_patch_change(patch, texts_of(root)).is_on_disk
    write(root, {"rows.txt": OTHER.replace("row 1\n", "row 1\nrow 1\n")})
    change = read_patch_change(patch, texts_of(root))
    assert change.is_on_disk and as_values(change, root)[0][1] == OTHER


@pytest.mark.parametrize(
    ("patch", "reason"),
    [
        ("", "cannot be read"),
        ("Please rename it.\n", "cannot be read"),
        ("```python\ndef load(file): ...\n```\n", "no diff"),
        ("--- a/io.py\n+++ b/io.py\n@@ -1 +1 @@\n-nothing like it\n+at all\n", "does not fit"),
        ("--- a/none.py\n+++ b/none.py\n@@ -1 +1 @@\n-x\n+y\n", "There is no file none[.]py"),
        ("--- a/../x.py\n+++ b/../x.py\n@@ -1 +1 @@\n-x\n+y\n", "outside"),
        ("--- /etc/passwd\n+++ /etc/passwd\n@@ -1 +1 @@\n-x\n+y\n", "outside"),
        ("--- /dev/null\n+++ b/io.py\n@@ -0,0 +1 @@\n+y\n", "exists already"),
    ],
)
def test_what_is_refused(root: Path, patch: str, reason: str) -> None:
    with pytest.raises(ChangeError, match=reason):
        read_patch_change(patch, texts_of(root))


def test_a_patch_that_is_half_applied(root: Path) -> None:
    write(root, {"io.py": CODE.replace("path", "file"), "rows.txt": OTHER.replace("row 3", "line 3")})
    patch = git(root, "diff") + "\n"
    git(root, "checkout", "-q", "rows.txt")
    with pytest.raises(ChangeError, match=r"to io[.]py, but not to rows[.]txt"):
        read_patch_change(patch, texts_of(root))


def test_excluded_files_of_a_patch_are_left_out(root: Path) -> None:
    patch = "--- a/{0}\n+++ b/{0}\n@@ -1 +1 @@\n-K=1\n+K=2\n"
    write(root, {".env": "K=1\n"})
    rest = "--- a/io.py\n+++ b/io.py\n@@ -1 +1 @@\n-def load(path):\n+def load(p):\n"
    change = read_patch_change(patch.format(".env") + patch.format(".git/config") + rest, texts_of(root))
    assert [file.path for file in change.left_out] == [".env", ".git/config"]
    assert [file[0] for file in as_values(change, root)] == ["io.py"]


ROWS = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "d\n", "e\n"]), min_size=3, max_size=12).map("".join)


@pytest.mark.slow
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ROWS, ROWS)
def test_a_patch_of_any_texts_is_never_misread(root: Path, old: str, new: str) -> None:
    """A side is never taken for the other one, whatever repeats in the file."""
    write(root, {"rows.txt": old})
    commit(root)
    write(root, {"rows.txt": new})
    patch = git(root, "diff", "-U3")
    if old == new:
        return
    for text, is_applied in ((new, True), (old, False)):
        write(root, {"rows.txt": text})
        try:
            change = read_patch_change(patch + "\n", texts_of(root))
        except ChangeError:
            continue
        if change.is_on_disk == is_applied:
            assert as_values(change, root) == [("rows.txt", old, "rows.txt", new)]
