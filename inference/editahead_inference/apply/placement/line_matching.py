"""The comparison of lines of a sketch with lines of a file: normalised text, and a weight for how distinctive a line is."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import accumulate, islice

from rapidfuzz.fuzz import ratio

from editahead_prompts.short_cache import cache_short
from editahead_prompts.text.indentation import indent_steps, indent_unit, indent_width, inner_steps
from editahead_prompts.text.snapshot import Snapshot, line_body
from editahead_prompts.text.typography import to_plain_text

DISTINCTIVE = 0.5
"""The weight from which a line or a run of lines says where it belongs. Lighter ones occur all over a file."""

MIN_SIMILARITY = 60
"""Percent of similarity from which one line may be a changed version of another."""

_COMMENT = re.compile(
    r"\s*(#(?!include|define|if|el|end|pragma|undef|!\[|\[)|//|/\*|\*(?![\w)])|--|<!--|;;(?!\s*$))"
)
COMMENT_STARTS = frozenset("#/*-<;")
"""What comments begin with."""
_COMMON_WORD = re.compile(
    r"(else|try|finally|return|raise|throw|pass|break|continue|default|do|end|null|nil|None|true|false|self|super|this|err|"
    r"ok|0|1)"
)

TERMINAL = re.compile(r"(?:return|raise|throw|panic|break|continue|yield)\b")
"""Statements after which no other one of the block is reached."""


@cache_short(65536)
def normalize_line(body: str) -> str:
    """Return the line without differences that models introduce by mistake.

    White space at both ends is gone, other white space is one space, typographic punctuation is plain.
    """
    return " ".join(to_plain_text(body).split())


@cache_short(65536)
def line_weight(key: str) -> float:
    """Return how distinctive a line is, from 0 to 1: almost 0 for blank lines and brackets, 1 for a long line.

    Args:
        key: The normalised line.
    """
    if not key:
        return 0.05
    words = re.findall(r"\w+", key)
    letters = sum(map(len, (word for word in words if not _COMMON_WORD.fullmatch(word))))
    if not letters:
        return 0.2 if words else 0.1
    return min(1.0, 0.4 + 0.05 * letters)


def are_versions(old: Sequence[str], new: Sequence[str]) -> bool:
    """Return whether there are as many new lines as old ones, and each may be a changed version of its counterpart."""
    return len(old) == len(new) and all(ratio(a, b) >= MIN_SIMILARITY for a, b in zip(old, new, strict=True))


def is_comment(body: str) -> bool:
    """Return whether the line is nothing but a comment, judged by its beginning."""
    return _COMMENT.match(body) is not None


_ANNOTATION = re.compile(r"@(?!media\b)[\w.]+(?:\s*\((?:.*\)|[^()]*))?|#\[.*|template\s*<.*>")


def is_annotation(key: str) -> bool:
    """Return whether a line is a decorator, an annotation or an attribute: it belongs to the line below.

    Args:
        key: The normalised line.
    """
    return _ANNOTATION.fullmatch(key) is not None


def count_attached(keys: Sequence[str]) -> int:
    """Return how many lines at the end belong to the line below them: annotations, and the beginning of a comment.

    Args:
        keys: The normalised lines.
    """
    count = 0
    for key in reversed(keys):
        if not (is_annotation(key) or (is_comment(key) and line_weight(key) < DISTINCTIVE)):
            break
        count += 1
    return count


_MAX_STARTS = 100
"""Places of one line that are compared with a sequence, instead of a search in the whole text."""


class _LineSequenceIndex:
    """An index that finds sequences of lines quickly, however often each line occurs."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._text = "".join(f"\n{line}" for line in lines) + "\n"
        self._starts = [0, *accumulate(len(line) + 1 for line in lines)]

    def find(self, lines: Sequence[str], low: int = 0, high: int | None = None) -> list[int]:
        """Return the first two places of the sequence within lines [low, high)."""
        places: list[int] = []
        wanted = "".join(f"\n{line}" for line in lines) + "\n"
        at, end = self._starts[low], self._starts[-1 if high is None else high] + 1
        while lines and len(places) < 2 and (at := self._text.find(wanted, at, end)) >= 0:
            places.append(bisect_left(self._starts, at))
            at += 1
        return places


class FileLines:
    """The lines of a file without their ends. Text after the last line end counts as a line."""

    def __init__(self, snapshot: Snapshot) -> None:
        lines = snapshot.lines[:-1] if snapshot.lines[-1] == "" else snapshot.lines
        self.bodies: tuple[str, ...] = tuple(map(line_body, lines))
        self.keys: tuple[str, ...] = tuple(map(normalize_line, self.bodies))
        self._left: dict[int, int] = {}

    @cached_property
    def stripped(self) -> tuple[str, ...]:
        """The lines without white space at their ends."""
        return tuple(body.rstrip() for body in self.bodies)

    def __len__(self) -> int:
        return len(self.bodies)

    @cached_property
    def places(self) -> dict[str, list[int]]:
        """Normalised line -> the numbers of the lines that have it, in order."""
        places: dict[str, list[int]] = {}
        for number, key in enumerate(self.keys):
            places.setdefault(key, []).append(number)
        return places

    @cached_property
    def comments(self) -> set[str]:
        """The normalised lines that are comments which say something."""
        return {
            key
            for key in self.places
            if key[:1] in COMMENT_STARTS and is_comment(key) and line_weight(key) >= DISTINCTIVE
        }

    def find_exact(self, bodies: Sequence[str], low: int = 0, high: int | None = None) -> list[int]:
        """Return the first two places within lines [low, high) where these lines follow one another.

        White space at the ends of lines does not matter.
        """
        wanted = tuple(body.rstrip() for body in bodies)
        starts = self._few_starts(list(map(normalize_line, wanted)))
        if starts is None:
            return self._bodies_in_order.find(wanted, low, high)
        last = (len(self) if high is None else high) - len(wanted)
        found = (at for at in starts if low <= at <= last)
        return list(islice((at for at in found if self.stripped[at : at + len(wanted)] == wanted), 2))

    def find_normalized(self, keys: Sequence[str]) -> list[int]:
        """Return the first two places where lines with these normalised texts follow one another."""
        wanted = tuple(keys)
        starts = self._few_starts(wanted)
        if starts is None:
            return self._keys_in_order.find(wanted)
        return list(islice((at for at in starts if self.keys[at : at + len(wanted)] == wanted), 2))

    def _few_starts(self, keys: Sequence[str]) -> list[int] | None:
        """Return where a sequence may begin, in order, by the rarest of its lines; None if that one occurs too often."""
        rarest = min(range(len(keys)), key=lambda n: len(self.places.get(keys[n], ())), default=None)
        starts = [] if rarest is None else self.places.get(keys[rarest], [])
        if len(starts) > _MAX_STARTS:
            return None
        return [at - rarest for at in starts if at >= rarest] if rarest is not None else []

    @cached_property
    def _bodies_in_order(self) -> _LineSequenceIndex:
        return _LineSequenceIndex(self.stripped)

    @cached_property
    def _keys_in_order(self) -> _LineSequenceIndex:
        return _LineSequenceIndex(self.keys)

    @cached_property
    def widths(self) -> tuple[int, ...]:
        """The width of the indentation of each line in columns, with a tab stop every 4; -1 for blank lines."""
        return tuple(indent_width(body) for body in self.bodies)

    @cached_property
    def indent_steps(self) -> set[str]:
        """The indentations directly below lines at the left margin that open a block or a bracket."""
        return indent_steps(self.bodies)

    @cached_property
    def inner_steps(self) -> set[str]:
        """By how much blocks are indented deeper than their headers, at any depth."""
        return inner_steps(self.bodies)

    @cached_property
    def indent_unit(self) -> str:
        """The indentation of one level."""
        return indent_unit(self.bodies)

    @cached_property
    def depths(self) -> list[int]:
        """The number of open brackets before each line and, as the last item, at the end."""
        depths = [0]
        for key in self.keys:
            closed, opened = line_brackets(key)
            depths.append(depths[-1] + opened - closed)
        return depths

    def leaves_block(self, opened: int, end: int) -> bool:
        """Return whether a line between `opened` and `end` is indented no deeper than `opened`.

        What follows is then outside of the block that line opens. Lines that close a bracket or continue the block (`else`)
        do not count.
        """
        left = self._left.get(opened)
        if left is None:
            floor = self.widths[opened]
            after = range(opened + 1, len(self))
            left = next(
                (
                    n
                    for n in after
                    if 0 <= self.widths[n] <= floor and not _CONTINUES_BLOCK.match(self.bodies[n])
                ),
                len(self),
            )
            self._left[opened] = left
        return left < end

    def enters_outer_block(self, start: int, end: int) -> bool:
        """Return whether one of the lines [start, end) is outside of the block that the lines around them share."""
        if start < 1 or end >= len(self) or start >= end:
            return False
        return self._min_width(start, end) < min(self.widths[start - 1], self.widths[end])

    def _min_width(self, start: int, end: int) -> int:
        """Return the least indentation of lines [start, end), without blank lines and lines that close a block."""
        first, last = -(-start // _BLOCK_LINES), end // _BLOCK_LINES
        if first >= last:
            return min(self._open_widths[start:end])
        level = (last - first).bit_length() - 1
        row = self._min_width_table[level]
        edges = (
            *self._open_widths[start : first * _BLOCK_LINES],
            *self._open_widths[last * _BLOCK_LINES : end],
        )
        return min(row[first], row[last - (1 << level)], *edges)

    @cached_property
    def _open_widths(self) -> list[int]:
        """The indentation of each line; no bound for blank lines and lines that close a block."""
        return [
            columns if columns >= 0 and not _CLOSES_BLOCK.match(body) else _UNBOUNDED_WIDTH
            for columns, body in zip(self.widths, self.bodies, strict=True)
        ]

    @cached_property
    def _min_width_table(self) -> list[list[int]]:
        """[k][block]: the least indentation of 2**k blocks of lines from that block on (a sparse table of range minima)."""
        row = [
            min(self._open_widths[at : at + _BLOCK_LINES])
            for at in range(0, len(self._open_widths), _BLOCK_LINES)
        ]
        table = [row]
        while 2 << (len(table) - 1) <= len(row):
            half = 1 << (len(table) - 1)
            last = table[-1]
            table.append([min(a, b) for a, b in zip(last, last[half:], strict=False)])
        return table


_UNBOUNDED_WIDTH = 1 << 30

_BLOCK_LINES = 32
"""Lines of a block in the table of least indentations: a table of single lines takes long to make."""

_CLOSES_BLOCK = re.compile(r"\s*(?:[)\]}#]|(?:else|elif|except|finally|catch|case|default)\b)")

_CONTINUES_BLOCK = re.compile(
    r"\s*([)\]{]|\}\s*[^\s;,)]|#|(?:else|elif|except|finally|catch|case|default|public|private|protected|where)\b)"
)


_STRING = re.compile(r""" "(?:[^"\\]|\\.)*" | '(?:[^'\\]|\\.)*' | `[^`]*` """, re.VERBOSE)
_BRACKET = re.compile(r"[()\[\]{}]")


@cache_short(65536)
def line_brackets(key: str) -> tuple[int, int]:
    """Return how many brackets a line closes without opening them, and how many it leaves open."""
    closed = opened = 0
    for bracket in _BRACKET.findall(_STRING.sub("", key)):
        if bracket in "([{":
            opened += 1
        elif opened:
            opened -= 1
        else:
            closed += 1
    return closed, opened


def unmatched_brackets(lines: Iterable[str]) -> tuple[int, int]:
    """Return how many brackets the lines together close without opening them, and how many they leave open."""
    closed = opened = 0
    for line in lines:
        less, more = line_brackets(normalize_line(line))
        closed += max(0, less - opened)
        opened = max(0, opened - less) + more
    return closed, opened


_NAMESPACE = re.compile(r"\s*(?:(?:inline\s+)?namespace\b[^;{}()=]*|extern\s+\"C(?:\+\+)?\"\s*)\{")
"""Headers of blocks whose members may have the indentation of the header."""


def namespaces(bodies: Sequence[str]) -> list[tuple[int, int]]:
    """Return the first and last lines of the namespaces that end at their own indentation, as brackets say."""
    if not any(map(_NAMESPACE.match, bodies)):
        return []
    found: list[tuple[int, int]] = []
    opened: list[tuple[int, int]] = []
    depth = 0
    for number, body in enumerate(bodies):
        key = normalize_line(body)
        closes, opens = (0, 0) if is_comment(key) else line_brackets(key)
        depth -= closes
        while opened and opened[-1][1] > depth:
            first, _ = opened.pop()
            if body.lstrip().startswith("}") and indent_width(body) == indent_width(bodies[first]):
                found.append((first, number))
        depth += opens
        if opens == 1 and _NAMESPACE.match(body):
            opened.append((number, depth))
    return found
