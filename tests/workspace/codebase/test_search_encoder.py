"""The search by meaning, from the settings to the places."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from editahead_retrieval.index import location
from editahead_retrieval.process.messages import IndexTask
from editahead_retrieval.process.worker import IndexWorker, run
from editahead_retrieval.vectors.shipped import SHIPPED
from editahead_retrieval.vectors.static_encoder import DIMENSIONS, StaticEncoder, save_encoder
from editahead_workspace.codebase.search_command import search_folder
from editahead_workspace.codebase.search_encoder import NO_ENCODER, encoder_options, open_search_encoder
from editahead_workspace.settings import Settings, SettingsSource, resolve_settings

WORDS = ("oven", "heat", "warm", "bread")


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    table = np.random.RandomState(1).randint(-100, 100, (len(WORDS), DIMENSIONS)).astype(np.int8)
    table[WORDS.index("warm")] = table[WORDS.index("heat")]
    encoder = StaticEncoder(
        "test", {word: row for row, word in enumerate(WORDS)}, 0, table, np.ones((2, 4), np.float32)
    )
    save_encoder(encoder, tmp_path / "encoder.npz")
    return tmp_path / "encoder.npz"


@pytest.mark.parametrize(
    ("value", "where"),
    [
        ("off", ""),
        ("/kitchen/encoder.npz", "/kitchen/encoder.npz"),
        ("http://localhost:8000", "http://localhost:8000/v1"),
    ],
)
def test_the_setting_names_an_encoder(value: str, where: str) -> None:
    assert encoder_options(Settings(search_encoder=value, search_model="letters")) == (where, "letters", "")


@pytest.mark.parametrize("value", ["http://example.org/v1", "ftp://localhost", 3])
def test_code_is_sent_to_safe_urls_only(value: object) -> None:
    resolved = resolve_settings([SettingsSource("user", "user", {"search_encoder": value})])
    assert resolved.settings.search_encoder == "auto" and len(resolved.messages) == 1


@pytest.mark.parametrize("name", ["search_encoder", "search_model", "search_api_key_env"])
def test_a_workspace_cannot_choose_where_code_is_sent(name: str) -> None:
    resolved = resolve_settings([SettingsSource("workspace", "work", {name: "https://example.org/v1"})])
    assert resolved.settings == Settings() and len(resolved.messages) == 1


def test_auto_is_the_encoder_that_comes_with_editahead() -> None:
    assert encoder_options(Settings()) == (str(SHIPPED), "", "")
    found = open_search_encoder(Settings())
    assert found.encoder is not None and not found.problem
    assert SHIPPED.stat().st_size <= 6_000_000
    card = SHIPPED.with_name("README.md").read_text("utf-8")
    assert found.encoder.name in card and f"{SHIPPED.stat().st_size / 1e6:.1f} MB" in card


def test_off_is_no_encoder_and_a_missing_file_a_problem() -> None:
    assert open_search_encoder(Settings(search_encoder="off")) == NO_ENCODER
    assert "cannot be read" in open_search_encoder(Settings(search_encoder="/kitchen/none.npz")).problem


def test_a_search_finds_by_meaning_and_says_when_it_cannot(
    tmp_path: Path, weights: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "work"
    (root / ".git").mkdir(parents=True)
    (root / "stove.py").write_text("def heat_oven(oven):\n    return oven.heat()\n")
    (root / "table.py").write_text("def slice_bread(bread):\n    return bread\n")
    for name in ("stove.py", "table.py"):
        os.utime(root / name, (1_000, 1_000))  # a newer file comes a little earlier
    for name in ("CONFIG", "CACHE", "STATE"):
        monkeypatch.setenv(f"EDITAHEAD_{name}_DIR", str(tmp_path / name))
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name))
    monkeypatch.setenv("EDITAHEAD_SEARCH_ENCODER", str(weights))
    search_folder(root, "warm", 5)
    [database] = tmp_path.rglob(location.DATABASE)
    task = IndexTask(str(root), str(database.parent), encoder=str(weights))
    run(IndexWorker(task, lambda report: None), lambda pause: [], until_ready=True, with_vectors=True)
    answer = search_folder(root, "warm", 5)
    assert answer.places[0].result.path == "stove.py"
    assert "near in meaning" in answer.places[0].result.why and not answer.notice
    weights.write_bytes(b"damaged")
    assert "by words only: the encoder is damaged" in search_folder(root, "bread", 5).notice
