"""The self-check of a model that was made on this machine: known answers, and how quick it is."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from editahead_inference.errors import SmallModelError

from .network import Network, token_ids

MAX_WRONG = 1
"""Answers that may differ: bases of other precision round a token away now and then."""
MAX_MS_A_TOKEN = 90.0
"""Milliseconds a token up to which a model is worth its wait.

A text after a key takes one to three steps, two in the median, each at the price of a token, as steps check drafts.
With 50 ms for a pause of fast typing and some 60 ms of the rules, three steps at this rate come within 400 ms, about
the time between two words.
"""
MIN_PROMPT_TOKENS_PER_S = 40.0
"""Tokens of a prompt a second from which a file that was opened is read before the person has found the place to type: 300
tokens in less than eight seconds, in pauses."""

_MIN_S = 1e-9


@dataclass(frozen=True, slots=True)
class Speed:
    """How quick a model is on this machine.

    Attributes:
        prompt_tokens_per_s: Tokens of a prompt that are computed in a second.
        ms_a_token: Milliseconds for each token of an answer, said one by one.
    """

    prompt_tokens_per_s: float
    ms_a_token: float

    @property
    def is_enough(self) -> bool:
        """Whether a person who types gains by the model."""
        return self.ms_a_token <= MAX_MS_A_TOKEN and self.prompt_tokens_per_s >= MIN_PROMPT_TOKENS_PER_S


def check_answers(folder: Path, golden: Path, clock: Callable[[], float]) -> Speed:
    """Let a model answer known prompts, and return how quick it was.

    Args:
        folder: The model, as `small_model` writes it.
        golden: Prompts and answers, as JSON.
        clock: Returns the processor time in seconds, as other programs may be busy. On two cores, it takes no longer.

    Raises:
        SmallModelError: The model is not what it should be.
    """
    from editahead_prompts.composition.hf_tokenizer import load

    from .onnx_network import OnnxNetwork

    network, vocabulary = OnnxNetwork(folder), load(folder)
    known = json.loads(golden.read_text("utf-8"))
    wrong = 0
    rates, costs = [0.0], [float("inf")]
    for record in known:
        ids, wanted = vocabulary.encode(record["prompt"]), list(vocabulary.encode(record["answer"]))
        cache = network.new_cache()
        began = clock()
        found = likeliest(network, ids, cache)
        read = clock()
        while len(found) < len(wanted) and found[-1] == wanted[len(found) - 1]:
            found += likeliest(network, found[-1:], cache)
        rates.append(len(ids) / max(read - began, _MIN_S))
        costs.append(1000 * (clock() - read) / (len(found) - 1) if len(found) > 1 else float("inf"))
        wrong += found != wanted
    if wrong > MAX_WRONG:
        raise SmallModelError(
            f"the model that was made is wrong in {wrong} of {len(known)} known answers, so it is not used. "
            "Is the base another model?"
        )
    return Speed(max(rates), min(costs))


def likeliest(network: Network, ids: Sequence[int], cache: Any) -> list[int]:
    """Compute more tokens, and return the likeliest one behind them."""
    return token_ids(network, network.forward(ids, cache, 1).argmax(-1))
