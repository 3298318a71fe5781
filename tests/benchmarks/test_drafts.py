"""How many tokens a step of speculative decoding says, and how many it verifies for that, when a model rewrites what its
prompt shows and says exactly what is right. Simulated, so that drafts are compared and not models; with our own vocabulary.

Our drafts are those of the proposer within vLLM: from the prompt's tokens alone. The prompts are made of real commits where
there are some, else of this repository's own history. Beside them stands what vLLM has: prompt lookup (`ngram`), as it is by
default and at its best, and suffix decoding (arXiv 2411.04975) as its paper and vLLM's defaults have it, within a request.
"""

from __future__ import annotations

import random
import time
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path

import pytest

from editahead_evals.apply.generator import Case, cases
from editahead_evals.gitrepo import recent_records
from editahead_evals.records import LONGEST, Record, read_records
from editahead_inference.apply.merge import merge
from editahead_inference.speculation.drafts import Lengths
from editahead_inference.speculation.marked import Markers
from editahead_inference.speculation.rows import Rows
from editahead_prompts.composition.render import DoesNotFit
from editahead_prompts.composition.vocabulary import own
from editahead_prompts.formats.applying import bodies
from editahead_prompts.formats.choice import FORMATS
from editahead_prompts.formats.own import FILE, GUESS, NEXT, REGION, REGION_END, SKETCH
from editahead_prompts.formats.own_apply import OWN_APPLY
from editahead_prompts.sketches.parse import NotASketch, parse
from editahead_prompts.snapshot import Snapshot, line_body
from editahead_training.next_edits import ROOTS, tasks_of
from figures import SHORT, percentile, show

pytestmark = pytest.mark.benchmark

ROOT = Path(__file__).parents[2]
DEV = ROOT.parent / "shared" / "data" / "edits" / "dev.jsonl.zst"
CASES, RIGHT, WINDOWS = (150, 20, 20) if SHORT else (2500, 150, 150)
"""Sketches that are looked at; of those with a right guess so many are taken, and so many next edits of each format."""
SEED = 11
MOST = 64
"""Tokens of a draft."""
DEPTH, MATCHED, LIKELY = 24, 12, 0.1
"""Of suffix decoding: tokens of a match and a draft together, those of the longest match that can draft as many, and how
likely a draft's tokens have to be."""

Tokens = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """A prompt, and what is to be said, as tokens."""

    prompt: Tokens
    answer: Tokens


Drafts = Callable[[Asked], Iterator[tuple[int, int, float]]]
"""For each step: tokens of the draft, tokens said, and how long the draft took, in microseconds."""


def records() -> list[Record]:
    found = read_records(DEV) if DEV.exists() else recent_records(ROOT)
    return [record for record in islice(found, 8000) if len(record.before) < LONGEST]


def applies(found: Sequence[Record]) -> dict[str, list[Asked]]:
    """Whole files, and as our format has them: the region that the change is in."""
    groups: dict[str, list[Asked]] = {}
    for kind in ("whole file", "region"):
        groups |= {f"Apply, {kind}, guess {how}": [] for how in ("right", "wrong")}
    for case in cases(found, CASES, SEED):
        (file, *others) = case.files
        if others or case.only_refusal or (guess := _guess(case)) is None:
            continue
        how = "right" if guess in file.accepted else "wrong"
        if how == "right" and len(groups["Apply, whole file, guess right"]) >= RIGHT:
            continue
        target = guess if how == "right" else file.accepted[0]
        prompt = (
            f"{FILE}{file.path}\n{REGION}\n{file.before}{REGION_END}\n{SKETCH}\n{case.sketch}\n"
            f"{GUESS}\n{guess}{NEXT}\n"
        )
        groups[f"Apply, whole file, guess {how}"].append(asked(prompt, target))
        if (within := _within(case, guess, target)) is not None:
            groups[f"Apply, region, guess {how}"].append(within)
    return groups


def _guess(case: Case) -> str | None:
    """The merge's, of one file."""
    (file,) = case.files
    try:
        sketch = parse(case.sketch, language=file.language, path=file.path)
    except NotASketch:
        return None
    return merge(sketch, sketch.files[0], _original(case)).guess


def _original(case: Case) -> Snapshot:
    (file,) = case.files
    return Snapshot.of(file.before, uri=f"file:///{file.path}", language=file.language)


def _within(case: Case, guess: str, target: str) -> Asked | None:
    original = _original(case)
    request = OWN_APPLY.build(original, case.sketch, guess, own())
    if request is None:
        return None
    old, new, region = bodies(original.text), bodies(target), request.region
    end = len(new) - len(old) + region.end
    if (*old[: region.first], *new[region.first : end], *old[region.end :]) != new:
        return None  # the answer is not within the region
    return asked(request.prompt.text, "".join(f"{line}\n" for line in new[region.first : end]))


def asked(prompt: str, answer: str) -> Asked:
    return Asked(own().encode(prompt), own().encode(f"{answer}{REGION_END}"))


def windows(found: Sequence[Record], name: str) -> list[Asked]:
    """Next edits in a format, at places where something remains to be done."""
    format, dice = FORMATS[name], random.Random(SEED)
    made: list[Asked] = []
    for record in dice.sample(found, len(found)):
        for task in tasks_of(asdict(record), dice):
            try:
                request = format.build(task.state, own(), paths=ROOTS)
            except DoesNotFit:
                continue
            region, lines = request.region, task.state.document.lines
            touched = [
                h for h in task.remaining if h.start < region.end and region.first < max(h.end, h.start + 1)
            ]
            if task.silent or not touched:
                continue
            if any(h.start < region.first or h.end > region.end for h in touched):
                continue
            new: list[str] = []
            at = region.first
            for hunk in touched:
                new += [*lines[at : hunk.start], *hunk.new]
                at = hunk.end
            answer = "".join(f"{line_body(line)}\n" for line in (*new, *lines[at : region.end]))
            made.append(asked(request.prompt.text, answer.removeprefix(request.prefill)))
            if len(made) == WINDOWS:
                return made
    return made


def nothing(asked: Asked) -> Iterator[tuple[int, int, float]]:
    return ((0, 1, 0.0) for _ in asked.answer)


def from_prompt_lookup(least: int, most: int) -> Drafts:
    """vLLM's `ngram`: what follows the first place of the longest run of `least` to `most` last tokens."""

    def steps(asked: Asked) -> Iterator[tuple[int, int, float]]:
        context: list[int] = []
        first: dict[Tokens, int] = {}

        def see(tokens: Sequence[int]) -> None:
            for token in tokens:
                context.append(token)
                for size in range(least, most + 1):
                    first.setdefault(tuple(context[-size:]), len(context))

        def draft() -> list[int]:
            places = (first[tuple(context[-size:])] for size in range(most, least - 1, -1))
            place = next((at for at in places if at < len(context)), len(context))
            return context[place : place + MOST]

        return _simulated(asked, see, draft)

    return steps


def from_suffixes(asked: Asked) -> Iterator[tuple[int, int, float]]:
    """For each length of a match as many tokens as it has, each the most frequent one there; the likeliest one."""
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
            while len(found) < min(size, DEPTH - size, MOST):
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


def from_rows(markers: Markers) -> Drafts:
    """Ours: the rows that the proposer asks."""

    def steps(asked: Asked) -> Iterator[tuple[int, int, float]]:
        rows = Rows(markers, Lengths(most=MOST), 1 << 20)
        tokens, new = array("i"), 0

        def see(said: Sequence[int]) -> None:
            nonlocal new
            tokens.extend(said)
            new = len(said)

        def draft() -> list[int]:
            rows.begin()
            return rows.draft(tokens.tobytes(), new)

        return _simulated(asked, see, draft)

    return steps


def _simulated(
    asked: Asked, see: Callable[[Sequence[int]], None], draft: Callable[[], Sequence[int]]
) -> Iterator[tuple[int, int, float]]:
    """The first token comes with the prompt, without a draft."""
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
    "ours": from_rows(Markers(own())),
}


def test_tokens_per_step() -> None:
    found = records()
    groups = applies(found)
    groups |= {f"next edit, {name}": windows(found, name) for name in ("editahead", "zeta-2", "sweep")}
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
    show(f"Drafts of at most {MOST} tokens; commits of {source}, seed {SEED}", columns, rows)
    assert rows and (SHORT or all(groups.values()))  # a few commits may have no wrong guess
