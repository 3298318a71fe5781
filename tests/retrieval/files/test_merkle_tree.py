"""The Merkle tree: an update equals a tree built anew, and differences are those of the files."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_retrieval.files.merkle_tree import MerkleTree
from history_typist import PROPERTY

pytestmark = pytest.mark.slow


NAMES = st.sampled_from(["a", "b", "c"])
PATHS = st.lists(NAMES, min_size=1, max_size=4).map("/".join)
HASHES = st.integers(0, 3).map(lambda n: bytes([n]) * 16)
OPERATIONS = st.lists(st.tuples(PATHS, st.none() | HASHES), max_size=20)


def apply(tree: MerkleTree, files: dict[str, bytes], path: str, content: bytes | None) -> None:
    """Do one operation to a tree, and to the files that it is of."""
    if content is None:
        tree.remove(path)
        files.pop(path, None)
        return
    tree.put(path, content)
    for other in list(files):  # a file cannot be a folder, too
        if other.startswith(f"{path}/") or path.startswith(f"{other}/"):
            del files[other]
    files[path] = content


@PROPERTY
@given(OPERATIONS)
def test_an_updated_tree_equals_one_built_anew(operations: list[tuple[str, bytes | None]]) -> None:
    tree, files = MerkleTree(), dict[str, bytes]()
    for path, content in operations:
        apply(tree, files, path, content)
        anew = MerkleTree(sorted(files.items()))
        assert tree.root_hash == anew.root_hash
        assert tree.folder_hashes() == anew.folder_hashes()


@PROPERTY
@given(OPERATIONS, OPERATIONS)
def test_differences_are_those_of_the_files(
    one: list[tuple[str, bytes | None]], two: list[tuple[str, bytes | None]]
) -> None:
    trees, files = (MerkleTree(), MerkleTree()), (dict[str, bytes](), dict[str, bytes]())
    for tree, held, operations in zip(trees, files, (one, two), strict=True):
        for path, content in operations:
            apply(tree, held, path, content)
    a, b = files
    assert trees[0].differences(trees[1]) == {p for p in a.keys() | b.keys() if a.get(p) != b.get(p)}
    assert (trees[0].root_hash == trees[1].root_hash) == (a == b)


def test_a_name_belongs_to_the_hash_of_its_folder() -> None:
    assert MerkleTree([("a", b"1" * 16)]).root_hash != MerkleTree([("b", b"1" * 16)]).root_hash
    assert MerkleTree([("a/b", b"1" * 16)]).root_hash != MerkleTree([("a", b"1" * 16)]).root_hash
