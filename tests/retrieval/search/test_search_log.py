"""The log of what was searched and opened: bounded, shared by servers, and clear about a damaged file."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from editahead_retrieval.errors import SearchLogError
from editahead_retrieval.search import search_log
from editahead_retrieval.search.search_log import (
    MAX_QUERY_CHARS,
    MAX_TEXT_CHARS,
    VERSION,
    OpenedResult,
    add_opened,
    read_opened,
)

BREAD = OpenedResult(
    1.5, "how is bread baked", "kitchen", "src/oven.py", "python", 3, "def bake():\n    ...\n"
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / search_log.FILE_NAME


def test_there_is_nothing_without_a_file(file: Path) -> None:
    assert read_opened(file) == []
    assert not file.exists()


def test_an_empty_file_is_a_new_log(file: Path) -> None:
    file.touch()
    assert read_opened(file) == []
    add_opened(file, BREAD)
    assert read_opened(file) == [BREAD]


@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25)
@given(query=st.text(), text=st.text(), path=st.text(), line=st.integers(0, 2**40))
def test_what_was_opened_is_read_again(file: Path, query: str, text: str, path: str, line: int) -> None:
    opened = replace(BREAD, query=query, text=text, path=path, line=line)
    add_opened(file, opened)
    assert read_opened(file)[-1] == opened


def test_long_texts_are_cut_and_lone_surrogates_stored(file: Path) -> None:
    add_opened(file, replace(BREAD, query="q" * 5_000, text="t" * 50_000, path="\udc80"))
    [found] = read_opened(file)
    assert (len(found.query), len(found.text), found.path) == (MAX_QUERY_CHARS, MAX_TEXT_CHARS, "?")


def test_the_latest_rows_are_kept(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_log, "MAX_ROWS", 3)
    for number in range(6):
        add_opened(file, replace(BREAD, line=number))
    assert [row.line for row in read_opened(file)] == [3, 4, 5]


def test_dropped_rows_leave_the_bytes(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_log, "MAX_ROWS", 2)
    add_opened(file, replace(BREAD, text="quixotry zebu"))
    for number in range(3):
        assert (b"quixotry" in file.read_bytes()) == (number < 2)
        add_opened(file, replace(BREAD, line=number))


def test_servers_write_at_once(file: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda number: add_opened(file, replace(BREAD, line=number)), range(24)))
    assert sorted(row.line for row in read_opened(file)) == list(range(24))


@pytest.mark.parametrize("do", [read_opened, lambda file: add_opened(file, BREAD)], ids=["read", "add"])
@pytest.mark.parametrize("kind", ["damaged", "newer", "other"])
def test_another_file_is_refused_and_stays(file: Path, kind: str, do: object) -> None:
    if kind == "damaged":
        file.write_bytes(b"flour" * 999)
    else:
        with closing(sqlite3.connect(file)) as database, database:
            database.execute("CREATE TABLE opened (recipe TEXT)")
            database.execute(f"PRAGMA user_version = {VERSION + 1 if kind == 'newer' else VERSION}")
    before = file.read_bytes()
    with pytest.raises(SearchLogError):
        do(file)
    assert file.read_bytes() == before


def test_rows_of_other_types_are_refused(file: Path) -> None:
    add_opened(file, BREAD)
    with closing(sqlite3.connect(file)) as database, database:
        database.execute("UPDATE opened SET text = x'00'")
    with pytest.raises(SearchLogError, match="damaged"):
        read_opened(file)
