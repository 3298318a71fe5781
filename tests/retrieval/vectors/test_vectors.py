"""Vectors beside an index: computed when idle, found by meaning, and left out where they cannot be used."""

from __future__ import annotations

import io
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from editahead_retrieval.errors import EncoderError
from editahead_retrieval.index import location
from editahead_retrieval.index.reader import IndexReader
from editahead_retrieval.process.messages import IndexRequest, IndexTask
from editahead_retrieval.process.worker import IndexWorker, run
from editahead_retrieval.vectors import nearest, store
from editahead_retrieval.vectors.nearest import NearestChunks
from editahead_retrieval.vectors.static_encoder import (
    DIMENSIONS,
    DOCUMENT,
    QUESTION,
    StaticEncoder,
    load_encoder,
    save_encoder,
)
from editahead_retrieval.vectors.words import find_text_words

WORDS = ("oven", "heat", "warm", "bread", "salt", "dough", "knead")


def make_encoder(seed: int = 1) -> StaticEncoder:
    """Return an encoder in which `warm` means what `heat` does."""
    random = np.random.RandomState(seed)
    table = random.randint(-100, 100, (len(WORDS) + 16, DIMENSIONS)).astype(np.int8)
    table[WORDS.index("warm")] = table[WORDS.index("heat")]
    gains = np.ones((2, len(table)), np.float32)
    gains[:, len(WORDS) :] = 0.1
    return StaticEncoder(f"test-{seed}", {word: row for row, word in enumerate(WORDS)}, 16, table, gains)


class Workspace:
    """A workspace with an index and vectors."""

    def __init__(self, folder: Path) -> None:
        self.root, self.index, self.weights = folder / "work", folder / "index", folder / "encoder.npz"
        self.root.mkdir()
        save_encoder(make_encoder(), self.weights)
        for name, text in {
            "stove.py": "def heat_oven(oven):\n    return oven.heat()\n",
            "table.py": "def knead(dough):\n    return dough.knead()\n",
            "shelf.py": "def put_salt(salt):\n    return salt\n",
        }.items():
            (self.root / name).write_text(text)

    def build(self, weights: Path | None = None) -> None:
        task = IndexTask(str(self.root), str(self.index), encoder=str(weights or self.weights))
        run(
            IndexWorker(task, lambda report: None, trust=False),
            lambda pause: [],
            until_ready=True,
            with_vectors=True,
        )

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        with sqlite3.connect(self.index / location.DATABASE) as connection:
            found = connection.execute(statement).fetchall()
        connection.close()
        return found

    def search(self, text: str, encoder: Any = None) -> tuple[list[str], str]:
        reader = IndexReader(self.index / location.DATABASE)
        search = NearestChunks(reader, encoder or load_encoder(self.weights))
        ranked = search.rank(text, 10)
        reader.close()
        paths = dict(self.rows("SELECT chunk, path FROM piece JOIN file USING (content)"))
        return [paths[chunk] for chunk in ranked], search.problem


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path)


def test_a_question_in_other_words_finds_the_chunk(workspace: Workspace) -> None:
    workspace.build()
    assert workspace.search("warm it")[0][0] == "stove.py"
    assert workspace.search("knead the bread")[0][0] == "table.py"


def test_what_is_computed_is_not_computed_again(workspace: Workspace) -> None:
    workspace.build()
    before = dict(workspace.rows("SELECT chunk, id FROM vector"))
    (workspace.root / "stove.py").rename(workspace.root / "moved.py")
    (workspace.root / "more.py").write_text("def bake(bread):\n    return bread\n")
    workspace.build()
    after = dict(workspace.rows("SELECT chunk, id FROM vector"))
    assert before.items() < after.items() and len(after) == len(before) + 1
    assert workspace.search("warm")[0][0] == "moved.py"


def test_an_interrupted_run_goes_on(workspace: Workspace) -> None:
    task = IndexTask(str(workspace.root), str(workspace.index), encoder=str(workspace.weights))
    worker = IndexWorker(task, lambda report: None, trust=False)
    while worker.state != "ready":
        worker.step()
    worker.close()
    workspace.build()
    assert workspace.rows("SELECT count(*) FROM vector") == workspace.rows("SELECT count(*) FROM chunk")


def test_vectors_of_removed_chunks_go_when_they_are_many(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace.build()
    (workspace.root / "stove.py").unlink()
    (workspace.root / "shelf.py").write_text("def put_bread(bread):\n    return bread\n")
    workspace.build()
    workspace.build()
    assert workspace.rows("SELECT count(*) FROM vector") == [(4,)], "a few stay for a switch back"
    monkeypatch.setattr(store, "MIN_STALE", 1)
    monkeypatch.setattr(store, "REMOVED_PER_TRANSACTION", 1)
    workspace.build()
    live = "SELECT chunk FROM piece JOIN file USING (content) ORDER BY 1"
    assert workspace.rows("SELECT chunk FROM vector ORDER BY 1") == workspace.rows(live)
    assert workspace.search("knead")[0][0] == "table.py" and len(workspace.rows(live)) == 2


def test_a_chunk_that_comes_back_after_its_vector_was_removed_gets_another(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "MIN_STALE", 0)
    workspace.build()
    stove = (workspace.root / "stove.py").read_text()
    (workspace.root / "stove.py").unlink()
    workspace.build()
    worker = IndexWorker(
        IndexTask(str(workspace.root), str(workspace.index), encoder=str(workspace.weights)),
        lambda report: None,
    )
    while not worker.is_complete:
        worker.step()
    assert workspace.rows("SELECT count(*) FROM vector") == [(2,)]
    (workspace.root / "stove.py").write_text(stove)
    worker.receive(IndexRequest(changed=("stove.py",)))
    worker.step()
    while not worker.is_complete:
        worker.step()
    worker.close()
    assert workspace.search("warm it")[0][0] == "stove.py"


def test_vectors_of_another_encoder_are_replaced_and_never_compared(workspace: Workspace) -> None:
    workspace.build()
    other = workspace.root.parent / "other.npz"
    save_encoder(make_encoder(2), other)
    assert workspace.search("warm", load_encoder(other)) == ([], "")
    workspace.build(other)
    assert workspace.search("warm", load_encoder(other))[0][0] == "stove.py"
    assert workspace.search("warm") == ([], "")


def test_vectors_of_a_wrong_size_are_left_out_and_computed_again(workspace: Workspace) -> None:
    workspace.build()
    [(chunk,)] = workspace.rows("SELECT chunk FROM piece JOIN file USING (content) WHERE path = 'stove.py'")
    with sqlite3.connect(workspace.index / location.DATABASE) as connection:
        connection.execute("UPDATE vector SET value = x'00' WHERE chunk = ?", (chunk,))
    connection.close()
    assert "stove.py" not in workspace.search("warm")[0]
    workspace.build()
    assert workspace.search("warm")[0][0] == "stove.py"


def test_without_vectors_there_is_no_answer_and_no_error(workspace: Workspace) -> None:
    task = IndexTask(str(workspace.root), str(workspace.index))
    run(
        IndexWorker(task, lambda report: None, trust=False),
        lambda pause: [],
        until_ready=True,
        with_vectors=True,
    )
    assert workspace.search("warm") == ([], "")


def test_an_index_is_built_where_the_encoder_is_damaged(workspace: Workspace) -> None:
    workspace.weights.write_bytes(b"PK damaged")
    workspace.build()
    assert workspace.rows("SELECT count(*) FROM file") == [(3,)]


def test_a_file_that_became_secret_or_was_changed_meanwhile_has_no_vector(workspace: Workspace) -> None:
    task = IndexTask(str(workspace.root), str(workspace.index), encoder=str(workspace.weights))
    worker = IndexWorker(task, lambda report: None, trust=False)
    while worker.state != "ready":
        worker.step()
    (workspace.root / "stove.py").write_text("def other():\n    return 1\n")
    while not worker.is_complete:
        worker.step()
    worker.close()
    assert "stove.py" not in workspace.search("warm")[0]


def test_new_vectors_are_found_by_a_search_that_is_open(workspace: Workspace) -> None:
    workspace.build()
    reader = IndexReader(workspace.index / location.DATABASE)
    search = NearestChunks(reader, load_encoder(workspace.weights))
    before = len(search.rank("bread", 10))
    (workspace.root / "more.py").write_text("def bake(bread):\n    return bread\n")
    workspace.build()
    assert len(search.rank("bread", 10)) == before + 1
    reader.close()


def test_blocks_are_what_the_vectors_are(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "BLOCK_VECTORS", 2)
    (workspace.root / "more.py").write_text("def bake(bread):\n    return bread\n")
    workspace.build()
    packed = workspace.rows("SELECT last FROM vector_block")
    assert len(packed) == len(workspace.rows("SELECT id FROM vector")) // 2 > 0
    by_blocks = workspace.search("warm bread")
    with sqlite3.connect(workspace.index / location.DATABASE) as connection:
        connection.execute("DELETE FROM vector_block")
    connection.close()
    assert workspace.search("warm bread") == by_blocks
    workspace.build()
    assert workspace.rows("SELECT last FROM vector_block") == packed


def test_blocks_go_with_their_vectors(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("BLOCK_VECTORS", 1), ("MIN_STALE", 0), ("STALE_SHARE", 0.0)):
        monkeypatch.setattr(store, name, value)
    workspace.build()
    (workspace.root / "stove.py").unlink()
    workspace.build()
    workspace.build()
    ids = workspace.rows("SELECT id FROM vector ORDER BY id")
    assert workspace.rows("SELECT last FROM vector_block ORDER BY last") == ids
    assert "stove.py" not in workspace.search("warm it")[0]


def test_a_damaged_block_is_damage_of_the_index(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "BLOCK_VECTORS", 1)
    workspace.build()
    with sqlite3.connect(workspace.index / location.DATABASE) as connection:
        connection.execute("UPDATE vector_block SET value = x'00'")
    connection.close()
    found, problem = workspace.search("warm it")
    assert found == [] and "damaged" in problem


def test_vectors_beyond_the_limit_are_left_out(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace.build()
    reader = IndexReader(workspace.index / location.DATABASE)
    monkeypatch.setattr(nearest, "MAX_VECTORS", 1)
    search = NearestChunks(reader, load_encoder(workspace.weights))
    kept = search.rank("bread", 10)
    assert len(kept) == 1 and search.rank("bread", 10) == kept
    reader.close()


class FixedEncoder:
    """An encoder whose question is given."""

    name = "fixed"

    def __init__(self, question: Any) -> None:
        self._question = question

    def encode(self, texts: Sequence[str], role: int = DOCUMENT) -> Any:
        return self._question[None, :]


@pytest.mark.slow
@settings(deadline=None, max_examples=25)
@given(seed=st.integers(0, 10**6), count=st.integers(1, 70), block=st.sampled_from([4, 16, 100]))
def test_the_search_is_exact_where_all_vectors_are_compared(
    tmp_path_factory: pytest.TempPathFactory, seed: int, count: int, block: int
) -> None:
    random = np.random.RandomState(seed)
    vectors = random.randint(-127, 128, (count, DIMENSIONS)).astype(np.int8)
    question = random.randint(-127, 128, DIMENSIONS).astype(np.int8)
    path = tmp_path_factory.mktemp("index") / "index.sqlite"
    fill(path, vectors)
    reader = IndexReader(path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nearest, "BLOCK", block)
        found = NearestChunks(reader, FixedEncoder(question)).rank("any", count)
    reader.close()
    floats = vectors.astype(np.float64)
    exact = floats @ question.astype(np.float64) / np.linalg.norm(floats, axis=1)
    assert sorted(found) == list(range(100, 100 + count))
    ranked = exact[np.array(found) - 100]
    assert (np.diff(ranked) <= 1e-3 * np.abs(ranked[:-1]) + 1e-3).all()


def fill(path: Path, vectors: Any) -> None:
    """Make an index that holds nothing but vectors, for the chunks from 100 on."""
    from editahead_retrieval.index.store import IndexStore
    from editahead_retrieval.vectors.store import VectorStore

    store = IndexStore(path)
    kept = VectorStore(store.connection, "fixed")
    while kept.prepare():
        pass
    kept.put(range(100, 100 + len(vectors)), [vector.tobytes() for vector in vectors])
    store.close()


def test_an_encoder_is_read_as_it_was_written(tmp_path: Path) -> None:
    encoder = make_encoder()
    save_encoder(encoder, tmp_path / "encoder.npz")
    read = load_encoder(tmp_path / "encoder.npz")
    texts = ["heatOven(warm)", "unknown words", ""]
    for role in (DOCUMENT, QUESTION):
        assert (read.encode(texts, role) == encoder.encode(texts, role)).all()
    assert not read.encode([""]).any()


@pytest.mark.parametrize(
    "damage", ["cut", "text", "shape", "words", "version", "pickle", "missing", "numbers"]
)
def test_a_damaged_encoder_has_a_clear_error(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "encoder.npz"
    encoder = make_encoder()
    if damage == "shape":
        encoder = StaticEncoder(encoder.name, encoder.rows, 16, encoder.table[:, :9], encoder.gains)
    elif damage == "words":
        encoder = StaticEncoder(encoder.name, encoder.rows, 16, encoder.table[:3], encoder.gains[:, :3])
    elif damage == "numbers":
        encoder.gains[0, 0] = np.nan
    save_encoder(encoder, path)
    if damage == "cut":
        path.write_bytes(path.read_bytes()[:-400])
    elif damage == "text":
        path.write_text("no archive")
    elif damage == "version":
        np.savez(path, about=np.frombuffer(b'{"format": 0}', np.uint8), words=encoder.table[0],
                 table=encoder.table, gains=encoder.gains)  # fmt: skip  # one row
    elif damage == "pickle":
        np.savez(path, about=np.array([{}], dtype=object))
    elif damage == "missing":
        path.unlink()
    with pytest.raises(EncoderError):
        load_encoder(path)


@pytest.mark.slow
def test_an_archive_that_unpacks_to_too_much_is_not_unpacked(tmp_path: Path) -> None:
    data = io.BytesIO()
    np.savez_compressed(data, table=np.zeros(60_000_000, np.int8))
    (tmp_path / "encoder.npz").write_bytes(data.getvalue())
    with pytest.raises(EncoderError, match="too large"):
        load_encoder(tmp_path / "encoder.npz")


def test_words_are_those_of_identifiers() -> None:
    assert find_text_words("getUserName(HTTPServer_url)") == ["get", "user", "name", "http", "server", "url"]
