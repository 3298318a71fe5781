"""The region of a text in which the cursor is, told from the line before the cursor alone."""

from __future__ import annotations

from typing import Literal

from editahead_prompts.syntax.languages import find_language

Region = Literal["code", "string", "comment", "prose"]
REGIONS: tuple[Region, ...] = ("code", "string", "comment", "prose")

_MARKERS = {
    **dict.fromkeys(("python", "shellscript", "ruby", "yaml", "toml", "perl", "r", "makefile"), "#"),
    **dict.fromkeys(("dockerfile", "elixir"), "#"),
    **dict.fromkeys(("lua", "sql", "haskell"), "--"),
}
"""What begins a comment, by LSP language id; `//` elsewhere."""
_WITH_LIFETIMES = frozenset({"rust"})
"""Languages in which a single apostrophe does not begin a string."""


def region_at(language: str, before: str) -> Region:
    """Return the region at the end of a line's beginning.

    Args:
        language: The LSP language id.
        before: The line up to the cursor.
    """
    if find_language(language).is_prose:
        return "prose"
    marker = _MARKERS.get(language, "//")
    markers = (marker, "/*") if marker == "//" else (marker,)
    text = before.lstrip()
    if marker == "//" and text.startswith("*") and not text[1:2].isalnum():
        return "comment"  # within a block comment, as most people write it
    quotes = '"`' if language in _WITH_LIFETIMES else "\"'`"
    quote, at = "", 0
    while at < len(text):
        char = text[at]
        if quote:
            if char == "\\":
                at += 1
            elif char == quote:
                quote = ""
        elif text.startswith(markers, at):
            return "comment"
        elif char in quotes:
            quote = char
        at += 1
    return "string" if quote else "code"
