"""Taking a unified diff back: from the text after it to each text on the way."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from .errors import DiffMismatchError

_HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


@dataclass
class Hunk:
    """line: where `new` begins in the text after the whole diff, 0-based. Lines are without their ends."""

    line: int
    old: list[str] = field(default_factory=list)
    new: list[str] = field(default_factory=list)


def parse_hunks(diff: str, name: str) -> list[Hunk]:
    """The hunks of the file with this name, in order; those of a diff without file names."""
    hunks: list[Hunk] = []
    ours, hunk, old, new = True, Hunk(0), 0, 0
    for line in diff.splitlines():
        head = _HUNK.match(line)
        if old <= 0 and new <= 0:
            if line.startswith("+++ "):
                ours = PurePosixPath(line[4:].split("\t")[0].strip()).name == name
            elif head is not None:
                old, new = (1 if count is None else int(count) for count in (head[1], head[3]))
                hunk = Hunk(int(head[2]) - (1 if new else 0))
                if ours:
                    hunks.append(hunk)
            continue
        if line[:1] in ("-", " ", ""):
            hunk.old.append(line[1:])
            old -= 1
        if line[:1] in ("+", " ", ""):
            hunk.new.append(line[1:])
            new -= 1
    return hunks


def reconstruct_versions(text: str, hunks: list[Hunk]) -> list[str]:
    """The texts before the diff, after its first hunk, and so on; the last is `text`. Raises DoesNotFit."""
    lines = text.splitlines(keepends=True)
    end = next((line[len(line.rstrip("\r\n")) :] for line in lines if line.rstrip("\r\n") != line), "\n")
    out = [text]
    for hunk in reversed(hunks):
        there = [line.rstrip("\r\n") for line in lines[hunk.line : hunk.line + len(hunk.new)]]
        if there != hunk.new:
            raise DiffMismatchError(f"its hunk at line {hunk.line + 1} is not what the file has there")
        lines[hunk.line : hunk.line + len(hunk.new)] = [line + end for line in hunk.old]
        out.append("".join(lines))
    return out[::-1]
