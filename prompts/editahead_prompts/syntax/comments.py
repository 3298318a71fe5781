"""Whether a place is in a comment, read from the characters around it: no syntax tree, for use at every keystroke.

A string that goes over several lines is not recognized, so a comment's mark within one counts as a comment.
"""

from __future__ import annotations

from editahead_prompts.text.snapshot import Snapshot

from .languages import find_language

_MAX_BLOCK_LINES = 200
"""Lines above a place that are searched for the start of a block comment, to bound the time of a keystroke."""


def is_in_comment(snapshot: Snapshot, offset: int) -> bool:
    """Return whether the text before an offset leaves it in a comment; False in a language without known comments."""
    language = find_language(snapshot.language)
    if not language.line_comment:
        return False
    row = snapshot.line_at(offset)
    blocks, mark = language.block_comment, language.line_comment
    first = max(0, row - _MAX_BLOCK_LINES)
    is_open = False
    for number in range(first, row + 1):
        line = snapshot.lines[number].rstrip("\r\n")
        if number == row:
            return _is_in_comment(line, offset - snapshot.starts[row], mark, blocks, is_open)[0]
        if blocks:
            is_open = _is_in_comment(line, len(line), mark, blocks, is_open)[1]
    return False


def _is_in_comment(line: str, stop: int, mark: str, blocks: bool, is_open: bool) -> tuple[bool, bool]:
    """Return whether a column is in a comment of any kind, and whether in a block comment.

    Args:
        stop: The column.
        blocks: Whether the language has comments between `/*` and `*/`.
        is_open: Whether the line begins in one.
    """
    at, quote = 0, ""
    while at < stop:
        if is_open:
            end = line.find("*/", at)
            if end < 0 or end + 2 > stop:
                return True, True
            at, is_open = end + 2, False
        elif quote:
            if line[at] == "\\":
                at += 1
            elif line[at] == quote:
                quote = ""
            at += 1
        elif line.startswith(mark, at):
            return True, False
        elif blocks and line.startswith("/*", at):
            at, is_open = at + 2, True
        else:
            # An apostrophe without a second one is no string: a lifetime in Rust, a word in another language.
            if line[at] in "\"'`" and line.find(line[at], at + 1) >= 0:
                quote = line[at]
            at += 1
    return is_open, is_open
