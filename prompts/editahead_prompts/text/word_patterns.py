r"""What a word is in any script, for patterns: `\w` and `\b` by Unicode's rules for identifiers.

Python's `\w` knows letters and digits, but not what else goes on a word by Unicode (UAX #31, XID_Continue): the vowel
signs of Devanagari and Thai, the points of Hebrew and Arabic, accents that are characters of their own, and joiners. So
`\w+` cuts `संख्या` into pieces. A pattern of this module is written as one for `re`, and `\w`, `\W` and `\b` count these
characters, too. Where a text has none of them, Python's own pattern is right, and is used.

A word is more than an identifier of any one language: `x²` is one in Julia, and `m²` one of prose. No identifier of a
language with Unicode's rules is cut. Signs that only some languages have, such as `$`, `@`, `-` and `?`, belong to the
pattern that knows the language.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

_MARK_RANGES = """
b7 300-36f 387 483-489 591-5bd 5bf 5c1-5c2 5c4-5c5 5c7 610-61a 64b-65f 670 6d6-6dc 6df-6e8 6ea-6ed 711-7f3 7fd 816-82d
859-85b 897-8e1 8e3-963 981-9e3 9fe-a75 a81-ae3 afa-b63 b82-bd7 c00-c63 c81-c83 cbc-d4d d57-d63 d81-df3 e31-e3a e47-e4e
eb1-ece f18-f19 f35 f37 f39 f3e-f84 f86-fbc fc6 102b-103e 1056-109d 135d-135f 1712-1734 1752-17d3 17dd 180b-180d
180f-193b 1a17-1a1b 1a55-1a7f 1ab0-1b44 1b6b-1b73 1b80-1bf3 1c24-1c37 1cd0-1cd2 1cd4-1dff 200c-200d 203f-2040 2054
20d0-20f0 2118 212e 2cef-2cf1 2d7f-2dff 302a-302f 3099-309a 30fb a66f-a672 a674-a67d a69e-a6f1 a802-a827 a82c a880-a8c5
a8e0-a8f1 a8ff-a92d a947-a953 a980-a9c0 a9e5-aa4d aa7b-aac1 aaeb-aaef aaf5-aaf6 abe3-abea abec-abed fb1e fe00-fe0f
fe20-fe2f fe33-fe34 fe4d-fe4f ff3f ff65 101fd-1037a 10a01-10a3f 10ae5-10ae6 10d24-10eac 10efa-10eff 10f46-10f50
10f82-10f85 11000-11046 11070-110ba 110c2 11100-11134 11145-11173 11180-111c0 111c9-111cc 111ce-111cf 1122c-11237 1123e
11241 112df-11446 1145e-114c3 115af-115c0 115dc-11640 116ab-116b7 1171d-1172b 1182c-1183a 11930-11943 119d1-119e0
119e4-11a3e 11a47-11a99 11b60-11b67 11c2f-11c3f 11c92-11ef6 11f00-11f42 11f5a 13440-13455 1611e-1612f 16af0-16af4
16b30-16b36 16f4f-16f92 16fe4-16ff1 1bc9d-1bc9e 1cf00-1cf46 1d165-1d169 1d16d-1d172 1d17b-1d182 1d185-1d18b 1d1aa-1d1ad
1d242-1d244 1da00-1da36 1da3b-1da6c 1da75 1da84 1da9b-1e136 1e2ae-1e2ef 1e4ec-1e4ef 1e5ee-1e5ef 1e6e3-1e6f5 1e8d0-1e94a
e0100-e01ef
"""
"""What goes on a word besides `\\w`, in hexadecimal. Ranges run over letters and over what is unassigned."""
_PARTS = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[^\\\[]+", re.DOTALL)
_ASCII = int(re.ASCII)
_ESCAPE = re.compile(r"\\.", re.DOTALL)


@cache
def marks() -> str:
    r"""Return what goes on a word besides `\w`, to be put between the brackets of a class. It has letters, too."""
    ends = (each.partition("-") for each in _MARK_RANGES.split())
    return "".join(chr(int(first, 16)) + "-" + chr(int(last or first, 16)) for first, _, last in ends)


@cache
def _mark() -> re.Pattern[str]:
    return re.compile(rf"[{marks()}](?<!\w)")


def goes_on(char: str) -> bool:
    """Return whether a character may go on a word."""
    return char.isalnum() or char == "_" or (not char.isascii() and _mark().match(char) is not None)


def in_any_script(pattern: str) -> str:
    r"""Return a pattern of which `\w`, `\W` and `\b` count all characters that go on a word."""
    word = rf"\w{marks()}"
    alone = {
        r"\w": f"[{word}]",
        r"\W": f"[^{word}]",
        r"\b": f"(?:(?<=[{word}])(?![{word}])|(?<![{word}])(?=[{word}]))",
    }
    return "".join(
        _ESCAPE.sub(lambda found: word if found[0] == r"\w" else found[0], part)
        if part[0] == "["
        else alone.get(part, part)
        for part in _PARTS.findall(pattern)
    )


class WordPattern:
    r"""A pattern with `\w`, `\W` or `\b`, for words of any script; used as one of `re`.

    A word begins with `[^\W\d]`, and goes on with `\w`.

    Args:
        pattern: The pattern, as for `re.compile`.
        flags: As for `re.compile`.
    """

    __slots__ = ("_ascii", "_flags", "_plain", "_wide", "pattern")

    def __init__(self, pattern: str, flags: int = 0) -> None:
        self.pattern, self._flags = pattern, flags
        # Python's white space has four ASCII characters more than `re.ASCII` knows.
        self._ascii = re.compile(pattern, flags if r"\s" in pattern.lower() else flags | _ASCII)
        self._plain: re.Pattern[str] | None = None
        self._wide: re.Pattern[str] | None = None

    def _fitting(self, text: str) -> re.Pattern[str]:
        r"""Return the pattern that is right for a text beyond ASCII: the plain one where Python's own `\w` is."""
        if _mark().search("".join(set(text))) is None:  # each character once: a set is made ten times as fast
            if self._plain is None:
                self._plain = re.compile(self.pattern, self._flags)
            return self._plain
        if self._wide is None:
            self._wide = re.compile(in_any_script(self.pattern), self._flags)
        return self._wide

    def search(self, text: str, *span: int) -> re.Match[str] | None:
        """Return the first match, as `re.Pattern.search`."""
        return (self._ascii if text.isascii() else self._fitting(text)).search(text, *span)

    def match(self, text: str, *span: int) -> re.Match[str] | None:
        """Return the match at the beginning, as `re.Pattern.match`."""
        return (self._ascii if text.isascii() else self._fitting(text)).match(text, *span)

    def fullmatch(self, text: str, *span: int) -> re.Match[str] | None:
        """Return the match of all the text, as `re.Pattern.fullmatch`."""
        return (self._ascii if text.isascii() else self._fitting(text)).fullmatch(text, *span)

    def findall(self, text: str) -> list[Any]:
        """Return all matches or their groups, as `re.Pattern.findall`."""
        return (self._ascii if text.isascii() else self._fitting(text)).findall(text)

    def finditer(self, text: str, *span: int) -> Iterator[re.Match[str]]:
        """Return all matches one by one, as `re.Pattern.finditer`."""
        return (self._ascii if text.isascii() else self._fitting(text)).finditer(text, *span)

    def split(self, text: str) -> list[str | Any]:
        """Return what is between the matches, as `re.Pattern.split`."""
        return (self._ascii if text.isascii() else self._fitting(text)).split(text)

    def sub(self, new: str | Callable[[re.Match[str]], str], text: str, count: int = 0) -> str:
        """Return the text with its matches replaced, as `re.Pattern.sub`."""
        return (self._ascii if text.isascii() else self._fitting(text)).sub(new, text, count)
