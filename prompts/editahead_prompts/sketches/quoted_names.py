r"""Names of files as git quotes them: `"na\303\257ve.py"`.

Git quotes a name with bytes beyond ASCII (unless `core.quotePath` is off), control characters, quotes or backslashes.
"""

from __future__ import annotations

import re

_ESCAPES = {
    "a": 7,
    "b": 8,
    "t": 9,
    "n": 10,
    "v": 11,
    "f": 12,
    "r": 13,
    '"': 34,
    "\\": 92,
}
_QUOTED = re.compile(r'(?:[^"\\]|\\(?:[abtnvfr"\\]|[0-3][0-7]{2}))*')
_OCTAL = re.compile(r"\\[0-3][0-7]{2}")
_UNIT = re.compile(r"\\([0-3][0-7]{2})|\\(.)|([^\\]+)")


def unquote_name(text: str) -> str | None:
    """Return a name without quotes, decoded where git has quoted it.

    A backslash that does not begin one of git's escapes separates folders, as on Windows.

    Returns:
        The name; None for one that cannot be shown or that a sketch cannot mean: with bytes that are not UTF-8, control
        characters, quotes or backslashes.
    """
    quoted = len(text) > 1 and text[0] == text[-1] == '"'
    inner = text[1:-1] if quoted else text
    is_encoded = _OCTAL.search(inner) is not None or (quoted and "\\" in inner)
    if is_encoded and _QUOTED.fullmatch(inner):
        try:
            inner = b"".join(map(_decode_unit, _UNIT.finditer(inner))).decode("utf-8")
        except UnicodeDecodeError:
            return None
        return inner if inner.isprintable() and not set(inner) & set('"\\') else None
    return inner if inner.isprintable() else None


def quote_name(name: str) -> str:
    """Return a name as git writes it in a patch: in quotes, with bytes in octal, where a character needs it.

    Args:
        name: The name. Surrogates stand for bytes that are not UTF-8.
    """
    if name.isprintable() and not set(name) & set('"\\'):
        return name
    return f'"{"".join(map(_encode_unit, name))}"'


def _encode_unit(char: str) -> str:
    if char in '"\\':
        return f"\\{char}"
    if char.isprintable():
        return char
    return "".join(f"\\{byte:03o}" for byte in char.encode("utf-8", "surrogateescape"))


def _decode_unit(match: re.Match[str]) -> bytes:
    octal, letter, plain = match.groups()
    if octal:
        return bytes([int(octal, 8)])
    return bytes([_ESCAPES[letter]]) if letter else plain.encode("utf-8", "surrogatepass")
