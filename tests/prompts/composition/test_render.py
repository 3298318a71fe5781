"""Composition: which parts stay in a prompt, compared with an exhaustive search."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editahead_prompts.composition.cache_miss_tracker import first_divergence
from editahead_prompts.composition.parts import (
    REQUIRED,
    CacheBreakpoint,
    FirstFitting,
    Group,
    Part,
    Reserve,
    Text,
    TokenBoundary,
    by_distance,
)
from editahead_prompts.composition.render import Prompt, render
from editahead_prompts.composition.tokenizers import ESTIMATE, Tokenizer
from editahead_prompts.errors import PromptTooLongError
from history_typist import PROPERTY


@dataclass(frozen=True)
class Characters:
    """A token for each character."""

    def count(self, text: str) -> int:
        return len(text)

    def encode(self, text: str) -> tuple[int, ...] | None:
        return tuple(map(ord, text))


@dataclass(frozen=True)
class Quadratic:
    """A tokenizer that counts more for a text than for its parts: none does, but nothing may rely on it."""

    def count(self, text: str) -> int:
        return len(text) + len(text) * len(text) // 16

    def encode(self, text: str) -> tuple[int, ...] | None:
        return None


CHARACTERS = Characters()
PRIORITIES = st.sampled_from([1.0, 2.0, 3.0, REQUIRED])
WORDS = st.text(st.sampled_from("abc"), max_size=4)


def numbered(part: Part) -> Part:
    """Return the parts with a distinct name for each leaf, in order."""
    names = iter(range(100))

    def go(part: Part) -> Part:
        match part:
            case Group():
                return replace(part, parts=tuple(map(go, part.parts)))
            case Text() | FirstFitting():
                return replace(part, name=str(next(names)))
            case _:
                return part

    return go(part)


LEAVES = st.one_of(
    st.builds(Text, WORDS.filter(bool), PRIORITIES),
    st.builds(FirstFitting, st.lists(WORDS, min_size=1, max_size=3).map(tuple), PRIORITIES),
    st.builds(Reserve, st.integers(0, 2)),
)
FRAMES = st.sampled_from(["", "<", "<<"])


def groups(
    parts: st.SearchStrategy[Part], budgets: st.SearchStrategy[int | None]
) -> st.SearchStrategy[Group]:
    return st.builds(
        Group, st.lists(parts, max_size=3).map(tuple), st.just(""), budgets, before=FRAMES, after=FRAMES
    )


FLAT = groups(st.one_of(LEAVES, groups(LEAVES, st.none())), st.none()).map(numbered)
MARKS = st.sampled_from([TokenBoundary(), CacheBreakpoint()])
ANY = st.recursive(
    st.one_of(LEAVES, MARKS), lambda p: groups(p, st.none() | st.integers(4, 12)), max_leaves=8
).map(numbered)


def best(root: Group, budget: int) -> str | None:
    """Return the best composition by search.

    Of all choices that fit and leave no gaps, it is the best one for the most important part, then for the next one, and
    so on.
    """
    leaves = list(walk(root, ()))
    order = sorted(range(len(leaves)), key=lambda n: (-leaves[n][1], n))
    found: tuple[tuple[int, ...], str] | None = None
    for choice in product(*(range(len(texts) + 1) for texts, _, _ in leaves)):
        if any(which == len(leaves[n][0]) and leaves[n][1] == REQUIRED for n, which in enumerate(choice)):
            continue
        ended = set()
        gaps = False
        for n in order:
            out = choice[n] == len(leaves[n][0])
            gaps |= not out and leaves[n][1] != REQUIRED and id(leaves[n][2]) in ended
            if out:
                ended.add(id(leaves[n][2]))
        texts = iter([(*texts, "")[which] for (texts, _, _), which in zip(leaves, choice, strict=True)])
        text, tokens = rendered(root, texts)
        if gaps or tokens > budget:
            continue
        rank = tuple(choice[n] for n in order)
        # Among required parts no one comes first: those with alternatives yield to those without.
        if found is None or rank < found[0]:
            found = rank, text
    return None if found is None else found[1]


def walk(part: Part, inside: tuple[Group, ...]) -> Iterator[tuple[tuple[str, ...], float, Group]]:
    match part:
        case Group():
            for child in part.parts:
                yield from walk(child, (*inside, part))
        case Text():
            yield (part.text,), part.priority, inside[-1]
        case FirstFitting():
            yield part.alternatives, part.priority, inside[-1]


def rendered(part: Part, texts: Iterator[str]) -> tuple[str, int]:
    match part:
        case Group():
            done = [rendered(child, texts) for child in part.parts]
            text, tokens = "".join(t for t, _ in done), sum(n for _, n in done)
            around = len(part.before) + len(part.after) if text else 0
            return (part.before + text + part.after if text else ""), tokens + around
        case Reserve():
            return "", part.tokens
        case _:
            text = next(texts)
            return text, len(text)


@pytest.mark.slow
@given(FLAT, st.integers(0, 24))
@PROPERTY
def test_it_chooses_what_trying_everything_finds(root: Group, budget: int) -> None:
    expected = best(root, budget)
    if expected is None:
        with pytest.raises(PromptTooLongError):
            render(root, budget, CHARACTERS)
    else:
        assert render(root, budget, CHARACTERS).text == expected


@pytest.mark.slow
@given(ANY, st.integers(0, 40), st.sampled_from([CHARACTERS, Quadratic(), ESTIMATE]))
@PROPERTY
def test_it_is_never_over_budget_and_the_map_covers_it(root: Part, budget: int, tokenizer: Tokenizer) -> None:
    try:
        prompt = render(root, budget, tokenizer)
    except PromptTooLongError:
        return
    assert prompt.tokens + prompt.reserved <= budget
    assert "".join(prompt.text[piece.start : piece.end] for piece in prompt.pieces) == prompt.text
    assert [piece.start for piece in prompt.pieces] == [0, *(piece.end for piece in prompt.pieces)][:-1]
    if prompt.ids is not None:
        assert "".join(map(chr, prompt.ids)) == prompt.text


def test_groups_around_token_boundaries_that_exceed_the_budget_end_in_an_error() -> None:
    group = Group((TokenBoundary(),), before="<<")
    with pytest.raises(PromptTooLongError):
        render(Group((group, Text("c", 3.0, "c"))), 1, CHARACTERS)


@pytest.mark.slow
@given(FLAT, st.integers(0, 24))
@PROPERTY
def test_what_is_left_out_is_reported(root: Group, budget: int) -> None:
    try:
        prompt = render(root, budget, CHARACTERS)
    except PromptTooLongError:
        return
    stands = {piece.name for piece in prompt.pieces}
    for left in prompt.left_out:
        assert (left.name not in stands) or left.why == "a shorter one is used"


def names(prompt: Prompt) -> list[str]:
    return [piece.name for piece in prompt.pieces]


LINES = tuple(f"{n}\n" for n in range(9))


def test_lines_go_from_the_far_ends() -> None:
    file = Group(by_distance(LINES, 3, first=10), name="file")
    assert render(file, 10, CHARACTERS).text == "1\n2\n3\n4\n5\n"
    prompt = render(file, 4, CHARACTERS)
    assert names(prompt) == ["file/line 13", "file/line 14"]
    assert {left.why for left in prompt.left_out} == {"the prompt's budget", "follows one left out"}


def test_a_group_keeps_to_its_own_budget_and_holds_up_no_other() -> None:
    parts = Group(
        (
            Group((Text("aaaa", 9), Text("b", 8)), name="one", budget=3),
            Group((Text("c", 1), Text("d", 2)), name="two", before="[", after="]"),
        )
    )
    prompt = render(parts, 10, CHARACTERS)
    assert prompt.text == "[cd]"
    assert [left.why for left in prompt.left_out] == ["its group's budget", "follows one left out"]
    assert render(parts, 3, CHARACTERS).text == "[d]"
    assert render(parts, 2, CHARACTERS).text == ""


def test_the_first_alternative_within_the_budget() -> None:
    parts = Group((FirstFitting(("whole text", "short", ""), 1, "doc"), Text("!")))
    assert [render(parts, budget, CHARACTERS).text for budget in (11, 10, 6, 5)] == [
        "whole text!",
        "short!",
        "short!",
        "!",
    ]


def test_nothing_before_a_breakpoint_yields_to_what_grows_later() -> None:
    fixed = Group((Text("a" * 6, 2), Text("b" * 6, 1)), budget=8)
    texts = [
        render(Group((fixed, CacheBreakpoint(), Text("c" * n, 9), Reserve(2))), 12, CHARACTERS)
        for n in range(8)
    ]
    assert {prompt.text[: prompt.fixed] for prompt in texts} == {"a" * 6}
    assert [prompt.text.count("c") for prompt in texts] == [0, 1, 2, 3, 4, 0, 0, 0]


def test_what_is_required_and_does_not_fit() -> None:
    with pytest.raises(PromptTooLongError, match="head: 5 tokens are needed, 4 allowed"):
        render(Group((Text("x", 1), Text("12345", name="head"))), 4, CHARACTERS)


@dataclass(frozen=True)
class Pairs:
    """A token for each two characters."""

    def count(self, text: str) -> int:
        return -(-len(text) // 2)

    def encode(self, text: str) -> tuple[int, ...] | None:
        return tuple(hash(text[n : n + 2]) for n in range(0, len(text), 2))


def test_no_token_reaches_across_a_break() -> None:
    joined, broken = (
        render(Group((Text("abc"), *between, Text("def"))), 9, Pairs())
        for between in ((), (TokenBoundary(),))
    )
    assert (joined.tokens, broken.tokens) == (3, 4)
    assert broken.ids == (*(Pairs().encode("abc") or ()), *(Pairs().encode("def") or ()))


def test_the_first_part_that_differs() -> None:
    def prompt(file: str, edit: str) -> Prompt:
        return render(Group((Text(file, name="file"), Text(edit, name="edit"))), 99, CHARACTERS)

    then = prompt("lines\n", "grow")
    assert first_divergence(then, then) is None
    grown = first_divergence(then, prompt("lines\n", "growing"))
    assert grown is not None
    assert (grown.now, grown.then, grown.kept, grown.fresh) == ("edit", None, 10, 3)
    moved = first_divergence(then, prompt("Lines\n", "grow"))
    assert moved is not None
    assert (moved.now, moved.then, moved.offset, moved.kept) == ("file", "file", 0, 0)


def test_blocks_of_lines_stay_the_same_lines() -> None:
    above = by_distance(LINES, 9, first=3, block=4)
    assert [part.name for part in above] == ["line 4", "lines 5-8", "lines 9-12"]
    assert [part.text for part in above] == ["0\n", "1\n2\n3\n4\n", "5\n6\n7\n8\n"]
    assert above[0].priority < above[1].priority < above[2].priority
    below = by_distance(LINES, 0, first=3, block=4, from_end=True)
    later = by_distance(("new\n", *LINES), 0, first=3, block=4, from_end=True)
    assert [part.text for part in below[1:]] == [part.text for part in later[1:]]
    assert by_distance((), 0, block=4) == ()
