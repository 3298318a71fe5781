"""A tuned base as a folder, and what it does on held-out examples.

Needs the extra `train`.
"""

from __future__ import annotations

import json
import shutil
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file

from editahead_prompts.composition.hf_tokenizer import HfTokenizer
from editahead_training.data.example import COPY_WEIGHT
from editahead_training.data.packed_dataset import PackedDataset
from editahead_training.errors import TrainingError

from . import lora
from .branch_rows import ATTENTION, cost_of, groups_of, make_row, tasks_of
from .evaluate import roc_auc
from .export import PROVENANCE
from .fine_tune import TuneConfig, TuneResult, row_logits

ROW = 4096
"""Tokens that are measured together."""


@dataclass
class _Counts:
    """The counts of one task.

    Attributes:
        right: answers that greedy decoding writes exactly.
        nats: the loss of all tokens of the answers, in nats.
        changed: that of the tokens of changes alone; and their number.
        silent: the probability of silence at each beginning.
    """

    examples: int = 0
    right: int = 0
    begun: int = 0
    said: int = 0
    nats: float = 0.0
    changed: float = 0.0
    changes: int = 0
    silent: list[float] = field(default_factory=list)

    def figures(self) -> dict[str, float]:
        return {
            "examples": self.examples,
            "exact": round(self.right / self.examples, 4),
            "first token": round(self.begun / self.examples, 4),
            "tokens": round(self.said / self.examples, 1),
            "nats": round(self.nats / self.examples, 3),
            "loss": round(self.changed / max(self.changes, 1), 4),
        }


def measure_tuned(
    model: Any, packed: PackedDataset, dtype: str, *, most: int | None = None
) -> Mapping[str, Mapping[str, float]]:
    """Return the figures by task, in one pass without decoding.

    They are the number of examples; the share of answers that greedy decoding says exactly, and of right first tokens; the
    tokens of an answer, and their loss together, in nats; the loss of a token of a change. For silence also the area under
    the curve of its probability against next edits (0.5 is chance). For next edits, how often silence is said instead.

    Args:
        most: the most tokens, from the beginning of the dataset.
    """
    model.set_attn_implementation(ATTENTION)
    model.eval()
    counted: dict[str, _Counts] = defaultdict(_Counts)
    silence = _first_of_silence(packed)
    row: list[range] = []
    size = seen = 0
    for group in chain(groups_of(packed), [None]):
        cost = ROW + 1 if group is None else cost_of(packed, group)
        if row and size + cost > ROW:
            _count(model, packed, row, dtype, silence, counted)
            row, size = [], 0
        seen += cost
        if group is None or (most is not None and seen > most):
            break
        row.append(group)
        size += cost
    if row:
        _count(model, packed, row, dtype, silence, counted)
    figures = {task: counts.figures() for task, counts in counted.items()}
    if {"silence", "next edit"} <= set(figures):
        edits, quiet = counted["next edit"].silent, counted["silence"].silent
        figures["silence"]["parted from next edits"] = round(roc_auc(quiet, edits), 4)
        figures["next edit"]["silent"] = round(sum(p > 0.5 for p in edits) / len(edits), 4)
    return figures


def _first_of_silence(packed: PackedDataset) -> int:
    """Return the token that means silence."""
    from editahead_training.data.example import TASKS

    for number in range(len(packed)):
        if TASKS[packed.tasks[number]] == "silence":
            start, end = packed.span(number)
            answer = packed.weights[start:end].nonzero()[0][0]
            return int(packed.tokens[start + answer])
    return -1


def _count(
    model: Any,
    packed: PackedDataset,
    groups: list[range],
    dtype: str,
    silence: int,
    counted: dict[str, _Counts],
) -> None:
    row = make_row(packed, groups, str(model.device))
    with torch.inference_mode():
        logprobs = torch.log_softmax(row_logits(model, row, dtype), -1)
    likely = logprobs.gather(1, row.targets[:, None])[:, 0]
    hits = logprobs.argmax(-1) == row.targets
    changed = (row.weights - COPY_WEIGHT / 100).abs() > 1e-4
    for place, task in enumerate(tasks_of(packed, row)):
        mine = row.examples == place
        counts = counted[task]
        counts.examples += 1
        counts.right += bool(hits[mine].all())
        counts.begun += bool(hits[mine][0])
        counts.said += int(mine.sum())
        counts.nats -= float(likely[mine].sum())
        counts.changed -= float(likely[mine & changed].sum())
        counts.changes += int((mine & changed).sum())
        counts.silent.append(float(logprobs[mine][0, silence].exp()) if silence >= 0 else 0.0)


def export_adapter(result: TuneResult, plan: TuneConfig, data: PackedDataset, base: Path, file: Path) -> None:
    """Write the additions of a run alone: a byte for each weight of low rank, and a scale for each row; markers' in float32.

    `editahead_inference.backends.local.adapter` says how the file is laid out, and reads it.

    Raises:
        TrainingError: the run trained all weights, or they were merged already.
    """
    tensors: dict[str, Any] = {}
    written: list[Any] = []
    for name, layer in result.model.named_modules():
        if isinstance(layer, lora.LoraLinear):
            for part, weights in (("down", layer.down), ("up", layer.up)):
                rows = weights.detach().float().cpu()
                scales = rows.abs().amax(-1) / 127
                steps = rows / scales.where(scales > 0, torch.ones_like(scales))[:, None]
                tensors[f"{name}.{part}"] = steps.round().to(torch.int8)
                tensors[f"{name}.{part}.scales"] = scales
        elif isinstance(layer, lora.AdaptedEmbedding | lora.AdaptedHead):
            rows = layer.added.rows.detach().float().cpu()
            if not any(kept is layer.added for kept in written):  # a tied head has the embedding's
                tensors |= {f"{name}.tokens": layer.added.tokens.cpu(), f"{name}.rows": rows}
                written.append(layer.added)
    if not tensors:
        raise TrainingError("there is no adapter to write: train with --lora")
    told = json.dumps(_provenance(result, plan, data, base), ensure_ascii=False)
    file.parent.mkdir(parents=True, exist_ok=True)
    save_file(tensors, file, {"scale": str(lora.SCALE), "provenance": told})
    file.chmod(0o644)  # it is written without read permission for others


def export_tuned(
    result: TuneResult,
    plan: TuneConfig,
    data: PackedDataset,
    vocabulary: HfTokenizer,
    base: Path,
    folder: Path,
) -> dict[str, Any]:
    """Write a tuned model in bfloat16 with its tokenizer and the base's licence and card, and return the provenance."""
    model = result.model
    if plan.rank:
        lora.merge_adapters(model)
    provenance = _provenance(result, plan, data, base)
    write_model(model, vocabulary, base, folder, provenance)
    return provenance


def write_model(
    model: Any, vocabulary: HfTokenizer, base: Path, folder: Path, provenance: Mapping[str, Any]
) -> None:
    """Write a model in bfloat16 with its tokenizer, the base's licence and card, and the provenance."""
    folder.mkdir(parents=True, exist_ok=True)
    config = model.config.__class__.from_dict(model.config.to_dict())
    config.dtype = torch.bfloat16
    copy = type(model)(config).to(torch.bfloat16)
    copy.load_state_dict(model.state_dict())
    copy.generation_config = model.generation_config
    copy.save_pretrained(folder)
    for weights in folder.glob("*.safetensors"):  # they are written without read permission for others
        weights.chmod((folder / "config.json").stat().st_mode)
    (folder / "tokenizer.json").write_text(vocabulary.encoder.to_str(), "utf-8")
    for name in ("LICENSE", "README.md", "base.json", "tokenizer_config.json"):
        if (base / name).is_file():
            shutil.copyfile(base / name, folder / name)
    (folder / PROVENANCE).write_text(json.dumps(provenance, indent=2, ensure_ascii=False) + "\n", "utf-8")


def _provenance(result: TuneResult, plan: TuneConfig, data: PackedDataset, base: Path) -> dict[str, Any]:
    """Return what a model was made of, and how."""
    where = result.where
    return {
        "made by": "editahead train tune",
        "base": base.name,
        **asdict(plan),
        "start": Path(plan.start).name,
        "steps seen": where.step,
        "tokens seen": where.tokens,
        "epochs": where.epoch,
        "seconds": round(where.seconds),
        "finished": result.finished,
        "data": dict(data.provenance),
    }
