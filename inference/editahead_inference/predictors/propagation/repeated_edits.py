"""Follow-ups of an edit that the user made twice by hand: the other lines where what both have in common applies.

What is common to two lines is a pattern: the replaced text, the line before it as far as both agree, and the token after it.
Some rewrites are not of that form, such as that of `format` to an f-string; they have a function each. Two edits within one
function mean this function, and two within one type this type.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from editahead_prompts.state import PastEdit
from editahead_prompts.text.identifiers import WORD, changed_spans, is_word
from editahead_prompts.text.snapshot import line_body
from editahead_prompts.text.word_patterns import WordPattern

from .constants import may_be_constant
from .document_index import DocumentIndex
from .follow_up import FollowUp, Situation, follow_ups
from .line_conversions import CONVERSIONS
from .line_transforms import COMMENT
from .named_places import MODULE
from .proposal import Proposal
from .return_types import is_fitting
from .rule import shorten
from .token_patterns import KEYWORDS, tokenize

_TWICE, _SKIPPED = 0.7, 0.35
"""Confidence that a line follows after two edits, and after two that left such a line between them. They are chosen."""
_MAX_CHANGES = 6
"""Changed lines that are compared with the newest one."""
_MAX_WIDTH = 400
"""Characters of a line that is compared or rewritten."""
_MAX_SITES = 60
"""Lines that match. A pattern with more is too general."""
_MAX_LINES = 4000
"""Lines of a document that are searched for a pattern without a literal."""
_MIN_LITERAL = 2
_MIN_PREFIX = 3
"""Characters that two names have in common at their start, up to a word's end, from which a third needs them, too."""

FUNCTION = re.compile(
    r"(?:async |pub |export |static |public |private |protected )*(?:def|func|fn|function)\b"
)
"""The start of a line that defines a function."""

_RETURN_TYPE = re.compile(r"\s*(?:->|:)\s*\S")

Rewrite = Callable[[str], str | None]
"""From a stripped line to its new text; None where it does not apply."""
_Common = tuple[Rewrite, str, str]
"""A rewrite that explains two changes, the longest text that a line needs for it ("" for none), and its label."""


@dataclass(frozen=True, slots=True)
class _Change:
    """A line that an edit changed, as stripped bodies."""

    line: int
    old: str
    new: str
    is_typed: bool


def repeat_edits(situation: Situation) -> Iterator[FollowUp]:
    """Yield the lines that an edit which was made twice applies to, too."""
    newest = next((edit for edit in situation.edits if edit is not None), None)
    if newest is None or newest.uri != situation.index.snapshot.uri:
        return  # the user went on with something else
    changes = _changes(situation)
    for one, other in itertools.combinations(changes, 2):
        if one is not changes[0] and changes[0].is_typed:
            return  # the newest edit is no repetition
        if not (one.is_typed and other.is_typed):
            continue  # what was accepted is no evidence of its own
        found = _repeated(one, other, situation)
        if found:
            yield from found
            return


def _repeated(one: _Change, other: _Change, situation: Situation) -> list[FollowUp]:
    """Return the lines that follow from two changes, if these are the same rewrite."""
    common = _common_rewrite(one, other)
    if common is None:
        return []
    rewrite, literal, label = common
    examples = (one.line, other.line)
    lines = (line for line in _lines(literal, situation, examples) if line not in examples)
    proposals = list(itertools.islice(_rewritten(lines, rewrite, situation), _MAX_SITES + 1))
    if len(proposals) > _MAX_SITES:
        return []
    first, last = sorted(examples)
    outside = [p for p in proposals if not first < p.start < last]
    confidence = _TWICE if len(outside) == len(proposals) else _SKIPPED
    return list(follow_ups(outside, "twice", f"twice:{label}", label, confidence))


def _rewritten(lines: Iterable[int], rewrite: Rewrite, situation: Situation) -> Iterator[Proposal]:
    """Yield the rewrites of some lines of a document."""
    index = situation.index
    for line in lines:
        body = index.bodies[line]
        made = None if len(body) > _MAX_WIDTH or COMMENT.match(body) else rewrite(body.strip())
        if made is None or made == body.strip() or not may_be_constant(made, line, index):
            continue
        proposal = index.rewrite(line, index.indent(line) + made)
        if is_fitting(proposal, index, situation.trees):
            yield proposal


def _changes(situation: Situation) -> list[_Change]:
    """Return the changed lines of the last edits of the document, the newest first."""
    index = situation.index
    found: list[_Change] = []
    for edit in situation.here():
        found += reversed(list(_rows(edit, index)))
        if len(found) >= _MAX_CHANGES:
            break
    return found[:_MAX_CHANGES]


def _rows(edit: PastEdit, index: DocumentIndex) -> Iterator[_Change]:
    if len(edit.old) != len(edit.new):
        return
    for row, (before, after) in enumerate(zip(edit.old, edit.new, strict=True)):
        line = edit.line + row
        old, new = line_body(before).strip(), line_body(after).strip()
        if old and new and old != new and max(len(old), len(new)) <= _MAX_WIDTH and line < len(index.bodies):
            yield _Change(line, old, new, edit.origin == "typed")


def _common_rewrite(one: _Change, other: _Change) -> _Common | None:
    """Return the rewrite that explains both changes."""
    for label, literal, convert in CONVERSIONS:
        if convert(one.old) == one.new and convert(other.old) == other.new:
            return convert, literal, label
    return _pattern(one, other) or _wrapping(one, other)


def _pattern(one: _Change, other: _Change) -> _Common | None:
    """Return the replacement of the same text by another, where what is around it is alike."""
    ours, theirs = _replacement(one), _replacement(other)
    if ours is None or theirs is None:
        return None
    left, old, new, right = ours
    other_left, *same, other_right = theirs
    if [old, new] != same or not _may_be_repeated(old, new):
        return None
    is_head = left[-1:] == other_left[-1:] == [")"] and (
        _RETURN_TYPE.match(new) is not None or FUNCTION.match("".join(left)) is not None
    )
    before = _common_head(left, other_left) if is_head else _common_left(left, other_left)
    after = _common_right(right, other_right)
    if before is None or after is None:
        return None
    literals = [text for text in (old, *before[1], *after[1]) if len(text) >= _MIN_LITERAL]
    regex = WordPattern(f"({before[0]}){re.escape(old)}({after[0]})")

    def rewrite(text: str) -> str | None:
        match = regex.fullmatch(text)
        if match is None or (not old and (match[2].startswith(new) or match[1].endswith(new))):
            return None
        return f"{match[1]}{new}{match[2]}"

    label = f"{shorten(old, 20)} -> {shorten(new, 20)}" if old else f"add {shorten(new)}"
    return rewrite, max(literals, key=len, default=""), label


def _replacement(change: _Change) -> tuple[list[str], str, str, list[str]] | None:
    """Return what is left of the replaced text, that text, the new one, and what is right; None if there are several."""
    a, b = tokenize(change.old), tokenize(change.new)
    spans = changed_spans(a, b)
    if len(spans) != 1:
        return None
    a1, a2, b1, b2 = spans[0]
    return a[:a1], "".join(a[a1:a2]), "".join(b[b1:b2]), a[a2:]


def _may_be_repeated(old: str, new: str) -> bool:
    """Return whether a replacement says something of other lines: no rename, which follows bindings, and no remark."""
    if not new.strip() or (old and not _has_letters(old)):
        return False
    if not old:  # a remark on a line, such as what a checker is to ignore, is about that line
        return COMMENT.match(new.strip()) is None
    return not all(WORD.fullmatch(text) and text not in KEYWORDS for text in (old, new))


def _wrapping(one: _Change, other: _Change) -> _Common | None:
    """Return the same two texts around a part of both lines, where the rest is alike."""
    ours, theirs = _wrapped(one), _wrapped(other)
    if ours is None or theirs is None or ours[1] != theirs[1]:
        return None
    head, tail = ours[1]
    if not _has_letters(head + tail):
        return None
    common = [_common(x, y) for x, y in zip(ours[0], theirs[0], strict=True)]
    sizes = zip(common, ours[0], theirs[0], strict=True)
    if any(not len(found[0]) == len(x) == len(y) for found, x, y in sizes):
        return None
    literals = [text for found in common for text in found[1] if len(text) >= _MIN_LITERAL]
    if not literals:
        return None
    regex = WordPattern("".join(f"({''.join(found[0])})" for found in common))

    def rewrite(text: str) -> str | None:
        match = regex.fullmatch(text)
        if match is None or match[1].endswith(head):
            return None
        return f"{match[1]}{head}{match[2]}{tail}{match[3]}"

    return rewrite, max(literals, key=len), f"wrap in {shorten(head.strip() + ' … ' + tail.strip())}"


def _wrapped(change: _Change) -> tuple[list[list[str]], tuple[str, str]] | None:
    """Return the tokens before, inside and after what was put around a part, and the two texts that were put there."""
    a, b = tokenize(change.old), tokenize(change.new)
    spans = changed_spans(a, b)
    if len(spans) != 2 or any(a1 != a2 for a1, a2, _, _ in spans):
        return None
    (first, _, b1, b2), (last, _, c1, c2) = spans
    return [a[:first], a[first:last], a[last:]], ("".join(b[b1:b2]), "".join(b[c1:c2]))


def _has_letters(text: str) -> bool:
    """Return whether a replaced text is no mere number, operator or bracket, which says nothing of another line."""
    return any(character.isalpha() for character in text)


def _common_head(a: Sequence[str], b: Sequence[str]) -> tuple[str, list[str]] | None:
    """Return the expression of the head of a function, whatever its parameters are, with its literals."""
    if "(" not in a or "(" not in b:
        return None
    first = a.index("(") + 1
    head, literals = _common(a[:first], b[: b.index("(") + 1])
    return (f"{''.join(head)}.*\\)", literals) if len(head) == first else None


def _common_left(a: Sequence[str], b: Sequence[str]) -> tuple[str, list[str]] | None:
    """Return the expression of what comes before the replaced text, with its literals; None if there is no likeness."""
    head, literals = _common(a, b)
    if len(head) == len(a) == len(b):
        return "".join(head), literals
    tail, more = _common([*reversed(a[len(head) :])], [*reversed(b[len(head) :])])
    if not head or not tail:
        return None
    return f"{''.join(head)}.*{''.join(reversed(tail[:3]))}", literals + more


def _common_right(a: Sequence[str], b: Sequence[str]) -> tuple[str, list[str]] | None:
    if not a or not b:
        return ("", []) if not a and not b else None
    size = 2 if a[0].isspace() else 1
    head, literals = _common(a[:size], b[:size])
    return (f"{''.join(head)}.*", literals) if head else None


def _common(a: Sequence[str], b: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return expressions for the first tokens that two lines have in common, and the literals among them."""
    expressions, literals = [], []
    for x, y in zip(a, b, strict=False):
        if x == y:
            expressions.append(r"\s+" if x.isspace() else re.escape(x))
            literals.append(x.strip())
        elif is_word(x) and is_word(y):
            start = _common_start(x, y)
            expressions.append(rf"{start}\w*" if start else r"[^\W\d]\w*")
            literals.append(start)
        elif x[0] in "\"'`" and x[0] == y[0]:
            expressions.append(rf"{x[0]}[^{x[0]}]*{x[0]}")
        else:
            break
    return expressions, literals


def _common_start(x: str, y: str) -> str:
    """Return the words with which two names begin, "" where they are too short to mean something."""
    size = next((n for n, (c, d) in enumerate(zip(x, y, strict=False)) if c != d), min(len(x), len(y)))
    start = x[:size]
    if "_" in start:
        start = start[: start.rindex("_") + 1]
    elif not (x[size : size + 1].isupper() and y[size : size + 1].isupper()):
        return ""
    return start if len(start) >= _MIN_PREFIX else ""


def _lines(literal: str, situation: Situation, examples: tuple[int, int]) -> Sequence[int]:
    """Return the lines that the examples are meant for: those of their function, of their type, or all."""
    index = situation.index
    lines: Sequence[int] = index.lines_with(literal) if literal else range(len(index.bodies))
    for place_of, none in ((situation.function_at, MODULE), (index.block, -1)):
        places = {place_of(line) for line in examples}
        if len(places) == 1 and places != {none}:
            return [line for line in lines[:_MAX_LINES] if place_of(line) in places]
    return lines if literal else []
