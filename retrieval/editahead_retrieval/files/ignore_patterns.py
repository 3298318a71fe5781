r"""Patterns of ignore files, matched in time that is linear in the path for each pattern, whatever the pattern is.

A repository writes these patterns, so none may keep the server busy. A pattern becomes a regular expression without
backtracking over its stars: of each piece between two stars only the first place is tried, in an atomic group. That is
enough, because a later place leaves less room for the pieces behind it.

The rules are git's (gitignore(5)), with `WM_PATHNAME` of its wildmatch. git matches bytes: the patterns of a file and the
paths that they are for are strings with one character for each byte (`as_bytes_text`).
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from editahead_retrieval.errors import RetrievalError

MAX_LINES = 10_000
"""Lines of an ignore file with patterns. A file with more excludes everything below it."""
MAX_PATTERN_CHARS = 1_000
"""Characters of a pattern. A longer one counts as matching, so that it can only exclude."""
MAX_STARS = 50
"""Runs of stars in a pattern; with more, as with too many characters."""
_CHECK_INTERVAL = 64
"""Patterns between two checks of the time."""

_NEVER = "(?!)"
_ONE = "[^/]"
_POSIX = {
    "alnum": "a-zA-Z0-9",
    "alpha": "a-zA-Z",
    "blank": " \\t",
    "cntrl": "\\x00-\\x1f\\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": "!-/:-@\\[-`{-~",
    "space": " \\t\\n\\r\\f\\v",
    "upper": "A-Z",
    "xdigit": "0-9A-Fa-f",
}
"""The ranges of git's character classes, inside of a class of `re`."""

_BOM = b"\xef\xbb\xbf"
_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
"""git folds the case of ASCII only."""

Component = list[list[str]]
"""A component of a pattern: the pieces between its stars, each a list of expressions for one character."""


class _InvalidPatternError(RetrievalError):
    """A pattern that matches nothing, such as one with an open bracket."""


@dataclass(frozen=True)
class IgnorePattern:
    """A line of an ignore file.

    Attributes:
        text: The pattern without `!`, and without slashes at its ends.
        includes: Whether the line takes files back (`!`).
        folders_only: Whether the line ends in a slash.
        anchored: Whether the pattern is for the path from the ignore file's folder, and not for the last name alone.
    """

    text: str
    includes: bool
    folders_only: bool
    anchored: bool

    @classmethod
    def from_line(cls, line: str) -> IgnorePattern | None:
        """Return the pattern of a line; None for a blank line or a comment. For git, a NUL ends the line."""
        text = _trim(line.removesuffix("\r").partition("\0")[0])
        if not text or text.startswith("#"):
            return None
        includes = text.startswith("!")
        text = text.removeprefix("!")
        folders_only = text.endswith("/")
        text = text.removesuffix("/")
        anchored = "/" in text
        text = text.removeprefix("/")
        return cls(text, includes, folders_only, anchored) if text else None

    @cached_property
    def is_too_costly(self) -> bool:
        """Whether the pattern is beyond the limits."""
        return len(self.text) > MAX_PATTERN_CHARS or len(re.findall(r"\*+", self.text)) > MAX_STARS

    def matches(self, path: str, name: str, is_folder: bool, *, folds_case: bool = False) -> bool:
        """Return whether the pattern is for a path.

        Args:
            path: The path from the ignore file's folder, without a slash at its end.
            name: The last component of the path.
            is_folder: Whether the path is that of a folder.
            folds_case: Whether git may fold the case (`core.ignoreCase`). Then what excludes is for both cases, and what
                takes back only for what it is for in either way.
        """
        if self.folders_only and not is_folder:
            return False
        if self.is_too_costly:
            return not self.includes
        subject = path if self.anchored else name
        found = subject == self.text if self._regex is None else self._regex.fullmatch(subject) is not None
        if not folds_case or found != self.includes:
            return found
        return self._folded_regex.fullmatch(subject.translate(_LOWER)) is not None

    @cached_property
    def _regex(self) -> re.Pattern[str] | None:
        """The expression; None for a pattern without special characters."""
        return self._compile(folds_case=False) if re.search(r"[*?\[\\]", self.text) else None

    @cached_property
    def _folded_regex(self) -> re.Pattern[str]:
        """The expression for paths in lower case."""
        return self._compile(folds_case=True)

    def _compile(self, *, folds_case: bool) -> re.Pattern[str]:
        special = re.search(r"[*?\[\\]|$", self.text)
        assert special is not None
        # git compares what is before the first special character by itself: in `a**/b`, `**` begins the pattern.
        literal = self.text[: special.start()] if self.anchored else ""
        rest = self.text[len(literal) :]
        head = literal.translate(_LOWER) if folds_case else literal
        try:
            return re.compile(re.escape(head) + _to_regex(_parse(rest, folds_case=folds_case)), re.DOTALL)
        except _InvalidPatternError:
            return re.compile(_NEVER)


class IgnorePatterns:
    """The patterns of an ignore file, the last matching one of which decides.

    Attributes:
        lines: The lines as written.
        is_too_long: Whether the file has more lines than the limit.
    """

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = tuple(lines)
        found = [pattern for line in lines[: MAX_LINES + 1] if (pattern := IgnorePattern.from_line(line))]
        self.is_too_long = len(lines) > MAX_LINES
        self._patterns = tuple(reversed(found))

    @classmethod
    def from_text(cls, text: str) -> IgnorePatterns:
        """Return the patterns of a text. Those of the last few texts are kept."""
        return _from_text(text.removeprefix("\ufeff"))

    @classmethod
    def from_bytes(cls, data: bytes) -> IgnorePatterns:
        """Return the patterns of an ignore file, which are for paths by `as_bytes_text`."""
        return _from_text(data.removeprefix(_BOM).decode("latin-1"))

    def decide(
        self,
        path: str,
        *,
        is_folder: bool,
        folds_case: bool = False,
        check: Callable[[], None] = lambda: None,
    ) -> bool | None:
        """Return whether the patterns exclude a path (True) or take it back (False); None if none is for it.

        Args:
            path: The path from the ignore file's folder, without a slash at its end.
            is_folder: Whether the path is that of a folder.
            folds_case: Whether git may fold the case.
            check: Called often; may raise to give up.
        """
        if self.is_too_long:
            return True
        name = path.rpartition("/")[2]
        for number, pattern in enumerate(self._patterns):
            if number % _CHECK_INTERVAL == 0:
                check()
            if pattern.matches(path, name, is_folder, folds_case=folds_case):
                return not pattern.includes
        return None


@lru_cache(maxsize=64)
def _from_text(text: str) -> IgnorePatterns:
    return IgnorePatterns(text.split("\n"))


def as_bytes_text(path: str) -> str:
    """Return a path with one character for each of its bytes on the disk."""
    return path if path.isascii() else path.encode("utf-8", "surrogateescape").decode("latin-1")


def spellings(path: str) -> tuple[str, ...]:
    """Return the path, and as composed text if that is another one: git on macOS may see either."""
    return (path,) if path.isascii() else tuple(dict.fromkeys((path, unicodedata.normalize("NFC", path))))


def _trim(line: str) -> str:
    """Return the line without the spaces at its end that no backslash is before."""
    end = len(line.rstrip(" "))
    slashes = len(line[:end]) - len(line[:end].rstrip("\\"))
    return line[: end + (slashes % 2 == 1 and end < len(line))]


def _parse(text: str, *, folds_case: bool = False) -> list[Component | None]:
    """Return the components of a pattern; None for `**`.

    Args:
        text: The pattern.
        folds_case: Whether it is for paths in lower case.
    """
    components: list[Component | None] = []
    pieces: Component = [[]]
    at, start = 0, 0
    while at < len(text):
        char = text[at]
        if char == "/":
            components.append(_component(pieces, text[start:at]))
            pieces, start = [[]], at + 1
            at += 1
        elif char == "*":
            pieces.append([])
            while text[at : at + 1] == "*":
                at += 1
        elif char == "[":
            expression, at = _character_class(text, at + 1, folds_case)
            pieces[-1].append(expression)
        elif char == "\\":
            if at + 1 == len(text):
                raise _InvalidPatternError
            pieces[-1].append(re.escape(text[at + 1]))  # git does not fold it
            at += 2
        else:
            pieces[-1].append(
                _ONE if char == "?" else re.escape(char.translate(_LOWER) if folds_case else char)
            )
            at += 1
    components.append(_component(pieces, text[start:]))
    return components


def _component(pieces: Component, text: str) -> Component | None:
    return None if len(text) > 1 and not text.strip("*") else pieces


def _character_class(text: str, at: int, folds_case: bool) -> tuple[str, int]:
    """Return the expression of a class whose inside begins at `at`, and the place behind its bracket."""
    negated = text[at : at + 1] in ("!", "^")
    first = at = at + negated
    items: list[str] = []
    while text[at : at + 1] != "]" or at == first:
        named = re.compile(r"\[:([^\]]*):\]").match(text, at)
        if named is not None:
            if named[1] not in _POSIX:
                raise _InvalidPatternError
            items.append(_POSIX["alpha" if folds_case and named[1] == "upper" else named[1]])
            at = named.end()
            continue
        low, at = _class_char(text, at)
        items.append(re.escape(low))  # git compares it before it sees a range
        if text[at : at + 1] == "-" and text[at + 1 : at + 2] not in ("]", ""):
            high, at = _class_char(text, at + 1)
            items.append(_class_range(low, high, folds_case))
    inside = "".join(items)
    return f"(?!/)[{'^' if negated else ''}{inside}]", at + 1


def _class_range(low: str, high: str, folds_case: bool) -> str:
    """Return the characters of a range, as a part of a class; with folded case, also letters whose capital is in it."""
    found = f"{re.escape(low)}-{re.escape(high)}" if low <= high else ""
    if folds_case:
        found += "".join(each.lower() for each in string.ascii_uppercase if low <= each <= high)
    return found


def _class_char(text: str, at: int) -> tuple[str, int]:
    """Return the character of a class at a place, and the place behind it."""
    at += text[at : at + 1] == "\\"
    if at >= len(text):
        raise _InvalidPatternError
    return text[at], at + 1


def _to_regex(components: list[Component | None]) -> str:
    """Return the expression that matches a whole path."""
    runs: list[list[Component]] = [[]]
    for component in components:
        if component is None:
            runs.append([])
        else:
            runs[-1].append(component)
    if len(runs) == 1:
        return "/".join(map(_component_regex, runs[0]))
    head, *middle, tail = (list(map(_component_regex, run)) for run in runs)
    out = "".join(f"{component}/" for component in head)
    for run in middle:
        if run:
            out += f"(?>(?:[^/]*/)*?{''.join(f'{component}/' for component in run)})"
    return out + (f"(?:[^/]*/)*{'/'.join(tail)}" if tail else ".*")


def _component_regex(pieces: Component) -> str:
    """Return the expression of one component, which never gives back what it has matched."""
    first, *rest = ("".join(piece) for piece in pieces)
    if not rest:
        return first
    *middle, last = rest
    found = "".join(f"(?>[^/]*?{piece})" for piece in middle if piece)
    return f"(?>{first}{found}[^/]*{last}(?=/|\\Z))"
