"""Lines as templates: a name is a slot that keeps how the name is written there, such as `{pascal}`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from posixpath import splitext

from editahead_prompts.text.identifiers import apply_case_style, case_style, is_name, split_words, tokenize
from editahead_prompts.text.word_patterns import WordPattern

MIN_CHARS = 3
"""Characters of a name that may fill a slot."""
MAX_PREFIX = 9
"""Tokens before the slot of a line that tells where a name is added."""

Words = tuple[str, ...]

_NAME = WordPattern(r"[^\W\d]\w*(?:-[^\W\d]\w*)*")
_PART = re.compile(r"\{\{|\}\}|\{(flat|snake|constant|camel|pascal|kebab)\}")
"""What is not itself in a template: a doubled brace, and a slot."""
_BRACES = {"{{": "{", "}}": "}"}


def names_in(text: str) -> Iterator[tuple[Words, str, int]]:
    """Yield the names of a line: words in lower case, the spelling, and where it starts.

    A spelling with hyphens is one name, and so is each of its parts.
    """
    for match in _NAME.finditer(text):
        spelling = match[0]
        if "-" in spelling:
            yield _words(spelling), spelling, match.start()
        at = match.start()
        for part in spelling.split("-"):
            if len(part.strip("_")) >= MIN_CHARS:
                yield _words(part), part, at
            at += len(part) + 1


def fill_slot(text: str, words: Words) -> tuple[str, dict[str, str]]:
    """Return a line with slots for a name, and the spellings of the name by slot."""
    spellings: dict[str, str] = {}

    def put(spelling: str) -> str:
        if _words(spelling) == words and len(spelling.strip("_")) >= MIN_CHARS:
            style = slot_style(spelling)
            if style != "other" and spellings.get(style, spelling) == spelling:
                spellings[style] = spelling
                return f"{{{style}}}"
        return spelling

    def replace(match: re.Match[str]) -> str:
        whole = put(match[0])
        return whole if whole != match[0] else "-".join(put(part) for part in match[0].split("-"))

    return _NAME.sub(replace, text.replace("{", "{{").replace("}", "}}")), spellings


def instantiate(template: str, words: Words, spellings: Mapping[str, str]) -> str:
    """Return a template with a name in its slots.

    Args:
        template: A line as `fill_slot` returns it.
        words: The words of the name.
        spellings: Known spellings by slot. Others are made of the words.
    """

    def spell(part: re.Match[str]) -> str:
        style = part[1]
        if style is None:
            return _BRACES[part[0]]
        if style in spellings:
            return spellings[style]
        return "-".join(words) if style == "kebab" else apply_case_style(words, style)  # type: ignore[arg-type]  # slots name styles

    return _PART.sub(spell, template)


def line_pattern(template: str) -> WordPattern:
    """Return a pattern of the lines that a template makes, with any name."""
    out: list[str] = []
    at = 0
    for part in _PART.finditer(template):
        out.append(re.escape(template[at : part.start()]))
        out.append(re.escape(_BRACES[part[0]]) if part[1] is None else r"[\w-]+")
        at = part.end()
    return WordPattern("".join((*out, re.escape(template[at:]))))


def has_slot(template: str) -> bool:
    """Return whether a template has a slot."""
    return any(part[1] for part in _PART.finditer(template))


def context_of(text: str, spelling: str, start: int) -> str | None:
    """Return what tells where a name is in a line: what is before it and the character after it, with a slot.

    Names before it are `*`, but for the first one. None where too much is before it.
    """
    before = tokenize(text[:start])
    if len(before) > MAX_PREFIX:
        return None
    is_first = True
    out = []
    for token in before:
        if is_name(token) and not is_first:
            token = "*"
        elif is_name(token):
            is_first = False
        out.append(" " if token.isspace() else token)
    after = text[start + len(spelling) :].lstrip()[:1]
    return f"{''.join(out)}{{{slot_style(spelling)}}}{after}"


def slot_style(spelling: str) -> str:
    """Return the slot for a spelling; "other" for one that no slot keeps."""
    if "-" in spelling:
        parts = spelling.split("-")
        return "kebab" if all(part == part.lower() for part in parts) else "other"
    if spelling != spelling.strip("_"):
        return "other"
    return case_style(spelling)


def path_template(path: str, words: Words) -> tuple[str, dict[str, str]]:
    """Return the path of a file with a slot for the name of the file, and the name's spellings: none if it has another."""
    folder, slash, name = path.rpartition("/")
    stem, dot, rest = name.partition(".")
    filled, spellings = fill_slot(stem, words)
    return f"{folder}{slash}{filled}{dot}{rest}", spellings


def folder_pattern(path: str) -> str:
    """Return the pattern of the files beside a file with the same extension."""
    folder, slash, name = path.rpartition("/")
    return f"{folder}{slash}*{splitext(name)[1]}"


def _words(spelling: str) -> Words:
    return tuple(word for part in spelling.split("-") for word in split_words(part))
