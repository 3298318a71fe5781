"""One model, measured with vLLM in this process: prompts, keys, edits with and without drafts, and many clients."""

from __future__ import annotations

import os
import random
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import answering_model
from draft_length import MAX_DRAFT
from edits import EditPrompt, known_edits, rename_edits
from shapes import Shape
from switched_drafts import SwitchedDrafts, Way

ROWS = (1, 2, 4, 8, 16, 32, 64, 128)
LENGTHS = (16, 32, 64, MAX_DRAFT)
"""Most tokens of a draft, of which the best is chosen."""
SERVED_LENGTH = 64
"""That of `editahead engine`, with which clients are measured."""
KNOWN_EDITS, CODE_EDITS = 2, 16
"""Edits of a model by its shape, which takes as long for each, and of a trained one."""
CLIENTS = (1, 8, 64)
LOOK_S = 0.5
"""Seconds for which a person looks at an edit: what follows it is there by then, or not."""
NEW = 32
"""Tokens at the end of a warm prompt that were not computed before: about what a keystroke changes."""
KEYS, BEHIND = 16, 256
"""Keys that are typed, and the tokens behind the cursor in prompts that have some there."""
GROWTH = 1.5
"""The power of its tokens with which the time of a prompt grows, to know which are too long for the time that is left."""
_CPU_CACHE_GB = "2"

Figure = tuple[str, Any]


class Measurements:
    """The measurements of one model.

    Args:
        shape: The model's shape, or the folder of a trained model.
        folder: Where a shape's configuration is written.
        cuda: Whether there is a GPU for it.
        rounds: Rounds of each measurement, of which the median counts.
        steps: Steps of each round.
        left_s: Returns the seconds that are left.
    """

    def __init__(
        self,
        model: Shape | Path,
        folder: Path,
        *,
        cuda: bool,
        rounds: int,
        steps: int,
        left_s: Callable[[], float],
    ) -> None:
        os.environ |= {"VLLM_USE_V2_MODEL_RUNNER": "0", "HF_HUB_OFFLINE": "1", "VLLM_NO_USAGE_STATS": "1"}
        os.environ["VLLM_ENABLE_V1_MULTIPROCESSING"] = "0"  # the measuring process switches the drafts
        if not cuda:
            os.environ["VLLM_CPU_KVCACHE_SPACE"] = _CPU_CACHE_GB
        from vllm import LLM

        answering_model.register_loader()
        self._model, self._rounds, self._steps, self._left_s = model, rounds, steps, left_s
        self._dice = random.Random(7)
        by_shape = isinstance(model, Shape)
        self._llm = LLM(
            str(model.write(folder) if isinstance(model, Shape) else model),
            load_format=answering_model.LOAD_FORMAT if by_shape else "auto",
            skip_tokenizer_init=True,
            dtype="bfloat16",
            max_num_seqs=max(CLIENTS),
            max_num_batched_tokens=max(CLIENTS) * (MAX_DRAFT + 1),
            enable_prefix_caching=True,
            disable_log_stats=False,
            speculative_config={
                "method": "custom_class",
                "model": "switched_drafts.SwitchedDrafts",
                "num_speculative_tokens": MAX_DRAFT,
            },
            **({} if cuda else {"enforce_eager": True, "block_size": 32}),
        )
        config = self._llm.llm_engine.model_config
        self._vocabulary, self._context = config.get_vocab_size(), config.max_model_len
        self._edits = (
            known_edits(self._vocabulary, max(CLIENTS))
            if by_shape
            else rename_edits(Path(str(model)), CODE_EDITS)
        )

    def figures(self) -> Iterator[Figure]:
        """Yield the measurements, those first that say the most. What there is no time for is left out."""
        self._say([self._prompt(64)], 4)  # what is compiled or loaded late
        yield from self._first_tokens(below=16_384)
        yield (
            "computed",
            {"at the end": self._computed(0), f"{BEHIND} tokens before it": self._computed(BEHIND)},
        )
        yield from self._ways()
        for clients in CLIENTS:
            if self._left_s() > 0:
                yield "clients", {str(clients): self._clients(clients)}
        for rows in ROWS:
            if self._left_s() > 0:
                yield "steps", {str(rows): self._step(rows)}
        yield from self._first_tokens(below=self._context, above=16_384)

    def _first_tokens(self, *, below: int, above: int = 0) -> Iterator[Figure]:
        """Yield milliseconds to the first token, of a new prompt and of one whose last tokens are new."""
        lengths = self._model.prompts if isinstance(self._model, Shape) else (512,)
        took_s, last = 0.0, lengths[0]
        for length in [length for length in lengths if above <= length < below]:
            if took_s * (length / last) ** GROWTH > self._left_s():
                return
            began = time.perf_counter()
            cold, warm = [], []
            for _ in range(self._rounds):
                prompt = self._prompt(length)
                cold.append(self._say([prompt], 1))
                warm.append(self._say([[*prompt[:-NEW], *self._prompt(NEW)]], 1))
            took_s, last = time.perf_counter() - began, length
            yield (
                "first token",
                {str(length): {"cold": statistics.median(cold), "warm": statistics.median(warm)}},
            )

    def _computed(self, behind: int) -> float:
        """Return the mean tokens computed for a key, which adds one token before the last `behind` ones."""
        size = min(2048, self._context // 2)
        before, after = self._prompt(size - behind), self._prompt(behind)
        self._say([[*before, *after]], 1)
        computed = []
        for _ in range(KEYS):
            before += self._prompt(1)
            (output,) = self._outputs([[*before, *after]], 1)
            computed.append(len(before) + len(after) - (output.num_cached_tokens or 0))
        return statistics.mean(computed)

    def _ways(self) -> Iterator[Figure]:
        """Yield the figures of edits without drafts and with both kinds, for each length of drafts."""
        edits = self._edits[: KNOWN_EDITS if isinstance(self._model, Shape) else len(self._edits)]
        yield "edits", {"none": {"0": self._edit("none", 0, edits)}}
        for length in sorted(LENGTHS, key=lambda length: length != SERVED_LENGTH):
            for way in ("file", "n-grams"):
                if self._left_s() > 0:
                    yield "edits", {way: {str(length): self._edit(way, length, edits)}}

    def _edit(self, way: Way, length: int, edits: Sequence[EditPrompt]) -> dict[str, float]:
        """Return the milliseconds of an edit whose prompt is computed, and the tokens of each step."""
        ms, tokens, steps = 0.0, 0, 0
        for edit in edits:
            self._say([edit.prompt], 1)
            with _drafts(way, length):
                began = time.perf_counter()
                (output,) = self._outputs([edit.prompt], edit.answer_tokens, edit.ends)
                ms += (time.perf_counter() - began) * 1000
                steps += len(SwitchedDrafts.called_at)
            tokens += len(output.outputs[0].token_ids)
            self._check(edit, output.outputs[0].token_ids)
        return {"ms": ms / len(edits), "tokens a step": tokens / steps}

    def _check(self, edit: EditPrompt, answer: Sequence[int]) -> None:
        """Raise an error where a model by shape does not give the known answer: its figures would say nothing.

        Raises:
            ValueError: The answer is another.
        """
        if not isinstance(self._model, Shape):
            return
        following = answering_model.successors(self._vocabulary)
        if list(answer) != [following[token] for token in (edit.prompt[-1], *answer[:-1])]:
            raise ValueError(f"{self._model.name} does not give the answer that its weights say")

    def _clients(self, clients: int) -> dict[str, float]:
        """Return the edits a second of clients that all ask at the same time, and the share that comes while they look."""
        edits = [self._edits[number % len(self._edits)] for number in range(clients)]
        for edit in edits:
            self._say([edit.prompt], 1)
        with _drafts("file", SERVED_LENGTH):
            began = time.perf_counter()
            took = self._finished(edits)
            whole = time.perf_counter() - began
        return {"edits a second": clients / whole, "hits": sum(s <= LOOK_S for s in took) / clients}

    def _finished(self, edits: Sequence[EditPrompt]) -> list[float]:
        """Return the seconds of each edit from the beginning to its end."""
        engine = self._llm.llm_engine
        began, took = time.perf_counter(), []
        for number, edit in enumerate(edits):
            how = self._sampling(edit.answer_tokens, edit.ends)
            engine.add_request(str(number), {"prompt_token_ids": list(edit.prompt)}, how)
        while engine.has_unfinished_requests():
            ended = [output for output in engine.step() if output.finished]
            took += [time.perf_counter() - began for _ in ended]
        return took

    def _step(self, rows: int) -> float:
        """Return the milliseconds of a step that verifies a number of rows, behind a prompt that is already computed."""
        took: list[float] = []
        for _ in range(self._rounds):
            prompt = self._prompt(min(512, self._context // 4))
            self._say([prompt], 1)
            with _drafts("useless", rows - 1):
                self._say([prompt], 1 + self._steps)
                took += (1000 * (after - before) for before, after in pairwise(SwitchedDrafts.called_at))
        return statistics.median(took)

    def _prompt(self, length: int) -> list[int]:
        return [self._dice.randrange(1, self._vocabulary) for _ in range(length)]

    def _say(self, prompts: Sequence[Sequence[int]], tokens: int) -> float:
        """Return the elapsed milliseconds."""
        began = time.perf_counter()
        self._outputs(prompts, tokens)
        return (time.perf_counter() - began) * 1000

    def _outputs(
        self, prompts: Sequence[Sequence[int]], tokens: int, ends: Sequence[int] = ()
    ) -> Sequence[Any]:
        asked = [{"prompt_token_ids": list(prompt)} for prompt in prompts]
        outputs: Sequence[Any] = self._llm.generate(asked, self._sampling(tokens, ends), use_tqdm=False)
        return outputs

    @staticmethod
    def _sampling(tokens: int, ends: Sequence[int] = ()) -> Any:
        from vllm import SamplingParams

        return SamplingParams(
            temperature=0, max_tokens=tokens, ignore_eos=not ends, stop_token_ids=list(ends), detokenize=False
        )


@contextmanager
def _drafts(way: Way, length: int) -> Iterator[None]:
    """Switch the drafts for a while, and note the steps meanwhile."""
    SwitchedDrafts.called_at.clear()
    SwitchedDrafts.way, SwitchedDrafts.length = way, length
    try:
        yield
    finally:
        SwitchedDrafts.way, SwitchedDrafts.length = "none", 0
