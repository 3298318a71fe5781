"""What commands print with `--json`, where it is not a message of the protocol. Names are camelCase there, too."""

from __future__ import annotations

from typing import Any, Literal

import attrs

from editahead_inference.apply.results import RefusalReason
from editahead_prompts.composition.render import Why
from editahead_prompts.sketches.sketch import SketchKind

from .applying.messages import AppliedHunk, ApplyStats, Problem, Similar
from .protocol import LatencyStatus
from .standard import LEFT_OUT, WorkspaceEdit


@attrs.frozen
class VersionOutput:
    version: str


@attrs.frozen
class Setting:
    """origin: the name of the source, such as a file's path, or "default"."""

    value: Any
    origin: str


@attrs.frozen
class ConfigOutput:
    settings: dict[str, Setting]
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
class Refused:
    """reason, part, near, model: as in the error's data of `editahead.apply`. detail: a sentence for a person."""

    reason: RefusalReason
    detail: str
    part: str
    near: list[Similar]
    model: str | None = attrs.field(default=None, metadata={LEFT_OUT: True})


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
    refusal: Refused | None = None


@attrs.frozen
class PromptPart:
    """start, end: in the prompt's text, in code points. tokens: as counted alone."""

    name: str
    start: int
    end: int
    tokens: int


@attrs.frozen
class LeftOutPart:
    name: str
    tokens: int
    why: Why


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
    left_out: list[LeftOutPart]
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
class KeptFigures:
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
    kept30: KeptFigures
    kept300: KeptFigures
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


@attrs.frozen
class Measured:
    """What was measured, of what and where."""

    measure: str
    note: str
    commit: str
    machine: str
    data: str
    seed: int


@attrs.frozen
class EvalOutput(Measured):
    """predictors, typing, languages, kinds, distances: by name, counts and figures with their intervals. confidence: what
    the answers at eagerness 1 say about thresholds and calibration, and about what could be reached. latency_ms:
    milliseconds. silences: how often nothing was predicted, by reason. against: the figures of another revision, and the
    differences."""

    predictors: dict[str, Any]
    typing: dict[str, Any]
    languages: dict[str, Any]
    kinds: dict[str, Any]
    distances: dict[str, Any]
    confidence: dict[str, Any]
    latency_ms: dict[str, Any]
    next_hit: dict[str, Any]
    silences: dict[str, int]
    files: list[dict[str, Any]]
    against: dict[str, Any] | None = None


@attrs.frozen
class ScenarioResult:
    """failure: how it was not met. likeness: deltaChrF from 0 to 1, where a text is expected. positions, quiet: cursor
    positions in which silence is expected, and those in which it was kept."""

    name: str
    failure: str | None
    shown: bool
    likeness: float | None
    positions: int
    quiet: int


@attrs.frozen
class EvalScenariosOutput:
    """score: delta_chrf times the harmonic mean of the rates, all from 0 to 1."""

    measure: str
    commit: str
    data: str
    score: float
    delta_chrf: float
    show_rate: float
    quiet_rate: float
    met: int
    scenarios: list[ScenarioResult]


@attrs.frozen
class RecordedFigures:
    score: float
    delta_chrf: float
    show_rate: float
    quiet_rate: float


@attrs.frozen
class RecordedModel:
    """Its recorded answers as they are, and through the server."""

    model: str
    raw: RecordedFigures
    through: RecordedFigures


@attrs.frozen
class EvalRecordedOutput:
    measure: str
    commit: str
    models: list[RecordedModel]


@attrs.frozen
class Share:
    """A share from 0 to 1 and its 95% interval; nulls where there is none."""

    value: float | None
    low: float | None
    high: float | None


@attrs.frozen
class AppliedSketches:
    """Sketches of one kind. exact: those that became a right text; nulls where only a refusal is right."""

    cases: int
    exact: Share
    refused: int
    wrong: int


@attrs.frozen
class SketchesByModel:
    """refused: sketches that were refused without the model, though not only that is right. solved: of them. wrong: edits
    that were offered to be confirmed. tokens_per_step: of the answers offered."""

    refused: int
    solved: int
    wrong: int
    tokens_per_step: float | None
    first_hunk_ms: float | None
    ms: float | None


@attrs.frozen
class EvalApplyOutput(Measured):
    """generator: the version of what makes the sketches. offered: edits given as sure; wrong_at_most: upper end of the 95%
    interval of the share of wrong ones. latency_ms: of these. refusals: reasons, how often. by_model: where one was asked;
    all else is without it."""

    generator: int
    styles: dict[str, AppliedSketches]
    variants: dict[str, AppliedSketches]
    damages: dict[str, AppliedSketches]
    damages_by_style: dict[str, AppliedSketches]
    ambiguous: dict[str, AppliedSketches]
    offered: int
    wrong: int
    wrong_at_most: float
    latency_ms: dict[str, float | None]
    refusals: dict[str, int]
    by_model: SketchesByModel | None = attrs.field(default=None, metadata={LEFT_OUT: True})


@attrs.frozen
class PromptCosts:
    """Of all requests but the first of each session. tokens: mean. largest: of one prompt. prefill: by block size of a
    prefix cache, mean and p95 of the tokens to compute. shared: of all tokens, those before the first difference from the
    prompt before. differs: by part, how often it was that difference, and the tokens from there on. left_out: by part,
    prompts in which something of it is missing, and how many tokens. refused: requests that did not fit the budget."""

    prompts: int
    tokens: float
    largest: int
    prefill: dict[str, dict[str, float]]
    shared: float
    differs: dict[str, dict[str, int]]
    left_out: dict[str, dict[str, float]]
    refused: int


@attrs.frozen
class DifferentPrompts:
    request: int
    session: str
    changed_lines: int


@attrs.frozen
class OtherPrompts:
    """name: the other format, or this one at another revision. equal: requests whose prompts are."""

    name: str
    costs: PromptCosts
    requests: int
    equal: int
    most_different: list[DifferentPrompts]


@attrs.frozen
class EvalRenderOutput:
    """budget: None for the format's own."""

    measure: str
    note: str
    commit: str
    data: str
    format: str
    budget: int | None
    costs: PromptCosts
    other: OtherPrompts | None
