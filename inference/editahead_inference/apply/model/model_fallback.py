"""Where the merge is not sure, a model is asked for the exact text; its answer has to pass the checks.

What it says is never offered as sure: it is marked as the model's, for a person to confirm.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from editahead_inference.apply.placement.line_matching import FileLines
from editahead_inference.apply.placement.placement import Target
from editahead_inference.apply.placement.splices import Splice, to_edit
from editahead_inference.apply.planner import FileChange, MergeFunction
from editahead_inference.apply.results import MergeResult, Refusal, RefusalReason
from editahead_inference.backends.base import Usage
from editahead_inference.predictors.model.response import ApplyResponse
from editahead_prompts.formats.apply.base import ApplyInput
from editahead_prompts.sketches.sketch import FileSketch, Sketch
from editahead_prompts.text.diff import Span
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot
from editahead_prompts.text.syntax_trees import SyntaxTrees

from .incremental_diff import IncrementalDiff
from .question_scope import model_questions
from .rewrite_check import check_rewrite

MODEL_CONFIDENCE = 0.5
"""Of a hunk by the model. Not measured: a person decides."""

MAX_ATTEMPTS = 2
"""So often it is asked at most, the second time with more of the file, or of what the merge makes of it."""

MODEL_REASONS: frozenset[RefusalReason] = frozenset(
    {"unplaced", "ambiguous", "unparsed", "would-break-syntax", "would-lose-code"}
)
"""Refusals that are about what the sketch says."""


class AskModel(Protocol):
    """Asks the model, and waits. See `ModelPredictor.apply`; lines is called on the thread that waits."""

    def __call__(
        self,
        questions: Sequence[ApplyInput],
        again: ApplyResponse | None,
        lines: Callable[[Sequence[str]], None],
        check: Callable[[], None],
    ) -> ApplyResponse: ...


@dataclass(frozen=True, slots=True)
class PartialRewrite:
    """What is settled of a rewrite while it comes: an edit that grows, over `original`; None: what was told is void."""

    original: Snapshot
    part: FileSketch
    edit: Edit | None

    def change(self, edit: Edit) -> FileChange:
        return FileChange("edit", self.original, edit, MODEL_CONFIDENCE, self.part.kind, origin="model")


def _ignore(coming: PartialRewrite) -> None:
    """Nobody wants to know."""


@dataclass
class ModelFallback:
    """A merge that asks a model where it is not sure. coming: told what is settled meanwhile of a file's only part.
    instruction: what the sketch was asked for with. used: what the model was asked, and said, in tokens."""

    merge: MergeFunction
    ask: AskModel
    on_partial: Callable[[PartialRewrite], None] = _ignore
    instruction: str = ""
    usages: list[Usage] = field(default_factory=list)

    def __call__(
        self,
        sketch: Sketch,
        part: FileSketch,
        original: Snapshot,
        *,
        syntax: SyntaxTrees | None = None,
        span: tuple[int, int] | None = None,
        check: Callable[[], None] = lambda: None,
    ) -> MergeResult:
        trees = syntax or SyntaxTrees()
        merged = self.merge(sketch, part, original, syntax=trees, span=span, check=check)
        if merged.refusal is None or merged.refusal.reason not in MODEL_REASONS:
            return merged
        asked = tuple(
            replace(question, instruction=self.instruction)
            for question in model_questions(sketch, part, merged, trees)
        )
        target = Target(original, trees, 0, len(original.lines), check)
        alone = sum(other.path == part.path for other in sketch.files) == 1
        said: ApplyResponse | None = None
        why = ""
        for _ in range(MAX_ATTEMPTS):
            coming = _PartialReporter(original, part, target.lines, self.on_partial if alone else _ignore)
            said = self.ask(asked, said, coming.feed, check)
            if said.asked is None:
                coming.withdraw()
                why = why or said.why
                break
            self.usages.append(said.usage)
            check()
            doubt = None
            if said.text is not None:
                edit, doubt = check_rewrite(sketch, part, target, said.text, span)
                if doubt is None:
                    edit = coming.align_edit(edit)
                    guess = edit.apply(original.text)
                    return replace(
                        merged,
                        guess=guess,
                        edit=edit,
                        refusal=None,
                        confidence=MODEL_CONFIDENCE,
                        origin="model",
                    )
            why = said.why if doubt is None else _rejection_message(doubt)
            coming.withdraw()
        return replace(merged, refusal=replace(merged.refusal, model=why))


def _rejection_message(doubt: Refusal) -> str:
    return f"The model's rewrite is not taken. {doubt.detail}"


class _PartialReporter:
    """Tells of what is settled of one answer."""

    def __init__(
        self, original: Snapshot, part: FileSketch, lines: FileLines, tell: Callable[[PartialRewrite], None]
    ) -> None:
        self._original, self._part, self._tell = original, part, tell
        self._settling = IncrementalDiff(lines)
        self._lines: Sequence[str] = ()

    def feed(self, lines: Sequence[str]) -> None:
        """All lines of the new text that have come."""
        self._lines = lines
        if self._settling.feed(lines):
            edit = self._edit(self._settling.spans, lines)
            self._tell(PartialRewrite(self._original, self._part, edit))

    def withdraw(self) -> None:
        if self._settling.spans:
            self._tell(PartialRewrite(self._original, self._part, None))

    def align_edit(self, edit: Edit) -> Edit:
        """The edit in the pieces that were told of, where these make the same text."""
        text = edit.apply(self._original.text)
        new = FileLines(Snapshot.from_text(text)).bodies
        if not self._settling.spans or new[: self._settling.at[1]] != tuple(
            self._lines[: self._settling.at[1]]
        ):
            return edit
        same = self._edit(self._settling.finish(new), new)
        return same if same.apply(self._original.text) == text else edit

    def _edit(self, spans: Sequence[Span], new: Sequence[str]) -> Edit:
        part = self._part
        splices = [Splice(i1, i2, tuple(new[j1:j2]), part.at, part.end) for i1, i2, j1, j2 in spans]
        return to_edit(self._original, splices, part.final_newline)
