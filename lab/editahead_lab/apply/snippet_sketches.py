"""Sketches that show a part of the new file and mark what they leave out."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from rapidfuzz.fuzz import ratio

from .ambiguity import ShownRun, is_unambiguous
from .line_change import Declaration, LineChange, indentation

CONTEXT = 3
"""Lines shown around a change."""

_ALIKE = 60
"""Similarity in percent from which two lines may be taken for one that was changed."""

_FILLED = 2
"""Lines of a gap, at most, that is shown instead of marked."""

Marker = Callable[[], str]
"""The words of the next marker, comment sign and all."""


@dataclass
class SnippetView:
    """The lines of the new file that a sketch shows.

    Attributes:
        within: the stretch of the old file in which a run lies, by the run's first line.
        written: how a line is written where it differs from the file, by new line number.
        omitted: blank lines of runs that are left out without a marker.
    """

    change: LineChange
    lines: set[int]
    within: dict[int, tuple[int, int]] = field(default_factory=dict)
    written: Mapping[int, str] = field(default_factory=dict)
    omitted: frozenset[int] = frozenset()

    def runs(self) -> Iterator[range]:
        start = previous = None
        for line in sorted(self.lines):
            if previous is None or line != previous + 1:
                if start is not None and previous is not None:
                    yield range(start, previous + 1)
                start = line
            previous = line
        if start is not None and previous is not None:
            yield range(start, previous + 1)

    def readings(self) -> Iterator[ShownRun]:
        """Yield the runs as a reader looks them up; see `ambiguity.py`."""
        change = self.change
        for run in self.runs():
            stretches: list[tuple[int, list[str]]] = []
            for line in run:
                old = change.old_line.get(line)
                if old is None:
                    continue
                if (
                    stretches
                    and stretches[-1][0] + len(stretches[-1][1]) == old
                    and line - 1 in change.old_line
                ):
                    stretches[-1][1].append(change.new[line])
                else:
                    stretches.append((old, [change.new[line]]))
            starts, ends = run.start == 0, run.stop == len(change.new)
            if starts and run.start not in change.old_line:
                stretches.insert(0, (0, []))
            if ends and run.stop - 1 not in change.old_line:
                stretches.append((len(change.old), []))
            within = self.within.get(run.start, (0, len(change.old)))
            changes = any(run.start <= j1 and j2 <= run.stop for _, _, j1, j2 in change.hunks)
            yield ShownRun(
                tuple((at, tuple(lines)) for at, lines in stretches), within, starts, ends, changes
            )

    def has_one_reading(self) -> bool:
        """Return whether every change can be placed in one way only.

        Removed first or last lines leave no trace. A run that occurs unchanged in the file reads as if it
        required no change.
        """
        change = self.change
        runs = list(self.runs())
        if any(change.old_index.places(change.new[run.start : run.stop]) for run in self._changed(runs)):
            return False
        for hunk in change.hunks:
            i1, i2, j1, j2 = hunk
            if change.leaves_no_trace(hunk):
                return False
            is_between = any(run.start < j1 and j2 < run.stop for run in runs)
            is_edge = i1 == 0 or i2 == len(change.old)
            if not is_between and not is_edge and not self._is_shown_by_one_side(i1, i2, j1, j2):
                return False
        return is_unambiguous(change.old_index, list(self.readings()))

    def _changed(self, runs: Iterable[range]) -> list[range]:
        hunks = self.change.hunks
        return [run for run in runs if any(run.start <= j1 and j2 <= run.stop for _, _, j1, j2 in hunks)]

    def _is_shown_by_one_side(self, i1: int, i2: int, j1: int, j2: int) -> bool:
        """Return whether lines with a neighbour on one side only show what they replace.

        They replace nothing when they resemble no line there; otherwise they replace, line for line, the
        lines that they resemble.
        """
        old, new = self.change.old, self.change.new
        if j1 == j2 or not (j1 - 1 in self.lines or j2 in self.lines):
            return False
        if i1 == i2:
            near = old[max(0, i1 - (j2 - j1)) : i1 + (j2 - j1)]
            return all(ratio(a.strip(), b.strip()) < _ALIKE for a in new[j1:j2] for b in near if a.strip())
        pairs = zip(old[i1:i2], new[j1:j2], strict=False)
        return i2 - i1 == j2 - j1 and all(ratio(a.strip(), b.strip()) >= _ALIKE for a, b in pairs)

    def rendered(self, marker: Marker, indent: Callable[[str], str] = indentation) -> list[str]:
        """Return the sketch's lines. A marker has the indentation of the first line that it replaces."""
        new = self.change.new
        out: list[str] = []
        at = 0
        for run in [*self.runs(), range(len(new), len(new))]:
            hidden = [line for line in new[at : run.start] if line.strip()]
            if hidden:
                out.append(indent(hidden[0]) + marker())
            out += (self.written.get(line, new[line]) for line in run if line not in self.omitted)
            at = run.stop
        return out

    @property
    def has_gap(self) -> bool:
        return len(self.lines) < len(self.change.new)


def context(change: LineChange, before: int = CONTEXT, after: int = CONTEXT) -> SnippetView:
    """Return a view of the changed lines with unchanged lines around them."""
    shown: set[int] = set()
    for _, _, j1, j2 in change.hunks:
        shown.update(range(max(0, j1 - before), min(len(change.new), j2 + after)))
    return SnippetView(change, _neat(change, shown))


def enclosing(change: LineChange, rng: random.Random) -> SnippetView | None:
    """Return a view of the changed lines with the header and the end of the declaration around them.

    Sometimes with those of outer declarations, too. None where no change lies in a declaration's body.
    """
    shown: set[int] = set()
    shows_outer = rng.random() < 0.5
    is_inside = False
    for _, _, j1, j2 in change.hunks:
        around = _known_around(change, j1, j2)
        if not around:
            shown.update(range(max(0, j1 - CONTEXT), min(len(change.new), j2 + CONTEXT)))
            continue
        is_inside, inner = True, around[-1]
        shown.update(range(max(inner.body, j1 - CONTEXT), min(inner.end - inner.footer, j2 + CONTEXT)))
        for declaration in around if shows_outer else [inner]:
            shown.update(_edges(declaration))
    if not is_inside:
        return None
    out = SnippetView(change, _neat(change, shown))
    out.within = {run.start: _span_around(out, run) for run in out.runs()}
    return out


def _span_around(view: SnippetView, run: range) -> tuple[int, int]:
    """Return the stretch of the old file in which a run lies by the headers that are shown around it."""
    change = view.change
    span = (0, len(change.old))
    for holder in change.new_declarations:
        is_around = holder.start < run.start and run.stop < holder.end and holder.start in view.lines
        if is_around and _is_known(change, holder):
            header = change.new[holder.start : holder.body]
            if len(change.old_index.places(header, *span)) == 1:
                span = _old_span(change, holder)
    return span


def _known_around(change: LineChange, start: int, end: int) -> list[Declaration]:
    """Return the declarations that hold new lines [start, end) and whose headers and ends are in the old file."""
    return [d for d in change.new_declarations if d.holds(start, end) and _is_known(change, d)]


def _edges(declaration: Declaration) -> list[int]:
    """Return the lines of the header and of the end of a declaration."""
    return [
        *range(declaration.start, declaration.body),
        *range(declaration.end - declaration.footer, declaration.end),
    ]


def scoped(change: LineChange) -> SnippetView | None:
    """Return a view of the changed lines with one line around them, in the header and the end of their declaration.

    None unless only the header tells the place: the lines alone fit several.
    """
    shown: set[int] = set()
    headers: set[int] = set()
    for _, _, j1, j2 in change.hunks:
        around = _known_around(change, j1, j2)
        if not around:
            return None
        inner = around[-1]
        shown.update(range(max(inner.body, j1 - 1), min(inner.end - inner.footer, j2 + 1)))
        headers.update(_edges(inner))
    if SnippetView(change, _neat(change, shown)).has_one_reading():
        return None
    out = SnippetView(change, _neat(change, shown | headers))
    for run in out.runs():
        named = [d for d in change.new_declarations if d.start <= run.start and run.stop <= d.end]
        known = [d for d in named if _is_known(change, d) and d.start in headers]
        for holder in known:
            if len(change.old_index.places(change.new[holder.start : holder.body])) == 1:
                out.within[run.start] = _old_span(change, holder)
    return out


def declaration(change: LineChange, new: Declaration) -> list[str]:
    """Return a view of one whole declaration and nothing else."""
    return list(change.new[new.start : new.end])


def comments(change: LineChange, lines: Iterable[int], sign: str) -> list[int]:
    """Return those of the new lines that are unchanged and are whole comments of several words."""
    return [
        line
        for line in sorted(lines)
        if line in change.old_line
        and change.new[line].lstrip().startswith(sign)
        and len(change.new[line].split()) > 4
    ]


def _is_known(change: LineChange, declaration: Declaration) -> bool:
    """Return whether the header and the end of a new declaration are in the old file and so name the place."""
    return change.old_line.keys() >= set(_edges(declaration)) and (
        declaration.end == len(change.new) or declaration.end in change.old_line
    )


def _old_span(change: LineChange, declaration: Declaration) -> tuple[int, int]:
    after = change.old_line.get(declaration.end, len(change.old))
    return change.old_line[declaration.start], after


def _neat(change: LineChange, shown: set[int]) -> set[int]:
    """Return the lines without blank lines at the edges of runs and with small gaps filled, as a model would write them."""
    kept = set(shown)
    changed = {line for _, _, j1, j2 in change.hunks for line in range(j1, j2)}
    for run in list(SnippetView(change, shown).runs()):
        for edge in (run, reversed(run)):
            for line in edge:
                if change.new[line].strip() or line in changed:
                    break
                kept.discard(line)
    ordered = sorted(kept)
    for a, b in zip([-1, *ordered], [*ordered, len(change.new)], strict=True):
        gap = range(a + 1, b)
        if len(gap) <= _FILLED or not any(change.new[line].strip() for line in gap):
            kept.update(gap)
    return kept
