"""A reader of answers that hold the new text of a region between tags or between code fences.

Models write a sentence before the text, think aloud, fence the text between tags, forget the last fence or all fences, and
continue after the text. The caller checks the text that the reader finds before making an edit.
"""

from __future__ import annotations

import re

from editahead_prompts.formats.answer_reader import AnswerMarkers, LineReader
from editahead_prompts.formats.base import AnswerRejection, ParsedEdit, PromptRequest

THINK, THOUGHT = "<think>", "</think>"

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})([^`]*)$")


def fence_for(*texts: str) -> str:
    """Return a fence that is longer than every fence at the start of a line of the texts."""
    runs = re.findall(r"^[ \t]*(`{3,})", "\n".join(texts), re.MULTILINE)
    return "`" * max(3, *(len(run) + 1 for run in runs)) if runs else "```"


class BlockReader(LineReader):
    """A reader of the text between a tag and an end marker, or between fences.

    Without a tag and without a fence, the whole answer is the text.

    Args:
        tag: The tag before the text; "" if the text is only fenced.
    """

    def __init__(self, request: PromptRequest, marks: AnswerMarkers, tag: str = "") -> None:
        super().__init__(request, marks)
        self._tag = tag
        self._thinking: bool | None = None  # None before the first text
        self._inside = False
        self._outside: list[str] = []
        self._fence = ""
        self._fenced_itself = any(_FENCE.match(line) for line in self._old)
        self._waiting: list[str] = []  # a line that may be the last fence, and the lines after it
        self._line_ends = 0  # after the tag, before the first text

    def _line(self, line: str) -> None:
        if self._thinking is None and line.strip():
            self._thinking = line.lstrip().startswith(THINK)
        if self._thinking:
            _, found, line = line.partition(THOUGHT)
            if not found:
                return
            self._thinking = False
        if self._inside:
            self._within(line)
        elif self._tag:
            _, found, rest = line.partition(self._tag)
            self._inside = bool(found)
            if rest.strip():
                self._within(rest)
            elif found:
                self._line_ends = 1
        elif (fence := _FENCE.match(line)) is not None:
            self._inside, self._fence = True, fence[1]
        elif line.strip() in self._marks.nothing and line not in self._old:
            self.refusal = AnswerRejection("no-edits", line.strip())
        else:
            self._outside.append(line)

    def _within(self, line: str) -> None:
        """Read a line after the tag or the opening fence, up to an end marker."""
        at = min((line.find(mark) for mark in self._marks.end if mark in line), default=-1)
        if at != 0:
            self._text(line if at < 0 else line[:at])
        self.ended = self.ended or at >= 0

    def _text(self, line: str) -> None:
        if self._line_ends and not line:
            self._line_ends += 1
            return
        fence = _FENCE.match(line)
        if not self._lines and not self._fence and fence is not None and line not in self._old:
            self._fence = fence[1]  # a fence inside the tags
            self._line_ends = 0
            return
        for _ in range(self._blank_lines()):
            self._take("")
        if self._fence and fence is not None and not fence[2].strip() and self._closes(fence[1]):
            self._release()
            if self._fenced_itself or self._tag:
                self._waiting = [line]
            else:
                self.ended = True
        elif self._waiting:
            self._waiting.append(line)
        else:
            self._take(line)

    def _blank_lines(self) -> int:
        """Return how many blank lines the text begins with, once.

        Some models begin a line after the tag, others do not. A text that begins with as many blank lines as the old one
        is likelier.
        """
        line_ends, self._line_ends = self._line_ends, 0
        old = next((index for index, line in enumerate(self._old) if line), len(self._old))
        return line_ends if line_ends <= old else max(0, line_ends - 1)

    def _closes(self, run: str) -> bool:
        return run[0] == self._fence[0] and len(run) >= len(self._fence)

    def _release(self) -> None:
        for line in self._waiting:
            self._take(line)
        self._waiting = []

    def _rest(self, text: str) -> None:
        if text:
            self._line(text)
        if not self._inside and not self._tag and not self._thinking:
            for line in self._outside:
                self._take(line)

    def _answer(self) -> ParsedEdit | AnswerRejection:
        if self._tag and not self._inside:
            return AnswerRejection("malformed", f"no {self._tag}")
        if self._tag and self._fence and (not self._waiting or "".join(self._waiting[1:]).strip()):
            return AnswerRejection("malformed", f"the fence after {self._tag} is not the last line, too")
        return super()._answer()
