"""An adapter trained and measured, from files to files (`editahead-lab train coder-adapter` and `measure`).

Needs the extra `train`.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F

from editahead_inference.backends.local.llama_shape import LlamaShape
from editahead_inference.backends.local.small_model import CONTEXT, open_base
from editahead_lab.errors import TrainingError
from editahead_prompts.composition.hf_tokenizer import HfTokenizer
from editahead_prompts.formats.next_edit.editahead_coder_2611 import (
    EDIT,
    END,
    FILE,
    NEXT,
    OPEN,
    PREFIX,
    SUFFIX,
)

from .adapter_file import ADAPTER, load_adapter, write_adapter
from .adapter_run import AdapterRun, RunPlan
from .answers import answer_examples, figures_of, sample_numbers
from .network import CoderNetwork
from .packed_examples import PackedExamples, read, used_tokens

FORMAT_TOKENS = (END, PREFIX, NEXT, SUFFIX, OPEN, EDIT, FILE)
"""Tokens to which the format gives a meaning of its own."""
FIRST_TOKENS = 256
"""The first tokens of the vocabulary, its bytes, which a head always has."""
CARD = "training.json"
FASTER = 1.25
"""How much faster bfloat16 has to be than float32 to be used on a CPU."""
_TRIED_SECONDS, _TRIED_SHAPE = 0.3, (1024, 896, 4864)


@dataclass(frozen=True, slots=True)
class Machine:
    """Where to train. `dtype`: "auto", "float32" or "bfloat16"."""

    device: str
    dtype: str = "auto"

    @property
    def type(self) -> Any:
        """The type of torch. "auto" is bfloat16 where the device multiplies faster in it."""
        name = faster_dtype(self.device) if self.dtype == "auto" else self.dtype
        return getattr(torch, name)


def faster_dtype(device: str) -> str:
    """Return the type that a device multiplies faster in, "float32" or "bfloat16", by trying both on a CPU.

    Without instructions for it, a CPU emulates bfloat16 at a tenth of the speed.
    """
    if device == "cuda":
        return "bfloat16" if torch.cuda.is_bf16_supported(including_emulation=False) else "float32"
    rows, inner, outer = _TRIED_SHAPE
    times = []
    for kind in (torch.float32, torch.bfloat16):
        x, weight = torch.randn(rows, inner, dtype=kind), torch.randn(outer, inner, dtype=kind)
        F.linear(x, weight)
        count, began = 0, time.process_time()
        while time.process_time() - began < _TRIED_SECONDS:
            F.linear(x, weight)
            count += 1
        times.append((time.process_time() - began) / count)
    return "bfloat16" if times[0] > FASTER * times[1] else "float32"


def train_adapter(
    plan: RunPlan,
    machine: Machine,
    base: Path,
    data: Path,
    held: Path | None,
    out: Path,
    *,
    resume: bool,
    measured: int,
    report: Callable[[dict[str, Any]], None],
    clock: Callable[[], float] = time.monotonic,
) -> Mapping[str, Any] | None:
    """Train an adapter, write it with its card, and return the card; None if the run was interrupted.

    Args:
        plan: The configuration.
        machine: Where to train.
        base: The base.
        data: Examples to learn from.
        held: Examples to measure on.
        out: The folder of the adapter; `run` in it has checkpoints and the log.
        resume: Whether to go on with the run in the folder.
        measured: The most held-out examples to answer.
        report: Receives each line of the log.
        clock: Returns seconds.

    Raises:
        DatasetError: There are no examples that can be used.
        SmallModelError: The base cannot be read.
        TrainingError: The folder holds another run, or none to go on with.
        OSError: A file cannot be written.
    """
    weights = open_base(base, CONTEXT)
    vocabulary = HfTokenizer(weights.tokenizer())
    known = [read(path, vocabulary) for path in (data, held) if path is not None]
    network = _network(weights, vocabulary, known, plan.rank, plan.seed, machine)
    if machine.device == "cuda":
        network.compile()
    run = AdapterRun(plan, network, known[0], out / "run", resume=resume, report=report, clock=clock)
    if not run.train():
        return None
    where = run.where
    card = {
        "made by": "editahead-lab train coder-adapter",
        "base": base.name,
        **asdict(plan),
        "type": str(network.dtype).removeprefix("torch."),
        "steps seen": where.step,
        "tokens seen": where.tokens,
        "epochs": where.epoch,
        "seconds": round(where.seconds, 1),
        "vocabulary": len(network.vocabulary),
        "data": dict(known[0].provenance),
    }
    write_adapter(network, out, card)
    if held is not None and measured:
        card["held"] = _measure(network, vocabulary, known[1], measured, plan.row)
    (out / CARD).write_text(json.dumps(card, indent=2, ensure_ascii=False) + "\n", "utf-8")
    return card


def measure_adapter(
    adapter: Path, machine: Machine, base: Path, held: Path, *, rank: int, measured: int, row: int
) -> Mapping[str, Any]:
    """Return what an adapter does on held-out examples; see `train_adapter`.

    Raises:
        DatasetError: There are no examples.
        SmallModelError: The base or the adapter cannot be read.
        TrainingError: They do not belong together.
    """
    file = adapter / ADAPTER if adapter.is_dir() else adapter
    weights = open_base(base, CONTEXT)
    vocabulary = HfTokenizer(weights.tokenizer())
    packed = read(held, vocabulary)
    network = _network(weights, vocabulary, [packed], rank, 0, machine)
    load_adapter(network, file)
    return _measure(network, vocabulary, packed, measured, row)


def _network(
    weights: Any,
    vocabulary: HfTokenizer,
    datasets: list[PackedExamples],
    rank: int,
    seed: int,
    machine: Machine,
) -> CoderNetwork:
    special = sorted(token for text in FORMAT_TOKENS for token in vocabulary.encode(text))
    try:
        shape = LlamaShape.from_config(weights.config())
    except ValueError as error:
        raise TrainingError(f"the base cannot be trained: {error}") from error
    if not shape.is_biased:
        raise TrainingError("the base cannot be trained: it is no Qwen2")
    used = used_tokens(datasets, [*range(min(FIRST_TOKENS, shape.vocabulary)), *special])
    return CoderNetwork(
        shape,
        weights.take,
        used,
        special,
        rank=rank,
        seed=seed,
        device=machine.device,
        dtype=machine.type,
    )


def _measure(
    network: CoderNetwork, vocabulary: HfTokenizer, packed: PackedExamples, measured: int, row: int
) -> dict[str, Any]:
    tokens = {token: place for place, token in enumerate(network.vocabulary.tolist())}
    end = tokens[vocabulary.encoder.token_to_id(END)]
    line_ends = [place for token, place in tokens.items() if "\n" in vocabulary.decode([token])]
    numbers = sample_numbers(packed, measured, row, seed=1)
    answers = answer_examples(network, packed, numbers, row=row, line_ends=[*line_ends, end], end=end)
    return figures_of(answers)
