"""Follow-ups in mirrored code: what was changed on one side, such as left, x or read, follows on the other."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from editahead_prompts.state import PastEdit
from editahead_prompts.text.identifiers import (
    WORD,
    Span,
    case_style,
    is_word,
    replaced_word,
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
    for edit in situation.here(_MAX_EDITS):
        if edit.old:
            found = [*_mirrored_lines(edit, index), *_counterparts(edit, index)]
        else:
            found = list(_mirrored_insertions(edit, index))
        for proposal, confidence in found:
            yield FollowUp(proposal, "mirrored", f"mirrored:{edit.new[:1]}", "the other side", confidence)


def _mirrored_lines(edit: PastEdit, index: DocumentIndex) -> Iterator[tuple[Proposal, float]]:
    """Yield the only line that is the mirror image of the old one, rewritten to that of the new one."""
    for row, a, b, spans in changed_tokens(edit):
        old, new = "".join(a), "".join(b)
        if len(a) < 5 or max(len(old), len(new)) > _MAX_WIDTH or COMMENT.match(old):
            continue
        images = [
            (at, table)
            for at in _around(edit.line + row, index, edit)
            if (table := _opposites(a, index.bodies[at]))
        ]
        if len(images) != 1 or not _has_sides(b, spans, images[0][1]):
            continue
        at, table = images[0]
        made = turn_words(new, table)
        if made != index.bodies[at]:
            yield index.rewrite(at, made), _LINE


def _has_sides(tokens: Sequence[str], spans: Sequence[Span], table: Mapping[str, str]) -> bool:
    """Return whether what was changed in a line is about one of two sides, and can be about the other."""
    inserted = [token for _, _, start, end in spans for token in tokens[start:end]]
    around = {word for token in tokens[spans[0][2] : spans[-1][3]] for word in split_words(token)}
    if not any(is_word(token) for token in inserted) or around.isdisjoint(table):
        return False
    # What is `max(0, ...)` on the other side?
    return not any(
        is_ordered(word) and word not in table for token in inserted for word in split_words(token)
    )


def _around(line: int, index: DocumentIndex, edit: PastEdit) -> Iterator[int]:
    for at in range(max(line - _REACH, 0), min(line + _REACH, len(index.bodies))):
        if not edit.line <= at < edit.line + len(edit.new):
            yield at


def _opposites(a: Sequence[str], body: str) -> dict[str, str] | None:
    """Return the words in which two lines differ as opposites; {} or None if they do not, or differ otherwise."""
    if len(body) > _MAX_WIDTH:
        return None
    b = tokenize(body)
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
        renamed = _renamed_call(a, b, spans)
        sides = _sides(*renamed) if renamed is not None else []
        if renamed is None or not sides:
            continue
        old, new = renamed
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
            yield index.rewrite(at, body), _CODEC


def _renamed_call(a: Sequence[str], b: Sequence[str], spans: Sequence[Span]) -> tuple[str, str] | None:
    """Return the old and the new name if a line changed by the name of what it calls."""
    is_call = len(spans) == 1 and b[spans[0][3] : spans[0][3] + 1] == ["("]
    return replaced_word(a, b, spans[0]) if is_call else None


def _sides(old: str, new: str) -> list[str]:
    """Return the words of a renamed name that have an opposite; [] if the first of them was renamed."""
    words = word_replacement(old, new)
    sides = [word for word in split_words(old) if opposite(word)]
    return sides if words is not None and sides and sides[0] not in words[0] else []


def _side_of(token: str, old: str, sides: Sequence[str]) -> dict[str, str] | None:
    """Return the words that turn one name into its counterpart; None if the token is no counterpart."""
    if not is_word(token) or token == old or case_style(token) != case_style(old):
        return None
    words = opposite_words(old, token)
    return (
        {side: words[side] for side in sides if side in words} if words and set(sides) & set(words) else None
    )


def _mirrored_insertions(edit: PastEdit, index: DocumentIndex) -> Iterator[tuple[Proposal, float]]:
    """Yield the mirror image of lines that were inserted into one of two mirrored functions."""
    end = edit.line + len(edit.new)
    if not 0 < len(edit.new) <= _MAX_INSERTED or end > len(index.bodies):
        return
    first, last = _block(index, edit.line)
    if first < 0 or last < end or last - first > _REACH:
        return
    without = [*index.bodies[first : edit.line], *index.bodies[end : last + 1]]
    images = list(_images(without, (first, last), index))
    if len(images) != 1:
        return
    at, table = images[0]
    lines = tuple(_mirrored(text, table, index.snapshot.eol) for text in edit.new)
    if lines != edit.new:
        yield Proposal(at + edit.line - first, at + edit.line - first, lines), _BLOCK


def _images(
    ours: Sequence[str], block: tuple[int, int], index: DocumentIndex
) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the first lines of the mirror images of some lines near their block, with the words that are opposites."""
    first, last = block
    size = len(ours)
    split = [tokenize(body) for body in ours]
    for at in range(max(first - _REACH - size, 0), min(last + _REACH, len(index.bodies) - size + 1)):
        if at + size <= first or at > last:
            table = _opposites_of_all(split, index.bodies[at : at + size])
            if table:
                yield at, table


def _opposites_of_all(ours: Sequence[Sequence[str]], theirs: Sequence[str]) -> dict[str, str] | None:
    table: dict[str, str] = {}
    for tokens, body in zip(ours, theirs, strict=True):
        found = _opposites(tokens, body)
        if found is None:
            return None
        table |= found
    return table


def _mirrored(text: str, table: Mapping[str, str], eol: str) -> str:
    """Return the mirror image of a line, by the opposites of its function's lines and those of its own words."""
    body = line_body(text)
    added = {word: opposite(word) for name in WORD.findall(body) for word in split_words(name)}
    own = {word: other for word, other in added.items() if other and are_opposite(word, other)}
    made = turn_words(body, {**own, **table})
    if any(is_ordered(word) for word in table):
        made = _COMPARISON.sub(lambda match: _TURNED.get(match[0], match[0]), made)
    return made + (line_end(text) or eol)


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
