"""A proposer whose drafts are switched while the engine runs, so that all of them are measured in one engine."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from copy import copy
from typing import Any, ClassVar, Literal, TypeAlias

Way: TypeAlias = Literal["none", "useless", "n-grams", "file"]
"""No drafts; drafts of a fixed length that are never right; vLLM's n-grams over the prompt; ours, from the file in it."""

NGRAM = (3, 16)
"""Tokens of an n-gram, least and most: the tuned lengths of docs/measurements/speculation.md."""


class SwitchedDrafts:
    """A proposer, which vLLM loads by name in the measuring process."""

    way: ClassVar[Way] = "none"
    length: ClassVar[int] = 0
    """Most tokens of a draft; of a useless one, all."""
    called_at: ClassVar[list[float]] = []
    """In seconds, of each step, once its rows are verified."""
    _dice = random.Random(3)

    def __init__(self, vllm_config: Any) -> None:
        self._config = vllm_config
        self._tokens = vllm_config.model_config.get_vocab_size()
        self._proposers: dict[tuple[Way, int], Any] = {}

    def load_model(self, *args: Any, **kwargs: Any) -> None:
        """Do nothing: there is no model, but vLLM's runner for CPUs calls this for every proposer."""

    def propose(
        self, sampled_token_ids: Sequence[Sequence[int]], *args: Any, **kwargs: Any
    ) -> list[list[int]]:
        SwitchedDrafts.called_at.append(time.perf_counter())
        way, length = SwitchedDrafts.way, SwitchedDrafts.length
        if way == "useless":
            return [[self._dice.randrange(self._tokens) for _ in range(length)] for _ in sampled_token_ids]
        if way == "none":
            return [[] for _ in sampled_token_ids]
        first = (length,) if way == "n-grams" else ()
        drafts: list[list[int]] = self._find(way, length).propose(*first, sampled_token_ids, *args, **kwargs)
        return drafts

    def _find(self, way: Way, length: int) -> Any:
        """Return the proposer of a way with drafts of this length. Each has a configuration of its own."""
        if (way, length) not in self._proposers:
            config = copy(self._config)
            config.speculative_config = copy(config.speculative_config)
            config.speculative_config.num_speculative_tokens = length
            self._proposers[way, length] = _make(way, config)
        return self._proposers[way, length]


def _make(way: Way, config: Any) -> Any:
    if way == "file":
        from editahead_inference.speculation.vllm_proposer import FileDraftProposer

        return FileDraftProposer(config)
    from vllm.v1.spec_decode.ngram_proposer import NgramProposer

    config.speculative_config.prompt_lookup_min, config.speculative_config.prompt_lookup_max = NGRAM
    return NgramProposer(config)
