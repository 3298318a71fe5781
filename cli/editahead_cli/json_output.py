"""The output of commands with `--json`, where it is not a message of the protocol. JSON names are in camelCase.

That of `editahead eval` are the reports of `editahead_evals`.
"""

from __future__ import annotations

from typing import Any, Literal

import attrs

from editahead_inference.apply.results import RefusalReason
from editahead_inference.finish.report import PlaceKind
from editahead_lsp.protocol.apply_messages import AppliedHunk, ApplyChoice, ApplyStats, Problem, SimilarRange
from editahead_lsp.protocol.field_metadata import OMIT_IF_NONE
from editahead_lsp.protocol.lsp_types import WorkspaceEdit
from editahead_lsp.protocol.status_messages import LatencyStatus
from editahead_prompts.composition.render import OmissionReason
from editahead_prompts.sketches.sketch import SketchKind


@attrs.frozen
class VersionOutput:
    version: str


@attrs.frozen
class SettingOutput:
    """A setting. `origin` is the name of its source, such as a file's path, or "default"."""

    value: Any
    origin: str


@attrs.frozen
class ConfigOutput:
    """The settings. `policy` is the file of the policy within which they are; None without one."""

    settings: dict[str, SettingOutput]
    messages: list[str]
    policy: str | None = None


@attrs.frozen
class OwnTrainingOutput:
    """What `editahead train mine` found.

    Attributes:
        recordings: The recordings that were replayed.
        replayed: Edits of these replays whose outcome is known.
        outcomes: Outcomes of the person's log.
        fitted: Edits of replays that the preferences were fitted to.
        held_out: The newest outcomes, by which they were judged.
        loss_before: The mean loss of these in nats, as learning goes without the fit.
        loss_after: The same with the fit.
        shown_before: Edits that would be shown without the fit; `true_before`: of these, those that came true.
        weights: Log-odds by the name of a feature.
        kept: Whether the fit is better.
    """

    recordings: int
    replayed: int
    outcomes: int
    fitted: int
    held_out: int
    loss_before: float
    loss_after: float
    shown_before: int
    shown_after: int
    true_before: int
    true_after: int
    weights: dict[str, float]
    kept: bool


@attrs.frozen
class Check:
    """A result of `editahead doctor`. `good` is None for mere information."""

    name: str
    good: bool | None
    detail: str


@attrs.frozen
class DoctorOutput:
    ok: bool
    checks: list[Check]


@attrs.frozen
class IndexOutput:
    """The index of a workspace folder.

    `bytes` is the size on disk, and `vectors` the number of stored vectors. `state` is "missing" without an index,
    "building" before the first build is complete, and "damaged" for a file that cannot be read. `built_at` is the end of the
    last build in ISO 8601.
    """

    root: str
    files: int
    chunks: int
    symbols: int
    bytes: int
    vectors: int
    state: Literal["missing", "building", "ready", "damaged"]
    built_at: str | None


@attrs.frozen
class SearchPlaceOutput:
    """A place that answers a search. `score` is from 0 to 1, comparable within one answer only."""

    path: str
    start_line: int
    end_line: int
    score: float
    text: str
    why: list[str]


@attrs.frozen
class LineAt:
    """A line of a file. `path` is relative to the workspace folder, with slashes. `line` counts from 1."""

    path: str
    line: int


@attrs.frozen
class FinishRuleOutput:
    """A rewrite of the change. `id` is the same for the same change; `shown_at` is where the change made it."""

    id: str
    label: str
    shown_at: list[LineAt]


@attrs.frozen
class MissingPlaceOutput:
    """A place that the change lacks.

    `line` and `end_line` are the first and the last line that change, from 1. Where lines are only inserted, `end_line` is
    the line above them, and less than `line`. `old` and `new` are whole lines with their line ends. `rule` is the id of a
    rule, `confidence` a probability.
    """

    path: str
    line: int
    end_line: int
    old: str
    new: str
    rule: str
    confidence: float
    kind: PlaceKind


@attrs.frozen
class LeftUseOutput:
    """A use of a definition that the change took away, and that no place of the report rewrites: look at it.

    `line` and `column` count from 1, `text` is the line, `name` the old name, `new` the one that replaced it or "" for none.
    `why` says what was taken away, and where.
    """

    path: str
    line: int
    column: int
    text: str
    name: str
    new: str
    why: str


@attrs.frozen
class LookedOutput:
    """What was looked at: the numbers of files and of rules, and the time in milliseconds."""

    files: int
    rules: int
    ms: float


@attrs.frozen
class FinishOutput:
    """What a change lacks. The likeliest place is the first one.

    `complete` is whether no place is likely, no use is left of what the change took away (`uses`), and every file with such
    a name was looked at: `unsearched` has the names that too many files have.
    """

    complete: bool
    rules: list[FinishRuleOutput]
    places: list[MissingPlaceOutput]
    looked: LookedOutput
    uses: list[LeftUseOutput]
    unsearched: list[str]


@attrs.frozen
class RuleOutput:
    """A rule that was mined from the history.

    `kind` is "co-change" or "rewrite", `text` the rule in words, `support` the number of commits in which it held,
    `confidence` how often it held, and `examples` are commits.
    """

    id: str
    kind: str
    text: str
    support: int
    confidence: float
    examples: list[str]
    off: bool


@attrs.frozen
class RulesOutput:
    """The mined rules of a repository, and the file that they are in."""

    path: str
    rules: list[RuleOutput]


@attrs.frozen
class RefusalOutput:
    """The reason why a sketch was not applied.

    `reason`, `part`, `near`, `model` and `choices` are as in the error's data of `editahead.apply`. `detail` is a
    sentence for the user.
    """

    reason: RefusalReason
    detail: str
    part: str
    near: list[SimilarRange]
    model: str | None = attrs.field(default=None, metadata={OMIT_IF_NONE: True})
    choices: list[ApplyChoice] | None = attrs.field(default=None, metadata={OMIT_IF_NONE: True})


@attrs.frozen
class ApplyOutput:
    """The answer of `editahead.apply`.

    `refusal` is the reason when there is no edit. `problems` is None without a check for them. `written` lists the written
    files, as in the edit.
    """

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
    """A part of a prompt. `start` and `end` are code points of its text; `tokens` is the count of the part alone."""

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
    """A prompt.

    `tokenizer` is "editahead" (our vocabulary), the path of a model's, or the way tokens are estimated. `text` is to be
    completed or, with `chat`, the user's message after the `system` one; `parts` cover the text in order, and `tokens`
    counts it. `budget` is the most tokens of a prompt, `max_tokens` of an answer. A string of `stop` ends an answer.
    """

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
    """The demo's output. Each event has its kind as "event", and the fields of that kind."""

    events: list[dict[str, Any]]
    summary: dict[str, Any]


@attrs.frozen
class GpuOutput:
    """A GPU. `memory` is in bytes."""

    name: str
    memory: int


@attrs.frozen
class MachineOutput:
    """The hardware. `memory` and `free` are in bytes, `bandwidth` is measured in bytes per second."""

    cores: int
    memory: int
    free: int
    gpus: list[GpuOutput]
    bandwidth: int


@attrs.frozen
class ModelRunOutput:
    """A run of a model by Editahead's makers: its questions, and those whose answer was exactly right.

    `date` is YYYY-MM-DD. `weights` is the server's name for the model.
    """

    date: str
    right: int
    asked: int
    question: str
    server: str
    weights: str


@attrs.frozen
class ModelOutput:
    """A model of the catalogue.

    `runs` is the program that runs the model, `format` the prompt format. `kv_bytes` is the cache for each token of
    context. `fits` is None when the model does not fit. `tokens_per_second` is the upper limit on the CPU. `run` is None for
    a model that was never run.
    """

    name: str
    repository: str | None
    purpose: Literal["next edits", "completion", "Apply"]
    runs: Literal["vLLM", "llama.cpp", "Editahead"]
    format: str
    licence: str
    weight_bytes: int
    kv_bytes: int
    context: int
    fits: Literal["gpu", "cpu"] | None
    tokens_per_second: float | None
    expect: str
    run: ModelRunOutput | None


@attrs.frozen
class ModelsOutput:
    machine: MachineOutput
    models: list[ModelOutput]


@attrs.frozen
class SurvivalOutput:
    """Accepted edits whose fate is known: their number, and how many of them the user kept."""

    known: int
    kept: int


@attrs.frozen
class OutcomeFigures:
    """Counts of predictions.

    `shown` were sent to the editor. `seen` were first in the list for a second, or the user acted on them. `accepted`
    includes `typed`, those that the user typed as predicted. `kept30` and `kept300` are counts after 30 and 300 seconds.
    `latency` is in milliseconds.
    """

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
    """Learned preferences.

    `outcomes` is how many were learned from. `trust` is the weight of the corrected probability beside the shipped one.
    `weights` are log-odds.
    """

    outcomes: int
    trust: float
    weights: dict[str, float]


@attrs.frozen
class CharacterFigures:
    """Counts of inserted characters.

    `typed` were typed by the user, `made` were inserted by accepted edits. `kept_share` is the share of accepted edits, by
    size, that was left after 300 seconds; None when unknown.
    """

    typed: int
    made: int
    kept_share: float | None


@attrs.frozen
class CharactersOutput:
    """Counts of inserted characters in total, by language, and by the Monday that a week begins with."""

    total: CharacterFigures
    languages: dict[str, CharacterFigures]
    weeks: dict[str, CharacterFigures]


@attrs.frozen
class StatsOutput:
    """Figures in total, by language, by what was predicted in words (`predictors`), by date (`days`), and by week (`weeks`).

    A week has the date of its Monday.
    """

    file: str
    total: OutcomeFigures
    languages: dict[str, OutcomeFigures]
    predictors: dict[str, OutcomeFigures]
    days: dict[str, OutcomeFigures]
    weeks: dict[str, OutcomeFigures]
    characters: CharactersOutput
    learning: LearningFigures
