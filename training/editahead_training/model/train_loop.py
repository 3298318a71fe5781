"""Trains our model on packed examples, within a time or a number of steps; what was interrupted goes on where it was.

Needs the extra `train`.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F

from editahead_training.data.example import TASKS
from editahead_training.data.packed_dataset import PackedDataset
from editahead_training.errors import TrainingError

from . import checkpoints, induction_heads, loss_plot
from .architecture import ROUTER_LOSS, SIZES, build_model, load_weights
from .muon import optimizers
from .packed_batches import Batch, BatchOrder, make_batch, sample_examples
from .stop_signals import asked_to_stop

WARM, DECAY = 0.02, 0.3
WARM_STEPS = 40
"""Shares of the run in which the learning rate rises (for a minimum of steps), stays, and falls to 0, linearly."""

CLIP = 1.0

HELD_TOKENS = 131_072
HELD_EVERY = 0.1
"""Tokens of held-out examples in a test, and the share of the run from one test to the next."""

LOG_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class TrainConfig:
    """The configuration of a run.

    Attributes:
        minutes: the time limit; None with `steps`.
        steps: the number of steps; None with `minutes`.
        row: tokens of a step.
        reading: the loss weight of tokens that are only read. They are computed in any case, teach the model
            code, and much of their text occurs twice.
        exact: float32 throughout.
        start: the folder of a trained model to start from.
    """

    size: str
    dense: bool
    minutes: float | None
    steps: int | None
    seed: int
    row: int
    rate: float
    reading: float = 0.0
    exact: bool = False
    start: str | None = None
    save_minutes: float = 2.0


@dataclass
class TrainState:
    """The progress of a run; `seconds` is the time used."""

    step: int = 0
    tokens: int = 0
    seconds: float = 0.0
    epoch: int = 0
    at: int = 0


@dataclass(frozen=True, slots=True)
class TrainResult:
    """The result of a run.

    Attributes:
        finished: the run reached its end and was not interrupted.
        held: the final loss by task.
    """

    model: Any
    where: TrainState
    finished: bool
    held: dict[str, float]


def lr_factor(progress: float, step: int) -> float:
    """Return the factor of the highest learning rate at a share of the run and a number of steps."""
    return max(0.0, min(1.0, progress / WARM, (step + 1) / WARM_STEPS, (1 - progress) / DECAY))


def train(
    plan: TrainConfig,
    data: PackedDataset,
    held: PackedDataset | None,
    folder: Path,
    *,
    resume: bool,
    tell: Callable[[dict[str, Any]], None],
    clock: Callable[[], float] = time.monotonic,
) -> TrainResult:
    """Run the training. Checkpoints and `log.jsonl` go to the folder; each line of the log is reported, too.

    Raises:
        TrainingError: the folder holds another run or none to resume, or no example fits.
    """
    return _Run(plan, data, held, folder, resume, tell, clock).go()


class _Run:
    def __init__(
        self,
        plan: TrainConfig,
        data: PackedDataset,
        held: PackedDataset | None,
        folder: Path,
        resume: bool,
        tell: Callable[[dict[str, Any]], None],
        clock: Callable[[], float],
    ) -> None:
        self.plan, self.held, self.folder, self.tell, self.clock = plan, held, folder, tell, clock
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        size = SIZES[plan.size]
        self.context = size.context
        self.model = build_model(size, dense=plan.dense, seed=plan.seed)
        if plan.start is None:
            induction_heads.install_copy_heads(self.model, plan.seed)
        else:
            try:
                load_weights(self.model, Path(plan.start))
            except (OSError, ValueError) as error:
                raise TrainingError(str(error)) from error
        self.model = self.model.to(self.device)
        self.optimizers = optimizers(self.model, plan.rate)
        self.kind = {**asdict(plan), "examples": len(data), "tokens": len(data.tokens)}
        for name in ("minutes", "steps", "save_minutes"):
            del self.kind[name]
        self.where = TrainState()
        self._begin(resume)
        try:
            self.order = BatchOrder(
                data, size.context, plan.row, plan.seed, epoch=self.where.epoch, at=self.where.at
            )
        except ValueError as error:
            raise TrainingError(str(error)) from error
        self.log = self.folder / "log.jsonl"
        self.sums = torch.zeros(2, len(TASKS), device=self.device)

    def _begin(self, resume: bool) -> None:
        known = checkpoints.last(self.folder)
        if not resume:
            if known is not None:
                raise TrainingError(f"{self.folder}: there is a run already; --resume goes on with it")
            self.folder.mkdir(parents=True, exist_ok=True)
            (self.folder / "log.jsonl").write_text("")
            return
        if known is None:
            raise TrainingError(f"{self.folder}: there is no checkpoint to go on from")
        if known["kind"] != self.kind:
            differing = ", ".join(key for key in self.kind if known["kind"].get(key) != self.kind[key])
            raise TrainingError(f"{self.folder}: the run there is another one ({differing})")
        self.model.load_state_dict(known["model"])
        for optimizer, state in zip(self.optimizers, known["optimizers"], strict=True):
            optimizer.load_state_dict(state)
        self.where = TrainState(**known["where"])
        _cut(self.folder / "log.jsonl", self.where.step)

    def go(self) -> TrainResult:
        started = saved = logged = self.clock()
        before, counted = self.where.seconds, self.where.tokens
        tested = self.progress()
        packed = self.order.packed
        held: dict[str, float] = {}
        with asked_to_stop() as stop:
            for numbers in self.order:
                progress = self.progress()
                if progress >= 1 or stop():
                    break
                self.step(make_batch(packed, numbers, self.device, self.plan.reading), progress)
                where = self.where
                where.epoch, where.at = self.order.epoch, self.order.at
                now = self.clock()
                where.seconds = before + now - started
                if now - logged >= LOG_SECONDS:
                    self._log(progress, (where.tokens - counted) / (now - logged))
                    logged, counted = now, where.tokens
                if now - saved >= 60 * self.plan.save_minutes:
                    self.save()
                    saved = self.clock()
                if self.progress() - tested >= HELD_EVERY:
                    self.test()
                    tested = self.progress()
                    logged += self.clock() - now
            finished = self.progress() >= 1
            self.where.seconds = before + self.clock() - started
            self.save()
            if finished:
                self._log(1.0, self.where.tokens / max(self.where.seconds, 1e-9))
                held = self.test()
        return TrainResult(self.model, self.where, finished, held)

    def progress(self) -> float:
        if self.plan.steps is not None:
            return self.where.step / self.plan.steps
        assert self.plan.minutes is not None
        return self.where.seconds / (60 * self.plan.minutes)

    def step(self, row: Batch, progress: float) -> None:
        for optimizer in self.optimizers:
            for group in optimizer.param_groups:
                group["lr"] = self.plan.rate * lr_factor(progress, self.where.step)
        losses, routing = self.losses(row)
        loss = (losses * row.weights).sum() / row.weights.sum().clamp(min=1.0) + routing
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(self.model.parameters(), CLIP)
        for optimizer in self.optimizers:
            if torch.isfinite(norm):
                optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        _add(self.sums, losses.detach(), row)
        self.where.step += 1
        self.where.tokens += row.tokens

    def losses(self, row: Batch) -> tuple[Any, Any]:
        """Return the cross-entropy of each token that counts, in nats, and the loss for uneven use of experts."""
        told = {} if self.plan.dense else {"output_router_logits": True}
        with torch.autocast(self.device, torch.bfloat16, enabled=not self.plan.exact):
            said = self.model(
                input_ids=row.ids,
                position_ids=row.positions,
                spans=row.spans,
                use_cache=False,
                logits_to_keep=row.kept,
                **told,
            )
        losses = F.cross_entropy(said.logits[0].float(), row.targets, reduction="none")
        return losses, 0.0 if self.plan.dense else ROUTER_LOSS * said.aux_loss

    def test(self) -> dict[str, float]:
        """Log and return the loss by task on held-out examples."""
        if self.held is None:
            return {}
        self.model.eval()
        sums = torch.zeros_like(self.sums)
        numbers = sample_examples(self.held, self.context, HELD_TOKENS, self.plan.seed)
        for at in range(0, len(numbers), 8):
            part = make_batch(self.held, numbers[at : at + 8], self.device)
            with torch.no_grad():
                _add(sums, self.losses(part)[0], part)
        self.model.train()
        held = _means(sums)
        self._write({"held": held})
        return held

    def save(self) -> None:
        state = {
            "kind": self.kind,
            "where": asdict(self.where),
            "model": self.model.state_dict(),
            "optimizers": [optimizer.state_dict() for optimizer in self.optimizers],
        }
        checkpoints.save(self.folder, self.where.step, state)

    def _log(self, progress: float, speed: float) -> None:
        left = self.where.seconds * (1 / max(progress, 1e-9) - 1)
        line = {
            "tokens/s": round(speed),
            "rate": self.optimizers[0].param_groups[0]["lr"],
            "epoch": self.where.epoch,
            "seconds": round(self.where.seconds, 1),
            "seconds left": round(left, 1),
            "loss": _means(self.sums),
        }
        self.sums.zero_()
        self._write(line)

    def _write(self, line: dict[str, Any]) -> None:
        line = {"step": self.where.step, "tokens": self.where.tokens, **line}
        with self.log.open("a") as file:
            file.write(json.dumps(line) + "\n")
        self.tell(line)


def _add(sums: Any, losses: Any, row: Batch) -> None:
    sums[0].index_add_(0, row.tasks, losses * row.weights)
    sums[1].index_add_(0, row.tasks, row.weights)


def _means(sums: Any) -> dict[str, float]:
    """Return the means by task, for tasks with tokens, and over all tasks."""
    losses, weights = sums.tolist()
    means: dict[str, float] = {
        task: round(loss / weight, 4)
        for task, loss, weight in zip(TASKS, losses, weights, strict=True)
        if weight
    }
    return {**means, "all": round(sum(losses) / sum(weights), 4)} if means else {}


def _cut(log: Path, step: int) -> None:
    """Cut the log after a step, because a resumed run logs the later ones again."""
    lines = [line for line in loss_plot.read(log) if line["step"] <= step] if log.exists() else []
    log.write_text("".join(json.dumps(line) + "\n" for line in lines))
