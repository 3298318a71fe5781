"""What a trained model does on held-out examples, by task (`editahead train measure`).

Greedy decoding says an answer exactly if each of its tokens is the likeliest one behind those before it. So one pass over a
row of examples tells which answers would be right, and none has to be decoded.

Needs the extra `train`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForCausalLM

from editahead_prompts.composition.hf_tokenizer import bundled_tokenizer
from editahead_prompts.formats.next_edit.editahead_2611 import SILENT
from editahead_training.data.example import COPY_WEIGHT, TASKS
from editahead_training.data.packed_dataset import PackedDataset, pack_batches

from .architecture import ATTENTION
from .packed_batches import make_batch, sample_examples

ROW = 8192
"""Tokens looked at together."""


@dataclass
class Counts:
    """The counts of one task.

    Attributes:
        right: answers that greedy decoding writes exactly.
        nats: the loss of the tokens that decide about a change, in nats.
        tokens: the number of these tokens.
        copied: the number of the other tokens.
        hits: those of `copied` that are predicted correctly.
        silent: the probability of silence at each beginning.
    """

    examples: int = 0
    right: int = 0
    nats: float = 0.0
    tokens: int = 0
    hits: int = 0
    copied: int = 0
    silent: list[float] = field(default_factory=list)


def load(folder: Path) -> Any:
    """Return a trained model in float32, ready for evaluation.

    Raises:
        OSError: there is no model.
        ValueError: the model cannot be loaded.
    """
    options = {"local_files_only": True, "trust_remote_code": False, "attn_implementation": ATTENTION}
    return AutoModelForCausalLM.from_pretrained(folder, dtype="float32", **options).eval()


def measure(model: Any, packed: PackedDataset, tokens: int, seed: int) -> Mapping[str, Mapping[str, float]]:
    """Return the metrics by task, over at most `tokens` tokens of examples.

    They are the number of examples; the share of exact answers; the loss of a deciding token in nats; the
    share of other tokens predicted correctly. For silence also the area under the curve of its probability
    against next edits (0.5 is chance).
    """
    counted: dict[str, Counts] = defaultdict(Counts)
    numbers = sample_examples(packed, model.config.max_position_embeddings, tokens, seed)
    lengths = ((number, packed.span(number)[1] - packed.span(number)[0]) for number in numbers)
    for group in pack_batches(lengths, ROW):
        _count(model, packed, group, counted)
    out: dict[str, dict[str, float]] = {task: _metrics(counted[task]) for task in TASKS if task in counted}
    if {"silence", "next edit"} <= set(out):
        parted = roc_auc(counted["silence"].silent, counted["next edit"].silent)
        out["silence"]["parted from next edits"] = round(parted, 4)
    return out


def roc_auc(higher: Sequence[float], lower: Sequence[float]) -> float:
    """Return the ROC AUC: the probability that one of the first is above one of the second; ties count half.

    This is U of Mann and Whitney, as a share.
    """
    above = sum((a > b) + (a == b) / 2 for a in higher for b in lower)
    return above / max(len(higher) * len(lower), 1)


def _metrics(counts: Counts) -> dict[str, float]:
    figures = {
        "examples": counts.examples,
        "exact": round(counts.right / counts.examples, 4),
        "loss": round(counts.nats / max(counts.tokens, 1), 4),
    }
    if counts.copied:
        figures["copied right"] = round(counts.hits / counts.copied, 4)
    return figures


def _count(model: Any, packed: PackedDataset, numbers: Sequence[int], counted: dict[str, Counts]) -> None:
    seen = make_batch(packed, numbers, str(model.device))
    with torch.inference_mode():
        said = model(
            input_ids=seen.ids,
            position_ids=seen.positions,
            spans=seen.spans,
            use_cache=False,
            logits_to_keep=seen.kept,
        )
        logprobs = torch.log_softmax(said.logits[0].float(), -1)
    likely = logprobs.gather(1, seen.targets[:, None])[:, 0]
    hits = logprobs.argmax(-1) == seen.targets
    silence = bundled_tokenizer().encoder.token_to_id(SILENT)
    for (start, end), number in zip(seen.spans, numbers, strict=True):
        mine = (start <= seen.kept) & (seen.kept < end)
        if not bool(mine.any()):
            continue
        counts = counted[TASKS[packed.tasks[number]]]
        copied = mine & ((seen.weights - COPY_WEIGHT / 100).abs() < 1e-4)
        telling = mine & ~copied
        counts.examples += 1
        counts.right += bool(hits[mine].all())
        counts.nats -= float(likely[telling].sum())
        counts.tokens += int(telling.sum())
        counts.hits += int(hits[copied].sum())
        counts.copied += int(copied.sum())
        counts.silent.append(float(logprobs[mine][0, silence]))
