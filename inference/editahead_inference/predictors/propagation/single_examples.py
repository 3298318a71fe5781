"""Tests whether one example of a change says nothing of other places that look alike."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from editahead_prompts.state import PastEdit
from editahead_prompts.syntax.constructors import is_set_by_constructor
from editahead_prompts.syntax.languages import find_language
from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.identifiers import Span, changed_spans, is_word, replaced_word, tokenize
from editahead_prompts.text.snapshot import line_body
from editahead_prompts.text.word_patterns import WordPattern

from .document_index import DocumentIndex
from .follow_up import changed_tokens
from .named_places import MAX_WIDTH, MODULE

_TRUTH_VALUES = frozenset({"true", "false"})
_BUILT_IN_TYPE = re.compile(
    r"u?int(?:_?(?:fast|least)?\d+)?(?:_t)?|[iu](?:\d+|size)|f(?:32|64)|float\d*|double|long|short|char|byte|s?size_t"
    r"|bool|boolean|str|string|String|number|bigint|any|unknown|object|rune|Integer|Long|Short|Float|Double|Boolean|bytes"
)
_SHORT_NUMBER = re.compile(r"\d{1,2}")
_QUOTES = frozenset("\"'`")
_MAX_LITERAL = 200
"""Characters around a change in which the quotes of its string are looked for."""


def changes_values_only(edit: PastEdit) -> bool:
    """Return whether an edit put other numbers, truth values, operators or built-in types: one says nothing of others.

    The unit after a number may change with it. A short number that got a name is many things elsewhere.
    """
    has_value = False
    for _, a, b, spans in changed_tokens(edit):
        has_number = any(_is_number(a[a1:a2], b[b1:b2]) for a1, a2, b1, b2 in spans)
        if not all(_changes_value(a, b, span, has_number=has_number) for span in spans):
            return False
        changed = [token for a1, a2, b1, b2 in spans for token in (*a[a1:a2], *b[b1:b2])]
        has_value = has_value or any(token[0].isdigit() or is_word(token) for token in changed)
    return has_value


def _changes_value(a: Sequence[str], b: Sequence[str], span: Span, *, has_number: bool) -> bool:
    """Return whether a changed span puts a value for another, with a unit after a number if the line has a changed one."""
    a1, a2, b1, b2 = span
    if a1 == a2 or b1 == b2:
        return False
    is_one = a2 - a1 == b2 - b1 == 1
    if is_one and _SHORT_NUMBER.fullmatch(a[a1]) and is_word(b[b1]):
        return True
    is_unit = has_number and is_one and a1 > 0 and a[a1 - 1] == "."
    return is_unit or all(_is_value(token) for token in (*a[a1:a2], *b[b1:b2]) if is_word(token))


def _is_number(old: Sequence[str], new: Sequence[str]) -> bool:
    return len(old) == len(new) == 1 and old[0][0].isdigit() and new[0][0].isdigit()


def added_tokens(edit: PastEdit) -> list[str]:
    """Return the tokens that an edit put into lines, if it only did that; [] for other edits.

    An argument or `?` is a choice for one place: of the first predictions from one such example, 7 of 27 were right in
    commits with all files open, and 48 of 86 in commits file by file (train-00 to train-09).
    """
    added: list[str] = []
    for _, _, b, spans in changed_tokens(edit):
        if any(a1 != a2 for a1, a2, _, _ in spans):
            return []
        added += (token for _, _, b1, b2 in spans for token in b[b1:b2] if not token.isspace())
    return added


def _is_value(word: str) -> bool:
    return word.lower() in _TRUTH_VALUES or _BUILT_IN_TYPE.fullmatch(word) is not None


def renames_local_only(edit: PastEdit, origin: DocumentIndex | None, trees: SyntaxTrees) -> bool:
    """Return whether an edit renamed one local or parameter and nothing else: its scope tells where that goes on.

    An attribute that a constructor sets is that of its type alone.

    Args:
        edit: The edit.
        origin: The index of its document; None if it is closed.
        trees: The syntax trees.
    """
    names: set[tuple[str, str]] = set()
    is_local = False
    for line, a, b, spans in _rewritten_lines(edit, origin):
        assert origin is not None
        for span in spans if len(origin.bodies[line]) <= MAX_WIDTH else ():
            pair = replaced_word(a, b, span)
            if pair is None:
                return False
            names.add(pair)
            at = origin.snapshot.starts[line] + sum(map(len, b[: span[2]]))
            found = trees.occurrence(origin.snapshot, at, at + len(pair[1]))
            is_local |= found.defines and found.role == "plain" and found.binder != MODULE
            node = trees.node_at(origin.snapshot, at, at + len(pair[1])) if found.role == "member" else None
            is_local |= is_set_by_constructor(node, find_language(origin.snapshot.language))
    return is_local and len(names) == 1


def changes_wording_only(edit: PastEdit, origin: DocumentIndex | None, trees: SyntaxTrees) -> bool:
    """Return whether an edit put another word into strings or comments: other texts have words of their own.

    A string that is one word is a key or a name, which other places repeat, as they do a phrase of several words.

    Args:
        edit: The edit.
        origin: The index of its document; None if it is closed.
        trees: The syntax trees.
    """
    has_text = False
    for line, a, b, spans in _rewritten_lines(edit, origin):
        assert origin is not None
        body, at = origin.bodies[line], origin.snapshot.starts[line]
        if len(body) > MAX_WIDTH:
            return False
        for a1, a2, b1, b2 in spans:
            start = sum(map(len, b[:b1]))
            end = start + sum(map(len, b[b1:b2]))
            found = trees.occurrence(origin.snapshot, at + start, at + max(end, start + 1))
            if found.role != "text" or sum(map(is_word, a[a1:a2])) > 1 or _is_whole_literal(body, start, end):
                return False
            has_text = True
    return has_text


def _rewritten_lines(
    edit: PastEdit, origin: DocumentIndex | None
) -> Iterator[tuple[int, list[str], list[str], list[Span]]]:
    """Yield (line, old tokens, present tokens, changed spans) of each line that an edit rewrote one by one."""
    if origin is None or len(edit.old) != len(edit.new):
        return
    for row, line in enumerate(origin.lines_of(edit)):
        if edit.old[row] != edit.new[row]:
            a, b = tokenize(line_body(edit.old[row])), tokenize(origin.bodies[line])
            yield line, a, b, changed_spans(a, b)


def _is_whole_literal(body: str, start: int, end: int) -> bool:
    """Return whether the text around a change, to the next quotes, is one word."""
    before, after = body[max(start - _MAX_LITERAL, 0) : start], body[end : end + _MAX_LITERAL]
    left = max((before.rfind(quote) for quote in _QUOTES), default=-1)
    right = min((at for quote in _QUOTES if (at := after.find(quote)) >= 0), default=-1)
    if left < 0 or right < 0:
        return False
    word = before[left + 1 :] + body[start:end] + after[:right]
    return WordPattern(r"[\w.:/-]+").fullmatch(word) is not None
