"""A training run's checkpoints: written whole or not at all, the last two kept.

Needs the extra `train`.
"""

from __future__ import annotations

import os
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import torch

MAX_CHECKPOINTS = 2
"""Checkpoints on disk; older ones are deleted."""

_PATTERN = "checkpoint-*.pt"


def save(folder: Path, step: int, state: dict[str, Any]) -> Path:
    """Save a state of tensors, numbers, texts, and lists and dictionaries of them."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"checkpoint-{step:08d}.pt"
    partial = folder / "checkpoint.part"
    with partial.open("wb") as file:
        torch.save(state, file)
        file.flush()
        os.fsync(file.fileno())
    partial.replace(path)
    for old in sorted(folder.glob(_PATTERN))[:-MAX_CHECKPOINTS]:
        old.unlink()
    return path


def last(folder: Path) -> dict[str, Any] | None:
    """Return the latest readable checkpoint; None when there is none. Its content is never executed."""
    for path in sorted(folder.glob(_PATTERN), reverse=True):
        try:
            state: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
        except (OSError, RuntimeError, EOFError, ValueError, UnpicklingError):
            continue
        return state
    return None
