"""Rendered prompts in figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import mean

from editahead_lab.errors import TooFewPromptsError
from editahead_lab.json_types import PromptCosts

from .rendered_prompts import BLOCKS, Rendered


@dataclass(frozen=True)
class Costs:
    """The costs of all requests except the first of each session.

    Attributes:
        prompts: the number of prompts.
        tokens: the mean of a prompt's tokens.
        largest: the most tokens of a prompt.
        prefill: mean and 95th percentile of the tokens to compute, by block size.
        shared: the share of all tokens before the first difference from the prompt before.
        blame: by part, how often it was the first that differed, and the tokens from there on; the costliest
            first.
        left_out: by group, in how many prompts some of it is missing, and the mean of its missing tokens.
        refused: requests without a prompt within the budget.
    """

    prompts: int
    tokens: float
    largest: int
    prefill: Mapping[int, tuple[float, int]]
    shared: float
    blame: Mapping[str, tuple[int, int]]
    left_out: Mapping[str, tuple[int, float]]
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
            total / len(later),
            max(prompt.tokens for prompt in later),
            {block: _mean_and_p95([prompt.prefill[block] for prompt in later]) for block in BLOCKS},
            1 - sum(fresh.values()) / total,
            {part: (times[part], tokens) for part, tokens in fresh.most_common()},
            {group: (len(found), mean(found)) for group, found in sorted(missing.items())},
            refused,
        )

    def as_json(self) -> PromptCosts:
        return {
            "prompts": self.prompts,
            "tokens": round(self.tokens, 1),
            "largest": self.largest,
            "prefill": {
                str(block): {"mean": round(mean, 1), "p95": high}
                for block, (mean, high) in self.prefill.items()
            },
            "shared": round(self.shared, 4),
            "differs": {part: {"times": n, "tokens": tokens} for part, (n, tokens) in self.blame.items()},
            "leftOut": {
                group: {"prompts": n, "tokens": round(t, 1)} for group, (n, t) in self.left_out.items()
            },
            "refused": self.refused,
        }


def _mean_and_p95(values: list[int]) -> tuple[float, int]:
    ordered = sorted(values)
    return mean(ordered), ordered[len(ordered) * 95 // 100]
