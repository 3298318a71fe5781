"""The tagged lines of a hunk, as unified diffs and `*** Begin Patch` share them.

Only the tags at the starts of lines are taken at their word: numbers may be wrong or missing, a blank context line may have
lost its space, and where prose can follow a hunk it may look like one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from .elision_markers import parse_marker
from .sketch import Hunk, HunkLine, Tag

_NO_NEWLINE = re.compile(r"\\ ?[Nn]o newline at end of file\s*")

TAGS: dict[str, Tag] = {" ": " ", "-": "-", "+": "+"}

IsHeader = Callable[[int], bool]
"""Whether something else than a hunk's line begins at a line."""


@dataclass
class HunkBody:
    """A hunk's lines, where they end, and whether the new text's last line is said to have no line end."""

    lines: list[HunkLine] = field(default_factory=list)
    end: int = 0
    final_newline: bool | None = None


class PatchRegion:
    """The lines of a text, from `start` up to `end`, that hold a patch. bounded: and nothing after it, such as prose."""

    def __init__(
        self, lines: Sequence[str], start: int, end: int, *, bounded: bool, is_header: IsHeader
    ) -> None:
        self.lines, self.start, self.end, self.bounded, self.is_header = lines, start, end, bounded, is_header
        self._change_follows = [False] * (end - start + 1)
        for at in range(end - 1, start - 1, -1):
            follows = self._change_follows[at - start + 1] and not is_header(at)
            self._change_follows[at - start] = follows or (lines[at][:1] in ("-", "+") and not is_header(at))

    def body(self, at: int, counts: tuple[int, int] | None) -> HunkBody:
        """The hunk's lines from line `at` on. counts: how many old and new lines it claims to have."""
        out = HunkBody()
        old = new = 0
        while at < self.end and not self.is_header(at):
            line = self.lines[at]
            if _NO_NEWLINE.fullmatch(line):
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
            # A line that is wholly empty at the end is rather the end of the text than a blank line that lost its space.
            out.lines.pop()
            old, new = old - 1, new - 1
        out.end = at
        return out

    def _ends_before(self, at: int, is_complete: bool) -> bool:
        """Whether the hunk is over before this line, which has no tag."""
        if self.lines[at]:
            after_blank = at > self.start and not self.lines[at - 1]
            if not self.bounded and after_blank:
                return True
            return not self._change_follows[at - self.start]
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
) -> list[Hunk]:
    """Hunks of these lines, one after the other where an elision marker stands between them. What changes nothing is left
    out. The line number, where known, is that of the first line."""
    groups: list[list[HunkLine]] = [[]]
    tagged = list(lines)
    for number, hunk_line in enumerate(tagged):
        around = tagged[max(number - 1, 0) : number + 2]
        # Among lines that come it would have nothing to stand for: whoever merges has to say what to make of it.
        is_added = len(around) == 3 and all(near.tag == "+" for near in around)
        # Dots alone, on a line that comes, are text: `...` is how stubs are written.
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
        )
        for group in groups
        if any(hunk_line.tag != " " for hunk_line in group)
    ]
