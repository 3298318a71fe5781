"""Reading an answer that holds the new text of a region somewhere: between tags, or in a block of code between fences.

Models write a sentence before it, think aloud, fence what is between tags, forget the last fence or all of them, and write
on behind it. What is taken for the region's text here is checked by whoever makes an edit of it.
"""

from __future__ import annotations

import re

from editahead_prompts.formats.answer_reader import AnswerMarkers, LineReader
from editahead_prompts.formats.base import AnswerRejection, ParsedEdit, PromptRequest

THINK, THOUGHT = "<think>", "</think>"

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})([^`]*)$")


def fence_for(*texts: str) -> str:
    """A fence that is longer than all that begin a line of the texts."""
    runs = re.findall(r"^[ \t]*(`{3,})", "\n".join(texts), re.MULTILINE)
    return "`" * max(3, *(len(run) + 1 for run in runs)) if runs else "```"


class BlockReader(LineReader):
    """tag: behind which the text begins, if it is not fenced only; it ends at the marks' `end`. Without a tag and without a
    fence, the whole answer is the text."""

    def __init__(self, request: PromptRequest, marks: AnswerMarkers, tag: str = "") -> None:
        super().__init__(request, marks)
        self._tag = tag
        self._thinking: bool | None = None  # None = nothing has come yet
        self._inside = False
        self._outside: list[str] = []
        self._fence = ""
        self._fenced_itself = any(_FENCE.match(line) for line in self._old)
        self._waiting: list[str] = []  # lines from one on that may be the last fence
        self._blank = False  # a line end behind the tag, which may be the text's first, blank line

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
                self._blank = self._old[:1] == ("",)
        elif (fence := _FENCE.match(line)) is not None:
            self._inside, self._fence = True, fence[1]
        elif line.strip() in self._marks.nothing and line not in self._old:
            self.refusal = AnswerRejection("no-edits", line.strip())
        else:
            self._outside.append(line)

    def _within(self, line: str) -> None:
        """A line behind what begins the text."""
        fence = _FENCE.match(line)
        if self._blank:
            self._blank = False
            if line:
                self._take("")
        if not self._lines and not self._fence and fence is not None and line not in self._old:
            self._fence = fence[1]  # it fences what is between tags
        elif self._fence and fence is not None and not fence[2].strip() and self._closes(fence[1]):
            self._release()
            if self._fenced_itself or self._tag:
                self._waiting = [line]
            else:
                self.ended = True
        elif self._waiting:
            at = min((line.find(mark) for mark in self._marks.end if mark in line), default=-1)
            if at >= 0:
                self.ended = True  # the fence that waits was the last one
            else:
                self._waiting.append(line)
        else:
            self._take(line)

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
        return super()._answer()
