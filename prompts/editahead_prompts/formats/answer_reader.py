"""Reading answers line by line, and making of new lines the smallest edit of the document.

What every rewriting format has in common is here: `LineReader`. A format says how its lines are marked.
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
"""Lines of a block that may be repeated."""

REPEATS, REPEATS_LONG, LONG_BLOCK = 4, 3, 4
"""So many times in a row, more than the old text has it at all, and an answer runs away; a block of so many lines sooner."""

STUTTER = 60
"""Characters at most of what a line repeats over and over."""

STUTTERS, STUTTERED, LOOK = 5, 96, 32
"""So many times, and so many characters, before it counts; looked for after every so many characters of a line."""

_RULE, _WORD = frozenset("-=*#_~+/.|:\\<> "), re.compile(r"\w")


@dataclass(frozen=True, slots=True)
class AnswerMarkers:
    """How a format marks an answer.

    end: at the first of these the text ends (the same as, or the beginnings of, the stop strings, as some servers send them
    along). cursor: where the model puts the cursor; taken out. special: must not occur. nothing: lines that mean "no edit".
    """

    end: tuple[str, ...]
    special_tokens: tuple[str, ...]
    cursor: str | None = None
    nothing: tuple[str, ...] = ("NO_EDITS",)


class LineReader:
    """Reads an answer that is the new text of the request's region.

    Subclasses change `_line`, which gets each line as it is complete, and `_rest`, which gets what stands behind the last
    line end.
    """

    def __init__(self, request: PromptRequest, marks: AnswerMarkers) -> None:
        self._request = request
        self._marks = marks
        *whole, self._held = request.prefill.split("\n")
        self._looked = 0  # characters of the last line
        self._lines = list(map(unescape, whole))
        self._own = len(whole)  # where the model's own lines begin
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
        """Whether the line, which may have no end, goes on for ever. One that the file or the sketch has may be long."""
        while self._looked + LOOK <= len(line) and self.refusal is None:
            self._looked += LOOK
            head = line[: self._looked]
            what = repeated_suffix(head)
            if what is not None and not self._is_shown(head):
                self.refusal = AnswerRejection("repetition", what)

    def _is_shown(self, head: str) -> bool:
        """Whether a line of the prompt begins so; that of the cursor has a mark in it there."""
        return head in self._request.prompt.text or any(old.startswith(head) for old in self._old)

    def _line(self, line: str) -> None:
        """A complete line."""
        self._take(line)

    def _rest(self, text: str) -> None:
        """What stands behind the last line end, at the end."""
        if text:
            self._take(text)

    def _take(self, line: str) -> None:
        """A line of the new text, with all its marks."""
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
    """The edit that makes the lines `new` (without line ends) of a region.

    Lines that stay keep their own line ends, others get the document's. A document that ended in a line end
    still does, and an empty one then does.
    cursor: line of `new` and column that the model put the cursor at.
    """
    old = document.lines[region.first : region.end]
    at_end = region.end == len(document.lines)
    if at_end and old[-1] == "" and new and new[-1] != "":
        new = (*new, "")  # what stands behind the last line end
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
    """What a line's end repeats over and over; None when it does not. Rules do not count."""
    for size in range(2, STUTTER + 1):
        unit = line[-size:]
        times = max(STUTTERS, -(-STUTTERED // size))
        if line.endswith(unit * times) and (unit.isspace() or not _RULE.issuperset(unit)):
            return unit
    return None


def repeated_lines(new: Sequence[str], old: Sequence[str]) -> str | None:
    """What the last lines repeat over and over; None when they do not.

    Blocks without a letter or digit (brackets, rules) do not count, nor as many repeats as the old text has the block's
    first line.
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
