"""Files in chunks: declarations, several small ones together, or windows of lines.

A chunk consists of whole lines, and the chunks of a file are the file. A declaration above the limit is split at its
children; neighbours that fit together are merged. Comments above a declaration belong to it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from itertools import accumulate
from typing import NamedTuple

from tree_sitter import Node

from editahead_prompts.syntax.language import is_comment

MAX_CHUNK_BYTES = 1_500
"""Bytes of a chunk in UTF-8. Only one line alone can be longer."""
VERSION = 1
"""The version of the rules. Chunks of another version have other names."""
_MAX_DEPTH = 40
"""Levels of a tree at which a declaration is split. Below them, windows of lines take over."""


class ChunkLines(NamedTuple):
    """The lines of a chunk: the 0-based first one, and the one after the last."""

    start: int
    end: int


def chunk_hash(text: str, language: str) -> bytes:
    """Return the name of a chunk: a hash of its text, its language and the version of the rules."""
    digest = blake2b(f"{VERSION}\0{language}\0".encode(), digest_size=16)
    digest.update(text.encode("utf-8", "replace"))
    return digest.digest()


def split_into_chunks(lines: Sequence[str], root: Node | None) -> list[ChunkLines]:
    """Return the chunks of a file, in order; none for an empty file.

    Args:
        lines: The lines with their line ends, as `split_lines` returns them.
        root: The root of the syntax tree; None for a language without a grammar.
    """
    starts = [0, *accumulate(map(_byte_length, lines))]
    if starts[-1] == 0:
        return []
    chunks: list[ChunkLines] = []
    for piece in _split(root, 0, len(lines), starts, 0):
        if chunks and starts[piece.end] - starts[chunks[-1].start] <= MAX_CHUNK_BYTES:
            chunks[-1] = ChunkLines(chunks[-1].start, piece.end)
        else:
            chunks.append(piece)
    return chunks


def _byte_length(line: str) -> int:
    return len(line) if line.isascii() else len(line.encode("utf-8", "replace"))


def _split(
    node: Node | None, first: int, last: int, starts: Sequence[int], depth: int
) -> Iterator[ChunkLines]:
    """Yield pieces that cover the lines from `first` to before `last`, cut between children of the node.

    Args:
        node: The smallest node that the lines belong to; None where it is not known.
        first: The first line.
        last: The line after the last one.
        starts: The offset in bytes of each line, and last the length of the file.
        depth: The number of nodes around the node.
    """
    if starts[last] - starts[first] <= MAX_CHUNK_BYTES:
        if first < last:
            yield ChunkLines(first, last)
        return
    children = node.children if node is not None and depth < _MAX_DEPTH else []
    if len(children) == 1:
        yield from _split(children[0], first, last, starts, depth + 1)
        return
    at = first
    for child in children:
        # The line that the child ends on belongs to it, and so do the lines since the one before: its comments.
        end = min(bisect_right(starts, max(child.end_byte - 1, 0)), last)
        if end > at and not is_comment(child):
            yield from _split(child, at, end, starts, depth + 1)
            at = end
    if at == first:
        yield from _windows(first, last, starts)
    elif at < last:
        yield from _split(None, at, last, starts, depth + 1)


def _windows(first: int, last: int, starts: Sequence[int]) -> Iterator[ChunkLines]:
    """Yield windows of lines below the limit, in order."""
    at = first
    while at < last:
        end = max(bisect_right(starts, starts[at] + MAX_CHUNK_BYTES) - 1, at + 1)
        yield ChunkLines(at, min(end, last))
        at = min(end, last)
