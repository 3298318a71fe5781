"""The tagged lines of a hunk, shared by unified diffs and `*** Begin Patch`.

Only the tags at the starts of lines are trusted: line numbers may be wrong or missing, a blank context line may have lost
its space, and prose after a hunk may look like a part of the hunk.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from .elision_markers import parse_marker
from .sketch import Hunk, HunkLine, Tag

NO_NEWLINE = re.compile(r"\\ ?[Nn]o newline at end of file\s*")

_SIGNATURE = re.compile(r"-- ?")
"""Pattern of the line above git's version at the end of a mail."""

TAGS: dict[str, Tag] = {" ": " ", "-": "-", "+": "+"}

IsHeader = Callable[[int], bool]
"""A predicate of line numbers: whether a header, not a line of a hunk, begins at the line."""


@dataclass
class HunkBody:
    """The lines of a hunk.

    Attributes:
        end: The line after the hunk.
        final_newline: Whether the new text's last line has a line end; None if the hunk does not say.
        is_counted: Whether the hunk's header counts just these lines.
    """

    lines: list[HunkLine] = field(default_factory=list)
    end: int = 0
    final_newline: bool | None = None
    is_counted: bool = False


class PatchRegion:
    """A range of a text's lines, from `start` up to `end`, that holds a patch.

    Attributes:
        bounded: Whether nothing follows the patch in the range, such as prose.
        check: Called for each line; may raise to cancel.
    """

    def __init__(
        self,
        lines: Sequence[str],
        start: int,
        end: int,
        *,
        bounded: bool,
        is_header: IsHeader,
        check: Callable[[], None] = lambda: None,
    ) -> None:
        self.lines, self.start, self.end, self.bounded, self.is_header = lines, start, end, bounded, is_header
        self.check = check
        self._next = start

    def _change_follows(self, at: int) -> bool:
        """Return whether an added or removed line comes at line `at` or below it, before the next header."""
        self._next = max(self._next, at)
        while self._next < self.end and not self.is_header(self._next):
            if self.lines[self._next][:1] in ("-", "+"):
                return True
            self._next += 1
        return False

    def body(self, at: int, counts: tuple[int, int] | None) -> HunkBody:
        """Parse the hunk's lines from line `at` on, by the counts if they agree with the lines.

        Args:
            counts: The numbers of old and new lines in the hunk's header, if any.
        """
        counted = None if counts is None else self._counted(at, *counts)
        return counted or self._tagged(at, counts)

    def _counted(self, at: int, deleted: int, inserted: int) -> HunkBody | None:
        """Return the hunk of just as many lines as counted; None if other lines of the hunk would follow, or some lack."""
        out = HunkBody(is_counted=True)
        while deleted or inserted or (at < self.end and NO_NEWLINE.fullmatch(self.lines[at])):
            if at == self.end:
                return None
            self.check()
            line = self.lines[at]
            at += 1
            if out.lines and NO_NEWLINE.fullmatch(line):
                out.final_newline = out.lines[-1].tag == "-"
                continue
            tag = TAGS.get(line[:1] or " ")
            deleted, inserted = deleted - (tag != "+"), inserted - (tag != "-")
            if tag is None or deleted < 0 or inserted < 0:
                return None
            out.lines.append(HunkLine(tag, line[1:], at - 1))
        out.end = at
        return None if self._goes_on(at) else out

    def _goes_on(self, at: int) -> bool:
        """Return whether lines follow a hunk that may belong to it, too."""
        while self.bounded and at < self.end and not self.lines[at]:
            at += 1
        if at >= self.end or self.is_header(at) or _SIGNATURE.fullmatch(self.lines[at]):
            return False
        return self.lines[at][:1] in TAGS

    def _tagged(self, at: int, counts: tuple[int, int] | None) -> HunkBody:
        """Return the hunk of all lines that can belong to it."""
        out = HunkBody()
        old = new = 0
        while at < self.end and not self.is_header(at):
            self.check()
            line = self.lines[at]
            if NO_NEWLINE.fullmatch(line):
                if out.lines:
                    out.final_newline = out.lines[-1].tag == "-"
                at += 1
                continue
            tag = TAGS.get(line[:1])
            if tag is None and self._ends_before(at, counts == (old, new)):
                break
            old += tag != "+"
            new += tag != "-"
            out.lines.append(HunkLine(tag or " ", line[1:] if tag else line, at))
            at += 1
        while out.lines and not self.lines[out.lines[-1].at] and counts != (old, new):
            # A final empty line is more likely the end of the text than a blank context line that lost its space.
            out.lines.pop()
            old, new = old - 1, new - 1
        out.end = at
        return out

    def _ends_before(self, at: int, is_complete: bool) -> bool:
        """Return whether the hunk ends before this line, which has no tag."""
        if self.lines[at]:
            after_blank = at > self.start and not self.lines[at - 1]
            if not self.bounded and after_blank:
                return True
            return not self._change_follows(at)
        if self.bounded or not is_complete:
            return False
        after = next((line for line in self.lines[at : min(at + 4, self.end)] if line), "")
        return not after.startswith((" ", "@@"))


def split_hunks(
    lines: Iterable[HunkLine],
    headings: tuple[str, ...] = (),
    line: int | None = None,
    *,
    at_end: bool = False,
    is_counted: bool = False,
) -> list[Hunk]:
    """Split lines at elision markers into hunks, and drop hunks that change nothing.

    Args:
        line: The 0-based line of the old file at which the lines claim to begin, if known.
        at_end: Whether the lines are said to be the end of the file.
        is_counted: Whether the header of the hunk counts just these lines.
    """
    groups: list[list[HunkLine]] = [[]]
    tagged = list(lines)
    for number, hunk_line in enumerate(tagged):
        around = tagged[max(number - 1, 0) : number + 2]
        # Between added lines a marker has no old code to stand for, so the merge decides about it.
        is_added = len(around) == 3 and all(near.tag == "+" for near in around)
        # Bare dots on an added line are code: `...` is the body of a stub.
        is_added |= hunk_line.tag == "+" and not any(map(str.isalpha, hunk_line.text))
        marker = parse_marker(hunk_line.text) if hunk_line.tag != "-" and not is_added else None
        if marker is not None and (marker.certain or hunk_line.tag == " "):
            groups.append([])
        else:
            groups[-1].append(hunk_line)
    return [
        Hunk(
            tuple(group),
            group[0].at,
            headings,
            line if group is groups[0] else None,
            at_end and group is groups[-1],
            is_counted=is_counted and len(groups) == 1,
        )
        for group in groups
        if any(hunk_line.tag != " " for hunk_line in group)
    ]
