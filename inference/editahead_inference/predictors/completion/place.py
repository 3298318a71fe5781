"""What is known of the cursor's place in a state, besides the counts of the texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from editahead_prompts.state import EditorState
from editahead_prompts.text.identifiers import is_name
from editahead_prompts.text.snapshot import Snapshot, line_body

from .pieces import TypedPieces, split_line, split_typed
from .region import Region, region_at

_RECENT_EDITS = 12
"""Past edits whose tokens count as recent."""


@dataclass(frozen=True, slots=True)
class Place:
    """The cursor's place.

    Attributes:
        above: The first and the last token of the line above; empty below an empty line.
        typed: The line before the cursor.
        tail: The line behind the cursor, without white space at its ends.
        region: What the cursor is in.
        recent: How often the last edits brought each name in, without the line of the cursor.
        removed: The tokens that the open edit took out.
    """

    above: tuple[str, ...]
    typed: TypedPieces
    tail: str
    region: Region
    recent: Mapping[str, int]
    removed: frozenset[str]

    @property
    def context(self) -> tuple[str, ...]:
        """The whole tokens before the cursor, those of the line above first."""
        return (*self.above, *self.typed.tokens)


def place_at(state: EditorState) -> Place:
    """Return what is known of the cursor's place in a state."""
    document = state.document
    line = document.line_at(state.cursor)
    body = line_body(document.lines[line])
    column = state.cursor - document.starts[line]
    recent: Counter[str] = Counter()
    removed: set[str] = set()
    for edit in state.history[-_RECENT_EDITS:]:
        is_open = edit.open and edit.uri == document.uri
        for at, new in enumerate(edit.new, edit.line):
            if not (is_open and at == line):
                recent.update(filter(is_name, split_line(line_body(new)).tokens))
        if is_open:
            for old in edit.old:
                removed.update(split_line(line_body(old)).tokens)
    return Place(
        above=line_ends(document, line - 1),
        typed=split_typed(body[:column]),
        tail=body[column:].strip(),
        region=region_at(document.language, body[:column]),
        recent=recent,
        removed=frozenset(removed),
    )


def line_ends(document: Snapshot, line: int) -> tuple[str, ...]:
    """Return the first and the last token of a line; none of an empty line, or above the first one."""
    tokens = split_line(line_body(document.lines[line])).tokens if line >= 0 else ()
    return (tokens[1], tokens[-1]) if len(tokens) > 1 else ()
