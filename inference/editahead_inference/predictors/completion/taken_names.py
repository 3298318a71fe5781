"""The names that a list of parameters has already: none of them is the name of the next parameter."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from editahead_prompts.text.identifiers import is_word

_DEFINING = frozenset({"def", "function", "func", "fn"})
_OPENERS, _CLOSERS = frozenset("([{"), frozenset(")]}")
_MARKS = frozenset("*&.")
"""What the signs before the name of a parameter are made of."""
_MAX_TOKENS = 400
"""Tokens on each side of the cursor that are looked at."""
_NONE: frozenset[str] = frozenset()


def find_taken_names(code: Sequence[str], tail: Sequence[str]) -> frozenset[str]:
    """Return the names of the other parameters where the name of a parameter comes next; none elsewhere.

    The word before its function, or a parameter with a type, shows a list of parameters. The labels of a call look the
    same, and none of them comes twice either.

    Args:
        code: The tokens before the cursor, from the line that opens the bracket on.
        tail: The tokens of the line behind the cursor.
    """
    opens_at = _innermost_bracket(code[-_MAX_TOKENS:]) if code and code[-1] in ("(", ",") else None
    if opens_at is None:
        return _NONE
    code = code[-_MAX_TOKENS:]
    written = [*_split(code[opens_at + 1 :]), *_split(tail[:_MAX_TOKENS])]
    typed = frozenset(name for part in written if (name := _typed_name(part)))
    if code[opens_at - 2 : opens_at - 1] and code[opens_at - 2] in _DEFINING:
        return typed | {part[0] for part in written if part and is_word(part[0])}
    return typed


def _innermost_bracket(code: Sequence[str]) -> int | None:
    """Return the index of the round bracket behind a name that the tokens leave open; None if another one is open."""
    depth = 0
    for at in range(len(code) - 1, 0, -1):
        if code[at] in _CLOSERS:
            depth += 1
        elif code[at] in _OPENERS and depth:
            depth -= 1
        elif code[at] in _OPENERS:
            return at if code[at] == "(" and is_word(code[at - 1]) else None
    return None


def _split(tokens: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yield the parts between the commas of a bracket, up to its end."""
    depth = start = 0
    for at, token in enumerate(tokens):
        if token in _CLOSERS and not depth:
            yield tokens[start:at]
            return
        depth += (token in _OPENERS) - (token in _CLOSERS)
        if token == "," and not depth:
            yield tokens[start:at]
            start = at + 1
    yield tokens[start:]


def _typed_name(part: Sequence[str]) -> str:
    """Return the name of a parameter that a colon separates from its type; "" for anything else."""
    if ":" not in part:
        return ""
    before = list(part[: part.index(":")])
    if before[-1:] == ["?"]:
        before.pop()
    while before and before[0] in _MARKS:
        before.pop(0)
    return before[-1] if before and all(map(is_word, before)) and before[0] != "lambda" else ""
