"""The content of a file as the index stores it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from editahead_prompts.secrets.detection import find_secrets
from editahead_prompts.syntax.languages import find_symbols, language_of
from editahead_prompts.syntax.syntax_trees import find_parser, parse
from editahead_prompts.text.scripts import fold
from editahead_prompts.text.snapshot import split_lines

from . import terms
from .chunker import chunk_hash, split_into_chunks
from .store import IndexedChunk, IndexedContent

_NOT_LINE_END = re.compile(r"[^\r\n]")
BINARY = ""
"""The language of a file that is not text. Nothing but its hash is stored."""


def decode_text(data: bytes) -> str | None:
    """Return the text of a file; None if it is binary or not UTF-8."""
    if b"\0" in data:
        return None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def blank_secrets(text: str) -> str:
    """Return a text with spaces in place of its secrets. Line ends stay, so that each line keeps its number."""
    pieces: list[str] = []
    at = 0
    for start, end in find_secrets(text):
        pieces += (text[at:start], _NOT_LINE_END.sub(" ", text[start:end]))
        at = end
    return "".join((*pieces, text[at:]))


def analyze(path: str, data: bytes, content_hash: bytes) -> IndexedContent:
    """Return what the index stores of a file. Nothing of it comes from a secret in the file.

    Args:
        path: The path of the file, whose end tells the language.
        data: The bytes.
        content_hash: Their hash.
    """
    text = decode_text(data)
    if text is None:
        return IndexedContent(content_hash, BINARY, frozenset(), "", (), ())
    text = blank_secrets(text)
    language = language_of(path)
    parser = find_parser(language)
    tree = None if parser is None else parse(parser, text.encode())
    root = None if tree is None else tree.root_node
    lines = split_lines(text)
    names: set[str] = set()
    known: dict[str, Sequence[str]] = {}
    chunks = []
    for piece in split_into_chunks(lines, root):
        chunk = "".join(lines[piece.start : piece.end])
        found = terms.find_identifiers(chunk)
        names |= found
        words = frozenset(terms.find_words(found, known))
        chunks.append(IndexedChunk(chunk_hash(chunk, language), piece.start, piece.end, words))
    symbols = [] if root is None else find_symbols(root, language, path.rpartition("/")[2])
    return IndexedContent(
        content_hash, language, frozenset(map(terms.exact_term, names)), fold(text), chunks, symbols
    )
