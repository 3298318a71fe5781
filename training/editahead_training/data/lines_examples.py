"""Next edits as short examples for a base that has read code: several of one moment, whose prompts begin alike.

A commit is replayed file by file, so that the edits of earlier files are in the history. Of each file, one moment is taken:
the places where something remains to be done, the middle of an edit, and places where nothing does.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from editahead_evals.data.commit_replay import Hunk, diff
from editahead_inference.gate.gate import Gate
from editahead_inference.pipeline import default_predictors
from editahead_prompts.composition.hf_tokenizer import HfTokenizer
from editahead_prompts.errors import PromptTooLongError
from editahead_prompts.formats.answer_tokens import ANSWER_WRITERS
from editahead_prompts.formats.base import EditableRegion, PromptRequest
from editahead_prompts.formats.next_edit import editahead_2611 as region_format
from editahead_prompts.formats.next_edit import editahead_lines_2611 as lines_format
from editahead_prompts.state import EditorState, PastEdit
from editahead_prompts.text.edits import Edit, apply_to_lines
from editahead_prompts.text.snapshot import Snapshot, line_body, split_lines
from editahead_prompts.text.syntax_trees import SyntaxTrees

from .example import COPY_WEIGHT, FULL, Example
from .next_edit_examples import (
    MISTAKEN,
    ROOTS,
    Task,
    chosen_hunk,
    gone_to,
    half_typed,
    is_right,
    with_candidates,
)
from .replay_moments import ROOT, TrainingMoment, moments

FormatName: TypeAlias = Literal["editahead", "editahead-lines"]

EDITS = 3
"""Most examples of a moment with an edit. One without follows."""
AT_THE_END = 0.3
"""How often the moment of a file is the one after its last hunk, where another could be taken."""
HALF_TYPED = 0.35
"""The share of examples in which the person is in the middle of the next edit."""
MAX_EARLIER = 8
"""Edits of the commit's earlier files in the history."""
MAX_ANSWER = 128
"""Tokens of an answer in `editahead-lines`. Longer ones are beyond a small model, and cost most."""
DECISION = 200
"""The weight of the first token of an answer, which says whether there is an edit, in hundredths."""


@dataclass(frozen=True, slots=True)
class GroupedExample:
    """An example, and whether it is hard: no rule proposes its answer, or one proposes an edit where none is right."""

    example: Example
    hard: bool


def examples_of_commit(
    records: Sequence[dict[str, Any]],
    rng: random.Random,
    vocabulary: HfTokenizer,
    budget: int,
    format: FormatName,
) -> Iterator[list[GroupedExample]]:
    """Yield the examples of each file of a commit, with prompts of at most `budget` tokens.

    They are the same for the same records and generator.
    """
    predictors, gate = default_predictors(SyntaxTrees()), Gate()
    earlier: list[PastEdit] = []
    for record in rng.sample(records, len(records)):
        found = list(moments(record, shuffled=rng.random() < 0.5, by_line=rng.random() < 0.5))
        if not found:
            continue
        before = tuple(earlier[-MAX_EARLIER:])
        usable = [moment for moment in found if moment.remaining]
        if before:
            usable.append(_untouched(record))
        at_end = not usable or rng.random() < AT_THE_END
        moment = found[-1] if at_end else rng.choice(usable)
        moment = replace(moment, state=replace(moment.state, history=(*before, *moment.state.history)[-32:]))
        made = [
            grouped
            for task in _tasks(moment, predictors, gate, rng)
            if (grouped := _example(task, moment, vocabulary, budget, format)) is not None
        ]
        if made:
            yield made
        earlier += (replace(edit, open=False) for edit in found[-1].state.history)


def _tasks(
    moment: TrainingMoment, predictors: Sequence[Any], gate: Gate, rng: random.Random
) -> Iterator[Task]:
    """Yield states of one moment: they share the history."""
    for _ in range(min(EDITS, len(moment.remaining))):
        hunk = chosen_hunk(moment, rng)
        if rng.random() < HALF_TYPED:
            task = half_typed(moment, hunk, rng)
        else:
            task = Task(gone_to(moment.state, hunk, rng), moment.remaining)
        if task is not None:
            yield with_candidates(task, predictors, gate, rng)
    task = with_candidates(Task(moment.state, moment.remaining, silent=True), predictors, gate, rng)
    wrong = [edit for edit in task.state.proposed if not is_right(moment, edit)]
    if wrong and rng.random() < MISTAKEN:
        task = replace(task, state=replace(task.state, cursor=rng.choice(wrong).changed_span[0]))
    yield task


def _untouched(record: dict[str, Any]) -> TrainingMoment:
    """Return the moment before any hunk of a file."""
    lines, after = split_lines(record["before"]), split_lines(record["after"])
    document = Snapshot(f"{ROOT}/{record['path']}", record["language"], 0, lines)
    return TrainingMoment(EditorState(document, 0), diff(lines, after))


def _example(
    task: Task, moment: TrainingMoment, vocabulary: HfTokenizer, budget: int, format: FormatName
) -> GroupedExample | None:
    """Return the task as an example; None when a hunk reaches beyond the region, or the model would go on with a line."""
    builder = lines_format.EDITAHEAD_LINES if format == "editahead-lines" else region_format.EDITAHEAD
    try:
        request = builder.build(task.state, vocabulary, budget=budget, paths=ROOTS)
    except PromptTooLongError:
        return None
    if request.continues:
        return None
    region, document = request.region, task.state.document
    touched = [h for h in task.remaining if h.start < region.end and region.first < max(h.end, h.start + 1)]
    if task.silent == bool(touched) or region.end <= region.first:
        return None
    if any(h.start < region.first or h.end > region.end for h in touched):
        return None
    new = _rewritten(document, region, touched)
    proposed = [
        _after(document, region, edit) for edit in task.state.proposed if _inside(document, region, edit)
    ]
    hard = bool(proposed) if task.silent else new not in proposed
    ids, weights = _answer(request, new, vocabulary, format)
    if format == "editahead-lines" and len(ids) > MAX_ANSWER:
        return None
    assert request.prompt.ids is not None
    kind: Literal["silence", "next edit"] = "silence" if task.silent else "next edit"
    return GroupedExample(Example(kind, request.prompt.ids, ids, weights), hard)


def _answer(
    request: PromptRequest, new: Sequence[str], vocabulary: HfTokenizer, format: FormatName
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the token ids of an answer, and their weights."""
    old, writer = request.region.bodies(request.document), ANSWER_WRITERS[format]
    if tuple(old) == tuple(new):
        ids = vocabulary.encode(writer.silence)
        return ids, (DECISION, *(FULL,) * (len(ids) - 1))
    ids, tells = writer.write(old, new, vocabulary)
    weights = [FULL if tell else COPY_WEIGHT for tell in tells]
    return ids, (DECISION, *weights[1:])


def _rewritten(document: Snapshot, region: EditableRegion, hunks: Sequence[Hunk]) -> tuple[str, ...]:
    """Return the region's lines after the hunks, without line ends."""
    new: list[str] = []
    at = region.first
    for hunk in hunks:
        new += [*document.lines[at : hunk.start], *hunk.new]
        at = hunk.end
    new += document.lines[at : region.end]
    return tuple(map(line_body, new))


def _inside(document: Snapshot, region: EditableRegion, edit: Edit) -> bool:
    start, end = edit.changed_span
    return region.first <= document.line_at(start) <= document.line_at(end) < region.end


def _after(document: Snapshot, region: EditableRegion, edit: Edit) -> tuple[str, ...]:
    """Return the region's lines after an edit, without line ends."""
    after = apply_to_lines(document, edit)
    grown = len(after) - len(document.lines)
    return tuple(map(line_body, after[region.first : region.end + grown]))
