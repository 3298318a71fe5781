"""One document prepared for search: where a literal occurs, how lines are indented, which block holds a line."""

from __future__ import annotations

from collections import Counter
from functools import cached_property

from editahead_prompts.snapshot import Snapshot, line_body
from editahead_prompts.tokens import WORD


class Index:
    """Lazy views of one snapshot; every line number is 0-based."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self._with: dict[str, list[int]] = {}
        self._block: dict[int, int] = {}

    @cached_property
    def bodies(self) -> list[str]:
        """The lines without their ends."""
        return [line_body(line) for line in self.snapshot.lines]

    @cached_property
    def words(self) -> Counter[str]:
        """How often each identifier occurs in the text."""
        return Counter(WORD.findall(self.snapshot.text))

    def lines_with(self, literal: str) -> list[int]:
        """Lines in which the literal (at least one character, no line end) occurs, ascending."""
        found = self._with.get(literal)
        if found is None:
            text, starts = self.snapshot.text, self.snapshot.starts
            found, at = [], text.find(literal)
            while at >= 0:
                line = self.snapshot.line_at(at)
                found.append(line)
                at = text.find(literal, starts[line + 1])
            self._with[literal] = found
        return found

    def indent(self, line: int) -> str:
        """The line's leading white space."""
        body = self.bodies[line]
        return body[: len(body) - len(body.lstrip())]

    def block(self, line: int) -> int:
        """The line that opens the block around `line`: the nearest above that is indented less; -1 at the top level."""
        known = self._block.get(line)
        if known is not None:
            return known
        bodies = self.bodies
        width = len(bodies[line]) - len(bodies[line].lstrip()) if bodies[line].strip() else 1 << 30
        at = line - 1
        while at >= 0:
            body = bodies[at].lstrip()
            if body and len(bodies[at]) - len(body) < width and body[0] not in ")}]":
                break
            at -= 1
        self._block[line] = at
        return at

    def top(self, line: int) -> int:
        """The outermost block's first line around `line` (itself, when it opens one)."""
        while (above := self.block(line)) >= 0:
            line = above
        return line
