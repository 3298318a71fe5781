"""Trains an encoder on pairs (`editahead-lab train encoder-fit`): InfoNCE with the other answers of a batch as negatives.

Some repositories are held out: neither their pairs nor their words are seen. What was interrupted goes on at its step.

Needs the extra `train`.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any
from zlib import crc32

import torch

from editahead_lab.errors import DatasetError
from editahead_lab.training.model.run_folder import RunFolder
from editahead_lab.training.model.stop_signals import asked_to_stop
from editahead_retrieval.vectors.static_encoder import DOCUMENT, QUESTION, StaticEncoder, save_encoder

from .networks import StaticNetwork, contrastive_loss
from .pair import KINDS, Pair, read_pairs
from .ranking import mean_reciprocal_rank
from .texts import EncodedPairs, batches, encode_pairs, load_encoded, save_encoded
from .vocabulary import BUCKETS, Vocabulary, learn_vocabulary

HELD_OUT_EVERY = 8
"""One of this number of repositories is held out."""
SIZES = (64, 128, 256)
TAU = 0.05
RATE = 2e-3
DROPPED = 0.4
"""The share of a text's words that a step does not see, so that pairs are not learned by heart."""
WARM = 0.03
"""The share of the run in which the learning rate rises. Then it falls along a cosine."""
POINTS = 12
"""Points of the learning curve."""
LOG_SECONDS = 30.0
ENCODER, CARD = "encoder.npz", "card.json"


@dataclass(frozen=True)
class FitPlan:
    """The configuration of a run.

    Attributes:
        seen: Pairs that are seen in all, repeated ones counted.
        batch: Pairs of a step.
        seed: The seed of weights and order.
        save_minutes: Minutes between checkpoints.
    """

    seen: int = 3_000_000
    batch: int = 512
    seed: int = 1
    save_minutes: float = 5.0


@dataclass
class FitState:
    """The progress of a run: pairs seen, the epoch and the next batch in it, and the time used in seconds."""

    seen: int = 0
    epoch: int = 0
    batch: int = 0
    seconds: float = 0.0


def is_held_out(repo: str) -> bool:
    """Return whether a repository is held out."""
    return crc32(repo.encode("utf-8", "replace")) % HELD_OUT_EVERY == 0


def fit(
    plan: FitPlan,
    pairs_file: Path,
    out: Path,
    *,
    resume: bool,
    report: Callable[[dict[str, Any]], None],
) -> dict[str, Any] | None:
    """Train, and write the encoder with its card. Return the card; None if the run was interrupted.

    Args:
        plan: The configuration.
        pairs_file: The pairs.
        out: The folder.
        resume: Whether to go on with the run in the folder.
        report: Called with the progress.

    Raises:
        DatasetError: There are no pairs, or too few.
        TrainingError: There is no run to go on with, one that is of another plan, or one that would be overwritten.
        OSError: A file cannot be written.
    """
    pairs = read_pairs(pairs_file)
    run = _Run(plan, pairs, pairs_file, out)
    run.load() if resume else run.folder.begin()
    with asked_to_stop() as is_asked:
        if not run.train(is_asked, report):
            return None
    return run.export()


def _prepared(pairs: Sequence[Pair], pairs_file: Path) -> tuple[Vocabulary, EncodedPairs]:
    """Return the vocabulary and the encoded pairs, from the file beside the pairs where an earlier run left them.

    Raises:
        DatasetError: No word is used by enough repositories.
    """
    digest = blake2b(pairs_file.read_bytes(), digest_size=6).hexdigest()
    kept = pairs_file.with_name(f"counts-{BUCKETS}-{digest}.npz")
    if (found := load_encoded(kept, pairs)) is not None:
        return found
    vocabulary = learn_vocabulary([pair for pair in pairs if not is_held_out(pair.repo)])
    if not vocabulary.rows:
        raise DatasetError("no word is used by enough repositories; add more of them")
    data = encode_pairs(pairs, vocabulary)
    save_encoded(kept, vocabulary, data)
    return vocabulary, data


class _Run:
    """One run: the data, the network, and where it is."""

    def __init__(self, plan: FitPlan, pairs: Sequence[Pair], pairs_file: Path, out: Path) -> None:
        self.plan, self.pairs, self.out = plan, pairs, out
        self.folder = RunFolder(out / "run", {**asdict(replace(plan, save_minutes=0.0)), "pairs": len(pairs)})
        trained = [n for n, pair in enumerate(pairs) if not is_held_out(pair.repo)]
        if len(trained) < plan.batch:
            raise DatasetError(f"there are {len(trained)} pairs to train on; a batch takes {plan.batch}")
        self.trained = trained
        self.held = [pair for pair in pairs if is_held_out(pair.repo)]
        self.vocabulary, self.data = _prepared(pairs, pairs_file)
        torch.manual_seed(plan.seed)
        self.network = StaticNetwork(self.vocabulary)
        self.optimizer = torch.optim.AdamW(self.network.parameters(), lr=RATE, weight_decay=0.0, fused=True)
        self.state = FitState()
        self._measured: dict[tuple[str, ...], EncodedPairs] = {}

    def load(self) -> None:
        stored = self.folder.load()
        self.network.load_state_dict(stored["network"])
        self.optimizer.load_state_dict(stored["optimizer"])
        self.state = FitState(**stored["state"])

    def save(self) -> None:
        stored = {
            "state": asdict(self.state),
            "network": self.network.state_dict(),
            "optimizer": self.optimizer.state_dict(),
        }
        self.folder.save(self.state.seen, stored)

    def train(self, is_asked: Callable[[], bool], report: Callable[[dict[str, Any]], None]) -> bool:
        """Train to the end, and return True; False if it was asked to stop."""
        state, plan = self.state, self.plan
        began, saved = time.monotonic() - state.seconds, time.monotonic()
        losses: list[float] = []
        reported = time.monotonic()
        while state.seen < plan.seen:
            for number, batch in enumerate(
                batches(self.data, self.trained, plan.batch, plan.seed, state.epoch)
            ):
                if number < state.batch:
                    continue
                losses.append(self._step(batch))
                point = state.seen * POINTS // plan.seen
                state.seen += len(batch)
                state.batch = number + 1
                now = time.monotonic()
                state.seconds = now - began
                is_point = state.seen * POINTS // plan.seen > point
                if is_point or now >= reported + LOG_SECONDS:
                    self._report(losses, report, measured=is_point)
                    losses, reported = [], now
                if is_asked():
                    self.save()
                    return False
                if now >= saved + plan.save_minutes * 60:
                    self.save()
                    saved = now
                if state.seen >= plan.seen:
                    break
            else:
                state.epoch, state.batch = state.epoch + 1, 0
        self.save()
        return True

    def _step(self, batch: list[int]) -> float:
        data, state, plan = self.data, self.state, self.plan
        share = state.seen / plan.seen
        factor = min(1.0, max(share / WARM, 0.02)) * (
            0.02 + 0.98 * (1 + math.cos(math.pi * min(share, 1.0))) / 2
        )
        for group in self.optimizer.param_groups:
            group["lr"] = RATE * factor
        hard = [
            each[(state.epoch + number) % len(each)] for number in batch if (each := data.negatives[number])
        ]
        answers = [data.documents[number] for number in batch]
        documents = answers + [data.documents[number] for number in hard]
        places = torch.tensor([data.places[number] for number in [*batch, *hard]])
        kinds = torch.tensor(documents)
        queries = torch.tensor([data.queries[number] for number in batch])
        excluded = (kinds[None, :] == kinds[: len(batch), None]) | (
            places[None, :] == places[: len(batch), None]
        )
        excluded[:, : len(batch)] |= queries[None, :] == queries[:, None]
        excluded[torch.arange(len(batch)), torch.arange(len(batch))] = False
        asked = self.network(data.texts, [data.queries[number] for number in batch], QUESTION, DROPPED)
        found = self.network(data.texts, documents, DOCUMENT, DROPPED)
        loss = contrastive_loss(asked, found, excluded, SIZES, TAU)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        self.optimizer.step()
        return float(loss.detach())

    def _report(
        self, losses: list[float], report: Callable[[dict[str, Any]], None], *, measured: bool
    ) -> None:
        state = self.state
        left = state.seconds / state.seen * (self.plan.seen - state.seen)
        line: dict[str, Any] = {
            "seen": state.seen,
            "loss": round(sum(losses) / len(losses), 4),
            "seconds": round(state.seconds, 1),
            "seconds left": round(max(left, 0.0)),
        }
        if measured:
            line["held out"] = mean_reciprocal_rank(self.held, self.encode)
        self.folder.log(line)
        report(line)

    def encode(self, texts: Sequence[str], role: int) -> Any:
        """Return the vectors of texts as the network has them now."""
        key = tuple(texts)
        data = self._measured.get(key)
        if data is None:
            made = [Pair("documentation", "", "", text, text, "") for text in texts]
            data = encode_pairs(made, self.vocabulary)
            self._measured[key] = data
        with torch.no_grad():
            parts = [
                self.network(data.texts, data.queries[at : at + 256], role).numpy()
                for at in range(0, len(texts), 256)
            ]
        import numpy as np

        return np.concatenate(parts)

    def export(self) -> dict[str, Any]:
        """Write what was trained, and return its card."""
        card: dict[str, Any] = {
            "made by": "editahead-lab train encoder-fit",
            "plan": {**asdict(self.plan), "pairs": len(self.pairs)},
            "pairs": {kind: sum(self.pairs[n].kind == kind for n in self.trained) for kind in KINDS},
            "repositories": len({self.pairs[n].repo for n in self.trained}),
            "words": len(self.vocabulary.rows),
            "seen": self.state.seen,
            "seconds": round(self.state.seconds),
            "curve": self._curve(),
        }
        encoder = self._quantized()
        save_encoder(encoder, self.out / ENCODER)
        card["name"] = encoder.name
        card["held out"] = mean_reciprocal_rank(self.held, encoder.encode)
        (self.out / CARD).write_text(json.dumps(card, indent=1) + "\n", "utf-8")
        return card

    def _quantized(self) -> StaticEncoder:
        """Return the encoder with its table in signed bytes."""
        import numpy as np

        table = self.network.table.detach().numpy()
        scale = np.maximum(np.abs(table).max(axis=1), 1e-9) / 127
        rows = np.rint(table / scale[:, None]).astype(np.int8)
        gains = np.stack([self.network.gains(role).detach().numpy() * scale for role in (DOCUMENT, QUESTION)])
        gains = (gains / gains.max()).astype(np.float16).astype(np.float32)
        name = blake2b(rows.tobytes() + gains.tobytes(), digest_size=6).hexdigest()
        return StaticEncoder(f"static-{name}", self.vocabulary.rows, self.vocabulary.buckets, rows, gains)

    def _curve(self) -> list[dict[str, Any]]:
        lines = (line for line in self.folder.lines() if "held out" in line)
        return [{"seen": line["seen"], **line["held out"]} for line in lines]
