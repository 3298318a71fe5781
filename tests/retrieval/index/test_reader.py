"""Questions to an index."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from editahead_prompts.syntax.symbols import Role
from editahead_retrieval.errors import IndexDamagedError, IndexUnusableError
from editahead_retrieval.index.reader import IndexReader
from editahead_retrieval.index.terms import exact_term
from git_repository import write
from index_workspace import build_index, database_of

FILES = {
    "shop/store.py": "class Store:\n    def add_item(self, item):\n        self.items.append(item)\n",
    "shop/__init__.py": "from .store import Store\n",
    "shop/views.py": "from shop import Store as S\n\ndef show(): return S().add_item(1)\n",
    "other/late.py": "# add_item is not Add_Item\nADD_ITEM = addItem = 1\n",
    "web/app.ts": 'import { openBasket } from "./basket";\nopenBasket("Ünïcode text");\n',
    "web/basket.ts": "export function openBasket(name: string) { return name }\nexport default openBasket\n",
}


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[IndexReader]:
    write(tmp_path / "work", FILES)
    build_index(tmp_path / "work", tmp_path / "index")
    reader = IndexReader(database_of(tmp_path / "index"))
    yield reader
    reader.close()


def test_files_hold_all_tokens_in_their_exact_case(reader: IndexReader) -> None:
    assert set(reader.files_with(["add_item"], 9)) == {"shop/store.py", "shop/views.py", "other/late.py"}
    assert reader.files_with(["ADD_ITEM", "addItem"], 9) == ["other/late.py"]
    assert reader.files_with(["add_item", "append"], 9) == ["shop/store.py"]
    assert reader.files_with(["additem"], 9) == []
    assert reader.files_with([], 9) == []
    assert len(reader.files_with(["add_item"], 2)) == 2


def test_near_files_precede_others_and_the_file_itself_is_left_out(reader: IndexReader) -> None:
    assert reader.files_with(["add_item"], 9, near="other/new.py")[0] == "other/late.py"
    assert reader.files_with(["add_item"], 1, near="shop/new.py") != ["other/late.py"]
    assert "shop/views.py" not in reader.files_with(["add_item"], 9, near="shop/views.py")


@pytest.mark.parametrize(
    "token", ['"', "a b", "NEAR", "x*", "", "-", "a:b", "\0", "ünï", "OR", "\ud800", "\U0001e900x"]
)
def test_no_token_is_taken_for_syntax(reader: IndexReader, token: str) -> None:
    assert reader.files_with([token], 9) == []


def test_terms_are_distinct() -> None:
    names = ["ab", "Ab", "aB", "AB", "$ab", "$Ab", "a$b", "_ab", "$$ab", "é", "É", "\U0001e900x"]
    terms = [exact_term(name) for name in names]
    assert len({term.lower() for term in terms}) == len(names)
    assert [term.lower() for term in terms] == terms


def test_symbols(reader: IndexReader) -> None:
    (found,) = reader.definitions("Store")
    assert (found.path, found.language, found.symbol.line) == ("shop/store.py", "python", 0)
    assert [(f.path, bool(f.symbol.roles & Role.IMPORT)) for f in reader.exports("Store")] == [
        ("shop/__init__.py", True),
        ("shop/store.py", False),
    ]
    assert [(f.path, f.symbol.name) for f in reader.importers("Store")] == [
        ("shop/__init__.py", "Store"),
        ("shop/views.py", "S"),
    ]
    assert [f.path for f in reader.exports("default")] == ["web/basket.ts"]
    assert {f.symbol.original for f in reader.exports("openBasket")} == {"openBasket", "default"}


def test_substrings(reader: IndexReader) -> None:
    assert reader.files_containing("penBask", 9) == reader.files_containing("PENBASK", 9)
    assert set(reader.files_containing("penBask", 9)) == {"web/app.ts", "web/basket.ts"}
    assert reader.files_containing("nïcode te", 9) == ["web/app.ts"]
    assert reader.files_containing("ab", 9) == []
    assert reader.files_containing('e("', 9) == []
    assert reader.files_containing("\ud800bc\0d", 9) == []


def test_similar_chunks(reader: IndexReader) -> None:
    best = reader.similar("where is an item appended to the items of a store", 3)[0]
    assert (best.path, best.line, best.end_line) == ("shop/store.py", 0, 4)
    assert reader.similar("zzz", 3) == []


def test_the_file_may_be_missing_or_replaced(tmp_path: Path) -> None:
    write(tmp_path / "work", FILES)
    reader = IndexReader(database_of(tmp_path / "index"))
    with pytest.raises(IndexUnusableError):
        reader.files_with(["a"], 1)
    (tmp_path / "index").mkdir()
    sqlite3.connect(database_of(tmp_path / "index")).close()
    database_of(tmp_path / "index").touch()  # a writer that has only begun
    with pytest.raises(IndexUnusableError) as caught:
        reader.files_with(["a"], 1)
    assert not isinstance(caught.value, IndexDamagedError)
    build_index(tmp_path / "work", tmp_path / "index")
    assert reader.files_with(["openBasket"], 9)
    database_of(tmp_path / "index").write_bytes(b"no database" * 1000)
    with pytest.raises(IndexDamagedError):
        reader.close()
        reader.files_with(["openBasket"], 9)


DAMAGES = (
    "UPDATE file SET path = CAST(x'ff' || path AS TEXT)",
    "UPDATE file SET path = CAST(path AS BLOB)",
    "UPDATE content SET hash = id",
    "UPDATE kind SET name = CAST(id AS BLOB)",
    "UPDATE symbol SET line = 'first'",
)


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_row_that_is_damaged_is_an_error_of_the_index(
    reader: IndexReader, tmp_path: Path, damage: str
) -> None:
    """SQLite finds no damage inside of a row, and gives out what it reads."""
    with closing(sqlite3.connect(database_of(tmp_path / "index"))) as connection, connection:
        connection.execute(damage)
    questions: list[Callable[[], object]] = [
        lambda: reader.files_with(["add_item"], 9),
        lambda: reader.files_containing("penBask", 9),
        lambda: reader.definitions("Store"),
        lambda: reader.similar("items of a store", 3),
    ]
    damaged = 0
    for question in questions:
        with suppress(IndexDamagedError):
            question()
            continue
        damaged += 1
    assert damaged
    assert build_index(tmp_path / "work", tmp_path / "index")[-1].state == "ready"


def test_a_question_that_is_no_text_is_no_damage(reader: IndexReader) -> None:
    with pytest.raises(IndexUnusableError) as raised:
        reader.definitions("\ud800")
    assert not isinstance(raised.value, IndexDamagedError)
