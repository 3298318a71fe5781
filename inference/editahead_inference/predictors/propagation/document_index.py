"""A search index of a document: the lines with a literal, the indentation of lines, the block around a line."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Literal

from editahead_prompts.state import PastEdit
from editahead_prompts.text.affixes import common_affixes
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.identifiers import WORD
from editahead_prompts.text.indentation import indentation, indentation_length
from editahead_prompts.text.scripts import spellings
from editahead_prompts.text.snapshot import Snapshot, line_body, line_end

from .proposal import Proposal

_MAX_KEPT_EDITS = 500
"""Proposals of one document that are kept as edits: the six last edits have some sixty sites each at most."""


class DocumentIndex:
    """A set of lazy views of one snapshot. Line numbers are 0-based.

    Args:
        snapshot: The document.
        earlier: The index of an earlier snapshot of the same document. Its results for unchanged lines are reused, so the
            cost of a keystroke depends on the change, not on the document.
    """

    def __init__(self, snapshot: Snapshot, earlier: DocumentIndex | None = None) -> None:
        self.snapshot = snapshot
        self._with: dict[str, list[int]] = {}
        self._block: dict[int, int] = {}
        self.kept: dict[int, tuple[object, tuple[Proposal, ...]]] = {}
        """The proposals of rules by the rule's id, see `Rule.kept_proposals`. The rule is there to keep its id its own."""
        self._edits: dict[Proposal, Edit] = {}
        self._known: _Known | None = None
        if earlier is not None and "bodies" in earlier.__dict__:
            self._known = _Known(earlier, snapshot)

    def kept_edit(self, proposal: Proposal, make: Callable[[Proposal], Edit]) -> Edit:
        """Return the proposal as an edit. It is made once, for a document that stays as it is while another is edited."""
        known = self._edits.get(proposal)
        if known is None:
            if len(self._edits) >= _MAX_KEPT_EDITS:
                self._edits.clear()
            known = self._edits[proposal] = make(proposal)
        return known

    def _has(self, view: Literal["stripped", "words"]) -> bool:
        """Return whether a view is there, or takes a look at the changed lines only."""
        return view in self.__dict__ or (self._known is not None and getattr(self._known, view) is not None)

    @cached_property
    def bodies(self) -> list[str]:
        """The lines without their ends."""
        lines = self.snapshot.lines
        known = self._known
        if known is None:
            return [line_body(line) for line in lines]
        changed = [line_body(line) for line in lines[known.head : len(lines) - known.tail]]
        return [*known.bodies[: known.head], *changed, *known.bodies[len(known.bodies) - known.tail :]]

    @cached_property
    def stripped(self) -> list[str]:
        """The lines without white space at their ends."""
        known = self._known
        if known is None or known.stripped is None:
            return [body.strip() for body in self.bodies]
        changed = [body.strip() for body in self.bodies[known.head : len(self.bodies) - known.tail]]
        return [*known.stripped[: known.head], *changed, *known.stripped[len(known.stripped) - known.tail :]]

    @cached_property
    def words(self) -> Counter[str]:
        """How often each identifier occurs in the text."""
        known = self._known
        if known is None or known.words is None:
            return Counter(WORD.findall(self.snapshot.text))
        words = known.words.copy()
        words.update(WORD.findall("".join(self.snapshot.lines[known.head : len(self.bodies) - known.tail])))
        for word in WORD.findall("\n".join(known.bodies[known.head : len(known.bodies) - known.tail])):
            words[word] -= 1
            if not words[word]:
                del words[word]
        return words

    def lines_with(self, literal: str) -> list[int]:
        """Return the lines with the literal (without a line end), ascending; none for an empty one, which tells nothing.

        A line counts however the accents of the literal are written there.
        """
        if not literal:
            return []
        if literal.isascii():
            return self._lines_with(literal)
        return sorted({line for one in spellings(literal) for line in self._lines_with(one)})

    def few_lines_with(self, literal: str, most: int) -> list[int]:
        """Return the lines with the literal; none where they are more than `most`, as of a common word."""
        lines = self.lines_with(literal)
        return lines if len(lines) <= most else []

    def _lines_with(self, literal: str) -> list[int]:
        found = self._with.get(literal)
        if found is None:
            known = None if self._known is None else self._known.lines_with.get(literal)
            found = self._with[literal] = (
                self._search(literal) if known is None else self._moved(literal, known)
            )
        return found

    def _search(self, literal: str) -> list[int]:
        text, starts = self.snapshot.text, self.snapshot.starts
        found, at, line = [], text.find(literal), 0
        while at >= 0:
            line = bisect_left(starts, at + 1, line) - 1
            found.append(line)
            at = text.find(literal, starts[line + 1])
        return found

    def _moved(self, literal: str, earlier: list[int]) -> list[int]:
        """Return the present lines with the literal, from those of the earlier snapshot and the changed lines."""
        assert self._known is not None
        head, count = self._known.head, len(self._known.bodies)
        shift = len(self.bodies) - count
        end = count - self._known.tail
        changed = [line for line in range(head, end + shift) if literal in self.bodies[line]]
        return [
            *earlier[: bisect_left(earlier, head)],
            *changed,
            *(line + shift for line in earlier[bisect_left(earlier, end) :]),
        ]

    def lines_of(self, edit: PastEdit) -> range:
        """Return the lines that an edit of the document left, as far as they are still there."""
        return range(edit.line, min(edit.line + len(edit.new), len(self.bodies)))

    def rewrite(self, line: int, body: str) -> Proposal:
        """Return the proposal that puts a text in the place of a line's, with the line's end."""
        return Proposal(line, line + 1, (body + line_end(self.snapshot.lines[line]),))

    def rewrite_all(self, lines: Iterable[int], rewrite: Callable[[str], str]) -> Iterator[Proposal]:
        """Yield the proposals for those of some lines that a function changes."""
        for line in lines:
            made = rewrite(self.bodies[line])
            if made != self.bodies[line]:
                yield self.rewrite(line, made)

    def indent(self, line: int) -> str:
        """Return the line's leading white space."""
        return indentation(self.bodies[line])

    def block(self, line: int) -> int:
        """Return the line that opens the block around `line`: the nearest above with less indentation, or -1."""
        known = self._block.get(line)
        if known is not None:
            return known
        bodies = self.bodies
        width = indentation_length(bodies[line]) if bodies[line].strip() else 1 << 30
        at = line - 1 if width else -1  # no line is indented less than an unindented one
        while at >= 0:
            body = bodies[at].lstrip()
            if body and len(bodies[at]) - len(body) < width and body[0] not in ")}]":
                break
            at -= 1
        self._block[line] = at
        return at

    def top(self, line: int) -> int:
        """Return the first line of the outermost block around `line`, which may be `line` itself."""
        while (above := self.block(line)) >= 0:
            line = above
        return line


class _Known:
    """The results of an earlier index, with the numbers of first and last lines that are unchanged."""

    def __init__(self, earlier: DocumentIndex, snapshot: Snapshot) -> None:
        old, new = earlier.snapshot.lines, snapshot.lines
        self.head, self.tail = common_affixes(old, new)
        self.bodies = earlier.bodies
        # A keystroke that asked for no such view hands on the one before it, so that the text is not read again.
        self.stripped: list[str] | None = earlier.stripped if earlier._has("stripped") else None
        self.words: Counter[str] | None = earlier.words if earlier._has("words") else None
        self.lines_with = earlier._with
