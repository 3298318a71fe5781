"""Sections of Markdown documents: a sketch of some of them leaves the others as they are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from merged_sketch import certain

WORDS = (
    "read",
    "write",
    "the file",
    "the folder",
    "once",
    "again",
    "with care",
    "of the project",
    "before use",
)


def document(parts: list[str]) -> str:
    """Return sections between two that no sketch shows: a sketch of both ends may be of the whole file."""
    return "\n".join([section("Tool", 1, ["What it is."]), *parts, section("End", 2, ["Where it ends."])])


def paragraphs(min_size: int = 1) -> st.SearchStrategy[list[str]]:
    line = st.lists(st.sampled_from(WORDS), min_size=2, max_size=6).map(lambda words: " ".join(words) + ".")
    fence = line.map(lambda words: f"```sh\n# {words}\n```")
    return st.lists(line | fence, min_size=min_size, max_size=4)


def section(name: str, level: int, text: list[str]) -> str:
    return "\n\n".join([f"{'#' * level} {name}", *text]) + "\n"


@pytest.mark.slow
@given(
    texts=st.lists(paragraphs(), min_size=2, max_size=6),
    levels=st.lists(st.integers(1, 4), min_size=6, max_size=6),
    data=st.data(),
)
def test_sections_that_are_not_shown_stay(
    texts: list[list[str]], levels: list[int], data: st.DataObject
) -> None:
    shown = sorted(data.draw(st.sets(st.integers(0, len(texts) - 1), min_size=1, max_size=3)))
    new = {number: data.draw(paragraphs()) for number in shown}
    before = [section(f"Part {n}", levels[n], text) for n, text in enumerate(texts)]
    after = [section(f"Part {n}", levels[n], new.get(n, text)) for n, text in enumerate(texts)]
    sketch = "\n".join(after[n] for n in shown)
    assert certain(sketch, document(before), "markdown") in (None, document(after))


@pytest.mark.slow
@given(
    texts=st.lists(paragraphs(), min_size=1, max_size=5),
    levels=st.lists(st.integers(2, 4), min_size=5, max_size=5),
    data=st.data(),
)
def test_a_new_section_removes_nothing(
    texts: list[list[str]], levels: list[int], data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(texts) - 1))
    fresh = section("Fresh", data.draw(st.integers(2, 4)), data.draw(paragraphs()))
    parts = [section(f"Part {n}", levels[n], text) for n, text in enumerate(texts)]
    sketch = f"<!-- ... existing content ... -->\n\n{fresh}\n{parts[at]}"
    assert certain(sketch, document(parts), "markdown") in (None, document([*parts[:at], fresh, *parts[at:]]))
