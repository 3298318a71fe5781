"""Streaming parsers of answers that rewrite a region, and the minimal edit of the document for new lines.

`LineReader` is the base of the readers of all rewriting formats. A format supplies its markers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from editahead_prompts.text.diff import diff, diff_lines
from editahead_prompts.text.edits import Edit, Replacement
from editahead_prompts.text.snapshot import Snapshot, line_body, line_end

from .base import AnswerRejection, EditableRegion, Finish, ParsedEdit, PromptRequest
from .escaping import leaked, unescape

MAX_BLOCK = 16
"""Longest block of lines that is checked for repetition, in lines."""

REPEATS, REPEATS_LONG, LONG_BLOCK = 4, 3, 4
"""Repeats in a row, beyond those of the old text, after which an answer is rejected. Blocks of `LONG_BLOCK` lines or more
need only `REPEATS_LONG`."""

STUTTER = 60
"""Longest unit that a line may repeat, in characters."""

STUTTERS, STUTTERED, LOOK = 5, 96, 32
"""Least repeats of a unit and least characters of all its repeats that count as repetition; and the step, in characters, in
which a line is checked."""

_RULE, _WORD = frozenset("-=*#_~+/.|:\\<> "), re.compile(r"\w")


@dataclass(frozen=True, slots=True)
class AnswerMarkers:
    """The markers of a format's answers.

    Attributes:
        end: Markers at which the text ends. They equal or begin the stop strings, which some servers send along.
        special_tokens: Tokens that must not occur in an answer.
        cursor: The marker of the cursor, which is removed from the text.
        nothing: Lines that mean "no edit".
    """

    end: tuple[str, ...]
    special_tokens: tuple[str, ...]
    cursor: str | None = None
    nothing: tuple[str, ...] = ("NO_EDITS",)


class LineReader:
    """A reader of an answer that is the new text of the request's region.

    Subclasses override `_line`, which receives each complete line, and `_rest`, which receives the text after the last
    line end.
    """

    def __init__(self, request: PromptRequest, marks: AnswerMarkers) -> None:
        self._request = request
        self._marks = marks
        *whole, self._held = request.prefill.split("\n")
        self._looked = 0  # characters of the last line already checked
        self._lines = list(map(unescape, whole))
        self._own = len(whole)  # the index of the model's first own line
        self._cursor: tuple[int, int] | None = None  # line of the new text, column
        self._old = request.region.bodies(request.document)
        self._given = 0
        self.refusal: AnswerRejection | None = None
        self.ended = False

    def feed(self, chunk: str) -> tuple[str, ...]:
        self._held += chunk
        while not self._over:
            line, end, rest = self._held.partition("\n")
            self._look(line)
            if not end or self._over:
                break
            self._held, self._looked = rest, 0
            self._line(line.removesuffix("\r"))
        if self.refusal is not None:
            return ()
        settled = tuple(self._lines[self._given :])
        self._given = len(self._lines)
        return settled

    def finish(self, reason: Finish = "stop") -> ParsedEdit | AnswerRejection:
        if not self._over:
            self._rest(self._held)
        if self.refusal is None and reason == "length" and not self.ended:
            self.refusal = AnswerRejection("truncated", f"after {len(self._lines)} lines")
        return self.refusal or self._answer()

    @property
    def _over(self) -> bool:
        return self.ended or self.refusal is not None

    def _look(self, line: str) -> None:
        """Reject a line, complete or not, that repeats itself. Lines of the file and the sketch may be long."""
        while self._looked + LOOK <= len(line) and self.refusal is None:
            self._looked += LOOK
            head = line[: self._looked]
            what = repeated_suffix(head)
            if what is not None and not self._is_shown(head):
                self.refusal = AnswerRejection("repetition", what)

    def _is_shown(self, head: str) -> bool:
        """Return whether a line of the prompt or the region begins with `head`.

        The region is checked, too, because the prompt has a marker in the cursor's line.
        """
        return head in self._request.prompt.text or any(old.startswith(head) for old in self._old)

    def _line(self, line: str) -> None:
        """Read a complete line."""
        self._take(line)

    def _rest(self, text: str) -> None:
        """Read the text after the last line end, at the end of the answer."""
        if text:
            self._take(text)

    def _take(self, line: str) -> None:
        """Add a line of the new text, after handling its markers."""
        at = min((line.find(mark) for mark in self._marks.end if mark in line), default=-1)
        if at >= 0:
            self.ended = True
            line = line[:at]
            if not line:
                return
        if (cursor := self._marks.cursor) is not None and cursor in line:
            if self._cursor is None:
                self._cursor = len(self._lines), len(unescape(line[: line.index(cursor)]))
            line = line.replace(cursor, "")
        if "KEEP_PREVIOUS" in line and not any("KEEP_PREVIOUS" in old for old in self._old):
            self.refusal = AnswerRejection("keep-previous")
        elif not self._lines and line.strip() in self._marks.nothing and line not in self._old:
            self.refusal = AnswerRejection("no-edits", line.strip())
        elif (token := leaked(line, self._marks.special_tokens)) is not None:
            self.refusal = AnswerRejection("leaked-marker", token)
        else:
            self._lines.append(unescape(line))
            if (what := repeated_lines(self._lines, self._old)) is not None:
                self.refusal = AnswerRejection("repetition", what)

    def _answer(self) -> ParsedEdit | AnswerRejection:
        if not any(line.strip() for line in self._lines[self._own :]):
            return AnswerRejection("empty")
        return region_edit(self._request.document, self._request.region, self._lines, self._cursor)


def region_edit(
    document: Snapshot, region: EditableRegion, new: Sequence[str], cursor: tuple[int, int] | None = None
) -> ParsedEdit | AnswerRejection:
    """Return the minimal edit that replaces a region's lines by new lines.

    Unchanged lines keep their line ends; other lines get the document's. A document that ended in a line end still
    does, and so does a document that was empty.

    Args:
        new: The new lines, without line ends.
        cursor: The 0-based line of `new` and the column of the model's cursor.
    """
    old = document.lines[region.first : region.end]
    at_end = region.end == len(document.lines)
    if at_end and old[-1] == "" and new and new[-1] != "":
        new = (*new, "")  # the empty line after the last line end
    made: list[str] = []
    line = 0
    for i1, i2, j1, j2 in (
        *diff_lines(region.bodies(document), new),
        (len(old), len(old), len(new), len(new)),
    ):
        made += old[line:i1]
        made += new[j1:j2]
        line = i2
    made = [line if line_end(line) else line + document.eol for line in made]
    if at_end and made:
        made[-1] = line_body(made[-1])
    found = diff("".join(old), "".join(made))
    if not found:
        return AnswerRejection("unchanged")
    base = document.starts[region.first]
    edit = Edit(tuple(Replacement(r.start + base, r.end + base, r.text) for r in found.replacements))
    if cursor is None or cursor[0] >= len(made):
        return ParsedEdit(edit)
    return ParsedEdit(edit, base + sum(map(len, made[: cursor[0]])) + cursor[1])


def repeated_suffix(line: str) -> str | None:
    """Return the text that a line's end repeats; None without repetition. Ruled lines such as `-----` do not count."""
    for size in range(2, STUTTER + 1):
        unit = line[-size:]
        times = max(STUTTERS, -(-STUTTERED // size))
        if line.endswith(unit * times) and (unit.isspace() or not _RULE.issuperset(unit)):
            return unit
    return None


def repeated_lines(new: Sequence[str], old: Sequence[str]) -> str | None:
    """Return the block that the last lines repeat; None without repetition.

    Blocks without a letter or digit (brackets, ruled lines) do not count. As many repeats are allowed beyond the limit as
    the old text holds of the block's rarest line.
    """
    for size in range(1, MAX_BLOCK + 1):
        block, repeats = list(new[-size:]), REPEATS_LONG if size >= LONG_BLOCK else REPEATS
        if len(new) < size * repeats or list(new[-2 * size : -size]) != block:
            continue
        needed = repeats + min(old.count(line) for line in block)
        if not _WORD.search("".join(block)) or len(new) < size * needed:
            continue
        if list(new[-size * needed :]) == block * needed:
            return "\n".join(block)
    return None
