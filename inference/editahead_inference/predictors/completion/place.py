"""What is known of the cursor's place in a state, besides the counts of the texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from editahead_prompts.state import EditorState
from editahead_prompts.text.identifiers import is_name
from editahead_prompts.text.indentation import indentation
from editahead_prompts.text.snapshot import Snapshot, line_body

from .arguments import Arguments
from .pieces import TypedPieces, split_line, split_typed
from .region import Region, region_at
from .scope import names_in_scope

_RECENT_EDITS = 12
"""Past edits whose tokens count as recent."""
_MAX_OPENING = 10
"""Lines above in which the bracket around the cursor is searched."""
_MAX_BLANK = 4
"""Lines below the cursor in which the next one that is not blank is searched."""
_GOES_ON = frozenset("([{,")
MAX_OTHERS = 8
"""Other open documents that are read, the most recently used first."""


@dataclass(frozen=True, slots=True)
class Place:
    """The cursor's place.

    Attributes:
        document: The document.
        line: The 0-based line of the cursor.
        above: The first and the last token of the line above; empty below an empty line.
        typed: The line before the cursor.
        tail: The line behind the cursor, without white space at its ends.
        region: What the cursor is in.
        before: The tokens of the lines above in which the brackets around the cursor are opened.
        body: The line before the cursor.
        below: The next line below that is not blank, without white space at its ends; empty if there is none.
        below_deeper: How many more characters than the cursor's line, or less, that line is indented.
        arguments: What calls expect.
        scope: How often the names in scope occur.
        recent: How often the last edits brought each name in, without the line of the cursor.
        removed: The tokens that the open edit took out.
    """

    document: Snapshot
    line: int
    above: tuple[str, ...]
    typed: TypedPieces
    tail: str
    region: Region
    before: tuple[str, ...]
    body: str
    below: str
    below_deeper: int
    arguments: Arguments
    scope: Counter[str]
    recent: Mapping[str, int]
    removed: frozenset[str]

    @property
    def tail_tokens(self) -> tuple[str, ...]:
        """The tokens of the line behind the cursor."""
        return split_line(self.tail).tokens[1:]

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
    below = next(filter(str.strip, map(line_body, document.lines[line + 1 : line + 1 + _MAX_BLANK])), "")
    scope = names_in_scope(document, line)
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
        document=document,
        line=line,
        above=line_ends(document, line - 1),
        typed=split_typed(body[:column]),
        tail=body[column:].strip(),
        region=region_at(document.language, body[:column]),
        before=_opening_lines(document, line),
        body=body[:column],
        below=below.strip(),
        below_deeper=len(indentation(below)) - len(indentation(body)) if below.strip() else 0,
        arguments=Arguments((document, *state.other_documents[:MAX_OTHERS]), scope),
        scope=scope,
        recent=recent,
        removed=frozenset(removed),
    )


def _opening_lines(document: Snapshot, line: int) -> tuple[str, ...]:
    """Return the tokens of the lines above that open the bracket around a line; none if that is none of the next lines."""
    tokens: tuple[str, ...] = ()
    for at in range(line - 1, max(line - _MAX_OPENING, -1), -1):
        above = split_line(line_body(document.lines[at])).tokens[1:]
        if not above or above[-1] not in _GOES_ON:
            return ()
        tokens = (*above, *tokens)
        if above[-1] in "([{":
            return tokens
    return ()


def line_ends(document: Snapshot, line: int) -> tuple[str, ...]:
    """Return the first and the last token of a line; none of an empty line, or above the first one."""
    tokens = split_line(line_body(document.lines[line])).tokens if line >= 0 else ()
    return (tokens[1], tokens[-1]) if len(tokens) > 1 else ()
