"""The messages of `editahead.apply`."""

from __future__ import annotations

from typing import Any, Literal

import attrs

from editahead_inference.apply.results import RefusalReason
from editahead_inference.apply.review.hunk_kinds import HunkClass, HunkOrigin
from editahead_prompts.sketches.sketch import SketchKind

from .custom_messages import Range
from .field_metadata import OPTIONAL
from .lsp_types import WorkspaceEdit


@attrs.frozen
class ApplyArgument:
    """The argument of the command.

    Attributes:
        sketch: The sketch.
        uri: The file to change, where the sketch names none.
        range: The part of that file that the sketch may change.
        instruction: The request that the sketch was written for; part of the prompt of the format `instruct`.
        dry_run: Whether to return the edit without applying it.
        check: Whether to run linters and report new problems.
        choice: The id of a choice of a refusal. It is applied if the files are still as they were.
        ask: Whether the server asks the person with `window/showMessageRequest` where there are choices.
        partial_result_token: The token of `$/progress` for PartialHunks.
        work_done_token: The token of `$/progress` for begin, report and end.
    """

    sketch: str
    uri: str | None = None
    range: Range | None = None
    instruction: str | None = None
    dry_run: bool = False
    check: bool = False
    choice: str | None = None
    ask: bool = False
    partial_result_token: Any = None
    work_done_token: Any = None


@attrs.frozen
class AppliedHunk:
    """One change: `new_text` replaces `range`.

    Attributes:
        uri: The file.
        range: The range in the text before the edit.
        new_text: The new text.
        class_: What the change means for the code.
        origin: Who wrote the new text: the sketch, or a model.
        confidence: 0 to 1.
        flags: One sentence for each thing that the user should check.
    """

    uri: str
    range: Range
    new_text: str
    class_: HunkClass
    origin: HunkOrigin
    confidence: float
    flags: list[str] | None = attrs.field(default=None, metadata=OPTIONAL)


@attrs.frozen
class PartialHunks:
    """The value of a partial result: final hunks of one file, each sent once.

    Attributes:
        hunks: The hunks that were not sent before.
        withdrawn: The URI of a file whose hunks sent before are void: the model's text was rejected or has changed.
    """

    hunks: list[AppliedHunk]
    withdrawn: str | None = attrs.field(default=None, metadata=OPTIONAL)


@attrs.frozen
class Problem:
    """A problem that the edit would bring.

    Attributes:
        uri: The file.
        range: The range in the text after the edit.
        message: The linter's message.
        source: The linter's name.
    """

    uri: str
    range: Range
    message: str
    source: str


@attrs.frozen
class ApplyStats:
    """The costs of one request.

    Attributes:
        ms: Milliseconds from the request to the edit.
        first_hunk_ms: Milliseconds from the request to the first final hunk; null without hunks.
        model_tokens: Tokens that the model wrote.
        draft_tokens: Tokens that the model was given as drafts.
        accepted_draft_tokens: The draft tokens that the model accepted.
    """

    ms: float
    first_hunk_ms: float | None = None
    model_tokens: int = 0
    draft_tokens: int = 0
    accepted_draft_tokens: int = 0


@attrs.frozen
class ApplyResult:
    """The result of the command.

    Attributes:
        edit: The edit.
        hunks: The parts of the edit.
        sketch_kind: How the sketch is written.
        method: Whether a model wrote a part of the edit.
        stats: The costs.
        applied: False if the edit was not applied, though `dry_run` was not set.
        failure_reason: Why the edit was not applied.
        problems: New problems; omitted without `check`.
        plan: Names the edit for `editahead.applyProblems`; omitted where the setting `apply_check` is off, with `check`, and
            without a change.
    """

    edit: WorkspaceEdit
    hunks: list[AppliedHunk]
    sketch_kind: SketchKind
    method: Literal["merge", "model", "none"]
    stats: ApplyStats
    applied: bool | None = attrs.field(default=None, metadata=OPTIONAL)
    failure_reason: str | None = attrs.field(default=None, metadata=OPTIONAL)
    problems: list[Problem] | None = attrs.field(default=None, metadata=OPTIONAL)
    plan: str | None = attrs.field(default=None, metadata=OPTIONAL)


@attrs.frozen
class PlanArgument:
    """The argument of `editahead.applyProblems`: the `plan` of an edit that was planned."""

    plan: str


@attrs.frozen
class PlanProblems:
    """The new problems that a planned edit would bring."""

    problems: list[Problem]


@attrs.frozen
class SimilarRange:
    """Lines that resemble the part of the sketch that has no place; `similarity` is 0 to 1."""

    range: Range
    similarity: float


@attrs.frozen
class ChoicePlace:
    """The first line that a choice changes in a file; 0-based."""

    uri: str
    line: int


@attrs.frozen
class ApplyChoice:
    """A plausible reading of a sketch that is not certain.

    Attributes:
        id: Names the choice in the next request. It belongs to these texts of the files only.
        title: What the reading does, in plain words.
        places: One for each file.
        diff: The unified diff of all files.
        likelihood: 0 to 1.
    """

    id: str
    title: str
    places: list[ChoicePlace]
    diff: str
    likelihood: float


@attrs.frozen
class RefusalData:
    """The `data` of the error for a refusal.

    Attributes:
        reason: The reason.
        part: The lines of the sketch that the refusal is about.
        near: Lines of the file that resemble the part.
        model: Why the model did not help, where one was requested.
        choices: Two to four plausible readings, likeliest first; omitted if there are none.
    """

    reason: RefusalReason
    part: str
    near: list[SimilarRange] = attrs.field(factory=list)
    model: str | None = attrs.field(default=None, metadata=OPTIONAL)
    choices: list[ApplyChoice] | None = attrs.field(default=None, metadata=OPTIONAL)
