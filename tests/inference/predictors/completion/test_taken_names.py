"""The names that a list of parameters has already."""

from __future__ import annotations

import pytest

from editahead_inference.predictors.completion.pieces import split_line, split_typed
from editahead_inference.predictors.completion.taken_names import find_taken_names


def taken(line: str) -> set[str]:
    """Return the names that are taken at the bar in a line."""
    before, _, after = line.partition("|")
    return set(find_taken_names(split_typed(before).tokens[1:], split_line(after).tokens[1:]))


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("def total(lines, |", {"lines"}),
        ("def total(lines: list[int], *rest: int, |key: str) -> int:", {"lines", "rest", "key"}),
        ("def total(lines, li|", {"lines"}),
        ("def total(lines: |", set()),  # a type may be called like another parameter
        ("def total(lines, key=|", set()),
        ("function total(lines, |) {", {"lines"}),
        ("create(id: string, |, total: number, customer?: string): Order {", {"id", "total", "customer"}),
        ("constructor(private readonly repo: Repo, |) {}", {"repo"}),
        ("fn total(&self, lines: &[u32], |) -> u32 {", {"lines"}),
        ("func Total(lines []int, |", {"lines"}),
        ("total(lines, |", set()),  # a call
        ("total(a ? b : c, |", set()),
        ("total(lambda x: x, |", set()),
        ("total([lines, |", set()),
        ("total((x: number) => x, |", set()),
        ("Draw(width: size, |", {"width"}),  # a label comes once
    ],
)
def test_what_is_taken(line: str, names: set[str]) -> None:
    assert taken(line) == names
