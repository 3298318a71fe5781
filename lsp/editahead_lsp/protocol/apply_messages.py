"""The messages of `editahead.apply`."""

from __future__ import annotations

from typing import Any, Literal

import attrs

from editahead_inference.apply.results import HunkClass, HunkOrigin, RefusalReason
from editahead_prompts.sketches.sketch import SketchKind

from .custom_messages import Range
from .lsp_types import OMIT_IF_NONE, WorkspaceEdit

_MAY = {OMIT_IF_NONE: True}


@attrs.frozen
class ApplyArgument:
    """uri: the file that the sketch is for, where it names none. range: what it may change of that file. check: look for
    new problems, too. instruction: what the sketch was asked for with; shown to a model of the format `instruct`."""

    sketch: str
    uri: str | None = None
    range: Range | None = None
    instruction: str | None = None
    dry_run: bool = False
    check: bool = False
    partial_result_token: Any = None
    work_done_token: Any = None


@attrs.frozen
class AppliedHunk:
    """`new_text` in place of `range`. flags: a sentence for each thing that a person should look at; left out when there
    is none."""

    uri: str
    range: Range
    new_text: str
    class_: HunkClass
    origin: HunkOrigin
    confidence: float
    flags: list[str] | None = attrs.field(default=None, metadata=_MAY)


@attrs.frozen
class PartialHunks:
    """The value of a partial result: hunks of one file that are settled, each told once. withdrawn: the file of which those
    told before are void, as the model's text that they come from is not taken, or is another in the end."""

    hunks: list[AppliedHunk]
    withdrawn: str | None = attrs.field(default=None, metadata=_MAY)


@attrs.frozen
class Problem:
    """Something that was not wrong before. range: in the text after the edit. source: the tool that says it."""

    uri: str
    range: Range
    message: str
    source: str


@attrs.frozen
class ApplyStats:
    """ms, first_hunk_ms: milliseconds from the request to the edit, and to its first hunk, which is settled earlier where a
    model writes; null without any."""

    ms: float
    first_hunk_ms: float | None = None
    model_tokens: int = 0
    draft_tokens: int = 0
    accepted_draft_tokens: int = 0


@attrs.frozen
class ApplyResult:
    """applied: false when the client declined, with the reason. problems: where they were asked for."""

    edit: WorkspaceEdit
    hunks: list[AppliedHunk]
    sketch_kind: SketchKind
    method: Literal["merge", "model", "none"]
    stats: ApplyStats
    applied: bool | None = attrs.field(default=None, metadata=_MAY)
    failure_reason: str | None = attrs.field(default=None, metadata=_MAY)
    problems: list[Problem] | None = attrs.field(default=None, metadata=_MAY)


@attrs.frozen
class SimilarRange:
    """Lines that resemble what could not be placed; similarity 0..1."""

    range: Range
    similarity: float


@attrs.frozen
class RefusalData:
    """The `data` of the error. part: the lines of the sketch that it is about. model: why a model that was asked, or was to
    be, did not help."""

    reason: RefusalReason
    part: str
    near: list[SimilarRange] = attrs.field(factory=list)
    model: str | None = attrs.field(default=None, metadata=_MAY)
