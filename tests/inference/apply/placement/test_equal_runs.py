"""The longest runs of equal lines, compared with a search of all pairs of lines."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from editahead_inference.apply.placement.equal_runs import EqualRuns
from editahead_inference.apply.placement.line_matching import (
    DISTINCTIVE,
    FileLines,
    count_attached,
    line_weight,
)
from editahead_prompts.text.snapshot import Snapshot

LINES = ["", "}", "    }", "return", "  return y", "@cached", "# a", "value = load(other)", "x", "try:"]
Place = tuple[int, int, int, int]


def all_runs(lines: list[str], file: list[str], low: int, high: int, strict: bool) -> set[Place]:
    """Return the first and last lines of all longest runs, in both, by a search of all pairs."""
    keys, known = [line.strip() for line in lines], [line.strip() for line in file]
    found = set()
    for first in range(len(keys)):
        for start in range(low, high):
            if first and start > low and keys[first - 1] == known[start - 1]:
                continue
            length = 0
            while first + length < len(keys) and start + length < high:
                if keys[first + length] != known[start + length]:
                    break
                length += 1
            if not strict and first + length < len(keys):
                length -= count_attached(keys[first : first + length])
            if length:
                found.add((first, first + length, start, start + length))
    return found


@given(
    st.lists(st.sampled_from(LINES), min_size=1, max_size=8),
    st.lists(st.sampled_from(LINES), min_size=1, max_size=25),
    st.integers(0, 25),
    st.integers(0, 25),
    st.booleans(),
)
@example(["}", "return", "", "x"], ["}", "return", "", "x", "}", "return", ""], 0, 25, False)
@example(["@cached", "value = load(other)"], ["@cached", "x"], 0, 25, False)
def test_runs_are_the_longest_ones(
    lines: list[str], file: list[str], low: int, high: int, strict: bool
) -> None:
    low, high = sorted((min(low, len(file)), min(high, len(file))))
    known = FileLines(Snapshot.from_text("\n".join(file) + "\n", uri="file:///a.py", language="python"))
    runs = EqualRuns(lines, known, low, high, strict=strict)
    expected = all_runs(lines, file, low, high, strict)
    strong = list(runs.strong())
    near, covering = runs.weak_near(strong), runs.covering()
    assert {run[:4] for run in [*strong, *near, *covering]} <= expected
    assert {run[:4] for run in strong} == {
        place for place in expected if weight_of(lines, file, place) >= DISTINCTIVE
    }
    filled = [number for number, line in enumerate(lines) if line.strip()]
    weak = expected - {run[:4] for run in strong}
    whole = {place for place in weak if filled and place[0] <= filled[0] and filled[-1] < place[1]}
    assert bool(covering) == bool(whole)
    assert {run[:4] for run in covering} <= whole
    for run in strong:  # The nearest weak run on either side of a strong one is found.
        for first in {place[0] for place in weak if place[0] >= run.last}:
            below = [place for place in weak if place[0] == first and place[2] >= run.end]
            assert not below or min(below, key=lambda place: place[2]) in {each[:4] for each in near}
        for first in {place[0] for place in weak if place[0] < run.first}:
            above = [place for place in weak if place[0] == first and place[2] < run.start]
            assert not above or max(above, key=lambda place: place[2]) in {each[:4] for each in near}
    assert all(runs.sums(run)[-1] == run.weight for run in strong)


def weight_of(lines: list[str], file: list[str], place: Place) -> float:
    """Return the weight of a run: that of its lines, less where the indentation differs."""
    pairs = zip(lines[place[0] : place[1]], file[place[2] : place[3]], strict=True)
    return sum(line_weight(line.strip()) * (1 if line == other else 0.7) for line, other in pairs)
