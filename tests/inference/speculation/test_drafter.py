"""Drafts: a target model's answers stay the same, and repeated texts take few steps."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import example, given
from hypothesis import strategies as st

from editahead_inference.speculation.drafter import (
    DRAFT_TOKENS_PER_MATCHED,
    MAX_NGRAM,
    MIN_NGRAM,
    SURE_MATCH_LENGTH,
    Drafter,
    DraftLengths,
)

TOKENS = st.lists(st.integers(0, 5), max_size=60)


class Spoken:
    """A target model that knows what it wants to say: what came of it, in how many steps, verifying how many tokens."""

    def __init__(self, wanted: Sequence[int], drafter: Drafter) -> None:
        self.said: list[int] = []
        self.steps = self.rows = 0
        while len(self.said) < len(wanted):
            draft = drafter.draft()
            rest = wanted[len(self.said) :]
            kept = 0
            while kept < min(len(draft), len(rest)) and draft[kept] == rest[kept]:
                kept += 1
            committed = list(rest[: kept + 1])
            drafter.commit(committed)
            self.said += committed
            self.steps += 1
            self.rows += len(draft) + 1


@given(TOKENS, st.lists(TOKENS, max_size=3))
@example([1] * 60, [[1] * 60])
@example([], [[]])
def test_the_answer_is_the_models_own(wanted: list[int], sources: list[list[int]]) -> None:
    spoken = Spoken(wanted, Drafter(sources))
    assert spoken.said == wanted
    assert spoken.steps <= len(wanted)


@given(TOKENS, st.lists(TOKENS, max_size=3), st.integers(1, 8), st.integers(0, 8))
def test_a_draft_is_a_piece_of_a_source_and_never_longer_than_it_may_be(
    wanted: list[int], sources: list[list[int]], max_draft: int, asked: int
) -> None:
    drafter = Drafter(sources, DraftLengths(initial=min(2, max_draft), max=max_draft))
    for at in range(len(wanted)):
        draft = drafter.draft(asked)
        assert len(draft) <= min(max_draft, asked)
        repeated = [
            (wanted[at - period : at] * max_draft)[:max_draft] for period in range(1, min(at, MAX_NGRAM) + 1)
        ]
        texts = [*sources, wanted[:at], *repeated]
        assert any(draft == text[k : k + len(draft)] for text in texts for k in range(len(text) + 1))
        drafter.commit([wanted[at]])


@given(st.lists(st.integers(0, 10_000), min_size=1, max_size=600), st.integers(1, 64))
def test_a_source_that_is_right_is_said_in_whole_drafts(tokens: list[int], max_draft: int) -> None:
    spoken = Spoken(tokens, Drafter([tokens], DraftLengths(initial=1, max=max_draft)))
    assert spoken.steps == -(-len(tokens) // (max_draft + 1))
    assert spoken.rows <= len(tokens) + 1


def test_a_sketch_takes_over_where_the_file_is_changed() -> None:
    file = list(range(400))
    new = [1000, 1001, 1002, 1003, 1004, 1005]
    sketch = [*range(190, 200), *new, *range(205, 215)]
    wanted = [*range(200), *new, *range(205, 400)]
    alone, both = Spoken(wanted, Drafter([file])), Spoken(wanted, Drafter([file, sketch]))
    assert both.steps < alone.steps
    assert both.steps <= -(-len(wanted) // 65) + 3


def test_a_lost_place_is_found_again_after_the_fewest_tokens() -> None:
    drafter = Drafter([list(range(100))])
    drafter.commit([0, 1, 2, 77, 78])
    assert drafter.draft() == [], "two tokens tell nothing"
    drafter.commit([79])
    assert drafter.draft(3) == [80, 81, 82]
    assert MIN_NGRAM == 3


def test_a_place_known_by_few_tokens_gets_a_short_draft() -> None:
    drafter = Drafter([list(range(100))])
    drafter.commit([0, 1, 200, 50, 51, 52])
    assert drafter.draft() == list(range(53, 53 + 3 * DRAFT_TOKENS_PER_MATCHED))
    drafter.commit(list(range(53, 53 + SURE_MATCH_LENGTH)))
    assert drafter.draft() == list(range(53 + SURE_MATCH_LENGTH, 100))


def test_near_the_lost_place_less_is_enough_for_a_guess() -> None:
    drafter = Drafter([list(range(100))])
    drafter.commit([*range(20), 200, 23])
    assert drafter.draft() == [24, 25, 26, 27]
    drafter.commit([24, 201])
    assert drafter.draft() == [], "nothing is equal"
    drafter.commit([60])
    assert drafter.draft() == [], "it is far away"


def test_of_equal_places_the_next_one_is_taken() -> None:
    head, rest = [1, 2, 3], [4, 5, 6]
    block = [7, 8, 9]
    source = [*head, *block, 10, *rest, *block, 11, *rest, *block, 12]
    drafter = Drafter([source])
    drafter.commit([*head, *block, 10, *rest, 99])
    drafter.draft()
    drafter.commit(block)
    assert drafter.draft(1) == [11]


def test_an_answer_that_repeats_itself_is_a_source_too() -> None:
    once = list(range(50))
    spoken = Spoken([*once, *once, *once], Drafter([]))
    assert spoken.steps < 50 + MIN_NGRAM + 10


def test_an_answer_that_says_the_same_twice_is_thought_to_go_on_like_that() -> None:
    said = [7, 8, 9, *[1, 2, 3, 4] * 2]
    drafter = Drafter([[]])
    drafter.commit(said[:-1])
    assert drafter.draft() == [4, 1, 2, 3], "not twice yet"
    drafter.commit(said[-1:])
    assert drafter.draft() == [1, 2, 3, 4] * 3, "as far as few tokens are trusted"
    assert Spoken([*said, *[1, 2, 3, 4] * 30], Drafter([[]])).steps < 22


def test_drafts_are_shorter_after_one_that_was_not_kept() -> None:
    source = list(range(1000))
    drafter = Drafter([source], DraftLengths(initial=4, max=64))
    assert len(drafter.draft()) == 64
    drafter.commit([0, 1, 2, 2000])
    drafter.draft()
    drafter.commit([5, 6, 7])
    assert drafter.draft() == [8, 9, 10, 11]
    drafter.commit([8, 9, 10, 11, 12])
    assert len(drafter.draft()) == 8
