"""Check that an insertion next to an elision marker does not overwrite existing lines.

A whole item next to a marker, under a name that the file does not have, is an insertion: the marker keeps the lines
beside it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise

from editahead_inference.apply.placement.line_matching import (
    is_annotation,
    is_comment,
    normalize_line,
    unmatched_brackets,
)
from editahead_inference.apply.placement.line_names import is_bare_keyword
from editahead_inference.apply.placement.outline import Item, Naming, has_substance, is_filler
from editahead_inference.apply.placement.placement import Target
from editahead_inference.apply.placement.splices import Splice
from editahead_prompts.sketches.sketch import Snippet
from editahead_prompts.syntax.languages import find_language

from .shown_boundaries import find_bounds, span_at
from .shown_runs import ShownRuns, lines_and_marks, without_blanks

_IMPORTS = ("import ", "from ", "use ", "#include", "using ")
_STATEMENT = re.compile(
    r"(?:if|for|while|with|switch|match|try|else|elif|except|catch|return|throw|raise|assert|await)\b"
)

_STYLES = frozenset({"css", "scss", "less"})

_MAX_HOLDERS = 20
"""Items of one name, of which the one that is meant is looked for. Among more of them that would take too long."""


def replaced_by_new(snippet: Snippet, target: Target, splices: Sequence[Splice]) -> Iterator[str]:
    """Yield the lines of the file that would go for an item that is only added."""
    if all(splice.start == splice.end for splice in splices):
        return
    new = list(_new_items(snippet, target))
    if not new:
        return
    target.check()
    keys = target.lines.keys
    runs = ShownRuns(snippet, without_blanks)
    for splice in splices:
        if splice.start == splice.end:
            continue
        reach = max(map(len, new))
        low, high = max(0, splice.start - reach), min(len(keys), splice.end + reach)
        inserted = map(normalize_line, splice.lines)
        after = list(filter(None, [*keys[low : splice.start], *inserted, *keys[splice.end : high]]))
        added: set[str] = set()
        for item in new:
            at = _find(after, item)
            if at is not None:
                del after[at : at + len(item)]
                added.update(item)
        before = Counter(filter(has_substance, keys[low:high]))
        deleted = before - Counter(after)
        inserted_elsewhere = Counter(filter(has_substance, after)) - before
        if (
            added
            and deleted.total() > inserted_elsewhere.total()
            and not _are_bounded(deleted, added, splice, target, runs)
        ):
            yield next(iter(deleted))


def _are_bounded(
    deleted: Counter[str], added: Collection[str], splice: Splice, target: Target, runs: ShownRuns
) -> bool:
    """Return whether all lines that go are between lines that the sketch shows and that are not those of what comes."""
    for line in range(splice.start, splice.end):
        if target.lines.keys[line] not in deleted or span_at(line, target, [splice]) is None:
            continue
        bounds = find_bounds(line, target, [splice], runs)
        if bounds is None or any(bound[-1] in added for bound in bounds):
            return False
    return True


def _new_items(snippet: Snippet, target: Target) -> Iterator[list[str]]:
    """Yield the lines, without blank ones, of each whole item beside a mark that the file does not have."""
    lines, marks = lines_and_marks(snippet)
    keys = list(map(normalize_line, lines))
    naming = target.outlined(lines).naming
    waiting: list[tuple[Sequence[Item], Sequence[Item]]] = [(target.outlined(lines).items, ())]
    while waiting:
        items, holders = waiting.pop()
        waiting += [
            (section.items, _versions(item, holders, naming, target) or holders)
            for item in items
            for section in item.sections
            if section.items
        ]
        for stretch in _beside_marks(items, marks):
            for item in stretch:
                if is_annotation(naming.head(item)) or is_comment(naming.head(item)):
                    continue
                head = naming.head(item)
                is_known = _is_known(item, holders, naming, target)
                there = target.lines.find_normalized(keys[item.start : item.end])
                if there and is_filler(head) and not item.is_block:
                    continue  # It may belong to the next one.
                if is_known or there:
                    break
                is_whole = unmatched_brackets(lines[item.start : item.end]) == (0, 0)
                if item.is_block and is_whole and marks.isdisjoint(range(item.start, item.end)):
                    yield list(naming.text(item))


def _versions(item: Item, holders: Sequence[Item], naming: Naming, target: Target) -> Sequence[Item]:
    """Return the items of the file that have the name of an item of the sketch.

    Args:
        item: The item.
        holders: Items of the file, in order, one of which holds them; none, or many, for the whole file.
        naming: The names of the items of the sketch.
        target: The file.
    """
    named = target.named_items.get(naming.of(item) or "", ()) if naming.is_named(item) else ()
    if not 0 < len(holders) <= _MAX_HOLDERS:
        return named
    return [each for one in holders for each in named[_at(named, one.start) : _at(named, one.end)]]


def _at(items: Sequence[Item], line: int) -> int:
    return bisect_left(items, line, key=lambda item: item.start)


def _is_known(item: Item, holders: Sequence[Item], naming: Naming, target: Target) -> bool:
    """Return whether an item may be another version of one of the file.

    Args:
        item: The item.
        holders: The items of the file that have the name of the nearest item around it. Elsewhere there is no version of it.
        naming: The names of the items of the sketch.
        target: The file.
    """
    head, name = naming.head(item), naming.of(item)
    if head.startswith(_IMPORTS):
        return True
    if name is not None and naming.is_named(item):
        is_overload = find_language(target.original.language).overloads and "(" in head
        there = _versions(item, holders, naming, target)
        return any(
            not is_overload or _parameters(head) == _parameters(target.naming.head(each)) for each in there
        )
    shown = [key for key in naming.text(item) if has_substance(key)]
    places = target.lines.places
    # What the file has several times may belong to anything.
    rare = [key for key in shown if len(places.get(key, ())) < 2]
    told = rare if len(rare) > 1 else shown
    shared = 2 * sum(key in places for key in told)
    if _STATEMENT.match(head):
        return shared >= len(told)  # A statement, of which a part is the same.
    heads = places.get(head, ())
    extension = target.original.uri.rpartition(".")[2].lower()
    if item.is_block and len(heads) == 1 and not _STYLES.isdisjoint((extension, target.original.language)):
        return True  # A selector names its rule, however short it is.
    if is_bare_keyword(head) or is_filler(head) or not heads:
        return False
    return not item.is_block or (len(heads) == 1 and shared > len(told))


def _parameters(head: str) -> str:
    """Return the parameters in the first line of a function, as far as they are there."""
    return head.partition("(")[2].rpartition(")")[0] or head.partition("(")[2]


def _beside_marks(items: Sequence[Item], marks: Collection[int]) -> Iterator[Sequence[Item]]:
    """Yield the items behind each mark of a level, and those before it, the nearest first."""
    at = [number for number, item in enumerate(items) if item.start in marks]
    for low, high in pairwise([-1, *at, len(items)]):
        between = items[low + 1 : high]
        if low >= 0:
            yield between
        if high < len(items):
            yield between[::-1]


def _find(keys: Sequence[str], part: Sequence[str]) -> int | None:
    """Return the first place where some lines follow one another."""
    size = len(part)
    return next((at for at in range(len(keys) - size + 1) if list(keys[at : at + size]) == list(part)), None)
