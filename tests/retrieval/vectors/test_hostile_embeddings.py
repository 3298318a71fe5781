"""A server of embeddings that drips, never ends, or packs: no answer takes longer, or more memory, than it may."""

from __future__ import annotations

import gzip
import socket
import threading
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import pytest

from editahead_retrieval.errors import EncoderError
from editahead_retrieval.vectors import embeddings_server
from editahead_retrieval.vectors.embeddings_server import EmbeddingsServer

pytestmark = pytest.mark.skipif(not hasattr(socket, "AF_INET"), reason="needs sockets")

Send = Callable[[Callable[[bytes], None], Callable[[], bool]], None]
"""What a server does with a connection: it gets what sends, and what waits a moment and tells whether to go on."""
OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


@contextmanager
def serving(send: Send) -> Iterator[str]:
    """Serve connections, and yield the URL."""
    is_over = threading.Event()
    listener = socket.create_server(("127.0.0.1", 0))

    def serve(connection: socket.socket) -> None:
        with connection, suppress(OSError):
            connection.recv(1 << 16)
            send(connection.sendall, lambda: not is_over.wait(0.002))

    def accept() -> None:
        with suppress(OSError):
            while not is_over.is_set():
                threading.Thread(target=serve, args=(listener.accept()[0],)).start()

    thread = threading.Thread(target=accept)
    thread.start()
    yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
    is_over.set()
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()
    thread.join()


def drip(head: bytes, piece: bytes) -> Send:
    def send(out: Callable[[bytes], None], goes_on: Callable[[], bool]) -> None:
        out(head)
        while goes_on():
            out(piece)

    return send


def flood(head: bytes, piece: bytes) -> Send:
    def send(out: Callable[[bytes], None], goes_on: Callable[[], bool]) -> None:
        out(head)
        while True:
            out(piece)

    return send


def once(answer: bytes) -> Send:
    def send(out: Callable[[bytes], None], goes_on: Callable[[], bool]) -> None:
        out(answer)
        while goes_on():
            pass

    return send


DRIPS = {
    "nothing": drip(b"", b""),
    "the head": drip(b"", b"H"),
    "headers": drip(OK, b"X: y\r\n"),
    "a header": drip(OK + b"X: ", b"y"),
    "the body": drip(OK + b"Content-Length: 1000000000\r\n\r\n", b" "),
    "chunks": drip(OK + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n"),
    "the head of a chunk": drip(OK + b"Transfer-Encoding: chunked\r\n\r\n", b"0"),
    "a body without a length": drip(OK + b"\r\n", b" "),
    "trailers": drip(OK + b"Transfer-Encoding: chunked\r\n\r\n0\r\n", b"X: y\r\n"),
    "answers that are to come": drip(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "less than is announced": once(OK + b"Content-Length: 1000\r\n\r\n{}"),
    "a refusal": drip(b"HTTP/1.1 413 Too Large\r\nContent-Length: 1000000\r\n\r\n", b" "),
}


@pytest.mark.parametrize("name", DRIPS)
def test_an_answer_that_drips_ends(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embeddings_server, "TIMEOUT_S", 0.1)
    with serving(DRIPS[name]) as url, pytest.raises(EncoderError):
        EmbeddingsServer(url, "model").encode(["text"])


BOMB = gzip.compress(b" " * 300_000_000, 9)
FLOODS = {
    "a body": flood(OK + b"Content-Length: 1000000000000\r\n\r\n", b" " * 60_000),
    "chunks": flood(OK + b"Transfer-Encoding: chunked\r\n\r\n", b"f000\r\n" + b" " * 0xF000 + b"\r\n"),
    "one chunk": flood(OK + b"Transfer-Encoding: chunked\r\n\r\nffffffff\r\n", b" " * 60_000),
    "headers": flood(OK, b"X: " + b"y" * 1_000 + b"\r\n"),
    "a header": flood(OK + b"X: ", b"y" * 60_000),
    "a refusal": flood(b"HTTP/1.1 500 No\r\n\r\n", b" " * 60_000),
    "packed": once(OK + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(BOMB) + BOMB),
}


@pytest.mark.parametrize("name", FLOODS)
def test_an_answer_without_an_end_takes_little_memory(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embeddings_server, "MAX_ANSWER_BYTES", 2_000_000)
    with serving(FLOODS[name]) as url:
        server = EmbeddingsServer(url, "model")
        with pytest.raises(EncoderError):
            server.encode(["text"])  # what is loaded once does not count
        tracemalloc.start()
        with pytest.raises(EncoderError):
            server.encode(["text"])
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < 12_000_000
