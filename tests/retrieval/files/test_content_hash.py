"""The hash of a clone: equal for the same files in any order, and another one for any other files."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from editahead_retrieval.files.content_hash import HASH_BYTES, hash_clone, hash_content

PATHS = st.lists(st.sampled_from(["a", "b", "ab"]), min_size=1, max_size=3).map("/".join)
CLONES = st.dictionaries(PATHS, st.binary(max_size=2).map(hash_content), max_size=4)


@given(CLONES, CLONES)
def test_it_tells_clones_apart(one: dict[str, bytes], two: dict[str, bytes]) -> None:
    assert (hash_clone(one) == hash_clone(two)) == (one == two)


@given(CLONES)
def test_the_order_of_the_files_does_not_count(files: dict[str, bytes]) -> None:
    assert hash_clone(dict(reversed(files.items()))) == hash_clone(files)
    assert len(hash_clone(files)) == HASH_BYTES
