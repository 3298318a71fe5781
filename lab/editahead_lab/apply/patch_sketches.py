"""Sketches as patches: unified diffs, search/replace blocks, and `*** Begin Patch`.

Formats: POSIX `diff -u` and git's headers; aider's edit blocks and Cline's; the grammar of Codex's apply_patch tool.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from editahead_prompts.text.diff import Span

from .ambiguity import ShownRun, is_unambiguous
from .line_change import LineChange

UnifiedStyle = Literal["right", "wrong-numbers", "no-numbers", "no-header", "little-context"]
UNIFIED: tuple[UnifiedStyle, ...] = (
    "right",
    "wrong-numbers",
    "wrong-numbers",
    "no-numbers",
    "no-header",
    "little-context",
)

SearchStyle = Literal["aider", "cline"]

_SIGNS: Mapping[SearchStyle, tuple[str, str, str]] = {
    "aider": ("<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE"),
    "cline": ("------- SEARCH", "=======", "+++++++ REPLACE"),
}

END_OF_FILE = "*** End of File"
"""The line of a patch that says that a hunk is at the end of the file."""

_WIDEST = 12
"""Lines of context, at most, that make a search block unique."""


@dataclass(frozen=True)
class PatchHunk:
    """A hunk of a patch: old lines `i1` to `i2` and new lines `j1` to `j2`, with context around the changes.

    Attributes:
        changes: the hunks of the change that it contains.
        omitted: lines of the new file, all of them context, that it does not show.
    """

    i1: int
    i2: int
    j1: int
    j2: int
    changes: tuple[Span, ...]
    omitted: frozenset[int] = frozenset()

    def lines(self, change: LineChange, written: Mapping[int, str]) -> list[str]:
        """Return the lines as in a unified diff, each with its tag; `written` replaces unchanged ones by number."""
        out: list[str] = []
        j = self.j1
        for i1, i2, j1, j2 in [*self.changes, (self.i2, self.i2, self.j2, self.j2)]:
            kept = (line for line in range(j, j1) if line not in self.omitted)
            out += (" " + written.get(line, change.new[line]) for line in kept)
            out += ("-" + line for line in change.old[i1:i2])
            out += ("+" + line for line in change.new[j1:j2])
            j = j2
        return out

    def run(self, change: LineChange) -> ShownRun:
        """Return the old lines as one stretch."""
        return ShownRun(((self.i1, change.old[self.i1 : self.i2]),), (0, len(change.old)))


def hunks(change: LineChange, before: int, after: int) -> list[PatchHunk]:
    """Return the changes with context; hunks that touch are joined."""
    out: list[PatchHunk] = []
    for span in change.hunks:
        i1, i2, j1, j2 = span
        head, tail = min(before, i1), min(after, len(change.old) - i2)
        if out and i1 - head <= out[-1].i2:
            last = out.pop()
            out.append(PatchHunk(last.i1, i2 + tail, last.j1, j2 + tail, (*last.changes, span)))
        else:
            out.append(PatchHunk(i1 - head, i2 + tail, j1 - head, j2 + tail, (span,)))
    return out


def are_placed(change: LineChange, parts: Sequence[PatchHunk]) -> bool:
    """Return whether the old lines of all hunks fit the file in this order in one way only."""
    if any(part.i1 == part.i2 for part in parts):
        return False
    return is_unambiguous(change.old_index, [part.run(change) for part in parts])


def heading(change: LineChange, part: PatchHunk) -> str | None:
    """Return the first header line of the innermost old declaration that contains the hunk's change."""
    i1, i2 = part.changes[0][:2]
    around = [d for d in change.old_declarations if d.holds(i1, i2)]
    return change.old[around[-1].start] if around else None


def unified(
    change: LineChange,
    parts: Sequence[PatchHunk],
    style: UnifiedStyle,
    rng: random.Random,
    written: Mapping[int, str],
    headings: float,
) -> list[str]:
    """Return a unified diff of one file. `headings` is the probability that a hunk names its declaration."""
    out: list[str] = []
    if style != "no-header":
        if rng.random() < 0.5:
            out.append(f"diff --git a/{change.path} b/{change.path}")
            if rng.random() < 0.5:
                out.append(f"index {rng.getrandbits(28):07x}..{rng.getrandbits(28):07x} 100644")
        prefixes = ("a/", "b/") if len(out) or rng.random() < 0.7 else ("", "")
        out += (f"--- {prefixes[0]}{change.path}", f"+++ {prefixes[1]}{change.path}")
    bare = rng.choice(("@@ ... @@", "@@ @@", "@@"))
    for part in parts:
        numbers = [part.i1 + 1, part.i2 - part.i1, part.j1 + 1, part.j2 - part.j1]
        if style == "wrong-numbers":
            numbers[0] = max(1, numbers[0] + rng.choice((-1, 1)) * rng.randint(1, 60))
            numbers[2] = max(1, numbers[0] + rng.randint(-3, 3))
            for at in (1, 3):
                numbers[at] = max(1, numbers[at] + rng.choice((0, 0, -1, 1, 2, 5)))
        line = bare if style == "no-numbers" else "@@ -{},{} +{},{} @@".format(*numbers)
        title = heading(change, part)
        if title is not None and rng.random() < headings and not (style == "no-numbers" and bare == "@@"):
            line += f" {title.strip()}"
        out.append(line)
        out += part.lines(change, written)
    return out


def search_hunks(change: LineChange, rng: random.Random) -> list[PatchHunk] | None:
    """Return hunks for search/replace blocks.

    Context grows until the old lines of each block occur only once, also after the earlier blocks are
    applied. None where they never do.
    """
    for width in range(rng.randint(0, 3), _WIDEST + 1):
        parts = hunks(change, width, width)
        if all(part.i1 < part.i2 for part in parts) and _apply_one_by_one(change, parts):
            return parts
    return None


def search_replace(
    change: LineChange, parts: Sequence[PatchHunk], style: SearchStyle, written: Mapping[int, str]
) -> list[str]:
    """Return blocks of old lines and their replacements."""
    opening, middle, closing = _SIGNS[style]
    out: list[str] = []
    for part in parts:
        tagged = part.lines(change, written)
        out.append(opening)
        out += (line[1:] for line in tagged if line[0] != "+")
        out.append(middle)
        out += (line[1:] for line in tagged if line[0] != "-")
        out.append(closing)
    return out


def _apply_one_by_one(change: LineChange, parts: Sequence[PatchHunk]) -> bool:
    """Return whether each search block occurs once in the file as left by the earlier blocks.

    The blocks are searched both as characters and as lines.
    """
    text = "\n" + change.before
    for part in parts:
        old = "\n" + "".join(f"{line}\n" for line in change.old[part.i1 : part.i2])
        if text.count(old) != 1 or not change.old_index.is_unique(change.old[part.i1 : part.i2]):
            return False
        new = "\n" + "".join(f"{line}\n" for line in change.new[part.j1 : part.j2])
        text = text.replace(old, new)
    return text[1:] == change.after


def begin_patch(
    change: LineChange,
    parts: Sequence[PatchHunk],
    rng: random.Random,
    written: Mapping[int, str],
    headings: float,
) -> list[str]:
    """Return the `*** Update File` part for one file. `headings` is the probability that a hunk names its declaration."""
    out = [f"*** Update File: {change.path}"]
    for part in parts:
        title = heading(change, part)
        out.append(f"@@ {title}" if title is not None and rng.random() < headings else "@@")
        out += part.lines(change, written)
        if part.i2 == len(change.old) and rng.random() < 0.3:
            out.append(END_OF_FILE)
    return out


def are_placed_by_headings(change: LineChange, parts: Sequence[PatchHunk]) -> bool:
    """Return whether each hunk's old lines occur once in the declaration that its heading names."""
    titles = [heading(change, part) for part in parts]
    return all(
        title is not None and _is_placed_under(change, part, title)
        for part, title in zip(parts, titles, strict=True)
    )


def _is_placed_under(change: LineChange, part: PatchHunk, title: str) -> bool:
    """Return whether the heading occurs once, and the old lines once below it in its declaration."""
    index = change.old_index
    holder = next((d for d in change.old_declarations if change.old[d.start] == title), None)
    if holder is None or not index.is_unique([title]):
        return False
    return len(index.places(change.old[part.i1 : part.i2], holder.start, holder.end)) == 1
