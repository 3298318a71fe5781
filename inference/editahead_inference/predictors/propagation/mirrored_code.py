"""Follow-ups in mirrored code: what was changed on one side, such as left, x or read, follows on the other."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from editahead_prompts.state import PastEdit
from editahead_prompts.text.identifiers import (
    WORD,
    case_style,
    is_word,
    split_words,
    tokenize,
    word_replacement,
)
from editahead_prompts.text.scripts import count_letters
from editahead_prompts.text.snapshot import line_body, line_end
from editahead_prompts.text.word_patterns import WordPattern

from .antonyms import are_opposite, is_ordered, opposite, opposite_words, turn_words
from .document_index import DocumentIndex
from .follow_up import FollowUp, Situation, changed_tokens
from .line_transforms import COMMENT
from .proposal import Proposal
from .token_patterns import KEYWORDS

_LINE, _CODEC, _BLOCK = 0.5, 0.6, 0.5
"""Confidence that the mirror image of a line follows, that the counterpart of a call does which has the same name in its
line, and that lines follow which one of two mirrored functions got. They are chosen."""
_MAX_EDITS = 2
_REACH = 40
"""Lines on each side of an edit in which its mirror image is looked for."""
_MAX_WIDTH = 300
_MAX_INSERTED = 8
_TURNED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
_COMPARISON = re.compile(r"(?<![-<>=])[<>]=?(?![<>=])")


def follow_mirrored(situation: Situation) -> Iterator[FollowUp]:
    """Yield the mirror images of the last edits."""
    index = situation.index
    for number, edit in enumerate(situation.here()):
        if number == _MAX_EDITS:
            return
        if edit.old:
            found = [*_mirrored_lines(edit, index), *_counterparts(edit, index)]
        else:
            found = list(_mirrored_insertions(edit, index, situation))
        for proposal, confidence in found:
            yield FollowUp(proposal, "mirrored", f"mirrored:{edit.new[:1]}", "the other side", confidence)


def _mirrored_lines(edit: PastEdit, index: DocumentIndex) -> Iterator[tuple[Proposal, float]]:
    """Yield the only line that is the mirror image of the old one, rewritten to that of the new one."""
    for row, a, b, spans in changed_tokens(edit):
        line = edit.line + row
        old, new = "".join(a), "".join(b)
        if len(a) < 5 or max(len(old), len(new)) > _MAX_WIDTH or COMMENT.match(old):
            continue
        inserted = [token for _, _, b1, b2 in spans for token in b[b1:b2]]
        images = []
        for at in _around(line, index, edit):
            table = _opposites(a, tokenize(index.bodies[at])) if len(index.bodies[at]) <= _MAX_WIDTH else None
            if table:
                images.append((at, table))
        if len(images) != 1 or not any(is_word(token) for token in inserted):
            continue
        at, table = images[0]
        around = b[spans[0][2] : spans[-1][3]]
        if not any(word in table for token in around for word in split_words(token)):
            continue  # what was changed has no sides
        if any(is_ordered(word) and word not in table for token in inserted for word in split_words(token)):
            continue  # what is `max(0, ...)` on the other side?
        made = turn_words(new, table)
        if made != index.bodies[at]:
            yield Proposal(at, at + 1, (made + line_end(index.snapshot.lines[at]),)), _LINE


def _around(line: int, index: DocumentIndex, edit: PastEdit) -> Iterator[int]:
    for at in range(max(line - _REACH, 0), min(line + _REACH, len(index.bodies))):
        if not edit.line <= at < edit.line + len(edit.new):
            yield at


def _opposites(a: Sequence[str], b: Sequence[str]) -> dict[str, str] | None:
    """Return the words in which two lines differ as opposites; {} or None if they do not, or differ otherwise."""
    if len(a) != len(b):
        return None
    table: dict[str, str] = {}
    for x, y in zip(a, b, strict=True):
        if x == y:
            continue
        words = opposite_words(x, y) if is_word(x) and is_word(y) else None
        if not words or any(table.get(word, other) != other for word, other in words.items()):
            return None
        table |= words
    return table


def _counterparts(edit: PastEdit, index: DocumentIndex) -> Iterator[tuple[Proposal, float]]:
    """Yield the line with the opposite of a renamed call that shares another name: `writeInt(n)`, `n = readInt()`."""
    for row, a, b, spans in changed_tokens(edit):
        if len(spans) != 1 or spans[0][1] - spans[0][0] != 1 or spans[0][3] - spans[0][2] != 1:
            continue
        old, new = a[spans[0][0]], b[spans[0][2]]
        if not is_word(old) or not is_word(new) or b[spans[0][3] : spans[0][3] + 1] != ["("]:
            continue
        words = word_replacement(old, new)
        sides = [word for word in split_words(old) if opposite(word)]
        if words is None or not sides or sides[0] in words[0]:
            continue
        names = {t for t in a if is_word(t) and t not in KEYWORDS and t != old and count_letters(t) > 1}
        images = []
        for at in _around(edit.line + row, index, edit):
            tokens = tokenize(index.bodies[at]) if len(index.bodies[at]) <= _MAX_WIDTH else []
            for token in tokens:
                others = _side_of(token, old, sides)
                if others is not None and names & set(tokens) - {token}:
                    images.append((at, token, turn_words(new, others)))
        if len(images) == 1:
            at, token, made = images[0]
            body = WordPattern(rf"(?<!\w){re.escape(token)}(?!\w)").sub(made, index.bodies[at])
            yield Proposal(at, at + 1, (body + line_end(index.snapshot.lines[at]),)), _CODEC


def _side_of(token: str, old: str, sides: Sequence[str]) -> dict[str, str] | None:
    """Return the words that turn one name into its counterpart; None if the token is no counterpart."""
    if not is_word(token) or token == old or case_style(token) != case_style(old):
        return None
    words = opposite_words(old, token)
    return (
        {side: words[side] for side in sides if side in words} if words and set(sides) & set(words) else None
    )


def _mirrored_insertions(
    edit: PastEdit, index: DocumentIndex, situation: Situation
) -> Iterator[tuple[Proposal, float]]:
    """Yield the mirror image of lines that were inserted into one of two mirrored functions."""
    start, end = edit.line, edit.line + len(edit.new)
    if not 0 < len(edit.new) <= _MAX_INSERTED or end > len(index.bodies):
        return
    first, last = _block(index, start)
    if first < 0 or last < end or last - first > _REACH:
        return
    ours = [*index.bodies[first:start], *index.bodies[end : last + 1]]
    size = len(ours)
    images = []
    for other in range(max(first - _REACH - size, 0), min(last + _REACH, len(index.bodies) - size + 1)):
        if other + size > first and other <= last:
            continue
        table: dict[str, str] | None = {}
        for body, theirs in zip(ours, index.bodies[other : other + size], strict=True):
            found = _opposites(tokenize(body), tokenize(theirs)) if len(theirs) <= _MAX_WIDTH else None
            if found is None or table is None:
                table = None
                break
            table |= found
        if table:
            images.append((other + start - first, table))
    if len(images) != 1:
        return
    at, table = images[0]
    lines = []
    for text in edit.new:
        body = line_body(text)
        added = {word: opposite(word) for name in WORD.findall(body) for word in split_words(name)}
        full = {
            **{word: other for word, other in added.items() if other and are_opposite(word, other)},
            **table,
        }
        made = turn_words(body, full)
        if any(is_ordered(word) for word in table):
            made = _COMPARISON.sub(lambda match: _TURNED.get(match[0], match[0]), made)
        lines.append(made + (line_end(text) or index.snapshot.eol))
    if any(made != text for made, text in zip(lines, edit.new, strict=True)):
        yield Proposal(at, at, tuple(lines)), _BLOCK


def _block(index: DocumentIndex, line: int) -> tuple[int, int]:
    """Return the first and last line of the function around a line, its head included; (-1, -1) without one."""
    top = index.block(line)
    if top < 0:
        return -1, -1
    if index.bodies[top].strip() == "{" and top:
        top -= 1
    width = len(index.indent(top))
    last = line
    for at in range(line, min(line + _REACH, len(index.bodies))):
        body = index.bodies[at]
        if body.strip() and len(index.indent(at)) <= width and body.strip()[0] not in "{)":
            return top, at if body.strip()[0] == "}" else last
        if body.strip():
            last = at
    return top, last
