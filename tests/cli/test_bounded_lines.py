"""What agents send: lines that would take too much memory are left out, and the others are whole."""

from __future__ import annotations

import io
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_cli.agent_tools.bounded_lines import BoundedLines, BoundedStdin
from editahead_lsp.transport import message_framing


@given(st.lists(st.binary(max_size=12).map(lambda line: line.replace(b"\n", b"")), max_size=8), st.booleans())
def test_lines_stay_whole_or_are_left_out(lines: list[bytes], has_end: bool) -> None:
    text = b"".join(line + b"\n" for line in lines) + (b"" if has_end else b"end")
    dropped: list[None] = []
    stream = io.BufferedReader(BoundedLines(io.BytesIO(text), lambda: dropped.append(None), max_bytes=7))
    expected = [line + b"\n" if len(line) < 7 else b"too large\n" for line in lines]
    assert stream.readlines() == expected + ([] if has_end else [b"end"])
    assert len(dropped) == sum(len(line) >= 7 for line in lines)


class Endless(io.RawIOBase):
    """A line of 300 MB, and a short one."""

    def __init__(self, piece: bytes) -> None:
        self._piece, self._left = piece, 300_000_000

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:
        if self._left < 0:
            return 0
        count = min(len(buffer), len(self._piece))
        buffer[:count] = self._piece[:count]
        self._left -= count
        if self._left < 0:
            buffer[count - 5 : count] = b"\n{}\n\n"
        return count


@pytest.mark.slow
@pytest.mark.parametrize("piece", [b"x" * 60_000, b"[]," * 20_000])
def test_a_line_without_an_end_takes_little_memory(piece: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(message_framing, "MAX_VALUES", 1_000)
    tracemalloc.start()
    lines = list(BoundedStdin(io.BufferedReader(Endless(piece)), lambda: None).buffer)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert lines == [b"too large\n", b"{}\n", b"\n"]
    assert peak < 60_000_000


def test_many_values_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(message_framing, "MAX_VALUES", 1_000)
    text = b"[" + b"[]," * 1_000 + b"0]\n" + b'{"a": "' + b"[," * 2_000 + b'"}\n'
    lines = list(BoundedStdin(io.BufferedReader(io.BytesIO(text)), lambda: None).buffer)
    assert lines == [b"too large\n", text.splitlines(keepends=True)[1]]
