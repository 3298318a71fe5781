"""The checks that new lines are no versions of lines that a mark hides, nor those of an element that would stay."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import takewhile

from rapidfuzz.fuzz import ratio

from editahead_inference.apply.placement.line_matching import (
    DISTINCTIVE,
    MIN_SIMILARITY,
    TERMINAL,
    is_comment,
    line_weight,
    normalize_line,
)
from editahead_inference.apply.placement.line_names import identity
from editahead_inference.apply.placement.outline import is_function, walk
from editahead_inference.apply.placement.placement import Target
from editahead_inference.apply.placement.splices import Splice, split_at_kept_lines
from editahead_prompts.sketches.sketch import Snippet
from editahead_prompts.text.indentation import indent_width

from .named_scopes import blocks_around
from .shown_runs import ShownRuns, code_lines, lines_and_marks, without_blanks

_MIN_COPIES = 3
"""Lines that are no chance copy of those below."""

_MIN_TELLING = 2
"""Those of them that say something."""

_MAX_HEADER = 4
"""Lines of the header of an element, at most, with its decorators."""

_MIN_VERSION = 90
"""Percent of similarity from which a line above a new one may be its old version."""

_MIN_VERSION_BEYOND = 85
"""The same for a line beyond a mark that a new line may replace."""

_SERIES_REACH = 3
"""Lines beside a new one in which others like it are looked for."""

_METHOD = re.compile(r"\s+(?:async\s+)?def (?P<name>\w+)\(")

_VALUE = re.compile(r"\s+(?P<name>\w+)\s*(?::[^=]+)?=(?!=)")

_NEAR = 4
"""Lines on either side of an added one in which its neighbours are looked for, as some are blank."""

_IMPORT = re.compile(r"(?:import|from|use|using)\b|#\s*include\b")

_OTHER = re.compile(r"[)}\]]|#|//|/?\*|@")
"""Lines that may be between imports: ends of them, comments, conditions."""

_REACH = 20
"""Lines below new ones, beside as many as these, in which the same lines are looked for."""


def paragraphs_in_other_words(snippet: Snippet, target: Target, splices: Sequence[Splice]) -> Iterator[int]:
    """Yield the comment lines below a new paragraph that are like one of its lines: they may be its old version."""
    bodies, keys = target.lines.bodies, target.lines.keys
    runs: ShownRuns | None = None
    for splice in split_at_kept_lines(splices, bodies):
        lines = [key for key in map(normalize_line, splice.lines) if _has_words(key)]
        below = next((n for n in range(splice.end, len(keys)) if _has_words(keys[n])), None)
        if splice.start < splice.end or not lines or below is None or not is_comment(keys[below]):
            continue
        if not all(map(is_comment, lines)) or not all(map(is_comment, bodies[splice.end : below])):
            continue
        runs = runs or ShownRuns(snippet, without_blanks)
        is_hidden = not runs.contain([keys[below]])
        if is_hidden and any(ratio(line, keys[below]) >= MIN_SIMILARITY for line in lines):
            yield below


def copies_of_next_element(target: Target, splices: Sequence[Splice]) -> Iterator[int]:
    """Yield the first of the lines that begin shortly below new ones and are the same: the sketch may join two functions."""
    keys = target.lines.keys
    for splice in split_at_kept_lines(splices, target.lines.bodies):
        inserted = [key for key in map(normalize_line, splice.lines) if key]
        if splice.start < splice.end or len(inserted) < _MIN_TELLING:
            continue
        rows = range(splice.end, min(len(keys), splice.end + len(splice.lines) + _REACH))
        below = [row for row in rows if keys[row]]
        for at in range(1, _MAX_HEADER + 1):
            same = [
                key
                for key, _ in takewhile(
                    lambda pair: pair[0] == keys[pair[1]], zip(inserted, below[at:], strict=False)
                )
            ]
            told = [key for key in same if line_weight(key) >= DISTINCTIVE]
            only = [key for key in told if len(target.lines.places.get(key, ())) == 1]
            if (len(same) >= _MIN_COPIES and len(told) >= _MIN_TELLING) or len(only) >= _MIN_TELLING:
                yield below[at]


def repeats_of_next_line(snippet: Snippet, target: Target, splices: Sequence[Splice]) -> Iterator[int]:
    """Yield the lines of the file directly below new lines of which one is the same, though the sketch shows only one."""
    keys = target.lines.keys
    shown: Counter[str] | None = None
    for splice in splices:
        near = range(splice.end, min(len(keys), splice.end + 2 * _NEAR))
        below = next((n for n in near if line_weight(keys[n]) >= DISTINCTIVE), None)
        if below is None or len(target.lines.places[keys[below]]) > 1:
            continue
        if keys[below] in map(normalize_line, splice.lines) and not is_comment(keys[below]):
            shown = shown or Counter(map(normalize_line, code_lines(snippet)))
            if shown[keys[below]] == 1:
                yield below


def swapped_lines(snippet: Snippet, target: Target, splices: Sequence[Splice]) -> Iterator[int]:
    """Yield the lines like an added one that are on the other side of its neighbour: the two may change places."""
    keys = target.lines.keys
    shown: Counter[str] | None = None
    for splice in split_at_kept_lines(splices, target.lines.bodies):
        inserted = [key for key in map(normalize_line, splice.lines) if key]
        if splice.start < splice.end or len(inserted) != 1 or line_weight(inserted[0]) < DISTINCTIVE:
            continue
        above = [n for n in range(max(0, splice.start - _NEAR), splice.start) if keys[n]][-2:-1]
        below = [n for n in range(splice.end, min(len(keys), splice.end + _NEAR)) if keys[n]][1:2]
        for line in (n for n in (*above, *below) if keys[n] == inserted[0] and not is_comment(inserted[0])):
            shown = shown or Counter(map(normalize_line, code_lines(snippet)))
            if shown[inserted[0]] == 1:
                yield line


def torn_imports(target: Target, splices: Sequence[Splice]) -> Iterator[int]:
    """Yield the imports above which other code would come, though there are only imports above them now."""
    keys, widths = target.lines.keys, target.lines.widths
    for splice in split_at_kept_lines(splices, target.lines.bodies):
        outer = [line for line in splice.lines if line.strip() and not line[0].isspace()]
        others = [line for line in outer if not _IMPORT.match(line) and not _OTHER.match(line)]
        below = next((n for n in range(splice.end, len(keys)) if keys[n]), None)
        above = next((n for n in range(splice.start - 1, -1, -1) if keys[n]), None)
        if not others or below is None or above is None:
            continue
        if all(widths[n] == 0 and _IMPORT.match(keys[n]) for n in (above, below)):
            yield below


def versions_above(snippet: Snippet, target: Target, splices: Sequence[Splice]) -> Iterator[int]:
    """Yield the lines directly above added ones that are hardly different from the first of these, and not shown.

    Where the line above that is as much alike, the new one is one more of a series.
    """
    keys, widths = target.lines.keys, target.lines.widths
    runs: ShownRuns | None = None
    for splice in split_at_kept_lines(splices, target.lines.bodies):
        first = splice.lines[0] if splice.lines else ""
        at, key = splice.start - 1, normalize_line(first)
        if splice.start < splice.end or at < 1 or not key or widths[at] != indent_width(first):
            continue
        alike = ratio(key, keys[at])
        if alike < _MIN_VERSION or is_comment(key) or ratio(keys[at], keys[at - 1]) >= MIN_SIMILARITY:
            continue
        runs = runs or ShownRuns(snippet, without_blanks)
        if not runs.contain([keys[at]]):
            yield at


def reworded_below(snippet: Snippet, target: Target, splices: Sequence[Splice]) -> Iterator[int]:
    """Yield the lines directly below several new ones that differ from these in one word, the same in each.

    The new lines may be their new versions. They are not where the sketch shows both.
    """
    keys = target.lines.keys
    runs: ShownRuns | None = None
    for splice in split_at_kept_lines(splices, target.lines.bodies):
        lines = [key for key in map(normalize_line, splice.lines) if key]
        below = keys[splice.end : splice.end + len(lines)]
        if splice.start < splice.end or len(lines) < _MIN_TELLING or len(below) < len(lines):
            continue
        changes = {_changed_word(old, new) for old, new in zip(below, lines, strict=True)}
        if len(changes) == 1 and None not in changes:
            runs = runs or ShownRuns(snippet, without_blanks)
            if not runs.contain([lines[-1], below[0]]):
                yield splice.end


def _changed_word(old: str, new: str) -> tuple[str, str] | None:
    """Return the word that is another one in a line that is otherwise the same; None if there is none, or more than one."""
    old_words, new_words = (re.findall(r"\w+|\W", line) for line in (old, new))
    changes = [pair for pair in zip(old_words, new_words, strict=False) if pair[0] != pair[1]]
    return changes[0] if len(old_words) == len(new_words) and len(changes) == 1 else None


def twins_of_hidden_heads(snippet: Snippet, target: Target, splices: Sequence[Splice]) -> Iterator[int]:
    """Yield the first lines of blocks of which the sketch shows no more than the end, above a new block that ends so, too.

    The new block may be another version of one.
    """
    keys, widths = target.lines.keys, target.lines.widths
    runs: ShownRuns | None = None
    for splice in split_at_kept_lines(splices, target.lines.bodies):
        head = next((line for line in splice.lines if line.strip()), "")
        key = normalize_line(head)
        if splice.start < splice.end or not key.endswith("{") or splice.start == 0:
            continue
        above = [n for n in range(max(0, splice.start - _REACH), splice.start) if keys[n]]
        width = indent_width(head)
        tail: list[int] = []
        while above and (widths[above[-1]] > width or keys[above[-1]][:1] in ("}", ")")):
            tail.insert(0, above.pop())
        if not tail or not above or widths[above[-1]] != width or not keys[above[-1]].endswith("{"):
            continue
        if any(len(target.lines.places[keys[n]]) == 1 for n in tail):
            continue
        runs = runs or ShownRuns(snippet, without_blanks)
        ends = [keys[n] for n in tail]
        inserted = [key for key in map(normalize_line, splice.lines) if key]
        is_like = ratio(key, keys[above[-1]]) >= MIN_SIMILARITY or inserted[1 : len(ends) + 1] == ends
        if is_like and runs.contain([*ends, key]) and not runs.contain([keys[above[-1]], *ends]):
            yield above[-1]


def one_more_block(snippet: Snippet, target: Target, splices: Sequence[Splice]) -> Iterator[int]:
    """Yield the lines that another one replaces in the last of several blocks that are alike, shown alone behind a mark.

    It may as well be one more of them: `try { set(200); fail(); } catch ...` behind two of these with other values.
    """
    keys = target.lines.keys
    for splice in split_at_kept_lines(splices, target.lines.bodies):
        if splice.end - splice.start != 1 or len(splice.lines) != 1:
            continue
        around = list(blocks_around(target.items, splice.start))
        if len(around) < 2 or (identity(keys[around[-1].start]) or "").startswith("named "):
            continue
        last, items = around[-1], around[-2].items
        number = next((n for n, item in enumerate(items) if item is last), 0)
        if not number or number < len(items) - 1:
            continue
        before = items[number - 1]
        mine, other = (keys[each.start : each.end] for each in (last, before))
        differ = [at for at, (a, b) in enumerate(zip(mine, other, strict=False)) if a != b]
        if len(mine) == len(other) and differ == [splice.start - last.start]:
            lines, marks = lines_and_marks(snippet)
            shown = [line for line, text in enumerate(lines) if text.strip()]
            made = [*mine[: differ[0]], normalize_line(splice.lines[0]), *mine[differ[0] + 1 :]]
            filled = [key for key in made if key]
            for at in range(1, len(shown) - len(filled) + 1):
                run = shown[at : at + len(filled)]
                if shown[at - 1] in marks and [normalize_line(lines[n]) for n in run] == filled:
                    yield splice.start


def repeated_annotations(target: Target, splices: Sequence[Splice]) -> Iterator[int]:
    """Yield the annotations of a declaration that would be there a second time."""
    bodies, keys = target.lines.bodies, target.lines.keys
    for splice in split_at_kept_lines(splices, bodies):
        inserted = {key for key in map(normalize_line, splice.lines) if key.startswith(("@", "#["))}
        if not inserted or not all(map(_is_attached, splice.lines)):
            continue
        low, high = splice.start, splice.end
        while low > 0 and _is_attached(bodies[low - 1]):
            low -= 1
        while high < len(bodies) and _is_attached(bodies[high]):
            high += 1
        kept = (*range(low, splice.start), *range(splice.end, high))
        yield from (line for line in kept if keys[line] in inserted)


def _is_named_function(key: str) -> bool:
    return is_function(key) and (identity(key) or "").startswith("named ")


def _has_words(key: str) -> bool:
    return re.search(r"\w", key) is not None


def _is_attached(line: str) -> bool:
    """Return whether a line belongs to the declaration below it."""
    return line.lstrip().startswith(("@", "#[")) or is_comment(line)


def repeated_headers(snippet: Snippet, target: Target, splices: Sequence[Splice]) -> Iterator[int]:
    """Yield the first lines of functions that would come a second time, though the sketch shows no type around them.

    The one of the file may be meant.
    """
    places = target.lines.places
    deleted = {line for splice in splices for line in range(splice.start, splice.end)}
    known: dict[str, int] = {}
    for splice in split_at_kept_lines(splices, target.lines.bodies):
        for key in filter(_is_named_function, map(normalize_line, splice.lines)):
            lines = places.get(key, ())
            if len(lines) == 1 and lines[0] not in deleted and target.lines.widths[lines[0]] > 0:
                known[key] = lines[0]
    if not known:
        return
    shown = target.outlined(lines_and_marks(snippet)[0])
    waiting = list(shown.items)
    while waiting:
        item = waiting.pop()
        head = shown.naming.keys[item.start]
        if head in known:
            yield known[head]
        if is_function(head):
            waiting += item.items


def renamed_members(target: Target, splices: Sequence[Splice]) -> Iterator[int]:
    """Yield the values of a class in Python that would be there beside a new method with their name, and the reverse."""
    keys, widths = target.lines.keys, target.lines.widths
    deleted = {line for splice in splices for line in range(splice.start, splice.end)}
    for splice in splices if target.original.language == "python" else ():
        for line in splice.lines:
            found = _METHOD.match(line) or _VALUE.match(line)
            if found is None:
                continue
            name = re.escape(found["name"])
            is_method = found.re is _METHOD
            value = re.compile(rf"{name}\s*(?::[^=]+)?=(?!=)" if is_method else rf"(?:async )?def {name}\(")
            width = indent_width(line)
            yield from (
                n
                for n in _level(splice.start, width, target)
                if widths[n] == width and n not in deleted and value.match(keys[n])
            )


def _level(line: int, width: int, target: Target) -> Iterator[int]:
    """Yield the lines around one up to a less deep one."""
    keys, widths = target.lines.keys, target.lines.widths
    for rows in (range(line - 1, -1, -1), range(line, len(keys))):
        for row in rows:
            if keys[row] and widths[row] < width:
                break
            yield row


def is_whole_beside_mark(key: str, snippet: Snippet, target: Target) -> bool:
    """Return whether the sketch shows the block with this first line whole, with the comments above it, beside a mark."""
    lines, marks = lines_and_marks(snippet)
    shown = target.outlined(lines)
    filled = [number for number, line in enumerate(lines) if line.strip()]
    for item in walk(shown.items):
        if shown.naming.head(item) != key or not item.closes_itself:
            continue
        if not marks.isdisjoint(range(item.start, item.end)):
            continue
        above = [n for n in filled if n < item.start and (n in marks or not _is_attached(lines[n]))]
        below = [n for n in filled if n >= item.end]
        if (above and above[-1] in marks) or (below and below[0] in marks):
            return True
    return False


def comments_below_code(snippet: Snippet, target: Target, splices: Sequence[Splice]) -> Iterator[int]:
    """Yield the lines of code directly below which a new comment would begin, though a blank line is there now.

    Where the sketch does not show both, the blank line may as well be above the comment.
    """
    bodies, keys = target.lines.bodies, target.lines.keys
    runs: ShownRuns | None = None
    for splice in split_at_kept_lines(splices, bodies):
        at = splice.start
        if splice.end > at or not 0 < at < len(bodies) or keys[at] or not splice.lines:
            continue
        above, first, last = bodies[at - 1].rstrip(), splice.lines[0], splice.lines[-1]
        if not is_comment(first) or is_comment(last) or not last.strip() or is_comment(above):
            continue
        if not above or above.endswith(("{", "(", "[", ":", ",")):
            continue
        runs = runs or ShownRuns(snippet, without_blanks)
        if not runs.contain([keys[at - 1], normalize_line(first)]):
            yield at - 1


def versions_beyond_marks(snippet: Snippet, target: Target, splices: Sequence[Splice]) -> Iterator[int]:
    """Yield lines of the file shortly below new lines, of which the last may be a new version: a mark hides what is between.

    Where the new line is like the one before it, it is one of a series.
    """
    bodies, keys, widths = target.lines.bodies, target.lines.keys, target.lines.widths
    runs: ShownRuns | None = None
    for splice in split_at_kept_lines(splices, bodies):
        lines = [line for line in splice.lines if any(map(str.isalnum, line))]
        if not lines or indent_width(lines[-1]) > min(map(indent_width, lines)):
            continue
        inserted = list(map(normalize_line, lines))
        below: list[int] = []
        for n in range(splice.end, min(len(keys), splice.end + 2 * _SERIES_REACH)):
            if keys[n] and widths[n] < indent_width(lines[-1]):
                break
            below += [n] if keys[n] and widths[n] == indent_width(lines[-1]) else []
        if not below or inserted[-1] in target.lines.places or TERMINAL.match(inserted[-1]):
            continue
        above = [
            *(key for key in keys[max(0, splice.start - _SERIES_REACH) : splice.start] if key),
            *inserted[:-1],
        ]
        if any(ratio(inserted[-1], key) >= MIN_SIMILARITY for key in above[-_SERIES_REACH:]):
            continue
        runs = runs or ShownRuns(snippet, without_blanks)
        if not runs.contain([inserted[-1], keys[below[0]]]):
            yield from (
                n for n in below[:_SERIES_REACH] if ratio(inserted[-1], keys[n]) >= _MIN_VERSION_BEYOND
            )


def versions_beside(snippet: Snippet, target: Target, splices: Sequence[Splice]) -> Iterator[int]:
    """Yield lines directly below added ones that have nothing which these do not have, too: they may be the old version.

    They are not where the sketch shows both.
    """
    bodies, keys, widths = target.lines.bodies, target.lines.keys, target.lines.widths
    runs: ShownRuns | None = None
    for splice in split_at_kept_lines(splices, bodies):
        lines = [line for line in splice.lines if line.strip()]
        below = range(splice.end, min(splice.end + len(lines), len(keys)))
        if splice.start < splice.end or not 0 < len(lines) == len(below):
            continue
        if all(
            widths[n] == indent_width(line) and _adds_words(normalize_line(line), keys[n])
            for n, line in zip(below, lines, strict=True)
        ):
            runs = runs or ShownRuns(snippet, without_blanks)
            if not runs.contain([normalize_line(lines[-1]), keys[splice.end]]):
                yield splice.end


def _adds_words(new: str, old: str) -> bool:
    """Return whether a line has all words of another one, in order, and more."""
    words, rest = re.findall(r"\w+", old), iter(re.findall(r"\w+", new))
    is_told = len(words) > 1 and line_weight(old) >= DISTINCTIVE and not is_comment(old)
    return is_told and new != old and all(word in rest for word in words) and next(rest, None) is not None
