"""Which candidates are shown: the best ones, and files that are not there yet."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from editahead_retrieval.search.features import FEATURES, KINDS, Candidate, load_weights
from editahead_retrieval.search.places import FileText, Place
from editahead_retrieval.search.shown import MAX_PER_FILE, choose_shown, put_code_first


def candidate(path: str, line: int, score: float) -> Candidate:
    """Return a candidate that has this log-odds, as far as its path is code; tests and prose have less."""
    values = dict.fromkeys(FEATURES, 0.0)
    values["test"], values["prose"] = float(path.startswith("tests/")), float(path.endswith(".md"))
    values["bm25"] = (score - load_weights("sentence")["bias"]) / load_weights("sentence")["bm25"]
    return Candidate(Place(path, line, line + 1), FileText(path, ""), {}, 0.0, values=values)


def ordered(candidates: list[Candidate]) -> list[Candidate]:
    return sorted(candidates, key=lambda found: (-found.score, found.place))


def test_the_best_pieces_leave_room_for_other_files() -> None:
    good = [candidate(f"{name}.py", line, 2.0) for name in "abc" for line in range(5)]
    others = [candidate(f"{name}.py", 0, 0.0) for name in "defghi"]
    paths = [found.place.path for found in choose_shown(ordered(good + others), 10, more_files=True)]
    assert paths[:6] == ["a.py"] * MAX_PER_FILE + ["b.py"] * MAX_PER_FILE
    assert len(set(paths[6:])) == 4 and paths[6] == "c.py"


def test_a_question_is_answered_by_the_best_pieces() -> None:
    good = [candidate(f"{name}.py", line, 2.0) for name in "abcd" for line in range(3)]
    shown = choose_shown(ordered([*good, candidate("e.py", 0, 0.0)]), 10, more_files=False)
    assert [found.place.path for found in shown] == [f"{name}.py" for name in "aaabbbcccd"]


def test_the_last_places_are_for_any_kind() -> None:
    code = [candidate(f"{number}.py", 0, 2.0 - 0.01 * number) for number in range(20)]
    rest = [candidate("tests/test_it.py", 0, 2.1), candidate("guide.md", 0, 2.2)]
    shown = choose_shown(ordered(code + rest), 10, more_files=True)
    assert [found.place.path for found in shown[-2:]] == ["tests/test_it.py", "guide.md"]
    assert all(found.values[kind] == 0 for found in shown[:8] for kind in KINDS)


def test_one_file_with_many_pieces_is_not_all_that_is_shown() -> None:
    assert (
        len(choose_shown([candidate("a.py", line, 1.0) for line in range(9)], 10, more_files=True))
        == MAX_PER_FILE
    )


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["a.py", "b.py", "tests/test_a.py", "c.md"]), st.integers(0, 9), st.floats(-5, 5)
        ),
        unique_by=lambda found: found[:2],
    ),
    st.integers(0, 12),
)
def test_what_is_shown(rows: list[tuple[str, int, float]], limit: int) -> None:
    candidates = ordered([candidate(*row) for row in rows])
    shown = choose_shown(candidates, limit, more_files=True)
    assert shown == ordered(shown) and len(shown) <= limit
    assert shown[:1] == candidates[: min(limit, 1)], "the best one stays the first"
    places = [found.place for found in shown]
    assert len(set(places)) == len(places)
    assert max(Counter(place.path for place in places).values(), default=0) <= MAX_PER_FILE


def test_code_that_has_half_of_the_question_is_put_first() -> None:
    test, prose = candidate("tests/test_a.py", 0, 5.0), candidate("a.md", 0, 4.0)
    code, other = candidate("a.py", 0, 1.0), candidate("b.py", 0, 2.0)
    code.values["coverage"] = 0.6
    put_code_first([test, prose, other, code])
    assert ordered([test, prose, other, code])[0] is code
    assert other.raised == test.raised == prose.raised == 0.0


def test_code_that_has_less_of_it_stays_where_it_is() -> None:
    found = [candidate("tests/test_a.py", 0, 5.0), candidate("a.py", 0, 1.0)]
    put_code_first(found)
    assert [each.raised for each in found] == [0.0, 0.0]
    put_code_first([])
