"""Likely answers of a model that rewrites a region: the region after the rules' edits, and the region as it is."""

from __future__ import annotations

from dataclasses import replace

from editahead_prompts.formats.base import EditableRegion, Format, PromptRequest
from editahead_prompts.formats.excerpts import excerpt
from editahead_prompts.formats.next_edit.editahead_coder_2611 import EditaheadCoderFormat, draft_answers
from editahead_prompts.formats.next_edit.fim import FimFormat
from editahead_prompts.state import EditorState
from editahead_prompts.text.edits import Edit, apply_to_lines
from editahead_prompts.text.snapshot import Snapshot

MAX_RULE_DRAFTS = 2
"""Edits of rules that become drafts: verifying more costs more than it saves."""


def draft_texts(format: Format, request: PromptRequest, state: EditorState) -> tuple[str, ...]:
    """Return the drafts for `CompletionRequest.drafts`, the likeliest first, as the model would write them.

    There are none for a format whose answers do not repeat the region.
    """
    if isinstance(format, FimFormat):
        return ()
    proposed = state.proposed[:MAX_RULE_DRAFTS]
    if isinstance(format, EditaheadCoderFormat):
        return draft_answers(request, proposed)
    document, region = request.document, request.region
    texts = [excerpt(document, region.first, region.end, format.special_tokens)]
    for edit in proposed[::-1]:
        if (changed := _changed(document, region, edit)) is not None:
            texts.insert(0, excerpt(changed[0], changed[1].first, changed[1].end, format.special_tokens))
    return tuple(dict.fromkeys(text.removeprefix(request.prefill) for text in texts))


def _changed(
    document: Snapshot, region: EditableRegion, edit: Edit
) -> tuple[Snapshot, EditableRegion] | None:
    """Return the document and the region after an edit, or None for an edit that reaches beyond the region."""
    start, end = edit.changed_span
    if not region.first <= document.line_at(start) <= document.line_at(end) < region.end:
        return None
    after = replace(document, lines=apply_to_lines(document, edit))
    return after, EditableRegion(region.first, region.end + len(after.lines) - len(document.lines))
