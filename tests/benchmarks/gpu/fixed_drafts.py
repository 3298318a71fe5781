"""A proposer whose drafts are as long as wanted and of no use, so that a step verifies a known number of rows."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from typing import Any, ClassVar


class FixedDrafts:
    """A proposer of fixed drafts, which vLLM loads by name in the measuring process."""

    rows = 1
    """That a step verifies: the token that comes in any case, and the drafts."""
    called_at: ClassVar[list[float]] = []
    """In seconds, of each step, once its rows are verified."""
    _dice = random.Random(3)

    def __init__(self, vllm_config: Any) -> None:
        self._tokens = vllm_config.model_config.get_vocab_size()

    def load_model(self, *args: Any, **kwargs: Any) -> None:
        """Do nothing: there is no model, but vLLM's runner for CPUs calls this for every proposer."""

    def propose(
        self, sampled_token_ids: Sequence[Sequence[int]], *args: Any, **kwargs: Any
    ) -> list[list[int]]:
        FixedDrafts.called_at.append(time.perf_counter())
        drafts = FixedDrafts.rows - 1
        return [[self._dice.randrange(self._tokens) for _ in range(drafts)] for _ in sampled_token_ids]
