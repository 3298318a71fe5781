r"""A document's text at one version, frozen.

Lines are split as LSP says (3.18, "Text Documents"): at `\r\n`, `\n` and `\r`, and nowhere else. `str.splitlines` also
splits at form feeds, U+2028 and others, which would shift every later line.

Code below the LSP layer counts in offsets: Unicode code points from the start of the text, 0-based.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from io import StringIO
from itertools import accumulate


def split_lines(text: str) -> tuple[str, ...]:
    """Split a text into lines, each with its line end.

    The last line has no line end, and is "" when the text ends in a line end. There is always at least one line, and
    `"".join(split_lines(t)) == t`.
    """
    lines = tuple(StringIO(text, newline=""))
    return lines if lines and lines[-1][-1] not in "\r\n" else (*lines, "")


def line_body(line: str) -> str:
    """Return the line without its line end."""
    return line.rstrip("\r\n")


def line_end(line: str) -> str:
    r"""Return the line end: `\n`, `\r\n`, `\r`, or "" on the last line."""
    return line[len(line.rstrip("\r\n")) :]


@dataclass(frozen=True)
class Snapshot:
    """One version of one document.

    Attributes:
        uri: The URI as the client writes it.
        language: The LSP language id.
        version: The client's version number.
        lines: The lines with their line ends, as `split_lines` returns them.
    """

    uri: str
    language: str
    version: int
    lines: tuple[str, ...]

    @classmethod
    def from_text(
        cls, text: str, *, uri: str = "untitled:1", language: str = "plaintext", version: int = 0
    ) -> Snapshot:
        return cls(uri, language, version, split_lines(text))

    @cached_property
    def text(self) -> str:
        return "".join(self.lines)

    @cached_property
    def starts(self) -> list[int]:
        """The offset of each line's first character, and last the length of the text: len(lines) + 1 numbers."""
        return [0, *accumulate(map(len, self.lines))]

    @property
    def length(self) -> int:
        return self.starts[-1]

    @cached_property
    def fingerprint(self) -> bytes:
        """A hash of the text, the language and the URI, but not of the version."""
        digest = blake2b(f"{self.uri}\0{self.language}\0".encode("utf-8", "surrogatepass"), digest_size=16)
        digest.update(self.text.encode("utf-8", "surrogatepass"))
        return digest.digest()

    def line_at(self, offset: int) -> int:
        """Return the 0-based line that holds `offset`; the last line for the end of the text and beyond."""
        return min(max(bisect_right(self.starts, offset) - 1, 0), len(self.lines) - 1)

    @cached_property
    def eol(self) -> str:
        r"""The line end for new lines: that of the document's first line, else `\n`."""
        return next((end for end in map(line_end, self.lines[:-1]) if end), "\n")
