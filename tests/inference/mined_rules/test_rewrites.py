"""Rewrites of a history: what became what, with slots, and how often the old side came back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_inference.mined_rules.commits import MinedCommit, make_hunk
from editahead_inference.mined_rules.rewrites import Rewrite, line_rewrites, mine_rewrites


def commit(number: int, old: str, new: str, path: str = "a.py") -> MinedCommit:
    return MinedCommit(f"c{number}", float(number), (make_hunk(path, (old,) if old else (), (new,)),))


CALLS = [
    commit(n, f"self.assertEquals({name}, 1)", f"self.assertEqual({name}, 1)") for n, name in enumerate("xyz")
]


def test_a_rewrite_that_came_back() -> None:
    (rule,) = mine_rewrites(CALLS, 3, 0.0)
    assert (rule.extension, rule.old, rule.new) == (".py", "assertEquals", "assertEqual")
    assert (rule.support, rule.relapses, rule.confidence) == (3, 0, 0.75)
    assert rule.apply("    self.assertEquals(total, 2)") == "    self.assertEqual(total, 2)"
    assert rule.apply("self.assertEqual(a)") is None
    assert rule.apply("my_assertEquals(a)") is None


def test_what_stays_is_a_slot() -> None:
    commits = [
        commit(n, f"if len({name}) == 0:", f"if not {name}:")
        for n, name in enumerate(("rooms", "guests", "bills"))
    ]
    rules = mine_rewrites(commits, 3, 0.0)
    rule = next(one for one in rules if "$1" in one.old)
    assert rule.apply("if len(keys) == 0:") == "if not keys:"


def test_the_old_side_that_comes_back_counts_against_it() -> None:
    relapse = commit(7, "", "self.assertEquals(a, 2)")
    (rule,) = mine_rewrites([*CALLS, relapse], 3, 0.0)
    assert (rule.relapses, rule.confidence) == (1, 0.6)
    earlier = commit(-1, "", "self.assertEquals(a, 2)")
    (rule,) = mine_rewrites([*CALLS, earlier], 3, 0.0)
    assert rule.relapses == 0


def test_a_rewrite_in_both_ways_is_none() -> None:
    back = commit(8, "self.assertEqual(a, 1)", "self.assertEquals(a, 1)")
    assert mine_rewrites([*CALLS, back], 3, 0.0) == []


def test_files_of_another_kind_are_another_rewrite() -> None:
    commits = [*CALLS[:2], commit(9, "self.assertEquals(q, 1)", "self.assertEqual(q, 1)", "a.md")]
    assert mine_rewrites(commits, 3, 0.0) == []


tokens = st.sampled_from(["foo", "bar", "qux", "(", ")", ".", ", ", " = ", "12", "baz"])
lines = st.lists(tokens, min_size=1, max_size=7).map("".join)


@given(lines, lines)
def test_the_only_place_becomes_the_new_line(old: str, new: str) -> None:
    """A mined rewrite applied to its own example makes that example."""
    found = list(line_rewrites(f"call {old}", f"call {new}"))
    for before, after in found if len(found) == 1 else ():
        rewrite = Rewrite("", before, after, 1, 0, ())
        if len(rewrite.pattern.findall(f"call {old}")) == 1:
            made = rewrite.apply(f"call {old}")
            if made is not None:  # the line may have the new side already
                assert made.replace(" ", "") == f"call {new}".replace(" ", "")


@given(st.permutations(CALLS))
def test_the_order_does_not_matter(commits: list[MinedCommit]) -> None:
    assert mine_rewrites(commits, 2, 0.0) == mine_rewrites(CALLS, 2, 0.0)


@pytest.mark.parametrize(
    ("old", "new"), [("a = 1", "a = 2"), ("", "x"), ("same", "same"), ("$a", "$b"), ("}", ")")]
)
def test_what_tells_nothing_is_no_rewrite(old: str, new: str) -> None:
    assert list(line_rewrites(old, new)) == []
