"""How many tokens a step of speculative decoding says, and how many it verifies for that, when a model rewrites a file by a
sketch and says exactly what is right. Simulated, so that drafts are compared and not models; with our own vocabulary.

The sketches are made of real commits where there are some, else of this repository's own history. What prompt lookup gives
(vLLM's `ngram`, as it is by default and at its best) stands beside it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import pytest

from editahead_evals.apply.generator import Case, cases
from editahead_evals.gitrepo import recent_records
from editahead_evals.records import LONGEST, Record, read_records
from editahead_inference.apply.merge import merge
from editahead_inference.speculation.drafts import Drafter, Lengths
from editahead_prompts.composition.vocabulary import own
from editahead_prompts.sketches.parse import NotASketch, parse
from editahead_prompts.snapshot import Snapshot
from figures import SHORT, percentile, show

pytestmark = pytest.mark.benchmark

ROOT = Path(__file__).parents[2]
DEV = ROOT.parent / "shared" / "data" / "edits" / "dev.jsonl.zst"
CASES = 60 if SHORT else 600
SEED = 11
MOST = 64
"""Tokens of a draft."""

Tokens = tuple[int, ...]
Drafts = Callable[["Rewrite"], Iterator[tuple[int, int, float]]]
"""For each step: tokens of the draft, tokens said, and how long the draft took, in microseconds."""


@dataclass(frozen=True, slots=True)
class Rewrite:
    """One file as tokens: what is to be said, and what is known before. sure, right: of the merge."""

    sure: bool
    right: bool
    target: Tokens
    guess: Tokens
    before: Tokens
    sketch: Tokens


def rewrites() -> Iterator[Rewrite]:
    encode = own().encode
    for case in cases(records(), CASES, SEED):
        if (merged := _merged(case)) is None:
            continue
        sure, guess = merged
        (file,) = case.files
        right = guess in file.accepted
        target = guess if right else file.accepted[0]
        yield Rewrite(sure, right, encode(target), encode(guess), encode(file.before), encode(case.sketch))


def records() -> list[Record]:
    found = read_records(DEV) if DEV.exists() else recent_records(ROOT)
    return [record for record in islice(found, 4000) if len(record.before) < LONGEST]


def _merged(case: Case) -> tuple[bool, str] | None:
    """Whether the merge is sure, and its guess; of one file with a right answer."""
    if len(case.files) > 1 or case.only_refusal:
        return None
    (file,) = case.files
    try:
        sketch = parse(case.sketch, language=file.language, path=file.path)
    except NotASketch:
        return None
    original = Snapshot.of(file.before, uri=f"file:///{file.path}", language=file.language)
    merged = merge(sketch, sketch.files[0], original)
    return merged.refusal is None, merged.guess


def from_sources(of: Callable[[Rewrite], Sequence[Tokens]]) -> Drafts:
    def steps(rewrite: Rewrite) -> Iterator[tuple[int, int, float]]:
        drafter, said = Drafter(of(rewrite), Lengths(most=MOST)), 0
        while said < len(rewrite.target):
            started = time.perf_counter()
            draft = drafter.draft()
            committed = _kept(draft, rewrite.target[said:])
            drafter.commit(committed)
            said += len(committed)
            yield len(draft), len(committed), (time.perf_counter() - started) * 1e6

    return steps


def from_prompt_lookup(least: int, most: int) -> Drafts:
    """vLLM's `ngram`: what follows the first place of the longest run of `least` to `most` last tokens."""

    def steps(rewrite: Rewrite) -> Iterator[tuple[int, int, float]]:
        context = [*rewrite.before, *rewrite.sketch]
        first: dict[Tokens, int] = {}

        def see(token: int) -> None:
            context.append(token)
            for size in range(least, most + 1):
                first.setdefault(tuple(context[-size:]), len(context))

        known, context[:] = list(context), []
        for token in known:
            see(token)
        said = 0
        while said < len(rewrite.target):
            started = time.perf_counter()
            places = (first[tuple(context[-size:])] for size in range(most, least - 1, -1))
            place = next((at for at in places if at < len(context)), len(context))
            draft = context[place : place + MOST]
            committed = _kept(draft, rewrite.target[said:])
            for token in committed:
                see(token)
            said += len(committed)
            yield len(draft), len(committed), (time.perf_counter() - started) * 1e6

    return steps


def _kept(draft: Sequence[int], rest: Tokens) -> Tokens:
    """What the target model makes of a draft: what it would have said, and its own next token."""
    kept = 0
    while kept < min(len(draft), len(rest)) and draft[kept] == rest[kept]:
        kept += 1
    return rest[: kept + 1]


WAYS: dict[str, Drafts] = {
    "ngram, 5 tokens (default)": from_prompt_lookup(5, 5),
    "ngram, 3 to 16 tokens": from_prompt_lookup(3, 16),
    "file": from_sources(lambda rewrite: [rewrite.before]),
    "file, sketch": from_sources(lambda rewrite: [rewrite.before, rewrite.sketch]),
    "merge's guess, file, sketch": from_sources(
        lambda rewrite: [rewrite.guess, rewrite.before, rewrite.sketch]
    ),
}


def test_tokens_per_step() -> None:
    found = list(rewrites())
    groups = {
        "the merge is sure": [rewrite for rewrite in found if rewrite.sure],
        "not sure, its guess is right": [r for r in found if not r.sure and r.right],
        "its guess is wrong": [rewrite for rewrite in found if not rewrite.right],
    }
    rows = []
    for group, members in groups.items():
        for way, drafts in WAYS.items():
            steps = [step for rewrite in members for step in drafts(rewrite)]
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
                ]
            )
    source = DEV.name if DEV.exists() else "this repository"
    columns = ["", "drafts from", "tokens a step", "verified a token", "µs a step, p50"]
    show(f"Drafts of at most {MOST} tokens; sketches of {source}, seed {SEED}", columns, rows)
    assert found
