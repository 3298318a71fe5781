"""Places at which a word is no use of the name with its letters, in languages that are read without a grammar.

The name of an attribute in a tag, also where it gives its value by itself; and a quoted here-document, in which nothing is
replaced by its value.
"""

from __future__ import annotations

import re

from editahead_prompts.state import PastEdit
from editahead_prompts.text.word_patterns import WordPattern

from .document_index import DocumentIndex
from .named_places import MAX_WIDTH, whole_word

_MARKUP = frozenset(["svelte", "vue", "astro", "html", "xml"])
_MAX_TAG_LINES = 20
"""Lines above in which the beginning of a tag is looked for."""
_MAX_TEXT_LINES = 200
"""Lines above in which the beginning of a here-document is looked for."""
_NAMES_ATTRIBUTE = re.compile(r"\s*=(?![=>])|(?=[\s/>]|\Z)")
"""What follows the name of an attribute behind a sign, or the name of one without a value."""
_SHORT = re.compile(r"\}(?=[\s/>]|\Z)")
_LITERAL = {
    "shellscript": WordPattern(r"<<[-~]?[ \t]*(?:'(?P<a>\w+)'|\"(?P<b>\w+)\"|\\(?P<c>\w+))"),
    "php": WordPattern(r"<<<[ \t]*'(?P<a>\w+)'"),
    "ruby": WordPattern(r"<<[-~]?'(?P<a>\w+)'"),
    "perl": WordPattern(r"<<~?[ \t]*'(?P<a>\w+)'"),
}
"""Beginnings of here-documents whose text is literal, by language."""


def means_other(renames: tuple[str, str], index: DocumentIndex, line: int, edit: PastEdit) -> bool:
    """Return whether a line has a renamed word at such a place, and the renamed name itself is at none."""
    old, new = renames
    if not _has_literal(index, line, old):
        return False
    rows = index.lines_of(edit)
    return edit.uri != index.snapshot.uri or not any(_has_literal(index, row, new) for row in rows)


def _has_literal(index: DocumentIndex, line: int, name: str) -> bool:
    words = whole_word(name).finditer(index.bodies[line][:MAX_WIDTH])
    return any(_is_literal(index, line, *word.span()) for word in words)


def _is_literal(index: DocumentIndex, line: int, start: int, end: int) -> bool:
    """Return whether the word at these columns is the name of an attribute, or in a here-document whose text is literal."""
    language = index.snapshot.language
    if language in _MARKUP:
        return _names_attribute(index, line, start, end)
    return language in _LITERAL and _is_in_text(index, line, _LITERAL[language])


def _names_attribute(index: DocumentIndex, line: int, start: int, end: int) -> bool:
    body = index.bodies[line]
    before = body[:start]
    if before.endswith("{"):
        is_named = _SHORT.match(body, end) is not None and (not before[:-1] or before[-2].isspace())
    else:
        is_named = before[-1:] in (":", "@", ".", "", " ", "\t") and bool(_NAMES_ATTRIBUTE.match(body, end))
    return is_named and _is_in_tag(index, line, start)


def _is_in_tag(index: DocumentIndex, line: int, column: int) -> bool:
    """Return whether the last sign of a tag above a place opens one, outside of quotation marks."""
    for number in range(line, max(-1, line - _MAX_TAG_LINES), -1):
        text = index.bodies[number][:column] if number == line else index.bodies[number]
        opened, closed = text.rfind("<"), text.replace("=>", "  ").rfind(">")
        if opened >= 0 or closed >= 0:
            inside = text[opened + 1 :]
            return opened > closed and inside[:1].isalpha() and inside.count('"') % 2 == 0
    return False


def _is_in_text(index: DocumentIndex, line: int, begins: WordPattern) -> bool:
    """Return whether a line is between the beginning of a literal here-document and its end."""
    for number in range(line - 1, max(-1, line - _MAX_TEXT_LINES), -1):
        found = begins.search(index.bodies[number])
        if found is None:
            continue
        word = next(filter(None, found.groups()))
        return all(body.strip().rstrip(";,)") != word for body in index.bodies[number + 1 : line + 1])
    return False
