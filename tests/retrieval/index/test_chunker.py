"""Chunks: they are the file, none is too large, and their names do not depend on where they are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_prompts.syntax.languages import PARSED_LANGUAGES
from editahead_prompts.syntax.syntax_trees import find_parser
from editahead_prompts.text.snapshot import split_lines
from editahead_retrieval.index.chunker import MAX_CHUNK_BYTES, chunk_hash, split_into_chunks
from history_typist import PROPERTY

PIECES = st.sampled_from(
    [
        *("def f():\n", "    return 1\n", "class A {\n", "}\n", "x = [1, 2]\n", "\n", "# é\n", "\r"),
        *("y" * 400 + "\n", "fn a() { b() }\r\n", "z" * 2000, "\u2028", "('" * 30, "/* a */\n"),
    ]
)


def chunks_of(text: str, language: str) -> list[str]:
    parser = find_parser(language)
    root = None if parser is None else parser.parse(text.encode()).root_node
    lines = split_lines(text)
    chunks = split_into_chunks(lines, root)
    assert [chunk.start for chunk in chunks[1:]] == [chunk.end for chunk in chunks[:-1]]
    return ["".join(lines[chunk.start : chunk.end]) for chunk in chunks]


@pytest.mark.slow
@PROPERTY
@given(st.lists(PIECES, max_size=40).map("".join), st.sampled_from([*sorted(PARSED_LANGUAGES), "plaintext"]))
def test_chunks_are_the_file_and_small(text: str, language: str) -> None:
    chunks = chunks_of(text, language)
    assert "".join(chunks) == text
    for chunk in chunks:
        assert len(chunk.encode()) <= MAX_CHUNK_BYTES or len([x for x in split_lines(chunk) if x]) == 1


def test_declarations_are_kept_whole_with_their_comments() -> None:
    body = "    x = 1\n" * 100
    functions = [f"# about {name}\ndef {name}():\n{body}\n" for name in ("one", "two", "three")]
    assert [chunk.strip().splitlines()[:2] for chunk in chunks_of("".join(functions), "python")] == [
        [f"# about {name}", f"def {name}():"] for name in ("one", "two", "three")
    ]


def test_small_neighbours_are_merged_and_a_large_class_is_split_at_its_methods() -> None:
    small = "".join(f"def f{n}():\n    pass\n\n" for n in range(10))
    assert len(chunks_of(small, "python")) == 1
    methods = "".join(f"    def m{n}(self):\n" + "        a = 1\n" * 50 for n in range(4))
    chunks = chunks_of("class A:\n" + methods, "python")
    assert all(chunk.count("def ") == 2 for chunk in chunks)


def test_the_name_depends_on_text_and_language_alone() -> None:
    assert chunk_hash("a", "go") == chunk_hash("a", "go")
    assert len({chunk_hash("a", "go"), chunk_hash("a", "c"), chunk_hash("b", "go")}) == 3


def test_a_deep_tree_does_not_exhaust_the_stack() -> None:
    deep = "x = " + "(" * 5000 + "\n" * 3000 + ")" * 5000
    assert "".join(chunks_of(deep, "python")) == deep
