"""The lines of a snippet with its marks, each at the level of the code around it."""

from __future__ import annotations

import re
from bisect import bisect_left

from editahead_inference.apply.placement.line_matching import normalize_line
from editahead_inference.apply.placement.outline import Item, Naming
from editahead_inference.errors import InferenceError
from editahead_prompts.sketches.sketch import Code, Snippet
from editahead_prompts.text.indentation import indent_width

_BEFORE_STRING = re.compile(r"(?:[(=,\[]\s*|(?<!\w)[fFrRbBuU]{1,2})$")
"""Pattern of the code before quotes that open a string."""

_MARK = "// \N{HORIZONTAL ELLIPSIS}elided"
"""The text of an elision in the lines of the sketch."""


class NoReadingError(InferenceError):
    """The structure of the sketch does not say what is meant."""


class BlockSketch:
    """The lines of a snippet.

    Attributes:
        lines: The lines; a mark has its level's indentation and a text of its own.
        at: The number of each line in the whole sketch.
        marks: The numbers of the lines that are marks.
        outside: The last of them, if it is outside of the block of all code: there the block may end.
        shifted: Those that are moved into the block around them, of which they may also be the end.
        keys: The lines, normalized.
        naming: The names of the items.
    """

    def __init__(self, snippet: Snippet) -> None:
        self.lines: list[str] = []
        self.at: list[int] = []
        self.marks: set[int] = set()
        self.outside: int | None = None
        self.shifted: set[int] = set()
        for part in snippet.parts:
            if isinstance(part, Code):
                self.lines += part.lines
                self.at += range(part.at, part.at + len(part.lines))
            elif not part.removed:
                self.marks.add(len(self.lines))
                self.lines.append(part.text)
                self.at.append(part.at)

    @property
    def code(self) -> list[str]:
        """The lines that are no marks."""
        return [line for n, line in enumerate(self.lines) if n not in self.marks]

    @property
    def splits_string(self) -> bool:
        """Whether a run of code begins or ends within a string over several lines: its indentation says nothing."""
        runs: list[list[str]] = [[]]
        for number, line in enumerate(self.lines):
            if number in self.marks:
                runs.append([])
            else:
                runs[-1].append(line)
        return any(_splits_string("\n".join(run), quotes) for run in runs for quotes in ('"""', "'''"))

    def is_mark(self, item: Item) -> bool:
        return item.start in self.marks

    def has_marks(self, item: Item) -> bool:
        return any(n in self.marks for n in range(item.start, item.end))

    def settle_marks(self) -> None:
        """Put each mark at the level of the code around it, and replace its text.

        Raises:
            NoReadingError: It has no level.
        """
        widths = [indent_width(line) for line in self.lines]
        code = [n for n in range(len(self.lines)) if n not in self.marks and widths[n] >= 0]
        if not code:
            raise NoReadingError
        outer = min(widths[n] for n in code)
        for mark in sorted(self.marks):
            at = bisect_left(code, mark)
            above = code[at - 1] if at else None
            below = code[at] if at < len(code) else None
            width = widths[mark]
            if above is None or below is None:
                near = below if above is None else above
                assert near is not None
                opens = above is not None and _opens(self.lines[above])
                if above is None or (width > widths[near] and not opens):
                    width = widths[near]
                elif width < outer:
                    width, self.outside = outer, mark
            elif width < widths[below]:
                if width < widths[above]:
                    self.shifted.add(mark)
                width = widths[below]
            elif width > widths[below] and width != widths[above]:
                if not _opens(self.lines[above]):
                    width = max(widths[above], widths[below])
                elif widths[below] > widths[above]:
                    width = widths[below]
                elif width < widths[above]:
                    raise NoReadingError
                elif width == widths[above]:
                    width += 1
            self.lines[mark] = " " * width + _MARK
        self.keys = [normalize_line(line) for line in self.lines]
        self.naming = Naming(self.keys)


def _opens(line: str) -> bool:
    return line.rstrip().endswith((":", "{", "(", "[", "=>", ">"))


def _splits_string(text: str, quotes: str) -> bool:
    """Return whether some quotes are not paired, or open a string where they would have to close one."""
    parts = text.split(quotes)
    if len(parts) % 2 == 0:
        return True
    return any(map(_BEFORE_STRING.search, parts[1::2])) or any(
        after.startswith("\\\n") for after in parts[2::2]
    )
