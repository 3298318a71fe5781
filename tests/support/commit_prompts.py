"""Prompts made of real commits with the right answers, for comparing drafts. Counted in tokens of our own vocabulary."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import Path

from editahead_evals.data.edit_records import MAX_FILE_CHARACTERS, Record, read_records
from editahead_evals.data.git_records import recent_records
from editahead_inference.apply.merge.merge import merge
from editahead_lab.apply.sketch_generator import Case, cases
from editahead_lab.training.data.replay_moments import ROOT as FOLDER
from editahead_lab.training.data.replay_moments import TrainingMoment, moments
from editahead_prompts.composition.hf_tokenizer import bundled_tokenizer
from editahead_prompts.errors import PromptTooLongError, SketchError
from editahead_prompts.formats.apply.base import line_bodies
from editahead_prompts.formats.apply.editahead_2611 import EDITAHEAD_APPLY
from editahead_prompts.formats.base import PromptPaths
from editahead_prompts.formats.next_edit.editahead_2611 import FILE, GUESS, NEXT, REGION, REGION_END, SKETCH
from editahead_prompts.formats.registry import FORMATS
from editahead_prompts.sketches.parse import parse_sketch
from editahead_prompts.state import EditorState
from editahead_prompts.text.snapshot import Snapshot, line_body

ROOT = Path(__file__).parents[2]
DEV = ROOT.parent / "shared" / "data" / "edits" / "dev.jsonl.zst"
SEED = 11
ROOTS = PromptPaths((FOLDER,))

Tokens = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class PromptAndAnswer:
    """A prompt, and the tokens of the right answer."""

    prompt: Tokens
    answer: Tokens


def records() -> list[Record]:
    """Return records of the development set where it exists, else of this repository's own history."""
    found = read_records(DEV) if DEV.exists() else recent_records(ROOT)
    return [record for record in islice(found, 8000) if len(record.before) < MAX_FILE_CHARACTERS]


def applies(found: Sequence[Record], looked_at: int, right: int) -> dict[str, list[PromptAndAnswer]]:
    """Return prompts of Apply for whole files, and in our format, where the region holds the change.

    Args:
        looked_at: The number of sketches to look at.
        right: The number of sketches with a right guess to take.
    """
    groups: dict[str, list[PromptAndAnswer]] = {}
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
    """Return the guess of the merge for one file."""
    (file,) = case.files
    try:
        sketch = parse_sketch(case.sketch, language=file.language, path=file.path)
    except SketchError:
        return None
    return merge(sketch, sketch.files[0], _original(case)).guess


def _original(case: Case) -> Snapshot:
    (file,) = case.files
    return Snapshot.from_text(file.before, uri=f"file:///{file.path}", language=file.language)


def _within(case: Case, guess: str, target: str) -> PromptAndAnswer | None:
    original = _original(case)
    request = EDITAHEAD_APPLY.build_for_guess(original, case.sketch, guess, bundled_tokenizer())
    if request is None:
        return None
    old, new, region = line_bodies(original.text), line_bodies(target), request.region
    end = len(new) - len(old) + region.end
    if (*old[: region.first], *new[region.first : end], *old[region.end :]) != new:
        return None  # the answer lies outside of the region
    return asked(request.prompt.text, "".join(f"{line}\n" for line in new[region.first : end]))


def asked(prompt: str, answer: str) -> PromptAndAnswer:
    return PromptAndAnswer(
        bundled_tokenizer().encode(prompt), bundled_tokenizer().encode(f"{answer}{REGION_END}")
    )


def windows(found: Sequence[Record], name: str, limit: int) -> list[PromptAndAnswer]:
    """Return prompts for next edits in a format, at places where part of the change is still to be made."""
    format, dice = FORMATS[name], random.Random(SEED)
    made: list[PromptAndAnswer] = []
    for record in dice.sample(found, len(found)):
        for moment in moments(asdict(record), shuffled=dice.random() < 0.5):
            if not moment.remaining:
                continue
            try:
                request = format.build(_at_next_hunk(moment), bundled_tokenizer(), paths=ROOTS)
            except PromptTooLongError:
                continue
            region, lines = request.region, moment.state.document.lines
            touched = [
                h for h in moment.remaining if h.start < region.end and region.first < max(h.end, h.start + 1)
            ]
            if not touched or any(h.start < region.first or h.end > region.end for h in touched):
                continue
            new: list[str] = []
            at = region.first
            for hunk in touched:
                new += [*lines[at : hunk.start], *hunk.new]
                at = hunk.end
            answer = "".join(f"{line_body(line)}\n" for line in (*new, *lines[at : region.end]))
            made.append(asked(request.prompt.text, answer.removeprefix(request.prefill)))
            if len(made) == limit:
                return made
    return made


def _at_next_hunk(moment: TrainingMoment) -> EditorState:
    """Return the state of a moment with the cursor in the remaining hunk that is nearest to it."""
    state = moment.state
    line = state.document.line_at(state.cursor)
    nearest = min(moment.remaining, key=lambda hunk: abs(hunk.start - line))
    return replace(state, cursor=state.document.starts[min(nearest.start, len(state.document.lines) - 1)])
