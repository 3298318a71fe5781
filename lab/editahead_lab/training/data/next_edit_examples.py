"""Next edits as examples: real commits replayed, at places where something remains to be done, and where nothing does."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from editahead_evals.data.commit_replay import Hunk
from editahead_evals.data.commit_replay import diff as diff_hunks
from editahead_inference.candidates import Candidate
from editahead_inference.gate.gate import Gate
from editahead_inference.pipeline import collect_candidates, default_predictors
from editahead_prompts.composition.hf_tokenizer import HfTokenizer
from editahead_prompts.errors import PromptTooLongError
from editahead_prompts.formats.base import PromptPaths, PromptRequest
from editahead_prompts.formats.next_edit.editahead_2611 import EDITAHEAD, REGION_END, SILENT
from editahead_prompts.state import EditorState, PastEdit
from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.affixes import common_affixes
from editahead_prompts.text.diff import diff
from editahead_prompts.text.edits import Edit, Replacement
from editahead_prompts.text.snapshot import Snapshot, line_body, split_lines

from .example import DECISION_WEIGHT, Example, plain, rewrite
from .replay_moments import ROOT, TrainingMoment, moments

HALF_TYPED = 0.35
"""The share of examples in which the person is in the middle of the next edit."""
NEAREST_HUNK_SHARE = 0.6
"""The share of the others in which the user has gone to the nearest remaining hunk; else to any."""
PROPOSED = 3
"""Candidates of the rules in a prompt, at most; the share `UNTOLD` of the examples has none."""
UNTOLD = 0.2
MISTAKEN = 0.7
"""So often silence is asked for where a rule is mistaken, if one is: there it is hardest."""
A_RECORD = 3
"""Examples of a record, at most, besides one of silence."""

ROOTS = PromptPaths((ROOT,))


@dataclass(frozen=True, slots=True)
class Task:
    """A state, and the remaining hunks of its document in order; a silent task counts only without hunks in the region."""

    state: EditorState
    remaining: tuple[Hunk, ...]
    silent: bool = False


def examples_of(
    record: dict[str, Any], rng: random.Random, vocabulary: HfTokenizer, budget: int
) -> Iterator[Example]:
    """Yield examples of one record of real edits, with prompts of at most `budget` tokens.

    They are the same for the same record and generator.
    """
    for task in tasks_of(record, rng):
        yield from _example(task, vocabulary, budget)


def tasks_of(record: dict[str, Any], rng: random.Random) -> Iterator[Task]:
    """Yield at most `A_RECORD` states with remaining hunks, and one where none may remain."""
    found = list(moments(record, shuffled=rng.random() < 0.5, by_line=rng.random() < 0.5))
    predictors, gate = default_predictors(SyntaxTrees()), Gate()
    open_ones = [moment for moment in found if moment.remaining]
    for moment in rng.sample(open_ones, min(A_RECORD, len(open_ones))):
        hunk = chosen_hunk(moment, rng)
        if rng.random() < HALF_TYPED:
            task = half_typed(moment, hunk, rng)
        else:
            task = Task(move_to_hunk(moment.state, hunk, rng), moment.remaining)
        if task is not None:
            yield with_candidates(task, predictors, gate, rng)
    if found:
        moment = rng.choice(found)
        task = with_candidates(Task(moment.state, moment.remaining, silent=True), predictors, gate, rng)
        wrong = [edit for edit in task.state.proposed if not is_right(moment, edit)]
        if wrong and rng.random() < MISTAKEN:
            place = rng.choice(wrong).changed_span[0]
            task = replace(task, state=replace(task.state, cursor=place))
        yield task


def chosen_hunk(moment: TrainingMoment, rng: random.Random) -> Hunk:
    """Return the nearest remaining hunk below the cursor or above, or any."""
    line = moment.state.document.line_at(moment.state.cursor)
    if rng.random() < NEAREST_HUNK_SHARE:
        return min(moment.remaining, key=lambda hunk: (abs(hunk.start - line), hunk.start < line))
    return rng.choice(moment.remaining)


def move_to_hunk(state: EditorState, hunk: Hunk, rng: random.Random) -> EditorState:
    """Return the state with the cursor moved to the hunk: to its first line, to the change, or anywhere on it."""
    document = state.document
    line = min(hunk.start, len(document.lines) - 1)
    body = line_body(document.lines[line])
    column = len(body) - len(body.lstrip())
    if hunk.old and hunk.new and rng.random() < 0.5:
        changed = diff(hunk.old[0], hunk.new[0]).changed_span[0] if hunk.old[0] != hunk.new[0] else column
        column = min(changed, len(body))
    elif rng.random() < 0.5:
        column = rng.randint(0, len(body))
    return replace(state, cursor=document.starts[line] + column)


def half_typed(moment: TrainingMoment, hunk: Hunk, rng: random.Random) -> Task | None:
    """Return the state in the middle of typing the hunk: after its first changes and a part of the next.

    None where there is no middle.
    """
    state = moment.state
    old = state.document.lines
    after = (*old[: hunk.start], *hunk.new, *old[hunk.end :])
    whole = diff("".join(old), "".join(after)).replacements
    number = rng.randrange(len(whole))
    next_one = whole[number]
    typed = rng.randint(0, max(len(next_one.text) - 1, 0))
    begun = Replacement(next_one.start, next_one.end, next_one.text[:typed])
    made = Edit((*whole[:number], begun) if begun.text or begun.end > begun.start else whole[:number])
    if not made:
        return None
    text = made.apply(state.document.text)
    lines = split_lines(text)
    document = Snapshot(state.document.uri, state.document.language, state.document.version + 1, lines)
    cursor = begun.start + sum(r.growth for r in whole[:number]) + typed
    grown = len(lines) - len(old)
    rest = diff("".join(lines), "".join(after))
    if not rest:
        return None
    head, tail = common_affixes(old, lines)
    past = tuple(
        replace(p, line=p.line + (grown if p.line > hunk.start else 0), open=False) for p in state.history
    )
    edit = PastEdit(
        document.uri, head, old[head : len(old) - tail], lines[head : len(lines) - tail], open=True
    )
    remaining = diff_hunks(lines, _final(moment))
    return Task(EditorState(document, min(cursor, document.length), (*past, edit)[-32:]), remaining)


def _final(moment: TrainingMoment) -> tuple[str, ...]:
    """Return the lines after all hunks."""
    lines = list(moment.state.document.lines)
    for hunk in reversed(moment.remaining):
        lines[hunk.start : hunk.end] = hunk.new
    return tuple(lines)


def with_candidates(task: Task, predictors: Sequence[Any], gate: Gate, rng: random.Random) -> Task:
    """Return the state with candidates of the rules."""
    if rng.random() < UNTOLD:
        return task
    state = task.state
    found: list[Candidate] = [
        c for c in collect_candidates(state, predictors) if c.edit and c.uri == state.document.uri
    ]
    found.sort(key=lambda candidate: -gate.confidence(state, candidate))
    return replace(task, state=replace(state, proposed=tuple(c.edit for c in found[: 2 * PROPOSED])))


def is_right(moment: TrainingMoment, edit: Edit) -> bool:
    """Return whether an edit makes a remaining hunk, or a part of one."""
    document = moment.state.document
    start, end = edit.changed_span
    first, last = document.line_at(start), document.line_at(end) + 1
    after = split_lines(edit.apply(document.text))
    grown = len(after) - len(document.lines)
    return moment.worth(first, last, after[first : last + grown]) > 0


def _example(task: Task, vocabulary: HfTokenizer, budget: int) -> Iterator[Example]:
    """Yield the task as an example; nothing when a hunk reaches beyond the region."""
    try:
        request = EDITAHEAD.build(task.state, vocabulary, budget=budget, paths=ROOTS)
    except PromptTooLongError:
        return
    region, document = request.region, task.state.document
    touched = [h for h in task.remaining if h.start < region.end and region.first < max(h.end, h.start + 1)]
    if task.silent:
        if not touched and region.end > region.first:
            yield plain("silence", _ids(request), vocabulary.encode(SILENT + REGION_END), DECISION_WEIGHT)
        return
    if not touched or any(h.start < region.first or h.end > region.end for h in touched):
        return
    new: list[str] = []
    at = region.first
    for hunk in touched:
        new += [*document.lines[at : hunk.start], *hunk.new]
        at = hunk.end
    new += document.lines[at : region.end]
    bodies = [line_body(line) for line in new]
    yield rewrite("next edit", _ids(request), region.bodies(document), bodies, vocabulary)


def _ids(request: PromptRequest) -> tuple[int, ...]:
    assert request.prompt.ids is not None
    return request.prompt.ids
