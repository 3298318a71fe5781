"""Scripts: letters by their case, scripts without spaces between words, and which spellings are the same.

Two spellings are one word for search if they differ in case, in how accents are written (one character or two: NFC and
NFD), in width, or in other forms that Unicode calls compatible (NFKC). `ß` is `ss`, as `STRASSE` is `Straße` in
capitals. The Turkish `ı` and `İ` are `i`, since nothing in a text tells its language. Accents count: `resume` is no
`résumé`. An edit never changes a spelling; it finds a name in either form.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from .word_patterns import goes_on

_LETTERS = (
    "\u0e00-\u0eff\u0f40-\u0fbc\u1000-\u109f\u1780-\u17d3\u1950-\u19df\u1a20-\u1aad\u1b00-\u1b4c\ua980-\ua9c0"
    "\ua9e0-\ua9fe\uaa00-\uaa4d\uaa60-\uaadf"
)
"""Letters of scripts without spaces: Thai, Lao, Tibetan, Burmese, Khmer, the Tai scripts, Balinese and Javanese."""
_SIGNS = (
    "\u1100-\u11ff\u3005-\u3007\u3021-\u302f\u3031-\u303c\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u318f"
    "\u31a0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4c6\ua960-\ua97c\uac00-\ud7fb\uf900-\ufaff\uff66-\uffdc"
    "\U00016fe0-\U00018cff\U0001aff0-\U0001b2ff\U00020000-\U0003ffff"
)
"""Signs for syllables and words: Chinese, Japanese, Yi, Tangut, and Korean, where particles follow without a space."""
_RUN = re.compile(f"[{_LETTERS}{_SIGNS}]+")
_SIGN = re.compile(f"[{_SIGNS}]")
_JOINERS = "\u200c\u200d"
MAX_MARKS = 32
"""Characters around the ends of a span that are looked at. More marks on a letter are no writing."""
_LETTERS_OF_SIGN = 3
"""Letters that a sign is worth, and keys that it takes, about."""


def whole_letters(text: str, start: int, end: int) -> tuple[int, int]:
    """Return a span of a text, wider where it would cut a letter from its accents, or an emoji from what joins it."""
    low, high = max(start - MAX_MARKS, 0), min(end + MAX_MARKS, len(text))
    while start > low and _is_joined(text, start):
        start -= 1
    while end < high and _is_joined(text, end):
        end += 1
    return start, end


def _is_joined(text: str, at: int) -> bool:
    """Return whether the characters around an offset are one to a reader."""
    if not 0 < at < len(text) or text[at].isascii() or text[at - 1].isspace():
        return False
    is_mark = unicodedata.category(text[at])[0] == "M" or "\U0001f3fb" <= text[at] <= "\U0001f3ff"
    return is_mark or text[at] in _JOINERS or text[at - 1] == _JOINERS[-1]


def fold(text: str) -> str:
    """Return a text as search compares it: without differences of case, of width, and of how accents are written."""
    if text.isascii():
        return text.lower()
    # A letter with its case folded may have another composed form, so the text is composed after that.
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return folded.replace("i\u0307", "i").replace("\u0131", "i")


def compose(name: str) -> str:
    """Return a name with its accents as parts of their letters (NFC), the one form of all its spellings."""
    return name if name.isascii() else unicodedata.normalize("NFC", name)


def spellings(name: str) -> tuple[str, ...]:
    """Return a name, and its spellings with accents as characters of their own and without any."""
    if name.isascii():
        return (name,)
    return tuple(dict.fromkeys((name, *(unicodedata.normalize(form, name) for form in ("NFC", "NFD")))))


def is_unspaced(word: str) -> bool:
    """Return whether a word is of a script that has no spaces between its words."""
    return not word.isascii() and _RUN.fullmatch(word) is not None


def unspaced_runs(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the parts of a text, each with whether it is of a script that has no spaces between its words."""
    at = 0
    for run in _RUN.finditer(text):
        if at < run.start():
            yield text[at : run.start()], False
        yield run[0], True
        at = run.end()
    if at < len(text):
        yield text[at:], False


def pairs(run: str) -> list[str]:
    """Return the pairs of neighbours in a run of a script without spaces; a single character alone."""
    return [run[at : at + 2] for at in range(len(run) - 1)] or [run]


def count_letters(text: str) -> int:
    """Return the length of a text in letters of an alphabet: a sign of Chinese tells as much as several."""
    return len(text) if text.isascii() else len(text) + (_LETTERS_OF_SIGN - 1) * len(_SIGN.findall(text))


def letter_cases(name: str) -> str:
    """Return a name with a letter for the kind of each character.

    `U` is upper case, `l` lower case, `d` a digit, `o` a letter without case, `s` one of a script without spaces, `m` what
    only goes on a letter, and `_` all else.
    """
    return name.translate(_CASES)


def _letter_case(char: str) -> str:
    if char.isupper() or char.istitle():
        return "U"
    if char.islower():
        return "l"
    if char.isalpha():
        return "s" if _RUN.match(char) else "o"
    if char.isalnum():
        return "d"
    is_sign = char in "_\u30fb\uff65" or not goes_on(char) or unicodedata.category(char) == "Pc"
    return "_" if is_sign else "m"


class _Cases(dict[int, str]):
    """The kind of each character, found when a character is met first."""

    def __missing__(self, code: int) -> str:
        kind = self[code] = _letter_case(chr(code))
        return kind


_CASES = _Cases()
