"""What the alignment knows of each line by itself: its normalised text, its depth, its kind and its name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from editahead_inference.apply.placement.line_matching import (
    TERMINAL,
    is_annotation,
    is_comment,
    line_weight,
    normalize_line,
)
from editahead_inference.apply.placement.line_names import identity
from editahead_prompts.text.indentation import indent_width

LineKind = Literal["blank", "closer", "text", "annotation", "declaration", "value", "header", "other"]
"""A closer only ends a block; text is a comment or a docstring; a header opens a block without a name."""

_CLOSER = re.compile(r"[\])};,]+|end|fi|done|esac|</[\w:.-]+>|[\])}][\])};, ]*(?:while\b.*)?")
_CONTINUATION = re.compile(
    r"[\])}]?\s*(?:else|elif|except|finally|catch|rescue|ensure|elsif|case\b|default\b)"
)
_DEFAULT = re.compile(r"default\s*:.*|_\s*(?:if\b.*)?=>.*|case _.*|\*\).*")
_SECTIONS = {
    "markdown": re.compile(r"#{1,6}\s.*"),
    "toml": re.compile(r"\[{1,2}[A-Za-z_][\w.\"' -]*\]{1,2}\s*(?:#.*)?"),
    "ini": re.compile(r"\[.*\]"),
}
"""The headings of languages whose sections are not indented, by the name of the language."""
_QUOTES = ('"""', "'''")


@dataclass(frozen=True, slots=True)
class Line:
    """A line with what its text says.

    Attributes:
        text: The line without its end.
        key: The normalised text.
        depth: The width of its indentation in columns; -1 for a blank line.
        weight: How distinctive the line is, from 0 to 1.
        name: What it names: a declaration, a key; None without a name.
    """

    text: str
    key: str
    depth: int
    weight: float
    kind: LineKind
    name: str | None

    @property
    def continues(self) -> bool:
        """Whether the line continues the block above, as `else` does."""
        return _CONTINUATION.match(self.key) is not None

    @property
    def leaves(self) -> bool:
        """Whether the line leaves its block: no other statement of it is reached below."""
        return TERMINAL.match(self.key) is not None

    @property
    def is_default(self) -> bool:
        """Whether the line begins the branch for all other values, which is the last one."""
        return _DEFAULT.fullmatch(self.key) is not None


def describe_lines(texts: Sequence[str], language: str) -> list[Line]:
    """Return the description of each line of a text in a language."""
    section = _SECTIONS.get(language)
    return [
        _describe(text, section, is_text=is_text)
        for text, is_text in zip(texts, _in_strings(texts), strict=True)
    ]


def _describe(text: str, section: re.Pattern[str] | None, *, is_text: bool) -> Line:
    key = normalize_line(text)
    if section is not None and not is_text and section.fullmatch(key):
        return Line(text, key, indent_width(text), line_weight(key), "declaration", f"section {key}")
    name = None if is_text or not key else identity(key)
    kind: LineKind = "text" if is_text and key else _kind(text, key, name)
    return Line(text, key, indent_width(text), line_weight(key) if key else 0.0, kind, name)


def _kind(text: str, key: str, name: str | None) -> LineKind:
    if not key:
        return "blank"
    if _CLOSER.fullmatch(key):
        return "closer"
    if is_comment(text):
        return "text"
    if is_annotation(key):
        return "annotation"
    if name is not None:
        return "value" if name.startswith("value ") else "declaration"
    return "header" if key.endswith(("{", ":", "(", "[")) else "other"


def _in_strings(texts: Sequence[str]) -> Iterator[bool]:
    """Yield whether each line is in a string of several lines that begins a line, as docstrings do."""
    closing = ""
    for text in texts:
        body = text.strip()
        if closing:
            yield True
            closing = "" if closing in body else closing
            continue
        opening = next((quotes for quotes in _QUOTES if body.lstrip("rRuUbBfF").startswith(quotes)), "")
        yield bool(opening)
        if opening and body.count(opening) == 1:
            closing = opening
