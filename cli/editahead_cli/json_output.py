"""What commands print with `--json`, where it is not a message of the protocol. Names are camelCase there, too.

The output of `editahead eval` is in `editahead_evals.report.json_types`.
"""

from __future__ import annotations

from typing import Any, Literal

import attrs

from editahead_inference.apply.results import RefusalReason
from editahead_lsp.protocol.apply_messages import AppliedHunk, ApplyStats, Problem, SimilarRange
from editahead_lsp.protocol.custom_messages import LatencyStatus
from editahead_lsp.protocol.lsp_types import OMIT_IF_NONE, WorkspaceEdit
from editahead_prompts.composition.render import OmissionReason
from editahead_prompts.sketches.sketch import SketchKind


@attrs.frozen
class VersionOutput:
    version: str


@attrs.frozen
class SettingOutput:
    """origin: the name of the source, such as a file's path, or "default"."""

    value: Any
    origin: str


@attrs.frozen
class ConfigOutput:
    settings: dict[str, SettingOutput]
    messages: list[str]


@attrs.frozen
class Check:
    """good: None for what is only worth knowing."""

    name: str
    good: bool | None
    detail: str


@attrs.frozen
class DoctorOutput:
    ok: bool
    checks: list[Check]


@attrs.frozen
class RefusalOutput:
    """reason, part, near, model: as in the error's data of `editahead.apply`. detail: a sentence for a person."""

    reason: RefusalReason
    detail: str
    part: str
    near: list[SimilarRange]
    model: str | None = attrs.field(default=None, metadata={OMIT_IF_NONE: True})


@attrs.frozen
class ApplyOutput:
    """As `editahead.apply` answers. refusal: why nothing was done; there is no edit then. problems: None when they were not
    looked for. written: the files that were, as given in the edit."""

    edit: WorkspaceEdit | None
    hunks: list[AppliedHunk]
    sketch_kind: SketchKind | None
    method: Literal["merge", "model", "none"]
    stats: ApplyStats
    problems: list[Problem] | None
    written: list[str]
    refusal: RefusalOutput | None = None


@attrs.frozen
class PromptPart:
    """start, end: in the prompt's text, in code points. tokens: as counted alone."""

    name: str
    start: int
    end: int
    tokens: int


@attrs.frozen
class OmittedPartOutput:
    name: str
    tokens: int
    why: OmissionReason


@attrs.frozen
class PromptOutput:
    """tokenizer: "editahead" (our vocabulary), the place of a model's, or how tokens are estimated. text: to be completed,
    or, where `chat` is true, the user's message after the `system` one. parts: cover it in order. tokens: of the text.
    budget, max_tokens: the most that it may have, and a useful answer. stop: strings that end an answer."""

    format: str
    tokenizer: str
    chat: bool
    system: str | None
    text: str
    parts: list[PromptPart]
    left_out: list[OmittedPartOutput]
    tokens: int
    budget: int
    max_tokens: int
    stop: list[str]


@attrs.frozen
class DemoOutput:
    """events: each with its kind as "event", and what belongs to that kind."""

    events: list[dict[str, Any]]
    summary: dict[str, Any]


@attrs.frozen
class GpuOutput:
    """memory: bytes."""

    name: str
    memory: int


@attrs.frozen
class MachineOutput:
    """memory, free: bytes. bandwidth: bytes a second that the cores moved, measured."""

    cores: int
    memory: int
    free: int
    gpus: list[GpuOutput]
    bandwidth: int


@attrs.frozen
class ModelOutput:
    """runs: what runs it. format: in which it is asked. weight_bytes: on disk. kv_bytes: for each token of
    context. fits: None when it does not. tokens_per_second: at most, on the CPU."""

    name: str
    repository: str | None
    purpose: Literal["next edits", "Apply"]
    runs: Literal["vLLM", "llama.cpp", "Editahead"]
    format: str
    licence: str
    weight_bytes: int
    kv_bytes: int
    context: int
    fits: Literal["gpu", "cpu"] | None
    tokens_per_second: float | None
    expect: str


@attrs.frozen
class ModelsOutput:
    machine: MachineOutput
    models: list[ModelOutput]


@attrs.frozen
class SurvivalOutput:
    """Accepted edits of which it is known whether they were kept: how many, and how many were."""

    known: int
    kept: int


@attrs.frozen
class OutcomeFigures:
    """shown: given to the editor. seen: of these, those that stood first for a second or that the person acted on.
    accepted: with those that were typed as predicted, which are in `typed`. kept30, kept300: after so many seconds.
    latency: milliseconds."""

    shown: int
    seen: int
    accepted: int
    typed: int
    partial: int
    rejected: int
    ignored: int
    kept30: SurvivalOutput
    kept300: SurvivalOutput
    latency: LatencyStatus


@attrs.frozen
class LearningFigures:
    """outcomes: so many were learned from. trust: of the corrected probability beside the shipped one. weights: log-odds."""

    outcomes: int
    trust: float
    weights: dict[str, float]


@attrs.frozen
class StatsOutput:
    """predictors: by source and kind of rule. days: by date."""

    file: str
    total: OutcomeFigures
    languages: dict[str, OutcomeFigures]
    predictors: dict[str, OutcomeFigures]
    days: dict[str, OutcomeFigures]
    learning: LearningFigures
