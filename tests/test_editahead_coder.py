"""The distribution with the adapter of editahead-coder: small, whole, and described by its card."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import numpy as np
import pytest

from editahead_inference.backends.local import small_model
from editahead_inference.backends.local.adapter import Adapter
from editahead_prompts.formats.next_edit.editahead_coder_2611 import END, FILE, NEXT, PREFIX
from editahead_serving.base_download import QWEN_CODER

ROOT = Path(__file__).parents[1]
PROJECT = ROOT / "packaging" / "editahead-coder"
FILES = PROJECT / small_model.PACKAGE
LAYERS, MATRICES = 24, 7
MAX_WHEEL_BYTES = 60_000_000


@pytest.fixture
def adapter() -> Adapter:
    return Adapter(FILES / small_model.ADAPTER)


def test_a_checkout_has_it() -> None:
    assert small_model.find_adapter() == FILES / small_model.ADAPTER


def test_the_adapter_is_for_each_matrix_of_the_base(adapter: Adapter) -> None:
    assert len(adapter.unused) == LAYERS * MATRICES + 1  # and the special tokens' embeddings
    kinds = {
        tensor.dtype.name for name, tensor in adapter._tensors.items() if name.endswith((".up", ".down"))
    }
    assert kinds == {"int8"}
    tokens, rows = adapter.rows("model.embed_tokens") or ((), ())
    assert len(tokens) == len(rows) == 7 and set(tokens) <= set(np.load(FILES / small_model.VOCABULARY))


def test_the_tokens_of_the_head_are_in_order() -> None:
    kept = np.load(FILES / small_model.VOCABULARY)
    assert kept.dtype == np.int32 and (np.diff(kept) > 0).all()


def test_the_known_answers_are_in_the_format() -> None:
    known = json.loads((FILES / small_model.GOLDEN).read_text("utf-8"))
    assert len(known) == 5
    for record in known:
        assert record["prompt"].startswith(FILE) and PREFIX in record["prompt"]
        assert record["answer"].endswith(END)
    assert {record["prompt"].endswith(NEXT) for record in known} == {True, False}, "of both questions"


def test_its_card_says_how_it_was_trained(adapter: Adapter) -> None:
    card = (PROJECT / "README.md").read_text("utf-8")
    told = adapter.provenance
    assert f"{told['tokens seen'] / 1e6:.1f}M tokens" in card and f"rank {told['rank']}" in card
    assert QWEN_CODER.sha256 in card and QWEN_CODER.name in card
    assert f"{len(np.load(FILES / small_model.VOCABULARY)):,}" in card
    assert not re.search(r"\bFIGURES\b", card)


def test_the_extra_names_it() -> None:
    ours = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    theirs = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["project"]
    (wanted,) = (need for need in ours["optional-dependencies"]["local"] if need.startswith(theirs["name"]))
    assert wanted == f"{small_model.NAME}>=0.1,<0.2" and theirs["version"].startswith("0.1.")
    assert (PROJECT / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()


@pytest.mark.slow
def test_its_wheel_has_the_files_and_nothing_else(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=PROJECT, check=True, stdout=subprocess.DEVNULL)
    (wheel,) = tmp_path.iterdir()
    assert wheel.stat().st_size < MAX_WHEEL_BYTES
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    wanted = (small_model.ADAPTER, small_model.VOCABULARY, small_model.GOLDEN, small_model.CARD)
    assert names == {f"{small_model.PACKAGE}/{name}" for name in (*wanted, "__init__.py")}
