"""Characters that steer a terminal, or that show a text in another order than it is stored in.

Texts of sketches, repositories and servers may hold them. All that is printed goes through one of these two functions.
"""

from __future__ import annotations

import re

_C0_AND_DEL = r"\x00-\x1f\x7f"
_C1 = r"\x80-\x9f"
_BIDI = r"\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_LINE_SEPARATORS = r"\u2028\u2029"
_INVISIBLE = r"\u2060-\u2065\u206a-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f"
_SURROGATES = r"\ud800-\udfff"  # bytes of file names that are not UTF-8; no terminal can be sent them
_UNSAFE = f"{_C0_AND_DEL}{_C1}{_BIDI}{_LINE_SEPARATORS}{_INVISIBLE}{_SURROGATES}"

_IN_LINE = re.compile(rf"(?!\t)[{_UNSAFE}]")
_IN_TEXT = re.compile(rf"(?![\t\n])[{_UNSAFE}]")


def escape_line(text: str) -> str:
    r"""Return a text with visible escapes such as `\x1b` for what steers a terminal, line ends too. Tabs are kept."""
    return text if text.isascii() and text.isprintable() else _IN_LINE.sub(_escape, text)


def escape_text(text: str) -> str:
    r"""Return a text of several lines with visible escapes for what steers a terminal. Tabs and `\n` are kept."""
    return text if text.isascii() and text.isprintable() else _IN_TEXT.sub(_escape, text)


def escape_json(text: str) -> str:
    r"""Return the same JSON with `\u` escapes for what steers a terminal. White space between values is kept."""
    return _IN_TEXT.sub(_escape_in_json, text)


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code > 0xFFFF:
        return f"\\U{code:08x}"
    return f"\\x{code:02x}" if code <= 0xFF else f"\\u{code:04x}"


def _escape_in_json(match: re.Match[str]) -> str:
    units = match[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{high:02x}{low:02x}" for high, low in zip(units[::2], units[1::2], strict=True))
