"""What a model said of a state, as a value that stays good while the person makes what it said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from editahead_inference.backends.base import Usage
from editahead_inference.candidates import CandidateSource
from editahead_inference.gate.decision_trees import DecisionTrees
from editahead_prompts.formats.apply.base import ApplyInput
from editahead_prompts.formats.base import AnswerRejection, EditableRegion, PromptRequest
from editahead_prompts.text.affixes import common_affixes
from editahead_prompts.text.diff import diff
from editahead_prompts.text.edits import Edit, interpolate
from editahead_prompts.text.snapshot import Snapshot, line_body, split_lines

MAX_SPAN_CHARS = 20_000
"""Characters from the first change to the last, beyond which nobody asks what is left of a rewrite: comparing takes time."""


@dataclass(frozen=True, slots=True)
class ApplyResponse:
    """What a model made of a sketch. text: the whole one of `asked`'s file; None where there is none, with the reason, a
    sentence. asked: what it was asked, and how; None where it was not. usage: what that cost."""

    text: str | None
    why: str = ""
    asked: tuple[ApplyInput, PromptRequest] | None = None
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True)
class TokenLogprob:
    """What is known of the probability of a stretch [start, end) of the text after a rewrite. logprob: natural."""

    start: int
    end: int
    logprob: float


@dataclass(frozen=True, slots=True)
class Rewrite:
    """One text that the model wants.

    edit: what makes it of the told document; never empty. cursor: its offset in that text, None when it does not say.
    tokens: those of the answer that could be found in that text, in order; () where log-probabilities are not told.
    agree: answers that want this very text.
    """

    edit: Edit
    cursor: int | None = None
    tokens: tuple[TokenLogprob, ...] = ()
    agree: int = 1


@dataclass(frozen=True, slots=True)
class ModelResponse:
    """document: what the rewrites are of. region: its lines that the model was asked to rewrite; None when nothing was
    asked. model: a stable key of model and format. rewrites: those that most answers want first. answers: so many came.
    refusal: why the (first) answer was no edit. problem: why there is no answer, one sentence; it quotes no text.
    scores: what the model says of edits that were proposed to it, by name (see `scoring`). weights: of the gate that was
    fitted to this model; None when there is none.
    """

    document: Snapshot
    source: CandidateSource
    model: str
    region: EditableRegion | None = None
    rewrites: tuple[Rewrite, ...] = ()
    answers: int = 0
    refusal: AnswerRejection | None = None
    problem: str | None = None
    scores: tuple[tuple[Edit, Mapping[str, float]], ...] = ()
    weights: DecisionTrees | None = None

    def is_fully_applied(self, document: Snapshot) -> bool:
        """Whether the document has a text that was wanted: all of it has been made."""
        return any(
            document.length == self.document.length + rewrite.edit.growth
            and document.text == rewrite.edit.apply(self.document.text)
            for rewrite in self.rewrites
        )

    def rebase(self, document: Snapshot) -> ModelResponse | None:
        """The same for a text that the person made on the way to what was said; None where something else was done, or
        nothing is left."""
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
        return replace(self, document=document, region=region, rewrites=tuple(left), scores=())


@dataclass
class ResponseProgress:
    """How far a request is. region: that the model rewrites; None until it is built. lines: of its new text, without line
    ends, as far as they are settled (of the first answer)."""

    document: Snapshot
    region: EditableRegion | None = None
    lines: Sequence[str] = ()

    def update(self, lines: Sequence[str]) -> None:
        self.lines = lines

    def is_consistent_with(self, now: Snapshot) -> bool:
        """Whether the person, by making this text of the document, did nothing that contradicts what has come so far."""
        if now.lines == self.document.lines:
            return True
        region = self.region
        if region is None:
            return False
        start, end, made = _changed(self.document.text, now.text)
        first, last = self.document.line_at(start), self.document.line_at(end)
        if not region.first <= first <= last < region.end:
            return False
        above = first - region.first
        if tuple(self.lines[:above]) != region.bodies(self.document)[:above]:
            return True  # not that far yet, or the lines no longer correspond: only the end will tell
        lines = split_lines(now.text[self.document.starts[first] : made])
        typed = "\n".join(map(line_body, lines))
        said = "".join(f"{line}\n" for line in self.lines[above:])
        return said.startswith(typed) or typed.startswith(said)


def _changed(old: str, new: str) -> tuple[int, int, int]:
    """Where the texts begin to differ, and where the difference ends in the one and in the other."""
    head, tail = common_affixes(old, new)
    return head, len(old) - tail, len(new) - tail
