"""Closing brackets and quotes that an editor inserts behind the cursor."""

from __future__ import annotations

PAIRS = {"(": ")", "[": "]", "{": "}"}
QUOTES = "\"'`"


def closing_marks(typed: str) -> str:
    """Return what an editor has inserted to close the brackets and the quote of a line that is typed so far."""
    open: list[str] = []
    quote = ""
    for character in typed:
        if quote:
            quote = "" if character == quote else quote
        elif character in QUOTES:
            quote = character
        elif character in PAIRS:
            open.append(PAIRS[character])
        elif open and character == open[-1]:
            open.pop()
    return quote + "".join(reversed(open))


def find_closing_mark(text: str, place: int) -> int | None:
    """Return where the innermost bracket or quote around a place ends; None where it does not end in the line."""
    start = text.rfind("\n", 0, place) + 1
    marks = closing_marks(text[start:place])
    end = text.find("\n", place)
    rest = text[place : end if end >= 0 else len(text)]
    if not marks:
        return None
    if marks[0] in QUOTES:
        found = rest.find(marks[0])
        return place + found if found >= 0 else None
    depth = 0
    for number, character in enumerate(rest):
        if character in PAIRS:
            depth += 1
        elif character in PAIRS.values():
            if depth == 0:
                return place + number if character == marks[0] else None
            depth -= 1
    return None
