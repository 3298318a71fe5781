"""The adapter in the package, where this build has one: it is small, whole, and described by its card."""

from __future__ import annotations

import re

import pytest

from editahead_inference.backends.local.adapter import Adapter
from editahead_inference.backends.local.small_model import ADAPTER

pytestmark = pytest.mark.skipif(not ADAPTER.is_file(), reason="this build has no adapter")
LAYERS, MATRICES = 30, 7
MAX_BYTES = 12_000_000


def test_it_is_small_and_for_each_matrix_of_the_base() -> None:
    adapter = Adapter(ADAPTER)
    assert ADAPTER.stat().st_size <= MAX_BYTES
    assert len(adapter.unused) == LAYERS * MATRICES + 1  # and the markers' embeddings
    assert {tensor.dtype.name for name, tensor in adapter._tensors.items() if name[-1] != "s"} == {"int8"}


def test_its_card_says_how_it_was_trained() -> None:
    card = ADAPTER.with_name("README.md").read_text("utf-8")
    told = Adapter(ADAPTER).provenance
    assert f"{told['tokens seen'] / 1e6:.1f}M" in card
    assert f"rank {told['rank']}" in card
    assert not re.search(r"\bFIGURES\b", card)
