"""Teaches a base that has read code our examples, within a number of tokens; what was interrupted goes on at its step.

All weights are trained, or low-rank additions to the matrices (LoRA). The schedule follows the tokens seen: a warm-up, then
a cosine down to `LAST_RATE` of the highest rate. What is trained and its moments are float32; matrices are multiplied in
bfloat16 where the machine is faster with it.

Needs the extra `train`.
"""

from __future__ import annotations

import json
import math
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from transformers import AutoModelForCausalLM

from editahead_prompts.composition.hf_tokenizer import HfTokenizer
from editahead_training.data.packed_dataset import PackedDataset
from editahead_training.errors import TrainingError

from . import checkpoints, lora
from .branch_rows import ATTENTION, Row, RowOrder, make_row, tasks_of
from .loss_plot import read as read_log
from .stop_signals import asked_to_stop

WARM, LAST_RATE = 0.02, 0.1
"""Share of the tokens in which the learning rate rises, and the share of the highest rate that it ends with."""
WARM_STEPS = 20
CLIP, BETAS, WEIGHT_DECAY = 1.0, (0.9, 0.95), 0.01
LOG_SECONDS = 30.0
_MAY_CHANGE = ("tokens", "save_minutes", "dtype")
"""Of the configuration, when a run goes on: another machine may be faster with another type."""
FASTER = 1.25
"""How much faster bfloat16 has to be than float32 to be used."""
_TRIED_SECONDS, _TRIED_SHAPE = 0.3, (1024, 576, 1536)


@dataclass(frozen=True, slots=True)
class TuneConfig:
    """The configuration of a run.

    Attributes:
        tokens: the tokens of the whole run; a later run may go on with more.
        row: the most tokens of a step.
        rate: the highest learning rate.
        rank: the rank of LoRA; 0 = all weights are trained.
        dtype: of the multiplications, "float32" or "bfloat16".
        start: the file of an adapter that the run begins with, of the same rank; "" = it begins with the base.
    """

    tokens: int
    row: int
    rate: float
    seed: int
    rank: int = 0
    dtype: str = "float32"
    save_minutes: float = 10.0
    start: str = ""


@dataclass
class TuneState:
    """The progress of a run; `seconds` is the time used."""

    step: int = 0
    tokens: int = 0
    seconds: float = 0.0
    epoch: int = 0
    at: int = 0


@dataclass(frozen=True, slots=True)
class TuneResult:
    """The result of a run. finished: it reached its end and was not interrupted."""

    model: Any
    where: TuneState
    finished: bool


def load_base(folder: Path, vocabulary: HfTokenizer, device: str) -> Any:
    """Return a base in float32, with an embedding for each token of the vocabulary.

    Raises:
        TrainingError: there is no base that can be loaded.
    """
    options = {"local_files_only": True, "trust_remote_code": False, "use_safetensors": True}
    try:
        model: Any = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, **options)
    except (OSError, ValueError) as error:
        raise TrainingError(f"{folder}: no base ({error})") from error
    torch.manual_seed(0)  # a run that goes on has the same new embeddings
    if (tokens := vocabulary.encoder.get_vocab_size()) > model.config.vocab_size:
        model.resize_token_embeddings(tokens)
    return model.to(device)


def faster_dtype(device: str) -> str:
    """Return the type that this machine multiplies faster in, "float32" or "bfloat16", by trying both.

    Without instructions for it, a CPU emulates bfloat16 at a tenth of the speed. A GPU that has them is faster with it.
    """
    if device == "cuda":
        return "bfloat16" if torch.cuda.is_bf16_supported(including_emulation=False) else "float32"
    rows, inner, outer = _TRIED_SHAPE
    times = []
    for kind in (torch.float32, torch.bfloat16):
        x = torch.randn(rows, inner, device=device, dtype=kind)
        weight = torch.randn(outer, inner, device=device, dtype=kind)
        F.linear(x, weight)
        count, began = 0, time.process_time()
        while time.process_time() - began < _TRIED_SECONDS:
            F.linear(x, weight)
            count += 1
        times.append((time.process_time() - began) / count)
    return "bfloat16" if times[0] > FASTER * times[1] else "float32"


def rate_factor(share: float, step: int) -> float:
    """Return the factor of the highest learning rate at a share of the tokens and a number of steps."""
    cosine = LAST_RATE + (1 - LAST_RATE) * (1 + math.cos(math.pi * min(share, 1.0))) / 2
    return min(1.0, max(share / WARM, 0.01), (step + 1) / WARM_STEPS) * cosine


def tune(
    plan: TuneConfig,
    model: Any,
    data: PackedDataset,
    folder: Path,
    *,
    resume: bool,
    markers: Sequence[int] = (),
    idle: bool = False,
    tell: Callable[[dict[str, Any]], None],
    clock: Callable[[], float] = time.monotonic,
) -> TuneResult:
    """Run the training. Checkpoints and `log.jsonl` go to the folder; each line of the log is reported, too.

    Args:
        model: a causal language model of transformers, in float32.
        markers: tokens of the format that the base knows little of. With a rank, their embeddings are trained, too.
        idle: only load the last checkpoint, and compute nothing.

    Raises:
        TrainingError: the folder holds another run or none to resume, no example fits, or the adapter cannot be used.
    """
    run = _Run(plan, model, data, folder, resume, markers, tell, clock)
    return run.result() if idle else run.go()


class _Run:
    def __init__(
        self,
        plan: TuneConfig,
        model: Any,
        data: PackedDataset,
        folder: Path,
        resume: bool,
        markers: Sequence[int],
        tell: Callable[[dict[str, Any]], None],
        clock: Callable[[], float],
    ) -> None:
        self.plan, self.data, self.folder, self.tell, self.clock = plan, data, folder, tell, clock
        self.model = model
        self.device = str(model.device)
        self.kind = {
            **{name: value for name, value in asdict(plan).items() if name not in _MAY_CHANGE},
            "examples": len(data),
            "data": len(data.tokens),
        }
        if plan.rank:
            if plan.dtype == "bfloat16":
                model.to(torch.bfloat16)  # what stays needs no conversion at each step
            lora.add_adapters(model, plan.rank, plan.seed, markers)
            if plan.start and not resume:
                lora.load_adapters(model, Path(plan.start))
        model.set_attn_implementation(ATTENTION)
        model.train()
        self.weights = [weights for weights in model.parameters() if weights.requires_grad]
        self.optimizer = torch.optim.AdamW(
            [
                {"params": [w for w in self.weights if w.ndim > 1], "weight_decay": WEIGHT_DECAY},
                {"params": [w for w in self.weights if w.ndim < 2], "weight_decay": 0.0},
            ],
            lr=plan.rate,
            betas=BETAS,
            fused=True,
        )
        self.where = TuneState()
        self._begin(resume)
        try:
            self.order = RowOrder(data, plan.row, plan.seed, epoch=self.where.epoch, at=self.where.at)
        except ValueError as error:
            raise TrainingError(str(error)) from error
        self.sums: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])

    def _begin(self, resume: bool) -> None:
        known = checkpoints.last(self.folder)
        log = self.folder / "log.jsonl"
        if not resume:
            if known is not None:
                raise TrainingError(f"{self.folder}: there is a run already; --resume goes on with it")
            self.folder.mkdir(parents=True, exist_ok=True)
            log.write_text("")
            return
        if known is None:
            raise TrainingError(f"{self.folder}: there is no checkpoint to go on from")
        if differing := ", ".join(key for key in self.kind if known["kind"].get(key) != self.kind[key]):
            raise TrainingError(f"{self.folder}: the run there is another one ({differing})")
        with torch.no_grad():
            for weights, saved in zip(self.weights, known["weights"], strict=True):
                weights.copy_(saved)
        self.optimizer.load_state_dict(known["optimizer"])
        self.where = TuneState(**known["where"])
        lines = [line for line in read_log(log) if line["step"] <= self.where.step] if log.exists() else []
        log.write_text("".join(json.dumps(line) + "\n" for line in lines))

    def go(self) -> TuneResult:
        started = saved = logged = self.clock()
        before, counted = self.where.seconds, self.where.tokens
        with asked_to_stop() as stop:
            for groups in self.order:
                if self.where.tokens >= self.plan.tokens or stop():
                    break
                self.step(make_row(self.data, groups, self.device))
                where, now = self.where, self.clock()
                where.epoch, where.at = self.order.epoch, self.order.at
                where.seconds = before + now - started
                if now - logged >= LOG_SECONDS:
                    self._log((where.tokens - counted) / (now - logged))
                    logged, counted = now, where.tokens
                if now - saved >= 60 * self.plan.save_minutes:
                    self.save()
                    saved = self.clock()
            self.save()
            if self.sums:
                self._log((self.where.tokens - counted) / max(self.clock() - logged, 1e-9))
        return self.result()

    def result(self) -> TuneResult:
        return TuneResult(self.model, self.where, self.where.tokens >= self.plan.tokens)

    def step(self, row: Row) -> None:
        for group in self.optimizer.param_groups:
            group["lr"] = self.rate
        losses = row_losses(self.model, row, self.plan.dtype)
        loss = (losses * row.weights).sum() / row.weights.sum().clamp(min=1.0)
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(self.weights, CLIP)
        if torch.isfinite(norm):
            self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        self.where.step += 1
        self.where.tokens += row.tokens
        for task, example in zip(tasks_of(self.data, row), range(len(row.numbers)), strict=True):
            mine = losses.detach()[row.examples == example]
            self.sums[task][0] += float(mine.sum())
            self.sums[task][1] += len(mine)

    @property
    def rate(self) -> float:
        return self.plan.rate * rate_factor(self.where.tokens / self.plan.tokens, self.where.step)

    def save(self) -> None:
        state = {
            "weights": [weights.detach() for weights in self.weights],
            "optimizer": self.optimizer.state_dict(),
            "where": asdict(self.where),
            "kind": self.kind,
        }
        checkpoints.save(self.folder, self.where.step, state)

    def _log(self, speed: float) -> None:
        losses = {task: round(nats / count, 4) for task, (nats, count) in self.sums.items() if count}
        self.sums.clear()
        where = self.where
        left = (self.plan.tokens - where.tokens) / max(speed, 1e-9)
        line = {
            "step": where.step,
            "tokens": where.tokens,
            "seconds": round(where.seconds, 1),
            "tokens/s": round(speed, 1),
            "rate": self.rate,
            "seconds left": round(max(left, 0.0)),
            "loss": losses,
        }
        with (self.folder / "log.jsonl").open("a") as log:
            log.write(json.dumps(line) + "\n")
        self.tell(line)


def row_losses(model: Any, row: Row, dtype: str) -> Any:
    """Return the cross-entropy of each token of a row that counts, in nats."""
    return F.cross_entropy(row_logits(model, row, dtype), row.targets, reduction="none")


def row_logits(model: Any, row: Row, dtype: str) -> Any:
    """Return the logits of each token of a row that counts, in float32."""
    with torch.autocast(row.ids.device.type, torch.bfloat16, enabled=dtype == "bfloat16"):
        said = model(
            input_ids=row.ids,
            position_ids=row.positions,
            segments=row.segments,
            use_cache=False,
            logits_to_keep=row.kept,
        )
    return said.logits[0].float()
