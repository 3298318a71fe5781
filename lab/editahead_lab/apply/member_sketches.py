"""Sketches in which one member of a class or the like changes, and the others are not shown or are left out in words."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from .line_change import Declaration, LineChange, indentation

_MIN_MEMBERS = 3
_MAX_MEMBER = 60
"""Lines of the changed member, at most."""

_WORDS = (
    "{c} unchanged",
    "{c} ... existing code ...",
    "{c} previous implementation",
    "{c} (same)",
    "{c} snip",
    "{c} ... unchanged ...",
)
_PYTHON_WORDS = (*_WORDS, "pass  {c} unchanged", "...", "...  {c} rest of the body")
_BRACED_WORDS = (*_WORDS, "/* unchanged */")

_FUNCTION = re.compile("function|method")
"""Kinds of declarations that hold statements, which a sketch of its members would remove."""

Others = Literal["left-out", "hidden"]


@dataclass(frozen=True, slots=True)
class MemberSketch:
    """The lines of a sketch that changes one member, and the change."""

    change: LineChange
    lines: list[str]
    variant: str


def member_sketch(change: LineChange, others: Others, rng: random.Random) -> MemberSketch | None:
    """Return a sketch of a container with one changed member; None if no member of a container changes.

    Args:
        change: the change of the file, of which the sketch shows the part in one member.
        others: whether the other members have their headers and words for their bodies, or are not there at all.
        rng: the choices.
    """
    found = [
        (box, members, old, new)
        for old, new in change.pairs
        if (box := _container(change.old_declarations, old)) is not None
        and not _FUNCTION.search(box.kind)
        and len(members := _members(change.old_declarations, box)) >= _MIN_MEMBERS
        and _keeps_header(change, old, new)
        and new.end - new.start <= _MAX_MEMBER
    ]
    if not found:
        return None
    box, members, old, new = rng.choice(found)
    names = [member.name for member in members]
    if len(set(names)) != len(names) or not _is_only(change.old, box):
        return None
    lines = list(change.old[box.start : box.body])
    sign = "#" if change.language == "python" else "//"
    words = rng.choice(_PYTHON_WORDS if change.language == "python" else _BRACED_WORDS).format(c=sign)
    shown = [old] if others == "hidden" else members
    for number, member in enumerate(shown):
        if number and not change.old[member.start - 1].strip():
            lines.append("")
        if member == old:
            lines += change.new[new.start : new.end]
        else:
            lines += _left_out(change.old, member, words)
    lines += change.old[box.end - box.footer : box.end]
    return MemberSketch(change.restrict_to(old, new), lines, words if others == "left-out" else "")


def _left_out(lines: Sequence[str], member: Declaration, words: str) -> list[str]:
    """Return a member with words for its body."""
    inner = next(line for line in lines[member.body : member.end] if line.strip())
    footer = lines[member.end - member.footer : member.end]
    return [*lines[member.start : member.body], indentation(inner) + words, *footer]


def _container(found: Sequence[Declaration], member: Declaration) -> Declaration | None:
    """Return the innermost declaration around a member."""
    around = [each for each in found if each != member and each.holds(member.start, member.end)]
    return max(around, key=lambda each: each.start, default=None)


def _members(found: Sequence[Declaration], box: Declaration) -> list[Declaration]:
    return [each for each in found if _container(found, each) == box]


def _keeps_header(change: LineChange, old: Declaration, new: Declaration) -> bool:
    """Return whether a member has its old header, by which one knows it."""
    return change.old[old.start : old.body] == change.new[new.start : new.body]


def _is_only(lines: Sequence[str], box: Declaration) -> bool:
    """Return whether no other line is the first one of the container."""
    return sum(line == lines[box.start] for line in lines) == 1
