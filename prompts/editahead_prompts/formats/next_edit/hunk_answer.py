"""Answers that are one hunk without line numbers: lines of context, taken away and added.

    ' price = sum(items)'     context, only where the place would not be clear without
    '-return price'           taken away
    '+return price * 2'       added

A hunk replaces what it shows of the document. Context comes above the change, but below an insertion above the first line.
No line at all is silence.
"""

from __future__ import annotations

from collections.abc import Sequence

from editahead_prompts.formats.answer_reader import AnswerMarkers, LineReader, region_edit
from editahead_prompts.formats.base import AnswerRejection, ParsedEdit, PromptRequest
from editahead_prompts.formats.escaping import escape, unescape
from editahead_prompts.text.affixes import common_affixes

MAX_CONTEXT = 3
"""Lines of context that an answer says at most."""


def write_hunk(
    shown: Sequence[str], new: Sequence[str], special: tuple[str, ...], *, on_top: bool = False
) -> str | None:
    """Return the hunk that replaces the shown lines by new ones; "" where they are equal.

    Args:
        shown: The lines that the prompt shows whole, without line ends.
        new: The lines that replace them.
        special: The model's special tokens.
        on_top: Whether the first of the shown lines is the document's first.

    Returns:
        None where no hunk says the change: its place is not clear within `MAX_CONTEXT` lines.
    """
    shown, new = list(shown), list(new)
    head, tail = common_affixes(shown, new)
    end, added = len(shown) - tail, new[head : len(new) - tail]
    if head == end and not added:
        return ""
    return write_replacement(shown, head, end, added, special, on_top=on_top)


def write_replacement(
    shown: Sequence[str],
    first: int,
    end: int,
    added: Sequence[str],
    special: tuple[str, ...],
    *,
    on_top: bool = False,
) -> str | None:
    """Return the hunk that replaces the shown lines from `first` to `end` by `added`; see `write_hunk`."""
    old = shown[first:end]
    for context in range(0 if old else 1, min(MAX_CONTEXT, first) + 1):
        above = shown[first - context : first]
        if len(_places(shown, [*above, *old])) == 1:
            return _said(((" ", above), ("-", old), ("+", added)), special)
    if not old and first == 0 and on_top and shown:
        return _said((("+", added), (" ", shown[:1])), special)
    return None


def repeated_lines(shown: Sequence[str], first: int) -> tuple[str, ...]:
    """Return texts of which a hunk repeats pieces: each line taken away and added again, each added, each as context.

    Args:
        shown: The lines, as the prompt shows them, without line ends.
        first: The index of the line that the texts begin with. Those above it come last.
    """
    lines = [*shown[first:], *shown[:first]]
    return tuple("".join(f"{sign}{line}\n" for line in lines for sign in signs) for signs in ("-+", "+", " "))


def _said(parts: Sequence[tuple[str, Sequence[str]]], special: tuple[str, ...]) -> str:
    return "".join(f"{sign}{escape(line, special)}\n" for sign, lines in parts for line in lines)


def _places(lines: Sequence[str], wanted: Sequence[str]) -> list[int]:
    """Return the indices at which the wanted lines begin among `lines`."""
    size, wanted = len(wanted), list(wanted)
    return [at for at in range(len(lines) - size + 1) if list(lines[at : at + size]) == wanted]


class HunkReader(LineReader):
    """A reader of one hunk, which gives the region's new lines as soon as the place of the hunk is known.

    A hunk whose old lines are not among the region's, or are there twice, is malformed.
    """

    def __init__(self, request: PromptRequest, marks: AnswerMarkers) -> None:
        super().__init__(request, marks)
        self._context: list[str] = []
        self._taken: list[str] = []
        self._added: list[str] = []
        self._place: int | None = None
        self._closed = False  # whether a line of context followed an insertion above the first line

    def _take(self, line: str) -> None:
        for mark in self._marks.end:
            if mark in line:
                self.ended = True
                line = line[: line.index(mark)]
        if line:
            self._read(line[0], line[1:])

    def _read(self, sign: str, text: str) -> None:
        if self._closed or not self._may_follow(sign):
            self.refusal = AnswerRejection("malformed", f"a line that begins with {sign!r}")
        elif sign == "+":
            self._add(text)
        elif sign == "-":
            self._taken.append(unescape(text))
        elif self._added:
            self._closed = True
            if not self._old or unescape(text) != self._old[0]:
                self.refusal = AnswerRejection("malformed", "the line below the first lines is another")
        else:
            self._context.append(unescape(text))

    def _may_follow(self, sign: str) -> bool:
        """Return whether a hunk's next line may begin with `sign`: context, then `-`, then `+`."""
        if sign == " ":
            return not self._taken and (not self._added or self._is_on_top)
        return sign == "+" or (sign == "-" and not self._added)

    @property
    def _is_on_top(self) -> bool:
        """Whether the hunk inserts lines above the document's first line."""
        return not self._context and not self._taken and self._request.region.first == 0

    def _add(self, text: str) -> None:
        if not self._added:
            self._locate()
        if self.refusal is None:
            self._added.append(text)
            super()._take(text)

    def _locate(self) -> None:
        """Find the place of the old lines, and settle the lines above it."""
        wanted = [*self._context, *self._taken]
        places = _places(self._old, wanted) if wanted else [0] if self._is_on_top else []
        if len(places) != 1:
            self.refusal = AnswerRejection("malformed", f"the hunk has {len(places)} places")
            return
        self._place = places[0] + len(self._context)
        self._lines += self._old[: self._place]

    def _answer(self) -> ParsedEdit | AnswerRejection:
        if not self._context and not self._taken and not self._added:
            return AnswerRejection("no-edits")
        if self._is_on_top and not self._closed:
            return AnswerRejection("malformed", "an insertion without a place")
        if self._place is None:
            self._locate()
        if self.refusal is not None or self._place is None:
            return self.refusal or AnswerRejection("malformed")
        new = [*self._lines, *self._old[self._place + len(self._taken) :]]
        return region_edit(self._request.document, self._request.region, new)
