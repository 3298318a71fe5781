"""The document mirror, compared with a reference model in the client's code units."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_lsp.protocol.custom_messages import Position, Range, TextDocumentContentChange
from editahead_lsp.session.documents import Document, DocumentStore
from editahead_prompts.text.snapshot import Snapshot, split_lines
from editahead_workspace.positions import (
    Encoding,
    code_unit_length,
    column_from_units,
    negotiate_encoding,
    offset_at,
    position_at,
)

ENCODINGS: list[Encoding] = ["utf-16", "utf-8", "utf-32"]
CHARACTERS = [
    "a",
    "b",
    " ",
    "\n",
    "\r",
    "\r\n",
    "\f",
    "\v",
    "\x1c",
    "\x85",
    "\u2028",
    "é",
    "中",
    "😀",
    "\U0001d54a",
]
texts = st.lists(st.sampled_from(CHARACTERS), max_size=12).map("".join)
places = st.builds(Position, st.integers(-1, 9), st.integers(-1, 14))
changes = st.builds(TextDocumentContentChange, texts, st.none() | st.builds(Range, places, places))
CODECS = {"utf-16": ("utf-16-le", 2), "utf-8": ("utf-8", 1), "utf-32": ("utf-32-le", 4)}


def reference_offset(text: str, place: Position, encoding: Encoding) -> int:
    """Return the offset by the wording of the specification, one character at a time."""
    if place.line < 0:
        return 0
    starts = [0] + [m.end() for m in re.finditer(r"\r\n|\n|\r", text)]
    if place.line >= len(starts):
        return len(text)
    at, left = starts[place.line], place.character
    codec, size = CODECS[encoding]
    while at < len(text) and text[at] not in "\r\n":
        left -= len(text[at].encode(codec)) // size
        if left < 0:
            break
        at += 1
    return at


def reference_change(text: str, change: TextDocumentContentChange, encoding: Encoding) -> str:
    if change.range is None:
        return change.text
    ends = change.range.start, change.range.end
    start, end = sorted(reference_offset(text, place, encoding) for place in ends)
    return text[:start] + change.text + text[end:]


@given(texts, st.lists(st.lists(changes, max_size=4), max_size=4), st.sampled_from(ENCODINGS))
def test_the_mirror_is_the_clients_text(
    text: str, batches: list[list[TextDocumentContentChange]], encoding: Encoding
) -> None:
    document = Document("file:///a", "python", 1, text, encoding)
    for version, batch in enumerate(batches, 2):
        before = document.snapshot
        for change in batch:
            text = reference_change(text, change, encoding)
        made = document.change(version, batch)
        assert made.before is before
        assert made.after is document.snapshot
        assert made.after.version == version
        assert made.after.text == text
        assert made.after.lines == split_lines(text)
        made.edit.check(before.length)
        assert made.edit.apply(before.text) == text


@given(texts, places, st.sampled_from(ENCODINGS))
def test_any_position_has_an_offset(text: str, place: Position, encoding: Encoding) -> None:
    assert offset_at(Snapshot.from_text(text), place.line, place.character, encoding) == reference_offset(
        text, place, encoding
    )


@given(texts, st.integers(-2, 30), st.sampled_from(ENCODINGS))
def test_offsets_survive_the_way_over_positions(text: str, offset: int, encoding: Encoding) -> None:
    snapshot = Snapshot.from_text(text)
    there = min(max(offset, 0), len(text))
    if text[there - 1 : there + 1] == "\r\n" and there:
        there -= 1  # no position lies inside a line end
    assert offset_at(snapshot, *position_at(snapshot, offset, encoding), encoding) == there


@given(texts.map(lambda t: re.sub(r"[\r\n]", "", t)), st.integers(0, 30))
def test_a_column_is_never_inside_a_character(body: str, character: int) -> None:
    for encoding in ENCODINGS:
        before = column_from_units(body, character, encoding)
        assert code_unit_length(body[:before], encoding) <= character
        if before < len(body):
            assert code_unit_length(body[: before + 1], encoding) > character


def test_a_pair_of_surrogates_typed_in_halves_becomes_one_character() -> None:
    document = Document("untitled:1", "python", 1, "ab\n")
    document.change(2, [TextDocumentContentChange("\ud83d", Range(Position(0, 1), Position(0, 1)))])
    made = document.change(3, [TextDocumentContentChange("\ude00", Range(Position(0, 2), Position(0, 2)))])
    assert made.after.text == "a😀b\n"
    assert made.edit.apply(made.before.text) == made.after.text


@pytest.mark.parametrize(
    ("text", "change", "after"),
    [
        ("a\rb", TextDocumentContentChange("\n", Range(Position(1, 0), Position(1, 0))), "a\r\nb"),
        ("a\nb", TextDocumentContentChange("\r", Range(Position(0, 1), Position(0, 1))), "a\r\nb"),
        ("a\r\nb", TextDocumentContentChange("", Range(Position(0, 0), Position(1, 0))), "b"),
        ("ab", TextDocumentContentChange("x", Range(Position(0, 2), Position(0, 0))), "x"),
        ("", TextDocumentContentChange("x", Range(Position(7, 7), Position(9, 9))), "x"),
    ],
)
def test_line_ends_and_odd_ranges(text: str, change: TextDocumentContentChange, after: str) -> None:
    document = Document("file:///a", "python", 1, text)
    assert document.change(2, [change]).after.lines == split_lines(after)


def test_a_change_is_not_longer_than_it_must_be() -> None:
    document = Document("file:///a", "python", 1, "one\ntwo\nthree\n")
    edit = document.change(2, [TextDocumentContentChange("one\ntwice\nthree\n")]).edit
    assert [(r.start, r.end, r.text) for r in edit.replacements] == [(6, 7, "ice")]


def test_changes_since_an_older_snapshot_compose() -> None:
    document = Document("file:///a", "python", 1, "abc")
    first = document.snapshot
    document.change(2, [TextDocumentContentChange("X", Range(Position(0, 0), Position(0, 0)))])
    document.change(3, [TextDocumentContentChange("Y", Range(Position(0, 4), Position(0, 4)))])
    since = document.edit_since(first)
    assert since is not None
    assert since.apply("abc") == "XabcY"
    assert document.edit_since(document.snapshot) is not None
    assert document.edit_since(Snapshot.from_text("abc")) is None


def test_an_open_document_is_found_under_every_spelling() -> None:
    documents = DocumentStore()
    documents.open(Document("file:///c%3A/x%20y.py", "python", 1, ""))
    found = documents.get("file:///C:/x y.py")
    assert found is not None
    assert found.uri == "file:///c%3A/x%20y.py"
    assert documents.close("file:///c:/x%20y.py") is found
    assert len(documents) == 0


@pytest.mark.parametrize(
    ("offered", "chosen"),
    [
        (None, "utf-16"),
        ([], "utf-16"),
        (["utf-7"], "utf-16"),
        (["utf-8"], "utf-8"),
        (["utf-16", "utf-8"], "utf-16"),
        (["utf-8", "utf-16", "utf-32"], "utf-32"),
    ],
)
def test_the_encoding_chosen(offered: list[str] | None, chosen: str) -> None:
    assert negotiate_encoding(offered) == chosen


def test_the_file_of_a_notebook_is_open_with_its_cells() -> None:
    store = DocumentStore()
    for uri in ("file:///tmp/a.ipynb#cells-python", "file:///tmp/a.ipynb#cells-markdown", "file:///tmp/b.py"):
        store.open(Document(uri, "python", 1, ""))
    assert next(iter(store.uris().values())) == "file:///tmp/a.ipynb"
    assert len(store.uris()) == 4
