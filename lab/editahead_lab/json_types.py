"""What `editahead-lab eval --json` prints, as types: mypy checks the output, and docs/schema is made from them."""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict

from editahead_evals.report.json_types import Measured


class EvalOrderedOutput(Measured):
    """The output for ordered edits of pull requests.

    groups: counts and figures with their intervals, of all pull requests, and of those of one and of several files.
    calibrationError: of shown edits. imports: shown edits that import names, and how many are right by three definitions.
    latencyMs: milliseconds. requests: counts, answers with their confidence, latencies.
    against: the figures of another revision, and the differences.
    """

    groups: dict[str, Any]
    calibrationError: dict[str, Any]
    imports: dict[str, int]
    latencyMs: dict[str, Any]
    requests: list[dict[str, Any]]
    against: dict[str, Any] | None


class EvalCommitsOutput(Measured):
    """The output for whole commits, whatever is measured of them."""

    groups: dict[str, Any]
    latencyMs: dict[str, Any]
    commits: list[dict[str, Any]]


class EvalWorkspaceOutput(EvalCommitsOutput):
    """The output for edits in closed files.

    groups: counts and figures with their intervals: of all commits, of the baseline, by language. latencyMs: milliseconds.
    commits: the counts and the latencies of each.
    """


class EvalFinishOutput(EvalCommitsOutput):
    """The output for what `finish` finds of commits with hunks left out.

    groups: counts and figures with their intervals: by finder, by what was left out, by kind of place, by language.
    latencyMs: milliseconds. commits: the counts and the times of each.
    """


class EvalSearchOutput(Measured):
    """The output for search.

    groups: counts and figures with their intervals, by kind of question and way to search. gains: recall@10 of the joined
    search divided by that of BM25. byVectors: what vectors add to the joined search, with the intervals of the paired
    differences; empty without an encoder. latencyMs: milliseconds of the joined search. questions: the outcomes of each.
    """

    groups: dict[str, Any]
    gains: dict[str, Any]
    byVectors: dict[str, Any]
    latencyMs: dict[str, Any]
    questions: list[dict[str, Any]]


class TaskFigures(TypedDict):
    """Tasks by verdict.

    places, right: the places that must follow, and those that did. wrongLines: changed lines that are not expected, or
    have another text.
    """

    tasks: int
    done: int
    partial: int
    silent: int
    wrong: int
    places: int
    right: int
    wrongLines: int


class TaskOutcome(TypedDict):
    """The outcome of one task. kept: whether the lines are as before that it names as ones to keep."""

    verdict: str
    right: int
    wrongLines: int
    kept: bool
    tabs: int


class PlayedTask(TypedDict):
    """One task, played with learning on and off (`fixed`)."""

    name: str
    kind: str
    language: str
    places: int
    learning: TaskOutcome
    fixed: TaskOutcome


class EvalTasksOutput(TypedDict):
    """The output of `eval tasks`. learning, fixed: with learning on and off. kinds, languages: with learning on."""

    measure: str
    commit: str
    data: str
    learning: TaskFigures
    fixed: TaskFigures
    kinds: dict[str, TaskFigures]
    languages: dict[str, TaskFigures]
    tasks: list[PlayedTask]


class Share(TypedDict):
    """A share from 0 to 1 and its 95% interval; nulls where there is none."""

    value: float | None
    low: float | None
    high: float | None


class AppliedSketches(TypedDict):
    """Sketches of one kind.

    exact: those that became a right text; nulls where only a refusal is right. amongThree: exact ones, and refused ones with
    the right text among the first three choices. withoutChoices: refused ones that offer none.
    """

    cases: int
    exact: Share
    amongThree: int
    refused: int
    withoutChoices: int
    wrong: int


class SketchesByModel(TypedDict):
    """Figures of the model.

    refused: sketches that were refused without the model, though not only that is right. solved: of them. wrong: edits
    that were offered to be confirmed. tokensPerStep: of the answers offered. choices: refused with the right choice among
    several; first: where it came first; firstByRules: where it would without the model.
    """

    refused: int
    solved: int
    wrong: int
    tokensPerStep: float | None
    firstHunkMs: float | None
    ms: float | None
    choices: int
    firstByRules: int
    first: int


class EvalApplyOutput(Measured):
    """The output of `eval apply`.

    generator: the version of what makes the sketches. offered: edits given as sure; wrongAtMost: upper end of the 95%
    interval of the share of wrong ones. latencyMs: of these. refusals: reasons, how often. byModel: where one was asked;
    all else is without it.
    """

    generator: int
    styles: dict[str, AppliedSketches]
    variants: dict[str, AppliedSketches]
    damages: dict[str, AppliedSketches]
    damagesByStyle: dict[str, AppliedSketches]
    ambiguous: dict[str, AppliedSketches]
    offered: int
    wrong: int
    wrongAtMost: float
    latencyMs: dict[str, float | None]
    refusals: dict[str, int]
    byModel: NotRequired[SketchesByModel | None]


class PromptCosts(TypedDict):
    """The costs of all requests but the first of each session.

    tokens: mean. largest: of one prompt. prefill: by block size of a prefix cache, mean and p95 of the tokens to compute.
    shared: of all tokens, those before the first difference from the prompt before. differs: by part, how often it was
    that difference, and the tokens from there on. leftOut: by part, prompts in which something of it is missing, and how
    many tokens. refused: requests that did not fit the budget.
    """

    prompts: int
    tokens: float
    largest: int
    prefill: dict[str, dict[str, float]]
    shared: float
    differs: dict[str, dict[str, int]]
    leftOut: dict[str, dict[str, float]]
    refused: int


class DifferentPrompts(TypedDict):
    request: int
    session: str
    changedLines: int


class OtherPrompts(TypedDict):
    """The other prompts. name: the other format, or this one at another revision. equal: requests whose prompts are."""

    name: str
    costs: PromptCosts
    requests: int
    equal: int
    mostDifferent: list[DifferentPrompts]


class EvalRenderOutput(TypedDict):
    """The output of `eval prompts`. budget: None for the format's own."""

    measure: str
    note: str
    commit: str
    data: str
    format: str
    budget: int | None
    costs: PromptCosts
    other: OtherPrompts | None
