"""One shape, measured with vLLM in this process: time to first token, warm and cold, and steps by rows verified."""

from __future__ import annotations

import os
import random
import statistics
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from draft_length import MAX_DRAFT
from fixed_drafts import FixedDrafts
from shapes import Shape

ROWS = (1, 2, 4, 8, 16, 32, 64, 128)
NEW = 32
"""Tokens at the end of a warm prompt that were not computed before: about what a keystroke changes."""
_CPU_CACHE_GB = "2"


class Measuring:
    """cuda: whether there is a GPU for it. rounds: of each measurement, of which the median counts. steps: of each round."""

    def __init__(self, shape: Shape, folder: Path, *, cuda: bool, rounds: int, steps: int) -> None:
        os.environ |= {"VLLM_USE_V2_MODEL_RUNNER": "0", "HF_HUB_OFFLINE": "1", "VLLM_NO_USAGE_STATS": "1"}
        os.environ["VLLM_ENABLE_V1_MULTIPROCESSING"] = "0"  # this sets the proposer's draft length
        if not cuda:
            os.environ["VLLM_CPU_KVCACHE_SPACE"] = _CPU_CACHE_GB
        from vllm import LLM

        self._shape, self._rounds, self._steps = shape, rounds, steps
        self._dice = random.Random(7)
        self._vocabulary = shape.config["vocab_size"]
        self._llm = LLM(
            str(shape.write(folder)),
            load_format="dummy",
            skip_tokenizer_init=True,
            dtype="bfloat16",
            max_num_seqs=4,
            max_num_batched_tokens=8192 if cuda else 2048,
            enable_prefix_caching=True,
            disable_log_stats=True,
            speculative_config={
                "method": "custom_class",
                "model": "fixed_drafts.FixedDrafts",
                "num_speculative_tokens": MAX_DRAFT,
            },
            **({} if cuda else {"enforce_eager": True, "block_size": 32}),
        )

    def figures(self) -> dict[str, Any]:
        """Return the measurements in milliseconds, by tokens of the prompt and by rows."""
        self._say(self._prompt(64), 4)  # what is compiled or loaded late
        return {
            "shape": self._shape.name,
            "first token": {str(length): self._first(length) for length in self._shape.prompts},
            "steps": {str(rows): self._step(rows) for rows in ROWS},
        }

    def _first(self, length: int) -> dict[str, float]:
        cold, warm = [], []
        for _ in range(self._rounds):
            prompt = self._prompt(length)
            cold.append(self._say(prompt, 1))
            warm.append(self._say([*prompt[:-NEW], *self._prompt(NEW)], 1))
        return {"cold": statistics.median(cold), "warm": statistics.median(warm)}

    def _step(self, rows: int) -> float:
        """Measure steps behind a prompt that is already computed."""
        FixedDrafts.rows = rows
        took: list[float] = []
        for _ in range(self._rounds):
            prompt = self._prompt(self._shape.before)
            self._say(prompt, 1)
            FixedDrafts.called_at.clear()
            self._say(prompt, 1 + self._steps)
            took += (1000 * (after - before) for before, after in pairwise(FixedDrafts.called_at))
        FixedDrafts.rows = 1
        return statistics.median(took)

    def _prompt(self, length: int) -> list[int]:
        return [self._dice.randrange(1, self._vocabulary) for _ in range(length)]

    def _say(self, prompt: Sequence[int], tokens: int) -> float:
        """Return the elapsed milliseconds."""
        from vllm import SamplingParams

        how = SamplingParams(temperature=0, max_tokens=tokens, ignore_eos=True, detokenize=False)
        began = time.perf_counter()
        self._llm.generate([{"prompt_token_ids": list(prompt)}], how, use_tqdm=False)
        return (time.perf_counter() - began) * 1000
