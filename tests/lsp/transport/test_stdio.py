"""Messages over stdio: headers, bodies, and damaged input."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from editahead_lsp.transport.message_framing import MAX_HEADER_BYTES, MAX_MESSAGE_BYTES, MessageFramer
from editahead_lsp.transport.stdio import StdinReaderThread, iter_message_bodies


def reader(stream: bytes, sizes: list[int]) -> Callable[[int], bytes]:
    """Return a reader of a stream in pieces of these sizes, repeated."""
    at = turn = 0

    def read(size: int) -> bytes:
        nonlocal at, turn
        piece = stream[at : at + min(size, sizes[turn % len(sizes)])]
        at += len(piece)
        turn += 1
        return piece

    return read


@given(
    st.lists(st.binary(min_size=1, max_size=20), max_size=5),
    st.lists(st.integers(1, 9), min_size=1, max_size=3),
)
def test_messages_are_whole_however_the_bytes_are_split(bodies: list[bytes], sizes: list[int]) -> None:
    stream = b"".join(b"Content-Length: %d\r\n\r\n" % len(body) + body for body in bodies)
    assert list(iter_message_bodies(reader(stream, sizes))) == bodies


def test_headers_are_read_leniently() -> None:
    stream = (
        b"rubbish\r\n\r\n"
        b"content-length:2\r\nContent-Type: x\r\n\r\nab"
        b"Content-Length: 99999999999999999999\r\n\r\n"
        b"Content-Length: 3\n\nabc"
    )
    assert list(iter_message_bodies(reader(stream, [7]))) == [b"ab", b"abc"]


def test_a_message_cut_off_is_dropped() -> None:
    assert list(iter_message_bodies(reader(b"Content-Length: 5\r\n\r\nab", [100]))) == []


async def test_a_reader_hands_messages_over_one_by_one_then_says_that_the_stream_ended() -> None:
    seen: list[bytes | int] = []
    ended = asyncio.Event()
    long = MAX_MESSAGE_BYTES + 1
    stream = b"Content-Length: 2\r\n\r\nabContent-Length: 1\r\n\r\ncContent-Length: %d\r\n\r\nxyz" % long
    loop = asyncio.get_running_loop()
    StdinReaderThread(reader(stream, [5]), loop, seen.append, seen.append, ended.set).start()
    await ended.wait()
    assert seen == [b"ab", b"c", long]


@given(st.integers(1, 9), st.integers(11, 40))
def test_a_message_that_is_too_long_is_skipped_without_being_kept(size: int, length: int) -> None:
    skipped: list[int] = []
    framer, found, most = MessageFramer(skipped.append, max_bytes=10), list[bytes](), 0
    stream = b"Content-Length: %d\r\n\r\n" % length + b"x" * length + b"Content-Length: 10\r\n\r\n0123456789"
    for at in range(0, len(stream), size):
        found += framer.feed(stream[at : at + size])
        most = max(most, framer.buffered_bytes)
    assert (skipped, found) == ([length], [b"0123456789"])
    assert most < 40


def test_a_header_that_never_ends_is_not_kept() -> None:
    framer = MessageFramer()
    for _ in range(10):
        assert list(framer.feed(b"x" * 50_000)) == []
    assert framer.buffered_bytes <= MAX_HEADER_BYTES + 50_000
    assert list(framer.feed(b"\nContent-Length: 1\r\n\r\na")) == [b"a"]
