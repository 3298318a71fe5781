"""The incremental diff of a rewrite: settled hunks never change when more lines come."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_inference.apply.model.incremental_diff import IncrementalDiff
from editahead_inference.apply.placement.line_matching import FileLines
from editahead_prompts.text.snapshot import Snapshot
from history_typist import PROPERTY

LINES = st.lists(
    st.sampled_from(
        ["", "}", "alpha = 1", "beta = two(2)", "gamma(alpha, beta)", "return alpha", "delta = 4"]
    ),
    max_size=25,
)


def settling(old: list[str]) -> IncrementalDiff:
    return IncrementalDiff(FileLines(Snapshot.from_text("".join(f"{line}\n" for line in old))))


def test_a_change_is_settled_once_what_follows_it_stands_in_both() -> None:
    old = [f"value_{n} = compute({n})" for n in range(12)]
    new = [*old[:2], "value_2 = other()", *old[3:6], *old[8:]]
    found = settling(old)
    told = [found.feed(new[:count]) for count in range(len(new) + 1)]
    assert [(count, spans) for count, spans in enumerate(told) if spans] == [
        (5, [(2, 3, 2, 3)]),
        (8, [(6, 8, 6, 6)]),
    ]
    assert found.finish(new) == found.spans


def test_lines_that_say_little_settle_nothing() -> None:
    found = settling(["a = first(1)", "}", "}", "b = second(2)", "}", "}"])
    assert found.feed(["a = changed(1)", "}", "}"]) == []


@PROPERTY
@given(LINES, LINES, st.integers(1, 5))
def test_what_was_settled_makes_the_beginning_of_the_text(old: list[str], new: list[str], step: int) -> None:
    found = settling(old)
    told = []
    for count in range(0, len(new) + step, step):
        come = new[:count]
        told += found.feed(come)
        assert told == found.spans
        assert made(old, come, found.spans)[: found.at[1]] == come[: found.at[1]]
    assert made(old, new, found.finish(new)) == new
    assert found.finish(new)[: len(told)] == told


@pytest.mark.slow
@PROPERTY
@given(LINES, LINES)
def test_however_it_is_cut(old: list[str], new: list[str]) -> None:
    once, by_line = settling(old), settling(old)
    once.feed(new)
    for count in range(len(new) + 1):
        by_line.feed(new[:count])
    assert once.spans == by_line.spans and once.at == by_line.at


def made(old: list[str], new: list[str], spans: list[tuple[int, int, int, int]]) -> list[str]:
    out, at = [], 0
    for i1, i2, j1, j2 in spans:
        out += [*old[at:i1], *new[j1:j2]]
        at = i2
    return [*out, *old[at:]]
