"""The folder of a training that may be interrupted: its last two checkpoints, written whole or not at all, and its log.

Needs the extra `train`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import torch

from editahead_lab.errors import TrainingError

MAX_CHECKPOINTS = 2
"""Checkpoints on disk; older ones are deleted."""
LOG = "log.jsonl"

_PATTERN = "checkpoint-*.pt"


class RunFolder:
    """The folder of one run.

    Args:
        folder: The folder.
        kind: What makes it this run and no other one.
    """

    def __init__(self, folder: Path, kind: Mapping[str, Any]) -> None:
        self._folder, self._kind = folder, dict(kind)

    def begin(self) -> None:
        """Start a log.

        Raises:
            TrainingError: The folder holds a run.
        """
        if self._last() is not None:
            raise TrainingError(f"{self._folder}: there is a run already; resume=true goes on with it")
        self._folder.mkdir(parents=True, exist_ok=True)
        (self._folder / LOG).write_text("", "utf-8")

    def load(self) -> dict[str, Any]:
        """Return the state of the latest readable checkpoint, whose content is never executed.

        Raises:
            TrainingError: There is none, or the folder holds another run.
        """
        known = self._last()
        if known is None:
            raise TrainingError(f"{self._folder}: there is no checkpoint to go on from")
        if differing := ", ".join(key for key in self._kind if known["kind"].get(key) != self._kind[key]):
            raise TrainingError(f"{self._folder}: the run there is another one ({differing})")
        return known

    def save(self, step: int, state: Mapping[str, Any]) -> None:
        """Save a state of tensors, numbers, texts, and lists and dictionaries of them."""
        partial = self._folder / "checkpoint.part"
        with partial.open("wb") as file:
            torch.save({**state, "kind": self._kind}, file)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(self._folder / f"checkpoint-{step:08d}.pt")
        for old in self._checkpoints()[:-MAX_CHECKPOINTS]:
            old.unlink()

    def log(self, line: Mapping[str, Any]) -> None:
        with (self._folder / LOG).open("a", encoding="utf-8") as log:
            log.write(json.dumps(line) + "\n")

    def lines(self) -> list[dict[str, Any]]:
        """Return the lines of the log."""
        return [json.loads(line) for line in (self._folder / LOG).read_text("utf-8").splitlines()]

    def _checkpoints(self) -> list[Path]:
        return sorted(self._folder.glob(_PATTERN))

    def _last(self) -> dict[str, Any] | None:
        for path in reversed(self._checkpoints()):
            try:
                state: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
            except (OSError, RuntimeError, EOFError, ValueError, UnpicklingError):
                continue
            return state
        return None
