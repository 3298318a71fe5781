"""Drafts for a batch: rows are matched by their tokens when they move, and a step has a limit."""

from __future__ import annotations

import random
from array import array
from collections.abc import Sequence
from functools import cache
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_inference.speculation import batch_drafter as module
from editahead_inference.speculation.batch_drafter import MAX_IDLE_STEPS, BatchDrafter
from editahead_inference.speculation.drafter import Drafter, DraftLengths
from editahead_inference.speculation.prompt_markers import MarkerFinder
from editahead_prompts.composition.hf_tokenizer import bundled_tokenizer
from editahead_prompts.formats.next_edit.editahead_2611 import NEXT, REGION, REGION_END, SKETCH

ENCODE = bundled_tokenizer().encode
MARKERS = MarkerFinder(bundled_tokenizer())
WORDS = [id for id in range(300, 350) if "\n" not in bundled_tokenizer().decode([id])]
CONTEXT = 4000
LENGTHS = DraftLengths(initial=8, max=16)


def prompt(region: Sequence[int], sketch: Sequence[int] = ()) -> list[int]:
    marks = [ENCODE(mark) for mark in (REGION, REGION_END, SKETCH, NEXT)]
    return [*marks[0], *region, *marks[1], *marks[2], *sketch, *marks[3]]


def words(dice: random.Random, count: int) -> list[int]:
    return [dice.choice(WORDS) for _ in range(count)]


def drafted(rows: BatchDrafter, tokens: Sequence[int], new: int) -> list[int]:
    return rows.draft(array("i", tokens).tobytes(), new)


class Request:
    """A model's answer to a prompt: a step accepts the right tokens of the draft, and adds one."""

    def __init__(self, prompt: list[int], answer: list[int]) -> None:
        self.prompt, self.answer = prompt, answer
        self.said = 1
        self.draft: list[int] = []
        self.drafts: list[list[int]] = []

    @property
    def tokens(self) -> list[int]:
        return self.prompt + self.answer[: self.said]

    def step(self) -> int:
        """Take a step, and return the number of its tokens."""
        rest = self.answer[self.said :]
        kept = next((n for n, (a, b) in enumerate(zip(self.draft, rest, strict=False)) if a != b), None)
        new = min(len(self.draft) if kept is None else kept, len(rest) - 1) + 1
        self.said += new
        return new


NO_EDIT = 2


def made(seed: int) -> Request:
    dice = random.Random(seed)
    region = words(dice, 60)
    answer = [*region[:20], *words(dice, 3), *region[22:], *ENCODE(REGION_END)]
    return Request(words(dice, 90) if seed == NO_EDIT else prompt(region, answer[15:30]), answer)


@cache
def alone(seed: int) -> list[list[int]]:
    """Return the drafts of a request that is alone on the machine."""
    rows, new, request = BatchDrafter(MARKERS, LENGTHS, CONTEXT), 1, made(seed)
    while request.said < len(request.answer):
        rows.begin_step()
        request.draft = drafted(rows, request.tokens, new)
        request.drafts.append(request.draft)
        new = request.step()
    return request.drafts


def test_drafts_are_those_of_the_one_algorithm() -> None:
    edit, drafts = made(1), alone(1)
    sources = [edit.prompt[1:61], edit.prompt[63:-1]]
    end = list(ENCODE(REGION_END))
    drafter = Drafter([source + end for source in sources], LENGTHS)
    said, wanted = 1, []
    drafter.commit(edit.answer[:1])
    for draft in drafts:
        wanted.append(drafter.draft())
        again = Request([], edit.answer)
        again.said, again.draft = said, draft
        new = again.step()
        drafter.commit(edit.answer[said : said + new])
        said += new
    assert drafts == wanted
    assert len(drafts) < len(edit.answer) / 4


def test_what_is_no_edit_has_no_drafts() -> None:
    assert not any(alone(NO_EDIT))


@pytest.mark.slow
@given(st.integers(0, 10**9))
def test_rows_move_wait_and_are_given_to_others(seed: int) -> None:
    """Some share a prompt. What waits keeps its drafts while it is remembered."""
    dice = random.Random(seed)
    seeds = [dice.randrange(3) for _ in range(5)]
    requests = [made(seed) for seed in seeds]
    rows, new = BatchDrafter(MARKERS, LENGTHS, CONTEXT), dict.fromkeys(range(5), 1)
    while waiting := [n for n, one in enumerate(requests) if one.said < len(one.answer)]:
        rows.begin_step()
        for number in dice.sample(waiting, dice.randint(1, len(waiting))):
            one = requests[number]
            one.draft = drafted(rows, one.tokens, new[number])
            one.drafts.append(one.draft)
            new[number] = one.step()
    for seed, one in zip(seeds, requests, strict=True):
        assert one.drafts == alone(seed)


@given(st.sampled_from([0, 1, 3, 4]), st.integers(1, 60), st.integers(0, 3))
def test_a_row_that_was_forgotten_goes_on(seed: int, said: int, late: int) -> None:
    """After it had to make room, or after steps in which nobody was asked for drafts."""
    one = made(seed)
    one.said = said
    rows = BatchDrafter(MARKERS, LENGTHS, CONTEXT)
    rows.begin_step()
    one.draft = drafted(rows, one.tokens, 1)
    changed = range(
        20, 28
    )  # three tokens that stand nowhere, and as many as it takes to find the place again
    assert one.draft or one.said in changed or one.said == len(one.answer)
    while one.said < len(one.answer):
        new = one.step()
        for _ in range(max(late * MAX_IDLE_STEPS, 1)):
            rows.begin_step()
        one.draft = drafted(rows, one.tokens, new)
        assert len(one.draft) <= LENGTHS.max
        assert one.draft or one.said in changed or one.said == len(one.answer)


def test_rows_whose_tokens_are_not_the_remembered_ones_begin_anew() -> None:
    """Same number of tokens, same last ones."""
    one, other = made(1), made(3)
    size = module._KEY_TOKENS
    other.prompt = [*other.prompt[:-size], *one.prompt[-size:]][: len(one.prompt)]
    other.answer = one.answer
    rows, apart = BatchDrafter(MARKERS, LENGTHS, CONTEXT), BatchDrafter(MARKERS, LENGTHS, CONTEXT)
    rows.begin_step(), apart.begin_step()
    drafted(rows, one.tokens, 1)
    drafted(apart, other.tokens, 1)
    one.said = other.said = 2
    assert drafted(rows, other.tokens, 1) == drafted(apart, other.tokens, 1)


def test_drafts_never_reach_the_end_of_the_context() -> None:
    edit = made(1)
    for left in range(20):
        rows = BatchDrafter(MARKERS, LENGTHS, len(edit.tokens) + left)
        rows.begin_step()
        assert len(drafted(rows, edit.tokens, 1)) <= max(left - 1, 0)


def test_what_has_ended_is_forgotten() -> None:
    rows = BatchDrafter(MARKERS, LENGTHS, CONTEXT)
    for seed in range(10):
        rows.begin_step()
        drafted(rows, made(seed).tokens, 1)
    for _ in range(MAX_IDLE_STEPS):
        rows.begin_step()
    assert not rows._rows and rows._indexed == 0


def test_a_step_indexes_only_so_much_and_the_rest_comes_later(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_INDEXED_PER_STEP", 300)
    monkeypatch.setattr(module, "MAX_INDEXED", 1000)
    rows = BatchDrafter(MARKERS, LENGTHS, CONTEXT)
    requests = [made(seed) for seed in range(10, 30)]
    counts = []
    for _ in range(20):
        rows.begin_step()
        drafts = [drafted(rows, one.tokens, 1) for one in requests]
        counts.append(sum(map(bool, drafts)))
        for one in requests:
            one.step()
    assert 1 <= counts[0] <= 4
    assert 5 < max(counts) <= 16, "there is memory for no more"
    assert all(later - earlier <= 4 for earlier, later in pairwise(counts))


def test_a_huge_prompt_is_cut_off() -> None:
    region = [300 + number % 4000 for number in range(200_000)]
    tokens = [*prompt(region), *region[:1]]
    rows = BatchDrafter(MARKERS, LENGTHS, 1 << 20)
    rows.begin_step()
    assert drafted(rows, tokens, 1) == region[1:17]
    assert rows._indexed < 2 * module.MAX_INDEXED_PER_STEP
    # What asks for the answer far above: as if the model had said a lot.
    rows.begin_step()
    assert drafted(rows, [*prompt(region[:50]), *region], 1)
