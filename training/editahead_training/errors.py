"""The exceptions of the training. Every message is for the person who runs the command.

* TrainingError
  - BaseModelError
  - CheckpointError
  - DatasetError
  - DeltaError
  - ShardError
"""

from __future__ import annotations


class TrainingError(Exception):
    """The base of the errors of this package; by itself, a run that cannot start or go on."""


class BaseModelError(TrainingError):
    """A base that cannot be gotten, or is not what it should be."""


class CheckpointError(TrainingError):
    """A file that is not a checkpoint, or a damaged one."""


class DatasetError(TrainingError):
    """A file without examples, or with examples of another vocabulary."""


class DeltaError(TrainingError):
    """Checkpoints and deltas that do not belong together, or are damaged."""


class ShardError(TrainingError):
    """A file that is not a shard, or a damaged one."""
