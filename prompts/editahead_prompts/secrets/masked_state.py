"""States and answers without secrets: what a model is shown, and what its edits mean for the real text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from editahead_prompts.formats.apply.base import ApplyInput
from editahead_prompts.state import EditorState, PastEdit
from editahead_prompts.text.diff import diff
from editahead_prompts.text.edits import Edit, Replacement
from editahead_prompts.text.snapshot import Snapshot

from .masking import Masks, SecretMasker


def mask_state(state: EditorState, masker: SecretMasker) -> tuple[EditorState, Masks]:
    """Return the state with placeholders in place of secrets, and the masks; the same state if it holds none.

    All offsets and lines stay.
    """
    masks = masker.masks_for((state.document, *state.other_documents), _texts(state))
    if not masks:
        return state, masks
    masked = replace(
        state,
        document=masks.mask_snapshot(state.document),
        other_documents=tuple(map(masks.mask_snapshot, state.other_documents)),
        history=tuple(_mask_past(edit, masks) for edit in state.history),
        undone=tuple(_mask_past(edit, masks) for edit in state.undone),
        rejected={uri: tuple(_mask_edit(e, masks) for e in edits) for uri, edits in state.rejected.items()},
        proposed=tuple(_mask_edit(edit, masks) for edit in state.proposed),
        diagnostics=tuple(replace(each, message=masks.mask(each.message)) for each in state.diagnostics),
        related_code=tuple(replace(each, text=masks.mask(each.text)) for each in state.related_code),
    )
    return masked, masks


def mask_question(question: ApplyInput, masker: SecretMasker) -> tuple[ApplyInput, Masks]:
    """Return the question about a sketch with placeholders in place of secrets, and the masks."""
    texts = (question.sketch, question.guess or "", question.code, question.doubt, question.instruction)
    masks = masker.masks_for([question.original], texts)
    if not masks:
        return question, masks
    return replace(
        question,
        original=masks.mask_snapshot(question.original),
        sketch=masks.mask(question.sketch),
        guess=None if question.guess is None else masks.mask(question.guess),
        code=masks.mask(question.code),
        doubt=masks.mask(question.doubt),
        instruction=masks.mask(question.instruction),
    ), masks


def restore_edit(edit: Edit, original: Snapshot, masked: Snapshot, masks: Masks) -> Edit:
    """Return what an edit of the masked document means for the original one: secrets in place of their placeholders."""
    if not masks or not edit:
        return edit
    first, last = (original.line_at(offset) for offset in edit.changed_span)
    start, end = original.starts[first], original.starts[last + 1]
    shift = Edit(tuple(Replacement(r.start - start, r.end - start, r.text) for r in edit.replacements))
    old, shown = original.text[start:end], masked.text[start:end]
    answer = shift.apply(shown)
    new = masks.restore(answer)
    if old == shown and new == answer:
        return edit
    found = diff(old, new)
    return Edit(tuple(Replacement(r.start + start, r.end + start, r.text) for r in found.replacements))


def _texts(state: EditorState) -> Iterator[str]:
    """Yield the texts of a state other than its documents."""
    for past in (*state.history, *state.undone):
        yield from ("".join(past.old), "".join(past.new))
    for edit in (*state.proposed, *(edit for edits in state.rejected.values() for edit in edits)):
        yield from (replacement.text for replacement in edit.replacements)
    yield from (each.message for each in state.diagnostics)
    yield from (each.text for each in state.related_code)


def _mask_past(edit: PastEdit, masks: Masks) -> PastEdit:
    return replace(edit, old=_mask_lines(edit.old, masks), new=_mask_lines(edit.new, masks))


def _mask_lines(lines: Iterable[str], masks: Masks) -> tuple[str, ...]:
    return tuple(map(masks.mask, lines))


def _mask_edit(edit: Edit, masks: Masks) -> Edit:
    return Edit(tuple(replace(each, text=masks.mask(each.text)) for each in edit.replacements))
