"""A model's response to a state, as a value that can be rebased while the user makes its changes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from editahead_inference.backends.base import Usage
from editahead_inference.candidates import CandidateSource
from editahead_prompts.formats.apply.base import ApplyInput, line_bodies
from editahead_prompts.formats.base import AnswerRejection, EditableRegion, PromptRequest
from editahead_prompts.text.affixes import common_affixes
from editahead_prompts.text.diff import diff
from editahead_prompts.text.edits import Edit, interpolate
from editahead_prompts.text.snapshot import Snapshot, line_body, split_lines

from .continuation import Continuation

MAX_SPAN_CHARS = 20_000
"""Characters from the first change to the last. Longer rewrites are not rebased, as comparing takes time."""


@dataclass(frozen=True, slots=True)
class ApplyResponse:
    """A model's response to a sketch.

    Attributes:
        text: The whole new text of the file, or None.
        why: Why there is no text: one sentence.
        asked: The question and its request; None if the model was not asked.
        usage: The tokens of the request.
    """

    text: str | None
    why: str = ""
    asked: tuple[ApplyInput, PromptRequest] | None = None
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True)
class TokenLogprob:
    """The natural log-probability of a span [start, end) of the text after a rewrite."""

    start: int
    end: int
    logprob: float


@dataclass(frozen=True, slots=True)
class Rewrite:
    """A new text that the model proposes.

    Attributes:
        edit: The edit of the response's document; never empty.
        cursor: The offset of the cursor in the new text; None if the model does not set it.
        tokens: The answer's tokens that were found in the new text, in order; () without log-probabilities.
        agree: The number of answers with this text.
        probability: The probability that it is what the user does next, if the model's own can be relied on.
        is_next_tokens: Whether it goes on at the cursor with what is being typed.
    """

    edit: Edit
    cursor: int | None = None
    tokens: tuple[TokenLogprob, ...] = ()
    agree: int = 1
    probability: float | None = None
    is_next_tokens: bool = False


@dataclass(frozen=True, slots=True)
class ModelResponse:
    """A model's response to a next-edit request.

    Attributes:
        document: The document of the rewrites.
        source: The candidates' source.
        model: A stable key of model and format.
        region: The lines that the model was asked to rewrite; None if it was not asked.
        rewrites: The new texts, the most frequent first.
        answers: The number of answers.
        refusal: Why the first rejected answer is no edit.
        silence: The probability that nothing is left to edit among the region's lines, where the model said so.
        problem: Why there is no answer: one sentence, which quotes no text.
        scores: Edits that rules propose, each with the log-probability of the answer that makes it.
        continuation: What the model said token by token, where it was asked for the text at the cursor.
    """

    document: Snapshot
    source: CandidateSource
    model: str
    region: EditableRegion | None = None
    rewrites: tuple[Rewrite, ...] = ()
    answers: int = 0
    refusal: AnswerRejection | None = None
    silence: float | None = None
    problem: str | None = None
    scores: tuple[tuple[Edit, float], ...] = ()
    continuation: Continuation | None = None

    def is_fully_applied(self, document: Snapshot) -> bool:
        """Return whether the document already has the text of a rewrite."""
        return any(
            document.length == self.document.length + rewrite.edit.growth
            and document.text == rewrite.edit.apply(self.document.text)
            for rewrite in self.rewrites
        )

    def rebase(self, document: Snapshot) -> ModelResponse | None:
        """Return the rest of the response over a text in which some of its changes were made.

        None if another change was made, or if nothing is left.
        """
        if document.uri != self.document.uri or not self.rewrites:
            return None
        if document.lines == self.document.lines:
            return replace(self, document=document)
        start, end, made = _changed(self.document.text, document.text)
        if max(end, made) - start > MAX_SPAN_CHARS:
            return None
        done = diff(self.document.text, document.text)
        left = []
        for rewrite in self.rewrites:
            rest = interpolate(rewrite.edit, done, self.document.text)
            if rest and rest.apply(document.text) == rewrite.edit.apply(self.document.text):
                left.append(replace(rewrite, edit=rest))
        if not left:
            return None
        region, grown = self.region, len(document.lines) - len(self.document.lines)
        if region is not None:
            region = EditableRegion(region.first, region.end + grown)
        return replace(
            self,
            document=document,
            region=region,
            rewrites=tuple(left),
            scores=(),
            continuation=self._continued(document),
        )

    def _continued(self, document: Snapshot) -> Continuation | None:
        """Return what is left of the text at the cursor over a text in which its beginning was typed."""
        places = [one.edit.changed_span[0] for one in self.rewrites if one.is_next_tokens]
        if self.continuation is None or not places:
            return None
        grown = document.length - self.document.length
        return self.continuation.after(document.text[places[0] : places[0] + grown])


@dataclass
class ResponseProgress:
    """The progress of a request.

    Attributes:
        document: The document at its start.
        cursor: The offset of the cursor at its start.
        region: The lines that the model rewrites; None until the request is built.
        lines: The complete lines of the region's new text in the first answer, without line ends.
        continuation: What came of the text at the cursor; None for another answer.
        restore: Returns a line with secrets in place of their placeholders.
    """

    document: Snapshot
    cursor: int = 0
    region: EditableRegion | None = None
    lines: Sequence[str] = ()
    continuation: Continuation | None = None
    restore: Callable[[str], str] | None = None

    def update(self, lines: Sequence[str]) -> None:
        self.lines = lines if self.restore is None else tuple(map(self.restore, lines))

    def is_consistent_with(self, now: Snapshot) -> bool:
        """Return whether the user's text does not contradict the lines that have come."""
        if now.lines == self.document.lines:
            return True
        if self.continuation is not None:
            return self._goes_on(now.text, self.continuation.text)
        region = self.region
        if region is None:
            return False
        start, end, made = _changed(self.document.text, now.text)
        first, last = self.document.line_at(start), self.document.line_at(end)
        if not region.first <= first <= last < region.end:
            return False
        above = first - region.first
        if tuple(self.lines[:above]) != region.bodies(self.document)[:above]:
            return True  # the answer is not that far, or lines no longer correspond: only the end decides
        lines = split_lines(now.text[self.document.starts[first] : made])
        typed = "\n".join(map(line_body, lines))
        answer = "".join(f"{line}\n" for line in self.lines[above:])
        return answer.startswith(typed) or typed.startswith(answer)

    def _goes_on(self, now: str, said: str) -> bool:
        """Return whether a text was only typed on at the cursor, as the model said or beyond."""
        was, end = self.document.text, self.cursor + len(now) - self.document.length
        if end < self.cursor or now[: self.cursor] != was[: self.cursor] or now[end:] != was[self.cursor :]:
            return False
        typed, said = now[self.cursor : end], self.restore(said) if self.restore else said
        return said.startswith(typed) or typed.startswith(said)


@dataclass
class LineReporter:
    """A reporter of the complete lines of a whole text: those above the region, and those of the region that came.

    Attributes:
        document: The document, without secrets.
        region: The lines that the model rewrites.
        report: Receives all lines, without line ends.
        restore: Returns a line with secrets in place of their placeholders.
    """

    document: Snapshot
    region: EditableRegion
    report: Callable[[Sequence[str]], None]
    restore: Callable[[str], str]

    def __post_init__(self) -> None:
        self._lines = [*map(self.restore, line_bodies(self.document.text)[: self.region.first])]
        self._count = 0

    def update(self, lines: Sequence[str]) -> None:
        """Report the complete lines of the region, if more are complete than before."""
        if len(lines) > self._count:
            self._lines += map(self.restore, lines[self._count :])
            self._count = len(lines)
            self.report(tuple(self._lines))


def _changed(old: str, new: str) -> tuple[int, int, int]:
    """Return where the texts begin to differ, and where the difference ends in each of them."""
    head, tail = common_affixes(old, new)
    return head, len(old) - tail, len(new) - tail
