"""The alignment that takes a sketch at its word."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from editahead_inference.apply.placement.anchors import Anchor, Segment
from editahead_inference.apply.placement.literal_alignment import literal_chain
from editahead_inference.apply.placement.placement import Target
from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.snapshot import Snapshot


def target(lines: list[str]) -> Target:
    original = Snapshot.from_text("".join(f"{line}\n" for line in lines), uri="file:///a")
    return Target(original, SyntaxTrees(), 0, len(lines), lambda: None)


def segments(*runs: list[str]) -> list[Segment]:
    out, first = [], 0
    for run in runs:
        out.append(Segment(tuple(run), first))
        first += len(run)
    return out


def pairs(chain: tuple[Anchor, ...] | None) -> list[tuple[int, int]]:
    """Return the matched lines: of the sketch, of the file."""
    return [
        (anchor.first + n, anchor.start + n)
        for anchor in chain or ()
        for n in range(anchor.last - anchor.first)
    ]


def test_lines_between_two_that_are_shown_as_neighbours_go() -> None:
    file = [
        "labels = find()",
        "hosts = {}",
        "for host in named():",
        "    hosts[host] = 1",
        "for rule in rules():",
    ]
    chain = literal_chain(segments([file[0], "", file[4], "    scheme = 'http'"]), target(file))
    assert pairs(chain) == [(0, 0), (2, 4)]


def test_what_is_between_two_runs_is_passed_over() -> None:
    file = ["first = 1", "second = 2", "}", "third = 3", "}", "fourth = 4"]
    chain = literal_chain(segments(["first = 1", "new = 0"], ["}", "fourth = 4"]), target(file))
    assert pairs(chain) == [(0, 0), (2, 4), (3, 5)]


def test_no_line_that_says_something() -> None:
    assert literal_chain(segments(["}", "new_line()"]), target(["def f():", "}"])) is None


def test_too_much_to_align() -> None:
    file = [f"line_{n} = {n}" for n in range(2_000)]
    assert literal_chain(segments(file[:500]), target(file)) is None


LINES = st.sampled_from(["alpha()", "beta()", "gamma()", "delta()", "}", "", "if ready:"])


@given(
    st.lists(st.lists(LINES, min_size=1, max_size=6), min_size=1, max_size=4), st.lists(LINES, max_size=16)
)
def test_matched_lines_are_equal_and_in_order(runs: list[list[str]], file: list[str]) -> None:
    shown = [line for run in runs for line in run]
    found = pairs(literal_chain(segments(*runs), target(file)))
    assert all(shown[a] == file[b] for a, b in found)
    assert all(a < c and b < d for (a, b), (c, d) in itertools.pairwise(found))


@given(
    st.lists(st.sampled_from([f"name_{n}()" for n in range(30)]), unique=True, min_size=2, max_size=12),
    st.data(),
)
def test_every_shown_line_of_a_cut_file_is_matched(file: list[str], data: st.DataObject) -> None:
    kept = [number for number in range(len(file)) if data.draw(st.booleans())] or [0]
    chain = literal_chain(segments([file[number] for number in kept]), target(file))
    assert [place for _, place in pairs(chain)] == kept
