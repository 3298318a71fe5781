"""From a model's response to candidates: one for each separate change, so that Tab visits them one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import log

from editahead_inference.candidates import NEXT_TOKENS, SAID, Candidate
from editahead_prompts.text.affixes import common_affixes
from editahead_prompts.text.edits import Edit, Replacement
from editahead_prompts.text.snapshot import Snapshot

from .confidence import ChangeEvidence, confidence
from .logprob_trace import logprobs_in
from .response import ModelResponse, Rewrite

MAX_CHANGES = 12
"""Separate changes of one rewrite. All changes behind them belong to the last."""
_MAX_LABEL = 30
"""Characters of either text in a label."""

BreaksSyntax = Callable[[Edit], bool]
"""Returns whether an edit of the document, by itself, adds syntax errors."""


@dataclass(frozen=True, slots=True)
class SeparateChange:
    """A change that can be made alone: some of a rewrite's replacements. first: the index of its first replacement."""

    edit: Edit
    first: int


def to_candidates(response: ModelResponse, breaks: BreaksSyntax) -> list[Candidate]:
    """Return the candidates of a response, those of the most frequent answers first, in the order of the text.

    Changes of one answer share a rule, so the gate keeps them in order.
    """
    document = response.document
    merged: dict[tuple[int, int, str], tuple[Rewrite, SeparateChange, int]] = {}
    for rewrite in response.rewrites:
        for change in split_changes(document, rewrite.edit, breaks):
            same = canonical_replacement(change.edit, document.text)
            first, kept, agree = merged.get(same, (rewrite, change, 0))
            merged[same] = first, kept, agree + rewrite.agree
    return [_candidate(response, *one) for one in merged.values()]


def split_changes(document: Snapshot, edit: Edit, breaks: BreaksSyntax) -> list[SeparateChange]:
    """Split an edit into changes that have at least one unchanged line with text between them.

    A change that would break the syntax alone, such as the first of two brackets, is joined with the next.
    """
    stretches: list[list[Replacement]] = []
    before = 0
    for r in edit.replacements:
        first, last = _touched(document, r)
        between = any(line.strip() for line in document.lines[before + 1 : first])
        if not stretches or (between and len(stretches) < MAX_CHANGES):
            stretches.append([])
        stretches[-1].append(r)
        before = max(before, last)
    if len(stretches) == 1:
        return [SeparateChange(edit, 0)]
    out: list[SeparateChange] = []
    at = number = 0
    held: list[Replacement] = []
    for number, stretch in enumerate(stretches, start=1):
        held += stretch
        if number == len(stretches) or not breaks(Edit(tuple(held))):
            out.append(SeparateChange(Edit(tuple(held)), at))
            at, held = at + len(held), []
    return out


def canonical_replacement(edit: Edit, text: str) -> tuple[int, int, str]:
    """Return the shortest single replacement (start, end, new text) equal to the edit, as far up as possible.

    It is the same for all edits of one text that lead to the same text.
    """
    start, end = edit.changed_span
    old = text[start:end]
    new = Edit(tuple(Replacement(r.start - start, r.end - start, r.text) for r in edit.replacements)).apply(
        old
    )
    head, tail = common_affixes(old, new, suffix_first=True)
    start, end, new = start + head, end - tail, new[head : len(new) - tail]
    while start and new and start == end and text[start - 1] == new[-1]:
        start, end, new = start - 1, end - 1, new[-1] + new[:-1]  # "ab|" + "ab" is "|ab" + "ab"
    while start and not new and text[start - 1] == text[end - 1]:
        start, end = start - 1, end - 1
    return start, end, new


def _touched(document: Snapshot, r: Replacement) -> tuple[int, int]:
    """Return the first and the last changed line; for lines inserted between two, the line after and the one before."""
    first, last = document.line_at(r.start), document.line_at(r.end)
    if r.end == document.starts[last] and (r.end > r.start or r.text.endswith(("\n", "\r"))):
        return first, last - 1
    if r.text.startswith(("\n", "\r")) and document.text[r.start : r.start + 1] in ("\n", "\r", ""):
        return first + 1, last
    return first, last


def _typed_on(document: Snapshot, edit: Edit) -> Edit:
    """Return the edit with insertions for tokens that only get longer, so that a half-typed word is not removed."""
    out = []
    for r in edit.replacements:
        old = document.text[r.start : r.end]
        out.append(Replacement(r.end, r.end, r.text[len(old) :]) if r.text.startswith(old) else r)
    return Edit(tuple(out))


def _candidate(response: ModelResponse, rewrite: Rewrite, change: SeparateChange, agree: int) -> Candidate:
    edit = _typed_on(response.document, change.edit)
    spans = list(rewrite.edit.result_spans())[change.first : change.first + len(edit.replacements)]
    logprobs = logprobs_in(rewrite.tokens, spans)
    lines = sum(max(r.text.count("\n"), 1) for r in edit.replacements)
    features = {
        "model": 1.0,
        "model-answers": float(response.answers),
        "model-agree": agree / response.answers,
    }
    sure = rewrite.probability
    if rewrite.is_next_tokens:
        features[f"kind:{NEXT_TOKENS}"] = 1.0
    elif sure:
        features[SAID] = log(sure)
    if logprobs:
        features |= {"model-mean": sum(logprobs) / len(logprobs), "model-least": min(logprobs)}
    last = spans[-1][1]
    # The model's cursor is an offset in the text after all of its changes.
    goes_to = rewrite.cursor if rewrite.cursor is not None and spans[0][0] <= rewrite.cursor <= last else last
    earlier = sum(r.growth for r in rewrite.edit.replacements[: change.first])
    return Candidate(
        uri=response.document.uri,
        edit=edit,
        target_offset=edit.changed_span[0],
        cursor_after=goes_to - earlier,
        source=response.source,
        label=_label(response.document, edit),
        rule=response.model,
        features=features,
        confidence=confidence(ChangeEvidence(logprobs, agree, response.answers, lines))
        if sure is None
        else sure,
    )


def _label(document: Snapshot, edit: Edit) -> str:
    start, end = edit.changed_span
    old = document.text[start:end]
    shift = Edit(tuple(Replacement(r.start - start, r.end - start, r.text) for r in edit.replacements))
    was, now = (list(_words(text)) for text in (old, shift.apply(old)))
    if not was:
        return f"insert {now[0]}" if len(now) == 1 else f"insert {len(now)} lines"
    if not now:
        return f"delete {was[0]}" if len(was) == 1 else f"delete {len(was)} lines"
    return (
        f"{was[0]} -> {now[0]}" if len(was) == len(now) == 1 else f"rewrite {max(len(was), len(now))} lines"
    )


def _words(text: str) -> Iterator[str]:
    """Yield the lines that are not blank, shortened."""
    lines: Sequence[str] = text.replace("\r", "\n").split("\n")
    for line in lines:
        if short := " ".join(line.split()):
            yield short if len(short) <= _MAX_LABEL else short[: _MAX_LABEL - 3] + "..."
