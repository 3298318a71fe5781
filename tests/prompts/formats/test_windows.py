"""Which lines may be rewritten, and how they are cut into blocks."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from editahead_prompts.formats.format import Region
from editahead_prompts.formats.windows import grown, lines_around, zed_tokens, zed_windows
from editahead_prompts.formats.zeta21 import MAX_BLOCK, MIN_BLOCK, NUDGE, boundaries
from editahead_prompts.snapshot import Snapshot
from typist import PROPERTY

FUNCTIONS = "".join(
    f"def f{n}(x):\n" + "".join(f"    value_{m} = x + {m}\n" for m in range(12)) + "\n\n" for n in range(8)
)


@given(st.lists(st.integers(1, 9), min_size=1, max_size=30), st.integers(0, 60), st.data())
@PROPERTY
def test_a_region_grows_as_far_as_it_may(costs: list[int], limit: int, data: st.DataObject) -> None:
    line = data.draw(st.integers(0, len(costs) - 1))
    region = grown(costs, Region(line, line + 1), limit)
    used = sum(costs[region.first : region.end])
    assert region.first <= line < region.end
    assert used <= max(limit, costs[line])
    for next_one in (region.first - 1, region.end):
        assert not 0 <= next_one < len(costs) or used + costs[next_one] > limit


@given(
    st.integers(0, len(FUNCTIONS)), st.sampled_from(["python", "plaintext"]), st.sampled_from([20, 100, 350])
)
@PROPERTY
def test_zeds_region_is_within_its_limit_and_holds_the_cursor(at: int, language: str, limit: int) -> None:
    document = Snapshot.of(FUNCTIONS, language=language)
    region, context = zed_windows(document, at, limit, 150)
    costs = zed_tokens(document, len(document.lines))
    assert region.first <= document.line_at(at) < region.end <= len(document.lines)
    assert sum(costs[region.first : region.end]) <= limit
    assert context.first <= region.first and region.end <= context.end
    assert sum(costs[context.first : context.end]) <= sum(costs[region.first : region.end]) + 150


def test_zeds_region_takes_whole_functions() -> None:
    at = FUNCTIONS.index("value_9", FUNCTIONS.index("def f3"))
    for language, whole in (("python", True), ("plaintext", False)):
        document = Snapshot.of(FUNCTIONS, language=language)
        region, _ = zed_windows(document, at, 90, 0)
        assert ("def f3(x):\n" in document.lines[region.first : region.end]) is whole


def test_the_line_behind_the_last_line_end() -> None:
    document = Snapshot.of("a\nb\n")
    assert lines_around(document, 0, 9, 9) == Region(0, 2)
    assert lines_around(document, 4, 9, 9) == Region(0, 3)
    assert lines_around(Snapshot.of(""), 0, 9, 9) == Region(0, 1)


@given(st.lists(st.sampled_from(["", "x = 1", "}", "    return", "def f():"]), max_size=90))
@PROPERTY
def test_blocks(bodies: list[str]) -> None:
    marks = boundaries(bodies)
    assert marks[0] == 0 and marks[-1] == len(bodies)
    inner = list(pairwise(marks[:-1]))
    assert all(MIN_BLOCK <= b - a <= MAX_BLOCK + NUDGE for a, b in inner)
    assert len(marks) == 2 or marks[-1] - marks[-2] >= MIN_BLOCK
    assert len(marks) == 2 or marks[-1] - marks[-2] <= MAX_BLOCK + MIN_BLOCK + NUDGE


def test_a_block_begins_at_a_paragraph_and_not_with_a_bracket() -> None:
    body = ["x"] * 6
    assert boundaries([*body, "", "}", "def f():", *body]) == (0, 8, 15)
    assert boundaries([*body, "", "def f():", *body]) == (0, 7, 14)
    assert boundaries(["x"] * 40) == (0, 16, 32, 40)
    assert boundaries([]) == (0, 0)
