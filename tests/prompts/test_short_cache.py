"""Caches with a limit in bytes, also for lines of a megabyte."""

from __future__ import annotations

import tracemalloc

import pytest

from editahead_inference.apply.placement import line_matching, outline
from editahead_inference.predictors.completion import pieces, scope
from editahead_prompts.short_cache import MAX_CHARS, cache_short, total_chars
from editahead_prompts.text import file_names, identifiers
from editahead_retrieval.files import secret_names


def test_what_is_short_is_computed_once_and_what_is_long_each_time() -> None:
    asked: list[str] = []

    @cache_short(2)
    def upper(text: str) -> str:
        asked.append(text)
        return text.upper()

    short, long = "a" * MAX_CHARS, "a" * (MAX_CHARS + 1)
    assert [upper(short), upper(short), upper(long), upper(long)] == [short.upper()] * 2 + [long.upper()] * 2
    assert asked == [short, long, long]
    for text in ("b", "c", short):
        upper(text)
    assert asked[3:] == ["b", "c", short]


def test_total_chars() -> None:
    assert total_chars(("ab", "c"), (), "d") == 4


@pytest.mark.slow
@pytest.mark.parametrize(
    "function",
    [
        line_matching.normalize_line,
        line_matching.line_weight,
        line_matching.line_brackets,
        outline.identity,
        outline.is_function,
        pieces._split,
        identifiers.split_words,
        identifiers.case_style,
        file_names.is_git_folder,
        secret_names._is_secret_name,
        lambda line: scope._plain_names((line,)),
    ],
)
def test_long_lines_are_not_kept(function: object) -> None:
    """A repository and a model may send any number of them."""
    assert callable(function)
    function("x")
    tracemalloc.start()
    try:
        for number in range(20):
            function(f"{number} " + "x" * 100_000)
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept < 500_000
