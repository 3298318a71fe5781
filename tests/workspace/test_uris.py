"""The spellings of URIs, and conversion between URIs and paths."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_workspace import uris


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("file:///c%3A/x/y.py", "file:///C:/x/y.py"),
        ("file:///c:/x/y.py", "FILE:///C%3a/x/%79.py"),
        ("file://localhost/a", "file:///a"),
        ("file://Server/share/a", "file://server/share/a"),
        ("file:///a%20b", "file:///a b"),
        ("file:///ä", "file:///%C3%A4"),
        ("untitled:Untitled-1", "untitled:Untitled%2D1"),
    ],
)
def test_spellings_of_one_document(one: str, other: str) -> None:
    assert uris.canonical_key(one) == uris.canonical_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("file:///a/B", "file:///a/b"),
        ("untitled:1", "untitled:2"),
        ("file:///a", "git:///a"),
        ("file:///a%2520b", "file:///a%20b"),
    ],
)
def test_different_documents(one: str, other: str) -> None:
    assert uris.canonical_key(one) != uris.canonical_key(other)


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///tmp/a%20b.py", Path("/tmp/a b.py")),
        ("file:///C%3A/x.py", Path("c:/x.py")),
        ("file://server/share/x.py", Path("//server/share/x.py")),
        ("untitled:Untitled-1", None),
        ("file:", None),
        ("file:///a%00b", None),
        ("", None),
        ("no uri at all", None),
    ],
)
def test_the_path_of_a_uri(uri: str, path: Path | None) -> None:
    assert uris.uri_to_path(uri) == path


def test_the_uri_of_a_path() -> None:
    assert uris.path_to_uri(Path("/tmp/a b#c.py")) == "file:///tmp/a%20b%23c.py"
    assert uris.uri_to_path(uris.path_to_uri(Path("/tmp/ä%20#?.py"))) == Path("/tmp/ä%20#?.py")


@given(st.text(max_size=30) | st.text("file:/%C3a ", max_size=20).map("file:".__add__))
def test_nothing_is_refused(uri: str) -> None:
    uris.canonical_key(uri)
    uris.uri_to_path(uri)
