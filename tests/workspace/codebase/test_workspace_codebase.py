"""The closed files of the workspace, from real indexes and real files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from editahead_retrieval.files.exclusion_rules import ExclusionRules
from editahead_retrieval.files.ignore_patterns import IgnorePatterns
from editahead_workspace.codebase.workspace_codebase import IndexedFolder, WorkspaceCodebase
from editahead_workspace.uris import path_to_uri
from git_repository import write
from index_workspace import build_index, database_of

FILES = {
    "shop/store.py": "class Store:\n    def add_item(self, item):\n        self.items.append(item)\n",
    "shop/views.py": "from shop.store import Store as S\n\ndef show(): return S().add_item(1)\n",
    "web/basket.ts": "export function openBasket(name: string) { return name }\n",
    "web/basket.py": "def openBasket(): pass\n",
}


class Workspace:
    """Two workspace folders with indexes, and what their codebase reports."""

    def __init__(self, folder: Path) -> None:
        self.roots = [folder / "one", folder / "two"]
        write(self.roots[0], FILES)
        write(self.roots[1], {"late.py": "# add_item\n"})
        self.open: set[str] = set()
        self.stale: list[tuple[Path, str]] = []
        self.damaged: list[Path] = []
        self.databases = [folder / f"index-{root.name}" for root in self.roots]
        for root, index in zip(self.roots, self.databases, strict=True):
            build_index(root, index)
        folders = [
            IndexedFolder(root, database_of(index), ExclusionRules([root], IgnorePatterns(("private/",))))
            for root, index in zip(self.roots, self.databases, strict=True)
        ]
        self.codebase = WorkspaceCodebase(
            folders,
            1_000,
            self.open.__contains__,
            lambda root, path: self.stale.append((root, path)),
            self.damaged.append,
        )

    def uri(self, name: str, root: int = 0) -> str:
        return path_to_uri(self.roots[root] / name)


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    workspace = Workspace(tmp_path)
    yield workspace
    workspace.codebase.close()


def test_files_of_all_folders_without_open_ones(workspace: Workspace) -> None:
    views, store, late = (
        workspace.uri("shop/views.py"),
        workspace.uri("shop/store.py"),
        workspace.uri("late.py", 1),
    )
    assert set(workspace.codebase.files_with(["add_item"], 9)) == {views, store, late}
    assert workspace.codebase.files_with(["add_item"], 9, near=store)[0] == views
    workspace.open.add(views)
    assert set(workspace.codebase.files_with(["add_item"], 9)) == {store, late}
    assert len(workspace.codebase.files_with(["add_item"], 1)) == 1


def test_files_of_the_own_folder_are_first(workspace: Workspace) -> None:
    late = workspace.uri("late.py", 1)
    assert workspace.codebase.files_with(["add_item"], 1, near=workspace.uri("new.py", 1)) == [late]
    assert workspace.codebase.files_with(["add_item"], 1, near=workspace.uri("new.py")) != [late]


def test_a_file_in_a_folder_within_another_is_found_once(tmp_path: Path) -> None:
    root = tmp_path / "one"
    write(root, FILES)
    folders = []
    for number, folder in enumerate((root, root / "shop")):
        build_index(folder, tmp_path / f"index{number}")
        rules = ExclusionRules([folder], IgnorePatterns(()))
        folders.append(IndexedFolder(folder, database_of(tmp_path / f"index{number}"), rules))
    codebase = WorkspaceCodebase(folders, 1_000, lambda uri: False, lambda *stale: None, print)
    store = path_to_uri(root / "shop/store.py")
    assert codebase.files_containing(".append(item)", 9) == [store]
    assert [one.uri for one in codebase.definitions("add_item")] == [store]
    codebase.close()


def test_files_that_hold_a_piece_of_text(workspace: Workspace) -> None:
    views, store = workspace.uri("shop/views.py"), workspace.uri("shop/store.py")
    assert workspace.codebase.files_containing("Store as S", 9) == [views]
    assert workspace.codebase.files_containing(".append(item)", 9) == [store]
    workspace.open.add(store)
    assert workspace.codebase.files_containing(".append(item)", 9) == []
    assert workspace.codebase.files_containing("no such text", 9) == []


def test_a_moved_file_is_known_by_its_bytes(workspace: Workspace) -> None:
    root = workspace.roots[0]
    (root / "shop/store.py").rename(root / "shop/shelf.py")
    (root / "shop/views.py").unlink()
    write(root, {"shop/new.py": "new = 1\n"})
    deleted = [workspace.uri(f"shop/{name}.py") for name in ("store", "views", "never")]
    created = [workspace.uri(f"shop/{name}.py") for name in ("new", "shelf")]
    assert workspace.codebase.find_moved(deleted, created) == [
        (workspace.uri("shop/store.py"), workspace.uri("shop/shelf.py"))
    ]


def test_a_copy_in_two_places_is_no_move(workspace: Workspace) -> None:
    root = workspace.roots[0]
    write(root, dict.fromkeys(("a.py", "b.py"), FILES["shop/store.py"]))
    (root / "shop/store.py").unlink()
    created = [workspace.uri("a.py"), workspace.uri("b.py")]
    assert workspace.codebase.find_moved([workspace.uri("shop/store.py")], created) == []


def test_an_excluded_file_is_not_compared(workspace: Workspace) -> None:
    root = workspace.roots[0]
    (root / "private").mkdir()
    (root / "shop/store.py").rename(root / "private/store.py")
    created = [workspace.uri("private/store.py")]
    assert workspace.codebase.find_moved([workspace.uri("shop/store.py")], created) == []


def test_a_snapshot_is_the_file_on_disk(workspace: Workspace) -> None:
    uri = workspace.uri("shop/store.py")
    snapshot = workspace.codebase.snapshot(uri)
    assert snapshot is not None
    assert (snapshot.uri, snapshot.language, snapshot.text) == (uri, "python", FILES["shop/store.py"])
    assert workspace.stale == []
    write(workspace.roots[0], {"shop/store.py": "changed = 1\n"})
    snapshot = workspace.codebase.snapshot(uri)
    assert snapshot is not None and snapshot.text == "changed = 1\n"
    assert workspace.stale == [(workspace.roots[0], "shop/store.py")]


def test_a_deleted_file_is_reported(workspace: Workspace) -> None:
    (uri,) = workspace.codebase.files_with(["append"], 9)
    (workspace.roots[0] / "shop/store.py").unlink()
    assert workspace.codebase.snapshot(uri) is None
    assert workspace.stale == [(workspace.roots[0], "shop/store.py")]


@pytest.mark.parametrize(
    "make_uri",
    [
        lambda w: w.uri(".env"),
        lambda w: w.uri("private/a.py"),
        lambda w: w.uri("large.py"),
        lambda w: w.uri("binary.py"),
        lambda w: w.uri("link.py"),
        lambda w: w.uri("../outside/a.py"),
        lambda w: w.uri("latin.py"),
        lambda w: w.uri(""),
        lambda w: "untitled:1",
        lambda w: "file:///",
    ],
)
def test_some_files_have_no_snapshot(workspace: Workspace, make_uri: Callable[[Workspace], str]) -> None:
    root = workspace.roots[0]
    write(root, {".env": "a", "private/a.py": "a", "large.py": "a" * 1_001, "binary.py": "a\0"})
    write(root.parent, {"outside/a.py": "secret"})
    (root / "latin.py").write_bytes(b"\xff")
    (root / "link.py").symlink_to(root.parent / "outside" / "a.py")
    assert workspace.codebase.snapshot(make_uri(workspace)) is None


def test_an_open_file_has_no_snapshot(workspace: Workspace) -> None:
    uri = workspace.uri("shop/store.py")
    workspace.open.add(uri)
    assert workspace.codebase.snapshot(uri) is None
    assert workspace.codebase.definitions("Store") == []


def test_symbols(workspace: Workspace) -> None:
    (store,) = workspace.codebase.definitions("Store")
    assert (store.uri, store.line, store.role) == (workspace.uri("shop/store.py"), 0, "definition")
    (used,) = workspace.codebase.importers("Store")
    assert (used.uri, used.name, used.source, used.role) == (
        workspace.uri("shop/views.py"),
        "S",
        "shop.store",
        "import",
    )
    assert [s.language for s in workspace.codebase.exports("openBasket", "javascriptreact")] == ["typescript"]
    assert [s.language for s in workspace.codebase.exports("openBasket", "python")] == ["python"]


def test_similar_pieces_are_those_on_disk(workspace: Workspace) -> None:
    best = workspace.codebase.similar("append an item to the items of a store", 2)[0]
    assert (best.uri, best.line, best.text) == (workspace.uri("shop/store.py"), 0, FILES["shop/store.py"])
    write(workspace.roots[0], {"shop/store.py": "changed = 1\n"})
    assert all(
        chunk.uri != best.uri
        for chunk in workspace.codebase.similar("append an item to the items of a store", 2)
    )


def test_without_an_index_every_answer_is_empty(workspace: Workspace) -> None:
    workspace.codebase.close()
    for index in workspace.databases:
        database_of(index).unlink()
    assert workspace.codebase.files_with(["add_item"], 9) == []
    assert workspace.codebase.similar("add_item", 9) == []
    assert workspace.codebase.snapshot(workspace.uri("shop/store.py")) is not None
    assert workspace.damaged == []


def test_damage_is_reported_and_answers_are_empty(workspace: Workspace) -> None:
    workspace.codebase.close()
    for index in workspace.databases:
        database_of(index).write_bytes(b"rubbish " * 1000)
    assert workspace.codebase.files_with(["add_item"], 9) == []
    assert set(workspace.damaged) == set(workspace.roots)
