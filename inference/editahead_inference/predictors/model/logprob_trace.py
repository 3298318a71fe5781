"""The log-probabilities of an answer's tokens, located in the new text.

An answer is not the text: it has markers, escapes and fences. But a reader returns the lines of the new text as they come,
so the tokens of an answer's line belong to the line that was returned for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from editahead_prompts.formats.base import AnswerReader, EditableRegion
from editahead_prompts.text.snapshot import Snapshot, line_body

from .response import TokenLogprob

_Stretch = tuple[int, int, float]
"""Columns of a line of the answer, and the mean log-probability of the tokens that came with it."""


class LogprobTrace:
    """A record of the tokens that came with each line of the new text. It feeds the reader.

    Attributes:
        reader: The reader.
        lines: The lines of the new text that are complete.
        text: Everything that came.
    """

    def __init__(self, reader: AnswerReader) -> None:
        self.reader = reader
        self.lines: list[str] = []
        self.text = ""
        self._raw = ""
        self._stretches: list[_Stretch] = []
        self._by_line: dict[int, tuple[str, list[_Stretch]]] = {}

    def feed(self, text: str, logprobs: Sequence[float] = ()) -> None:
        """Add a part of the answer with the log-probabilities of its tokens (() = unknown)."""
        self.text += text
        mean = sum(logprobs) / len(logprobs) if logprobs else None
        *whole, rest = text.split("\n")
        for part in whole:
            self._hold(part, mean)
            given = self.reader.feed(part + "\n")
            self.lines += given
            if given:
                self._by_line[len(self.lines) - 1] = self._raw, self._stretches
            self._raw, self._stretches = "", []
        self._hold(rest, mean)
        self.lines += self.reader.feed(rest)

    def tokens(self, after: Snapshot, region: EditableRegion) -> tuple[TokenLogprob, ...]:
        """Return the tokens that are in the text `after` a rewrite of `region`, in order."""
        self._by_line.setdefault(len(self.lines), (self._raw, self._stretches))  # the line that it ended in
        out: list[TokenLogprob] = []
        for number, (raw, stretches) in sorted(self._by_line.items()):
            line = region.first + number
            if line >= len(after.lines):
                break
            start, body = after.starts[line], line_body(after.lines[line])
            if number < len(self.lines) and self.lines[number] != body:
                return ()  # these are not the lines of the region one by one: nothing can be said
            at = body.rfind(raw)  # it may go on with what the prompt began
            for low, high, logprob in stretches:
                # With marks in it, an answer's line has other columns than the text's.
                span = (at + low, at + high) if at >= 0 else (0, len(body))
                out.append(TokenLogprob(start + span[0], start + span[1], logprob))
        return tuple(out)

    def _hold(self, text: str, mean: float | None) -> None:
        if mean is not None and text:
            self._stretches.append((len(self._raw), len(self._raw) + len(text), mean))
        self._raw += text


def logprobs_in(tokens: Iterable[TokenLogprob], spans: Iterable[tuple[int, int]]) -> list[float]:
    """Return the log-probabilities of the tokens that overlap a span.

    For an empty span, where text was deleted, it is that of the next token.
    """
    ordered = list(tokens)
    out: dict[int, float] = {}
    for start, end in spans:
        for number, token in enumerate(ordered):
            if (token.start < end and start < token.end) or (start == end and start < token.end):
                out[number] = token.logprob
                if start == end:
                    break
    return list(out.values())
