"""Prompts of real commits, and what is right to say, to compare drafts with; in tokens of our own vocabulary."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path

from editahead_evals.apply.sketch_generator import Case, cases
from editahead_evals.data.edit_records import MAX_FILE_CHARACTERS, Record, read_records
from editahead_evals.data.git_records import recent_records
from editahead_inference.apply.merge.merge import merge
from editahead_prompts.composition.hf_tokenizer import bundled_tokenizer
from editahead_prompts.errors import PromptTooLongError, SketchError
from editahead_prompts.formats.apply.base import line_bodies
from editahead_prompts.formats.apply.editahead_2611 import EDITAHEAD_APPLY
from editahead_prompts.formats.next_edit.editahead_2611 import FILE, GUESS, NEXT, REGION, REGION_END, SKETCH
from editahead_prompts.formats.registry import FORMATS
from editahead_prompts.sketches.parse import parse_sketch
from editahead_prompts.text.snapshot import Snapshot, line_body
from editahead_training.data.next_edit_examples import ROOTS, tasks_of

ROOT = Path(__file__).parents[2]
DEV = ROOT.parent / "shared" / "data" / "edits" / "dev.jsonl.zst"
SEED = 11

Tokens = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """A prompt, and what is to be said, as tokens."""

    prompt: Tokens
    answer: Tokens


def records() -> list[Record]:
    """Of dev, where it is there; else of this repository's own history."""
    found = read_records(DEV) if DEV.exists() else recent_records(ROOT)
    return [record for record in islice(found, 8000) if len(record.before) < MAX_FILE_CHARACTERS]


def applies(found: Sequence[Record], looked_at: int, right: int) -> dict[str, list[Asked]]:
    """Whole files, and as our format has them: the region that the change is in. looked_at: sketches; right: of those whose
    guess is right, how many are taken."""
    groups: dict[str, list[Asked]] = {}
    for kind in ("whole file", "region"):
        groups |= {f"Apply, {kind}, guess {how}": [] for how in ("right", "wrong")}
    for case in cases(found, looked_at, SEED):
        (file, *others) = case.files
        if others or case.only_refusal or (guess := _guess(case)) is None:
            continue
        how = "right" if guess in file.accepted else "wrong"
        if how == "right" and len(groups["Apply, whole file, guess right"]) >= right:
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
        sketch = parse_sketch(case.sketch, language=file.language, path=file.path)
    except SketchError:
        return None
    return merge(sketch, sketch.files[0], _original(case)).guess


def _original(case: Case) -> Snapshot:
    (file,) = case.files
    return Snapshot.from_text(file.before, uri=f"file:///{file.path}", language=file.language)


def _within(case: Case, guess: str, target: str) -> Asked | None:
    original = _original(case)
    request = EDITAHEAD_APPLY.build_for_guess(original, case.sketch, guess, bundled_tokenizer())
    if request is None:
        return None
    old, new, region = line_bodies(original.text), line_bodies(target), request.region
    end = len(new) - len(old) + region.end
    if (*old[: region.first], *new[region.first : end], *old[region.end :]) != new:
        return None  # the answer is not within the region
    return asked(request.prompt.text, "".join(f"{line}\n" for line in new[region.first : end]))


def asked(prompt: str, answer: str) -> Asked:
    return Asked(bundled_tokenizer().encode(prompt), bundled_tokenizer().encode(f"{answer}{REGION_END}"))


def windows(found: Sequence[Record], name: str, most: int) -> list[Asked]:
    """Next edits in a format, at places where something remains to be done."""
    format, dice = FORMATS[name], random.Random(SEED)
    made: list[Asked] = []
    for record in dice.sample(found, len(found)):
        for task in tasks_of(asdict(record), dice):
            try:
                request = format.build(task.state, bundled_tokenizer(), paths=ROOTS)
            except PromptTooLongError:
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
            if len(made) == most:
                return made
    return made
