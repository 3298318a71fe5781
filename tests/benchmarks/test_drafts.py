"""Benchmark of drafts: tokens accepted and verified per step when a model rewrites a part of its prompt correctly.

It is a simulation with our own vocabulary, which compares drafts and not models. Our drafts are those of the proposer within
vLLM, from the prompt's tokens alone. The prompts are made of real commits where there are some, else of this repository's
own history. The baselines are vLLM's prompt lookup (`ngram`), with defaults and at its best, and suffix decoding
(arXiv 2411.04975) within a request, with the defaults of its paper and of vLLM.
"""

from __future__ import annotations

import time
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence

import pytest

from commit_prompts import DEV, SEED, PromptAndAnswer, Tokens, applies, records, windows
from editahead_inference.speculation.batch_drafter import BatchDrafter
from editahead_inference.speculation.drafter import DraftLengths
from editahead_inference.speculation.prompt_markers import MarkerFinder
from editahead_prompts.composition.hf_tokenizer import bundled_tokenizer
from figures import SHORT, percentile, show

pytestmark = pytest.mark.benchmark

CASES, RIGHT, WINDOWS = (40, 5, 5) if SHORT else (2500, 150, 150)
"""Sketches that are looked at; of those with a right guess so many are taken, and so many next edits of each format."""
MAX_DRAFT = 64
"""Tokens of a draft."""
DEPTH, MATCHED, LIKELY = 24, 12, 0.1
"""Of suffix decoding: tokens of a match and a draft together, those of the longest match that can draft as many, and how
likely a draft's tokens have to be."""

Drafts = Callable[[PromptAndAnswer], Iterator[tuple[int, int, float]]]
"""For each step: tokens of the draft, tokens said, and how long the draft took, in microseconds."""


def nothing(asked: PromptAndAnswer) -> Iterator[tuple[int, int, float]]:
    return ((0, 1, 0.0) for _ in asked.answer)


def from_prompt_lookup(min_size: int, max_size: int) -> Drafts:
    """Draft as vLLM's `ngram`: what follows the first occurrence of the longest of `min_size` to `max_size` tokens."""

    def steps(asked: PromptAndAnswer) -> Iterator[tuple[int, int, float]]:
        context: list[int] = []
        first: dict[Tokens, int] = {}

        def see(tokens: Sequence[int]) -> None:
            for token in tokens:
                context.append(token)
                for size in range(min_size, max_size + 1):
                    first.setdefault(tuple(context[-size:]), len(context))

        def draft() -> list[int]:
            places = (first[tuple(context[-size:])] for size in range(max_size, min_size - 1, -1))
            place = next((at for at in places if at < len(context)), len(context))
            return context[place : place + MAX_DRAFT]

        return _simulated(asked, see, draft)

    return steps


def from_suffixes(asked: PromptAndAnswer) -> Iterator[tuple[int, int, float]]:
    """Draft the likeliest continuation: for each length of a match as many tokens, each the most frequent one there."""
    context: list[int] = []
    ends: defaultdict[Tokens, list[int]] = defaultdict(list)

    def see(tokens: Sequence[int]) -> None:
        for token in tokens:
            context.append(token)
            for size in range(1, MATCHED + 1):
                ends[tuple(context[-size:])].append(len(context))

    def draft() -> list[int]:
        best: tuple[float, list[int]] = 0.0, []
        for size in range(1, MATCHED + 1):
            places = ends[tuple(context[-size:])]
            found, likely, score = [], 1.0, 0.0
            while len(found) < min(size, DEPTH - size, MAX_DRAFT):
                places = [place for place in places if place < len(context)]
                counted = Counter(context[place] for place in places)
                if not counted:
                    break
                ((token, times),) = counted.most_common(1)
                likely *= times / len(places)
                if likely < LIKELY:
                    break
                found.append(token)
                score += likely
                places = [place + 1 for place in places if context[place] == token]
            best = max(best, (score, found))
        return best[1]

    return _simulated(asked, see, draft)


def from_rows(markers: MarkerFinder) -> Drafts:
    """Draft as our proposer."""

    def steps(asked: PromptAndAnswer) -> Iterator[tuple[int, int, float]]:
        rows = BatchDrafter(markers, DraftLengths(max=MAX_DRAFT), 1 << 20)
        tokens, new = array("i"), 0

        def see(said: Sequence[int]) -> None:
            nonlocal new
            tokens.extend(said)
            new = len(said)

        def draft() -> list[int]:
            rows.begin_step()
            return rows.draft(tokens.tobytes(), new)

        return _simulated(asked, see, draft)

    return steps


def _simulated(
    asked: PromptAndAnswer, see: Callable[[Sequence[int]], None], draft: Callable[[], Sequence[int]]
) -> Iterator[tuple[int, int, float]]:
    """Simulate an answer. Its first token comes with the prompt, without a draft."""
    see(asked.prompt)
    see(asked.answer[:1])
    said = 1
    while said < len(asked.answer):
        started = time.perf_counter()
        drafted = draft()
        took = (time.perf_counter() - started) * 1e6
        rest = asked.answer[said:]
        kept = 0
        while kept < min(len(drafted), len(rest)) and drafted[kept] == rest[kept]:
            kept += 1
        committed = rest[: kept + 1]
        see(committed)
        said += len(committed)
        yield len(drafted), len(committed), took


WAYS: dict[str, Drafts] = {
    "nothing": nothing,
    "ngram, 5 tokens (default)": from_prompt_lookup(5, 5),
    "ngram, 3 to 16 tokens": from_prompt_lookup(3, 16),
    "suffix (default)": from_suffixes,
    "ours": from_rows(MarkerFinder(bundled_tokenizer())),
}


def test_tokens_per_step() -> None:
    found = records()
    groups = applies(found, CASES, RIGHT)
    groups |= {
        f"next edit, {name}": windows(found, name, WINDOWS) for name in ("editahead", "zeta-2", "sweep")
    }
    rows = []
    for group, members in groups.items():
        for way, drafts in WAYS.items():
            steps = [step for member in members for step in drafts(member)]
            said = sum(committed for _, committed, _ in steps)
            if not said:
                continue
            rows.append(
                [
                    f"{group} ({len(members)})",
                    way,
                    f"{said / len(steps):.1f}",
                    f"{sum(draft + 1 for draft, _, _ in steps) / said:.3f}",
                    f"{percentile([took for _, _, took in steps], 0.5):.0f}",
                    f"{percentile([took for _, _, took in steps], 0.99):.0f}",
                ]
            )
    source = DEV.name if DEV.exists() else "this repository"
    columns = ["", "drafts from", "tokens a step", "verified a token", "µs, p50", "p99"]
    show(f"Drafts of at most {MAX_DRAFT} tokens; commits of {source}, seed {SEED}", columns, rows)
    assert rows and (SHORT or all(groups.values()))  # a few commits may have no wrong guess
