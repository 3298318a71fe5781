"""Reversal of a unified diff: from the text after the diff to each text before it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from .errors import DiffMismatchError

_HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


@dataclass
class Hunk:
    """A hunk of a diff. `new` begins at `line` (0-based) of the text after the whole diff. Lines are without their ends."""

    line: int
    old: list[str] = field(default_factory=list)
    new: list[str] = field(default_factory=list)


def parse_hunks(diff: str, name: str) -> list[Hunk]:
    """Return the hunks of the file with this name, or of a diff without file names, in order."""
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
    """Return the text before the diff, after its first hunk, and so on; the last is `text`.

    Raises:
        DiffMismatchError: A hunk differs from the text.
    """
    lines = text.splitlines(keepends=True)
    end = next((line[len(line.rstrip("\r\n")) :] for line in lines if line.rstrip("\r\n") != line), "\n")
    out = [text]
    for hunk in reversed(hunks):
        present = [line.rstrip("\r\n") for line in lines[hunk.line : hunk.line + len(hunk.new)]]
        if present != hunk.new:
            raise DiffMismatchError(f"the hunk at line {hunk.line + 1} differs from the file")
        lines[hunk.line : hunk.line + len(hunk.new)] = [line + end for line in hunk.old]
        out.append("".join(lines))
    return out[::-1]
