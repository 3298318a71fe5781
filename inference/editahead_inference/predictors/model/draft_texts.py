"""What a model that rewrites a region is likely to say: the region as rules would have it, and as it is."""

from __future__ import annotations

from dataclasses import replace

from editahead_prompts.formats.base import Format, Region, Request
from editahead_prompts.formats.excerpts import plain
from editahead_prompts.formats.next_edit.fim import Fim
from editahead_prompts.state import State
from editahead_prompts.text.edits import Edit, edited_lines
from editahead_prompts.text.snapshot import Snapshot

MOST = 2
"""So many proposals of rules are drafts."""


def drafts(format: Format, request: Request, state: State) -> tuple[str, ...]:
    """For `Query.drafts`, the one to be trusted most first, as the model would write them. () for a format whose answers do
    not repeat the region."""
    if isinstance(format, Fim):
        return ()
    document, region = request.document, request.region
    texts = [plain(document, region.first, region.end, format.special)]
    for edit in state.proposed[:MOST][::-1]:
        if (changed := _changed(document, region, edit)) is not None:
            texts.insert(0, plain(changed[0], changed[1].first, changed[1].end, format.special))
    return tuple(dict.fromkeys(text.removeprefix(request.prefill) for text in texts))


def _changed(document: Snapshot, region: Region, edit: Edit) -> tuple[Snapshot, Region] | None:
    """The document after an edit, and where the region is then; None for an edit that reaches beyond it."""
    start, end = edit.changed_span
    if not region.first <= document.line_at(start) <= document.line_at(end) < region.end:
        return None
    after = replace(document, lines=edited_lines(document, edit))
    return after, Region(region.first, region.end + len(after.lines) - len(document.lines))
