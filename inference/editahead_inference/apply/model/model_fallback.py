"""The fallback to a model where the merge is not certain: the model writes the exact text, which has to pass the checks.

The answer is never offered as certain. It is marked as written by a model, for a person to confirm.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from editahead_inference.apply.file_change import FileChange
from editahead_inference.apply.placement.line_matching import FileLines
from editahead_inference.apply.placement.placement import Target
from editahead_inference.apply.placement.splices import Splice, to_edit
from editahead_inference.apply.planner import MergeFunction
from editahead_inference.apply.results import MergeResult, Refusal, RefusalReason
from editahead_inference.backends.base import Usage
from editahead_inference.predictors.model.response import ApplyResponse
from editahead_prompts.formats.apply.base import ApplyInput
from editahead_prompts.sketches.sketch import FileSketch, Sketch
from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.diff import Span
from editahead_prompts.text.edits import Edit
from editahead_prompts.text.snapshot import Snapshot

from .incremental_diff import IncrementalDiff
from .question_scope import model_questions
from .rewrite_check import check_rewrite

MODEL_CONFIDENCE = 0.5
"""The confidence of a hunk by the model. It is not measured, as a person decides."""

MAX_ATTEMPTS = 2
"""Requests for one part; the second one shows more of the file, or more of the guess of the merge."""

MODEL_REASONS: frozenset[RefusalReason] = frozenset(
    {"unplaced", "ambiguous", "unparsed", "would-break-syntax", "would-lose-code"}
)
"""Refusals about the contents of the sketch, with which a model may help."""


class AskModel(Protocol):
    """A blocking request to the model. See `ModelPredictor.apply`; `lines` is called on the waiting thread."""

    def __call__(
        self,
        questions: Sequence[ApplyInput],
        again: ApplyResponse | None,
        lines: Callable[[Sequence[str]], None],
        check: Callable[[], None],
    ) -> ApplyResponse: ...


@dataclass(frozen=True, slots=True)
class PartialRewrite:
    """What is settled of a rewrite while it arrives.

    Attributes:
        original: The file.
        part: The part of the sketch.
        edit: An edit of `original` that grows; None = everything reported so far is void.
    """

    original: Snapshot
    part: FileSketch
    edit: Edit | None

    def change(self, edit: Edit) -> FileChange:
        """Return an edit as the change of the file."""
        return FileChange("edit", self.original, edit, MODEL_CONFIDENCE, self.part.kind, origin="model")


def _ignore(partial: PartialRewrite) -> None:
    """Ignore a partial rewrite."""


@dataclass
class ModelFallback:
    """A merge that asks a model where it is not certain.

    Attributes:
        merge: The merge without a model.
        ask: The request to the model.
        on_partial: Called with what is settled, for a file that has only one part in the sketch.
        instruction: The instruction that the sketch answers.
        usages: The tokens of each request and its answer.
    """

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
        trees = syntax or SyntaxTrees(reproducible=True)
        merged = self.merge(sketch, part, original, syntax=trees, span=span, check=check)
        refusal = merged.refusal
        if refusal is None or refusal.is_final or refusal.reason not in MODEL_REASONS:
            return merged
        questions = tuple(
            replace(question, instruction=self.instruction)
            for question in model_questions(sketch, part, merged, trees)
        )
        target = Target(original, trees, 0, len(original.lines), check)
        alone = sum(other.path == part.path for other in sketch.files) == 1
        response: ApplyResponse | None = None
        why = ""
        for _ in range(MAX_ATTEMPTS):
            reporter = _PartialReporter(original, part, target.lines, self.on_partial if alone else _ignore)
            response = self.ask(questions, response, reporter.feed, check)
            if response.asked is None:
                reporter.withdraw()
                why = why or response.why
                break
            self.usages.append(response.usage)
            check()
            doubt = None
            if response.text is not None:
                edit, doubt = check_rewrite(sketch, part, target, response.text, span)
                if doubt is None:
                    edit = reporter.align_edit(edit)
                    guess = edit.apply(original.text)
                    return replace(
                        merged,
                        guess=guess,
                        edit=edit,
                        refusal=None,
                        confidence=MODEL_CONFIDENCE,
                        origin="model",
                    )
            why = response.why if doubt is None else _rejection_message(doubt)
            reporter.withdraw()
        return replace(merged, refusal=replace(refusal, model=why))


def _rejection_message(doubt: Refusal) -> str:
    return f"The model's rewrite was rejected. {doubt.detail}"


class _PartialReporter:
    """The reports of what is settled of one answer."""

    def __init__(
        self, original: Snapshot, part: FileSketch, lines: FileLines, report: Callable[[PartialRewrite], None]
    ) -> None:
        self._original, self._part, self._report = original, part, report
        self._diff = IncrementalDiff(lines)
        self._lines: Sequence[str] = ()

    def feed(self, lines: Sequence[str]) -> None:
        """Report what is settled. `lines` are all lines of the new text so far."""
        self._lines = lines
        if self._diff.feed(lines):
            edit = self._edit(self._diff.spans, lines)
            self._report(PartialRewrite(self._original, self._part, edit))

    def withdraw(self) -> None:
        """Report that everything reported so far is void."""
        if self._diff.spans:
            self._report(PartialRewrite(self._original, self._part, None))

    def align_edit(self, edit: Edit) -> Edit:
        """Return the edit in the pieces that were reported, if these give the same text."""
        text = edit.apply(self._original.text)
        new = FileLines(Snapshot.from_text(text)).bodies
        if not self._diff.spans or new[: self._diff.at[1]] != tuple(self._lines[: self._diff.at[1]]):
            return edit
        same = self._edit(self._diff.finish(new), new)
        return same if same.apply(self._original.text) == text else edit

    def _edit(self, spans: Sequence[Span], new: Sequence[str]) -> Edit:
        part = self._part
        splices = [Splice(i1, i2, tuple(new[j1:j2]), part.at, part.end) for i1, i2, j1, j2 in spans]
        return to_edit(self._original, splices, part.final_newline)
