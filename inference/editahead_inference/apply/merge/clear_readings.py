"""The reading of a sketch that is clear though a rule has a doubt: it alone agrees with all that the sketch shows.

A sketch that begins or ends with a mark is an excerpt of the file as it is to be. Where a reading makes each run of its
lines, and the file has the lines at both ends of each run only there, everything between them becomes what is shown: the
doubt of a single rule tells nothing. Where only one end tells the place, all other readings have to be far less likely.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from itertools import islice
from math import inf

from rapidfuzz.fuzz import ratio
from rapidfuzz.process import extract

from editahead_inference.apply.placement.line_matching import (
    DISTINCTIVE,
    is_comment,
    line_weight,
    normalize_line,
    unmatched_brackets,
)
from editahead_inference.apply.placement.line_names import identity
from editahead_inference.apply.placement.outline import is_filler
from editahead_inference.apply.placement.placement import Target
from editahead_inference.apply.placement.splices import Splice
from editahead_inference.apply.results import SettledBy
from editahead_prompts.sketches.sketch import Elision, Snippet

from .added_items import replaced_by_new
from .hidden_versions import repeats_of_next_line
from .placed_runs import PlacedRuns
from .reading_features import ReadingFeatures
from .readings import PlausibleReading, RankedReading
from .shown_neighbours import ENTRY, merges_blocks
from .shown_runs import ShownRuns, code_lines, lines_and_marks, without_blanks

_MIN_LIKELIHOOD = 0.8
"""The likelihood from which a reading is clear where several lines in a row tell the place of a change."""

_MIN_LIKELIHOOD_BETWEEN = 0.3
"""The same where the file has the lines at both ends of each run only there."""

_MIN_LIKELIHOOD_BETWEEN_ALONE = 0.4
"""The same where no other reading was found."""

_MIN_LEAD_BETWEEN = 2.0
"""How many times as likely as the next reading such a reading is."""

_MIN_LIKELIHOOD_BY_END = 0.6
"""The likelihood from which a reading is clear where the file has the lines at one end of each run only there."""

_MIN_LEAD_BY_END = 12.0
"""How many times as likely as the next reading such a reading is."""

_MIN_LIKELIHOOD_BESIDE = 0.4
"""The same where the line directly above or below a change tells its place."""

_MIN_LEAD = 3.0
"""How many times as likely as the next reading a clear one is. Two equal places share a likelihood."""

_MIN_EDGE_LEAD = 10.0
"""The same where the sketch shows one side of a change only."""

_MIN_REWORDED = 85
"""Percent of similarity from which one comment may be another one in other words."""

_BARE_OPENER = re.compile(r"\w+ ?[({\[]")
"""The first line of an element of which it has only the name: `Tuple(`."""

_CONDITION = "#[cfg("
"""The beginning of the condition of a declaration of Rust."""

_MAX_REACH = 12
"""Lines beside a change among which the place is known, as `ShownRuns` compares each row of them anew."""


def clear_reading(
    snippet: Snippet, ranked: Sequence[RankedReading], target: Target, settled_by: SettledBy
) -> PlausibleReading | None:
    """Return the reading that is clear, if there is one.

    Args:
        snippet: The snippet as it was written.
        ranked: Its readings, likeliest first.
        target: The file.
        settled_by: What settles all doubts about it.
    """
    if not ranked or settled_by == "person" or not _is_excerpt(snippet):
        return None
    first = ranked[0].reading
    if not _is_verbatim(snippet, first.splices) or any(map(partial(_rewords_comment, target), first.splices)):
        return None
    if not first.source.passes and _loses_an_element(snippet, ranked[0], target):
        return None
    leaves_out = any(_shrinks(each, target) for each in first.splices) and _leaves_bodies_out(snippet, target)
    may_be_clear_by_ends = not leaves_out or _begins_with_mark(snippet)
    if may_be_clear_by_ends and _is_clear_by_ends(snippet, ranked, target):
        return first
    if leaves_out or any(map(partial(_renames_entry, target), first.splices)):
        return None
    is_single = len(ranked) == 1 or settled_by == "shown-ends"
    return None if is_single else _clear_by_neighbours(snippet, ranked, target)


def _is_clear_by_ends(snippet: Snippet, ranked: Sequence[RankedReading], target: Target) -> bool:
    """Return whether the ends of all runs with a change tell the places of these, in the likeliest reading."""
    first, likelihood = ranked[0].reading, ranked[0].likelihood
    lead = likelihood / ranked[1].likelihood if len(ranked) > 1 else inf
    if any(map(partial(_may_be_other_element, target), first.splices)):
        return False
    if likelihood < _MIN_LIKELIHOOD and any(map(partial(_opens_element, target), first.splices)):
        return False
    runs = PlacedRuns(snippet, first.splices, target)
    if not (runs.explain_all and runs.are_framed and runs.have_blank_lines) or runs.behead:
        return False
    ends = runs.told_ends()
    if ends == 2:
        min_likelihood = _MIN_LIKELIHOOD_BETWEEN if len(ranked) > 1 else _MIN_LIKELIHOOD_BETWEEN_ALONE
        return likelihood >= min_likelihood and lead >= _MIN_LEAD_BETWEEN
    is_likely = likelihood >= _MIN_LIKELIHOOD_BY_END and lead >= _MIN_LEAD_BY_END
    return ends == 1 and is_likely and len(ranked) > 1 and not runs.move_lines


def _loses_an_element(snippet: Snippet, ranked: RankedReading, target: Target) -> bool:
    """Return whether a reading joins two blocks, repeats the line below new ones, or may lose an element.

    None is lost where both ends of each run tell its place: the sketch shows what is there instead.
    """
    splices = ranked.reading.splices
    if merges_blocks(target, splices) or any(repeats_of_next_line(snippet, target, splices)):
        return True
    if ranked.likelihood >= _MIN_LIKELIHOOD:
        return False
    if PlacedRuns(snippet, splices, target).told_ends() == 2:
        return False
    features = ReadingFeatures(snippet, target).count(splices)
    return features["lost declarations"] > 0 or any(replaced_by_new(snippet, target, splices))


def _clear_by_neighbours(
    snippet: Snippet, ranked: Sequence[RankedReading], target: Target
) -> PlausibleReading | None:
    """Return the first of several readings if the sketch shows the lines on both sides of each of its changes.

    Some of these tell the place, and the other readings are far less likely.
    """
    first, likelihood = ranked[0].reading, ranked[0].likelihood
    lead = likelihood / ranked[1].likelihood
    if likelihood < _MIN_LIKELIHOOD_BESIDE or lead < _MIN_LEAD:
        return None
    features = ReadingFeatures(snippet, target).count(first.splices)
    if features["torn runs"] or (features["repeats"] and not first.source.passes):
        return None
    if PlacedRuns(snippet, first.splices, target).move_lines:
        return None
    is_likely = likelihood >= _MIN_LIKELIHOOD
    loses = features["lost declarations"] or any(_shrinks(splice, target) for splice in first.splices)
    if loses and not (is_likely or first.source.passes):
        return None
    if not (is_likely or first.source.passes or not any(map(partial(_opens_element, target), first.splices))):
        return None
    place = _Place(snippet, target, _MAX_REACH if is_likely else 1)
    may_be_edge = lead >= _MIN_EDGE_LEAD
    return (
        first if all(place.is_placed(splice, may_be_edge=may_be_edge) for splice in first.splices) else None
    )


def _begins_with_mark(snippet: Snippet) -> bool:
    filled = (each for each in snippet.parts if isinstance(each, Elision) or any(map(str.strip, each.lines)))
    return isinstance(next(filled, None), Elision)


def _is_excerpt(snippet: Snippet) -> bool:
    """Return whether a mark is the first or the last of a sketch."""
    filled = [
        piece for piece in snippet.parts if isinstance(piece, Elision) or any(map(str.strip, piece.lines))
    ]
    return any(isinstance(piece, Elision) and not piece.removed for piece in (filled[0], filled[-1]))


def _is_verbatim(snippet: Snippet, splices: Sequence[Splice]) -> bool:
    """Return whether the sketch has all new lines with the indentation that they get."""
    shown = {line.rstrip() for line in code_lines(snippet)}
    return all(line.rstrip() in shown for splice in splices for line in splice.lines if line.strip())


def _shrinks(splice: Splice, target: Target) -> bool:
    """Return whether more lines go than come, of blank ones, too."""
    deleted = target.lines.bodies[splice.start : splice.end]
    return any(
        sum(bool(line.strip()) == is_filled for line in deleted)
        > sum(bool(line.strip()) == is_filled for line in splice.lines)
        for is_filled in (True, False)
    )


def _renames_entry(target: Target, splice: Splice) -> bool:
    """Return whether an entry with another key would replace one: it may be one more."""
    old = [key for key in target.lines.keys[splice.start : splice.end] if key]
    new = [key for key in map(normalize_line, splice.lines) if key]
    if old and new and _opens_bracket(old[0]) and _opens_bracket(new[0]):
        names = [identity(each[0]) or "" for each in (old, new)]
        is_bare = all(map(_BARE_OPENER.fullmatch, (old[0], new[0]))) and old[0] != new[0]
        if is_bare or (names[0] != names[1] and all(name.startswith("value ") for name in names)):
            return True
    deleted, inserted = (map(ENTRY.match, keys) for keys in (old, new))
    mine, theirs = ({found[2] for found in each if found} for each in (inserted, deleted))
    return len(mine) == len(theirs) == 1 and mine != theirs


def _may_be_other_element(target: Target, splice: Splice) -> bool:
    """Return whether a change may be about an element that is not shown, or about one more.

    It gives an entry another key, or a declaration of Rust another condition, or removes the first entry of an object.
    """
    deleted = target.lines.keys[splice.start : splice.end]
    if _renames_entry(target, splice) or any(key.startswith(_CONDITION) for key in deleted):
        return True
    return (
        not any(map(str.strip, splice.lines))
        and any(map(ENTRY.match, deleted))
        and _opens_bracket(_line_above(target, splice))
    )


def _line_above(target: Target, splice: Splice) -> str:
    """Return the normalised line above a change that is not blank; a bracket at the beginning of the file."""
    keys = target.lines.keys
    return next((keys[n] for n in range(splice.start - 1, -1, -1) if keys[n]), "{")


def _opens_element(target: Target, splice: Splice) -> bool:
    """Return whether a change is directly below a line that only opens a bracket: what it begins may be a new element."""
    above = _line_above(target, splice)
    return is_filler(above) and _opens_bracket(above)


def _rewords_comment(target: Target, splice: Splice) -> bool:
    """Return whether a new comment resembles one that stays: it may be that one in other words."""
    deleted = set(target.lines.keys[splice.start : splice.end])
    for key in map(normalize_line, splice.lines):
        if is_comment(key) and line_weight(key) >= DISTINCTIVE and key not in target.lines.places:
            alike = extract(key, target.lines.comments, scorer=ratio, score_cutoff=_MIN_REWORDED, limit=None)
            if alike and deleted.isdisjoint(comment for comment, _, _ in alike):
                return True
    return False


def _leaves_bodies_out(snippet: Snippet, target: Target) -> bool:
    """Return whether a block of the sketch has a mark and nothing else: then it may leave more out without a word.

    A block in braces that the sketch does not close is only cut off by the mark.
    """
    lines, marks = lines_and_marks(snippet)
    waiting = list(target.outlined(lines).items)
    while waiting:
        item = waiting.pop()
        for section in item.sections:
            is_cut_off = not item.closes_itself and _opens_bracket(lines[section.line])
            if section.items and not is_cut_off and all(inner.start in marks for inner in section.items):
                return True
            waiting += section.items
    return False


def _opens_bracket(line: str) -> bool:
    return unmatched_brackets([line])[1] > 0


class _Place:
    """The test whether a sketch tells the places of changes.

    Args:
        snippet: The sketch.
        target: The file.
        reach: Lines on either side of a change, blank ones not counted, that may tell its place.
    """

    def __init__(self, snippet: Snippet, target: Target, reach: int) -> None:
        self._target, self._reach = target, reach
        self._keys = target.lines.keys
        self._runs = ShownRuns(snippet, without_blanks)

    def is_placed(self, splice: Splice, *, may_be_edge: bool) -> bool:
        """Return whether a run shows what a change makes between the lines around it, of which some tell the place.

        Args:
            splice: The change.
            may_be_edge: A comment in other words may be the first or the last of a run.
        """
        keys, runs = self._keys, self._runs
        inserted = [key for key in map(normalize_line, splice.lines) if key]
        deleted = [key for key in keys[splice.start : splice.end] if key]
        if not inserted and not deleted:
            return True
        above = next((n for n in range(splice.start - 1, -1, -1) if keys[n]), None)
        below = next((n for n in range(splice.end, len(keys)) if keys[n]), None)
        if above is None or below is None:
            return False
        if runs.count([keys[above], *inserted, keys[below]]) == 1:
            return self._tells(above, inserted, keys[below], up=True) or self._tells(
                below, inserted, keys[above], up=False
            )
        if (
            not may_be_edge
            or len(inserted) != len(deleted)
            or not all(map(is_comment, [*inserted, *deleted]))
        ):
            return False
        if runs.count([keys[above], *inserted]) == 1:
            return self._tells(above, inserted, None, up=True)
        return runs.count([*inserted, keys[below]]) == 1 and self._tells(below, inserted, None, up=False)

    def _tells(self, line: int, inserted: Sequence[str], other: str | None, *, up: bool) -> bool:
        """Return whether lines of the file on one side of a change, shown with it in a run, are only there.

        Args:
            line: The line beside the change.
            inserted: The new lines.
            other: The line on the other side, if it is shown, too.
            up: The side is above the change.
        """
        shown = list(inserted if other is None else [*inserted, other] if up else [other, *inserted])
        beside = range(line, -1, -1) if up else range(line, len(self._keys))
        for at in islice((n for n in beside if self._keys[n]), self._reach):
            shown = [self._keys[at], *shown] if up else [*shown, self._keys[at]]
            if not self._runs.contain(shown):
                return False
            if _is_only_place(self._target, min(line, at), max(line, at) + 1):
                return True
        return False


def _is_only_place(target: Target, start: int, end: int) -> bool:
    """Return whether lines [start, end) of the file say something, and the file has them only there."""
    keys = target.lines.keys[start:end]
    return not all(map(is_filler, filter(None, keys))) and len(target.lines.find_normalized(keys)) == 1
