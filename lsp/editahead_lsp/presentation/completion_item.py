"""A suggestion as an item of a completion menu. The functions are pure.

An item's own edit must lie on the cursor's line and reach the cursor. The other replacements become additional edits, which
must not touch the own edit. Where the suggestion lies elsewhere, the own edit repeats the word before the cursor, because
editors filter items by that word. Some editors apply the additional edits to the text after the own edit, not before it: an
item therefore never has both where the order matters.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from editahead_lsp.protocol.custom_messages import TextEdit
from editahead_lsp.protocol.lsp_types import CompletionItem, CompletionList, MarkupContent
from editahead_lsp.session.shown_predictions import Suggestion, SuggestionList
from editahead_prompts.text.affixes import common_suffix_length
from editahead_prompts.text.edits import Edit, Replacement, normalise
from editahead_prompts.text.snapshot import Snapshot, line_body
from editahead_prompts.text.word_patterns import WordPattern
from editahead_workspace.position_safe_edits import covering_replacement, position_safe_replacements
from editahead_workspace.positions import Encoding

from .to_lsp import accept_command, to_range

TRIGGER_CHARACTERS = (".", "(", "[", ",", "=", ":", " ")
"""Characters after which a client requests completion although no word precedes the cursor."""
_MAX_PREVIEW_LINES = 20
"""Limits the lines of the preview."""
_SORTS_FIRST = " "
"""Sorts before the sort texts of other servers' items."""

_WORD = WordPattern(r"\w*$")


@dataclass(frozen=True)
class SplitEdit:
    """An edit split for a completion item.

    Attributes:
        own: The replacement on the cursor's line that reaches the cursor.
        others: Replacements that do not touch `own`.
    """

    own: Replacement
    others: tuple[Replacement, ...] = ()


def split_for_completion(suggestion: Suggestion, document: Snapshot, cursor: int) -> SplitEdit | None:
    """Return a suggestion's edit as a completion item can have it; None when that is impossible."""
    if suggestion.snapshot is not document or not suggestion.edit:
        return None
    text = document.text
    line = document.line_at(cursor)
    begin = document.starts[line]
    end = begin + len(line_body(document.lines[line]))
    word = begin + len(_WORD.sub("", text[begin:cursor]))
    whole = covering_replacement(suggestion.edit, text)
    if begin <= whole.start and whole.end <= end:
        start, stop = min(whole.start, word), max(whole.end, cursor)
        return SplitEdit(
            Replacement(start, stop, text[start : whole.start] + whole.text + text[whole.end : stop])
        )
    others = tuple(position_safe_replacements(suggestion.edit, text))
    for start in (word, cursor):
        if all(other.end < start or other.start > cursor for other in others):
            return SplitEdit(Replacement(start, cursor, text[start:cursor]), others)
    return None


def can_be_completion_item(suggestion: Suggestion, document: Snapshot, cursor: int) -> bool:
    """Return whether a completion item can show a suggestion."""
    return split_for_completion(suggestion, document, cursor) is not None


def to_completion_list(answer: SuggestionList, encoding: Encoding, markdown: bool) -> CompletionList:
    """Return one item for the best suggestion. The list is incomplete: the next letter may bring another suggestion."""
    if not answer.suggestions or answer.document is None:
        return CompletionList()
    suggestion, document = answer.suggestions[0], answer.document
    found = split_for_completion(suggestion, document, answer.cursor)
    if found is None:
        return CompletionList()

    def edit(r: Replacement) -> TextEdit:
        return TextEdit(to_range(document, r, encoding), r.text)

    item = CompletionItem(
        label=suggestion.candidate.label,
        sort_text=_SORTS_FIRST,
        filter_text=document.text[found.own.start : answer.cursor] or suggestion.candidate.label,
        documentation=_documentation(diff_preview(suggestion), markdown),
        text_edit=edit(found.own),
        additional_text_edits=[edit(other) for other in found.others],
        command=accept_command(suggestion),
    )
    return CompletionList(items=[item])


def diff_preview(suggestion: Suggestion) -> str:
    """Return the changed lines before and after, as in a diff. Line numbers count from 1."""
    snapshot = suggestion.snapshot
    groups: list[list[Replacement]] = []
    for r in normalise(suggestion.edit, snapshot.text).replacements:
        if groups and snapshot.line_at(r.start) <= snapshot.line_at(groups[-1][-1].end):
            groups[-1].append(r)
        else:
            groups.append([r])
    out: list[str] = []
    for group in groups:
        first, last = snapshot.line_at(group[0].start), snapshot.line_at(group[-1].end)
        begin = snapshot.starts[first]
        old = "".join(snapshot.lines[first : last + 1])
        moved = (Replacement(r.start - begin, r.end - begin, r.text) for r in group)
        new = Edit(tuple(moved)).apply(old)
        out.append(f"@@ line {first + 1} @@")
        before, after = old.splitlines(), new.splitlines()
        # An edit may end where a line begins, and has that line as it was.
        same = common_suffix_length(before, after, min(len(before), len(after)))
        out += (f"-{line}" for line in before[: len(before) - same])
        out += (f"+{line}" for line in after[: len(after) - same])
    if len(out) > _MAX_PREVIEW_LINES:
        out[_MAX_PREVIEW_LINES:] = ["..."]
    return "\n".join(out)


def _documentation(diff: str, markdown: bool) -> MarkupContent | str:
    if not markdown:
        return diff
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", diff)), default=0))
    return MarkupContent(f"{fence}diff\n{diff}\n{fence}")
