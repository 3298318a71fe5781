"""Examples of Apply: a region, a sketch, and what the merge made of it, become the exact region.

Sketches are those of the frozen generator, whose results are known. A model is asked only where the merge is not sure; as
that is seldom, some sketches are made harder (a mark for code left out is missing, the indentation is off), and where the
merge is sure all the same, its guess is mostly taken away or spoiled as guesses are wrong.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from editahead_evals.data.edit_records import Record
from editahead_inference.apply.merge.merge import merge
from editahead_lab.apply.sketch_generator import cases
from editahead_prompts.composition.hf_tokenizer import HfTokenizer
from editahead_prompts.errors import SketchError
from editahead_prompts.formats.apply.base import line_bodies
from editahead_prompts.formats.apply.editahead_2611 import EDITAHEAD_APPLY
from editahead_prompts.formats.base import PromptPaths, PromptRequest
from editahead_prompts.sketches.elision_markers import parse_marker
from editahead_prompts.sketches.parse import parse_sketch
from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.diff import diff_lines
from editahead_prompts.text.snapshot import Snapshot

from .example import Example, rewrite
from .replay_moments import ROOT

CASES = 3
"""Sketches of each record, at most; each may come a second time, made harder."""

TIMES = 2
"""So often one that is sure is shown, each time with another guess."""

BUDGET = 1000
"""Tokens of an example, its answer included."""

MAX_SKETCH = 1_600
"""Characters. Longer ones hardly fit into the budget."""

ROOTS = PromptPaths((ROOT,))

KEPT_GUESSES, NO_GUESSES = 0.15, 0.35
"""Shares among the guesses that are sure; the rest are spoiled."""


def examples_of(
    record: Mapping[str, str], rng: random.Random, vocabulary: HfTokenizer, budget: int = BUDGET
) -> Iterator[Example]:
    """Yield the examples of one record, at most `2 * CASES * TIMES`, none of more than `budget` tokens."""
    known = Record(**{name: record[name] for name in Record.__slots__})
    for case in islice(cases([known], CASES, rng.getrandbits(32)), CASES):
        (file,) = case.files
        if not file.accepted or len(case.sketch) > MAX_SKETCH:
            continue
        original = Snapshot.from_text(file.before, uri=f"{ROOT}/{file.path}", language=file.language)
        syntax = SyntaxTrees()
        for sketch in dict.fromkeys((case.sketch, harder(case.sketch, rng))):
            found = _guess(sketch, original, file.path, syntax)
            if found is None:
                continue
            guess, sure = found
            if sure and guess not in file.accepted:
                continue  # the sketch, made harder, reads as something else now
            shown = [_shown(original.text, guess, rng) for _ in range(TIMES)] if sure else [guess]
            for variant in dict.fromkeys(shown):
                example = _example(original, sketch, variant, file.accepted, vocabulary, budget)
                if example is not None:
                    yield example


def _guess(sketch: str, original: Snapshot, path: str, syntax: SyntaxTrees) -> tuple[str, bool] | None:
    """Return the merge's result for the sketch, and whether it is sure; None where a model has nothing to decide."""
    try:
        parsed = parse_sketch(sketch, language=original.language, path=path.rpartition("/")[2])
    except SketchError:
        return None
    if len(parsed.files) != 1:
        return None
    merged = merge(parsed, parsed.files[0], original, syntax=syntax)
    return merged.guess, merged.refusal is None


def _example(
    original: Snapshot,
    sketch: str,
    guess: str | None,
    accepted: Sequence[str],
    vocabulary: HfTokenizer,
    budget: int,
) -> Example | None:
    request = EDITAHEAD_APPLY.build_for_guess(original, sketch, guess, vocabulary, budget=budget, paths=ROOTS)
    if request is None:
        return None
    wanted = next((text for text in accepted if text == guess), accepted[0])
    lines = region_after(request, wanted)
    if lines is None or not any(line.strip() for line in lines):
        return None
    ids = request.prompt.ids
    assert ids is not None
    example = rewrite("apply", ids, request.region.bodies(original), lines, vocabulary)
    return example if example.tokens <= budget else None


def region_after(request: PromptRequest, wanted: str) -> tuple[str, ...] | None:
    """Return the region's lines in the wanted text; None when the text differs outside of the region, or not at all."""
    region = request.region
    old, new = line_bodies(request.document.text), line_bodies(wanted)
    below = len(old) - region.end
    if old == new or len(new) < region.first + below:
        return None
    if old[: region.first] != new[: region.first] or old[region.end :] != new[len(new) - below :]:
        return None
    return new[region.first : len(new) - below]


def _shown(before: str, guess: str, rng: random.Random) -> str | None:
    roll = rng.random()
    if roll < NO_GUESSES:
        return None
    return guess if roll < NO_GUESSES + KEPT_GUESSES else spoiled(before, guess, rng)


def harder(sketch: str, rng: random.Random) -> str:
    """Return the sketch without one of its markers for hidden code, or, where it has none, with another indentation."""
    lines = sketch.split("\n")
    marks = [
        n for n, line in enumerate(lines) if (marker := parse_marker(line)) is not None and marker.certain
    ]
    if marks:
        del lines[rng.choice(marks)]
    elif not any(line.startswith(("+", "-", "@@", "***", "<<<", ">>>")) for line in lines):
        step = rng.choice((1, 2, 3))
        lines = [" " * step + line if line.strip() and not line.startswith("```") else line for line in lines]
    return "\n".join(lines)


def spoiled(before: str, after: str, rng: random.Random) -> str:
    """Return the text after a change with one wrong hunk.

    The hunk is missing, or keeps its old lines, or is at another place, or loses lines around it, or has
    another indentation.
    """
    old, new = before.split("\n"), after.split("\n")
    hunks = diff_lines(old, new)
    if not hunks:
        return after
    i1, i2, j1, j2 = rng.choice(hunks)
    deleted, inserted = old[i1:i2], new[j1:j2]
    match rng.choice(("missing", "doubled", "moved", "lost", "indented")):
        case "missing":
            new[j1:j2] = deleted
        case "doubled" if deleted:
            new[j1:j2] = [*deleted, *inserted] if rng.random() < 0.5 else [*inserted, *deleted]
        case "moved" if inserted:
            new[j1:j2] = deleted
            at = min(max(j1 + rng.choice((-3, -2, -1, 1, 2, 3)), 0), len(new) - 1)
            new[at:at] = inserted
        case "indented" if inserted:
            step = rng.choice((-4, -2, 2, 4))
            new[j1:j2] = [
                line[-step:] if step < 0 and not line[:-step].strip() else " " * step + line
                for line in inserted
            ]
        case _:
            some = rng.randint(1, 4)
            del new[j2 : min(j2 + some, len(new) - 1)]
    return "\n".join(new)
