"""The checks whether a sketch may mean something else than a merge makes of it, each with its sentence for people."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Protocol

from editahead_inference.apply.placement.placement import Target
from editahead_inference.apply.placement.splices import Splice
from editahead_inference.apply.results import RefusalReason, SettledBy
from editahead_prompts.sketches.sketch import Snippet

from .adopted_lines import adopted_lines
from .hidden_versions import (
    comments_below_code,
    copies_of_next_element,
    one_more_block,
    paragraphs_in_other_words,
    renamed_members,
    repeated_annotations,
    repeated_headers,
    repeats_of_next_line,
    reworded_below,
    swapped_lines,
    torn_imports,
    twins_of_hidden_heads,
    versions_above,
    versions_beside,
    versions_beyond_marks,
)
from .keyed_elements import versions_of_hidden_elements
from .lost_labels import lost_labels
from .lost_modifiers import lost_modifiers
from .moved_lines import moved_lines
from .other_meanings import (
    added_elsewhere,
    copied_blocks,
    copied_lines,
    detached_comments,
    emptied_headers,
    other_conditions,
    repeated_members,
    replaced_in_series,
    respaced_lines,
    shown_lines_gone,
    split_strings,
    unclosed_ends,
    unreached_lines,
)
from .other_places import (
    copied_neighbours,
    lines_behind_returns,
    nearby_copies,
    shifted_brackets,
    stray_depths,
)
from .overloads import overloads_beside_marks, replaced_overloads
from .shown_functions import outside_functions
from .strayed_entries import strayed_entries


class FindLines(Protocol):
    """Yields the lines of the file that speak against a merge."""

    __name__: str

    def __call__(self, snippet: Snippet, target: Target, splices: Sequence[Splice], /) -> Iterable[int]: ...


@dataclass(frozen=True, slots=True)
class Check:
    """A check of a merge.

    Attributes:
        find: Yields the lines of the file that speak against it.
        detail: What is said to people.
        settled_by: What settles the doubt.
        is_for_choices: It also holds for a merge that a person will choose.
    """

    find: FindLines
    detail: str
    settled_by: SettledBy = "likelihood"
    is_for_choices: bool = True
    reason: RefusalReason = "ambiguous"

    @property
    def name(self) -> str:
        """The name of the check, in words."""
        return self.find.__name__.replace("_", " ")


def _of_file(find: Callable[[Target, Sequence[Splice]], Iterable[int]]) -> FindLines:
    """Return a check for which the sketch does not matter."""

    @wraps(find)
    def find_in_file(snippet: Snippet, target: Target, splices: Sequence[Splice]) -> Iterable[int]:
        return find(target, splices)

    return find_in_file


_HIDDEN_VERSION = "A marker may hide the old version of these lines."
_ADDED_OR_REPLACED = "The sketch does not show whether these lines are added or replace lines of the file."
_NEXT_ELEMENT = "The new lines may be a new version of the next element."
_OTHER_PLACE = "The sketch may show lines from another place in the file."
_MOVED_LINES = "The sketch does not show whether these lines move."

OTHER_MEANINGS: tuple[Check, ...] = (
    Check(strayed_entries, "The new lines may belong before this line."),
    Check(copied_lines, _OTHER_PLACE),
    Check(shown_lines_gone, _ADDED_OR_REPLACED),
    Check(added_elsewhere, _ADDED_OR_REPLACED),
    Check(replaced_overloads, _ADDED_OR_REPLACED),
    Check(replaced_in_series, _ADDED_OR_REPLACED),
    Check(_of_file(copied_blocks), _ADDED_OR_REPLACED),
    Check(_of_file(shifted_brackets), "The sketch may show the end of another block."),
    Check(_of_file(respaced_lines), _OTHER_PLACE),
    Check(moved_lines, _MOVED_LINES, "person"),
    Check(unclosed_ends, _ADDED_OR_REPLACED),
    Check(versions_beyond_marks, _ADDED_OR_REPLACED),
    Check(_of_file(unreached_lines), _ADDED_OR_REPLACED),
    Check(_of_file(other_conditions), "The file may need this line once for each condition.", "person"),
    Check(versions_beside, _ADDED_OR_REPLACED),
    Check(reworded_below, _ADDED_OR_REPLACED),
    Check(versions_of_hidden_elements, _ADDED_OR_REPLACED),
    Check(adopted_lines, "This line may belong to the element above the new lines."),
    Check(emptied_headers, "The block below this line would move under a new header."),
    Check(detached_comments, "This comment may belong to the line below it."),
    Check(split_strings, "These lines would be inside a string."),
    Check(paragraphs_in_other_words, _HIDDEN_VERSION, "shown-ends"),
    Check(swapped_lines, "The sketch does not show whether this line moves.", "person"),
    Check(versions_above, _HIDDEN_VERSION, "shown-ends"),
    Check(
        comments_below_code,
        "The sketch does not show whether a blank line belongs above or below the new lines.",
        "person",
    ),
)
"""Checks that a merge need not pass where the sketch shows the neighbours of each change, or where a person chooses."""

DOUBTS: tuple[Check, ...] = (
    Check(_of_file(lines_behind_returns), _ADDED_OR_REPLACED),
    Check(_of_file(stray_depths), "The new lines may belong to the block above or to the one below."),
    Check(copied_neighbours, _MOVED_LINES, "person"),
    Check(_of_file(nearby_copies), _OTHER_PLACE, "person", is_for_choices=False),
    Check(overloads_beside_marks, _HIDDEN_VERSION, "person", is_for_choices=False),
    Check(twins_of_hidden_heads, _HIDDEN_VERSION, "shown-ends", is_for_choices=False),
    Check(repeated_headers, "The sketch may mean this function.", "shown-ends", is_for_choices=False),
    Check(_of_file(copies_of_next_element), _NEXT_ELEMENT, "person", is_for_choices=False),
    Check(repeats_of_next_line, _NEXT_ELEMENT, "person"),
    Check(one_more_block, _HIDDEN_VERSION, "shown-ends", is_for_choices=False),
    Check(_of_file(renamed_members), "This name would be defined twice.", "person"),
    Check(_of_file(torn_imports), "The new code would precede this import.", "person"),
    Check(_of_file(repeated_annotations), "This line would be repeated.", "person"),
    Check(outside_functions, "The sketch shows this change in another function."),
    Check(
        _of_file(lost_modifiers),
        "The sketch may only leave out a modifier of this header.",
        "person",
        is_for_choices=False,
    ),
    Check(lost_labels, _ADDED_OR_REPLACED, is_for_choices=False),
    Check(
        repeated_members,
        "The file already has these lines in another place, which the sketch may show.",
        "person",
        is_for_choices=False,
    ),
)
"""Checks that a merge of a snippet has to pass in any case."""
