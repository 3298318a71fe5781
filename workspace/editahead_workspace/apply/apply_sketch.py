"""Apply as a use case: from the text of a sketch to the planned changes, for the server, the command line and agents."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from editahead_inference.apply.file_change import FileChange
from editahead_inference.apply.planner import MergeFunction, plan_changes
from editahead_inference.apply.results import Choice, Refusal
from editahead_inference.errors import ApplyRefusedError
from editahead_prompts.errors import SketchError
from editahead_prompts.sketches.parse import parse_sketch
from editahead_prompts.sketches.sketch import Sketch
from editahead_prompts.syntax.syntax_trees import SyntaxTrees
from editahead_prompts.text.snapshot import Snapshot
from editahead_workspace.errors import NothingToChooseError, UnreadableSketchError

from .workspace_files import WorkspaceFiles

if TYPE_CHECKING:
    from editahead_inference.apply.model.model_fallback import ModelFallback
    from editahead_inference.apply.model.witness import ScorePassages
    from editahead_inference.apply.results import RefusalReason
    from editahead_inference.backends.base import Usage

Check = Callable[[], None]


@dataclass(frozen=True)
class SketchTask:
    """A sketch, and what it is applied to.

    Attributes:
        text: The sketch.
        files: The files that it may change, and the one that it is for.
        span: Returns the range of that file's text that may be changed, in characters. None for all of the file.
        context_documents: Other documents that may refer to changed code.
        choice: The id or the 1-based number of the choice to apply. None for a certain edit only.
    """

    text: str
    files: WorkspaceFiles
    span: Callable[[Snapshot], tuple[int, int]] | None = None
    context_documents: tuple[Snapshot, ...] = ()
    choice: str | int | None = None


@dataclass(frozen=True)
class ReadSketch:
    """A parsed sketch. `own` is the file that it is for, if there is one."""

    task: SketchTask
    sketch: Sketch
    own: Snapshot | None


@dataclass(frozen=True)
class ApplyPlan:
    """The planned changes of a sketch.

    Attributes:
        changes: Changes over the texts of the task's files.
        usage: The tokens of each request to a model.
        first_hunk_at: The time of the first hunk in seconds. None where there is no hunk.
    """

    sketch: Sketch
    changes: tuple[FileChange, ...]
    usage: tuple[Usage, ...] = ()
    first_hunk_at: float | None = None


def load_merge() -> MergeFunction:
    """Import the merge. Late, so that the server answers `initialize` first."""
    from editahead_inference.apply.merge.merge import merge

    return merge


def load_model_fallback() -> tuple[type[ModelFallback], frozenset[RefusalReason]]:
    """Import the model fallback, and the reasons of refusals that it handles. Late, like the merge."""
    from editahead_inference.apply.model.model_fallback import MODEL_REASONS, ModelFallback

    return ModelFallback, MODEL_REASONS


def read_sketch(task: SketchTask, check: Check = lambda: None) -> ReadSketch:
    """Return the parsed sketch of a task.

    Raises:
        UnreadableSketchError: It is too large, or no sketch.
        ApplyRefusedError: The file that it is for cannot be changed.
    """
    if len(task.text.encode("utf-8", "replace")) > task.files.max_bytes:
        raise UnreadableSketchError(
            Refusal("too-large", "The sketch is larger than a file may be (`max_file_bytes`).")
        )
    own = task.files.resolve(None)
    language, name = (own.language, own.uri.rpartition("/")[2]) if own is not None else (None, None)
    try:
        sketch = parse_sketch(task.text, language=language, path=name, check=check)
    except SketchError as error:
        lines = task.text.splitlines()[error.at : error.end]
        raise UnreadableSketchError(Refusal("unparsed", str(error), "\n".join(lines))) from None
    check()
    return ReadSketch(task, sketch, own)


def plan_sketch(
    read: ReadSketch,
    merge: MergeFunction,
    *,
    trees: SyntaxTrees | None = None,
    on_file_done: Callable[[FileChange], None] = lambda change: None,
    score: ScorePassages | None = None,
    check: Check = lambda: None,
) -> ApplyPlan:
    """Return the planned changes. Nothing is written.

    Args:
        read: The parsed sketch.
        merge: Merges a part of the sketch into its file, maybe with a model.
        trees: A cache of syntax trees.
        on_file_done: Called with the change of each file as soon as it is final.
        score: Asks a model about the choices of a refusal, to put them in order.
        check: Raises to cancel.

    Raises:
        ApplyRefusedError: The sketch cannot be applied, or the chosen id was made for other texts.
        NothingToChooseError: A number was chosen, and the sketch has one reading only.
    """
    task, sketch, own = read.task, read.sketch, read.own
    try:
        changes = plan_changes(
            sketch,
            task.files,
            merge,
            spans={own.uri: task.span(own)} if own is not None and task.span is not None else {},
            context_documents=task.context_documents,
            syntax=trees,
            flag_file=task.files.find_flag,
            is_executable=task.files.is_executable,
            on_settled=on_file_done,
            check=check,
        )
    except ApplyRefusedError as error:
        chosen = choose(error.refusal, task.choice)
        if chosen is None:
            raise ApplyRefusedError(_ordered(error.refusal, score)) from None
        for change in chosen.changes:
            on_file_done(change)
        return ApplyPlan(sketch, chosen.changes)
    _check_only_reading(changes, task.choice)
    return ApplyPlan(sketch, changes)


def _ordered(refusal: Refusal, score: ScorePassages | None) -> Refusal:
    """Return a refusal with its choices in the order by the rules and the model, where there is one."""
    if score is None or not refusal.choices:
        return refusal
    from editahead_inference.apply.model.witness import order_choices

    return replace(refusal, choices=order_choices(refusal.choices, score))


def choose(refusal: Refusal, choice: str | int | None) -> Choice | None:
    """Return a choice of a refusal by its id or its 1-based number; None for no choice, or a number that there is not.

    Raises:
        ApplyRefusedError: There is none with this id, as it was made for other texts.
    """
    choices = refusal.choices
    if isinstance(choice, int):
        return next((one for one in choices if one.number == choice), None)
    if choice is None:
        return None
    chosen = next((one for one in choices if one.id == choice), None)
    if chosen is None:
        raise _stale_choice()
    return chosen


def _check_only_reading(changes: tuple[FileChange, ...], choice: str | int | None) -> None:
    if isinstance(choice, int) and choice != 1:
        raise NothingToChooseError("the sketch is clear: there is nothing to choose")
    if isinstance(choice, str) and choice != Choice("", (), changes, 1.0).id:
        raise _stale_choice()


def _stale_choice() -> ApplyRefusedError:
    return ApplyRefusedError(
        Refusal("stale", "The files were changed since these choices were offered. Apply the sketch again.")
    )
