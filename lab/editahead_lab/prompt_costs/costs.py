"""Rendered prompts in figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import mean

from editahead_evals.report.output import JsonObject
from editahead_lab.errors import TooFewPromptsError

from .rendered_prompts import BLOCKS, Rendered


@dataclass(frozen=True, slots=True)
class Prefill:
    """The tokens of a prompt to compute: the mean and the 95th percentile."""

    mean: float
    p95: int


@dataclass(frozen=True, slots=True)
class FirstDifference:
    """How often a part was the first that differed from the prompt before, and the tokens from there on."""

    times: int
    tokens: int


@dataclass(frozen=True, slots=True)
class Omission:
    """The prompts in which something of a part is missing, and the mean of its missing tokens."""

    prompts: int
    tokens: float


@dataclass(frozen=True)
class Costs(JsonObject):
    """The costs of all requests except the first of each session.

    Attributes:
        tokens: The mean of a prompt's tokens.
        largest: The most tokens of a prompt.
        prefill: By block size of a prefix cache.
        shared: The share of all tokens before the first difference from the prompt before.
        differs: By part, the costliest first.
        left_out: By part.
        refused: Requests without a prompt within the budget.
    """

    prompts: int
    tokens: float
    largest: int
    prefill: Mapping[int, Prefill]
    shared: float
    differs: Mapping[str, FirstDifference]
    left_out: Mapping[str, Omission]
    refused: int

    @classmethod
    def from_rendered(cls, rendered: Iterable[Rendered]) -> Costs:
        """Return the costs of rendered prompts.

        Raises:
            TooFewPromptsError: no session has two prompts.
        """
        later: list[Rendered] = []
        session, refused = None, 0
        for prompt in rendered:
            if prompt.refusal is not None:
                refused += 1
            elif prompt.session != session:
                session = prompt.session
            else:
                later.append(prompt)
        if not later:
            raise TooFewPromptsError("no session has two states of which prompts can be made")
        times: Counter[str] = Counter()
        fresh: Counter[str] = Counter()
        missing: dict[str, list[int]] = {}
        for prompt in later:
            if prompt.part is not None:
                times[prompt.part] += 1
                fresh[prompt.part] += prompt.fresh
            for group, tokens in prompt.left_out.items():
                missing.setdefault(group, []).append(tokens)
        total = sum(prompt.tokens for prompt in later)
        return cls(
            len(later),
            round(total / len(later), 1),
            max(prompt.tokens for prompt in later),
            {block: _prefill([prompt.prefill[block] for prompt in later]) for block in BLOCKS},
            round(1 - sum(fresh.values()) / total, 4),
            {part: FirstDifference(times[part], tokens) for part, tokens in fresh.most_common()},
            {group: Omission(len(each), round(mean(each), 1)) for group, each in sorted(missing.items())},
            refused,
        )


def _prefill(values: list[int]) -> Prefill:
    ordered = sorted(values)
    return Prefill(round(mean(ordered), 1), ordered[len(ordered) * 95 // 100])
