"""A server of embeddings, over real HTTP."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import numpy as np
import pytest

from editahead_retrieval.errors import EncoderError
from editahead_retrieval.vectors.embeddings_server import EmbeddingsServer
from editahead_retrieval.vectors.encoders import open_encoder
from editahead_retrieval.vectors.static_encoder import DIMENSIONS, StaticEncoder

Answer = Callable[[dict[str, Any]], tuple[int, bytes]]


class FakeEmbeddings:
    """A server on this machine, and what it was asked."""

    def __init__(self) -> None:
        self.answer: Answer = letters
        self.asked: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.asked.append(body)
                outer.keys.append(self.headers.get("Authorization"))
                status, data = outer.answer(body) if self.path == "/v1/embeddings" else (404, b"")
                self.send_response(status)
                self.send_header("Content-Length", str(len(data)))
                if status == 307:
                    self.send_header("Location", self.path)
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *arguments: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"
        self.thread = Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01})
        self.thread.start()


def letters(body: dict[str, Any]) -> tuple[int, bytes]:
    """Answer with how often each letter is in a text, the last text first."""
    rows = [
        {"index": at, "embedding": [text.count(chr(97 + letter)) + 0.01 for letter in range(26)]}
        for at, text in enumerate(body["input"])
    ]
    return 200, json.dumps({"data": rows[::-1]}).encode()


@pytest.fixture
def fake() -> Iterator[FakeEmbeddings]:
    server = FakeEmbeddings()
    yield server
    server.server.shutdown()
    server.thread.join()
    server.server.server_close()


def test_vectors_of_a_server_are_as_near_as_its_own(
    fake: FakeEmbeddings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KITCHEN_KEY", "sesame")
    encoder = open_encoder(fake.url, "letters", "KITCHEN_KEY")
    vectors = encoder.encode(["aaab", "aabb", "zzzz", ""]).astype(np.float32)
    assert vectors.shape == (4, DIMENSIONS)
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    assert unit[0] @ unit[1] > 0.7 and abs(unit[0] @ unit[2]) < 0.3
    assert fake.keys == ["Bearer sesame"] and fake.asked[0]["model"] == "letters"
    assert (EmbeddingsServer(fake.url, "letters").encode(["aaab"])[0] == vectors[0]).all()
    assert fake.keys[1] is None


def test_secrets_are_not_sent(fake: FakeEmbeddings) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    EmbeddingsServer(fake.url, "letters").encode([f'token = "{secret}"'])
    assert secret not in json.dumps(fake.asked)


def rows(*vectors: Any) -> bytes:
    return json.dumps(
        {"data": [{"index": at, "embedding": vector} for at, vector in enumerate(vectors)]}
    ).encode()


@pytest.mark.parametrize(
    ("status", "data"),
    [
        (500, b""),
        (307, b""),
        (200, b"no JSON"),
        (200, b"[]"),
        (200, b'{"data": [{"index": 1e999, "embedding": [1]}]}'),
        (200, rows([1.0, 2.0])),
        (200, rows([1.0], [1.0, 2.0])),
        (200, rows(["one"], ["two"])),
        (200, rows([1e999], [1.0])),
        (200, rows([], [])),
        (200, rows([1.0] * 20_000, [1.0] * 20_000)),
        (200, b"[" * 100_000),
    ],
)
def test_a_wrong_answer_has_a_clear_error(fake: FakeEmbeddings, status: int, data: bytes) -> None:
    fake.answer = lambda body: (status, data)
    with pytest.raises(EncoderError, match="server of embeddings"):
        EmbeddingsServer(fake.url, "letters").encode(["one", "two"])
    assert len(fake.asked) == 1


def test_an_unreachable_server_has_a_clear_error(fake: FakeEmbeddings) -> None:
    encoder = EmbeddingsServer("http://127.0.0.1:9", "letters")
    with pytest.raises(EncoderError, match="cannot be reached"):
        encoder.encode(["one"])


def test_a_server_needs_a_model() -> None:
    with pytest.raises(EncoderError, match="name of its model"):
        open_encoder("http://127.0.0.1:9/v1")


def test_another_model_has_vectors_of_its_own(fake: FakeEmbeddings) -> None:
    names = {EmbeddingsServer(fake.url, model).name for model in ("one", "two")}
    assert len(names) == 2 and StaticEncoder("x", {}, 0, np.zeros(0), np.zeros(0)).name not in names


def with_room_for(max_chars: int, status: int = 400, message: str = "the text is too long") -> Answer:
    """Answer as a server that refuses every batch with a text of more than `max_chars` characters."""

    def answer(body: dict[str, Any]) -> tuple[int, bytes]:
        if max(map(len, body["input"])) > max_chars:
            return status, json.dumps({"error": {"message": message}}).encode()
        return letters(body)

    return answer


@pytest.mark.slow
@pytest.mark.parametrize("status", [400, 413, 422, 500])
def test_texts_that_are_too_long_for_the_server_are_cut(fake: FakeEmbeddings, status: int) -> None:
    texts = ["a" * 50, "b" * 5000, "c" * 300, "d" * 900]
    whole = EmbeddingsServer(fake.url, "letters").encode([texts[0], "b" * 625, texts[2], "d" * 625])
    fake.answer = with_room_for(1000, status)
    encoder = EmbeddingsServer(fake.url, "letters")
    assert (encoder.encode(texts) == whole).all()
    count = len(fake.asked)
    encoder.encode(texts)
    assert len(fake.asked) == count + 1, "it is known by then how much the server reads"


@pytest.mark.slow
def test_a_server_that_refuses_everything_is_asked_a_few_times(fake: FakeEmbeddings) -> None:
    fake.answer = with_room_for(0, message="no \x1b[31m\nembeddings here" + "!" * 1000)
    with pytest.raises(EncoderError, match=r"status 400: no \\x1b\[31m embeddings here!") as error:
        EmbeddingsServer(fake.url, "letters").encode(["x" * 6000] * 64)
    assert len(fake.asked) < 16 and len(str(error.value)) < 300
