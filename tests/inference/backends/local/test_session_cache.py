"""The cache of rows and their branches, with rows whose keys and values are the tokens themselves."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_inference.backends.local.session_cache import MAX_BRANCHES, MIN_BRANCH, SessionCache
from editahead_prompts.text.affixes import common_prefix_length

PLENTY = 1 << 20


class Tokens:
    """A row of tokens, each a byte."""

    def __init__(self) -> None:
        self.held: list[int] = []

    @property
    def nbytes(self) -> int:
        return len(self.held)

    def crop(self, size: int) -> None:
        assert size <= len(self.held)
        del self.held[size:]

    def branch(self, size: int) -> tuple[list[int], int]:
        return self.held[size:], len(self.held) - size

    def restore(self, branch: list[int], first: int, end: int) -> None:
        assert 0 <= first < end <= len(branch)
        self.held += branch[first:end]


def ask(
    cache: SessionCache[Tokens], prompt: list[int], said: list[int], session: str = "s"
) -> tuple[int, tuple[int, ...]]:
    """Answer a prompt as a model does, and return the number of its tokens that were computed, and its known answer."""
    found = cache.pop(session, prompt)
    row, shared, answer = (found.value, found.shared, found.answer) if found else (Tokens(), 0, ())
    assert row.held == prompt[:shared]
    row.held += [*prompt[shared:], *said]
    cache.put(session, row.held, row, len(prompt))
    return len(prompt) - shared, answer


def tokens(first: int, count: int) -> list[int]:
    return list(range(first, first + count))


TEXT, QUESTION = tokens(0, 50), tokens(100, 5)


def test_two_questions_on_one_text_cost_nothing_but_themselves() -> None:
    cache: SessionCache[Tokens] = SessionCache(PLENTY)
    assert ask(cache, TEXT, tokens(60, 9)) == (50, ())
    assert ask(cache, TEXT + QUESTION, tokens(70, 9)) == (5, ())
    for _ in range(3):
        assert ask(cache, TEXT, tokens(60, 9)) == (1, tuple(tokens(60, 9)))
        assert ask(cache, TEXT + QUESTION, tokens(70, 9)) == (1, tuple(tokens(70, 9)))


def test_what_is_typed_as_predicted_is_computed() -> None:
    cache: SessionCache[Tokens] = SessionCache(PLENTY)
    said = tokens(60, 9)
    ask(cache, TEXT, said)
    ask(cache, TEXT + QUESTION, tokens(70, 9))
    for typed in range(1, 9):
        assert ask(cache, TEXT + said[:typed], said[typed:]) == (1, tuple(said[typed:]))
        assert ask(cache, TEXT + said[:typed] + QUESTION, []) == (len(QUESTION), ())


@pytest.mark.parametrize("at", [0, 1, 20, 40])
def test_an_undone_edit_is_computed(at: int) -> None:
    cache: SessionCache[Tokens] = SessionCache(PLENTY)
    changed = [*TEXT[:at], 99, *TEXT[at:]]
    ask(cache, [200, *TEXT], [])
    ask(cache, [200, *changed], [])
    for _ in range(2):
        assert ask(cache, [200, *TEXT], [])[0] == 1
        assert ask(cache, [200, *changed], [])[0] == 1


def test_a_branch_of_a_branch_comes_back_with_it() -> None:
    cache: SessionCache[Tokens] = SessionCache(PLENTY)
    one, two = [*TEXT, *tokens(100, 20), *tokens(150, 20)], [*TEXT, *tokens(100, 20), *tokens(190, 20)]
    for prompt in (one, two, [*TEXT, *tokens(220, 20)]):
        ask(cache, prompt, [])
    assert ask(cache, one, [])[0] == 1
    assert ask(cache, two, [])[0] == 1


def test_a_question_is_no_answer() -> None:
    """What stands behind a text in another prompt was not said by the model."""
    cache: SessionCache[Tokens] = SessionCache(PLENTY)
    ask(cache, TEXT + QUESTION, tokens(70, 9))
    assert ask(cache, TEXT, []) == (1, ())
    assert ask(cache, TEXT + QUESTION[:2], []) == (1, ())


def test_branches_go_before_rows() -> None:
    cache: SessionCache[Tokens] = SessionCache(110)
    ask(cache, TEXT, [], "a")
    ask(cache, TEXT[:30] + tokens(100, 20), [], "a")
    ask(cache, TEXT, [], "b")
    assert ask(cache, TEXT[:30] + tokens(100, 20), [], "a")[0] == 1
    assert ask(cache, TEXT, [], "a")[0] == 20
    assert ask(cache, TEXT, [], "b")[0] == 1


def test_there_are_not_too_many_branches() -> None:
    cache: SessionCache[Tokens] = SessionCache(PLENTY)
    for number in range(2 * MAX_BRANCHES):
        ask(cache, [*TEXT, *[number] * MIN_BRANCH], [])
    assert cache.size <= 50 + MIN_BRANCH * (MAX_BRANCHES + 1)


@given(
    st.lists(
        st.tuples(
            st.sampled_from("abc"),
            st.lists(st.integers(0, 1), min_size=1, max_size=14),
            st.lists(st.integers(0, 1), max_size=6),
        ),
        max_size=30,
    ),
    st.integers(0, 60),
)
def test_a_row_is_always_that_of_its_tokens_and_within_its_size(
    steps: list[tuple[str, list[int], list[int]]], max_tokens: int
) -> None:
    cache: SessionCache[Tokens] = SessionCache(max_tokens)
    plenty: SessionCache[Tokens] = SessionCache(PLENTY)
    asked: dict[str, list[list[int]]] = {}
    for session, prompt, said in steps:
        computed, _ = ask(cache, prompt, said, session)
        assert cache.size <= max_tokens and computed >= 1
        fewest, answer = ask(plenty, prompt, said, session)
        earlier = asked.setdefault(session, [])
        last = common_prefix_length(earlier[-1], prompt) if earlier else 0
        assert fewest <= max(len(prompt) - last, 1)
        assert not answer or [*prompt, *answer] in [row[: len(prompt) + len(answer)] for row in earlier]
        earlier.append(prompt + said)
    cache.clear()
    assert cache.size == 0
