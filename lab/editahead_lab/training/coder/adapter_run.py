"""Trains the adapter of `editahead-coder` within a time or a number of steps; what was interrupted goes on at its step.

Only answers count in the loss, and their first token, which decides on silence, twice. The learning rate follows the share
of the run that is done: it rises, stays, and falls in the last part. Time counts only while the run is active.

Needs the extra `train`.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F

from editahead_lab.training.model.run_folder import RunFolder
from editahead_lab.training.model.stop_signals import asked_to_stop

from .examples import KINDS
from .network import CoderNetwork
from .packed_examples import PackedExamples, RowOrder

WARM_STEPS, LAST_PART, LAST_RATE = 40, 0.45, 0.02
"""Steps in which the learning rate rises; the share of the run in which it falls, and the share of it that is left then."""
SPECIAL_RATE = 2.0
"""How much faster the embeddings of the format's tokens learn."""
FIRST_WEIGHT = 2.0
"""Of an answer's first token in the loss."""
CLIP, BETAS = 1.0, (0.9, 0.95)
LOG_SECONDS = 30.0
_MAY_CHANGE = ("minutes", "steps", "save_minutes")


@dataclass(frozen=True, slots=True)
class RunPlan:
    """The configuration of a run.

    Attributes:
        minutes: The length of the run; None where `steps` says it.
        steps: The length in steps, which makes a run repeatable.
        row: The most tokens of a step.
        rate: The highest learning rate.
        rank: Of the additions.
    """

    minutes: float | None
    steps: int | None
    row: int
    rate: float
    rank: int
    seed: int
    save_minutes: float = 2.0


@dataclass
class RunState:
    """The progress of a run; `seconds` is the time used, `epoch` and `at` the place in the examples."""

    step: int = 0
    tokens: int = 0
    seconds: float = 0.0
    epoch: int = 0
    at: int = 0

    def share(self, plan: RunPlan) -> float:
        """Return how much of a plan is done, 0 to 1."""
        if plan.steps is not None:
            return min(self.step / plan.steps, 1.0)
        return min(self.seconds / (60 * (plan.minutes or 0.0)), 1.0)


@dataclass(frozen=True, slots=True)
class Row:
    """Examples as tensors.

    Attributes:
        spans: Where each example begins and ends.
        said: The places of the tokens before those of answers.
        targets: The tokens of answers.
        weights: Of `targets` in the loss.
        kinds: Of `targets`, as places in `KINDS`.
    """

    tokens: Any
    positions: Any
    spans: Sequence[tuple[int, int]]
    said: Any
    targets: Any
    weights: Any
    kinds: Any


def rate_factor(share: float, step: int) -> float:
    """Return the factor of the highest learning rate at a share of the run."""
    rise = min(1.0, max(step, 1) / WARM_STEPS)
    return rise * min(1.0, max((1 - share) / LAST_PART, LAST_RATE))


def make_row(packed: PackedExamples, numbers: Sequence[int], network: CoderNetwork, length: int = 0) -> Row:
    """Return a row of examples, filled up to a length with texts that say nothing."""
    tokens, positions, said, targets, weights, kinds = [], [], [], [], [], []
    spans: list[tuple[int, int]] = []
    place = 0
    for number in numbers:
        prompt, answer = packed.example(number)
        text = np.searchsorted(network.vocabulary, np.concatenate([prompt, answer]))
        end = place + len(text) - 1
        tokens.append(text[:-1])
        positions.append(np.arange(end - place))
        spans.append((place, end))
        said.append(np.arange(end - len(answer), end))
        targets.append(text[len(prompt) :])
        weights.append(np.array([FIRST_WEIGHT] + [1.0] * (len(answer) - 1), np.float32))
        kinds.append(np.full(len(answer), packed.kinds[number]))
        place = end
    longest = max(end - start for start, end in spans)
    while place < length:
        end = min(place + longest, length)
        tokens.append(np.zeros(end - place, np.int64))
        positions.append(np.arange(end - place))
        spans.append((place, end))
        place = end

    def there(parts: Sequence[Any]) -> Any:
        return torch.from_numpy(np.concatenate(parts)).to(network.device)

    return Row(
        there(tokens),
        there(positions),
        spans,
        *(there(parts) for parts in (said, targets, weights, kinds)),
    )


class AdapterRun:
    """A run, new or continued.

    Args:
        plan: The configuration.
        network: The base with its additions.
        data: The examples.
        folder: Where checkpoints and `log.jsonl` are.
        resume: Whether to go on with the run in the folder.
        report: Receives each line of the log.
        clock: Returns seconds.

    Raises:
        TrainingError: The folder holds another run, or none to go on with.
        DatasetError: No example fits a row.
    """

    def __init__(
        self,
        plan: RunPlan,
        network: CoderNetwork,
        data: PackedExamples,
        folder: Path,
        *,
        resume: bool,
        report: Callable[[dict[str, Any]], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.plan, self.network, self.data = plan, network, data
        self._report, self._clock = report, clock
        self.where = RunState()
        kind = {
            **{name: value for name, value in asdict(plan).items() if name not in _MAY_CHANGE},
            "examples": len(data),
            "tokens": len(data.tokens),
            "vocabulary": len(network.vocabulary),
        }
        self._folder = RunFolder(folder, kind)
        matrices = [weights for name, weights in network.named_parameters() if name != "rows"]
        self._weights = [*matrices, network.rows]
        groups = [{"params": matrices}, {"params": [network.rows]}]
        is_fused = network.device == "cuda"
        self._optimizer = torch.optim.AdamW(
            groups, lr=plan.rate, betas=BETAS, weight_decay=0.0, fused=is_fused
        )
        self._sums: dict[int, list[float]] = defaultdict(lambda: [0.0, 0.0])
        self._load() if resume else self._folder.begin()
        self._order = RowOrder(data, plan.row, plan.seed, epoch=self.where.epoch, at=self.where.at)

    def _load(self) -> None:
        known = self._folder.load()
        with torch.no_grad():
            for weights, saved in zip(self._weights, known["weights"], strict=True):
                weights.copy_(saved)
        self._optimizer.load_state_dict(known["optimizer"])
        self.where = RunState(**known["where"])

    def train(self) -> bool:
        """Train until the end of the plan or a signal, and return whether it is the end. A checkpoint is written."""
        where = self.where
        began = saved = logged = self._clock()
        used, counted = where.seconds, where.tokens
        with asked_to_stop() as is_asked:
            for numbers in self._order:
                if where.share(self.plan) >= 1 or is_asked():
                    break
                self._step(numbers)
                where.epoch, where.at = self._order.epoch, self._order.at
                now = self._clock()
                where.seconds = used + now - began
                if now - logged >= LOG_SECONDS:
                    self._log((where.tokens - counted) / (now - logged))
                    logged, counted = now, where.tokens
                if now - saved >= 60 * self.plan.save_minutes:
                    self._save()
                    saved = now
            self._save()
            if self._sums:
                self._log((where.tokens - counted) / max(where.seconds - used + began - logged, 1e-9))
        return where.share(self.plan) >= 1

    def _step(self, numbers: Sequence[int]) -> None:
        for group, factor in zip(self._optimizer.param_groups, (1.0, SPECIAL_RATE), strict=True):
            group["lr"] = factor * self._rate
        # A compiled network is compiled for one length of rows.
        network = self.network
        row = make_row(self.data, numbers, network, self.plan.row if network.device == "cuda" else 0)
        hidden = network.hidden(row.tokens, row.positions, row.spans)
        losses = F.cross_entropy(network.logits(hidden[row.said]), row.targets, reduction="none")
        ((losses * row.weights).sum() / row.weights.sum()).backward()
        norm = torch.nn.utils.clip_grad_norm_(self._weights, CLIP)
        if torch.isfinite(norm):
            self._optimizer.step()
        self._optimizer.zero_grad(set_to_none=True)
        self.where.step += 1
        self.where.tokens += sum(int(self._order.packed.lengths[number]) for number in numbers)
        for kind in row.kinds.unique().tolist():
            mine = losses.detach()[row.kinds == kind]
            self._sums[kind][0] += float(mine.sum())
            self._sums[kind][1] += len(mine)

    @property
    def _rate(self) -> float:
        return self.plan.rate * rate_factor(self.where.share(self.plan), self.where.step)

    def _save(self) -> None:
        state = {
            "weights": [weights.detach() for weights in self._weights],
            "optimizer": self._optimizer.state_dict(),
            "where": asdict(self.where),
        }
        self._folder.save(self.where.step, state)

    def _log(self, speed: float) -> None:
        where, share = self.where, self.where.share(self.plan)
        losses = {KINDS[kind]: round(nats / count, 4) for kind, (nats, count) in sorted(self._sums.items())}
        self._sums.clear()
        line = {
            "step": where.step,
            "tokens": where.tokens,
            "seconds": round(where.seconds, 1),
            "tokens/s": round(speed, 1),
            "rate": self._rate,
            "seconds left": round(where.seconds * (1 - share) / max(share, 1e-9)),
            "loss": losses,
        }
        self._folder.log(line)
        self._report(line)
