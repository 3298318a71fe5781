"""The upkeep of an index: after any changes it says the same as one built anew."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from editahead_retrieval.files import walk
from editahead_retrieval.index.builder import IndexBuilder
from editahead_retrieval.index.reader import IndexReader
from git_repository import write
from history_typist import PROPERTY
from index_workspace import dump, finish, make_builder, update, words_of

TEXTS = ["def alpha(): pass\n", "from a import alpha\nalpha()\n", "class Beta:\n    gamma = 1\n", "", "x\0y"]
PATHS = ["a.py", "sub/b.py", "sub/c.md", "sub/deep/d.py", "log.txt", ".gitignore"]
TERMS = ["alpha", "$beta", "gamma", "import"]
OPERATIONS = st.one_of(
    st.tuples(st.just("write"), st.sampled_from(PATHS[:-1]), st.sampled_from(TEXTS)),
    st.tuples(
        st.just("write"), st.just(".gitignore"), st.sampled_from(["log.txt\n", "deep/\n", "*.py\n", ""])
    ),
    st.tuples(st.just("remove"), st.sampled_from(PATHS), st.just("")),
    st.tuples(st.just("move"), st.sampled_from(PATHS[:-1]), st.sampled_from(PATHS[:-1])),
    st.tuples(st.just("remove-folder"), st.sampled_from(["sub", "sub/deep"]), st.just("")),
    st.tuples(st.just("look"), st.just(""), st.just("")),
    st.tuples(st.just("kill"), st.just(""), st.just("")),
)


def operate(root: Path, operation: str, path: str, other: str) -> list[str]:
    """Do one operation of a person to the files, and return the paths that an editor would report."""
    full = root / path
    if operation == "write":
        write(root, {path: other})
        return [path]
    if operation == "remove":
        full.unlink(missing_ok=True)
        return [path]
    if operation == "remove-folder":
        shutil.rmtree(full, ignore_errors=True)
        return [path]
    if operation == "move" and full.is_file() and path != other:
        (root / other).parent.mkdir(parents=True, exist_ok=True)
        full.replace(root / other)
        return [path, other]
    return []


def look(builder: IndexBuilder) -> None:
    """Answer the need for a look, and do what is to do."""
    while builder.needs_look:
        for _ in builder.look():
            pass
    finish(builder)


@pytest.mark.slow
@settings(PROPERTY, max_examples=60)
@given(st.lists(OPERATIONS, max_size=12), st.booleans(), st.integers(0, 6))
def test_an_updated_index_equals_one_built_anew(
    operations: list[tuple[str, str, str]], reported: bool, steps: int
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root, database = Path(folder) / "work", Path(folder) / "index.sqlite"
        root.mkdir()
        builder = make_builder(root, database, now_ns=lambda: 0)
        look(builder)
        for operation, path, other in operations:
            changed = operate(root, operation, path, other)
            if reported and changed:
                builder.look_at(changed)
            if operation == "look":
                update(builder)
            if operation == "kill":
                for _ in range(steps):
                    builder.work()
                builder.store.close()
                builder = make_builder(root, database, now_ns=lambda: 0)
        if reported:
            look(builder)
        else:
            update(builder)
        anew = Path(folder) / "anew.sqlite"
        other_builder = make_builder(root, anew)
        update(other_builder)
        assert dump(database) == dump(anew)
        assert words_of(database, "names", TERMS) == words_of(anew, "names", TERMS)
        hashes = [
            {path: one.content_hash for path, one in each.known.items()} for each in (builder, other_builder)
        ]
        assert hashes[0] == hashes[1]
        builder.store.close()
        other_builder.store.close()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "work"
    write(root, {"a.py": TEXTS[0], "sub/b.py": TEXTS[1], "c.py": TEXTS[2]})
    return root


@pytest.fixture
def builder(root: Path, tmp_path: Path) -> Iterator[IndexBuilder]:
    builder = make_builder(root, tmp_path / "index.sqlite")
    yield builder
    builder.store.close()


def test_nothing_is_read_again_without_a_change(
    builder: IndexBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    update(builder)
    monkeypatch.setattr("editahead_retrieval.files.walk.read_file_below", None)
    update(builder)


def test_a_switch_of_branches_and_back_computes_nothing_anew(
    root: Path, builder: IndexBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    update(builder)
    write(root, {"a.py": "def other(): pass\n"})
    update(builder)
    monkeypatch.setattr("editahead_retrieval.index.builder.analyze", None)
    write(root, {"a.py": TEXTS[0]})
    (root / "c.py").replace(root / "moved.py")
    update(builder)
    assert builder.known.keys() == {"a.py", "sub/b.py", "moved.py"}


def test_a_time_that_lies_is_found_by_a_look_without_trust(
    root: Path, builder: IndexBuilder, tmp_path: Path
) -> None:
    """A network drive can keep the time of a file that has changed."""
    update(builder)
    before = (root / "a.py").stat()
    write(root, {"a.py": TEXTS[0].replace("alpha", "omega")})
    os.utime(root / "a.py", ns=(before.st_atime_ns, before.st_mtime_ns))
    known = builder.known["a.py"]
    now = (root / "a.py").stat()
    lie = known.stamp._replace(ctime_ns=now.st_ctime_ns)
    builder.known["a.py"] = known._replace(stamp=lie)
    update(builder)
    reader = IndexReader(tmp_path / "index.sqlite")
    assert reader.files_with(["omega"], 5) == []
    update(builder, trust=False)
    assert reader.files_with(["omega"], 5) == ["a.py"]
    reader.close()


def test_a_file_that_was_changed_just_now_is_read_again(root: Path, tmp_path: Path) -> None:
    """Within one tick of the clock, a second change leaves the same time."""
    now = (root / "a.py").stat().st_mtime_ns + 1
    builder = make_builder(root, tmp_path / "index.sqlite", now_ns=lambda: now)
    update(builder)
    assert builder.known["a.py"].stamp.mtime_ns == -1
    builder.now_ns = lambda: now + 10**10
    update(builder)
    assert builder.known["a.py"].stamp.mtime_ns > 0
    builder.store.close()


def test_what_is_written_during_a_look_stays(root: Path, builder: IndexBuilder) -> None:
    update(builder)
    looking = builder.look()
    next(looking)
    write(root, {"new.py": TEXTS[2], "a.py": TEXTS[1]})
    builder.look_at(["new.py", "a.py"])
    builder.work()
    for _ in looking:
        pass
    finish(builder)
    assert builder.known.keys() == {"a.py", "sub/b.py", "c.py", "new.py"}


def test_a_folder_that_cannot_be_listed_keeps_its_files(
    root: Path, builder: IndexBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    update(builder)
    real = walk.scan_without_links

    def opening(path: str) -> object:
        if path.endswith("/sub"):
            raise OSError
        return real(path)

    monkeypatch.setattr(walk, "scan_without_links", opening)
    update(builder)
    assert "sub/b.py" in builder.known


def test_beyond_the_limits_the_oldest_files_are_left_out(root: Path, tmp_path: Path) -> None:
    for number, name in enumerate(["sub/b.py", "a.py", "c.py"], 1):
        os.utime(root / name, (number, number))
    size = sum(len(text) for text in TEXTS[:3])
    for limits in ({"max_files": 2}, {"max_bytes": size - 1}):
        database = tmp_path / f"{len(limits)}{next(iter(limits))}.sqlite"
        builder = make_builder(root, database, **limits)
        update(builder)
        assert builder.is_limited
        assert builder.known.keys() == {"a.py", "c.py"}
        builder.prefer(["sub/"])
        update(builder)
        assert builder.known.keys() == {"sub/b.py", "c.py"}
        builder.store.close()


@pytest.mark.parametrize("reported", [False, True])
def test_a_changed_ignore_file_counts_from_the_next_look(
    root: Path, builder: IndexBuilder, reported: bool
) -> None:
    update(builder)
    write(root, {".gitignore": "sub/\n"})
    if reported:
        builder.look_at([".gitignore"])
        assert builder.needs_look
    update(builder)
    assert builder.known.keys() == {".gitignore", "a.py", "c.py"}
    (root / ".gitignore").unlink()
    update(builder)
    assert builder.known.keys() == {"a.py", "sub/b.py", "c.py"}


def test_files_of_preferred_folders_precede_others(root: Path, builder: IndexBuilder) -> None:
    for _ in builder.look():
        pass
    builder.prefer(["sub/"])
    assert builder._waiting[0].path == "sub/b.py"


def test_a_clock_that_goes_backwards_hides_no_change(root: Path, tmp_path: Path) -> None:
    now = (root / "a.py").stat().st_mtime_ns + 10**10
    builder = make_builder(root, tmp_path / "index.sqlite", now_ns=lambda: now)
    reader = IndexReader(tmp_path / "index.sqlite")
    for step in range(3):
        now -= 10**11
        write(root, {"a.py": f"def step_{step}(): pass\n"})
        os.utime(root / "a.py", ns=(now, now))
        update(builder)
        assert reader.files_with([f"step_{step}"], 5) == ["a.py"]
    reader.close()
    builder.store.close()
