"""What a trained adapter says on held-out examples: answers of greedy decoding, and what they are worth.

Needs the extra `train`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import torch

from .network import CoderNetwork
from .packed_examples import PackedExamples, fill_rows

MAX_TOKENS = 72
"""Tokens of an answer; a longer one is wrong."""
TOGETHER = 256
"""Answers that are decoded together."""
PRECISION = 0.65
"""The precision at which coverage is reported."""
BINS = (0.0, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 1.0)
"""Borders of probabilities for which the share of right answers is reported."""
SURE = 0.3
"""The probability from which a continuation's first line would be shown."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer to an example.

    Attributes:
        kind: Of the example.
        tokens: What was said, as places in the vocabulary.
        probability: Of the whole answer.
        silence: The probability of silence.
        is_right: Whether it is the example's answer.
        has_right_line: Whether its first line is that of the example's answer.
        line_probability: Of the first line.
    """

    kind: str
    tokens: tuple[int, ...]
    probability: float
    silence: float
    is_right: bool
    has_right_line: bool
    line_probability: float


def sample_numbers(packed: PackedExamples, count: int, max_tokens: int, seed: int) -> list[int]:
    """Return the numbers of a sample of examples of at most `max_tokens` tokens; the same for the same seed."""
    order = np.random.default_rng(seed).permutation(len(packed))
    return [number for number in order.tolist() if packed.lengths[number] <= max_tokens][:count]


@torch.no_grad()  # type: ignore[untyped-decorator]  # mypy sees no torch
def answer_examples(
    network: CoderNetwork,
    packed: PackedExamples,
    numbers: Sequence[int],
    *,
    row: int,
    line_ends: Sequence[int],
    end: int,
) -> list[Answer]:
    """Return the greedy answers to examples, by the order of their lengths.

    Args:
        network: The trained network.
        packed: The examples.
        numbers: Those to answer. None is longer than `row` tokens.
        row: The most tokens of prompts that are read at once.
        line_ends: Places in the vocabulary of tokens with a line end, and of `end`.
        end: The place of the token that ends an answer.
    """
    found: list[Answer] = []
    ordered = sorted(numbers, key=lambda number: int(packed.lengths[number]))
    for first in range(0, len(ordered), TOGETHER):
        chosen = ordered[first : first + TOGETHER]
        for number, said, logprobs, silence in _decode(network, packed, chosen, row, end):
            wanted = np.searchsorted(network.vocabulary, packed.example(number)[1]).tolist()
            found.append(_judge(packed.kind(number), said, wanted, logprobs, silence, set(line_ends)))
    return found


def _judge(
    kind: str,
    said: Sequence[int],
    wanted: Sequence[int],
    logprobs: Sequence[float],
    silence: float,
    line_ends: set[int],
) -> Answer:
    line = next((number for number, token in enumerate(said) if token in line_ends), len(said) - 1) + 1
    wanted_line = (
        next((number for number, token in enumerate(wanted) if token in line_ends), len(wanted) - 1) + 1
    )
    return Answer(
        kind,
        tuple(said),
        float(np.exp(sum(logprobs))),
        silence,
        list(said) == list(wanted),
        list(said[:line]) == list(wanted[:wanted_line]),
        float(np.exp(sum(logprobs[:line]))),
    )


def _decode(
    network: CoderNetwork, packed: PackedExamples, numbers: Sequence[int], row: int, end: int
) -> list[tuple[int, list[int], list[float], float]]:
    """Return, for each example, what greedy decoding says, its log-probabilities, and the probability of silence."""
    prompts = [np.searchsorted(network.vocabulary, packed.example(number)[0]) for number in numbers]
    last, caches = _read(network, prompts, row)
    positions = torch.tensor([len(prompt) for prompt in prompts], device=network.device)
    said = torch.full((len(prompts), MAX_TOKENS), end, device=network.device)
    chances = torch.zeros(said.shape, device=network.device)
    goes_on = torch.ones(len(prompts), dtype=torch.bool, device=network.device)
    silence = None
    for step in range(MAX_TOKENS):
        logprobs = network.logits(last).log_softmax(-1)
        silence = logprobs[:, end].exp() if silence is None else silence
        best, tokens = logprobs.max(-1)
        said[:, step] = torch.where(goes_on, tokens, end)
        chances[:, step] = best * goes_on
        goes_on = goes_on & (tokens != end)
        if not bool(goes_on.any()) or step + 1 == MAX_TOKENS:
            break
        last = network.next_hidden(said[:, step], positions, caches)
        positions = positions + 1
    decoded = []
    for number, tokens_said, logs, quiet in zip(
        numbers, said.tolist(), chances.tolist(), [] if silence is None else silence.tolist(), strict=True
    ):
        size = tokens_said.index(end) + 1 if end in tokens_said else MAX_TOKENS
        decoded.append((number, tokens_said[:size], logs[:size], quiet))
    return decoded


def _read(network: CoderNetwork, prompts: Sequence[Any], row: int) -> tuple[Any, list[Any]]:
    """Compute prompts, and return the last output of each, and keys and values with room for answers."""
    shape = network.shape
    room = max(len(prompt) for prompt in prompts) + MAX_TOKENS
    size = (len(prompts), room, shape.key_heads, shape.width)
    caches = [
        tuple(torch.zeros(size, device=network.device, dtype=network.dtype) for _ in range(2))
        for _ in range(shape.layers)
    ]
    last = torch.zeros(len(prompts), shape.hidden, device=network.device, dtype=network.dtype)
    lengths = np.array([len(prompt) for prompt in prompts])
    for together in fill_rows(range(len(prompts)), lengths, row):
        tokens = np.concatenate([prompts[number] for number in together])
        positions = np.concatenate([np.arange(lengths[number]) for number in together])
        ends = np.cumsum([lengths[number] for number in together]).tolist()
        spans = list(zip([0, *ends[:-1]], ends, strict=True))
        kept: list[Any] = []
        tokens, positions = (torch.from_numpy(one).to(network.device) for one in (tokens, positions))
        hidden = network.hidden(tokens, positions, spans, kept)
        for number, (start, stop) in zip(together, spans, strict=True):
            last[number] = hidden[stop - 1]
            for cache, made in zip(caches, kept, strict=True):
                for whole, part in zip(cache, made, strict=True):
                    whole[number, : stop - start] = part[start:stop]
    return last, caches


def figures_of(answers: Sequence[Answer]) -> dict[str, Any]:
    """Return what answers are worth: next edits with silence, their calibration, and continuations."""
    edits = [answer for answer in answers if answer.kind == "edit"]
    quiet = [answer for answer in answers if answer.kind == "silence"]
    lines = [answer for answer in answers if answer.kind == "continuation"]
    figures: dict[str, Any] = {}
    if edits:
        figures["next edit"] = {**_edit_figures(edits, quiet), "calibration": _calibration([*edits, *quiet])}
    if edits and quiet:
        parted = roc_auc([one.silence for one in quiet], [one.silence for one in edits])
        figures["silence"] = {"examples": len(quiet), "parted from next edits": round(parted, 4)}
    if lines:
        sure = [one for one in lines if one.line_probability > SURE]
        figures["continuation"] = {
            "examples": len(lines),
            "exact": _share(one.is_right for one in lines),
            "first line": _share(one.has_right_line for one in lines),
            f"shown above {SURE}": round(len(sure) / len(lines), 4),
            "of these right": _share(one.has_right_line for one in sure),
        }
    return figures


def _edit_figures(edits: Sequence[Answer], quiet: Sequence[Answer]) -> dict[str, Any]:
    shown = sorted((one for one in edits if _says_something(one)), key=lambda one: -one.probability)
    coverage, threshold = 0.0, 1.0
    right = 0
    for count, one in enumerate(shown, 1):
        right += one.is_right
        if right / count >= PRECISION and right / len(edits) > coverage:
            coverage, threshold = right / len(edits), one.probability
    false = [one for one in quiet if _says_something(one) and one.probability >= threshold]
    return {
        "examples": len(edits),
        "exact": _share(one.is_right for one in edits),
        f"coverage at precision {PRECISION}": round(coverage, 4),
        "from probability": round(threshold, 4),
        "shown where nothing is left": round(len(false) / len(quiet), 4) if quiet else None,
    }


def _says_something(answer: Answer) -> bool:
    return len(answer.tokens) > 1


def _calibration(answers: Sequence[Answer]) -> dict[str, Any]:
    """Return the share of right answers by probability, and the mean difference of the two (calibration error)."""
    shown = [one for one in answers if _says_something(one)]
    table: dict[str, Any] = {}
    error = 0.0
    for low, high in pairwise(BINS):
        mine = [one for one in shown if low < one.probability <= high]
        if mine:
            right = sum(one.is_right for one in mine) / len(mine)
            error += abs(sum(one.probability for one in mine) - right * len(mine)) / len(shown)
            table[f"{low:g}-{high:g}"] = {"answers": len(mine), "right": round(right, 4)}
    return {"error": round(error, 4), "bins": table}


def _share(values: Any) -> float:
    known = list(values)
    return float(round(sum(known) / max(len(known), 1), 4))


def roc_auc(higher: Sequence[float], lower: Sequence[float]) -> float:
    """Return the ROC AUC: the probability that one of the first is above one of the second; ties count half."""
    above = sum((a > b) + (a == b) / 2 for a in higher for b in lower)
    return above / max(len(higher) * len(lower), 1)
