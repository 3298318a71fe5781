"""What is removed, excluded or changed leaves the bytes of the index."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from editahead_retrieval.index.forgetting import FORGOTTEN_AT, KEPT_S, Forgetter
from editahead_retrieval.index.reader import IndexReader
from editahead_retrieval.process.messages import IndexTask
from editahead_retrieval.process.worker import IndexWorker, run
from git_repository import write
from index_workspace import build_index, database_of, dump, words_of

SECRET = "quixotryzebu"
TEXT = f"class Xylo{SECRET}:\n    def pounce{SECRET}(self, flit{SECRET}): return self\n# {SECRET}\n"
OTHERS = {f"f{n}.py": f"def name{n}(value):\n    return value + {n}\n" for n in range(30)}
HOUR_NS = (KEPT_S + 1) * 1_000_000_000


def in_files(folder: Path) -> bool:
    """Return whether a file of an index holds a part of the word, which stores share among words with one beginning."""
    data = b"".join(path.read_bytes() for path in folder.iterdir()).lower()
    return any(SECRET[at : at + 8].encode() in data for at in range(len(SECRET) - 7)) or b"hidden.py" in data


def is_found(folder: Path) -> bool:
    reader = IndexReader(database_of(folder))
    try:
        return bool(reader.definitions(f"Xylo{SECRET}") or reader.files_containing(SECRET, 5))
    finally:
        reader.close()


class Upkeep:
    """The upkeep of an index in this process, under a clock of its own."""

    def __init__(self, root: Path, folder: Path, **options: object) -> None:
        self.now_ns = time.time_ns() + HOUR_NS  # later than the times of all files, which are trusted then
        self._worker = IndexWorker(IndexTask(str(root), str(folder), **options), lambda _: None)
        self._worker.step()
        builder = self._worker._builder
        assert builder is not None
        builder.now_ns = lambda: self.now_ns
        assert self._worker._forgetter is not None
        self._worker._forgetter = Forgetter(builder.store, lambda: self.now_ns)
        self.look()

    def look(self) -> None:
        """Look at all files, and do what follows, to the end."""
        builder = self._worker._builder
        assert builder is not None
        builder.needs_look = True
        for _ in range(20_000):
            self._worker.step()
            if self._worker.state == "ready" and self._worker._is_compact and not builder.needs_look:
                return
        raise AssertionError("the work does not end")

    def close(self) -> None:
        self._worker.close()


@pytest.fixture
def places(tmp_path: Path) -> tuple[Path, Path]:
    root, folder = tmp_path / "root", tmp_path / "index"
    (root / ".git").mkdir(parents=True)
    write(root, {**OTHERS, "sub/hidden.py": TEXT, "sub/kept.py": "kept = 1\n"})
    return root, folder


def test_the_word_is_there_before(places: tuple[Path, Path]) -> None:
    build_index(*places)
    assert in_files(places[1]) and is_found(places[1])


@pytest.mark.parametrize("how", ["ignored", "excluded", "folder", "setting", "others"])
def test_what_is_excluded_is_forgotten_at_once(places: tuple[Path, Path], how: str) -> None:
    root, folder = places
    build_index(root, folder)
    options: dict[str, object] = {}
    if how == "setting":
        options["exclude"] = ("hidden.py",)
    else:
        place, text = {
            "ignored": (".gitignore", "hidden.py\n"),
            "excluded": (".git/info/exclude", "hidden.py\n"),
            "folder": ("sub/.gitignore", "/hid*\n"),
            "others": ("sub/.gitignore", "*.py\n!k*.py\n"),
        }[how]
        write(root, {place: text})
    build_index(root, folder, **options)
    assert not in_files(folder) and not is_found(folder)
    assert words_of(database_of(folder), "names", ["kept", "name3"]) == {
        "kept": ["sub/kept.py"],
        "name3": ["f3.py"],
    }


@pytest.mark.parametrize("how", ["deleted", "moved", "built by hand"])
def test_few_deleted_files_are_forgotten_at_once(places: tuple[Path, Path], how: str) -> None:
    root, folder = places
    build_index(root, folder)
    if how == "built by hand":
        (root / "sub" / "hidden.py").write_text("other = 1\n")
        worker = IndexWorker(IndexTask(str(root), str(folder)), lambda _: None, trust=False)
        run(worker, lambda pause: [], until_ready=True)
        (root / "sub" / "hidden.py").unlink()
    elif how == "deleted":
        (root / "sub" / "hidden.py").unlink()
    else:
        shutil.move(root / "sub" / "hidden.py", root.parent)
    build_index(root, folder)
    assert not in_files(folder)


@pytest.mark.slow
@pytest.mark.parametrize("how", ["deleted", "changed", "moved"])
def test_what_a_switch_of_branches_takes_is_forgotten_after_an_hour(
    places: tuple[Path, Path], how: str
) -> None:
    root, folder = places
    upkeep = Upkeep(root, folder)
    hidden = root / "sub" / "hidden.py"
    write(root, {name: f"{text}# changed\n" for name, text in OTHERS.items()})
    if how == "moved":
        hidden.replace(root.parent / "elsewhere.py")
    elif how == "deleted":
        hidden.unlink()
    else:
        hidden.rename(root / "sub" / "other.py").write_text("other = 1\n")
    upkeep.look()
    assert in_files(folder) and not is_found(folder), "the way back to another branch is short"
    upkeep.now_ns += HOUR_NS
    upkeep.look()
    assert not in_files(folder)
    upkeep.close()
    fresh = folder.with_name("fresh")
    build_index(root, fresh)
    assert dump(database_of(folder)) == dump(database_of(fresh))


def test_what_comes_back_is_found_again(places: tuple[Path, Path]) -> None:
    root, folder = places
    upkeep = Upkeep(root, folder)
    shutil.move(root / "sub" / "hidden.py", root.parent)
    upkeep.now_ns += HOUR_NS
    upkeep.look()
    assert not in_files(folder)
    shutil.move(root.parent / "hidden.py", root / "sub")
    upkeep.look()
    assert is_found(folder)
    assert words_of(database_of(folder), "names", [f"pounce{SECRET}"]) == {
        f"pounce{SECRET}": ["sub/hidden.py"]
    }
    upkeep.close()


def test_a_copy_keeps_what_both_hold(places: tuple[Path, Path]) -> None:
    root, folder = places
    write(root, {"copy.py": TEXT})
    upkeep = Upkeep(root, folder)
    (root / "sub" / "hidden.py").unlink()
    upkeep.now_ns += HOUR_NS
    upkeep.look()
    assert is_found(folder)
    upkeep.close()


def test_vectors_are_kept_for_a_way_back(places: tuple[Path, Path]) -> None:
    """A chunk with a vector stays, without its words, and gets them again when its file is back."""
    root, folder = places
    upkeep = Upkeep(root, folder)
    store = upkeep._worker._builder.store
    store.connection.execute("CREATE TABLE vector (id INTEGER PRIMARY KEY, chunk INTEGER UNIQUE, value BLOB)")
    store.connection.execute("INSERT INTO vector (chunk, value) SELECT id, x'00' FROM chunk")
    (before,) = store.connection.execute("SELECT count(*) FROM chunk").fetchone()
    shutil.move(root / "sub" / "hidden.py", root.parent)
    upkeep.now_ns += HOUR_NS
    upkeep.look()
    assert not in_files(folder)
    assert store.connection.execute("SELECT count(*) FROM chunk").fetchone() == (before,)
    shutil.move(root.parent / "hidden.py", root / "sub")
    upkeep.look()
    assert store.connection.execute("SELECT count(*) FROM chunk").fetchone() == (before,)
    query = ("SELECT rowid FROM words WHERE words MATCH ?", (f'"{SECRET}"',))
    assert len(store.connection.execute(*query).fetchall()) >= 1
    upkeep.close()


@pytest.mark.slow
def test_forgetting_that_is_killed_goes_on(places: tuple[Path, Path]) -> None:
    root, folder = places
    build_index(root, folder)
    write(root, {".gitignore": "sub/\nf1*\n"})
    for steps in range(1, 40, 3):
        worker = IndexWorker(IndexTask(str(root), str(folder)), lambda _: None)
        for _ in range(steps):
            worker.step()
        worker.close()
    build_index(root, folder)
    assert not in_files(folder)
    fresh = folder.with_name("fresh")
    build_index(root, fresh)
    assert dump(database_of(folder)) == dump(database_of(fresh))


def test_a_damaged_index_is_not_kept_for_ever(places: tuple[Path, Path]) -> None:
    root, folder = places
    build_index(root, folder)
    aside = database_of(folder).with_name("index.sqlite.damaged")
    shutil.copy(database_of(folder), aside)
    write(root, {".gitignore": "hidden.py\n"})
    build_index(root, folder)
    assert not aside.exists() and not in_files(folder)


WORDS = st.text("abcdefghijklmnopqrstuvwxyzé_İß$0", min_size=1, max_size=12)


@pytest.mark.slow
@settings(max_examples=20, deadline=None, derandomize=True, database=None)
@given(
    files=st.lists(st.lists(WORDS, max_size=12), min_size=2, max_size=8),
    deleted=st.sets(st.integers(0, 7), min_size=1),
)
def test_the_full_text_is_that_of_the_files(
    tmp_path_factory: pytest.TempPathFactory, files: list[list[str]], deleted: set[int]
) -> None:
    root, folder = tmp_path_factory.mktemp("root"), tmp_path_factory.mktemp("indexes") / "index"
    write(root, {f"{n}.py": "\n".join(words) for n, words in enumerate(files)})
    upkeep = Upkeep(root, folder)
    for n in deleted:
        (root / f"{n}.py").unlink(missing_ok=True)
    upkeep.now_ns += HOUR_NS
    upkeep.look()
    connection = upkeep._worker._builder.store.connection
    for table, rows in (("names", "content"), ("trigrams", "content"), ("words", "chunk")):
        connection.execute(f"INSERT INTO {table} ({table}) VALUES ('integrity-check')")
        connection.execute(
            f"CREATE VIRTUAL TABLE temp.{table}_terms USING fts5vocab(main, {table}, instance)"
        )
        unknown = f"SELECT count(*) FROM {table}_terms WHERE doc > 0 AND doc NOT IN (SELECT id FROM {rows})"
        assert connection.execute(unknown).fetchone() == (0,)
    assert upkeep._worker._builder.store.meta(FORGOTTEN_AT) == upkeep.now_ns // 10**9
    upkeep.close()
    fresh = folder.with_name("fresh")
    build_index(root, fresh)
    assert dump(database_of(folder)) == dump(database_of(fresh))
