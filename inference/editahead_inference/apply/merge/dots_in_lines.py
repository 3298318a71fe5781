"""Dots within a line that stand for what the file has there: `Error('...')`, `setup(...)`, `.card { ... }`.

Such a line keeps the file's text where one line of the file has it around the dots. Dots of a language (`...args`,
`Tuple[int, ...]`) and those of a sentence are none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from editahead_inference.apply.placement.line_matching import (
    DISTINCTIVE,
    is_comment,
    line_weight,
    normalize_line,
)
from editahead_inference.apply.placement.placement import Target
from editahead_prompts.syntax.languages import find_language

_DOTS = re.compile(r"\.{3,}|[…⋯]")
_STRINGS = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`")
_MAX_CHARS = 400
"""Longest line with dots that is compared, in characters, which bounds the time."""
_MAX_GAPS = 3
"""Gaps of a line that is compared."""

_CALLS_WITHOUT_DOTS = frozenset(
    {
        "python", "javascript", "javascriptreact", "typescript", "typescriptreact",
        "go", "java", "rust", "kotlin", "csharp", "scala", "ruby",
    }
)  # fmt: skip  # a table
"""Languages in which dots alone are no argument of a call."""

_TAKES_DOTS = frozenset(
    [
        "Body",
        "Cookie",
        "Field",
        "File",
        "Form",
        "Header",
        "Param",
        "Path",
        "Query",
        "Security",
        "Argument",
        "Option",
    ]
)
"""Functions of well-known libraries that are called with dots: pydantic's, FastAPI's and typer's."""
_WORD = re.compile(r"\w+")
_NAME = re.compile(r"\w+$")
_BRACKETS = {"(": ")", "[": "]", "{": "}"}
_RETURNED = re.compile(r"return (?:\.{3}|…)")


@dataclass(frozen=True, slots=True)
class Gaps:
    """The text of a line around its dots.

    Attributes:
        pieces: The text before, between and behind the dots.
        is_text: All dots are in texts.
        is_sentence: The dots may be meant: in a text that has words, too, or that is a value.
    """

    pieces: tuple[str, ...]
    is_text: bool
    is_sentence: bool

    def fit(self, key: str) -> bool:
        """Return whether a line of a file has these pieces, with something else between them."""
        first, *between, last = map(_with_one_quote, self.pieces)
        key = _with_one_quote(key)
        if len(key) <= len(first) + len(last) or not (key.startswith(first) and key.endswith(last)):
            return False
        at, end = len(first), len(key) - len(last)
        for piece in between:
            found = key.find(piece, at + 1, end)
            if found < 0:
                return False
            at = found + len(piece)
        return bool(key[at:end].strip()) and _DOTS.search(key[at:end]) is None

    def find_fitting(self, target: Target) -> list[str]:
        """Return the different lines of the file that fit."""
        if line_weight(" ".join(self.pieces)) < DISTINCTIVE:
            return []
        return [key for key in target.lines.places if self.fit(key)]


def find_gaps(key: str, target: Target) -> Gaps | None:
    """Return the gaps of a line; None if its dots are code, words or missing.

    Args:
        key: The normalised line.
        target: The file.
    """
    language = target.original.language
    if find_language(language).is_prose or language is None or len(key) > _MAX_CHARS or is_comment(key):
        return None
    strings = [found.span() for found in _STRINGS.finditer(key)]
    gaps: list[tuple[int, int]] = []
    is_sentence, is_text = False, True
    for found in _DOTS.finditer(key):
        around = next((span for span in strings if span[0] < found.start() < span[1]), None)
        if around is not None:
            text = key[around[0] + 1 : around[1] - 1]
            is_argument = re.search(r"[(,]\s*[bfru]?$", key[: around[0]]) is not None
            is_sentence = is_sentence or text.strip() != found[0] or not is_argument
        elif _is_left_out(key[: found.start()].rstrip(), key[found.end() :].lstrip(), target):
            is_text = False
        else:
            continue
        gaps.append(found.span())
    if not 0 < len(gaps) <= _MAX_GAPS:
        return None
    edges = [0, *(edge for gap in gaps for edge in gap), len(key)]
    pieces = [key[start:end].strip() for start, end in zip(edges[::2], edges[1::2], strict=True)]
    return Gaps(tuple(pieces), is_text, is_sentence)


def _is_left_out(left: str, right: str, target: Target) -> bool:
    """Return whether dots between these are no code in the language of the file."""
    language = target.original.language
    at = _innermost_bracket(left)
    if at is not None:
        if left[-1] not in (left[at], ",", ";") or right[:1] not in (_BRACKETS[left[at]], ",", ";"):
            return False
        if left[at] == "[":
            return re.search(r"[\w\])]$", left[:at]) is None  # `Tuple[int, ...]`
        called = _NAME.search(left[:at])
        has_dots = called is not None and (
            called[0] in _TAKES_DOTS or f"{called[0]}(..." in target.original.text
        )
        return left[at] == "{" or (language in _CALLS_WITHOUT_DOTS and not has_dots)
    if left.startswith("<") and right in (">", "/>") and not left.endswith(("=", "{")):
        return True
    return language in ("css", "scss", "less") and left.endswith(":") and right.startswith((";", "}"))


def _with_one_quote(text: str) -> str:
    """Return a text with one kind of quotation marks, which models mix up."""
    return text.replace('"', "'").replace("`", "'")


def _is_version(old: str, new: str) -> bool:
    """Return whether a line may be an old version of one with dots in a text: it begins alike, and has a text."""
    words = [_WORD.search(key) for key in (old, new)]
    begins_alike = words[0] is not None and words[1] is not None and words[0][0] == words[1][0]
    return begins_alike and _STRINGS.search(old) is not None and _DOTS.search(old) is None


def _innermost_bracket(left: str) -> int | None:
    """Return where the last bracket is that a text opens and does not close."""
    closed = 0
    for at in range(len(left) - 1, -1, -1):
        if left[at] in ")]}":
            closed += 1
        elif left[at] in _BRACKETS:
            if not closed:
                return at
            closed -= 1
    return None


def gaps_for_text(target: Target, deleted: Sequence[str], inserted: Sequence[str]) -> Iterator[str]:
    """Yield the lines, of those that would come, whose dots stand for code, or for text of the lines that would go.

    Args:
        target: The file.
        deleted: The lines of the file that would go.
        inserted: The lines that would come.
    """
    old = {key for key in map(normalize_line, deleted) if key}
    for line in inserted:
        key = normalize_line(line)
        if _DOTS.search(key) is None or key in target.lines.places:
            continue
        gaps = find_gaps(key, target)
        if gaps is None:
            if target.original.language in _CALLS_WITHOUT_DOTS and _RETURNED.match(key):
                yield line
            continue
        versions = gaps.find_fitting(target)
        if gaps.is_text and not gaps.is_sentence:
            versions += [each for each in old if _is_version(each, key)]
        if not gaps.is_text or not old.isdisjoint(versions):
            yield line
