"""The search in workspace folders from question to question."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from editahead_retrieval.files.exclusion_rules import ExclusionRules
from editahead_retrieval.files.ignore_patterns import IgnorePatterns
from editahead_retrieval.index.reader import IndexReader
from editahead_retrieval.vectors.static_encoder import DIMENSIONS, StaticEncoder, save_encoder
from editahead_workspace.codebase import workspace_search
from editahead_workspace.codebase.search_encoder import SearchEncoder, open_search_encoder
from editahead_workspace.codebase.workspace_codebase import IndexedFolder
from editahead_workspace.codebase.workspace_search import WorkspaceSearch
from editahead_workspace.settings import Settings
from git_repository import write
from index_workspace import build_index, database_of

WORDS = ("oven", "heat", "warm", "bread")


class Workspace:
    """A workspace with an index and an encoder.

    Args:
        folder: A folder for all of them.
    """

    def __init__(self, folder: Path) -> None:
        self.root, self.index, self.weights = folder / "work", folder / "index", folder / "encoder.npz"
        write(self.root, {"stove.py": "def heat(oven):\n    return oven\n"})
        self.save_encoder("first")
        self.folder = IndexedFolder(
            self.root, database_of(self.index), ExclusionRules([self.root], IgnorePatterns(()))
        )
        self.build()

    @property
    def settings(self) -> Settings:
        return Settings(search_encoder=str(self.weights))

    def save_encoder(self, name: str) -> None:
        table = np.random.RandomState(1).randint(-100, 100, (len(WORDS), DIMENSIONS)).astype(np.int8)
        rows = {word: row for row, word in enumerate(WORDS)}
        save_encoder(StaticEncoder(name, rows, 0, table, np.ones((2, 4), np.float32)), self.weights)

    def build(self) -> None:
        build_index(self.root, self.index, encoder=str(self.weights))

    def ask(self, search: WorkspaceSearch, text: str, encoder: SearchEncoder) -> list[str]:
        found = search.search([self.folder], text, 5, max_file_bytes=10_000, encoder=encoder)
        return [place.result.path for place in found]


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path)


@pytest.fixture
def search() -> Iterator[WorkspaceSearch]:
    search = WorkspaceSearch()
    yield search
    search.close()


def test_the_encoder_is_read_again_only_when_it_has_changed(
    workspace: Workspace, search: WorkspaceSearch
) -> None:
    first = search.open_encoder(workspace.settings)
    assert search.open_encoder(workspace.settings) is first
    workspace.save_encoder("second")
    second = search.open_encoder(workspace.settings)
    assert second.encoder is not None and second.encoder.name == "second"
    assert search.open_encoder(Settings(search_encoder="off")).encoder is None


def test_an_encoder_that_failed_is_tried_again(workspace: Workspace, search: WorkspaceSearch) -> None:
    weights = workspace.weights.read_bytes()
    workspace.weights.unlink()
    assert search.open_encoder(workspace.settings).problem
    workspace.weights.write_bytes(weights)
    assert not search.open_encoder(workspace.settings).problem


def test_vectors_are_read_once(
    workspace: Workspace, search: WorkspaceSearch, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[object] = []
    make = workspace_search._vectors

    def count(reader: IndexReader, encoder: SearchEncoder) -> object:
        made.append(encoder)
        return make(reader, encoder)

    monkeypatch.setattr(workspace_search, "_vectors", count)
    encoder = open_search_encoder(workspace.settings)
    assert workspace.ask(search, "warm the oven", encoder) == ["stove.py"]
    write(workspace.root, {"table.py": "def knead(bread):\n    return bread\n"})
    workspace.build()
    assert workspace.ask(search, "bread", encoder)[0] == "table.py"
    assert len(made) == 1
    workspace.ask(search, "bread", open_search_encoder(workspace.settings))
    assert len(made) == 2


def test_an_index_that_was_built_anew_is_read_anew(workspace: Workspace, search: WorkspaceSearch) -> None:
    encoder = open_search_encoder(workspace.settings)
    assert workspace.ask(search, "warm the oven", encoder) == ["stove.py"]
    database_of(workspace.index).replace(workspace.index / "aside")
    (workspace.root / "stove.py").rename(workspace.root / "hearth.py")
    workspace.build()
    assert workspace.ask(search, "warm the oven", encoder) == ["hearth.py"]


def test_a_search_that_is_closed_while_it_answers_keeps_nothing(workspace: Workspace) -> None:
    search = WorkspaceSearch()
    found = search.search([workspace.folder], "oven", 5, max_file_bytes=10_000, check=search.close)
    assert [place.result.path for place in found] == ["stove.py"]
    assert not search._opened
