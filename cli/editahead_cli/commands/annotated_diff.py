"""A planned change as a unified diff for a terminal, with a description of each hunk behind its `@@`."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from editahead_inference.apply.planner import FileChange
    from editahead_inference.apply.review.review import Hunk
    from editahead_prompts.text.snapshot import Snapshot

CONTEXT_LINES = 3
"""Most unchanged lines before and after a hunk."""

_SGR_CODES = {"-": "31", "+": "32", "@": "36", "!": "1;33", "h": "1"}
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def supports_color() -> bool:
    """Return whether stdout is a terminal on which the user wants colours."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def diff_lines(change: FileChange, old: str, new: str, *, colour: bool) -> Iterator[str]:
    """Yield the lines of the diff.

    Args:
        change: The planned change of one file.
        old: The old name in the head of the diff.
        new: The new name in the head of the diff.
        colour: Whether to colour lines for a terminal.
    """
    yield _style(f"--- {old}", "h", colour)
    yield _style(f"+++ {new}", "h", colour)
    original = change.original
    blocks = [_Block.from_hunk(hunk, original) for hunk in change.hunks]
    growth, free = 0, 0  # lines by which the text above has grown; the first line that no hunk has shown
    for number, (block, hunk) in enumerate(zip(blocks, change.hunks, strict=True)):
        above = min(CONTEXT_LINES, block.line - free)
        following = blocks[number + 1].line if number + 1 < len(blocks) else _count_lines(original)
        end = block.line + len(block.old)
        below = min(CONTEXT_LINES, following - end)
        free = end + below
        start = block.line - above
        counts = above + below + len(block.old), above + below + len(block.new)
        head = f"@@ -{_span(start, counts[0])} +{_span(start + growth, counts[1])} @@"
        yield _style(head, "@", colour) + _style(
            f" {_mark(hunk)}", "!" if hunk.needs_reading else "@", colour
        )
        for sign, lines in (
            (" ", original.lines[start : block.line]),
            ("-", block.old),
            ("+", block.new),
            (" ", original.lines[end:free]),
        ):
            for line in lines:
                body = line.rstrip("\r\n")
                yield _style(f"{sign}{body}", sign, colour)
                if body == line:
                    yield "\\ No newline at end of file"
        growth += len(block.new) - len(block.old)


@dataclass(frozen=True)
class _Block:
    """The lines that a hunk replaces, from `line` on."""

    line: int
    old: Sequence[str]
    new: Sequence[str]

    @classmethod
    def from_hunk(cls, hunk: Hunk, original: Snapshot) -> _Block:
        from editahead_prompts.text.affixes import common_affixes
        from editahead_prompts.text.snapshot import split_lines

        r = hunk.replacement
        first, last = original.line_at(r.start), original.line_at(r.end)
        old = original.lines[first : last + 1]
        head = original.text[original.starts[first] : r.start]
        new = split_lines(head + r.text + original.text[r.end : original.starts[last + 1]])
        old, new = (lines if lines[-1] else lines[:-1] for lines in (old, new))
        above, below = common_affixes(old, new)
        return cls(first + above, old[above : len(old) - below], new[above : len(new) - below])


def _count_lines(snapshot: Snapshot) -> int:
    """Return the number of lines, without the empty one behind a final line end."""
    return len(snapshot.lines) - (not snapshot.lines[-1])


def _span(start: int, count: int) -> str:
    return f"{start + 1 if count else start},{count}"


def _mark(hunk: Hunk) -> str:
    return " ".join([f"[{hunk.kind}]", *(flag.sentence for flag in hunk.flags)])


def _style(text: str, style: str, colour: bool) -> str:
    if not colour:
        return text
    text = _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)  # a file must not control the terminal
    return f"\x1b[{_SGR_CODES[style]}m{text}\x1b[0m" if style in _SGR_CODES else text
