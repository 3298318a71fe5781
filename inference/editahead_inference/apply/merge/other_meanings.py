"""The checks that no other meaning of a sketch is as likely: another place, or new lines beside those that they replace."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from rapidfuzz.fuzz import ratio
from tree_sitter import Node, Point

from editahead_inference.apply.placement.line_matching import (
    DISTINCTIVE,
    MIN_SIMILARITY,
    TERMINAL,
    is_comment,
    line_weight,
    normalize_line,
    unmatched_brackets,
)
from editahead_inference.apply.placement.line_names import identity
from editahead_inference.apply.placement.new_versions import is_new_version
from editahead_inference.apply.placement.outline import has_substance, is_filler, is_function, opens_named
from editahead_inference.apply.placement.placement import Target
from editahead_inference.apply.placement.splices import Splice, split_at_kept_lines
from editahead_prompts.sketches.sketch import Code, Elision, Snippet
from editahead_prompts.text.diff import diff_lines
from editahead_prompts.text.indentation import indent_width

from .shown_boundaries import find_bounds
from .shown_neighbours import ENTRY
from .shown_runs import ShownRuns, lines_and_marks, without_blanks

_MIN_COPIED = 0.3
"""The share of new lines from which copies of other lines are no chance. A line with its neighbour counts twice."""

_MIN_SINGLE = 0.5
"""The same share where only one line is copied."""

_BELOW = 8
"""Lines below a new line among which the next element begins."""

_MIN_BLOCK = 3
"""Lines from which a block is compared with those beside it."""

_SERIES_REACH = 3
"""Lines on either side of a replaced line in which others like it are looked for."""

_ARM = re.compile(r"[^()\s][^()]*\)")
"""An arm of a shell's `case`."""

_CONDITION = "#[cfg("

_IMPORTS = re.compile(r"import [\w.]+(?: as \w+)?$|from [\w.]+ import ")
"""An import at the left margin, in Python."""

FOLLOWS = re.compile(r"(?:case|default|else|elif|except|finally|catch|rescue|when|end)\b|[\w ]+:$|\W")
"""What may follow a statement that leaves a block, at its indentation: another branch, a label, the end of something."""

_SERIES_MARGIN = 5
"""Percent of similarity that a replaced line may be ahead of its neighbours and still be one of a series."""


def copied_lines(snippet: Snippet, target: Target, splices: Sequence[Splice]) -> Iterator[int]:
    """Yield lines of the file that stay, but that lines which replace others are copies of.

    A sketch that shows a line and its neighbour, or two lines, of one place hardly asks for these at another place, unless
    it shows them between lines that the file has only there.
    """
    keys = target.lines.keys
    runs: ShownRuns | None = None
    changed = {line for splice in splices for line in range(splice.start, splice.end)}
    for splice in _joined(splices):
        copied: list[int] = []
        distinctive = 0
        inserted = list(map(normalize_line, splice.lines))
        shift = min(2, splice.start)
        around = [*keys[splice.start - shift : splice.start], *inserted, *keys[splice.end : splice.end + 1]]
        for i1, i2, j1, j2 in diff_lines(target.lines.bodies[splice.start : splice.end], splice.lines):
            if i1 < i2 and j1 < j2 and not any(map(opens_named, inserted[j1:j2])):
                runs = runs or ShownRuns(snippet, without_blanks)
                if find_bounds(splice.start + i1, target, [splice], runs) is not None:
                    distinctive += sum(line_weight(key) >= DISTINCTIVE for key in inserted[j1:j2])
                    continue
            for at in range(j1, j2) if i1 < i2 else ():
                distinctive += line_weight(inserted[at]) >= DISTINCTIVE
                found = target.lines.places.get(inserted[at], ())
                if line_weight(inserted[at]) < DISTINCTIVE:
                    window = around[max(0, at + shift - 2) : at + shift + 2]
                    is_single = (
                        i2 - i1 == j2 - j1 == 1 and line_weight(keys[splice.start + i1]) >= DISTINCTIVE
                    )
                    if is_single and len(window) > 3 and target.lines.find_normalized(window):
                        copied += [splice.start + i1] * 2
                    continue
                if len(found) != 1 or found[0] in changed:
                    continue
                copied.append(found[0])
                near = {around[n] for n in (at + shift - 1, at + shift + 1) if 0 <= n < len(around)}
                there = {keys[n] for n in (found[0] - 1, found[0] + 1) if 0 <= n < len(keys)}
                if opens_named(inserted[at]) or any(line_weight(key) >= DISTINCTIVE for key in near & there):
                    copied.append(found[0])
        if copied and len(copied) >= (_MIN_COPIED if len(copied) > 1 else _MIN_SINGLE) * distinctive:
            yield copied[0]


def added_elsewhere(snippet: Snippet, target: Target, splices: Sequence[Splice]) -> Iterator[int]:
    """Yield the first lines that would be replaced, where the lines around the new ones are neighbours at another place.

    There the new lines would only be added.
    """
    runs = [_Run(list(map(normalize_line, part.lines))) for part in snippet.parts if isinstance(part, Code)]
    known: dict[tuple[str, ...], bool] = {}
    for splice in split_at_kept_lines(splices, target.lines.bodies):
        inserted = tuple(map(normalize_line, splice.lines))
        if splice.start == splice.end or not any(inserted):
            continue
        if inserted not in known:
            target.check()
            known[inserted] = any(run.fits_without(inserted, target) for run in runs)
        if known[inserted]:
            yield splice.start


class _Run:
    """The normalised lines of a part of the sketch without a mark."""

    def __init__(self, keys: Sequence[str]) -> None:
        self._keys = keys
        self._places: dict[str, list[int]] = {}
        for number, key in enumerate(keys):
            self._places.setdefault(key, []).append(number)
        telling = [number for number, key in enumerate(keys) if has_substance(key)]
        self._first, self._last = (telling[0], telling[-1]) if telling else (len(keys), -1)

    def fits_without(self, lines: tuple[str, ...], target: Target) -> bool:
        """Return whether the file has the run without some of its lines, and lines that say something are on both sides."""
        keys = self._keys
        for at in self._places.get(lines[0], ()):
            end = at + len(lines)
            if (
                self._first < at
                and end <= self._last
                and tuple(keys[at:end]) == lines
                and target.lines.find_normalized([keys[at - 1], keys[end]])
                and target.lines.find_normalized([*keys[:at], *keys[end:]])
            ):
                return True
        return False


def shown_lines_gone(snippet: Snippet, target: Target, splices: Sequence[Splice]) -> Iterator[int]:
    """Yield lines of the file that would go, although the sketch shows them next to what would replace them.

    An element that repeats the lines of the next one would take its place, and the next one that of the one behind it.
    """
    keys = target.lines.keys
    deleted: Counter[str] = Counter()
    inserted: Counter[str] = Counter()
    for splice in splices:
        deleted.update(keys[splice.start : splice.end])
        inserted.update(map(normalize_line, splice.lines))
    lost = {key for key in (deleted - inserted) if line_weight(key) >= DISTINCTIVE and not is_comment(key)}
    if not lost:
        return
    shown = (list(map(normalize_line, part.lines)) for part in snippet.parts if isinstance(part, Code))
    runs = [(run, {key: number for number, key in enumerate(run)}) for run in shown]
    for splice in splices:
        new = list(map(normalize_line, splice.lines))
        for i1, i2, j1, j2 in diff_lines(keys[splice.start : splice.end], new):
            told = {key for key in new[j1:j2] if line_weight(key) >= DISTINCTIVE}
            deleted_here = range(splice.start + i1, splice.start + i2) if told else ()
            if not any(keys[line] in lost for line in deleted_here):
                continue
            target.check()
            below = {
                key for run, last in runs if told <= last.keys() for key in _heads_below(told, run, last)
            }
            yield from (line for line in deleted_here if keys[line] in lost and keys[line] in below)


def _heads_below(told: set[str], run: Sequence[str], last: Mapping[str, int]) -> Iterator[str]:
    """Yield the lines of a run that begin elements shortly below lines that are all new.

    Args:
        told: The new lines.
        run: Lines of the sketch.
        last: The last number of each.
    """
    end = max(last[key] for key in told)
    for number in range(end + 1, min(len(run), end + 1 + _BELOW)):
        if run[number].endswith(("{", "(", ":")) or is_filler(run[number - 1]):
            yield run[number]


def _joined(splices: Sequence[Splice]) -> Iterator[Splice]:
    """Yield the splices, with those that follow one another as one."""
    waiting: Splice | None = None
    for splice in splices:
        if waiting is not None and waiting.end == splice.start:
            waiting = replace(waiting, end=splice.end, lines=(*waiting.lines, *splice.lines))
            continue
        if waiting is not None:
            yield waiting
        waiting = splice
    if waiting is not None:
        yield waiting


def replaced_in_series(snippet: Snippet, target: Target, splices: Sequence[Splice]) -> Iterator[int]:
    """Yield lines of the file that another line replaces which is as much like their neighbours: it may be one more of them.

    Where the sketch shows the lines on both sides as neighbours, nothing else is possible.
    """
    keys = target.lines.keys
    runs: ShownRuns | None = None
    for splice in split_at_kept_lines(splices, target.lines.bodies):
        old, new = keys[splice.start : splice.end], list(map(normalize_line, splice.lines))
        if not old or len(old) != len(new):
            continue
        runs = runs or ShownRuns(snippet, without_blanks)
        before = next((key for key in reversed(keys[: splice.start]) if key), "")
        after = next((key for key in keys[splice.end :] if key), "")
        is_rekeyed = len(new) == 1 and _has_other_key(new[0], old[0])
        if runs.contain([before, *new, after]) and (not is_rekeyed or _shows_next(splice, new, runs, target)):
            continue
        low, high = max(0, splice.start - _SERIES_REACH), splice.end + _SERIES_REACH
        around = [*keys[low : splice.start], *keys[splice.end : high]]
        for number, (mine, other) in enumerate(zip(new, old, strict=True)):
            name = identity(mine)
            if name is not None and name == identity(other) and name not in map(identity, around):
                if not is_new_version(mine, other):
                    yield splice.start + number  # It imports other things.
                continue
            least = max(MIN_SIMILARITY, ratio(mine, other) - _SERIES_MARGIN)
            if has_substance(mine) and any(
                (is_rekeyed and _has_other_key(mine, key)) or ratio(mine, key) >= least
                for key in around
                if has_substance(key)
            ):
                yield splice.start + number


def _has_other_key(key: str, other: str) -> bool:
    """Return whether two lines begin entries with different keys: `"a": f(`, `"b": g(`."""
    mine, theirs = ENTRY.match(key), ENTRY.match(other)
    return mine is not None and theirs is not None and mine[2] != theirs[2]


def _shows_next(splice: Splice, new: Sequence[str], runs: ShownRuns, target: Target) -> bool:
    """Return whether the sketch shows what is below the element that begins with new lines, which have its indentation."""
    keys, widths = target.lines.keys, target.lines.widths
    shown, width = list(new), widths[splice.end - 1]
    for line in range(splice.end, len(keys)):
        if keys[line]:
            shown.append(keys[line])
            if not runs.contain(shown):
                return False
            if widths[line] < width or (widths[line] == width and ENTRY.match(keys[line])):
                return True
    return True


def detached_comments(snippet: Snippet, target: Target, splices: Sequence[Splice]) -> Iterator[int]:
    """Yield comments whose code, or whose rest, would no longer be below them: lines come in between before an elision."""
    bodies, keys = target.lines.bodies, target.lines.keys
    runs: ShownRuns | None = None
    for splice in split_at_kept_lines(splices, bodies):
        at = splice.end
        is_torn = 0 < at < len(bodies) and is_comment(bodies[at - 1]) and is_comment(bodies[at])
        if (
            (splice.end > splice.start and not is_torn)
            or not 0 < at < len(bodies)
            or not keys[at]
            or not is_comment(bodies[at - 1])
        ):
            continue
        lines = [line for line in splice.lines if line.strip()]
        if not lines or (
            is_comment(lines[-1]) if is_torn else is_comment(bodies[at]) or is_comment(lines[0])
        ):
            continue
        runs = runs or ShownRuns(snippet, without_blanks)
        if not runs.contain([normalize_line(lines[-1]), keys[at]]):
            yield at - 1


def unclosed_ends(snippet: Snippet, target: Target, splices: Sequence[Splice]) -> Iterator[int]:
    """Yield a line that would follow the last line of the sketch, which is new and like it: it may as well be replaced."""
    bodies, widths = target.lines.bodies, target.lines.widths
    if not snippet.parts or isinstance(snippet.parts[-1], Elision):
        return
    last = next((line for line in reversed(snippet.parts[-1].lines) if line.strip()), None)
    for splice in list(split_at_kept_lines(splices, bodies))[-1:]:
        end = next((line for line in reversed(splice.lines) if line.strip()), None)
        below = next((n for n in range(splice.end, len(bodies)) if bodies[n].strip()), None)
        if last is None or end is None or below is None or normalize_line(end) != normalize_line(last):
            continue
        is_added = (
            splice.start == splice.end and widths[below] == indent_width(end) and has_substance(end.strip())
        )
        if is_added and ratio(normalize_line(end), target.lines.keys[below]) >= MIN_SIMILARITY:
            yield below


def copied_blocks(target: Target, splices: Sequence[Splice]) -> Iterator[int]:
    """Yield the first line of each block beside which the same lines come under a similar first line: it may be meant."""
    keys, places = target.lines.keys, target.lines.places
    for splice in splices:
        new = list(filter(None, map(normalize_line, splice.lines)))
        size = len(new)
        if splice.start < splice.end or size < _MIN_BLOCK or opens_named(new[0]):
            continue
        told = any(has_substance(key) and len(places.get(key, ())) == 1 for key in new[1:])
        reach = 2 * size + 2
        above = [n for n in range(max(0, splice.start - reach), splice.start) if keys[n]][-size:]
        below = [n for n in range(splice.start, min(len(keys), splice.start + reach)) if keys[n]][:size]
        for lines in (above, below) if told else ():
            if [keys[n] for n in lines[1:]] == new[1:] and ratio(keys[lines[0]], new[0]) >= MIN_SIMILARITY:
                yield lines[0]


def emptied_headers(snippet: Snippet, target: Target, splices: Sequence[Splice]) -> Iterator[int]:
    """Yield the headers whose blocks would become those of new lines, which the sketch does not show directly below them."""
    bodies, keys, widths = target.lines.bodies, target.lines.keys, target.lines.widths
    runs: ShownRuns | None = None
    for splice in split_at_kept_lines(splices, bodies):
        new = next((line for line in splice.lines if line.strip()), None)
        above = next((n for n in range(splice.start - 1, -1, -1) if keys[n]), None)
        below = next((n for n in range(splice.end, len(keys)) if keys[n]), None)
        if splice.end > splice.start or new is None or above is None or below is None:
            continue
        is_header = keys[above].endswith((":", "{")) or _ARM.fullmatch(keys[above]) is not None
        if is_header and indent_width(new) <= widths[above] < widths[below]:
            runs = runs or ShownRuns(snippet, without_blanks)
            if not runs.contain([keys[above], normalize_line(new)]):
                yield above


def unreached_lines(target: Target, splices: Sequence[Splice]) -> Iterator[int]:
    """Yield the lines that would follow an added `return` or the like in its block: it may be meant to replace them.

    Functions and labels may follow.
    """
    keys, widths = target.lines.keys, target.lines.widths
    for splice in split_at_kept_lines(splices, target.lines.bodies):
        new = next((line for line in reversed(splice.lines) if line.strip()), "")
        below = next((n for n in range(splice.end, len(keys)) if keys[n]), None)
        leaves = TERMINAL.match(normalize_line(new)) is not None and not new.strip().startswith("yield")
        if splice.start < splice.end or below is None or not leaves:
            continue
        if indent_width(new) == widths[below] and (
            TERMINAL.match(keys[below])
            or not (
                unmatched_brackets([new]) != (0, 0)
                or FOLLOWS.match(keys[below])
                or is_comment(keys[below])
                or opens_named(keys[below])
            )
        ):
            yield below


def other_conditions(target: Target, splices: Sequence[Splice]) -> Iterator[int]:
    """Yield the lines with a condition (`#[cfg(unix)]`) that another one replaces: there may be a version for each."""
    keys = target.lines.keys
    for splice in split_at_kept_lines(splices, target.lines.bodies):
        if any(normalize_line(line).startswith(_CONDITION) for line in splice.lines):
            yield from (n for n in range(splice.start, splice.end) if keys[n].startswith(_CONDITION))


def repeated_members(snippet: Snippet, target: Target, splices: Sequence[Splice]) -> Iterator[int]:
    """Yield the first lines of functions that the file has once and that would be made of others: theirs is the place."""
    lines, marks = lines_and_marks(snippet)
    keys = target.lines.keys
    shown = target.outlined(lines).naming.keys
    after: list[str] | None = None
    waiting = list(target.outlined(lines).items) if splices else []
    while waiting:
        item = waiting.pop()
        new = shown[item.start : item.end]
        waiting += [] if is_function(new[0]) else item.items
        if not item.is_block or not opens_named(new[0]) or not marks.isdisjoint(range(item.start, item.end)):
            continue
        found = target.lines.find_normalized(new)
        if len(found) != 1 or not any(line_weight(key) >= DISTINCTIVE for key in new[1:]):
            continue
        if after is None:
            after = []
            at = 0
            for splice in splices:
                after += [*keys[at : splice.start], *map(normalize_line, splice.lines)]
                at = splice.end
            after += keys[at:]
        places = (at for at, key in enumerate(after) if key == new[0])
        if sum(after[at : at + len(new)] == new for at in places) > 1:
            yield found[0]


def respaced_lines(target: Target, splices: Sequence[Splice]) -> Iterator[int]:
    """Yield lines of which only the white space inside would change, to that of an equal line elsewhere: it may be meant."""
    bodies, keys = target.lines.bodies, target.lines.keys
    for splice in split_at_kept_lines(splices, bodies):
        if splice.end - splice.start != len(splice.lines):
            continue
        for line, new in zip(range(splice.start, splice.end), splice.lines, strict=True):
            if keys[line] == normalize_line(new) and bodies[line].strip() != new.strip():
                others = target.lines.places.get(keys[line], ())
                if any(other != line and bodies[other] == new for other in others):
                    yield line


def split_strings(snippet: Snippet, target: Target, splices: Sequence[Splice]) -> Iterator[int]:
    """Yield lines within a string at which lines come whose neighbours the sketch does not show."""
    tree = target.syntax.tree(target.original)
    if tree is None:
        return
    keys = target.lines.keys
    runs: ShownRuns | None = None
    for splice in splices:
        if splice.end > splice.start or not splice.lines or not 0 < splice.start < len(keys):
            continue
        if not _is_within_string(tree.root_node, splice.start):
            continue
        runs = runs or ShownRuns(snippet, without_blanks)
        new = list(map(normalize_line, splice.lines))
        above = next((key for key in reversed(keys[: splice.start]) if key), "")
        below = next((key for key in keys[splice.start :] if key), "")
        is_code = any(_IMPORTS.match(line) for line in splice.lines)
        if is_code or not (runs.contain([above, *new]) or runs.contain([*new, below])):
            yield splice.start


def _is_within_string(root: Node, line: int) -> bool:
    at = Point(line, 0)
    node = root.descendant_for_point_range(at, at)
    while node is not None:
        if "string" in node.type and node.start_point < at < node.end_point:
            return True
        node = node.parent
    return False
