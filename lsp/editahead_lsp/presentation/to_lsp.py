"""Suggestions as the results of each surface of the protocol. The functions are pure."""

from __future__ import annotations

import operator
from collections.abc import Callable

from editahead_inference.gate.filters import lines_after, touched_lines
from editahead_lsp.protocol import custom_messages as wire
from editahead_lsp.protocol import lsp_types
from editahead_lsp.session.shown_predictions import Suggestion, SuggestionList
from editahead_prompts.text.affixes import common_affixes
from editahead_prompts.text.edits import Edit, Replacement
from editahead_prompts.text.snapshot import Snapshot, split_lines
from editahead_workspace.position_safe_edits import (
    covering_replacement,
    position_safe_replacements,
    splits_line_end,
)
from editahead_workspace.positions import (
    Encoding,
    code_unit_length,
    offset_at,
    position_at,
)

MAX_PREVIEW_CHARS = 120
"""Characters of a line that is shown of a file that is not open."""

CanShow = Callable[[Suggestion, Snapshot, int], bool]
"""Returns whether a surface can show a suggestion in a document, with the cursor at an offset of the document."""


def show_any(suggestion: Suggestion, document: Snapshot, cursor: int) -> bool:
    """Return True: the surface can show any suggestion."""
    return True


def can_be_ghost_text(suggestion: Suggestion, document: Snapshot, cursor: int) -> bool:
    """Return whether the edit can be shown as ghost text: it only adds to the cursor's line, not before the cursor."""
    if suggestion.snapshot is not document or not suggestion.edit:
        return False
    whole = covering_replacement(suggestion.edit, document.text)
    if not document.line_at(whole.start) == document.line_at(whole.end) == document.line_at(cursor):
        return False
    return whole.end >= cursor and _only_adds(whole, document.text, cursor)


def _only_adds(whole: Replacement, text: str, cursor: int) -> bool:
    """Return whether the old text stays: what is before the cursor at the start, the rest in its order."""
    typed = text[whole.start : cursor]
    added = iter(whole.text[len(typed) :])
    return whole.text.startswith(typed) and all(
        char in added for char in text[max(whole.start, cursor) : whole.end]
    )


def is_in_document(suggestion: Suggestion, document: Snapshot, cursor: int) -> bool:
    """Return whether the suggestion has an edit of the document."""
    return suggestion.snapshot is document and bool(suggestion.edit)


def has_edit(suggestion: Suggestion, document: Snapshot, cursor: int) -> bool:
    """Return whether the suggestion has an edit of an open document."""
    return bool(suggestion.edit) and not suggestion.is_closed


def text_beyond_item(
    suggestion: Suggestion, item: wire.SelectedCompletionInfo, encoding: Encoding
) -> str | None:
    """Return the text in place of a menu's item that goes on from the item; None when the suggestion does not.

    A client shows nothing else beside its menu.
    """
    snapshot = suggestion.snapshot
    start, end = (
        offset_at(snapshot, at.line, at.character, encoding) for at in (item.range.start, item.range.end)
    )
    whole = covering_replacement(suggestion.edit, snapshot.text)
    if not start <= whole.start <= whole.end <= end:
        return None
    text = snapshot.text[start : whole.start] + whole.text + snapshot.text[whole.end : end]
    return text if text.startswith(item.text) and text != item.text else None


def inline_completion(
    answer: SuggestionList, item: wire.SelectedCompletionInfo | None, encoding: Encoding
) -> wire.InlineCompletionList:
    """Return suggestions that fit ghost text as inline completions, beside a menu in place of its selected item."""
    items = []
    for suggestion in answer.suggestions:
        beyond = None if item is None else text_beyond_item(suggestion, item, encoding)
        if item is not None and beyond is not None:
            items.append(wire.InlineCompletionItem(beyond, item.range, accept_command(suggestion)))
        elif item is None:
            whole = _up_to_line_end(suggestion)
            at = to_range(suggestion.snapshot, whole, encoding)
            items.append(wire.InlineCompletionItem(whole.text, at, accept_command(suggestion)))
    return wire.InlineCompletionList(items)


def _up_to_line_end(suggestion: Suggestion) -> Replacement:
    """Return the edit as one replacement that repeats what follows on its line, unless it is a simple insertion.

    A client that draws the new text over the old one then shows the line as it will be.
    """
    snapshot = suggestion.snapshot
    whole, text = covering_replacement(suggestion.edit, snapshot.text), snapshot.text
    number = snapshot.line_at(whole.end)
    end = snapshot.starts[number] + len(snapshot.lines[number].rstrip("\r\n"))
    is_inserted = whole.start == whole.end and len(split_lines(whole.text)) == 1
    if is_inserted and whole.text[:1] != text[whole.end : whole.end + 1]:
        return whole
    return Replacement(whole.start, end, whole.text + text[whole.end : end])


def inline_edits(answer: SuggestionList, encoding: Encoding) -> wire.InlineEditResult:
    """Return suggestions with an edit as inline edits: each one range with its new text."""
    edits = []
    for suggestion in answer.suggestions:
        whole = covering_replacement(suggestion.edit, suggestion.snapshot.text)
        at = to_range(suggestion.snapshot, whole, encoding)
        edits.append(wire.InlineEdit(whole.text, at, _document(suggestion), accept_command(suggestion)))
    return wire.InlineEditResult(edits)


def next_edit(answer: SuggestionList, encoding: Encoding) -> wire.NextEditResult:
    """Return all suggestions, those in other documents and those without an edit too, and the reason for silence."""
    predictions = []
    for suggestion in answer.suggestions:
        away = needs_jump(suggestion, answer)
        predictions.append(
            wire.PredictedEdit(
                id=suggestion.id,
                text_document=_document(suggestion),
                edits=text_edits(suggestion.snapshot, suggestion.edit, encoding),
                jump=to_position(suggestion.snapshot, suggestion.place, encoding) if away else None,
                cursor_after=cursor_after(suggestion, encoding),
                confidence=round(suggestion.confidence, 4),
                source=suggestion.candidate.source,
                label=suggestion.candidate.label,
                preview=line_preview(suggestion)
                if suggestion.is_closed or (away and suggestion.edit)
                else None,
            )
        )
    silence = answer.silence
    if silence is None:
        return wire.NextEditResult(predictions, None)
    return wire.NextEditResult(predictions, wire.SilenceInfo(silence.reason, silence.detail))


def cursor_on_edited_line(suggestion: Suggestion, cursor: int) -> bool:
    """Return whether the cursor is on one of the lines that the edit changes."""
    start, end = suggestion.edit.changed_span
    at = suggestion.snapshot.line_at
    return at(start) <= at(cursor) <= at(end)


def needs_jump(suggestion: Suggestion, answer: SuggestionList) -> bool:
    """Return whether the cursor must move to reach the edit. It always must for a suggestion without an edit."""
    return (
        suggestion.snapshot is not answer.document
        or not suggestion.edit
        or not cursor_on_edited_line(suggestion, answer.cursor)
    )


def workspace_edit(
    snapshot: Snapshot, edit: Edit, encoding: Encoding, versioned: bool
) -> lsp_types.WorkspaceEdit:
    """Return an edit as a workspace edit, with the version of the document where the client supports that."""
    edits = text_edits(snapshot, edit, encoding)
    if not versioned:
        return lsp_types.WorkspaceEdit(changes={snapshot.uri: edits})
    document = wire.VersionedTextDocument(snapshot.uri, snapshot.version)
    return lsp_types.WorkspaceEdit([lsp_types.TextDocumentEdit(document, [*edits])])


def text_edits(snapshot: Snapshot, edit: Edit, encoding: Encoding) -> list[wire.TextEdit]:
    """Return an edit as LSP text edits."""
    return [
        wire.TextEdit(to_range(snapshot, r, encoding), r.text)
        for r in position_safe_replacements(edit, snapshot.text)
    ]


def to_position(snapshot: Snapshot, offset: int, encoding: Encoding) -> wire.Position:
    """Return the LSP position of an offset."""
    return wire.Position(*position_at(snapshot, offset, encoding))


def to_range(snapshot: Snapshot, r: Replacement, encoding: Encoding) -> wire.Range:
    """Return the LSP range that a replacement replaces."""
    return wire.Range(to_position(snapshot, r.start, encoding), to_position(snapshot, r.end, encoding))


def accept_command(suggestion: Suggestion) -> wire.Command:
    """Return the command that reports the accept of a suggestion."""
    return wire.Command("Accept next edit", wire.ACCEPT, [suggestion.id])


def _document(suggestion: Suggestion) -> wire.VersionedTextDocument:
    version = None if suggestion.is_closed else suggestion.snapshot.version
    return wire.VersionedTextDocument(suggestion.snapshot.uri, version)


def line_preview(suggestion: Suggestion) -> wire.LinePreview:
    """Return the first line that a suggestion changes."""
    snapshot, edit = suggestion.snapshot, suggestion.edit
    if not edit:
        same = snapshot.lines[snapshot.line_at(suggestion.place)].strip()[:MAX_PREVIEW_CHARS]
        return wire.LinePreview(same, same)
    start, end = touched_lines(snapshot, edit)
    texts = "".join(snapshot.lines[start:end]), lines_after(snapshot, edit, start, end)
    old, new = ([line.strip() for line in split_lines(text) if line.strip()] for text in texts)
    above, below = common_affixes(old, new)
    old, new = old[above : len(old) - below], new[above : len(new) - below]
    first = [lines[0][:MAX_PREVIEW_CHARS] if lines else "" for lines in (old, new)]
    same_length = len(old) == len(new)
    changed = sum(map(operator.ne, old, new)) if same_length else max(len(old), len(new))
    return wire.LinePreview(first[0], first[1], changed - 1 if changed > 1 else None)


def cursor_after(suggestion: Suggestion, encoding: Encoding) -> wire.Position:
    """Return the cursor's position in the edited text. Line ends are counted, which is faster than to split the text."""
    after = suggestion.edit.apply(suggestion.snapshot.text)
    offset = min(max(suggestion.cursor_after, 0), len(after))
    if splits_line_end(after, offset):
        offset -= 1
    before = after[:offset]
    line = before.count("\n") + before.count("\r") - before.count("\r\n")
    start = max(before.rfind("\n"), before.rfind("\r")) + 1
    return wire.Position(line, code_unit_length(before[start:], encoding))
