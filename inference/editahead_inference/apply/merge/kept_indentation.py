"""The indentation of a whole file, kept where a sketch of all of it has another one throughout.

Chats turn tabs into spaces, and two columns into four. Such a sketch shows each line of the file in a rendering of its
indentation. Lines in that rendering have the file's indentation; those with another level get it in the units of the file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from rapidfuzz.fuzz import ratio

from editahead_inference.apply.placement.line_matching import MIN_SIMILARITY, FileLines, normalize_line
from editahead_inference.apply.placement.long_strings import long_strings
from editahead_prompts.text.diff import diff_lines
from editahead_prompts.text.indentation import indent_unit, indentation

_WIDTHS = (2, 3, 4, 8)
"""Columns of one level, or of a tab."""
_MAX_PAIRED = 10_000
"""Pairs of changed lines that are compared, which bounds the time."""


def keep_indentation(lines: Sequence[str], file: FileLines, low: int, high: int) -> tuple[str, ...]:
    """Return the lines of a whole file in the indentation of the file, if they have another one throughout.

    Args:
        lines: The new file.
        file: The file.
        low: The first line of the file that the new one replaces.
        high: The line after the last one.
    """
    sketched = tuple(lines)
    kept = _KeptLines(sketched, file.bodies[low:high], file.keys[low:high])
    rendering = kept.find_rendering(file.indent_unit)
    return sketched if rendering is None else _Restoration(kept, rendering).lines()


@dataclass(frozen=True, slots=True)
class _Rendering:
    """A way to write the indentation of a file in other units.

    Attributes:
        tab: The columns in place of a tab; 0 = tabs stay.
        columns: The columns of a level in the file; 0 = levels stay.
        level: A level in the sketch.
    """

    tab: int = 0
    columns: int = 0
    level: str = ""

    def render(self, space: str) -> str:
        """Return an indentation of the file as the sketch writes it."""
        if self.tab:
            space = space.replace("\t", " " * self.tab)
        if not self.columns or "\t" in space:
            return space
        levels, rest = divmod(len(space), self.columns)
        return self.level * levels + " " * rest

    def restore(self, space: str, unit: str) -> str:
        """Return an indentation of the sketch in the units of the file."""
        if self.level == "\t" and unit != "\t":
            return space.replace("\t", unit)
        width = self.tab if unit == "\t" else len(self.level)
        if not width or "\t" in space:
            return space
        levels, rest = divmod(len(space), width)
        return unit * levels + " " * rest


class _KeptLines:
    """The lines of a whole file that the sketch and the file share, whatever their indentation."""

    def __init__(self, sketched: Sequence[str], existing: Sequence[str], keys: Sequence[str]) -> None:
        self.sketched, self.existing = sketched, existing
        self.old: dict[int, int] = {}
        """Line of the sketch -> line of the file."""
        self.versions: dict[int, int] = {}
        """Changed line of the sketch -> the line of the file that it is a version of."""
        shown = list(map(normalize_line, sketched))
        i = j = 0
        for i1, i2, j1, j2 in [*diff_lines(keys, shown), (len(keys),) * 2 + (len(shown),) * 2]:
            self.old.update(zip(range(j, j1), range(i, i1), strict=True))
            self._add_versions(range(i1, i2), range(j1, j2), keys, shown)
            i, j = i2, j2
        self.continued = [0, *accumulate(map(_opened, keys))]
        """The number of open parentheses before each line of the file."""

    def _add_versions(
        self, deleted: range, inserted: range, keys: Sequence[str], shown: Sequence[str]
    ) -> None:
        if len(deleted) == len(inserted):
            self.versions.update(zip(inserted, deleted, strict=True))
            return
        at = deleted.start
        for number in inserted if len(deleted) * len(inserted) <= _MAX_PAIRED else ():
            pairs = range(at, deleted.stop)
            best = next((n for n in pairs if ratio(keys[n], shown[number]) >= MIN_SIMILARITY), None)
            if best is not None:
                self.versions[number], at = best, best + 1

    def find_rendering(self, unit: str) -> _Rendering | None:
        """Return the rendering in which the sketch shows most lines; None if that is the file's own indentation.

        Args:
            unit: The indentation of one level in the file.
        """
        pairs = [
            (own, shown)
            for j, i in self.old.items()
            if self.existing[i].strip()
            and any((own := indentation(self.existing[i]), shown := indentation(self.sketched[j])))
        ]
        equal = sum(own == shown for own, shown in pairs)
        best, most = None, equal
        for rendering in self._renderings(unit) if equal < len(pairs) else ():
            count = sum(rendering.render(own) == shown for own, shown in pairs)
            if count > most or (best is None and not equal and unit[0] != indent_unit(self.sketched)[0]):
                best, most = rendering, count
        return best

    def _renderings(self, unit: str) -> Iterator[_Rendering]:
        """Yield the renderings that the units of both allow, the likeliest first."""
        sketched = [indentation(line) for line in self.sketched if line.strip()]
        existing = [indentation(line) for line in self.existing if line.strip()]
        shown, tabbed = indent_unit(self.sketched), any("\t" in space for space in existing)
        least = min(filter(None, map(len, sketched)), default=0)
        levels = dict.fromkeys([shown, *(" " * width for width in _WIDTHS if width == least)])
        tabs = (0,) if not tabbed or any("\t" in space for space in sketched) else (len(shown), *_WIDTHS)
        for level in levels:
            if unit == "\t" and level != "\t":
                yield _Rendering(tab=len(level))
            elif unit == "\t" or level == "\t":
                widths = (len(unit),) if unit != "\t" else _WIDTHS
                yield from (_Rendering(columns=width, level="\t") for width in widths)
            else:
                yield from (_Rendering(tab, len(unit), level) for tab in tabs)


@dataclass
class _Restoration:
    """The lines of a sketch in the indentation of the file."""

    kept: _KeptLines
    rendering: _Rendering

    def __post_init__(self) -> None:
        self._unit = indent_unit(self.kept.existing)
        self._known: dict[str, list[tuple[int, str]]] = {}
        """Indentation of the sketch -> the lines of the sketch that have it, each with the file's indentation."""
        for j, i in self.kept.old.items():
            own, shown = indentation(self.kept.existing[i]), indentation(self.kept.sketched[j])
            if self.kept.existing[i].strip() and not self.kept.continued[i] and self._is_rendered(i, shown):
                self._known.setdefault(shown, []).append((j, own))

    def lines(self) -> tuple[str, ...]:
        out: list[str] = []
        is_content = False
        texts = {n for first, last in long_strings(self.kept.sketched) for n in range(first + 1, last + 1)}
        for number, line in enumerate(self.kept.sketched):
            shown = indentation(line)
            old = self.kept.old.get(number)
            near = self.kept.versions.get(number) if old is None else old
            if not line.strip():
                out.append(line if old is None else self.kept.existing[old])
                continue
            own = None if near is None else indentation(self.kept.existing[near])
            if near is not None and self._is_rendered(near, shown):
                is_content = False
            elif is_content or (own == shown and (number in texts or self._is_no_level(shown))):
                # Lines of a text keep their white space: the sketch shows it as it is.
                own, is_content = shown, True
            else:
                own, is_content = self._restore(number, shown), False
            out.append(self._line(own or "", line, old))
        return tuple(out)

    def _line(self, space: str, line: str, old: int | None) -> str:
        """Return a line of the sketch with its indentation; that of the file if only tabs or the end differ."""
        body = line.lstrip()
        there = "" if old is None else self.kept.existing[old].lstrip()
        if there and (body == there.rstrip() or ("\t" in there and "\t" not in body)):
            body = there
        return space + body

    def _is_rendered(self, old: int, shown: str) -> bool:
        """Return whether the sketch shows the indentation of a line of the file as it shows all others.

        A line that goes on below an open parenthesis may keep its columns behind the indentation of the line above.
        """
        own = indentation(self.kept.existing[old])
        if self.rendering.render(own) == shown:
            return True
        if self.kept.continued[old] <= 0:
            return False
        above = next(
            (
                space
                for line in reversed(self.kept.existing[:old])
                if line.strip() and len(space := indentation(line)) < len(own)
            ),
            "",
        )
        return own.startswith(above) and self.rendering.render(above) + own[len(above) :] == shown

    def _is_no_level(self, space: str) -> bool:
        """Return whether the sketch writes no level as this white space."""
        return ("\t" in space) != (self.rendering.level == "\t") and bool(space)

    def _restore(self, number: int, shown: str) -> str:
        """Return the indentation of a line that the file does not have so."""
        known = self._known.get(shown)
        if known:
            return min(known, key=lambda each: abs(each[0] - number))[1]
        return self.rendering.restore(shown, self._unit)


def _opened(key: str) -> int:
    """Return how many more parentheses and brackets a line opens than it closes."""
    return sum(char in "([" for char in key) - sum(char in ")]" for char in key)
